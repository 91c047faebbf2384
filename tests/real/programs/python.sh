# SPDX-License-Identifier: Apache-2.0
# fast
# needs python3
# Threads, processes, pipes, signals and libraries that are loaded late.
cat >t.py <<'P'
import ctypes, json, os, re, signal, subprocess, sys, threading, zlib, hashlib, decimal, multiprocessing
out = []
def work(n):
    out.append((n, hashlib.sha256(json.dumps(list(range(n * 1000))).encode()).hexdigest()))
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(out))
print(subprocess.run(["sh", "-c", "echo child; exit 3"], capture_output=True))
pid = os.fork()
if not pid:
    work(3); os._exit(len(out))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
hit = []
signal.signal(signal.SIGALRM, lambda *a: hit.append("x" * 100000))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
for i in range(40):
    zlib.decompress(zlib.compress(os.urandom(1000) * 500)); re.compile("(a|b)*%d" % i)
signal.setitimer(signal.ITIMER_REAL, 0)
print(bool(hit), decimal.Decimal(2).sqrt())
with multiprocessing.Pool(3) as pool:
    print(pool.map(abs, range(-5, 5)))
sys.exit(7)
P
python3 t.py
