# SPDX-License-Identifier: Apache-2.0
# Sourced by the benchmarks after preload-trace.sh: one measurement, and a session around it.
results=$work/results
lost=0

# measure NAME CMD...: one line "NAME ns" into the results
measure() {
	name=$1
	shift
	"$@" 2>/dev/null | sed -n "s/^ns-per-pair /$name /p; s/^cpu-per-pair /cpu-$name /p" >>"$results"
}

# session PATTERN CMD...: CMD while a session as hipgrain record makes it takes PATTERN
session() {
	pattern=$1
	shift
	lttng_quiet create bench --output="$work/bench.ctf" || return
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

ours() {
	contexts=yes
	mkdir -p "$work/d/code-objects"
	session 'hipgrain:*' env LD_PRELOAD="$preload" HIPGRAIN_DIR="$work/d" "$@"
}
