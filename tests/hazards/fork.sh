# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: fork, vfork, spawn and exec, one line each (group C); tests/family/ goes deeper.
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

# Traces of children must be whole, too.
whole_family()
{
	for whole_trace in "$trace".*; do
		[ -e "$whole_trace" ] || continue
		"$h/ledger" "$whole_trace" complete=1 damaged=0 lost=0 "$@"
	done
}

hazard C19 "children of a busy process" unknown=0 -- "$h/c19_busy_fork"
hazard C20 "fork handlers that allocate and wait" live::2020=0 live::2021=0 made::2022=0 unknown=0 \
	-- "$h/c20_handlers"
hazard C21 "fork from a thread nobody knows, and a bare clone" made:malloc:2122=1 made::2121=0 unknown=0 \
	-- "$h/c21_strangers"
hazard C22 "the parent's trace is the parent's" made:malloc:10=1000 live_bytes:malloc:10=10000 \
	made::1048576=0 in:child_leak=0 blocks.live=1000 -- "$h/c22_two_heaps"
children_leak()
{
	whole_family made:malloc:1048576=7 live:malloc:1048576=7 made::10=0 in:parent_leak=0
	[ "$(ls "$trace".* | wc -l)" -eq 3 ] || echo "not three children: $(ls "$trace".*)"
}
modes="mtk/0"
hazard C22 "and names the children" children=3 -- "$h/c22_two_heaps"
plain
options=-f also=children_leak
hazard C22 "each child has its own, with -f" made:malloc:10=1000 made::1048576=0 blocks.live=1000 \
	-- "$h/c22_two_heaps"
plain
hazard C23 "vfork" live:malloc:2323=50 made:malloc:2324=50 live::2324=0 made:malloc:2325=50 live::2325=0 \
	unknown=0 -- "$h/c23_vfork"
modes="mtk/64"
hazard C24 "images one after the other" execs=3 made:malloc:2401=10 live::2401=0 made:malloc:2404=10 \
	live:malloc:2404=10 exit=0 -- "$h/c24_images"
modes="text/0"	# the log has no word for an exec
hazard C24 "images one after the other" made:malloc:2401=10 made:malloc:2404=10 -- "$h/c24_images"
plain
expect="lost=0 damaged=0"
hazard C24 "execve with no environment" made:malloc:2402=10 -- "$h/c24_images" bare
plain

# Whose words are theirs alone: of the right size, and no hook in them.
if ${MEMTRACK_CC:-cc} -m32 -o "$work/narrow" "$top_srcdir/tests/hazards/a9_instrumented.c" 2>/dev/null; then
	for options in "" -f; do
		hazard C25 "a 32-bit child${options:+, $options}" -- sh -c '"$1"; "$1" | cat' - "$work/narrow"
	done
else
	by_hand C25 "a 32-bit child" "no 32-bit compiler"
fi
if ${MEMTRACK_CC:-cc} -static -o "$work/static" "$top_srcdir/tests/hazards/a9_instrumented.c" 2>/dev/null; then
	for options in "" -f; do
		hazard C25 "a static child${options:+, $options}" -- sh -c '"$1"; "$1" | cat' - "$work/static"
	done
else
	by_hand C25 "a static child" "no static libc"
fi
plain
hazard C26 "the same environment through every call" -- "$h/c26_spawns"

if [ "$(id -u)" = 0 ]; then
	cp "$h/a4_bare" "$work/privileged"
	chown 65534 "$work/privileged"
	chmod 4755 "$work/privileged"
	chmod 755 "$work"
	expect=none
	hazard C27 "a setuid program" -- env -i "$work/privileged"
	"$memtrack" --no-report -o "$trace" "$work/privileged" >"$work/out" 2>"$work/err"
	like "$(cat "$work/err")" '^memtrack: not traced: it is setuid' "C27 says so"
	plain
else
	by_hand C27 "a setuid program" "needs root"
fi

expect=none
hazard C28 "a wrapper that clears the environment" -- sh -c 'exec env -i "$1"' - "$h/a4_bare"
"$memtrack" --no-report -o "$trace" sh -c 'unset LD_PRELOAD; exec env -i "$1"' - "$h/a4_bare" \
	>"$work/out" 2>"$work/err"
is "$?:$(cat "$work/out")" "0:OK" "C28 ends with its status"
hazard C28 "the wrapper fails" -- sh -c 'env -i false; exit 9'
plain

is "$("$memtrack" -q --no-report -o "$trace" sh -c 'grep -c memtrack.so /proc/$PPID/maps')" 0 \
	"C29 the launcher itself has no hook in it"
done_testing
