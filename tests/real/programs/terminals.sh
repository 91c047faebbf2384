# SPDX-License-Identifier: Apache-2.0
# needs script expect tmux bash
# Programs that others type into, on terminals of their own.
script -qec 'bash -c "tty >/dev/null && echo terminal; exit 3"' /dev/null
echo "status $?"
expect -c 'log_user 0; spawn bash --norc; send "echo \$((40+2))x\r"; expect 42x { puts seen } timeout { puts no }
send "exit 5\r"; expect eof; puts [lindex [wait] 3]'
tmux -S socket -f /dev/null new-session -d -x 80 -y 24 'bash -c "echo from within >out; sleep 0.1"'
while tmux -S socket has-session 2>/dev/null; do sleep 0.1; done
cat out
