# SPDX-License-Identifier: Apache-2.0
"""verb_page.py FOLDER OPTIONS TEMPLATE...: the manual pages of the verbs, each from its template and the paragraphs on shared options."""
import pathlib
import re
import sys


def blocks(options):
    """The paragraphs, by the name in the line "@block NAME" before each."""
    parts = re.split(r'^\.\\" @block (\S+)\n', options, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def page(template, paragraphs):
    return re.sub(r'^\.\\" @use (.*)\n', lambda line: "".join(paragraphs[name] for name in line.group(1).split()),
                  template, flags=re.M)


def main(folder, options, *templates):
    paragraphs = blocks(pathlib.Path(options).read_text(encoding="utf-8"))
    for template in map(pathlib.Path, templates):
        made = page(template.read_text(encoding="utf-8"), paragraphs)
        pathlib.Path(folder, template.stem).write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
