"""Einstein summation."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import Shape, find_broadcast_dim, vjp_input_dtype_proto, vjp_input_shape

Labels = tuple[str, ...]


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The axis labels of each input and of the result. The axes that `...` stands for get capital
    letters as labels.

    Raises OpError for an invalid equation.
    """
    check("->" in equation, f"equation={equation!r} has no ->")
    left, right = equation.replace(" ", "").split("->")
    terms = left.split(",")
    check(
        len(terms) == len(ranks),
        f"equation={equation!r} is for {len(terms)} operands, not {len(ranks)}",
    )
    spread = [_ellipsis_rank(t, rank, equation) for t, rank in zip(terms, ranks, strict=True)]
    found = [_expand_ellipsis(t, n) for t, n in zip(terms, spread, strict=True)]
    out = _expand_ellipsis(right, max(spread))
    check(
        set(out) <= {c for t in found for c in t},
        f"equation={equation!r} contains a label in the output that no operand has",
    )
    check(len(set(out)) == len(out), f"equation={equation!r} contains a label twice in the output")
    return found, out


def _ellipsis_rank(term: str, rank: int, equation: str) -> int:
    """The number of axes that `...` stands for in a term of an equation."""
    letters = len(term.replace("...", ""))
    fits = rank >= letters if "..." in term else rank == letters
    check(fits, f"equation={equation!r} has {letters} labels for {rank} axes")
    return rank - letters


def _expand_ellipsis(term: str, count: int) -> Labels:
    return tuple(term.replace("...", string.ascii_uppercase[26 - count :]))


@op("einsum", "Operands* -> Out, InnerCache*~, XShape*~", same_dtype="Operands", amp_class="allow")
@computed_in_float32_if_half
def einsum(xs, *, equation: str):
    """Out = the sum of products that an Einstein equation such as `ij,jk->ik` defines. Labels are
    lower-case letters.

    Operands list of [*] -> Out [*]

    InnerCache, XShape: one each per input. Paddle's gradient op reads them; here they are empty,
    [0].
    """
    check("->" in equation, f"equation={equation!r} has no ->")
    empty = [np.zeros(0, xs[0].dtype)] * len(xs)
    return np.asarray(np.einsum(equation, *xs, optimize=len(xs) > 1)), empty, empty


@einsum.meta
def _(xs, *, equation):
    check(bool(xs), "Operands is empty")
    check_dtype(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    terms, out = parse_equation(equation, [len(x.shape) for x in xs])
    sizes = _size_by_label(terms, [x.shape for x in xs])
    empty = [Meta((0,), xs[0].dtype)] * len(xs)
    return Meta(tuple(sizes[c] for c in out), xs[0].dtype), empty, empty


def _size_by_label(terms: Sequence[Labels], shapes: Sequence[Shape]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for c, d in zip(term, shape, strict=True):
            size = find_broadcast_dim(sizes.get(c, 1), d)
            check(size is not None, f"the axes {c} have sizes {sizes.get(c)} and {d}")
            sizes[c] = -1 if size is None else size
    return sizes


@einsum.vjp
def _(g, xs, *, equation):
    terms, out = parse_equation(equation, [len(vjp_input_shape(x)) for x in xs])
    return [_operand_grad(i, g, xs, terms, out) for i in range(len(xs))]


def _operand_grad(i: int, g: Any, xs: Sequence[Any], terms: Sequence[Labels], out: Labels) -> Any:
    """The gradient of input i: the sum of products with `g` in place of input i. If only input i
    has an axis, the gradient is broadcast along this axis by a vector of ones.
    """
    others = [(out, g)] + [(t, x) for k, (t, x) in enumerate(zip(terms, xs, strict=True)) if k != i]
    named = {c for t, _ in others for c in t}
    if not set(terms[i]) <= named:
        others.append((terms[i], OPS["fill_any_like"](xs[i], value=1.0)))
    target, diagonals = _distinct_labels_and_identities(terms[i], xs[i], named | set(terms[i]))
    others += diagonals
    equation = ",".join("".join(t) for t, _ in others) + "->" + "".join(target)
    return einsum([x for _, x in others], equation=equation)[0]


def _distinct_labels_and_identities(
    term: Labels, x: Any, used: set[str]
) -> tuple[Labels, list[tuple[Labels, Any]]]:
    """Replace repeated labels of a term by new labels. Returns the new term, and an identity matrix
    as an additional factor for each new label, which makes its index equal to that of the original
    label.
    """
    free = iter(c for c in string.ascii_letters if c not in used)
    target: list[str] = []
    ties: list[tuple[Labels, Any]] = []
    for axis, c in enumerate(term):
        label = next(free) if c in target else c
        if label != c:
            unit = OPS["eye"](num_rows=vjp_input_shape(x)[axis], dtype=vjp_input_dtype_proto(x))
            ties.append(((c, label), unit))
        target.append(label)
    return tuple(target), ties
