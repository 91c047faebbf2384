# SPDX-License-Identifier: Apache-2.0
"""embed.py PAGE STYLE SCRIPT: the page as C, in two parts between which the data goes."""
import sys

page, style, script = (open(name, encoding="utf-8").read() for name in sys.argv[1:4])
page = page.replace("@STYLE@\n", style).replace("@SCRIPT@\n", script)
print("/* Made from the files in analyzer/report/html. */")
for name, part in zip(("html_before_data", "html_after_data"), page.split("@DATA@\n")):
    octets = part.encode() + b"\0"
    print("static const char %s[] = {" % name)
    for at in range(0, len(octets), 20):
        print("\t" + " ".join("%d," % (b if b < 128 else b - 256) for b in octets[at : at + 20]))
    print("};")
