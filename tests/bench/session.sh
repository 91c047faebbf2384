# SPDX-License-Identifier: Apache-2.0
# Sourced by the benchmarks after preload-trace.sh: one measurement, our recording, and a session of LTTng's.
results=$work/results
lost=0

# measure NAME CMD...: one line "NAME ns" into the results
measure() {
	name=$1
	shift
	"$@" 2>/dev/null | sed -n "s/^ns-per-pair /$name /p; s/^cpu-per-pair /cpu-$name /p" >>"$results"
}

# ours CMD...: CMD, recorded
ours() {
	recording bench "$@"
	ring_bytes "$work/bench.d" >"$work/bytes"
	missing=$("$build/hipgrain" events "$work/bench.d" 2>&1 >/dev/null | grep -o '[0-9]* [a-z_ ]*missing' | cut -d ' ' -f 1)
	lost=$((lost + ${missing:-0}))
	rm -rf "$work/bench.d"
}

lttng_quiet() {
	lttng --no-sessiond "$@" >"$work/lttng.log" 2>&1 || sed 's/^/# /' "$work/lttng.log"
}

daemon_end() {
	kill "$(cat "$work/pid")"
	rm -rf "$work"
}

# session PATTERN CMD...: CMD while a session takes PATTERN; $contexts: with the process and thread
session() {
	pattern=$1
	shift
	export LTTNG_HOME="$work"
	[ -e "$work/pid" ] || {
		lttng-sessiond --no-kernel --pidfile="$work/pid" -b >"$work/sessiond.log" 2>&1
		trap daemon_end EXIT
	}
	lttng_quiet create bench --output="$work/bench.ctf"
	lttng_quiet enable-channel -u --subbuf-size=512K --num-subbuf=8 --blocking-timeout=10000000 c
	lttng_quiet enable-event -u -c c "$pattern"
	[ -n "$contexts" ] && lttng_quiet add-context -u -c c -t vpid -t vtid
	lttng_quiet start
	env LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 "$@"
	lttng_quiet stop
	discarded=$(lttng --no-sessiond list bench -c c 2>/dev/null | sed -n 's/.*Discarded events: //p')
	lost=$((lost + ${discarded:-0}))
	lttng_quiet destroy bench
	find "$work/bench.ctf" -name 'c_*' ! -path '*/index/*' -exec cat {} + | wc -c >"$work/bytes"
	rm -rf "$work/bench.ctf"
}
