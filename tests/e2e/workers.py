# SPDX-License-Identifier: Apache-2.0
"""workers.py METHOD: Python's multiprocessing, each worker using HIP itself, through ctypes."""
import ctypes
import multiprocessing
import sys

HIP_COPY_TO_HOST = 2


def load():
    return ctypes.CDLL("libamdhip64.so")


def allocate(hip, size):
    memory = ctypes.c_void_p()
    result = hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(size))
    assert result == 0, result
    return memory


def work(rank):
    hip = load()
    memory = allocate(hip, 65536 + 4096 * rank)
    host = (ctypes.c_char * 4096)()
    assert hip.hipMemset(memory, rank, ctypes.c_size_t(4096)) == 0
    assert hip.hipMemcpy(host, memory, ctypes.c_size_t(4096), HIP_COPY_TO_HOST) == 0
    assert host.raw == bytes([rank]) * 4096
    assert hip.hipFree(memory) == 0


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    workers = [context.Process(target=work, args=(rank,)) for rank in (1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(any(worker.exitcode for worker in workers))
