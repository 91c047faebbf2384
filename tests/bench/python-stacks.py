# SPDX-License-Identifier: Apache-2.0
"""What an allocation costs that Python makes by ctypes, bare or recorded: run this bare, then under `hipgrain record`. By hand.

Prints processor time per allocation and release, from one stack again and again, and from a new stack each time, below a few and below many
functions of Python.
"""
import ctypes
import time

malloc = ctypes.PyDLL(None).malloc
malloc.restype = ctypes.c_void_p
malloc.argtypes = [ctypes.c_size_t]
free = ctypes.PyDLL(None).free
free.argtypes = [ctypes.c_void_p]
free.restype = None
LEAVES = 60


def repeated(count):
    for _ in range(count):
        free(malloc(8192))


leaves = []
for number in range(LEAVES):
    names = {"malloc": malloc, "free": free}
    text = "\n" * number + "def leaf(n):\n" + "".join("    if n == %d: free(malloc(8192))\n" % n for n in range(LEAVES))
    exec(text, names)
    leaves.append(names["leaf"])


def new():
    for leaf in leaves:
        for number in range(LEAVES):
            leaf(number)


def below(depth, function, *arguments):
    return below(depth - 1, function, *arguments) if depth else function(*arguments)


def took(depth, function, *arguments):
    begin = time.thread_time()
    below(depth, function, *arguments)
    return (time.thread_time() - begin) * 1e6


for depth in 2, 20:
    again = min(took(depth, repeated, 5000) for _ in range(7)) / 5000
    print("below %2d functions: from the same stack %.2f us, from a new one %.2f us" % (depth, again, took(depth, new) / LEAVES**2))
