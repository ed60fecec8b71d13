"""The lists of ops that run in half precision or in float32 in static graph programs."""

from __future__ import annotations

from collections.abc import Iterable

from ...amp.amp_lists import op_lists_with_custom_ops
from ...core.errors import OpError, append_user_line

HALF_DTYPES = ("float16", "bfloat16")


class AutoMixedPrecisionLists:
    """Paddle's op lists, with the user's lists taking precedence.

    black_varnames: variables whose ops stay in float32

    Raises OpError if an op is in both lists, or dtype is neither float16 nor bfloat16.
    """

    def __init__(
        self,
        custom_white_list: Iterable[str] | None = None,
        custom_black_list: Iterable[str] | None = None,
        custom_black_varnames: Iterable[str] | None = None,
        dtype: str = "float16",
    ) -> None:
        if dtype not in HALF_DTYPES:
            raise OpError(append_user_line(f"amp: dtype={dtype!r} is neither float16 nor bfloat16"))
        self.amp_dtype = dtype
        self._custom_lists = custom_white_list, custom_black_list
        self.white_list, self.black_list = map(
            set, op_lists_with_custom_ops("O1", dtype, *self._custom_lists)
        )
        self.black_varnames = set(custom_black_varnames or ())

    def black_list_for_level(self, level: str) -> set[str]:
        """Return the op types that run in float32 at a level; the list for O2 is shorter."""
        if level != "O2":
            return self.black_list
        return set(op_lists_with_custom_ops("O2", self.amp_dtype, *self._custom_lists).black)


CustomOpLists = AutoMixedPrecisionLists
