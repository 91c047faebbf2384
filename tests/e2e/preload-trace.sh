# SPDX-License-Identifier: Apache-2.0
# Sourced by the preload-* tests: runs one command under the preload library, recorded by a
# session daemon of its own, with nothing but LTTng's own tools.
#
#   trace NAME CMD...   -> $work/NAME.txt (babeltrace2's text), $work/NAME.d (HIPGRAIN_DIR),
#                          $work/NAME.out, $work/NAME.err; returns CMD's status
#   all_expected NAME   whether what its program says of its events is so (python3)
#   check WHAT CMD...   -> one TAP line, by CMD's status
#
# $1 of the test is the folder with libhipgrain-preload.so.

build=$(realpath "$1")

# Root's LTTng has one fixed place, which is not ours to use: run as nobody instead.
if [ "$(id -u)" = 0 ]; then
	work=$(mktemp -d "${TMPDIR:-/tmp}/hipgrain-preload.XXXXXX") || exit 1
	chown 65534:65534 "$work"
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$work" work="$work" \
		PATH="$PATH" sh "$0" "$@"
	status=$?
	[ -n "$KEEP" ] && echo "# kept $work" || rm -rf "$work"
	exit $status
fi

preload=$build/libhipgrain-preload.so
work=${work:-$(mktemp -d "${TMPDIR:-/tmp}/hipgrain-preload.XXXXXX")} || exit 1
count=0
failed=0

[ -r "$preload" ] || {
	echo "1..0 # SKIP $preload cannot be read by an ordinary user"
	exit 0
}

export LTTNG_HOME="$work"
lttng-sessiond --no-kernel --pidfile="$work/pid" -b >"$work/sessiond.log" 2>&1 || {
	echo "1..0 # SKIP no LTTng session daemon: $(cat "$work/sessiond.log")"
	exit 0
}
# alive PID: also where nobody collects orphans (a container's first process may not): a dead daemon
# stays there as a zombie, which kill -0 takes for a process.
alive() {
	grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null
}

stop_daemon() {
	daemon=$(cat "$work/pid" 2>/dev/null)
	[ -n "$daemon" ] && kill "$daemon" 2>/dev/null && while alive "$daemon"; do
		sleep 0.05
	done
	[ -n "$KEEP" ] || rm -rf "$work"
}
trap stop_daemon EXIT

lttng_quiet() {
	lttng --no-sessiond "$@" >"$work/lttng.log" 2>&1 || {
		echo "# lttng $* failed:"
		sed 's/^/# /' "$work/lttng.log"
		return 1
	}
}

trace() {
	name=$1
	shift
	mkdir -p "$work/$name.d/code-objects"
	lttng_quiet create "$name" --output="$work/$name.ctf" || return 125
	lttng_quiet enable-channel -u --subbuf-size=1M --num-subbuf=8 --blocking-timeout=10000000 c
	lttng_quiet enable-event -u -c c 'hipgrain:*'
	lttng_quiet add-context -u -c c -t vpid -t vtid
	lttng_quiet start
	# One event a call, which babeltrace2 shows; batches have tests of their own.
	env HIPGRAIN_BATCH=0 LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}" HIPGRAIN_DIR="$work/$name.d" LTTNG_UST_REGISTER_TIMEOUT=-1 \
		LTTNG_UST_ALLOW_BLOCKING=1 "$@" >"$work/$name.out" 2>"$work/$name.err"
	status=$?
	lttng_quiet stop
	lttng_quiet destroy "$name"
	babeltrace2 "$work/$name.ctf" >"$work/$name.txt" 2>"$work/$name.bt"
	return $status
}

check() {
	what=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $what"
	else
		echo "not ok $count - $what"
		failed=1
	fi
}

# Events of a type in a trace that match a pattern; those of host blocks count as alloc and free.
events() {
	grep "hipgrain:\(host_\)\{0,1\}$2: " "$work/$1.txt" | grep -c -- "${3:-.}"
}

# Each line "EVENT FIELDS" that NAME's program printed is in its trace as often: fields in the order
# printed, others between them.
all_expected() {
	python3 - "$work/$1.out" "$work/$1.txt" <<-'END'
	import re, sys
	from collections import Counter
	lines = open(sys.argv[1]).read().splitlines()
	wanted = Counter(l for l in lines if l.split()[0] in
	                 ("alloc", "free", "copy", "fill", "launch", "args", "call", "error", "kernel",
	                  "prefetch", "advise"))
	trace = open(sys.argv[2]).read().splitlines()
	bad = not wanted
	for line, count in wanted.items():
	    event, pattern = line.split(" ", 1)
	    regex = re.compile(f"hipgrain:{event}: .*[{{,] " + ".*[{,] ".join(
	        re.escape(field) + r"(?=,| \})" for field in re.split(r", (?=\w+ = )", pattern)))
	    found = sum(1 for l in trace if regex.search(l))
	    if found != count:
	        print(f"# {line}: {found} instead of {count}")
	        bad = True
	sys.exit(bad)
	END
}
finish() {
	echo "1..$count"
	exit $failed
}
