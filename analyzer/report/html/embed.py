# SPDX-License-Identifier: Apache-2.0
"""embed.py PAGE FILE...: the page as C, in two parts between which the data goes. The other files are put in place of the
lines @STYLE@ (*.css) and @SCRIPT@ (*.js), in the order in which they are named; the page's policy allows these by their hash
and nothing else (Content Security Policy Level 3, 2.3.1)."""
import base64
import hashlib
import sys

texts = [open(name, encoding="utf-8").read() for name in sys.argv[1:]]
page = texts[0]
for mark, end in (("STYLE", ".css"), ("SCRIPT", ".js")):
    text = "".join(text for name, text in zip(sys.argv[1:], texts) if name.endswith(end))
    # What is hashed is the element's whole text: it begins with the line end after its tag.
    digest = base64.b64encode(hashlib.sha256(("\n" + text).encode()).digest()).decode()
    page = page.replace("@%s@\n" % mark, text).replace("@%s-HASH@" % mark, "sha256-" + digest)
print("/* Made from the files in analyzer/report/html. */")
for name, part in zip(("html_before_data", "html_after_data"), page.split("@DATA@\n")):
    octets = part.encode() + b"\0"
    print("static const char %s[] = {" % name)
    for at in range(0, len(octets), 20):
        print("\t" + " ".join("%d," % (b if b < 128 else b - 256) for b in octets[at : at + 20]))
    print("};")
