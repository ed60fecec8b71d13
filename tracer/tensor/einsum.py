"""Einstein summation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OperandError, OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor

__all__ = ["einsum"]
METHODS: list[str] = []


def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sum of products of tensors in Einstein notation.

    Each axis of an operand has a label. Axes with the same label are multiplied element by element;
    labels that are not in the result are summed.

    Parameters
    ----------
    equation : str
        Labels of the operands, separated by commas, and "->" with the labels of the result. Labels
        are letters, lower and upper case are the same. "..." stands for axes that broadcast.
        Without "->" the result has "..." and then the labels that occur once, in alphabetical
        order.
    *operands : Tensor, any numeric dtype
        One per term of the equation, of one dtype; a list or tuple of all is accepted too.

    Returns
    -------
    Tensor, dtype of the operands

    Raises
    ------
    OpError
        If the equation and the operands do not fit, or a result with "->" lacks the "..." of the
        operands.

    Notes
    -----
    More than two operands are contracted in pairs, in an order that keeps intermediate results
    small. Unlike in Paddle, there are gradients of a diagonal ("ii->i") and of "..." in only one
    of two operands.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> paddle.einsum("ij,jk->ik", x, x).tolist()  # matrix product
    [[5.0, 5.0], [5.0, 10.0]]
    >>> float(paddle.einsum("ii", x))  # trace
    5.0
    >>> paddle.einsum("bij,bjk->bik", paddle.ones([2, 3, 4]), paddle.ones([2, 4, 5])).shape
    [2, 3, 5]
    """
    if not isinstance(equation, str):
        raise OperandError(
            append_user_line(f"einsum: the equation must be a str, got {type(equation).__name__}")
        )
    xs: Any = (
        list(operands[0])
        if len(operands) == 1 and isinstance(operands[0], list | tuple)
        else list(operands)
    )
    left, arrow, right = equation.lower().replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(xs):
        raise OpError(
            append_user_line(f"einsum: {equation!r} has {len(terms)} terms for {len(xs)} operands")
        )
    if arrow and "..." in left and "..." not in right:
        raise OpError(append_user_line(f"einsum: {equation!r} has no ... in its result"))
    check_tensors(*xs)
    right = right if arrow else _implicit_output(left)
    for i, j in _contraction_order(terms, xs, right):
        remaining = [k for k in range(len(xs)) if k not in (i, j)]
        pair_labels = (
            right
            if not remaining
            else _labels_needed_later(
                terms[i] + terms[j], "".join(terms[k] for k in remaining) + right
            )
        )
        product = _run_einsum_op([terms[i], terms[j]], [xs[i], xs[j]], pair_labels)
        terms, xs = (
            [terms[k] for k in remaining] + [pair_labels],
            [xs[k] for k in remaining] + [product],
        )
    return _run_einsum_op(terms, xs, right) if len(left.split(",")) == 1 else xs[0]


def _run_einsum_op(terms: list[str], xs: list[Tensor], right: str) -> Tensor:
    """Run the op `einsum` on one or two operands.

    right: the term of the output.
    """
    out: Tensor = OPS["einsum"](xs, equation=f"{','.join(terms)}->{right}")[0]
    return out


def _implicit_output(left: str) -> str:
    """Return the output term of an equation without `->`."""
    count = Counter(c for c in left if c.isalpha())
    return ("..." if "..." in left else "") + "".join(sorted(c for c, n in count.items() if n == 1))


def _labels_needed_later(pair: str, others: str) -> str:
    """Return the labels of the product of two operands that are needed later."""
    ellipsis = "..." if "..." in pair else ""
    return ellipsis + "".join(dict.fromkeys(c for c in pair if c.isalpha() and c in others))


def _contraction_order(terms: list[str], xs: list[Tensor], right: str) -> list[tuple[int, int]]:
    """Return the pairs of operands to contract, step by step; each product is appended to the end.

    Greedy by size; dynamic sizes count as 1.
    """
    if len(xs) < 3:
        return [(0, 1)] if len(xs) == 2 else []
    stand_ins = [np.broadcast_to(np.float32(0), [max(d, 1) for d in x.meta.shape]) for x in xs]
    path = np.einsum_path(f"{','.join(terms)}->{right}", *stand_ins, optimize=("greedy", 1e18))[0][
        1:
    ]
    return (
        [(step[0], step[1]) for step in path]
        if all(len(s) == 2 for s in path)
        else [(0, 1)] * (len(xs) - 1)
    )
