# SPDX-License-Identifier: Apache-2.0
"""Names for what hipgrain records, from Python: hipgrain(3).

One file without dependencies. In a process that hipgrain does not record each function does nothing.
Memory is given as a number, or as an object that knows its address: of ctypes, NumPy, CuPy, PyTorch.

    import hipgrain
    hipgrain.alloc("arena", address, 4096, "energy")
    hipgrain.free(address)
    hipgrain.name(tensor, "weights")
    with hipgrain.phase("step 1"):
        ...
"""
import contextlib
import ctypes

API_VERSION = 2

(_ALLOC, _FREE, _NAME, _RANGE_PUSH, _RANGE_POP, _RANGE_START, _RANGE_STOP, _MARK,
 _EXPECT_BEGIN, _EXPECT_END, _SEEN) = range(1, 12)

WAIT, MIGRATION, ALLOCATION = 1, 2, 4


def _find():
    try:
        entry = ctypes.PyDLL(None).hipgrain_annotate
    except (AttributeError, OSError):
        return None
    entry.restype = None
    entry.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p]
    return entry


_entry = _find()


def recorded():
    """True if hipgrain's recorder is in the process."""
    return _entry is not None


def address(memory):
    """The address of a number, a buffer of ctypes, an array of NumPy or CuPy, a tensor of PyTorch."""
    if memory is None:
        return 0
    if isinstance(memory, int):
        return memory & (1 << 64) - 1
    if hasattr(memory, "data_ptr"):
        return memory.data_ptr()
    for interface in ("__cuda_array_interface__", "__array_interface__"):
        if hasattr(memory, interface):
            return getattr(memory, interface)["data"][0]
    if isinstance(memory, ctypes.c_void_p):
        return memory.value or 0
    if isinstance(memory, ctypes._Pointer):
        return ctypes.cast(memory, ctypes.c_void_p).value or 0
    return ctypes.addressof(memory)


def _text(text):
    return None if text is None else str(text).encode("utf-8", "replace").replace(b"\0", b"?")


def alloc(pool, memory, size, name=None):
    """A pool gave out `size` bytes at `memory`."""
    if _entry:
        _entry(_ALLOC, address(memory), size, _text(pool), _text(name))


def free(memory):
    """The piece that begins at `memory` is given back to its pool."""
    if _entry:
        _entry(_FREE, address(memory), 0, None, None)


def name(memory, text):
    """Names the piece, or else the allocation, that begins at `memory`."""
    if _entry:
        _entry(_NAME, address(memory), 0, None, _text(text))


def range_push(text):
    """Begins a range of the calling thread, inside of those that it is in."""
    if _entry:
        _entry(_RANGE_PUSH, 0, 0, None, _text(text))


def range_pop():
    """Ends the range that the calling thread began last."""
    if _entry:
        _entry(_RANGE_POP, 0, 0, None, None)


@contextlib.contextmanager
def phase(text):
    """A range around a block of code, or as a decorator around a function."""
    range_push(text)
    try:
        yield
    finally:
        range_pop()


def range_start(number, text):
    """Begins a range that any thread may end, by the number that the program gives it."""
    if _entry:
        _entry(_RANGE_START, number, 0, None, _text(text))


def range_stop(number):
    """Ends the range that was started with this number."""
    if _entry:
        _entry(_RANGE_STOP, number, 0, None, None)


def mark(text):
    """Marks this moment of the calling thread."""
    if _entry:
        _entry(_MARK, 0, 0, None, _text(text))


def expect_begin(what, text=None):
    """Begins a region of the calling thread in which nothing of `what` (WAIT | MIGRATION | ALLOCATION) is expected."""
    if _entry:
        _entry(_EXPECT_BEGIN, 0, what, None, _text(text))


def expect_end():
    """Ends the region that the calling thread began last."""
    if _entry:
        _entry(_EXPECT_END, 0, 0, None, None)


@contextlib.contextmanager
def expect_no(what, text=None):
    """Such a region around a block of code, or as a decorator around a function."""
    expect_begin(what, text)
    try:
        yield
    finally:
        expect_end()


# ---- PyTorch's caching allocator ----

_SNAPSHOT_MOST = 1 << 30  # bytes of a file
_told = {}  # address of a block of PyTorch's that is a piece -> its size


def _snapshot_read(path):
    """A saved snapshot, JSON or pickle, of which no more than basic types are read: a pickle can name functions to call."""
    with open(path, "rb") as file:
        data = file.read(_SNAPSHOT_MOST + 1)
    if len(data) > _SNAPSHOT_MOST:
        raise ValueError(f"{path!r}: more than {_SNAPSHOT_MOST} bytes")
    try:
        if data[:1] in b"{[ \n":
            import json
            return json.loads(data)
        import io
        import pickle

        class Basic(pickle.Unpickler):
            def find_class(self, module, name):
                raise ValueError(f"names {module}.{name}"[:200])

        return Basic(io.BytesIO(data)).load()
    except Exception as error:  # what an unpickler raises for wrong bytes is of any type
        raise ValueError(f"{path!r}: no snapshot: {error!r}") from None


# Parts of paths of what is installed, and of PyTorch where it is used from its sources.
_LIBRARIES = ("/site-packages/", "/dist-packages/", "/lib/python3", "/torch/nn/", "/torch/optim/", "/torch/autograd/",
              "/torch/utils/", "/torch/_")


def _owner(frames):
    """The innermost frame of Python outside of libraries, or else inside: "FILE:LINE (FUNCTION)"; None: there is none."""
    python = [frame for frame in frames if str(frame["filename"]).endswith(".py")]
    own = [frame for frame in python if not any(part in frame["filename"] for part in _LIBRARIES)]
    for frame in own[:1] or python[:1]:
        text = f":{frame['line']} ({frame['name']})"
        return frame["filename"][-max(255 - len(text.encode()), 20):] + text
    return None


def _blocks(snapshot):
    """(address, size, owner) of each block that is in use. Raises ValueError where the snapshot has another form."""
    found = []
    try:
        for segment in snapshot["segments"]:
            next_address = segment["address"]
            for block in segment["blocks"]:
                start, size = block.get("address", next_address), block["size"]  # without it before PyTorch 2.1
                if not (0 <= start < 1 << 64 and 0 < size < 1 << 64):
                    raise ValueError("a block's address or size is out of range")
                next_address = start + size
                if block["state"] == "active_allocated":
                    found.append((start, size, _owner(block.get("frames", ()))))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no snapshot of PyTorch's allocator: {error!r}") from None
    return found


def pytorch(snapshot=None):
    """Tells which blocks PyTorch's caching allocator has given out now; returns their number.

    `snapshot` is that of torch.cuda.memory._snapshot() (None: taken now), or a file with one. Blocks that an earlier
    call told, and that are not in use any more, have no name from then on. With torch.cuda.memory._record_memory_history() blocks
    are named by the line of Python that took them.
    """
    if snapshot is None:
        import torch
        snapshot = torch.cuda.memory._snapshot()
    elif not isinstance(snapshot, dict):
        snapshot = _snapshot_read(snapshot)
    blocks = _blocks(snapshot)
    now = {start: size for start, size, _ in blocks}
    for start, size in list(_told.items()):
        if now.get(start) != size:
            free(start)
            del _told[start]
    for start, size, owner in blocks:
        if start in _told:
            name(start, owner)
        elif _entry:
            _entry(_SEEN, start, size, b"PyTorch, when last looked at", _text(owner))
        _told[start] = size
    return len(blocks)
