# SPDX-License-Identifier: Apache-2.0
# fast
# needs bash
# Descriptors whose numbers the script chooses, and their children's.
cat >t <<'B'
mkfifo fifo; exec 9<>fifo; rm fifo
for n in 1 2 3 4 5; do ( echo "$n" >&9; read -u 9 x; echo "read $x" ); done
for n in 3 4 5 6 7 8; do eval "exec $n>file$n"; done
for n in 3 4 5 6 7 8; do ( eval "echo child $n >&$n" ); eval "echo parent $n >&$n"; done
for n in 3 4 5 6 7 8; do eval "exec $n>&-"; cat file$n; done
B
bash t
