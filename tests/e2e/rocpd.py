# SPDX-License-Identifier: Apache-2.0
"""Make a rocpd database (SQLite) of the launches of a recording, as rocprofv3 would have of the same run.

usage: rocpd.py SCHEMA EVENTS DATABASE [CHANGE]...

SCHEMA is 3 (a row has its times), 4 (times are in a table of their own) or 41 (4.1: rows have times and a track); tables, columns and views are those of ROCm's
rocprofiler-sdk that a kernel's or copy's time rests on, with the suffix that each run's tables have. EVENTS is what
`hipgrain events` printed. The first kernel's dispatches take 3 ms each, the second's 2 ms, others' 1 ms; there are two copies of 500 us.
CHANGE: shift=SECONDS all times, pid=PID, drop=SYMBOL, twice=SYMBOL, endless=SYMBOL.
"""

import re
import sqlite3
import sys
import time

SUFFIX = "_00001234_abcd"
GUID = "00001234-abcd"
NS = 1000000
COMMON = """
CREATE TABLE rocpd_string{0} (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_process{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, command TEXT);
CREATE TABLE rocpd_info_kernel_symbol{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, kernel_name TEXT, display_name TEXT);
"""
ROWS = """
CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, kernel_id INTEGER, start BIGINT, "end" BIGINT);
CREATE TABLE rocpd_memory_copy{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name_id INTEGER, size INTEGER, start BIGINT,
 "end" BIGINT);
"""
APART = """
CREATE TABLE rocpd_track{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER);
CREATE TABLE rocpd_timestamp{0} (id INTEGER PRIMARY KEY, guid TEXT, value BIGINT, track_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, kernel_id INTEGER, start_id INTEGER, end_id INTEGER);
CREATE TABLE rocpd_memory_copy{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, name_id INTEGER, size INTEGER, start_id INTEGER,
 end_id INTEGER);
"""
TRACKS = """
CREATE TABLE rocpd_track{0} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER);
CREATE TABLE rocpd_kernel_dispatch{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, kernel_id INTEGER, start BIGINT, "end" BIGINT);
CREATE TABLE rocpd_memory_copy{0} (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, name_id INTEGER, size INTEGER, start BIGINT, "end" BIGINT);
"""


def read(path):
    """(pid, {kernel id: symbol}, [(kernel id, ns of CLOCK_MONOTONIC)])"""
    origin = time.time_ns() - time.monotonic_ns()
    pid, symbols, launches = 0, {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            kernel = re.search(r'hipgrain:kernel: .*kernel_id = (\d+), .*symbol = "([^"]*)"', line)
            launch = re.match(r"(\d+) hipgrain:launch: { vpid = (\d+), .*kernel_id = (\d+),", line)
            if kernel:
                symbols[int(kernel[1])] = kernel[2]
            if launch:
                pid = int(launch[2])
                launches.append((int(launch[3]), int(launch[1]) - origin))
    return pid, symbols, launches


class Database:
    def __init__(self, path, schema, pid):
        self.schema, self.pid = schema, pid
        self.db = sqlite3.connect(path)
        self.db.executescript((COMMON + {3: ROWS, 4: APART, 41: TRACKS}[schema]).format(SUFFIX))
        for (name,) in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            self.db.execute(f"CREATE VIEW {name.removesuffix(SUFFIX)} AS SELECT * FROM {name}")
        self.insert("rocpd_info_process", id=pid, nid=1, pid=pid, command="program")
        self.insert("rocpd_string", id=1, string="MEMORY_COPY_HOST_TO_DEVICE")
        if schema != 3:
            self.insert("rocpd_track", id=1, nid=1, pid=pid)

    def insert(self, table, **values):
        values["guid"] = GUID
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        return self.db.execute(f"INSERT INTO {table}{SUFFIX} ({names}) VALUES ({marks})", list(values.values())).lastrowid

    def timed(self, table, begin, end, **values):
        if self.schema == 3:
            self.insert(table, nid=1, pid=self.pid, start=begin, end=end, **values)
        elif self.schema == 41:
            self.insert(table, track_id=1, start=begin, end=end, **values)
        else:
            self.insert(table, track_id=1, start_id=self.insert("rocpd_timestamp", value=begin, track_id=1),
                        end_id=self.insert("rocpd_timestamp", value=end, track_id=1), **values)


def main():
    schema, events, path = sys.argv[1:4]
    changes = dict(argument.split("=", 1) for argument in sys.argv[4:])
    pid, symbols, launches = read(events)
    shift = int(float(changes.get("shift", 0)) * 1e9)
    base = Database(path, int(schema), int(changes.get("pid", pid)))
    for number, (kernel, symbol) in enumerate(symbols.items()):
        base.insert("rocpd_info_kernel_symbol", id=kernel, nid=1, pid=pid, kernel_name=symbol + ".kd", display_name=symbol)
        if symbol == changes.get("drop"):
            continue
        for _, begin in [launch for launch in launches if launch[0] == kernel] * (2 if symbol == changes.get("twice") else 1):
            begin += shift + 20000
            end = begin - 1 if symbol == changes.get("endless") else begin + max(3 - number, 1) * NS
            base.timed("rocpd_kernel_dispatch", begin, end, kernel_id=kernel)
    for number in range(2):
        begin = launches[0][1] + shift - (number + 1) * NS
        base.timed("rocpd_memory_copy", begin, begin + NS // 2, name_id=1, size=4096)
    base.db.commit()


if __name__ == "__main__":
    main()
