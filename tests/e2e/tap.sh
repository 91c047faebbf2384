# SPDX-License-Identifier: Apache-2.0
# Sourced by the shell tests: results in TAP, a scratch directory, and the last output of a run.

tap_count=0
tap_failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hipgrain-test.XXXXXX") || exit 99
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
export HIPGRAIN_CONFIG= XDG_CACHE_HOME="$scratch/.cache" # not those of whoever runs the tests
# A version manager's python3 is a script that executes a dozen programs: tests record the interpreter itself.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))'):$PATH

# ok DESCRIPTION COMMAND...: one test, passes when COMMAND succeeds.
ok()
{
	tap_count=$((tap_count + 1))
	tap_description=$1
	shift
	if "$@" >"$scratch/.ok" 2>&1; then
		echo "ok $tap_count - $tap_description"
	else
		echo "not ok $tap_count - $tap_description"
		printf 'failed: %s\n' "$*" | sed 's/^/# /'
		sed 's/^/#   /' "$scratch/.ok"
		for tap_file in out err; do
			[ -s "$scratch/.$tap_file" ] && sed "s/^/# std$tap_file: /" "$scratch/.$tap_file"
		done
		tap_failed=$((tap_failed + 1))
	fi
}

# may_move_pages: the kernel lets this process move pages by userfaultfd (Linux 6.8, its events, permission),
# whatever the software GPU says of it.
may_move_pages()
{
	python3 - <<-'END'
		import ctypes, fcntl, os, platform, struct, sys
		USERFAULTFD = {"x86_64": 323}.get(platform.machine(), 282)
		fd = ctypes.CDLL(None, use_errno=True).syscall(USERFAULTFD, os.O_CLOEXEC)
		try:
		    if fd < 0:
		        fd = fcntl.ioctl(os.open("/dev/userfaultfd", os.O_RDWR), 0xAA00, os.O_CLOEXEC)
		    # UFFDIO_API: version, features (move, remove, remap, unmap), ioctls
		    fcntl.ioctl(fd, 0xC018AA3F, struct.pack("QQQ", 0xAA, 1 << 16 | 1 << 3 | 1 << 2 | 1 << 6, 0))
		except OSError:
		    sys.exit(1)
	END
}

# hip_release PROGRAM: of the HIP runtime that PROGRAM loads, as "5.7"
hip_release()
{
	readlink -f "$(ldd "$1" | sed -n 's/.*libamdhip64[^ ]* => \([^ ]*\).*/\1/p')" |
		sed -n 's/.*\.so\.\([0-9]*\.[0-9]*\).*/\1/p'
}

# skip DESCRIPTION REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# run COMMAND...: remember its exit status in $status, its output for `says`.
run()
{
	"$@" >"$scratch/.out" 2>"$scratch/.err"
	status=$?
}

# exits N: the last run's exit status was N.
exits()
{
	[ "$status" -eq "$1" ] || { echo "exit status $status, expected $1"; return 1; }
}

# ROCr built with assertions says when a program ends how many of HIP's signals are left (docs/runtimes.md): no line of ours.
signals_left='^Warning: Resource leak detected by SharedSignalPool'

# complains PATTERN: the last run wrote exactly one line to stderr, with our prefix and PATTERN.
complains()
{
	[ "$(grep -vc "$signals_left" "$scratch/.err")" -eq 1 ] && grep '^hipgrain: ' "$scratch/.err" | grep -q -e "$1" ||
		{ echo "no single line with: $1"; return 1; }
}

# refused N PATTERN: exit status N and one line with PATTERN.
refused()
{
	exits "$1" && complains "$2"
}

# ps_here NAME: ps.out becomes what `hipgrain ps` says of the processes of the bundle or spool $scratch/NAME, and not of those of
# other tests at the same time, such as this one over another runtime.
ps_here()
{
	"$hipgrain" ps 2>ps.err | awk -v place=" $(realpath "$scratch")/$1" '!/^ / { own = index($0, place) } own' >ps.out
}

# manifest FILE EXPRESSION: the Python expression over the manifest m is true.
manifest()
{
	python3 -c 'import json, sys
m = json.load(open(sys.argv[1] + "/manifest.json"))
assert eval("(" + sys.argv[2] + ")"), json.dumps(m, indent=1)' "$1" "$2"
}

# our_trace DIR: the part of a recording's trace that is of this user. Root's daemon takes in the processes
# of all users, of whom one may begin just as the recording ends: its part then has no metadata.
our_trace()
{
	if [ -d "$1/rings" ]; then
		# babeltrace2 knows what is in the files of processes once it is exported.
		rm -rf "$scratch/.exported"
		"${hipgrain:-hipgrain}" export --ctf "$scratch/.exported" "$1" >/dev/null 2>&1
		echo "$scratch/.exported"
		return
	fi
	for tap_part in "$1"/ctf/ust/uid/"$(id -u)" "$1"/ctf; do
		[ -d "$tap_part" ] && echo "$tap_part" && return
	done
}

# readable DIR: plain babeltrace2 reads our whole trace without a word of complaint.
readable()
{
	babeltrace2 "$(our_trace "$1")" >"$scratch/.events" 2>"$scratch/.trouble" && [ ! -s "$scratch/.trouble" ] ||
		{ cat "$scratch/.trouble"; return 1; }
}

# events DIR PATTERN: number of recorded events that match PATTERN.
events()
{
	babeltrace2 "$(our_trace "$1")" 2>/dev/null | grep -c -e "$2"
}

# alive PID, gone PID: also where nobody collects orphans (a container's first process may not): what
# is dead stays there as a zombie, which kill -0 takes for a process.
alive() { grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
gone() { ! alive "$1"; }

# wait_for COMMAND...: waits until it succeeds, at most a minute.
wait_for()
{
	tap_tries=0
	until "$@" >/dev/null 2>&1; do
		tap_tries=$((tap_tries + 1))
		[ "$tap_tries" -lt 1200 ] || return 1
		sleep 0.05
	done
}

# tap_end: the plan, and the exit status of the script.
tap_end()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
