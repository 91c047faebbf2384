# SPDX-License-Identifier: Apache-2.0
# needs initdb
# needs pg_ctl
# needs pgbench
# needs psql
set -e
initdb -D data -A trust -U bench -E UTF8 --no-locale --no-sync >/dev/null
pg_ctl -D data -w -s -l log -o "-k $PWD -h '' -c fsync=off" start
trap 'pg_ctl -D data -s -m immediate stop' EXIT
export PGHOST="$PWD" PGUSER=bench PGDATABASE=postgres
pgbench -i -q -s 1 >/dev/null 2>&1
pgbench -n -c 2 -j 2 -t 50 >result
grep -E 'transactions actually|failed' result
psql -At -c 'select count(*), sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts'
psql -At -c 'select count(*) from pgbench_history' -c 'select md5(string_agg(bid::text, chr(44))) from pgbench_branches'
pg_ctl -D data -w -s -m fast stop
trap - EXIT
grep -c 'PANIC\|terminated by signal' log || true
