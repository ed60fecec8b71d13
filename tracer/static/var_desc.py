"""VarDesc: the declaration of a variable with the methods of Paddle's C++ class, as test suites and
tools read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..capture.variable import Variable
from ..core.dtype import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype_of,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..core.errors import OpError, with_user_line
from ..ir.program import Kind
from .desc import Identified

SHAPED = (Kind.DENSE, Kind.SELECTED_ROWS, Kind.ARRAY, Kind.STRINGS, Kind.VOCAB)
WITH_LEVELS = (Kind.DENSE, Kind.ARRAY)


class VarDesc(Identified):
    """What a program says of a variable.

    Setters change the program; what a kind of variable does not have raises OpError.
    """

    _of: Variable

    class VarType:
        """The dtypes and kinds of variables."""

        BOOL, INT16, INT32, INT64, FP16, FP32, FP64 = (
            bool_,
            int16,
            int32,
            int64,
            float16,
            float32,
            float64,
        )
        UINT8, INT8, BF16, COMPLEX64, COMPLEX128 = uint8, int8, bfloat16, complex64, complex128
        LOD_TENSOR, LOD_TENSOR_ARRAY, SELECTED_ROWS, STEP_SCOPES = (
            Kind.DENSE,
            Kind.ARRAY,
            Kind.SELECTED_ROWS,
            Kind.STEP_SCOPES,
        )
        LOD_RANK_TABLE = Kind.RANK_TABLE
        FEED_MINIBATCH, FETCH_LIST, READER, RAW = Kind.FEED, Kind.FETCH, Kind.READER, Kind.RAW
        STRINGS, VOCAB = Kind.STRINGS, Kind.VOCAB

    def __init__(self, variable: Variable) -> None:
        super().__init__(variable)
        # of the outputs of a reader
        self._read: dict[str, list[Any]] = {"shapes": [], "dtypes": [], "lod_levels": []}

    def _changed(self) -> None:
        if self._of._block is not None:
            self._of._block.program.changed()

    def _needs(self, kinds: tuple[Kind, ...], what: str) -> None:
        if self._of.raw.kind not in kinds:
            name, kind = self._of.raw.name, self._of.raw.kind
            raise OpError(
                with_user_line(
                    f"'{what}' is not supported by the type of var {name}, which is {kind}"
                )
            )

    # -- name and kind
    # ------------------------------------------------------------------------------------------

    def name(self) -> str:
        """The name."""
        return self._of.raw.name

    def set_name(self, name: str) -> None:
        """Call it otherwise; ops, and its block, still know the name that it had."""
        self._of.raw.name = self._of._name = name
        self._changed()

    def type(self) -> Kind:
        """What it is: a tensor, an array of tensors, ..."""
        return self._of.raw.kind

    def set_type(self, type: Kind) -> None:
        """Let it be of another kind."""
        self._of.raw.kind = Kind(type)
        self._changed()

    # -- its tensor
    # ---------------------------------------------------------------------------------------------

    def shape(self) -> list[int]:
        """The sizes, -1 for one that only a run knows."""
        self._needs(SHAPED, "shape")
        return list(self._of.raw.shape)

    get_shape = shape

    def set_shape(self, shape: Sequence[int]) -> None:
        """Declare the sizes."""
        self._needs(SHAPED, "shape")
        self._of.raw.shape = tuple(int(d) for d in shape)
        self._changed()

    def dtype(self) -> DType:
        """The element type; `bool`, the first of all, where nothing was said."""
        self._needs(SHAPED, "dtype")
        return dtype_of(self._of.raw.dtype or "bool")

    def set_dtype(self, dtype: Any) -> None:
        """Declare the element type."""
        self._needs(SHAPED, "dtype")
        self._of.raw.dtype = dtype_of(dtype).name
        self._changed()

    def element_size(self) -> int:
        """The bytes of an element."""
        return self.dtype().np.itemsize

    def lod_level(self) -> int:
        """How deep the sequences nest whose rows it holds."""
        self._needs(WITH_LEVELS, "lod_level")
        return self._of.raw.lod_level

    def set_lod_level(self, level: int) -> None:
        """Declare how deep sequences nest."""
        self._needs(WITH_LEVELS, "lod_level")
        self._of.raw.lod_level = int(level)
        self._changed()

    # -- outputs of a reader
    # ------------------------------------------------------------------------------------

    def _part(self, what: str) -> list[Any]:
        self._needs((Kind.READER,), what)
        return list(self._read[what])

    def _set_part(self, what: str, values: Sequence[Any]) -> None:
        self._needs((Kind.READER,), what)
        self._read[what] = list(values)

    def shapes(self) -> list[list[int]]:
        """The sizes of each tensor of a reader."""
        return [list(s) for s in self._part("shapes")]

    def set_shapes(self, shapes: Sequence[Sequence[int]]) -> None:
        """Declare the sizes of each tensor of a reader."""
        self._set_part("shapes", shapes)

    def dtypes(self) -> list[DType]:
        """The element type of each tensor of a reader."""
        return self._part("dtypes")

    def set_dtypes(self, dtypes: Sequence[Any]) -> None:
        """Declare the element type of each tensor of a reader."""
        self._set_part("dtypes", [dtype_of(d) for d in dtypes])

    def lod_levels(self) -> list[int]:
        """How deep the sequences of each tensor of a reader nest."""
        return self._part("lod_levels")

    def set_lod_levels(self, levels: Sequence[int]) -> None:
        """Declare how deep the sequences of each tensor of a reader nest."""
        self._set_part("lod_levels", levels)

    # -- marks
    # --------------------------------------------------------------------------

    def persistable(self) -> bool:
        """Whether its value outlives a run."""
        return self._of.raw.persistable

    def set_persistable(self, persistable: bool) -> None:
        """Let its value outlive a run, or not."""
        self._of.raw.persistable = bool(persistable)
        self._changed()

    def need_check_feed(self) -> bool:
        """Whether what is fed is compared with the declaration."""
        return self._of.raw.need_check_feed()

    def set_need_check_feed(self, value: bool) -> None:
        """Let what is fed be compared with the declaration, or not."""
        self._of.raw.set_need_check_feed(bool(value))

    def stop_gradient(self) -> bool:
        """Whether no gradient flows through it."""
        return self._of.raw.stop_gradient

    def set_stop_gradient(self, value: bool) -> None:
        """Let gradients flow through it, or not."""
        self._of.raw.stop_gradient = bool(value)

    def is_parameter(self) -> bool:
        """Whether it is a parameter."""
        return self._of.raw.is_parameter

    def set_is_parameter(self, value: bool) -> None:
        """Let it be a parameter, or not."""
        self._of.raw.is_parameter = bool(value)


Variable.describe = VarDesc
