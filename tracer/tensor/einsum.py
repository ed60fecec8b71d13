"""Einstein's sums."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..core.errors import OperandError, OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor

__all__ = ["einsum"]
METHODS: list[str] = []


def einsum(equation: str, *operands: Any) -> Tensor:
    """The sums of products that an equation tells: `ij,jk->ik` is the product of matrices.

    operands [*] each -> [*]

    Labels are letters, small or capital alike; `...` stands for axes that broadcast.
    Without `->`, the result has `...` and then the
    labels that occur once, in the order of the alphabet.
    More than two operands are multiplied two by two.
    """
    if not isinstance(equation, str):
        raise OperandError(
            with_user_line(f"einsum: the equation is {type(equation).__name__}, not a str")
        )
    xs = (
        list(operands[0])
        if len(operands) == 1 and isinstance(operands[0], list | tuple)
        else list(operands)
    )
    left, arrow, right = equation.lower().replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(xs):
        raise OpError(
            with_user_line(f"einsum: {equation!r} is for {len(terms)} operands, not {len(xs)}")
        )
    if arrow and "..." in left and "..." not in right:
        raise OpError(with_user_line(f"einsum: {equation!r} has no ... in its result"))
    check_tensors(*xs)
    right = right if arrow else _implied(left)
    for i, j in _order(terms, xs, right):
        rest = [k for k in range(len(xs)) if k not in (i, j)]
        kept = (
            right
            if not rest
            else _kept(terms[i] + terms[j], "".join(terms[k] for k in rest) + right)
        )
        made = _sum([terms[i], terms[j]], [xs[i], xs[j]], kept)
        terms, xs = [terms[k] for k in rest] + [kept], [xs[k] for k in rest] + [made]
    return _sum(terms, xs, right) if len(left.split(",")) == 1 else xs[0]


def _sum(terms: list[str], xs: list[Tensor], right: str) -> Tensor:
    found: Tensor = OPS["einsum"](xs, equation=f"{','.join(terms)}->{right}")[0]
    return found


def _implied(left: str) -> str:
    """The result of an equation without one."""
    count = Counter(c for c in left if c.isalpha())
    return ("..." if "..." in left else "") + "".join(sorted(c for c, n in count.items() if n == 1))


def _kept(pair: str, others: str) -> str:
    """The labels of a product of two operands that are still needed."""
    found = "..." if "..." in pair else ""
    return found + "".join(dict.fromkeys(c for c in pair if c.isalpha() and c in others))


def _order(terms: list[str], xs: list[Tensor], right: str) -> list[tuple[int, int]]:
    """Which two operands to multiply, step by step; what they give goes to the end.

    Greedy on the sizes, unknown ones taken as 1.
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
