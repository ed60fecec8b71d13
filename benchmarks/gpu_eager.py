"""Compare eager ops on a GPU with the CPU: every row of the op table with its gradients, then the
training of two networks.

    python benchmarks/gpu_eager.py [--ops] [--nets] [--steps N] [--batch N]

Called by benchmarks/gpu.sh.  Needs `pip install .[gpu-train]` and the tests of this repository, but
no network access.  The exit status is 1 if a result differs.
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
    """Return the tensors of nested lists, including sequence offsets."""
    return [t for v in value for t in flat(v)] if isinstance(value, list | tuple) else [value]


def max_difference(gpu: Any, cpu: Any) -> float:
    """Return the largest difference of two tensors, relative to the largest value; infinity if the
    shapes or dtypes differ.
    """
    if gpu.meta != cpu.meta:
        return float("inf")
    a, b = (
        t.astype("float64").numpy() if t.meta.dtype.kind in "fV" else t.numpy()
        for t in (gpu.cpu(), cpu)
    )
    if a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else float("inf")
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return float("inf")
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    return float(np.abs(a - b).max(initial=0)) / max(1.0, float(np.abs(b).max(initial=0)))


def check_ops() -> int:
    """Compare all rows and return how many differ."""
    sys.path.insert(0, str(ROOT))
    from tests.gpu.test_ops import run
    from tests.ops.table import IDS, ROWS

    wrong = 0
    for name, row in zip(IDS, ROWS, strict=True):
        try:
            gpu_outputs, gpu_grads = run(row, 0)
            cpu_outputs, cpu_grads = run(row, None)
            worst = max(
                (
                    max_difference(a, b)
                    for a, b in zip(
                        flat(gpu_outputs) + gpu_grads, flat(cpu_outputs) + cpu_grads, strict=True
                    )
                ),
                default=0.0,
            )
            tolerance, why = max(20 * row.tol, 1e-4), f"differs by {worst:.1e}"
        except Exception as error:
            worst, tolerance, why = (
                1.0,
                0.0,
                f"{type(error).__name__}: {str(error).splitlines()[0]}",
            )
        if worst > tolerance:
            wrong += 1
            print(f"  {name:32} {why}")
    on_cpu = sum(bool(op.traits.host_reason) for op in OPS.values())
    print(
        f"ops: {len(ROWS) - wrong} of {len(ROWS)} rows as on the CPU; {on_cpu} of {len(OPS)} "
        f"ops run on the CPU"
    )
    return wrong


class Residual(nn.Layer):
    """Two convolutions and a shortcut."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2D(in_channels, out_channels, 3, stride, padding=1, bias_attr=False)
        self.second = nn.Conv2D(out_channels, out_channels, 3, padding=1, bias_attr=False)
        self.norms = nn.LayerList([nn.BatchNorm2D(out_channels) for _ in range(3)])
        self.short = nn.Conv2D(in_channels, out_channels, 1, stride, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """x [N,C,H,W] -> [N,out_channels,H/stride,W/stride]"""
        out = nn.functional.relu(self.norms[0](self.first(x)))
        return nn.functional.relu(self.norms[1](self.second(out)) + self.norms[2](self.short(x)))


def lenet() -> tuple[nn.Layer, tuple[int, ...]]:
    """LeNet-5 and the shape of its input images."""
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
    """A small residual network for images of 32 x 32, and their shape."""
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
    """Train on a device and return the images per second and the losses."""
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
    """Train both networks on CPU and GPU and return how many differ."""
    wrong = 0
    for make in (lenet, resnet):
        (cpu_rate, cpu_losses), (gpu_rate, gpu_losses) = (
            train(make, device, steps, batch) for device in ("cpu", "gpu:0")
        )
        worst = max(
            abs(a - b) / max(1.0, abs(b))
            for a, b in zip(gpu_losses[:6], cpu_losses[:6], strict=True)
        )
        wrong += worst > 1e-3
        print(
            f"{make.__name__}: {cpu_rate:.0f} images/s on the CPU, {gpu_rate:.0f} on the GPU; "
            f"losses of the first steps differ by {worst:.1e}, "
            f"the last are {cpu_losses[-1]:.4f} and {gpu_losses[-1]:.4f}"
        )
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the selected comparisons and return the number of differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", action="store_true", help="the op table only")
    parser.add_argument("--nets", action="store_true", help="the nets only")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=256)
    args = parser.parse_args(arguments)
    cuda.require_gpu_and_enable_cupy(0, "gpu_eager")
    wrong = check_ops() if args.ops or not args.nets else 0
    return wrong + (check_nets(args.steps, args.batch) if args.nets or not args.ops else 0)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
