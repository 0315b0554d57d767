# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: Rust: threads, a panic that is caught, names demangled, the leaked vector found.
. "${top_srcdir:-.}/tests/real/real.sh"
PATH=$PATH:$HOME/.cargo/bin
need rustc
cat >"$work/sample.rs" <<'END'
use std::collections::HashMap;
struct Tree { left: Option<Box<Tree>>, right: Option<Box<Tree>>, name: String }
fn build_tree(depth: u32) -> Option<Box<Tree>> {
    if depth == 0 { return None; }
    Some(Box::new(Tree { left: build_tree(depth - 1), right: build_tree(depth - 1), name: format!("node {}", depth) }))
}
fn count(t: &Option<Box<Tree>>) -> usize { match t { None => 0, Some(t) => t.name.len() + count(&t.left) + count(&t.right) } }
#[inline(never)]
fn leak_a_vector() { std::mem::forget(std::hint::black_box(vec![1u8; 54321])); }
fn main() {
    let threads: Vec<_> = (0..4u64).map(|i| std::thread::spawn(move || {
        let mut m: HashMap<String, u64> = HashMap::new();
        for k in 0..5000u64 { *m.entry(format!("k{}", k % 100)).or_default() += k * i; }
        m.values().sum::<u64>() })).collect();
    let sums: Vec<u64> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    println!("{:?} {}", sums, count(&build_tree(10)));
    leak_a_vector();
    std::panic::set_hook(Box::new(|_| eprintln!("a panic")));
    println!("{}", std::panic::catch_unwind(|| { let v: Vec<u32> = Vec::new(); v[sums.len()] }).is_err());
    std::process::exit(9);
}
END
rustc -O -g -o "$work/sample" "$work/sample.rs" >"$work/rust.log" 2>&1 || skip_all "rustc does not work: $(head -n 1 "$work/rust.log")"
traced_as_untraced rust "$work/sample"
report_names rust 'sample::leak_a_vector' 'sample::build_tree'
whole_stacks rust 99
done_testing
