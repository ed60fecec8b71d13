"""Random numbers."""

from __future__ import annotations

from typing import Any

from ...core.dtype import dtype_of
from ...core.op import OPS
from ...tensor import creation
from ...tensor.convert import cast, shape_inputs
from .helper import into, stopped, today
from .tensors import fill_constant_batch_size_like

__all__ = [
    "gaussian_random",
    "gaussian_random_batch_size_like",
    "randint",
    "randn",
    "random_crop",
    "randperm",
    "sampling_id",
    "uniform_random",
    "uniform_random_batch_size_like",
]


def _drawn(kind: str, shape: Any, dtype: Any, **attrs: Any) -> Any:
    ints, tensors = shape_inputs(shape, kind)
    return stopped(OPS[kind](None, tensors, shape=ints, dtype=dtype_of(dtype).proto, **attrs))


@today("paddle.uniform")
def uniform_random(
    shape: Any, dtype: Any = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0
) -> Any:
    """Uniform on [min, max).   shape: ints or variables, or a variable -> [*shape]"""
    return _drawn("uniform_random", shape, dtype, min=float(min), max=float(max), seed=seed)


@today("paddle.normal")
def gaussian_random(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32"
) -> Any:
    """Normal.   shape: ints or variables, or a variable -> [*shape]"""
    return _drawn("gaussian_random", shape, dtype, mean=float(mean), std=float(std), seed=seed)


def _like(kind: str, input: Any, shape: Any, at: tuple[int, int], dtype: Any, **attrs: Any) -> Any:
    """Drawn in a shape of which one axis is as long as an axis of input."""
    zeros = fill_constant_batch_size_like(input, shape, dtype, 0.0, *at)
    ints = list(zeros.meta.shape)
    known = None if all(d >= 0 for d in ints) else OPS["shape"](zeros)
    return stopped(OPS[kind](known, shape=ints, dtype=dtype_of(dtype).proto, **attrs))


@today("paddle.uniform")
def uniform_random_batch_size_like(
    input: Any,
    shape: Any,
    dtype: Any = "float32",
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Any:
    """Uniform on [min, max); one axis is as long as an axis of input.

    input [*] -> [*shape] with that axis
    """
    at = (input_dim_idx, output_dim_idx)
    return _like(
        "uniform_random", input, shape, at, dtype, min=float(min), max=float(max), seed=seed
    )


@today("paddle.normal")
def gaussian_random_batch_size_like(
    input: Any,
    shape: Any,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: Any = "float32",
) -> Any:
    """Normal; one axis is as long as an axis of input.   input [*] -> [*shape] with that axis"""
    at = (input_dim_idx, output_dim_idx)
    return _like(
        "gaussian_random", input, shape, at, dtype, mean=float(mean), std=float(std), seed=seed
    )


@today("paddle.randint")
def randint(
    low: int,
    high: int | None = None,
    shape: Any = None,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """Whole numbers of [low, high), or of [0, low).   -> int64 [*shape], [1] for None"""
    low, high = (0, low) if high is None else (low, high)
    made = _drawn(
        "randint",
        [1] if shape is None else shape,
        "int64" if dtype is None else dtype,
        low=low,
        high=high,
        seed=seed,
    )
    return into(made, out)


@today("paddle.randn")
def randn(
    shape: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Normal of mean 0 and deviation 1.   -> [*shape]"""
    made = into(gaussian_random(shape, dtype="float32" if dtype is None else dtype), out)
    made.stop_gradient = stop_gradient
    return made


@today("paddle.randperm")
def randperm(
    n: int,
    out: Any = None,
    dtype: Any = "int64",
    device: Any = None,
    stop_gradient: bool = True,
    seed: int = 0,
) -> Any:
    """0 ... n - 1 in random order.   -> [n]"""
    return stopped(into(creation.randperm(n, dtype), out))


@today("paddle.multinomial")
def sampling_id(
    x: Any, min: float = 0.0, max: float = 1.0, seed: int = 0, dtype: Any = "float32"
) -> Any:
    """One class of each row, drawn with its probabilities.   x [N, C] -> int64 [N]"""
    return stopped(OPS["sampling_id"](x, min=float(min), max=float(max), seed=int(seed)))


@today("paddle.crop")
def random_crop(x: Any, shape: Any, seed: Any = None) -> Any:
    """A part of this shape of the last axes, at a random place.   x [*B, *S] -> [*B, *shape]"""
    first = x.ndim - len(shape)
    made = x
    for i, wanted in enumerate(shape):
        room = made.meta.shape[first + i] - int(wanted) + 1
        start = creation.randint(0, room, [1], "int64")
        places = OPS["elementwise_add"](creation.arange(0, int(wanted), 1, "int64"), start)
        made = OPS["index_select"](made, cast(places, "int64"), dim=first + i)
    return made
