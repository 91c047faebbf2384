# SPDX-License-Identifier: Apache-2.0
"""verb_page.py TEMPLATE OPTIONS: a verb's manual page, from its template and the paragraphs on shared options."""
import re
import sys


def blocks(options):
    """The paragraphs, by the name in the line "@block NAME" before each."""
    parts = re.split(r'^\.\\" @block (\S+)\n', options, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def page(template, options):
    paragraphs = blocks(options)
    return re.sub(r'^\.\\" @use (.*)\n', lambda line: "".join(paragraphs[name] for name in line.group(1).split()),
                  template, flags=re.M)


if __name__ == "__main__":
    sys.stdout.write(page(*(open(name, encoding="utf-8").read() for name in sys.argv[1:])))
