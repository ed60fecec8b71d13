"""What a branch or a loop gives: values that become variables of the program, and how those of two
sides agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...core.dtype import dtype_of, is_float
from ...core.errors import TraceError, with_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.plain_values import identical
from ..symbolic_scalars import NUMBERS, stands_for
from ..variable import Variable

SHOWN = 4  # of the elements of a container, in an error


class Undefined:
    """A name that no path to here has given a value.

    why: what an error says of it; meta: of the value on another path.
    """

    _has_no_value = True  # for who cannot know this class

    def __init__(self, name: str, why: str = "", meta: Meta | None = None) -> None:
        self.__dict__.update(name=name, why=why, meta=meta)

    def use(self) -> NoReturn:
        """Raise UnboundLocalError for a local variable and NameError for any other name."""
        kind = UnboundLocalError if self.name.isidentifier() else NameError
        why = self.why or "was not given a value before"
        raise kind(with_user_line(f"'{self.name}' {why}"))

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__") and attribute not in USING:
            raise AttributeError(attribute)
        return self.use()

    def __repr__(self) -> str:
        return f"<{self.name} has no value>"


USING = (
    "__add__",
    "__radd__",
    "__sub__",
    "__rsub__",
    "__mul__",
    "__rmul__",
    "__truediv__",
    "__rtruediv__",
    "__matmul__",
    "__pow__",
    "__rpow__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__eq__",
    "__ne__",
    "__bool__",
    "__getitem__",
    "__setitem__",
    "__len__",
    "__iter__",
    "__call__",
    "__neg__",
    "__float__",
    "__int__",
    "__index__",
    "__contains__",
    "__mod__",
    "__floordiv__",
    "__and__",
    "__or__",
    "__invert__",
)
for _name in USING:
    setattr(Undefined, _name, lambda self, *_: self.use())
Undefined.__hash__ = object.__hash__  # type: ignore[method-assign]


def is_number(value: Any) -> bool:
    """Whether `value` is a Python or NumPy number or truth value."""
    return isinstance(value, NUMBERS)


def number_meta(value: Any) -> Meta:
    """What a number becomes as a tensor: int64, bool or float64, which are as exact as Python's;
    0-D.
    """
    if isinstance(value, bool | np.bool_):
        return Meta((), np.dtype(bool))
    return Meta((), np.dtype(np.int64 if isinstance(value, int | np.integer) else np.float64))


def constant(value: Any, dtype: np.dtype[Any] | None = None) -> Tensor:
    """A number as a 0-D value of the program."""
    return filled((), value, dtype or number_meta(value).dtype)


def filled(shape: Sequence[int], value: Any, dtype: np.dtype[Any]) -> Tensor:
    """A value of the program that is `value` everywhere; a size of -1 becomes 1."""
    plain = value.item() if isinstance(value, np.generic) else value
    text = repr(int(plain) if isinstance(plain, bool) else plain)
    held = math.copysign(math.inf, plain) if abs(plain) >= 1 << 63 else float(plain)
    found: Tensor = OPS["fill_constant"](
        shape=[max(d, 1) if d < 0 else d for d in shape],
        value=held,
        str_value=text,
        dtype=dtype_of(dtype).proto,
    )
    return found


def zeros(meta: Meta) -> Tensor:
    """Zeros where a value is wanted and nobody looks at it; a size of -1 becomes 1."""
    return filled(meta.shape, False if meta.dtype == bool else 0, meta.dtype)


def unset(meta: Meta) -> Tensor:
    """What a variable holds that has no value yet: NaN where there is one, else zeros; a size of -1
    becomes 1.
    """
    return filled(meta.shape, math.nan, meta.dtype) if is_float(meta.dtype) else zeros(meta)


def meta_of(value: Any) -> Meta | None:
    """The Meta of a tensor or number; None for anything else."""
    if isinstance(value, Tensor):
        return value.meta
    if isinstance(value, np.ndarray):
        return Meta(value.shape, value.dtype)
    return number_meta(value) if is_number(value) else None


def same(a: Any, b: Any) -> bool:
    """Whether two Python values are identical, or lists or tuples of such."""
    if type(a) is type(b) and isinstance(a, tuple | list) and len(a) == len(b):
        return a is b or all(same(x, y) for x, y in zip(a, b, strict=True))
    return identical(a, b)


def common(name: str, a: Any, b: Any, sides: tuple[str, str]) -> Meta:
    """The Meta that holds the values of both sides; sizes that differ are -1.

    sides: where each comes from, for the error.
    """
    one, two = meta_of(a), meta_of(b)
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        refuse(
            name,
            a,
            b,
            sides,
            "dicts whose values differ in kind, or whose keys come in another order; give "
            "them in one order",
        )
    for value in (a, b):
        if isinstance(value, Variable) and value.mixed:
            raise TraceError(
                with_user_line(
                    f"'{name}': it has another dtype or number of axes in each branch{value.mixed}"
                )
            )
    if one is None or two is None:
        why = "only tensors and numbers can depend on a tensor's value"
        if name.startswith("the value returned"):  # what programs for Paddle look for
            why += ". Your if/else have different number of return value."
        refuse(name, a, b, sides, why)
    dtype = common_dtype(a, b)
    if dtype is None:
        refuse(name, a, b, sides, "the dtypes differ; cast one of them")
    if is_number(a) != is_number(b):  # a number takes the shape of the tensor that it meets
        return Meta(two.shape if is_number(a) else one.shape, dtype)
    if len(one.shape) != len(two.shape):
        refuse(name, a, b, sides, "the numbers of axes differ")
    return Meta(
        tuple(p if p == q else -1 for p, q in zip(one.shape, two.shape, strict=True)), dtype
    )


def common_dtype(a: Any, b: Any) -> np.dtype[Any] | None:
    """The dtype of two values; a number takes that of a tensor beside it, where that
    loses nothing.
    """
    one, two = meta_of(a), meta_of(b)
    assert one is not None
    assert two is not None
    if one.dtype == two.dtype:
        return one.dtype
    numbers = _only_number(a), _only_number(b)
    if numbers == (True, True):
        return (
            one.dtype
            if one.dtype.kind == "f"
            else two.dtype
            if two.dtype.kind == "f"
            else np.dtype(np.int64)
        )
    for is_num, number, tensor in ((numbers[0], one, two), (numbers[1], two, one)):
        if is_num and "biufc".index(number.dtype.kind.replace("u", "i")) <= "biufc".index(
            tensor.dtype.kind
        ):
            return tensor.dtype
    return None


def _only_number(value: Any) -> bool:
    """Whether a value is a number on all ways, of which a run may know which one."""
    stands = stands_for(value)
    return stands is not None and Tensor not in stands.types


def refuse(name: str, a: Any, b: Any, sides: tuple[str, str], why: str) -> NoReturn:
    """Raise TraceError that shows a value of both sides, and the line that gave each."""
    lines = "".join(f"\n  {side}: {shown(v)}" for side, v in zip(sides, (a, b), strict=True))
    raise TraceError(with_user_line(f"'{name}': {why}{lines}"))


def shown(value: Any) -> str:
    """A value as an error shows it: what it is, and the line of the program that made it."""
    if isinstance(value, Variable):
        return f"{value.meta}{value.made_at}"
    if isinstance(value, Tensor):
        return str(value.meta)
    if isinstance(value, Undefined):
        return "no value"
    if type(value) in (list, tuple, dict):
        return _shown_container(value)
    name = type(value).__name__
    return f"{value!r:.60}" if repr(value).startswith(name) else f"{name} {value!r:.60}"


def _shown_container(value: Any) -> str:
    """A list, tuple or dict with what is in it, and the lines that made this."""
    items = list(value.items()) if isinstance(value, dict) else [(None, v) for v in value]
    inside = [shown(v) if key is None else f"{key!r}: {shown(v)}" for key, v in items[:SHOWN]]
    more = ["..."] if len(items) > SHOWN else []
    return (
        f"{type(value).__name__} of {len(items)}: {', '.join([*inside, *more])}"
        if items
        else f"an empty {type(value).__name__}"
    )


def as_meta(value: Any, meta: Meta) -> Tensor:
    """A tensor as one of the dtype of `meta`, or a number as a tensor like `meta`."""
    if not isinstance(value, Tensor):
        return (
            filled(meta.shape, value, meta.dtype)
            if is_number(value)
            else Tensor(np.asarray(value, meta.dtype))
        )
    if value.meta.dtype == meta.dtype:
        return value
    proto = dtype_of(value.meta.dtype).proto
    found: Tensor = OPS["cast"](value, in_dtype=proto, out_dtype=dtype_of(meta.dtype).proto)
    return found


def as_condition(value: Any) -> Any:
    """A value as the truth value that `if` asks for: numbers are true where they are not 0."""
    if isinstance(value, Variable) and value.meta.dtype != bool:
        proto = dtype_of(value.meta.dtype).proto
        return OPS["cast"](value, in_dtype=proto, out_dtype=0)
    return value


def size_along(shape: tuple[int, ...], axis: int) -> int:
    """The size of an axis, 1 for one behind all: what OutIndex of a list says, stacked or not, as
    in Paddle.
    """
    return shape[axis] if -len(shape) <= axis < len(shape) else 1
