# SPDX-License-Identifier: Apache-2.0
"""Allocates from functions of many kinds, a size of its own in each: the line says which. usage: python-program.py OUT [CASE]...

OUT gets a line for each size: SIZE LINE FUNCTION CALLERS, from the innermost function out, as the interpreter sees them.
"""
import ctypes
import gc
import os
import sys
import threading
import traceback

libc = ctypes.CDLL(None)
malloc = libc.malloc  # releases the interpreter's lock meanwhile
malloc.restype = ctypes.c_void_p
malloc.argtypes = [ctypes.c_size_t]
malloc_locked = ctypes.PyDLL(None).malloc
malloc_locked.restype = ctypes.c_void_p
malloc_locked.argtypes = [ctypes.c_size_t]
out = open(sys.argv[1], "w")
size = 1 << 20
MORE = 4096


def new(extra=0):
    """A size of its own; the caller allocates it on the line that calls this."""
    global size
    size += MORE
    frame = sys._getframe(1)
    names = []
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    caller = sys._getframe(1)
    out.write("%d %s:%d %s\n" % (size, os.path.abspath(caller.f_code.co_filename), caller.f_lineno, " ".join(names)))
    out.flush()
    return size


def inner():
    malloc(new())


def nested():
    inner()
    malloc_locked(new())


class Model:
    def step(self):
        malloc(new())

    @property
    def weight(self):
        return malloc(new())

    def __del__(self):
        malloc(new())


def methods():
    model = Model()
    model.step()
    model.weight
    del model
    gc.collect()


def recursion(depth=20):
    if depth:
        return recursion(depth - 1)
    malloc(new())


def generators():
    def numbers():
        malloc(new())
        yield 1
        yield from others()

    def others():
        yield malloc(new())

    for _ in numbers():
        malloc(new())
    list(x for x in [malloc(new())] if malloc(new()))


def coroutines():
    import asyncio

    class Context:
        async def __aenter__(self):
            malloc(new())

        async def __aexit__(self, *ended):
            malloc(new())

    async def leaf():
        await asyncio.sleep(0)
        malloc(new())

    async def work():
        async with Context():
            await leaf()
        await asyncio.gather(leaf(), leaf())

    asyncio.run(work())


def exceptions():
    def fails():
        try:
            raise ValueError(malloc(new()))
        finally:
            malloc(new())

    try:
        fails()
    except ValueError:
        malloc(new())
    try:
        {}[malloc(new())]
    except KeyError:
        malloc(new())


def threads():
    def work():
        inner()

    all_of_them = [threading.Thread(target=work) for _ in range(4)]
    for thread in all_of_them:
        thread.start()
        thread.join()


def callbacks():
    """Native frames between those of Python: qsort() calls back."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    done = []

    def compare(a, b):
        if not done:
            done.append(malloc(new()))
        return 0

    values = (ctypes.c_int * 8)(*range(8))
    libc.qsort(values, 8, 4, kind(compare))
    malloc(new())


def made():
    """Code that is made, runs and is freed, at the same addresses as the one before."""
    for number in range(40):
        names = {"malloc": malloc, "new": new}
        text = "\n" * number + "def made():\n    malloc(new())\nmade()\n"
        exec(compile(text, "/made/of-%d.py" % (number % 3), "exec"), names)
        del names
        gc.collect()


def same_line():
    for _ in range(3):
        inner(), malloc(new())


def unicode():
    def größe():
        malloc(new())

    def 大きさ():
        malloc(new())

    größe()
    大きさ()


def interpreters():
    try:
        import _xxsubinterpreters as other
    except ImportError:
        import _interpreters as other
    other_id = other.create()
    source = "import ctypes\ndef in_another():\n    ctypes.CDLL(None).malloc(ctypes.c_size_t(%d))\nin_another()\n" % (size + 1)
    (other.run_string if hasattr(other, "run_string") else other.exec)(other_id, source)
    malloc(new())
    other.destroy(other_id)


cases = [nested, methods, recursion, generators, coroutines, exceptions, threads, callbacks, made, same_line, unicode, interpreters]
for case in cases:
    if len(sys.argv) < 3 or case.__name__ in sys.argv[2:]:
        try:
            case()
        except Exception:
            traceback.print_exc()
