"""Comparison and logic. x and y broadcast; the result is bool."""

from __future__ import annotations

from ..core.op import OPS
from ..core.tensor import Tensor
from .math import make_binary_function

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "equal_all",
    "greater_equal",
    "greater_than",
    "is_empty",
    "is_tensor",
    "isclose",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]
IN_PLACE = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "greater_equal",
    "greater_than",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]
METHODS = [n for n in __all__ if n != "is_tensor"]


equal = make_binary_function(
    "equal",
    "Whether two elements are equal.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[False, True, False]",
    formula="x == y",
    notes="NaN equals nothing.",
    result="bool",
)
not_equal = make_binary_function(
    "not_equal",
    "Whether two elements are different.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[True, False, True]",
    formula="x != y",
    notes="NaN differs from everything.",
    result="bool",
)
less_than = make_binary_function(
    "less_than",
    "Whether the first element is less than the second.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[True, False, False]",
    formula="x < y",
    dtypes="bool, integer or floating",
    notes="False if an element is NaN.",
    result="bool",
)
less_equal = make_binary_function(
    "less_equal",
    "Whether the first element is less than or equal to the second.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[True, True, False]",
    formula="x <= y",
    dtypes="bool, integer or floating",
    notes="False if an element is NaN.",
    result="bool",
)
greater_than = make_binary_function(
    "greater_than",
    "Whether the first element is greater than the second.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[False, False, True]",
    formula="x > y",
    dtypes="bool, integer or floating",
    notes="False if an element is NaN.",
    result="bool",
)
greater_equal = make_binary_function(
    "greater_equal",
    "Whether the first element is greater than or equal to the second.",
    ("[1, 2, 3]", "[3, 2, 1]"),
    "[False, True, True]",
    formula="x >= y",
    dtypes="bool, integer or floating",
    notes="False if an element is NaN.",
    result="bool",
)
logical_and = make_binary_function(
    "logical_and",
    "Logical and of two elements.",
    ("[True, True, False]", "[True, False, False]"),
    "[True, False, False]",
    formula="x and y",
    notes="Of numeric operands, all values but 0 count as True.",
    result="bool",
)
logical_or = make_binary_function(
    "logical_or",
    "Logical or of two elements.",
    ("[True, True, False]", "[True, False, False]"),
    "[True, True, False]",
    formula="x or y",
    notes="Of numeric operands, all values but 0 count as True.",
    result="bool",
)
logical_xor = make_binary_function(
    "logical_xor",
    "Logical exclusive or: whether exactly one of two elements is True.",
    ("[True, True, False]", "[True, False, False]"),
    "[False, True, False]",
    formula="x != y, for operands that are True or False",
    notes="Of numeric operands, all values but 0 count as True.",
    result="bool",
)


def logical_not(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Logical not of each element.

    out = not x

    Parameters
    ----------
    x : Tensor [*], any dtype
        Of numbers, all values but 0 count as True.
    out : Any, optional
        Not used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], bool

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.logical_not(paddle.to_tensor([True, False])).tolist()
    [False, True]
    """
    return OPS["logical_not"](x)


bitwise_and = make_binary_function(
    "bitwise_and",
    "Bitwise and of two elements.",
    ("[6, 5]", "[3, 1]"),
    "[2, 1]",
    formula="x & y",
    dtypes="bool or integer",
)
bitwise_or = make_binary_function(
    "bitwise_or",
    "Bitwise or of two elements.",
    ("[6, 5]", "[3, 1]"),
    "[7, 5]",
    formula="x | y",
    dtypes="bool or integer",
)
bitwise_xor = make_binary_function(
    "bitwise_xor",
    "Bitwise exclusive or of two elements.",
    ("[6, 5]", "[3, 1]"),
    "[5, 4]",
    formula="x ^ y",
    dtypes="bool or integer",
)


def bitwise_not(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Bitwise complement of each element.

    out = ~x; not x if x is bool

    Parameters
    ----------
    x : Tensor [*], bool or integer
    out : Any, optional
        Not used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not bool and has no integers.

    Examples
    --------
    >>> paddle.bitwise_not(paddle.to_tensor([0, 5, -1])).tolist()
    [-1, -6, 0]
    """
    return OPS["bitwise_not"](x)


def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Whether two tensors have the same shape and equal elements.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], any dtype
        Both have the same dtype. They do not broadcast.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], bool

    Raises
    ------
    OpError
        If the dtypes differ.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2])
    >>> bool(paddle.equal_all(x, paddle.to_tensor([1, 2])))
    True
    >>> bool(paddle.equal_all(x, paddle.to_tensor([1, 2, 3])))
    False
    """
    return OPS["equal_all"](x, y)


def isclose(
    x: Tensor,
    y: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether elements are equal up to a tolerance.

    out = |x - y| <= atol + rtol * |y|

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B]
        Both have the same dtype.
    rtol : float, default 1e-05
        Tolerance relative to y.
    atol : float, default 1e-08
        Absolute tolerance.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], bool

    Raises
    ------
    OpError
        If the shapes do not broadcast, the dtypes differ, or an operand is not a Tensor.

    Notes
    -----
    Equal infinities are close.

    Examples
    --------
    >>> x, y = paddle.to_tensor([100.0, 1.0]), paddle.to_tensor([100.0001, 1.1])
    >>> paddle.isclose(x, y).tolist()
    [True, False]
    """
    return OPS["isclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def allclose(
    x: Tensor,
    y: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether all elements are equal up to a tolerance.

    out = all(|x - y| <= atol + rtol * |y|)

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B]
        Both have the same dtype.
    rtol : float, default 1e-05
        Tolerance relative to y.
    atol : float, default 1e-08
        Absolute tolerance.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], bool

    Raises
    ------
    OpError
        If the shapes do not broadcast, the dtypes differ, or an operand is not a Tensor.

    Examples
    --------
    >>> x, y = paddle.to_tensor([100.0, 1.0]), paddle.to_tensor([100.0001, 1.1])
    >>> bool(paddle.allclose(x, y)), bool(paddle.allclose(x, y, atol=0.2))
    (False, True)
    """
    return OPS["allclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Whether a tensor has no elements.

    Parameters
    ----------
    x : Tensor [*], any dtype
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], bool

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> bool(paddle.is_empty(paddle.zeros([0, 2])))
    True
    """
    return OPS["is_empty"](x)


def is_tensor(x: object) -> bool:
    """Whether an object is a Tensor.

    Parameters
    ----------
    x : Any

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.is_tensor(paddle.zeros([2])), paddle.is_tensor(np.zeros(2))
    (True, False)
    """
    return isinstance(x, Tensor) and x.is_tensor()  # a variable may represent a number
