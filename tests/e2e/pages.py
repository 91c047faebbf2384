#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One browser for a shell test: for each URL, a line of standard input, the page as it stands after its script ran in .dom, and what
it wrote to its console in .log, a line "CONSOLE ..." each; then a line on standard output."""
import sys
import traceback

import browser


def visit(chromium, url):
    target = chromium.open(url)
    target.settle()
    with open(".dom", "w", encoding="utf-8", errors="replace") as file:
        file.write(target.run("document.documentElement.outerHTML"))
    with open(".log", "w", encoding="utf-8") as file:
        for event in target.complaints():
            print("CONSOLE", event["method"], event["params"], file=file)
    target.call("Page.close")


def main():
    with browser.Browser(limit=120) as chromium:
        for line in sys.stdin:
            try:
                visit(chromium, line.strip())
            except RuntimeError:
                open(".dom", "w", encoding="utf-8").close()
                with open(".log", "w", encoding="utf-8") as file:
                    print("CONSOLE", traceback.format_exc().replace("\n", " "), file=file)
            print("done", flush=True)


main()
