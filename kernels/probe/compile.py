#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile probe.hip for each processor that the compiler knows, into one offload bundle.

usage: compile.py OUTPUT PROBE.HIP COMPILER [ARGUMENT]...

COMPILER is hipcc or clang. HIP's headers and device libraries are not used, so that a processor that the installed ones do
not support is compiled for, too. The format of the bundle: docs/code-objects.md. Exit status 1: it compiles for none.
"""

import concurrent.futures
import os
import struct
import subprocess
import sys
import tempfile

PROCESSORS = """gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx940 gfx941 gfx942 gfx950
gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036
gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201""".split()
# Code for several processors, for those that the list above does not have: from code object V6 on.
GENERIC = "gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic".split()
PAGE = 4096


def compile_for(command, source, folder, processor):
    """The code object, or None if the compiler does not know the processor."""
    output = f"{folder}/{processor}.o"
    # V4 loads under every runtime since ROCm 4.1; V5 and later would not under older ones.
    version = 6 if processor in GENERIC else 4
    result = subprocess.run(
        [*command, "-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-O1", "-fno-gpu-rdc", "-c",
         f"--offload-arch={processor}", f"-mcode-object-version={version}", "--no-gpu-bundle-output", source, "-o", output],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return None, result.stderr
    with open(output, "rb") as file:
        code = file.read()
    if not code.startswith(b"\x7fELF"):
        return None, f"{processor}: the compiler's output is no ELF file"
    return code, ""


def bundle(codes):
    """An offload bundle of {processor: code object}, preceded by the empty entry of the host that loaders expect."""
    entries = [(b"host-x86_64-unknown-linux--", b"")]
    entries += [(f"hipv4-amdgcn-amd-amdhsa--{processor}".encode(), code) for processor, code in codes.items()]
    head = 24 + 8 + sum(24 + len(name) for name, _ in entries)
    position = -(-head // PAGE) * PAGE
    table, body = [], b""
    for name, code in entries:
        table.append(struct.pack("<QQQ", position + len(body), len(code), len(name)) + name)
        body += code + b"\0" * (-len(code) % PAGE)
    text = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + b"".join(table)
    return text + b"\0" * (position - len(text)) + body


def main():
    output, source, *command = sys.argv[1:]
    codes, refusal = {}, ""
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            processors = PROCESSORS + GENERIC
            compiled = pool.map(lambda processor: compile_for(command, source, folder, processor), processors)
            for processor, (code, error) in zip(processors, compiled):
                if code:
                    codes[processor] = code
                refusal = refusal or error
    if not codes:
        sys.exit(f"compile.py: {' '.join(command)} compiles probe.hip for no processor: {refusal}")
    with open(output, "wb") as file:
        file.write(bundle(codes))


if __name__ == "__main__":
    main()
