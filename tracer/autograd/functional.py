"""The functions of paddle.autograd: `backward`, Jacobians and Hessians, which are computed lazily
by rows, and the products `vjp` and `jvp` of a Jacobian with a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from ..core.autograd import backward as _backward
from ..core.autograd import grad, reshape_grad_if_same_size
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..tensor.creation import ones_like, zeros_like
from ..tensor.manipulation import stack

Result = TypeVar("Result", bound="Tensor | Sequence[Tensor]")
Results = TypeVar("Results", bound="Sequence[Tensor]")


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Accumulate the gradients of several tensors into `grad` of the leaves that they depend on.

    Parameters
    ----------
    tensors : Tensor, or list of Tensor
    grad_tensors : Tensor or None, or list of them, optional
        Initial gradients, one per tensor and of its shape. None stands for ones.
    retain_graph : bool, default False
        Keep the graph, so that another backward pass through it is possible.

    Raises
    ------
    OpError
        If the numbers of tensors and initial gradients differ, or if their shapes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.backward([x * x, 3 * x], [paddle.to_tensor([1.0, 10.0]), None])
    >>> x.grad.tolist()
    [5.0, 43.0]
    """
    roots = _to_list(tensors)
    initial_grads = [None] * len(roots) if grad_tensors is None else _to_list(grad_tensors)
    if len(initial_grads) != len(roots):
        raise OpError(
            append_user_line(f"backward: {len(initial_grads)} gradients for {len(roots)} tensors")
        )
    _backward(
        roots,
        [reshape_grad_if_same_size(root, g) for root, g in zip(roots, initial_grads, strict=True)],
        retain_graph,
    )


def _to_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else list(value)


class Jacobian:
    """The derivatives of all elements of `ys` with respect to those of `xs`, computed lazily.

    Indexing computes the rows that it reads, and keeps them for later reads. Operators and methods
    of Tensor are those of the whole Jacobian. Created by `jacobian`.

    Parameters
    ----------
    ys : Tensor [M] or [], or [B, M] or [B] if batched
    xs : Tensor [N] or [], or [B, N] or [B] if batched
    is_batched : bool, default False
        Whether the first axis is a batch, whose elements are independent.

    Raises
    ------
    OpError
        If the ranks do not fit or the batch sizes differ.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    >>> jacobian = paddle.autograd.jacobian(x * x, x)
    >>> jacobian[1].tolist()
    [0.0, 4.0, 0.0]
    >>> jacobian[:, 2].tolist()
    [0.0, 0.0, 6.0]
    """

    def __init__(self, ys: Tensor, xs: Tensor, is_batched: bool = False) -> None:
        allowed = (1, 2) if is_batched else (0, 1)
        for name, t in (("ys", ys), ("xs", xs)):
            if len(t.meta.shape) not in allowed:
                problem = (
                    f"{name} must have rank {allowed[0]} or {allowed[1]} "
                    f"{'with' if is_batched else 'without'} batch_axis"
                )
                raise OpError(append_user_line(f"jacobian: {problem} (ys={ys.meta}, xs={xs.meta})"))
        if is_batched and ys.meta.shape[0] != xs.meta.shape[0]:
            raise OpError(
                append_user_line(f"jacobian: the batch sizes differ (ys={ys.meta}, xs={xs.meta})")
            )
        self._ys, self._xs, self._num_batch_axes = ys, xs, int(is_batched)
        self._cached_rows: dict[int, Tensor] = {}

    @property
    def shape(self) -> list[int]:
        """The shape, a list: [M, N], or [B, M, N] if batched.

        The axes that ys or xs do not have are missing.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        >>> paddle.autograd.jacobian(x[:2] * 2, x).shape
        [2, 3]
        """
        batch = self._num_batch_axes
        return [
            *self._ys.meta.shape[:batch],
            *self._ys.meta.shape[batch:],
            *self._xs.meta.shape[batch:],
        ]

    def _get_or_compute_row(self, index: int) -> Tensor:
        """The derivatives of element `index` of `ys` (in each batch element, if batched) with
        respect to `xs`, with the shape of `xs`.
        """
        if index not in self._cached_rows:
            y = (
                self._ys
                if len(self._ys.meta.shape) == self._num_batch_axes
                else self._ys[(slice(None),) * self._num_batch_axes + (index,)]
            )
            gradient = grad(y, self._xs, create_graph=True, retain_graph=True, allow_unused=True)[0]
            self._cached_rows[index] = zeros_like(self._xs) if gradient is None else gradient
        return self._cached_rows[index]

    def __getitem__(self, index: Any) -> Tensor:
        items = index if isinstance(index, tuple) else (index,)
        if len(self._ys.meta.shape) == self._num_batch_axes:  # the Jacobian has one row
            return self._get_or_compute_row(0)[index] if self.shape else self._get_or_compute_row(0)
        if Ellipsis in items:
            position = items.index(Ellipsis)
            items = (
                items[:position]
                + (slice(None),) * (len(self.shape) - len(items) + 1)
                + items[position + 1 :]
            )
        items += (slice(None),) * (self._num_batch_axes + 1 - len(items))
        selected_rows = range(self._ys.meta.shape[-1])[items[self._num_batch_axes]]
        rows = [
            self._get_or_compute_row(i)
            for i in ([selected_rows] if isinstance(selected_rows, int) else selected_rows)
        ]
        row_index = 0 if isinstance(selected_rows, int) else slice(None)
        return stack(rows, axis=self._num_batch_axes)[
            (*items[: self._num_batch_axes], row_index, *items[self._num_batch_axes + 1 :])
        ]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self[...], name)


def _make_operator_method(name: str) -> Callable[..., Any]:
    def operator_method(self: Jacobian, *args: Any) -> Any:
        return getattr(self[...], name)(*(a[...] if isinstance(a, Jacobian) else a for a in args))

    return operator_method


for _name in (
    "__add__",
    "__sub__",
    "__mul__",
    "__truediv__",
    "__matmul__",
    "__neg__",
    "__radd__",
    "__rsub__",
    "__rmul__",
    "__eq__",
    "__ne__",
):
    setattr(Jacobian, _name, _make_operator_method(_name))
Jacobian.__hash__ = None  # type: ignore[assignment]


class Hessian(Jacobian):
    """The second derivatives of a scalar, computed lazily as the Jacobian of its gradient.

    Created by `hessian`.

    Parameters
    ----------
    ys : Tensor [N] or [], or [B, N] if batched
        The gradient.
    xs : Tensor [N] or [], or [B, N] if batched
    is_batched : bool, default False
        Whether the first axis is a batch, whose elements are independent.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.hessian((x**3).sum(), x)[1].tolist()
    [0.0, 12.0]
    """


def _parse_is_batched(batch_axis: int | None) -> bool:
    if batch_axis not in (None, 0):
        raise OpError(append_user_line(f"jacobian: batch_axis={batch_axis} is neither None nor 0"))
    return batch_axis == 0


@overload
def jacobian(ys: Tensor, xs: Tensor, batch_axis: int | None = None) -> Jacobian: ...
@overload
def jacobian(
    ys: Tensor, xs: Sequence[Tensor], batch_axis: int | None = None
) -> tuple[Jacobian, ...]: ...
@overload
def jacobian(
    ys: Sequence[Tensor], xs: Tensor, batch_axis: int | None = None
) -> tuple[Jacobian, ...]: ...
@overload
def jacobian(
    ys: Sequence[Tensor], xs: Sequence[Tensor], batch_axis: int | None = None
) -> tuple[tuple[Jacobian, ...], ...]: ...
def jacobian(
    ys: Tensor | Sequence[Tensor], xs: Tensor | Sequence[Tensor], batch_axis: int | None = None
) -> Any:
    """Return the Jacobian of `ys` with respect to `xs`.

    J[m, n] = d ys[m] / d xs[n]

    Parameters
    ----------
    ys : Tensor [M] or [], or tuple of them; with batch_axis=0 [B, M] or [B]
    xs : Tensor [N] or [], or tuple of them; with batch_axis=0 [B, N] or [B]
    batch_axis : None or 0, default None
        0: the first axis is a batch, whose elements are independent.

    Returns
    -------
    Jacobian [M, N], or [B, M, N]; or a tuple
        If `xs` is a tuple, a tuple of one Jacobian per item; if `ys` is a tuple, a tuple of one
        such result per item.

    Raises
    ------
    OpError
        If ranks or batch sizes do not fit, or if `batch_axis` is neither None nor 0.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.jacobian(x * x, x)[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if isinstance(ys, Sequence):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    if isinstance(xs, Sequence):
        return tuple(Jacobian(ys, x, _parse_is_batched(batch_axis)) for x in xs)
    return Jacobian(ys, xs, _parse_is_batched(batch_axis))


@overload
def hessian(ys: Tensor, xs: Tensor, batch_axis: int | None = None) -> Hessian: ...
@overload
def hessian(
    ys: Tensor, xs: Sequence[Tensor], batch_axis: int | None = None
) -> tuple[tuple[Hessian, ...], ...]: ...
def hessian(ys: Tensor, xs: Tensor | Sequence[Tensor], batch_axis: int | None = None) -> Any:
    """Return the Hessian of `ys` with respect to `xs`.

    H[i, j] = d^2 ys / (d xs[i] d xs[j])

    Parameters
    ----------
    ys : Tensor [] or [1]; with batch_axis=0 [B] or [B, 1]
    xs : Tensor [N] or [], or tuple of them; with batch_axis=0 [B, N]
    batch_axis : None or 0, default None
        0: the first axis is a batch, whose elements are independent.

    Returns
    -------
    Hessian [N, N], or [B, N, N]; or a tuple
        If `xs` is a tuple, a tuple of tuples of Hessians, by pairs of items.

    Raises
    ------
    OpError
        If `ys` has several elements (per batch element), or if `batch_axis` is neither None nor 0.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.hessian((x**3).sum(), x)[:].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    batch = int(_parse_is_batched(batch_axis))
    if any(d != 1 for d in ys.meta.shape[batch:]):
        raise OpError(
            append_user_line(
                f"hessian: ys must have one element{' per batch element' * batch} (ys={ys.meta})"
            )
        )
    inputs = _to_list(xs)
    gradients = grad(ys, inputs, create_graph=True, retain_graph=True, allow_unused=True)
    first_derivatives = [
        zeros_like(x) if g is None else g for x, g in zip(inputs, gradients, strict=True)
    ]
    rows = tuple(tuple(Hessian(g, x, bool(batch)) for x in inputs) for g in first_derivatives)
    return rows[0][0] if isinstance(xs, Tensor) else rows


def _detach_as_leaves(xs: Any) -> list[Tensor]:
    """Return a list of detached copies of the tensors `xs` that require gradients."""
    leaves = [x.detach() for x in _to_list(xs)]
    for x in leaves:
        x.stop_gradient = False
    return leaves


def _require_same_shaped_vectors_or_ones(
    v: Any, tensors: list[Tensor], function: str
) -> list[Tensor]:
    """Return `v` as a list of tensors; if it is None, return ones of the shapes of `tensors`.
    Raises OpError if the shapes of `v` and `tensors` differ.
    """
    vectors = [ones_like(t) for t in tensors] if v is None else _to_list(v)
    if [v.meta.shape for v in vectors] != [t.meta.shape for t in tensors]:
        metas = ", ".join(str(t.meta) for t in tensors)
        raise OpError(
            append_user_line(
                f"{function}: v must have the shapes of {metas} "
                f"(v={', '.join(str(v.meta) for v in vectors)})"
            )
        )
    return vectors


def _fill_missing_grads_with_zeros(
    grads: Sequence[Tensor | None], tensors: list[Tensor], like: Any
) -> Any:
    """Replace gradients that are None by zeros. Return the single gradient if `like` is a tensor,
    otherwise a tuple of all gradients.
    """
    filled = [zeros_like(t) if g is None else g for g, t in zip(grads, tensors, strict=True)]
    return filled[0] if isinstance(like, Tensor) else tuple(filled)


@overload
def vjp(
    func: Callable[..., Result], xs: Tensor, v: Tensor | Sequence[Tensor] | None = None
) -> tuple[Result, Tensor]: ...
@overload
def vjp(
    func: Callable[..., Result], xs: Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None
) -> tuple[Result, tuple[Tensor, ...]]: ...
def vjp(
    func: Callable[..., Result],
    xs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
) -> tuple[Result, Tensor | tuple[Tensor, ...]]:
    """Return the result of a function, and the product of a vector with its Jacobian.

    Parameters
    ----------
    func : callable
        Takes and returns one or several Tensors.
    xs : Tensor, or list of Tensor
        The arguments.
    v : Tensor, or list of Tensor, optional
        Of the shapes of the results. Default: ones.

    Returns
    -------
    ys : Tensor, or list of Tensor
        ``func(*xs)``
    product : Tensor, or tuple of Tensor
        v^T J, of the shapes of `xs`.

    Raises
    ------
    OpError
        If the shapes of `v` do not fit.

    Examples
    --------
    >>> y, product = paddle.autograd.vjp(lambda x: x * x, paddle.to_tensor([1.0, 2.0]))
    >>> y.tolist(), product.tolist()
    ([1.0, 4.0], [2.0, 4.0])
    """
    leaves = _detach_as_leaves(xs)
    ys = func(*leaves)
    results = _to_list(ys)
    grads = grad(
        results,
        leaves,
        _require_same_shaped_vectors_or_ones(v, results, "vjp"),
        create_graph=True,
        allow_unused=True,
    )
    return ys, _fill_missing_grads_with_zeros(grads, leaves, xs)


@overload
def jvp(
    func: Callable[..., Tensor],
    xs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def jvp(
    func: Callable[..., Results],
    xs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
) -> tuple[Results, tuple[Tensor, ...]]: ...
def jvp(
    func: Callable[..., Any],
    xs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
) -> tuple[Any, Any]:
    """Return the result of a function, and the product of its Jacobian with a vector.

    Parameters
    ----------
    func : callable
        Takes and returns one or several Tensors.
    xs : Tensor, or list of Tensor
        The arguments.
    v : Tensor, or list of Tensor, optional
        Of the shapes of `xs`. Default: ones.

    Returns
    -------
    ys : Tensor, or list of Tensor
        ``func(*xs)``
    product : Tensor, or tuple of Tensor
        J v, of the shapes of `ys`.

    Raises
    ------
    OpError
        If the shapes of `v` do not fit.

    Notes
    -----
    The gradient of `func` is linear in the initial gradient, so the product is the derivative of
    the gradient with respect to the initial gradient (double backward).

    Examples
    --------
    >>> x, v = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 0.0])
    >>> y, product = paddle.autograd.jvp(lambda x: x * x, x, v)
    >>> product.tolist()
    [2.0, 0.0]
    """
    leaves = _detach_as_leaves(xs)
    vectors = _require_same_shaped_vectors_or_ones(v, leaves, "jvp")
    ys = func(*leaves)
    results = _to_list(ys)
    cotangents = [ones_like(y) for y in results]
    for cotangent in cotangents:
        cotangent.stop_gradient = False
    grads = grad(results, leaves, cotangents, create_graph=True, allow_unused=True)
    pairs = [(g, u) for g, u in zip(grads, vectors, strict=True) if g is not None]
    products = (
        grad(
            [g for g, _ in pairs],
            cotangents,
            [u for _, u in pairs],
            create_graph=True,
            allow_unused=True,
        )
        if pairs
        else [None] * len(cotangents)
    )
    return ys, _fill_missing_grads_with_zeros(products, results, ys)
