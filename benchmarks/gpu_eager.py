"""Eager ops on a GPU beside the processor: every row of the op table with its gradients, then two
nets in training.

    python benchmarks/gpu_eager.py [--ops] [--nets] [--steps N] [--batch N]

Called by benchmarks/gpu.sh.  Needs `pip install .[gpu-train]`, the tests of this repository beside
it, and no network.  Ends with an error where a result differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import oarlock
from oarlock import nn
from oarlock.core import cuda
from oarlock.core.op import OPS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = np.random.default_rng(0)


def flat(value: Any) -> list[Any]:
    """The tensors of nested lists, offsets of sequences included."""
    return [t for v in value for t in flat(v)] if isinstance(value, list | tuple) else [value]


def apart(there: Any, here: Any) -> float:
    """The largest difference of two tensors, relative to the largest value; infinite where shape or
    dtype differ.
    """
    if there.meta != here.meta:
        return float("inf")
    a, b = (
        t.astype("float64").numpy() if t.meta.dtype.kind in "fV" else t.numpy()
        for t in (there.cpu(), here)
    )
    if a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else float("inf")
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return float("inf")
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    return float(np.abs(a - b).max(initial=0)) / max(1.0, float(np.abs(b).max(initial=0)))


def check_ops() -> int:
    """Compare all rows; gives how many differ."""
    sys.path.insert(0, str(ROOT))
    from tests.gpu.test_ops import run
    from tests.ops.table import IDS, ROWS

    wrong = 0
    for name, row in zip(IDS, ROWS, strict=True):
        try:
            there, back = run(row, 0)
            here, wanted = run(row, None)
            worst = max(
                (apart(a, b) for a, b in zip(flat(there) + back, flat(here) + wanted, strict=True)),
                default=0.0,
            )
            room, why = max(20 * row.tol, 1e-4), f"differs by {worst:.1e}"
        except Exception as error:
            worst, room, why = 1.0, 0.0, f"{type(error).__name__}: {str(error).splitlines()[0]}"
        if worst > room:
            wrong += 1
            print(f"  {name:32} {why}")
    over = sum(bool(op.traits.host) for op in OPS.values())
    print(
        f"ops: {len(ROWS) - wrong} of {len(ROWS)} rows as on the CPU; {over} of {len(OPS)} "
        f"ops go over the processor"
    )
    return wrong


class Residual(nn.Layer):
    """Two convolutions and what passes them by."""

    def __init__(self, given: int, made: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2D(given, made, 3, stride, padding=1, bias_attr=False)
        self.second = nn.Conv2D(made, made, 3, padding=1, bias_attr=False)
        self.norms = nn.LayerList([nn.BatchNorm2D(made) for _ in range(3)])
        self.short = nn.Conv2D(given, made, 1, stride, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """x [N,C,H,W] -> [N,made,H/stride,W/stride]"""
        out = nn.functional.relu(self.norms[0](self.first(x)))
        return nn.functional.relu(self.norms[1](self.second(out)) + self.norms[2](self.short(x)))


def lenet() -> tuple[nn.Layer, tuple[int, ...]]:
    """LeNet-5 and the shape of its pictures."""
    features = [
        nn.Conv2D(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
    ]
    return nn.Sequential(
        *features, nn.Flatten(), nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
    ), (
        1,
        28,
        28,
    )


def resnet() -> tuple[nn.Layer, tuple[int, ...]]:
    """A small residual network, as for pictures of 32 x 32."""
    blocks = [Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)]
    return nn.Sequential(
        nn.Conv2D(3, 16, 3, padding=1),
        *blocks,
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    ), (3, 32, 32)


def train(
    make: Callable[[], Any], device: str, steps: int, batch: int
) -> tuple[float, list[float]]:
    """Pictures a second, and the losses."""
    oarlock.set_device(device)
    oarlock.seed(1)
    net, shape = make()
    optimizer = oarlock.optimizer.Momentum(0.05, parameters=net.parameters())
    source = np.random.default_rng(0)
    x = oarlock.to_tensor(source.random((batch, *shape), np.float32))
    y = oarlock.to_tensor(source.integers(0, 10, batch))
    losses, started = [], perf_counter()
    for step in range(steps + 1):
        if step == 1:  # the first compiles kernels
            oarlock.device.synchronize()
            started = perf_counter()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss)
    oarlock.device.synchronize()
    return steps * batch / (perf_counter() - started), [loss.item() for loss in losses]


def check_nets(steps: int, batch: int) -> int:
    """Train both nets on both; gives how many differ."""
    wrong = 0
    for make in (lenet, resnet):
        (here, wanted), (there, found) = (
            train(make, device, steps, batch) for device in ("cpu", "gpu:0")
        )
        worst = max(
            abs(a - b) / max(1.0, abs(b)) for a, b in zip(found[:6], wanted[:6], strict=True)
        )
        wrong += worst > 1e-3
        print(
            f"{make.__name__}: {here:.0f} pictures/s on the CPU, {there:.0f} on the GPU; "
            f"losses of the first steps differ by {worst:.1e}, "
            f"the last are {wanted[-1]:.4f} and {found[-1]:.4f}"
        )
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Everything that was asked for; gives how much differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", action="store_true", help="the op table only")
    parser.add_argument("--nets", action="store_true", help="the nets only")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=256)
    asked = parser.parse_args(arguments)
    cuda.check_device(0, "gpu_eager")
    wrong = check_ops() if asked.ops or not asked.nets else 0
    return wrong + (check_nets(asked.steps, asked.batch) if asked.nets or not asked.ops else 0)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
