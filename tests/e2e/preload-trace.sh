# SPDX-License-Identifier: Apache-2.0
# Sourced by the preload-* tests: runs one command under the preload library alone, which records it
# into a directory, without a recorder.
#
#   trace NAME CMD...   -> $work/NAME.txt (its events as babeltrace2 prints them, with the numbers of
#                          functions), $work/NAME.d (HIPGRAIN_DIR), $work/NAME.bt (what was said of
#                          the recording), $work/NAME.out, $work/NAME.err; returns CMD's status
#   all_expected NAME   whether what its program says of its events is so (python3)
#   check WHAT CMD...   -> one TAP line, by CMD's status
#
# $1 of the test is the folder with libhipgrain-preload.so.

build=$(realpath "$1")

# Limits do not bind root: run as nobody instead.
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

[ -n "$KEEP" ] || trap 'rm -rf "$work"' EXIT

# recording NAME CMD...: CMD, recorded into $work/NAME.d
recording() {
	mkdir -p "$work/$1.d/ctf" "$work/$1.d/code-objects"
	into=$work/$1.d
	shift
	env LD_PRELOAD="$preload${LD_PRELOAD:+:$LD_PRELOAD}" HIPGRAIN_DIR="$into" "$@"
}

# read_events NAME: $work/NAME.txt of $work/NAME.d
read_events() {
	"$build/hipgrain" export --ctf "$work/$1.ctf" "$work/$1.d" 2>&1 |
		grep -v -e 'no readable manifest.json' -e 'events of [0-9]* process' >"$work/$1.bt"
	babeltrace2 "$work/$1.ctf" 2>>"$work/$1.bt" |
		sed 's/api = ( [^:]* : container = \([0-9]*\) )/api = \1/' >"$work/$1.txt"
}

trace() {
	name=$1
	shift
	recording "$name" "$@" >"$work/$name.out" 2>"$work/$name.err"
	status=$?
	read_events "$name"
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

# Events of a type in a trace that match a pattern.
events() {
	grep "hipgrain:$2: " "$work/$1.txt" | grep -c -- "${3:-.}"
}

# Each line "EVENT FIELDS" that NAME's program printed is in its trace as often, or with a second
# argument at least as often: fields in the order printed, others between them.
all_expected() {
	python3 - "$work/$1.out" "$work/$1.txt" "$2" <<-'END'
	import re, sys
	from collections import Counter
	lines = open(sys.argv[1]).read().splitlines()
	wanted = Counter(l for l in lines if l and l.split()[0] in
	                 ("alloc", "free", "copy", "fill", "launch", "args", "call", "error", "kernel",
	                  "prefetch", "advise"))
	trace = open(sys.argv[2]).read().splitlines()
	bad = not wanted
	for line, count in wanted.items():
	    event, pattern = line.split(" ", 1)
	    regex = re.compile(f"hipgrain:{event}: .*[{{,] " + ".*[{,] ".join(
	        re.escape(field) + r"(?=,| \})" for field in re.split(r", (?=\w+ = )", pattern)))
	    found = sum(1 for l in trace if regex.search(l))
	    if found < count if sys.argv[3] else found != count:
	        print(f"# {line}: {found} instead of {count}")
	        bad = True
	sys.exit(bad)
	END
}

# How many bytes the records in a HIPGRAIN_DIR have (struct hg_ring_page of tracer/ring.h).
ring_bytes() {
	python3 - "$1"/rings/* <<-'END'
	import sys
	size = 0
	for path in sys.argv[1:]:
	    with open(path, "rb") as ring:
	        data = ring.read()
	    size += sum(len(data[at + 64:at + 32768].rstrip(b"\0")) for at in range(4096, len(data), 32768))
	print(size)
	END
}

finish() {
	echo "1..$count"
	exit $failed
}
