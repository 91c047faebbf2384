#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel uses memory of malloc, with XNACK on, where userfaultfd(2) is not permitted: pages stay, and one line says why. TAP.
# usage: unprivileged.sh DRIVER PROGRAM     kernels/programs/vector_add

. "$(dirname "$0")/../tap.sh"
tap=$(realpath "$(dirname "$0")/../tap.sh")
driver=$(realpath "$1")
program=$(realpath "$2")
cd "$scratch" || exit 99
# Root may use it always.
if [ "$(id -u)" = 0 ]; then
	mkdir "$XDG_CACHE_HOME" && chown 65534 "$XDG_CACHE_HOME"
	set -- setpriv --reuid=65534 --regid=65534 --clear-groups
else
	set --
fi
if "$@" sh -c '. "$0" && may_move_pages' "$tap"; then
	echo "1..0 # SKIP userfaultfd is permitted to everyone"
	exit
fi
run "$@" env HSA_XNACK=1 LD_PRELOAD="$driver" "$program" malloc
ok "the program is right" exits 0
ok "... by what it prints" grep -qx 'vector_add: 0 of 16384 wrong, PASSED' .out
ok "one line says that pages do not move" [ "$(grep -c '^softgpu: no page moves: \(Operation not permitted\|Permission denied\|No such file or directory\)' .err)" = 1 ]
ok "... and is all that is said" [ "$(grep -vc "$signals_left" .err)" = 1 ]
tap_end
