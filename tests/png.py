# SPDX-License-Identifier: Apache-2.0
"""PNG files (W3C, Portable Network Graphics) of screenshots with 256 colours at most, which makes them half as large."""
import collections
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLORS = 256


def read(path):
    """Width, height and the pixels, 3 bytes each, of a picture of 8 bits a channel without interlace."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = len(SIGNATURE), b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", content)
            if depth != 8 or color not in (2, 6) or interlace:
                raise ValueError("%s: a kind of PNG that is not read here" % path)
        elif kind == b"IDAT":
            packed += content
        at += length + 12
    step = 4 if color == 6 else 3
    raw, before, rows = zlib.decompress(packed), bytearray(width * step), []
    for y in range(height):
        start = y * (width * step + 1)
        line = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), before, step)
        rows.append(b"".join(line[x:x + 3] for x in range(0, len(line), step)))
        before = line
    return width, height, b"".join(rows)


def unfilter(kind, line, above, step):
    for i in range(len(line) if kind else 0):
        left = line[i - step] if i >= step else 0
        if kind == 1:
            by = left
        elif kind == 2:
            by = above[i]
        elif kind == 3:
            by = (left + above[i]) // 2
        else:
            corner = above[i - step] if i >= step else 0
            guess = left + above[i] - corner
            by = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]), (abs(guess - corner), 2, corner))[2]
        line[i] = (line[i] + by) & 255
    return line


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def distance(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other))


def choose(counts):
    """Most of the colours by how often they are there, the rest by how far they are from those, too: a red mark stays red."""
    kept = [color for color, _ in counts.most_common(COLORS * 3 // 4)]
    far = {color: min(distance(color, k) for k in kept) for color in counts if color not in set(kept)}
    while far and len(kept) < COLORS:
        color = max(far, key=lambda c: far[c] * counts[c])
        kept.append(color)
        del far[color]
        far = {c: min(d, distance(c, color)) for c, d in far.items()}
    return kept


def reduce(path, to):
    """The same picture in 256 of its colours; the others become the nearest of them."""
    width, height, pixels = read(path)
    counts = collections.Counter(pixels[i:i + 3] for i in range(0, len(pixels), 3))
    kept = choose(counts)
    index = {color: i for i, color in enumerate(kept)}
    for color in counts:
        if color not in index:
            index[color] = min(range(len(kept)), key=lambda i: distance(kept[i], color))
    rows = b"".join(b"\0" + bytes(index[pixels[i:i + 3]] for i in range(y * width * 3, (y + 1) * width * 3, 3)) for y in range(height))
    with open(to, "wb") as file:
        file.write(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) +
                   chunk(b"PLTE", b"".join(kept)) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
