"""Sorting: argsort and top_k."""

from __future__ import annotations

from typing import Any

from ..core import native
from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import Meta, check, op
from .along_axis import put_along_axis, take_elements
from .elementwise import zeros_like
from .half_precision import half_to_float32
from .shared_op_rules import normalize_axis, vjp_input_shape

_SORT_INDICES, _SELECT_INDEX = map(
    native.compiled_function_or_placeholder, ("sort_indices", "select_index")
)


@native.OptionallyNativeFunction
def sort_indices(x: Any, axis: int, descending: bool) -> Any:
    """Stable sort indices of `x`; NaN is the largest."""
    x = half_to_float32(x)
    if not descending:
        return np.argsort(x, axis, kind="stable")
    turned = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(turned, axis)


@sort_indices.native
def _(x, axis, descending):
    return _compiled_first_sort_indices(x, axis, x.shape[axis], descending)


def _compiled_first_sort_indices(x: Any, axis: int, k: int, descending: bool) -> Any:
    """`first_sort_indices` by a compiled kernel, or NotImplemented."""
    found = _SORT_INDICES(np.moveaxis(half_to_float32(x), axis, -1), k, descending)
    return found if found is NotImplemented else np.moveaxis(found, -1, axis)


@native.OptionallyNativeFunction
def first_sort_indices(x: Any, axis: int, k: int, descending: bool) -> Any:
    """The first k of `sort_indices`, computed by partition, which is faster, if the k-th element is
    unique.
    """
    lines = np.moveaxis(half_to_float32(x), axis, -1)
    found = (
        None
        if is_running_kernel_on_gpu() or 4 * k > lines.shape[-1]
        else _find_first_indices_by_partition(lines, k, descending)
    )
    if found is None:
        return np.take(sort_indices(x, axis, descending), np.arange(k), axis)
    by = sort_indices(np.take_along_axis(lines, found, -1), -1, descending)
    return np.moveaxis(np.take_along_axis(found, by, -1), -1, axis)


first_sort_indices.native(_compiled_first_sort_indices)


@native.OptionallyNativeFunction
def kth_sort_index(x: Any, axis: int, k: int) -> Any:
    """The index along the axis of the element at position k - 1 of a stable sort."""
    return np.take(first_sort_indices(x, axis, k, False), k - 1, axis)


@kth_sort_index.native
def _(x, axis, k):
    return _SELECT_INDEX(np.moveaxis(half_to_float32(x), axis, -1), k - 1)


def _find_first_indices_by_partition(lines: Any, k: int, descending: bool) -> Any:
    """The indices of the elements of each line that are the first k in sorted order (the largest
    ones if `descending`), in their original order. Returns None if equal elements or NaN make the
    selection ambiguous.
    """
    edge = -k if descending else k - 1
    last = np.partition(lines, edge, -1)[..., edge, None]
    inside = lines >= last if descending else lines <= last
    # Comparisons with NaN are false: without the second test, NaN and equal elements could cancel
    # in the count.
    if not np.all(np.count_nonzero(inside, -1) == k) or np.isnan(lines).any():
        return None
    return np.nonzero(inside.reshape(-1, lines.shape[-1]))[1].reshape(*lines.shape[:-1], k)


def index_meta(x: Meta) -> Meta:
    """The Meta of an int64 tensor with one index per element of `x`."""
    return Meta(x.shape, np.dtype(np.int64))


@op("argsort", "X -> Out, Indices~", breaks_lod=True)
def argsort(x, *, axis: int = -1, descending: bool = False):
    """Out = X sorted along the axis; Indices = the index of each element in X.

    X [*] -> Out [*], Indices int64 [*]
    """
    if not x.ndim:
        return x, np.zeros((), np.int64)
    indices = sort_indices(x, axis, descending)
    return take_elements(x, indices, axis), indices


@argsort.meta
def _(x, *, axis, descending):
    normalize_axis(axis, len(x.shape))
    return x, index_meta(x)


def sort_grad(g: Any, x: Any, indices: Any, axis: int) -> Any:
    """The gradient of sorting: zeros like x, with `g` scattered to the original positions of
    the elements.
    """
    if not len(vjp_input_shape(x)):
        return g
    return put_along_axis(zeros_like(x), indices, g, Axis=axis, Reduce="add")


@argsort.vjp
def _(g, x, *, axis, Indices):
    return sort_grad(g, x, Indices, axis)


@op("top_k_v2", "X, K? -> Out, Indices~", public_name="topk")
def top_k_v2(
    x, k_tensor=None, *, k: int = 1, axis: int = -1, largest: bool = True, sorted: bool = True
):
    """Out = the k largest (or smallest) elements of X along the axis, sorted; Indices = their
    indices.

    X [*, N, *] -> Out [*, k, *], Indices int64 [*, k, *]
    """
    k = k if k_tensor is None else int(k_tensor.item())
    size = x.shape[axis] if x.ndim else 1
    check(0 < k <= size, f"k={k} is not in [1, {size}]")
    if not x.ndim:
        return x, np.zeros((), np.int64)
    indices = first_sort_indices(x, axis, k, largest)
    return take_elements(x, indices, axis), indices


@top_k_v2.meta
def _(x, k_tensor, *, k, axis, largest, sorted):
    at = normalize_axis(axis, len(x.shape))
    k = k if k_tensor is None else -1
    size = x.shape[at] if x.shape else 1
    check(
        k_tensor is not None or 0 < k <= (size if size >= 0 else k), f"k={k} is not in [1, {size}]"
    )
    found = Meta((*x.shape[:at], k, *x.shape[at + 1 :]), x.dtype) if x.shape else x
    return found, index_meta(found)


@top_k_v2.vjp
def _(g, x, k_tensor, *, axis, Indices):
    return sort_grad(g, x, Indices, axis), None


@op("top_k", "X, K? -> Out, Indices~", public_name="topk")
def top_k(x, k_tensor=None, *, k: int = 1):
    """top_k_v2 along the last axis, the op of Paddle 1.x.

    X [*,N] -> Out [*,k], Indices int64 [*,k]
    """
    return top_k_v2.numpy_kernel(x, k_tensor, k=k)


@top_k.meta
def _(x, k_tensor, *, k):
    return top_k_v2.infer((x, k_tensor), {"k": k})


@top_k.vjp
def _(g, x, k_tensor, *, Indices):
    return sort_grad(g, x, Indices, -1), None
