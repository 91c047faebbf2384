# SPDX-License-Identifier: Apache-2.0
# fast
# needs sqlite3
sqlite3 db <<'S'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 50000) insert into t select x, hex(x * x) from c;
create index i on t(b);
select count(*), sum(length(b)) from t where b > '39';
vacuum; pragma integrity_check;
S
