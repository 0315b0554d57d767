# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: java: its JIT, its own memory, its threads, signals that it handles itself.
. "${top_srcdir:-.}/tests/real/real.sh"
need java javac
cat >"$work/Sample.java" <<'END'
import java.util.*;
public class Sample {
	static long spin(int n) { long s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
	public static void main(String[] a) throws Exception {
		Map<String, Integer> counts = new TreeMap<>();
		for (int i = 0; i < 200000; i++) counts.merge("k" + i % 500, 1, Integer::sum);
		Thread[] threads = new Thread[3];
		long[] sums = new long[3];
		for (int k = 0; k < 3; k++) { int q = k; threads[k] = new Thread(() -> sums[q] = spin(3000000)); threads[k].start(); }
		for (Thread t : threads) t.join();
		System.gc();
		Object none = null;
		try { none.hashCode(); } catch (NullPointerException e) { System.err.println("caught"); }
		System.out.println(counts.size() + " " + Arrays.toString(sums));
		System.exit(6);
	}
}
END
(cd "$work" && javac Sample.java) || skip_all "javac does not work"
traced_as_untraced java java -Xshare:auto -XX:TieredStopAtLevel=4 -cp "$work" Sample
report_names java 'libjvm.so' 'process .* exited with status 6'
whole_stacks java 50
done_testing
