# SPDX-License-Identifier: Apache-2.0
"""Compares what a report has of python-program.py with what the program said. usage: python-check.py SAID FOLDED CSV

Each allocation must have the program's own functions in its stack, in their order, and its place the line that made it.
"""
import csv
import sys

said, folded, sites = sys.argv[1:4]
groups, group_of = {}, {}
for line in open(said, encoding="utf-8"):
    size, place, names = line.rstrip("\n").split(" ", 2)
    groups.setdefault((place, names), []).append(int(size))
    group_of[int(size)] = (place, names)
stacks = {}
for line in open(folded, encoding="utf-8"):
    stack, size = line.rsplit(" ", 1)
    stacks[int(size)] = [name.rsplit(".", 1)[-1] for name in reversed(stack.split(";")[1:-1])]
bad, sums = 0, {}
for row in csv.DictReader(open(sites, encoding="utf-8")):
    group = group_of.get(int(row["largest_bytes"]))
    if not group:
        continue
    sums[group] = sums.get(group, 0) + int(row["bytes"])
    found = stacks.get(int(row["bytes"]), [])
    rest = iter(found)
    missing = [name for name in group[1].split()[:25] if name not in rest]
    if missing or not row["place"].startswith(group[0] + " ("):
        bad += 1
        print("%s\n  found: %s: %s" % (" ".join(group), row["place"], " ".join(found)))
for group, sizes in groups.items():
    if sums.get(group) != sum(sizes):
        bad += 1
        print("%s\n  %d bytes, found %s" % (" ".join(group), sum(sizes), sums.get(group)))
print("%d places, %d wrong" % (len(groups), bad))
sys.exit(bad != 0 or not groups)
