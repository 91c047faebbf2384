# SPDX-License-Identifier: Apache-2.0
"""trace_page.py TEMPLATE EVENTS_DEF: the manual page of the events, from the table that declares them."""
import re
import sys

TYPES = {
    "uint8_t": "8 bits", "uint16_t": "16 bits", "uint32_t": "32 bits", "uint64_t": "64 bits",
    "int8_t": "8 bits, signed", "int32_t": "32 bits, signed",
}
SEQUENCES = {"uint8_t": "sequence of bytes", "uint64_t": "sequence of 64 bits"}
SHOWS = {"HEX": ", hexadecimal", "SIZE": ", bytes", "TIME": ", nanoseconds"}


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def clean(comment):
    """A C comment's words."""
    return " ".join(line.strip(" \t*/") for line in comment.splitlines()).strip()


def events(table):
    """(name, description, rows) of each event."""
    pattern = re.compile(r'/\*((?:(?!\*/).)*)\*/\nHG_EVENT(?:_AS|_OF_BATCHES)?\((\w+),(.*?)\)\n(?=\n|/\*|#)', re.S)
    for comment, name, rows in pattern.findall(table):
        yield name, clean(comment), rows


def fields(rows):
    """(name, type, description) of each field."""
    pattern = re.compile(r'HG_(FIELD|TEXT|SEQUENCE)\(([\w, ]*?),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
    for kind, words, strings in pattern.findall(rows):
        words = [word.strip() for word in words.split(",")]
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings)).replace('\\"', '"')
        if kind == "TEXT":
            yield words[0], "text", text
        elif kind == "SEQUENCE":
            yield words[1], SEQUENCES[words[0]], text
        else:
            yield words[1], TYPES[words[0]] + SHOWS.get(words[2], ""), text


def page(template, table):
    lines = []
    for name, comment, rows in events(table):
        lines += [".SS " + name, roff(comment)]
        for field, kind, text in fields(rows):
            lines += [".TP", ".BR %s \" (%s)\"" % (field, kind), roff(text) or "\\&"]
    return template.replace("@EVENTS@", "\n".join(lines))


if __name__ == "__main__":
    sys.stdout.write(page(*(open(name, encoding="utf-8").read() for name in sys.argv[1:])))
