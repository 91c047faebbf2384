#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the headers of the events, one for each row of events.def.

usage: event_headers.py EVENTS.DEF FOLDER

FOLDER/ev_NAME.h has struct hg_ev_NAME, whose members are the fields of the row. FOLDER/names.def has the row HG_EVENT(NAME) for each event
that programs record and the row HG_EVENT_OF_BATCHES(NAME) for each other one: who needs the names alone includes it. FOLDER/all_events.h includes
all headers. A file whose text stays as it is is not written, so that a new field compiles little anew.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|[(),]', re.S)
ROW = re.compile(r"^(HG_EVENT(?:_OF_BATCHES)?)\((\w+),", re.M)
FIELD = re.compile(r"HG_(FIELD|TEXT|SEQUENCE)\(")
MEMBERS = {
    "FIELD": ("{0} {1};",),
    "TEXT": ("const char *{0};",),
    "SEQUENCE": ("const {0} *{1};", "uint32_t {2};"),
}


def arguments(text, start):
    """Returns the arguments of a macro whose parenthesis opens before `start`, and where it closes."""
    depth, begin, found = 1, start, []
    for match in TOKEN.finditer(text, start):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0 or (depth == 1 and match[0] == ","):
            found.append(text[begin:match.start()].strip())
            begin = match.end()
        if depth == 0:
            return found, match.end()
    raise SystemExit(f"{sys.argv[1]}: a row that does not end")


def header(name, fields):
    guard = f"HIPGRAIN_EVENTS_{name.upper()}_H"
    yield f"/* The event `{name}`, made of events.def by event_headers.py. */"
    yield f"#ifndef {guard}\n#define {guard}\n"
    yield "#include <stdint.h>\n"
    yield f"struct hg_ev_{name} {{"
    at = 0
    while match := FIELD.search(fields, at):
        values, at = arguments(fields, match.end())
        for member in MEMBERS[match[1]]:
            yield "\t" + member.format(*values)
    yield "};\n\n#endif"


def names(rows):
    yield "/* The names of the events, made of events.def by event_headers.py. */"
    yield "#ifndef HG_EVENT_OF_BATCHES\n#define HG_EVENT_OF_BATCHES(name) HG_EVENT(name)\n#endif"
    for macro, name in rows:
        yield f"{macro}({name})"
    yield "#undef HG_EVENT\n#undef HG_EVENT_OF_BATCHES"


def all_events(rows):
    yield "/* The structs of all events, made of events.def by event_headers.py. */"
    yield "#ifndef HIPGRAIN_EVENTS_ALL_H\n#define HIPGRAIN_EVENTS_ALL_H\n"
    for _, name in rows:
        yield f'#include "tracer/events/ev_{name}.h"'
    yield "\n#endif"


def write(path, lines):
    text = "\n".join(lines) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = pathlib.Path(sys.argv[2])
    rows = []
    for match in ROW.finditer(text):
        _, end = arguments(text, match.start(2))
        rows.append((match[1], match[2]))
        write(folder / f"ev_{match[2]}.h", header(match[2], text[match.end():end]))
    write(folder / "names.def", names(rows))
    write(folder / "all_events.h", all_events(rows))


main()
