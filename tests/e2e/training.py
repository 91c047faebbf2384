# SPDX-License-Identifier: Apache-2.0
"""A training loop with pools of its own. usage: training.py HIPGRAIN.PY'S-FOLDER ctypes|extension|SNAPSHOT"""
import ctypes
import sys

sys.path.insert(0, sys.argv[1])
import hipgrain

how = sys.argv[2]
if how == "extension":
    import training_extension as native
else:
    native = ctypes.CDLL("./libtraining.so")
    native.make_block.restype = ctypes.c_void_p
    native.make_block.argtypes = [ctypes.c_size_t, ctypes.c_int]
    native.forward.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    native.backward.argtypes = [ctypes.c_void_p, ctypes.c_float, ctypes.c_int]


class Pool:
    def __init__(self, name, size, managed):
        self.name = name
        self.next = native.make_block(size, managed)

    def take(self, size, name):
        piece = self.next
        self.next += (size + 255) & ~255
        hipgrain.alloc(self.name, piece, size, name)  # @take
        return piece

    def give(self, piece):
        hipgrain.free(piece)  # @give


class Net:
    def __init__(self):
        self.activations = Pool("activations", 1 << 20, 0)
        self.statistics = Pool("statistics", 1 << 16, 1)
        self.weights = self.activations.take(4096, "weights")

    def forward(self):
        with hipgrain.phase("forward"):
            self.loss = self.statistics.take(8, "loss")  # @loss
            self.hidden = self.activations.take(4096, "hidden")  # @hidden
            native.forward(self.weights, self.loss, 64)  # @forward

    def backward(self):
        with hipgrain.phase("backward"):
            self.activations.give(self.hidden)  # @back
            native.backward(self.hidden, 0.5, 64)  # @backward


def train():
    net = Net()
    for step in range(1, 4):
        with hipgrain.phase(f"step {step}"):
            net.forward()
            net.backward()


def pytorch(path):
    """Blocks of a snapshot that was taken elsewhere, at the addresses of blocks of this process."""
    snapshot = hipgrain._snapshot_read(path)
    at = {}
    for segment in snapshot["segments"]:
        if segment["total_size"] > 1 << 21:
            continue
        moved = native.make_block(segment["total_size"], 1) - segment["address"]
        segment["address"] += moved
        for block in segment["blocks"]:
            block["address"] += moved
            if block["state"] == "active_allocated":
                at[block["requested_size"]] = block["address"]
    snapshot["segments"] = [segment for segment in snapshot["segments"] if segment["total_size"] <= 1 << 21]
    weights = native.make_block(4096, 0)
    print(hipgrain.pytorch(snapshot))
    with hipgrain.phase("epoch 1"):
        native.forward(weights, at[16384], 64)


pytorch(how) if "/" in how else train()
