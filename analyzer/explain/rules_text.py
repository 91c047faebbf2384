#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The texts of hipgrain-rules(7) as C tables, for `hipgrain explain`.

usage: rules_text.py hipgrain-rules.7 >rules_text.inc

RULE_TEXT(id, text) for each rule, paragraphs separated by newlines; SOURCE_TEXT(tag, text) for each
source. The page is the only place with these texts.
"""
import re
import shlex
import sys

ESCAPES = {r"\-": "-", r"\(lq": "\u201c", r"\(rq": "\u201d", r"\(bu": "-", r"\&": "", r"\e": "\\",
           r"\|": "", r"\~": " "}
ALTERNATING = {"BR", "RB", "BI", "IB", "RI", "IR"}


def plain(text):
    text = re.sub(r"\\f[A-Z]", "", text)
    for escape, character in ESCAPES.items():
        text = text.replace(escape, character)
    if "\\" in text.replace("\\\\", ""):
        sys.exit(f"rules_text.py: escape that is not known: {text}")
    return text


def words(arguments):
    lexer = shlex.shlex(arguments, posix=True)
    lexer.whitespace_split = True
    lexer.quotes = '"'
    lexer.escape = ""
    lexer.commenters = ""
    return list(lexer)


def line_text(line):
    """A line of running text without its macros, or None for one that sets no text."""
    if not line.startswith("."):
        return plain(line)
    macro, _, arguments = line[1:].partition(" ")
    if macro in ALTERNATING:
        return plain("".join(words(arguments)))
    if macro in ("B", "I"):
        return plain(" ".join(words(arguments)))
    return None


def entries(page):
    """(head, text) of every .TP item, with its section."""
    section, head, body = "", None, []
    lines = iter(page.splitlines())
    for line in lines:
        if line.startswith((".SH", ".SS", ".TP")):
            if head:
                yield section, head, body
            head, body = None, []
            if line.startswith(".TP"):
                head = line_text(next(lines))
            else:
                section = line[4:].strip('"')
        elif head and line.startswith((".PP", ".IP", ".br")):
            body.append("\n")
        elif head and not line.startswith('.\\"'):
            text = line_text(line)
            if text:
                body.append(text)
    if head:
        yield section, head, body


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    for section, head, body in entries(page):
        text = re.sub(r" *\n *", "\n", " ".join(body)).strip()
        rule = re.match(r"(HG\d{3})\b", head)
        if rule:
            print(f"RULE_TEXT({quoted(rule.group(1))}, {quoted(text)})")
        elif section == "SOURCES":
            for tag in head.split(", "):
                print(f"SOURCE_TEXT({quoted(tag)}, {quoted(text)})")


main()
