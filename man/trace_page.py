# SPDX-License-Identifier: Apache-2.0
"""trace_page.py TEMPLATE EVENTS_H...: the manual page of the events, from the headers that declare them."""
import re
import sys

TYPES = {
    "uint8_t": "8 bits", "uint16_t": "16 bits", "uint32_t": "32 bits", "uint64_t": "64 bits",
    "int8_t": "8 bits, signed", "int32_t": "32 bits, signed", "char": "text",
}
SEQUENCES = {"uint8_t": "sequence of bytes", "uint64_t": "sequence of 64 bits"}


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def clean(comment):
    """A C comment's words."""
    return " ".join(line.strip(" \t*/") for line in comment.splitlines()).strip()


def events(header):
    pattern = re.compile(r"(/\*(?:(?!\*/).)*\*/\s*)?struct hg_ev_(\w+) \{\n(.*?)\n\};", re.S)
    enums = {m.start(): m for m in re.finditer(r"(/\*(?:(?!\*/).)*\*/\s*)enum hg_\w+ \{", header, re.S)}
    for match in pattern.finditer(header):
        comment = match.group(1)
        if not comment:
            # An enumeration of the event's own stands between the comment and the struct.
            before = [m for at, m in enums.items() if at < match.start()]
            comment = before[-1].group(1) if before else ""
        yield match.group(2), clean(comment), match.group(3)


def fields(body):
    body = re.sub(r"\n\s+(?=\w+;)", " ", body)  # a member that the formatter broke
    pattern = re.compile(r"^\s*(?:const )?(\w+)\s+(\*?)([\w, ]+);(?:[ \t]*(/\*(?:(?!\*/).)*\*/))?", re.M | re.S)
    for kind, pointer, names, comment in pattern.findall(body):
        for name in names.split(","):
            kind_text = (SEQUENCES if pointer and kind != "char" else TYPES)[kind]
            yield name.strip(), kind_text, clean(comment or "")


def read_all(names):
    return [open(name, encoding="utf-8").read() for name in names]


def page(template, *headers):
    lines = []
    for name, comment, body in (event for header in headers for event in events(header)):
        lines += [".SS " + name, roff(comment)]
        for field, kind, text in fields(body):
            lines += [".TP", ".BR %s \" (%s)\"" % (field, kind), roff(text) or "\\&"]
    return template.replace("@EVENTS@", "\n".join(lines))


if __name__ == "__main__":
    sys.stdout.write(page(*read_all(sys.argv[1:])))
