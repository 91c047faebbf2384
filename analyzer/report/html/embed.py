# SPDX-License-Identifier: Apache-2.0
"""embed.py PAGE FILE...: the page as C, in two parts between which the data goes. The other files are put in place of the
lines @STYLE@ (*.css) and @SCRIPT@ (*.js), in the order in which they are named."""
import sys

texts = [open(name, encoding="utf-8").read() for name in sys.argv[1:]]
page = texts[0]
for mark, end in (("@STYLE@\n", ".css"), ("@SCRIPT@\n", ".js")):
    page = page.replace(mark, "".join(text for name, text in zip(sys.argv[1:], texts) if name.endswith(end)))
print("/* Made from the files in analyzer/report/html. */")
for name, part in zip(("html_before_data", "html_after_data"), page.split("@DATA@\n")):
    octets = part.encode() + b"\0"
    print("static const char %s[] = {" % name)
    for at in range(0, len(octets), 20):
        print("\t" + " ".join("%d," % (b if b < 128 else b - 256) for b in octets[at : at + 20]))
    print("};")
