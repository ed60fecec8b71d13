"""Random tensors."""

from __future__ import annotations

from typing import Any

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...tensor import creation, manipulation
from ...tensor.convert import cast, split_shape_into_ints_and_tensors
from .layer_utils import assign_to, deprecated_layer, set_stop_gradient
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


def _random_tensor(kind: str, shape: Any, dtype: Any, **attrs: Any) -> Any:
    ints, tensors = split_shape_into_ints_and_tensors(shape, kind)
    return set_stop_gradient(
        OPS[kind](None, tensors, shape=ints, dtype=parse_dtype(dtype).proto, **attrs)
    )


@deprecated_layer("paddle.uniform")
def uniform_random(
    shape: Any, dtype: Any = "float32", min: float = -1.0, max: float = 1.0, seed: int = 0
) -> Any:
    """Draw from the uniform distribution on [min, max), [*shape].

    shape: a list of ints and variables, or one variable
    """
    return _random_tensor("uniform_random", shape, dtype, min=float(min), max=float(max), seed=seed)


@deprecated_layer("paddle.normal")
def gaussian_random(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = "float32"
) -> Any:
    """Draw from the normal distribution, [*shape].

    shape: a list of ints and variables, or one variable
    """
    return _random_tensor(
        "gaussian_random", shape, dtype, mean=float(mean), std=float(std), seed=seed
    )


def _random_tensor_batch_size_like(
    kind: str, input: Any, shape: Any, dims: tuple[int, int], dtype: Any, **attrs: Any
) -> Any:
    """Random tensor of a shape in which one size is taken from input.

    dims: axis of input, axis of the result
    """
    zeros = fill_constant_batch_size_like(input, shape, dtype, 0.0, *dims)
    sizes = list(zeros.meta.shape)
    dynamic_shape = None if all(d >= 0 for d in sizes) else OPS["shape"](zeros)
    return set_stop_gradient(
        OPS[kind](dynamic_shape, shape=sizes, dtype=parse_dtype(dtype).proto, **attrs)
    )


@deprecated_layer("paddle.uniform")
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
    """Uniform distribution on [min, max), [*shape]; axis output_dim_idx has the size of input's
    axis input_dim_idx.
    """
    dims = (input_dim_idx, output_dim_idx)
    return _random_tensor_batch_size_like(
        "uniform_random", input, shape, dims, dtype, min=float(min), max=float(max), seed=seed
    )


@deprecated_layer("paddle.normal")
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
    """Normal distribution, [*shape]; axis output_dim_idx has the size of input's axis
    input_dim_idx.
    """
    dims = (input_dim_idx, output_dim_idx)
    return _random_tensor_batch_size_like(
        "gaussian_random", input, shape, dims, dtype, mean=float(mean), std=float(std), seed=seed
    )


@deprecated_layer("paddle.randint")
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
    """Random integers in [low, high), or in [0, low), int64 [*shape]; [1] for shape=None."""
    low, high = (0, low) if high is None else (low, high)
    values = _random_tensor(
        "randint",
        [1] if shape is None else shape,
        "int64" if dtype is None else dtype,
        low=low,
        high=high,
        seed=seed,
    )
    return assign_to(values, out)


@deprecated_layer("paddle.randn")
def randn(
    shape: Any,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    stop_gradient: bool = True,
    name: str | None = None,
) -> Any:
    """Standard normal distribution, [*shape]."""
    values = assign_to(gaussian_random(shape, dtype="float32" if dtype is None else dtype), out)
    values.stop_gradient = stop_gradient
    return values


@deprecated_layer("paddle.randperm")
def randperm(
    n: int,
    out: Any = None,
    dtype: Any = "int64",
    device: Any = None,
    stop_gradient: bool = True,
    seed: int = 0,
) -> Any:
    """Random permutation of 0 ... n - 1, [n]."""
    return set_stop_gradient(assign_to(creation.randperm(n, dtype), out))


@deprecated_layer("paddle.multinomial")
def sampling_id(
    x: Any, min: float = 0.0, max: float = 1.0, seed: int = 0, dtype: Any = "float32"
) -> Any:
    """Sample one class of each row with its probabilities: [N, C] -> int64 [N]."""
    return set_stop_gradient(OPS["sampling_id"](x, min=float(min), max=float(max), seed=int(seed)))


@deprecated_layer("paddle.crop")
def random_crop(x: Any, shape: Any, seed: Any = None) -> Any:
    """Crop the last axes of each instance to `shape` at a random position:
    [*B, *S] -> [*B, *shape].

    seed: a positive int makes the positions reproducible; a variable is ignored.
    """
    batch = list(x.meta.shape[: x.ndim - len(shape)])
    out = manipulation.reshape(x, [-1, *x.meta.shape[len(batch) :]])
    for axis, size in enumerate(map(int, shape), start=1):
        num_positions = out.meta.shape[axis] - size + 1
        start = _random_tensor_batch_size_like(
            "uniform_random",
            out,
            [-1, 1],
            (0, 0),
            "float32",
            min=0.0,
            max=float(num_positions),
            seed=_derive_seed_of_crop_axis(seed, axis),
        )
        last = OPS["fill_any_like"](start, value=float(num_positions - 1))
        start = cast(OPS["elementwise_min"](OPS["floor"](start), last), "int64")
        offsets = OPS["elementwise_add"](start, creation.arange(0, size, 1, "int64"))
        index = manipulation.reshape(
            offsets, [-1, *(size if a == axis else 1 for a in range(1, out.ndim))]
        )
        sizes = [size if a == axis else out.meta.shape[a] for a in range(1, out.ndim)]
        index = OPS["expand_v2"](index, shape=[-1, *sizes])
        out = manipulation.take_along_axis(out, index, axis, broadcast=False)
    return manipulation.reshape(out, [*batch, *map(int, shape)])


def _derive_seed_of_crop_axis(seed: Any, axis: int) -> int:
    return seed + axis if isinstance(seed, int) and seed > 0 else 0
