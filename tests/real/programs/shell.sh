# SPDX-License-Identifier: Apache-2.0
# fast
# needs bash awk sort tar
# Pipelines, subshells, sub-processes that close every descriptor, limits, background jobs.
bash -c 'for i in {1..50}; do (echo $i | cat | sort) & done; wait' | sort -n | cksum
seq 100000 | awk '{ s[$1 % 100] += $1 } END { for (i = 0; i < 100; i += 33) print s[i] }'
bash -c 'for f in {3..255}; do eval "exec $f>&-"; done; ls / >/dev/null; echo closed $?'
bash -c 'ulimit -n 40; ulimit -c 0; seq 10 | sort -r | head -n 2'
bash -c 'ulimit -v 4000000; seq 200000 | sort -S 10M | tail -n 1'
bash -c 'kill -SEGV $$'
echo $?
seq 5000 >a && tar cf - a | tar tvf - | wc -l
