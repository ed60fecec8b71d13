"""Docstrings of the in-place variants, such as `Tensor.add_` and `functional.relu_`, made from
those of the functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .math import example_lines

# Example of each in-place method of Tensor: x, the other arguments, and the new value of x.
_EXAMPLES_OF_METHODS = {
    "abs": ("[-2, 0, 3]", "", "[2, 0, 3]"),
    "acos": ("[-1.0, 0.0, 0.5]", "", "[3.142 1.571 1.047]"),
    "acosh": ("[1.0, 2.0, 3.0]", "", "[0.    1.317 1.763]"),
    "add": ("[1, 2]", "paddle.to_tensor([10, 20])", "[11, 22]"),
    "addmm": (
        "[[1.0, 1.0]]",
        "paddle.to_tensor([[2.0]]), paddle.to_tensor([[3.0, 4.0]])",
        "[[7. 9.]]",
    ),
    "asin": ("[-1.0, 0.0, 0.5]", "", "[-1.571  0.     0.524]"),
    "asinh": ("[-1.0, 0.0, 2.0]", "", "[-0.881  0.     1.444]"),
    "atan": ("[-1.0, 0.0, 2.0]", "", "[-0.785  0.     1.107]"),
    "atanh": ("[-0.5, 0.0, 0.9]", "", "[-0.549  0.     1.472]"),
    "bitwise_and": ("[6, 5]", "paddle.to_tensor([3, 1])", "[2, 1]"),
    "bitwise_not": ("[0, 5]", "", "[-1, -6]"),
    "bitwise_or": ("[6, 5]", "paddle.to_tensor([3, 1])", "[7, 5]"),
    "bitwise_xor": ("[6, 5]", "paddle.to_tensor([3, 1])", "[5, 4]"),
    "cast": ("[1.7, -1.7]", '"int32"', "[1, -1]"),
    "ceil": ("[-1.5, 1.5]", "", "[-1.  2.]"),
    "clip": ("[-2, 0, 3]", "min=-1, max=1", "[-1, 0, 1]"),
    "cos": ("[0.0, 0.5, 1.0]", "", "[1.    0.878 0.54 ]"),
    "cosh": ("[-1.0, 0.0, 2.0]", "", "[1.543 1.    3.762]"),
    "cumprod": ("[[1, 2], [3, 4]]", "0", "[[1, 2], [3, 8]]"),
    "cumsum": ("[[1, 2], [3, 4]]", "0", "[[1, 2], [4, 6]]"),
    "digamma": ("[1.0, 2.0, 0.5]", "", "[-0.577  0.423 -1.964]"),
    "divide": ("[1.0, 2.0]", "paddle.to_tensor([2.0, 4.0])", "[0.5 0.5]"),
    "equal": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[False, True, False]"),
    "erf": ("[-1.0, 0.0, 0.5]", "", "[-0.843  0.     0.52 ]"),
    "erfinv": ("[-0.5, 0.0, 0.9]", "", "[-0.477  0.     1.163]"),
    "exp": ("[0.0, 1.0, 2.0]", "", "[1.    2.718 7.389]"),
    "expm1": ("[0.0, 1.0, 2.0]", "", "[0.    1.718 6.389]"),
    "flatten": ("[[1, 2], [3, 4]]", "", "[1, 2, 3, 4]"),
    "floor": ("[-1.5, 1.5]", "", "[-2.  1.]"),
    "floor_divide": ("[7, -7]", "paddle.to_tensor([2, 2])", "[3, -4]"),
    "frac": ("[-1.75, 0.5]", "", "[-0.75  0.5 ]"),
    "gcd": ("[12, -18]", "paddle.to_tensor([8, 27])", "[4, 9]"),
    "greater_equal": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[False, True, True]"),
    "greater_than": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[False, False, True]"),
    "hypot": ("[3.0, 5.0]", "paddle.to_tensor([4.0, 12.0])", "[ 5. 13.]"),
    "i0": ("[0.0, 1.0, -2.0]", "", "[1.    1.266 2.28 ]"),
    "index_add": (
        "[[1, 2], [3, 4]]",
        "paddle.to_tensor([0]), 0, paddle.to_tensor([[10, 10]])",
        "[[11, 12], [3, 4]]",
    ),
    "index_fill": ("[[1, 2], [3, 4]]", "paddle.to_tensor([0]), 0, -1", "[[-1, -1], [3, 4]]"),
    "index_put": ("[1, 2, 3]", "(paddle.to_tensor([0, 2]),), paddle.to_tensor(9)", "[9, 2, 9]"),
    "lcm": ("[12, 0]", "paddle.to_tensor([8, 3])", "[24, 0]"),
    "ldexp": ("[1.0, 2.0]", "paddle.to_tensor([2, 3])", "[ 4. 16.]"),
    "lerp": ("[1.0, 2.0]", "paddle.to_tensor([3.0, 6.0]), 0.25", "[1.5 3. ]"),
    "less_equal": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[True, True, False]"),
    "less_than": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[True, False, False]"),
    "lgamma": ("[0.5, 3.0, 4.0]", "", "[0.572 0.693 1.792]"),
    "log": ("[1.0, 2.0, 10.0]", "", "[0.    0.693 2.303]"),
    "log10": ("[1.0, 2.0, 10.0]", "", "[0.    0.301 1.   ]"),
    "log1p": ("[0.0, 1.0, 2.0]", "", "[0.    0.693 1.099]"),
    "log2": ("[1.0, 2.0, 10.0]", "", "[0.    1.    3.322]"),
    "logical_and": ("[True, True]", "paddle.to_tensor([True, False])", "[True, False]"),
    "logical_not": ("[True, False]", "", "[False, True]"),
    "logical_or": ("[True, False]", "paddle.to_tensor([False, False])", "[True, False]"),
    "logical_xor": ("[True, True]", "paddle.to_tensor([True, False])", "[False, True]"),
    "logit": ("[0.2, 0.5, 0.9]", "", "[-1.386  0.     2.197]"),
    "masked_fill": ("[1, 5, 2]", "paddle.to_tensor([False, True, False]), 0", "[1, 0, 2]"),
    "mod": ("[7, -7]", "paddle.to_tensor([3, 3])", "[1, 2]"),
    "multigammaln": ("[2.0, 3.0]", "2", "[0.452 1.55 ]"),
    "multiply": ("[1, 2]", "paddle.to_tensor([10, 20])", "[10, 40]"),
    "nan_to_num": ('[1.5, float("nan")]', "", "[1.5 0. ]"),
    "neg": ("[1, -2]", "", "[-1, 2]"),
    "not_equal": ("[1, 2, 3]", "paddle.to_tensor([3, 2, 1])", "[True, False, True]"),
    "polygamma": ("[1.0, 2.0]", "1", "[1.645 0.645]"),
    "pow": ("[1, 2, 3]", "2", "[1, 4, 9]"),
    "put_along_axis": ("[[1, 2], [3, 4]]", "paddle.to_tensor([[0]]), 9, 1", "[[9, 2], [9, 4]]"),
    "reciprocal": ("[1.0, 2.0, -4.0]", "", "[ 1.    0.5  -0.25]"),
    "renorm": ("[[3.0, 4.0]]", "2.0, 0, 1.0", "[[0.6 0.8]]"),
    "reshape": ("[[1, 2], [3, 4]]", "[-1]", "[1, 2, 3, 4]"),
    "round": ("[-1.5, 0.4, 2.5]", "", "[-2.  0.  3.]"),
    "rsqrt": ("[1.0, 2.0, 4.0]", "", "[1.    0.707 0.5  ]"),
    "scale": ("[1.0, 2.0]", "scale=2.0, bias=1.0", "[3. 5.]"),
    "scatter": (
        "[[1, 2], [3, 4]]",
        "paddle.to_tensor([1]), paddle.to_tensor([[9, 9]])",
        "[[1, 2], [9, 9]]",
    ),
    "sin": ("[0.0, 0.5, 1.0]", "", "[0.    0.479 0.841]"),
    "sinh": ("[-1.0, 0.0, 2.0]", "", "[-1.175  0.     3.627]"),
    "sqrt": ("[0.0, 2.0, 9.0]", "", "[0.    1.414 3.   ]"),
    "square": ("[3, -4]", "", "[9, 16]"),
    "squeeze": ("[[1, 2]]", "0", "[1, 2]"),
    "subtract": ("[1, 2]", "paddle.to_tensor([10, 20])", "[-9, -18]"),
    "t": ("[[1, 2], [3, 4]]", "", "[[1, 3], [2, 4]]"),
    "tan": ("[0.0, 0.5, 1.0]", "", "[0.    0.546 1.557]"),
    "tanh": ("[-1.0, 0.0, 2.0]", "", "[-0.762  0.     0.964]"),
    "transpose": ("[[1, 2], [3, 4]]", "[1, 0]", "[[1, 3], [2, 4]]"),
    "tril": ("[[1, 2], [3, 4]]", "", "[[1, 0], [3, 4]]"),
    "triu": ("[[1, 2], [3, 4]]", "", "[[1, 2], [0, 4]]"),
    "trunc": ("[-1.7, 0.5]", "", "[-1.  0.]"),
    "unsqueeze": ("[1, 2]", "0", "[[1, 2]]"),
}


def in_place_method_docstring(
    function: Callable[..., Any], *, preserves_shape: bool, preserves_dtype: bool
) -> str:
    """Return the docstring of the method of Tensor that is the in-place variant of a function.

    preserves_shape, preserves_dtype: whether a result of another shape or dtype is an error
    """
    name = function.__name__
    x, others, shown = _EXAMPLES_OF_METHODS[name]
    kept = [
        what
        for what, is_kept in (("shape", preserves_shape), ("dtype", preserves_dtype))
        if is_kept
    ]
    rule = f", or the {' or '.join(kept)} would change" if kept else ""
    return in_place_docstring(function, x, f"x.{name}_({others})", shown, rule)


def in_place_docstring(
    function: Callable[..., Any], x: str, call: str, shown: str, rule: str = ""
) -> str:
    """Return the docstring of the in-place variant of a function.

    x, call, shown: its example: an operand, a call, and the new value of the operand
    rule: a further reason for an OpError, beginning with a comma
    """
    documentation = function.__doc__
    if not documentation:  # `python -OO` removes docstrings
        return ""
    arguments, _, remainder = documentation.partition("\n    Returns\n")
    summary, _, arguments = arguments.partition("\n")
    raises = remainder.partition("\n    Raises\n    ------\n")[2]
    raises = raises.partition("\n    Examples\n")[0].partition("\n    See Also\n")[0].rstrip()
    operand = function.__code__.co_varnames[0]
    return f"""{summary.rstrip(".")}, in place.
{arguments}
    Returns
    -------
    Tensor
        {operand} itself, which is changed.

    Raises
    ------
{_add_op_error(raises, f"If {operand} is a leaf that requires a gradient{rule}.")}

    Examples
    --------
    >>> x = paddle.to_tensor({x})
    >>> y = {call}
    {example_lines("x", shown)}
    """


def _add_op_error(raises: str, reason: str) -> str:
    """Return the entries of a section Raises with a further reason for an OpError."""
    lines = raises.splitlines()
    entry, description = "    OpError", f"        {reason}"
    if entry not in lines:
        return "\n".join([entry, description, *lines])
    end = lines.index(entry) + 1
    while end < len(lines) and lines[end].startswith("        "):
        end += 1
    return "\n".join([*lines[:end], description, *lines[end:]])
