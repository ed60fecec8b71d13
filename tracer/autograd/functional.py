"""Jacobians and Hessians, computed lazily by rows, and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.autograd import backward as _backward
from ..core.autograd import grad, reshape_to_output
from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from ..tensor.creation import ones_like, zeros_like
from ..tensor.manipulation import stack


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Accumulate the gradients of all `tensors` into `grad` of the leaves they depend on.

    grad_tensors: initial gradients, one per tensor; None for ones.
    """
    roots = _listed(tensors)
    given = [None] * len(roots) if grad_tensors is None else _listed(grad_tensors)
    if len(given) != len(roots):
        raise OpError(with_user_line(f"backward: {len(given)} gradients for {len(roots)} tensors"))
    _backward(
        roots,
        [reshape_to_output(root, g) for root, g in zip(roots, given, strict=True)],
        retain_graph,
    )


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, Tensor) else list(value)


class Jacobian:
    """The derivatives of every element of `ys` with respect to every element of `xs`. Indexing
    computes the required rows once.

    ys [M] or [], xs [N] or [] -> [M, N], without the missing axes.
    is_batched: ys [B, M], xs [B, N] -> [B, M, N].
    """

    def __init__(self, ys: Tensor, xs: Tensor, is_batched: bool = False) -> None:
        allowed = (1, 2) if is_batched else (0, 1)
        for name, t in (("ys", ys), ("xs", xs)):
            if len(t.meta.shape) not in allowed:
                why = (
                    f"{name} needs {allowed[0]} or {allowed[1]} axes "
                    f"{'with' if is_batched else 'without'} batch_axis"
                )
                raise OpError(with_user_line(f"jacobian: {why} (ys={ys.meta}, xs={xs.meta})"))
        if is_batched and ys.meta.shape[0] != xs.meta.shape[0]:
            raise OpError(
                with_user_line(f"jacobian: the batches differ (ys={ys.meta}, xs={xs.meta})")
            )
        self._ys, self._xs, self._axis = ys, xs, int(is_batched)
        self._rows: dict[int, Tensor] = {}

    @property
    def shape(self) -> list[int]:
        """The shape of the whole Jacobian."""
        batch = self._axis
        return [
            *self._ys.meta.shape[:batch],
            *self._ys.meta.shape[batch:],
            *self._xs.meta.shape[batch:],
        ]

    def _row(self, index: int) -> Tensor:
        """The derivatives of one element (of each batch element), with the shape of xs."""
        if index not in self._rows:
            y = (
                self._ys
                if len(self._ys.meta.shape) == self._axis
                else self._ys[(slice(None),) * self._axis + (index,)]
            )
            found = grad(y, self._xs, create_graph=True, retain_graph=True, allow_unused=True)[0]
            self._rows[index] = zeros_like(self._xs) if found is None else found
        return self._rows[index]

    def __getitem__(self, index: Any) -> Tensor:
        places = index if isinstance(index, tuple) else (index,)
        if len(self._ys.meta.shape) == self._axis:  # one row
            return self._row(0)[index] if self.shape else self._row(0)
        if Ellipsis in places:
            at = places.index(Ellipsis)
            places = (
                places[:at]
                + (slice(None),) * (len(self.shape) - len(places) + 1)
                + places[at + 1 :]
            )
        places += (slice(None),) * (self._axis + 1 - len(places))
        wanted = range(self._ys.meta.shape[-1])[places[self._axis]]
        rows = [self._row(i) for i in ([wanted] if isinstance(wanted, int) else wanted)]
        first = 0 if isinstance(wanted, int) else slice(None)
        return stack(rows, axis=self._axis)[
            (*places[: self._axis], first, *places[self._axis + 1 :])
        ]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self[...], name)


def _forwarded(name: str) -> Callable[..., Any]:
    def operator(self: Jacobian, *args: Any) -> Any:
        return getattr(self[...], name)(*(a[...] if isinstance(a, Jacobian) else a for a in args))

    return operator


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
    setattr(Jacobian, _name, _forwarded(_name))
Jacobian.__hash__ = None  # type: ignore[assignment]


class Hessian(Jacobian):
    """The second derivatives of a scalar: the Jacobian of its gradient."""


def _batched(batch_axis: int | None) -> bool:
    if batch_axis not in (None, 0):
        raise OpError(with_user_line(f"jacobian: batch_axis={batch_axis} is neither None nor 0"))
    return batch_axis == 0


def jacobian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """The Jacobian of `ys` with respect to `xs`; a tuple for a tuple of `xs`, a tuple of those for
    a tuple of `ys`.

    ys [M], xs [N] -> [M, N]; batch_axis=0: ys [B, M], xs [B, N] -> [B, M, N].
    """
    if isinstance(ys, list | tuple):
        return tuple(jacobian(y, xs, batch_axis) for y in ys)
    if isinstance(xs, list | tuple):
        return tuple(Jacobian(ys, x, _batched(batch_axis)) for x in xs)
    return Jacobian(ys, xs, _batched(batch_axis))


def hessian(ys: Tensor, xs: Any, batch_axis: int | None = None) -> Any:
    """The Hessian of the scalar `ys` (one per batch element) with respect to `xs`; a tuple of
    tuples for a tuple of `xs`.

    ys [] or [1], xs [N] -> [N, N]; batch_axis=0: ys [B] or [B, 1], xs [B, N] -> [B, N, N].
    """
    batch = int(_batched(batch_axis))
    if any(d != 1 for d in ys.meta.shape[batch:]):
        raise OpError(
            with_user_line(f"hessian: ys is not one number{' of each' * batch} (ys={ys.meta})")
        )
    every = _listed(xs)
    found = grad(ys, every, create_graph=True, retain_graph=True, allow_unused=True)
    firsts = [zeros_like(x) if g is None else g for x, g in zip(every, found, strict=True)]
    rows = tuple(tuple(Hessian(g, x, bool(batch)) for x in every) for g in firsts)
    return rows[0][0] if isinstance(xs, Tensor) else rows


def _leaves(xs: Any) -> list[Tensor]:
    found = [x.detach() for x in _listed(xs)]
    for x in found:
        x.stop_gradient = False
    return found


def _like(given: Any, tensors: list[Tensor], what: str) -> list[Tensor]:
    vectors = [ones_like(t) for t in tensors] if given is None else _listed(given)
    if [v.meta.shape for v in vectors] != [t.meta.shape for t in tensors]:
        shown = ", ".join(str(t.meta) for t in tensors)
        raise OpError(
            with_user_line(
                f"{what}: v is not like {shown} (v={', '.join(str(v.meta) for v in vectors)})"
            )
        )
    return vectors


def _as(found: Sequence[Tensor | None], tensors: list[Tensor], like: Any) -> Any:
    filled = [zeros_like(t) if g is None else g for g, t in zip(found, tensors, strict=True)]
    return filled[0] if isinstance(like, Tensor) else tuple(filled)


def vjp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """`func(*xs)` and the product of `v` with its Jacobian, which has the shape of xs.

    v: shape of the result, ones for None.
    """
    leaves = _leaves(xs)
    ys = func(*leaves)
    results = _listed(ys)
    found = grad(results, leaves, _like(v, results, "vjp"), create_graph=True, allow_unused=True)
    return ys, _as(found, leaves, xs)


def jvp(func: Callable[..., Any], xs: Any, v: Any = None) -> tuple[Any, Any]:
    """`func(*xs)` and the product of its Jacobian with `v`, which has the shape of the result.

    v: shape of xs, ones for None.
    The gradient is linear in the initial gradient; differentiating it once more gives the product
    (double backward).
    """
    leaves = _leaves(xs)
    vectors = _like(v, leaves, "jvp")
    ys = func(*leaves)
    results = _listed(ys)
    back = [ones_like(y) for y in results]
    for b in back:
        b.stop_gradient = False
    lines = grad(results, leaves, back, create_graph=True, allow_unused=True)
    kept = [(g, u) for g, u in zip(lines, vectors, strict=True) if g is not None]
    found = (
        grad([g for g, _ in kept], back, [u for _, u in kept], create_graph=True, allow_unused=True)
        if kept
        else [None] * len(back)
    )
    return ys, _as(found, results, ys)
