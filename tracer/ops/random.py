"""Random ops, which draw from the generator of `core.rng`, or from an op's own seed."""

from __future__ import annotations

from typing import Any

from ..core import native, rng
from ..core.arrays import np
from ..core.op import (
    HOST_RANDOM,
    NO_GRAD_VALUE_INDEPENDENT,
    AttrSpec,
    Ints,
    Longs,
    Meta,
    check,
    check_dtype,
    op,
)
from .creation import new_tensor_meta
from .dynamic_sizes import sizes_from_tensors_or_attr
from .elementwise import zeros_like
from .reduce import cumulate
from .shared_op_rules import check_float, numpy_dtype_of_proto
from .sort import first_sort_indices


def _draw_uniform_or_normal(kind: str, shape: Any, dtype: np.dtype[Any], seed: int) -> Any:
    """Draw uniform random numbers in [0, 1), or standard normal random numbers."""
    source = rng.generator(seed)
    exact = np.float64 if dtype == np.float64 else np.float32
    return (source.random if kind == "uniform" else source.standard_normal)(
        tuple(shape), dtype=exact
    )


@op(
    "uniform_random",
    "ShapeTensor?, ShapeTensorList*? -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    random=True,
    public_name="uniform",
)
def uniform_random(
    shape_tensor=None,
    shape_tensors=None,
    *,
    shape: Longs = [],
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    dtype: int = 5,
    diag_num: int = 0,
    diag_step: int = 0,
    diag_val: float = 1.0,
):
    """Out = uniform random numbers in [min, max).   -> Out [*shape]"""
    kind = numpy_dtype_of_proto(dtype)
    check(min <= max, f"min={min} is above max={max}")
    drawn = _draw_uniform_or_normal(
        "uniform", sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape), kind, seed
    )
    t = drawn.dtype.type
    out = (drawn * t(max - min) + t(min)).astype(kind, copy=False)
    for k in range(diag_num):
        out.reshape(-1)[k * (diag_step + 1)] = diag_val
    return out


@uniform_random.meta
def _(shape_tensor, shape_tensors, *, shape, min, max, dtype, **_):
    check(min <= max, f"min={min} is above max={max}")
    return new_tensor_meta(shape_tensor, shape_tensors, shape, dtype)


@op(
    "gaussian_random",
    "ShapeTensor?, ShapeTensorList*? -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    random=True,
    public_name="normal",
)
def gaussian_random(
    shape_tensor=None,
    shape_tensors=None,
    *,
    shape: Longs = [],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: int = 5,
):
    """Out = normally distributed random numbers.   -> Out [*shape]"""
    kind = numpy_dtype_of_proto(dtype)
    drawn = _draw_uniform_or_normal(
        "normal", sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape), kind, seed
    )
    t = drawn.dtype.type
    return (drawn * t(std) + t(mean)).astype(kind, copy=False)


@gaussian_random.meta
def _(shape_tensor, shape_tensors, *, shape, dtype, **_):
    return new_tensor_meta(shape_tensor, shape_tensors, shape, dtype)


@op("truncated_gaussian_random", "-> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, random=True)
def truncated_gaussian_random(
    *, shape: Ints, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: int = 5
):
    """Out = normally distributed random numbers, at most two standard deviations from the mean.

    -> Out [*shape]
    """
    kind = numpy_dtype_of_proto(dtype)
    source = rng.generator(seed)
    drawn = source.standard_normal(tuple(shape))
    outside = np.abs(drawn) > 2
    while outside.any():
        drawn[outside] = source.standard_normal(int(outside.sum()))
        outside = np.abs(drawn) > 2
    return (drawn * std + mean).astype(kind)


@truncated_gaussian_random.meta
def _(*, shape, dtype, **_):
    return new_tensor_meta(None, None, shape, dtype)


@op(
    "randint",
    "ShapeTensor?, ShapeTensorList*? -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    random=True,
)
def randint(
    shape_tensor=None,
    shape_tensors=None,
    *,
    shape: Longs = [],
    low: int,
    high: int,
    seed: int = 0,
    dtype: int = 3,
):
    """Out = uniform random integers in [low, high).   -> Out int [*shape]"""
    check_dtype(numpy_dtype_of_proto(dtype).kind == "i", f"dtype={dtype} is not one of integers")
    size = tuple(sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape))
    return np.asarray(
        rng.generator(seed).integers(low, high, size), dtype=numpy_dtype_of_proto(dtype)
    )


@randint.meta
def _(shape_tensor, shape_tensors, *, shape, low, high, dtype, **_):
    check(low < high, f"low={low} is not below high={high}")
    check_dtype(numpy_dtype_of_proto(dtype).kind == "i", f"dtype={dtype} is not one of integers")
    return new_tensor_meta(shape_tensor, shape_tensors, shape, dtype)


@op("randperm", "-> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, random=True)
def randperm(*, n: int, dtype: int = 3):
    """Out = the numbers 0 ... n-1 in random order.   -> Out [n]"""
    check(n >= 0, f"n={n} is negative")
    return rng.generator().permutation(n).astype(numpy_dtype_of_proto(dtype))


@randperm.meta
def _(*, n, dtype):
    check(n >= 0, f"n={n} is negative")
    return Meta((n,), numpy_dtype_of_proto(dtype))


@op("bernoulli", "X -> Out", random=True)
def bernoulli(x):
    """Out = 1 with probability X, else 0. X [*] -> Out [*]"""
    check_float(x)
    check(bool(np.all((x >= 0) & (x <= 1))), "X has elements outside of [0, 1]")
    return (np.asarray(rng.generator().random(x.shape, dtype=np.float32)) < x).astype(x.dtype)


@bernoulli.meta
def _(x):
    check_float(x)
    return x


@bernoulli.vjp
def _(g, x):
    return zeros_like(x)


@op(
    "multinomial",
    "X -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    random=True,
    host_reason=HOST_RANDOM,
)
def multinomial(x, *, num_samples: int = 1, replacement: bool = False):
    """Out = random indices, drawn with probabilities proportional to the weights X.

    X [N] or [B, N], >= 0 -> Out int64 [num_samples] or [B, num_samples]
    """
    check_float(x)
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        sums = cumulate(rows, 1, False, False, False)
    totals = sums[:, -1:]
    check(
        not x.size or bool(x.min() >= 0 and np.all(np.isfinite(totals))),
        "X has weights that are negative or not finite, or their sum is not finite",
    )
    _check_positive_weights(totals, 1)
    if not replacement and num_samples**2 > MAX_SQUARED_SAMPLES_PER_WEIGHT * x.shape[-1]:
        _check_positive_weights(rows, num_samples)
        drawn = _draw_distinct_by_exponentials(rows, num_samples)
    else:
        drawn = _search_cumulative_sums(sums, rng.generator().random((len(rows), num_samples)))
        if not replacement and num_samples > 1:
            _redraw_duplicates(rows, drawn)
    return drawn.reshape(*x.shape[:-1], num_samples)


# If the square of the number of samples is at most this multiple of the number of weights, most
# rows of independent draws contain no index twice.
MAX_SQUARED_SAMPLES_PER_WEIGHT = 1


@native.OptionallyNativeFunction
def _search_cumulative_sums(sums: Any, values: Any) -> Any:
    """For each value in [0, 1), the first position in its row whose cumulative sum exceeds the
    value times the total. sums [B, N], values [B, M] -> int64 [B, M]
    """
    totals = sums[:, -1:]
    wanted = np.minimum(values * totals, np.nextafter(totals, 0))
    found = [np.searchsorted(s, v, "right") for s, v in zip(sums, wanted, strict=True)]
    return np.array(found, np.int64).reshape(values.shape)


_search_cumulative_sums.native(native.compiled_function_or_placeholder("search_cumulative_sums"))


def _check_positive_weights(weights: Any, count: int) -> None:
    """Raise OpError unless each row has at least `count` weights above zero."""
    check(
        bool(np.all(np.count_nonzero(weights, axis=-1) >= count)),
        f"X has fewer than {count} weights above zero",
    )


def _draw_distinct_by_exponentials(rows: Any, count: int) -> Any:
    """Draw `count` different indices per row, in the order of draws without replacement: the order
    of exponentially distributed times with the weights as rates (Efraimidis and Spirakis, 2006).
    """
    with np.errstate(all="ignore"):
        times = rng.generator().standard_exponential(rows.shape) / rows
    times[rows == 0] = np.nan  # the largest: also after infinite times of tiny weights
    return first_sort_indices(times, 1, count, False)


def _redraw_duplicates(rows: Any, drawn: Any) -> None:
    """Make draws with replacement to draws without replacement, in place: keep the first occurrence
    of each index of a row, and draw the others from the weights of the indices not drawn yet.
    Raises OpError for a row with too few weights above zero, which has duplicates.
    """
    ordered = np.sort(drawn, axis=1)
    for row in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)).tolist():
        chosen = list(dict.fromkeys(drawn[row].tolist()))
        _check_positive_weights(rows[row], drawn.shape[1])
        weights = rows[row].copy()
        weights[chosen] = 0
        other = _draw_distinct_by_exponentials(weights[None], drawn.shape[1] - len(chosen))[0]
        drawn[row] = np.concatenate((chosen, other))


@multinomial.meta
def _(x, *, num_samples, replacement):
    check_float(x)
    check(len(x.shape) in (1, 2), "needs one or two axes")
    check(num_samples > 0, f"num_samples={num_samples} is not positive")
    fits = replacement or x.shape[-1] < 0 or num_samples <= x.shape[-1]
    check(
        fits,
        f"num_samples={num_samples} is larger than the last axis of X, which requires "
        "replacement=True",
    )
    return Meta((*x.shape[:-1], num_samples), np.dtype(np.int64))


@op(
    "sampling_id",
    "X -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    random=True,
    host_reason=HOST_RANDOM,
)
def sampling_id(x, *, min: float = 0.0, max: float = 1.0, seed: int = 0):
    """For each row, draw u uniformly from [min, max); Out = the first index where the cumulative
    sum of X reaches u.

    X [B, N], weights -> Out int64 [B]
    """
    check_float(x)
    check(min <= max, f"min={min} is above max={max}")
    reached = np.cumsum(x.astype(np.float64), axis=1) >= rng.generator(seed).uniform(
        min, max, (len(x), 1)
    )
    return np.where(reached.any(axis=1), reached.argmax(axis=1), x.shape[1] - 1)


@sampling_id.meta
def _(x, *, min, max, seed):
    check_float(x)
    check(len(x.shape) == 2, "needs two axes")
    return Meta(x.shape[:1], np.dtype(np.int64))


def _zero_vjp(g, x):
    return zeros_like(x)


@op("poisson", "X -> Out", random=True, host_reason=HOST_RANDOM)
def poisson(x):
    """Out = random integers with Poisson distributions whose means are X.

    X [*], >= 0 -> Out [*]
    """
    check_float(x)
    check(bool(np.all(x >= 0)), "X has negative means")
    return np.asarray(rng.generator().poisson(x)).astype(x.dtype)


@poisson.meta
def _(x):
    check_float(x)
    return x


poisson.vjp(_zero_vjp)


@op("exponential", "X -> Out", random=True)
def exponential(x, **attrs):
    """Out = exponentially distributed random numbers with rate `lambda`. X [*] -> Out [*]"""
    check_float(x)
    return np.asarray(rng.generator().exponential(1 / attrs.get("lambda", 1.0), x.shape)).astype(
        x.dtype
    )


# a Python keyword
exponential.attrs["lambda"] = AttrSpec("FLOAT", 1.0)


@exponential.meta
def _(x, **attrs):
    check_float(x)
    check(attrs["lambda"] > 0, f"lambda={attrs['lambda']} is not positive")
    return x


exponential.vjp(_zero_vjp)


@op(
    "dirichlet",
    "Alpha -> Out",
    no_grad_reason="Paddle has no gradient of it",
    random=True,
    host_reason=HOST_RANDOM,
)
def dirichlet(alpha):
    """Out = random points of Dirichlet distributions with the concentrations Alpha.

    Alpha [*, N], positive -> Out [*, N]
    """
    check_float(alpha)
    check(bool(np.all(alpha > 0)), "Alpha is not positive")
    drawn = rng.generator().standard_gamma(alpha.astype(np.float64))
    return (drawn / drawn.sum(axis=-1, keepdims=True)).astype(alpha.dtype)


@dirichlet.meta
def _(alpha):
    check_float(alpha)
    check(bool(alpha.shape), "needs an axis")
    return alpha


@op("seed", "-> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, random=True)
def seed(*, seed: int = 0):
    """Out = the attribute `seed`; if it is 0, a new random number in each run. Other ops take the
    result as their input Seed.

    -> Out int32 [1]
    """
    drawn = seed or int(rng.generator().integers(1, 2**31 - 1))
    return np.asarray([drawn], np.int32)


@seed.meta
def _(*, seed):
    return Meta((1,), np.dtype(np.int32))
