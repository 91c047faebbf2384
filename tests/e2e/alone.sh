# SPDX-License-Identifier: Apache-2.0
# Sourced first by tests for which root's one session daemon will not do, because it records what
# other tests run as well: root becomes nobody, with a home and daemons of its own. Programs of
# nobody's would register with root's daemon, too; where mounts can be changed they don't see it, and
# $alone is set.
if [ "$(id -u)" = 0 ]; then
	if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$1" -a -r "$0"; then
		echo "1..0 # SKIP an ordinary user cannot read what was built"
		exit 0
	fi
	home=$(mktemp -d "${TMPDIR:-/tmp}/hipgrain-alone.XXXXXX") || exit 99
	chown 65534:65534 "$home"
	mkdir -p /run/lttng
	hide='mount --make-rprivate / && mount -t tmpfs -o mode=755 none /run/lttng && exec "$@"'
	unshare -m sh -c "$hide" sh true 2>/dev/null && alone=1 || hide=
	${hide:+unshare -m sh -c "$hide" sh} setpriv --reuid=65534 --regid=65534 --clear-groups \
		env -u XDG_RUNTIME_DIR -u LTTNG_HOME HOME="$home" TMPDIR="$home" alone="$alone" sh "$0" "$@"
	status=$?
	rm -rf "$home"
	exit $status
fi
