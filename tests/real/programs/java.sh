# SPDX-License-Identifier: Apache-2.0
# needs java javac
cat >T.java <<'J'
import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class T {
	static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
	public static void main(String[] a) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		List<Future<Integer>> all = new ArrayList<>();
		for (int i = 0; i < 8; i++) { int n = i; all.add(pool.submit(() -> {
			Map<String, byte[]> m = new HashMap<>();
			for (int k = 0; k < 20000; k++) m.put("k" + k * n, new byte[100]);
			return m.size(); })); }
		for (Future<Integer> f : all) System.out.println(f.get());
		pool.shutdown();
		System.out.println(IntStream.range(0, 1000000).parallel().mapToLong(x -> x * x).sum());
		try { Object o = null; o.toString(); } catch (NullPointerException e) { System.out.println("null"); }
		try { depth(100000000); } catch (StackOverflowError e) { System.out.println("deep"); }
		Process p = new ProcessBuilder("sh", "-c", "exit 4").start(); System.out.println(p.waitFor());
		System.exit(6);
	}
}
J
javac T.java && java -Xmx256m T
