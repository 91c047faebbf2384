#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives shared libraries names of their own, so that a process may have others of the same origin beside them.

usage: private_names.py LIBRARY... [--keep SYMBOL]...

In each ELF file (x86-64, DT_GNU_HASH only) every symbol that one of the LIBRARYs defines gets another name, and so do the
names of these libraries (SONAMES below) in DT_NEEDED, DT_SONAME and among the constants, where dlopen() and dlsym() find
them. The files are changed in place.

Two characters ab of a symbol become (a+1)(b-33): its length stays, and so does its hash, 33 * a + b of which is a
part (DT_GNU_HASH, "h * 33 + c"), so that neither tables nor hash have to be made anew. All files must be given in one call, so
that they agree. A name that shares its bytes in .dynstr with another one that stays is an error.
"""
import argparse
import pathlib
import struct
import sys

# The beginning of libraries' file names, and what becomes of it: of the same length.
SONAMES = {b"libunwind.": b"libhgwind.", b"liblzma.": b"libhglz."}
PT_LOAD, PT_DYNAMIC = 1, 2
SHN_ABS = 0xfff1
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SONAME, DT_GNU_HASH = 1, 4, 5, 6, 10, 14, 0x6ffffef5


class Elf:
    """The dynamic part of one file."""

    def __init__(self, path):
        self.path = path
        self.bytes = bytearray(path.read_bytes())
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path}: not a 64-bit little-endian ELF file")
        offset, = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        headers = [struct.unpack_from("<IIQQQQQQ", self.bytes, offset + i * size) for i in range(count)]
        self.loads = [h for h in headers if h[0] == PT_LOAD]
        dynamic = next(h for h in headers if h[0] == PT_DYNAMIC)
        self.entries = [struct.unpack_from("<QQ", self.bytes, dynamic[2] + i) for i in range(0, dynamic[5], 16)]
        tags = dict(self.entries)
        if DT_HASH in tags:
            sys.exit(f"{path}: it has a table DT_HASH, whose hash would change")
        self.strings = self.place(tags[DT_STRTAB])
        self.strings_end = self.strings + tags[DT_STRSZ]
        symbols = self.place(tags[DT_SYMTAB])
        # .dynsym ends where .dynstr begins, as all linkers lay it out; patchelf may move .dynstr: then count by DT_GNU_HASH.
        self.symbols = [struct.unpack_from("<IBBHQQ", self.bytes, symbols + 24 * i)
                        for i in range(self.symbol_count(self.place(tags[DT_GNU_HASH])))]

    def place(self, address):
        for _, _, offset, start, _, size, _, _ in self.loads:
            if start <= address < start + size:
                return address - start + offset
        sys.exit(f"{self.path}: no segment has the address {address:#x}")

    def symbol_count(self, table):
        buckets, first, bloom, _ = struct.unpack_from("<IIII", self.bytes, table)
        chains = table + 16 + 8 * bloom + 4 * buckets
        last = max(struct.unpack_from(f"<{buckets}I", self.bytes, chains - 4 * buckets), default=0)
        if last < first:
            return first
        while not struct.unpack_from("<I", self.bytes, chains + 4 * (last - first))[0] & 1:
            last += 1
        return last + 1

    def string(self, offset):
        start = self.strings + offset
        return bytes(self.bytes[start:self.bytes.index(0, start)])

    def defined(self):
        # (Absolute ones are the names of versions.)
        return {self.string(name) for name, info, _, section, _, _ in self.symbols
                if name and section not in (0, SHN_ABS) and info >> 4}


GOOD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"


def choose(names, stays):
    """{name: private name}. The pair is the last possible one: names of which one ends another share their bytes
    (linkers do that), so both change alike, and what a name that stays shares with one is left alone."""
    chosen, place = {}, {}  # place: of the pair, from the end
    for name in sorted(names, key=len):
        kept = max((len(name) - i for i in range(1, len(name)) if name[i:] in stays), default=0)
        end = next((place[name[i:]] for i in range(1, len(name)) if name[i:] in place), None)
        if end is None:
            for at in range(len(name) - kept - 2, -1, -1):
                first, second = name[at] + 1, name[at + 1] - 33
                if first in GOOD and second in GOOD and not (at == 0 and chr(first).isdigit()):
                    end = len(name) - at
                    break
        if end is None or end - 1 <= kept:
            sys.exit(f"no other name for {name.decode()}")
        at = len(name) - end
        place[name] = end
        chosen[name] = name[:at] + bytes([name[at] + 1, name[at + 1] - 33]) + name[at + 2:]
    return chosen


def change(elf, names):
    """Writes the private names {name: private name}, and those of the libraries, into elf.bytes."""
    used = {}  # offset in .dynstr -> name, of what stays and of what changes
    stays = set()
    for entry in elf.symbols:
        name = elf.string(entry[0])
        if entry[0] and name in names:
            used[entry[0]] = name
        elif entry[0]:
            stays.update(range(entry[0], entry[0] + len(name)))
    for offset, name in used.items():
        new = names[name]
        for i, (old_byte, new_byte) in enumerate(zip(name, new)):
            if old_byte == new_byte:
                continue
            if offset + i in stays:
                sys.exit(f"{elf.path}: {name.decode()} shares its bytes with a name that stays")
            elf.bytes[elf.strings + offset + i] = new_byte
    for offset, name in used.items():
        if elf.string(offset) != names[name]:
            sys.exit(f"{elf.path}: {name.decode()} shares its bytes with another symbol")
    # Constants: whole strings only, outside of .dynstr.
    text = bytes(elf.bytes)
    for name in names:
        at = text.find(b"\0" + name + b"\0")
        while at >= 0:
            if not elf.strings <= at < elf.strings_end:
                elf.bytes[at + 1:at + 1 + len(name)] = names[name]
            at = text.find(b"\0" + name + b"\0", at + 1)
    for old, new in SONAMES.items():
        at = elf.bytes.find(b"\0" + old)
        while at >= 0:
            elf.bytes[at + 1:at + 1 + len(old)] = new
            at = elf.bytes.find(b"\0" + old, at + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("libraries", nargs="+", type=pathlib.Path)
    parser.add_argument("--keep", action="append", default=[])
    arguments = parser.parse_args()
    files = [Elf(path) for path in arguments.libraries]
    names = set().union(*(elf.defined() for elf in files)) - {name.encode() for name in arguments.keep}
    # The linker's, and the C library's for start and end of an object: every object has its own.
    names -= {b"_init", b"_fini", b"_edata", b"_end", b"__bss_start"}
    names = choose(names, {elf.string(entry[0]) for elf in files for entry in elf.symbols} - names)
    for elf in files:
        change(elf, names)
        elf.path.write_bytes(elf.bytes)


if __name__ == "__main__":
    main()
