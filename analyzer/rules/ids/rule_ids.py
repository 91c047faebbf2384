#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the headers of the rules, one for each hundred of their ids.

usage: rule_ids.py RULES.DEF FOLDER

FOLDER/hg2xx.h declares what the rows HG200 to HG299 of RULES.DEF name: RULE_HG218, the functions, the thresholds. A header whose text
stays as it is is not written, so that a new rule compiles little anew.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|[(),]', re.S)
ROW = ("id", "slug", "severity", "title", "sources", "wakes", "function", "thresholds")
HUNDREDS = range(1, 10)


def arguments(text, start):
    """Returns the arguments of a macro whose parenthesis opens before `start`."""
    depth, begin, found = 1, start, []
    for match in TOKEN.finditer(text, start):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0 or (depth == 1 and match[0] == ","):
            found.append(text[begin:match.start()].strip())
            begin = match.end()
        if depth == 0:
            return found
    raise SystemExit(f"{sys.argv[1]}: a row that does not end")


def rows(text):
    for match in re.finditer(r"^RULE\(", text, re.M):
        row = arguments(text, match.end())
        if len(row) != len(ROW) or not re.fullmatch(r"HG[1-9][0-9][0-9]", row[0]):
            line = text.count("\n", 0, match.start()) + 1
            raise SystemExit(f"{sys.argv[1]}:{line}: a row is RULE({', '.join(ROW)}), and its id HG101 to HG999")
        yield dict(zip(ROW, row))


def header(hundred, chosen):
    guard = f"HIPGRAIN_RULES_HG{hundred}XX_H"
    yield f"/* Rules HG{hundred}00 to HG{hundred}99, made of rules.def by rule_ids.py. */"
    yield f"#ifndef {guard}\n#define {guard}\n"
    yield '#include "analyzer/rules/engine/rule_api.h"\n'
    for row in chosen:
        yield f"#define RULE_{row['id']} ((enum rule_id){row['id'][2:]})"
    yield from dict.fromkeys(f"rule_function {row['function']};" for row in chosen)
    for row in chosen:
        if row["thresholds"] != "NONE":
            yield f"enum {{ {row['thresholds'].removeprefix('THRESHOLDS(').removesuffix(')')} }};"
    yield "\n#endif"


def main():
    table = list(rows(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    for hundred in HUNDREDS:
        path = pathlib.Path(sys.argv[2]) / f"hg{hundred}xx.h"
        text = "\n".join(header(hundred, [row for row in table if row["id"][2] == str(hundred)])) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


main()
