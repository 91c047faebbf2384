# SPDX-License-Identifier: Apache-2.0
"""Captures as HIP's runtime makes them (HRR), version 5 to 7: by hand, or of the calls that hipgrain recorded.

usage: hrr.py HIPGRAIN BUNDLE CAPTURE   what of the bundle a capture would hold
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

# Numbers of functions, and their parameters: letters of struct, or a text that stays as it is.
HASH, PAIR = b"\0" * 16, b"\0" * 32
CALLS = {
    "hipMalloc": (215, "ptr:Q size:Q"), "hipExtMallocWithFlags": (86, "ptr:Q size:Q flags:I"),
    "hipMallocManaged": (222, "ptr:Q size:Q flags:I"), "hipHostMalloc": (197, "ptr:Q size:Q flags:I"),
    "hipHostAlloc": (193, "ptr:Q size:Q flags:I"), "hipHostRegister": (198, "ptr:Q size:Q flags:I hash"),
    "hipMallocAsync": (219, "ptr:Q size:Q stream:Q"),
    "hipFree": (90, "ptr:Q"), "hipHostFree": (194, "ptr:Q"), "hipFreeHost": (93, "ptr:Q"),
    "hipHostUnregister": (199, "ptr:Q"), "hipFreeAsync": (92, "ptr:Q stream:Q"),
    "hipMemcpy": (259, "dst:Q src:Q size:Q kind:i hash"), "hipMemcpyAsync": (268, "dst:Q src:Q size:Q kind:i stream:Q hash"),
    "hipMemcpyWithStream": (287, "dst:Q src:Q size:Q kind:i stream:Q hash"),
    "hipMemcpyHtoD": (278, "dst:Q src:Q size:Q hash"), "hipMemcpyDtoH": (272, "dst:Q src:Q size:Q hash"),
    "hipMemcpyDtoD": (270, "dst:Q src:Q size:Q hash"),
    "hipMemcpyPeer": (282, "dst:Q zero:i src:Q zero:i size:Q"),
    "hipMemcpy2D": (260, "dst:Q dst_pitch:Q src:Q src_pitch:Q size:Q rows:Q kind:i pair"),
    "hipMemset": (288, "dst:Q value:I size:Q"), "hipMemsetAsync": (293, "dst:Q value:I size:Q stream:Q"),
    "hipMemset2D": (289, "dst:Q pitch:Q value:I size:Q rows:Q"),
    "hipMemPrefetchAsync": (251, "ptr:Q size:Q target:i stream:Q"), "hipMemAdvise": (227, "ptr:Q size:Q advice:i target:i"),
    "hipMemAdvise_v2": (494, "ptr:Q size:Q advice:i location:i id:i"),
    "hipStreamCreate": (334, "stream:Q"), "hipStreamCreateWithFlags": (335, "stream:Q flags:I"),
    "hipStreamCreateWithPriority": (336, "stream:Q flags:I priority:i"), "hipStreamDestroy": (337, "stream:Q"),
    "hipEventCreate": (76, "event:Q"), "hipEventCreateWithFlags": (77, "event:Q flags:I"), "hipEventDestroy": (78, "event:Q"),
    "hipEventRecord": (81, "event:Q stream:Q"), "hipStreamWaitEvent": (348, "stream:Q event:Q flags:I"),
    "hipDeviceSynchronize": (66, ""), "hipStreamSynchronize": (346, "stream:Q"), "hipEventSynchronize": (82, "event:Q"),
    "hipStreamQuery": (345, "stream:Q"), "hipEventQuery": (80, "event:Q"), "hipSetDevice": (327, "device:i"),
    "hipGraphLaunch": (166, "ptr:Q stream:Q"),
}
# AMD's runtime takes all of a program's launches there.
LAUNCHES = {"hipLaunchKernel": 308, "hipExtLaunchKernel": 308, "hipModuleLaunchKernel": 308, "hipLaunchCooperativeKernel": 211,
            "hipLaunchKernel_spt": 419}


def fnv(data):
    """The two halves of the hash by which a capture names contents."""
    low, high = 0xcbf29ce484222325, 0x100000001b3
    for byte in data:
        low = (low ^ byte) * 0x100000001b3 & 0xffffffffffffffff
        high = (high ^ byte) * 0xcbf29ce484222325 & 0xffffffffffffffff
    return low, high


class Capture:
    """One process's directory in a capture."""

    def __init__(self, folder, pid=4711, version=7, devices=(), runtime="7.2.53211"):
        self.folder = pathlib.Path(folder) / f"pid-{pid}" if pid else pathlib.Path(folder)
        (self.folder / "code_objects").mkdir(parents=True)
        self.pid, self.version, self.records, self.sequence, self.ns = pid, version, [], 0, 1000000
        self.devices, self.runtime = devices, runtime

    def record(self, kind, payload, thread=None, sequence=None, ns=None):
        self.ns = ns or self.ns + 1000
        self.sequence += 1
        head = struct.pack("<HQQQIH", kind, self.sequence if sequence is None else sequence, self.ns,
                           thread or self.pid or 1, 32 + len(payload), 0)
        self.records.append(head + payload)

    def call(self, name, thread=None, sequence=None, ns=None, result=0, **values):
        number, parameters = CALLS[name]
        payload = struct.pack("<i", result)
        for parameter in parameters.split():
            field, _, letter = parameter.partition(":")
            value = values.get(field, 0)
            if letter == "i":
                value = (value + (1 << 31)) % (1 << 32) - (1 << 31)
            payload += {"hash": HASH, "pair": PAIR}[field] if not letter else struct.pack("<" + letter, value)
        self.record(number, payload, thread, sequence, ns)

    def code_object(self, data):
        low, high = fnv(data)
        (self.folder / f"code_objects/{low:016x}{high:016x}.hsaco").write_bytes(data)
        return low, high

    def launch(self, kernel, code_object, arguments, grid, block, number=308, shared=0, stream=0, thread=None, ns=None):
        name = kernel.encode()
        payload = struct.pack("<QH", stream, len(name)) + name + struct.pack("<QQ", *code_object)
        payload += struct.pack("<3I3IIHH", *grid, *block, shared, len(arguments), 0)
        for argument in arguments:
            payload += struct.pack("<BH", 1 if len(argument) == 8 else 0, len(argument)) + argument
        if self.version >= 6:
            payload += struct.pack("<II", 0, 0)
        self.record(number, payload, thread, ns=ns)

    def bytes(self, trailer=True):
        data = struct.pack("<IHH", 0x52524845, self.version, 0) + b"".join(self.records)
        if trailer:
            data += struct.pack("<HQQQIHQI", 0xffff, self.sequence + 1, self.ns, 0, 44, 0, len(self.records), 0x464f4548)
        return data

    def write(self, trailer=True):
        (self.folder / "events.bin").write_bytes(self.bytes(trailer))
        manifest = {"pid": self.pid, "complete": trailer, "event_count": len(self.records)}
        if self.devices:
            manifest["metadata"] = {"schema_version": 1, "runtime": {"hip_runtime_version": self.runtime},
                                    "device_count": len(self.devices), "devices": list(self.devices)}
        (self.folder / "manifest.json").write_text(json.dumps(manifest))


# ---- kernels' arguments ----

def unpack(data, at):
    """MessagePack, as far as notes of code objects use it: a value, and where it ends."""
    tag = data[at]
    at += 1
    if tag < 0x80:
        return tag, at
    sizes = {0xc4: "B", 0xd9: "B", 0xda: "H", 0xdb: "I", 0xdc: "H", 0xdd: "I", 0xde: "H", 0xdf: "I"}
    numbers = {0xcc: "B", 0xcd: "H", 0xce: "I", 0xcf: "Q", 0xd0: "b", 0xd1: "h", 0xd2: "i", 0xd3: "q"}
    if tag in numbers:
        size = struct.calcsize(numbers[tag])
        return struct.unpack_from(">" + numbers[tag], data, at)[0], at + size
    if tag in (0xc0, 0xc2, 0xc3):
        return {0xc0: None, 0xc2: False, 0xc3: True}[tag], at
    if tag in sizes:
        count, = struct.unpack_from(">" + sizes[tag], data, at)
        at += struct.calcsize(sizes[tag])
    else:
        count = tag & (0x1f if 0xa0 <= tag < 0xc0 else 0xf)
    if 0xa0 <= tag < 0xc0 or tag in (0xc4, 0xd9, 0xda, 0xdb):
        return data[at:at + count].decode(errors="replace"), at + count
    if 0x90 <= tag < 0xa0 or tag in (0xdc, 0xdd):
        items = []
        for _ in range(count):
            item, at = unpack(data, at)
            items.append(item)
        return items, at
    pairs = {}
    for _ in range(count):
        key, at = unpack(data, at)
        pairs[key], at = unpack(data, at)
    return pairs, at


def layouts(elf):
    """Of each kernel, offsets and sizes of the explicit arguments."""
    start, = struct.unpack_from("<Q", elf, 40)
    width, count = struct.unpack_from("<HH", elf, 58)
    for row in range(start, start + width * count, width):
        kind, offset = struct.unpack_from("<I16xQ", elf, row + 4)
        if kind == 7: # SHT_NOTE
            name, = struct.unpack_from("<I", elf, offset)
            note, _ = unpack(elf, offset + 12 + (name + 3 & ~3))
            return {kernel[".name"]: [(row[".offset"], row[".size"]) for row in kernel.get(".args", [])
                                      if not row[".value_kind"].startswith("hidden_")] for kernel in note["amdhsa.kernels"]}
    return {}


# ---- of a bundle ----

LINE = re.compile(r"(\d+) hipgrain:(\w+): \{ vpid = (\d+), vtid = (\d+) \}, \{ (.*) \}$")
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,\s]+)')


def value(text):
    if text.startswith('"'):
        return text[1:-1]
    if text.startswith("["):
        return text[1:-1].split()
    return int(text, 0) if re.fullmatch(r"-?(0x)?[0-9A-Fa-f]+", text) else text


def convert(hipgrain, bundle, folder, version=7, metadata=True):
    """Returns how many calls were not carried over."""
    lines = subprocess.run([hipgrain, "events", bundle], check=True, capture_output=True, text=True).stdout.splitlines()
    events = [(int(match[1]), match[2], int(match[4]), {name: value(text) for name, text in FIELD.findall(match[5])},
               int(match[3])) for match in map(LINE.match, lines) if match]
    devices, kernels, arguments, objects, current, left = [], {}, {}, {}, {}, 0
    for _, kind, _, fields, _ in events:
        if kind == "device":
            devices.append({"ordinal": fields["ordinal"], "properties": {
                "name": fields["name"], "gcn_arch_name": fields["arch"], "total_global_mem": fields["memory"],
                "integrated": fields["integrated"], "managed_memory": fields["managed"]}})
    capture = Capture(folder, pid=events[0][4], version=version, devices=devices if metadata else ())
    for ns, kind, thread, fields, _ in events:
        if kind == "code_object" and fields["sha256"]:
            data = (pathlib.Path(bundle) / "code-objects" / fields["sha256"]).read_bytes()
            objects[fields["code_object_id"]] = capture.code_object(data), layouts(data)
        elif kind == "kernel":
            kernels[fields["kernel_id"]] = fields
        elif kind == "args":
            arguments[fields["args_id"]] = bytes(int(byte, 16) for byte in fields["bytes"])
        elif kind == "launch":
            kernel = kernels[fields["kernel_id"]]
            code_object, layout = objects[kernel["code_object_id"]]
            data = arguments[fields["args_id"]]
            device(capture, current, thread, fields, ns)
            capture.launch(kernel["symbol"], code_object, [data[at:at + size] for at, size in layout[kernel["symbol"]]],
                           [fields["grid_" + axis] for axis in "xyz"], [fields["block_" + axis] for axis in "xyz"],
                           LAUNCHES[fields["api"]], fields["shared"], fields["stream"], thread, ns)
        elif str(fields.get("api", "")) in CALLS and kind != "error":
            device(capture, current, thread, fields, ns)
            capture.call(fields["api"], thread=thread, ns=ns, **{name: item for name, item in fields.items()
                                                                if name not in ("api", "thread", "ns", "result")})
        elif str(fields.get("api", "")).startswith("hip"):
            left += 1
            print("not carried over:", fields["api"], file=sys.stderr)
    capture.write()
    return left


def device(capture, current, thread, fields, ns):
    """A program chooses its device by calls of their own, which hipgrain does not record."""
    if fields.get("device", -1) >= 0 and current.get(thread, 0) != fields["device"] and not fields.get("stream"):
        capture.call("hipSetDevice", thread=thread, ns=ns, device=fields["device"])
        current[thread] = fields["device"]


if __name__ == "__main__":
    convert(*sys.argv[1:4])
