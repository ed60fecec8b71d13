"""VarDesc: a view of a variable's declaration with the methods of Paddle's C++ class."""

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
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    parse_dtype,
    uint8,
)
from ..core.errors import OpError, append_user_line
from ..ir.program import KINDS_WITH_LOD, VarKind
from .desc_view_bases import IdentifiedDescView

KINDS_WITH_SHAPE = (
    VarKind.DENSE,
    VarKind.SELECTED_ROWS,
    VarKind.ARRAY,
    VarKind.STRINGS,
    VarKind.VOCAB,
)


class VarDesc(IdentifiedDescView):
    """A declaration of a variable with the methods of Paddle's C++ class.

    Setters change the program. Methods raise OpError if the type of variable lacks the property.
    """

    _view: Variable

    class VarType:
        """Enumeration of Paddle's dtypes and kinds of variables."""

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
            VarKind.DENSE,
            VarKind.ARRAY,
            VarKind.SELECTED_ROWS,
            VarKind.STEP_SCOPES,
        )
        LOD_RANK_TABLE = VarKind.RANK_TABLE
        FEED_MINIBATCH, FETCH_LIST, READER, RAW = (
            VarKind.FEED,
            VarKind.FETCH,
            VarKind.READER,
            VarKind.RAW,
        )
        STRINGS, VOCAB = VarKind.STRINGS, VarKind.VOCAB

    def __init__(self, variable: Variable) -> None:
        super().__init__(variable)
        # declarations of the outputs of a reader
        self._reader_output_declarations: dict[str, list[Any]] = {
            "shapes": [],
            "dtypes": [],
            "lod_levels": [],
        }

    def _mark_program_changed(self) -> None:
        if self._view._block is not None:
            self._view._block.program.mark_changed()

    def _require_kind(self, kinds: tuple[VarKind, ...], name: str) -> None:
        if self._view.raw.kind not in kinds:
            raise OpError(
                append_user_line(
                    f"'{name}' is not supported by the type of var {self._view.raw.name}, which is "
                    f"{self._view.raw.kind}"
                )
            )

    # -- name and type
    # ------------------------------------------------------------------------------------------

    def name(self) -> str:
        """Return the name of the variable."""
        return self._view.raw.name

    def set_name(self, name: str) -> None:
        """Set the name; ops and the block still refer to the former name."""
        self._view.raw.name = self._view._name = name
        self._mark_program_changed()

    def type(self) -> VarKind:
        """Return the type of the variable: a tensor, an array of tensors, ..."""
        return self._view.raw.kind

    def set_type(self, type: VarKind) -> None:
        """Set the type of the variable."""
        self._view.raw.kind = VarKind(type)
        self._mark_program_changed()

    # -- shape and dtype
    # ---------------------------------------------------------------------------------------------

    def shape(self) -> list[int]:
        """Return the shape, with -1 for dynamic dimensions."""
        self._require_kind(KINDS_WITH_SHAPE, "shape")
        return list(self._view.raw.shape)

    get_shape = shape

    def set_shape(self, shape: Sequence[int]) -> None:
        """Set the shape of the variable."""
        self._require_kind(KINDS_WITH_SHAPE, "shape")
        self._view.raw.shape = tuple(int(d) for d in shape)
        self._mark_program_changed()

    def dtype(self) -> DType:
        """Return the dtype of the variable. If the dtype is not set, return `bool`, the first value
        of Paddle's enum.
        """
        self._require_kind(KINDS_WITH_SHAPE, "dtype")
        return parse_dtype(self._view.raw.dtype or "bool")

    def set_dtype(self, dtype: Any) -> None:
        """Set the dtype of the variable."""
        self._require_kind(KINDS_WITH_SHAPE, "dtype")
        self._view.raw.dtype = parse_dtype(dtype).name
        self._mark_program_changed()

    def element_size(self) -> int:
        """Return the size of an element in bytes."""
        return self.dtype().np.itemsize

    def lod_level(self) -> int:
        """Return the number of LoD levels."""
        self._require_kind(KINDS_WITH_LOD, "lod_level")
        return self._view.raw.lod_level

    def set_lod_level(self, level: int) -> None:
        """Set the number of LoD levels."""
        self._require_kind(KINDS_WITH_LOD, "lod_level")
        self._view.raw.lod_level = int(level)
        self._mark_program_changed()

    # -- outputs of a reader
    # ------------------------------------------------------------------------------------

    def _get_reader_output_property(self, name: str) -> list[Any]:
        self._require_kind((VarKind.READER,), name)
        return list(self._reader_output_declarations[name])

    def _set_reader_output_property(self, name: str, values: Sequence[Any]) -> None:
        self._require_kind((VarKind.READER,), name)
        self._reader_output_declarations[name] = list(values)

    def shapes(self) -> list[list[int]]:
        """Return the shape of each output of a reader."""
        return [list(s) for s in self._get_reader_output_property("shapes")]

    def set_shapes(self, shapes: Sequence[Sequence[int]]) -> None:
        """Set the shape of each output of a reader."""
        self._set_reader_output_property("shapes", shapes)

    def dtypes(self) -> list[DType]:
        """Return the dtype of each output of a reader."""
        return self._get_reader_output_property("dtypes")

    def set_dtypes(self, dtypes: Sequence[Any]) -> None:
        """Set the dtype of each output of a reader."""
        self._set_reader_output_property("dtypes", [parse_dtype(d) for d in dtypes])

    def lod_levels(self) -> list[int]:
        """Return the number of LoD levels of each output of a reader."""
        return self._get_reader_output_property("lod_levels")

    def set_lod_levels(self, levels: Sequence[int]) -> None:
        """Set the number of LoD levels of each output of a reader."""
        self._set_reader_output_property("lod_levels", levels)

    # -- flags
    # --------------------------------------------------------------------------

    def persistable(self) -> bool:
        """Return whether the variable keeps its value between runs."""
        return self._view.raw.persistable

    def set_persistable(self, persistable: bool) -> None:
        """Set whether the variable keeps its value between runs."""
        self._view.raw.persistable = bool(persistable)
        self._mark_program_changed()

    def need_check_feed(self) -> bool:
        """Return whether fed values are checked against the declared shape and dtype."""
        return self._view.raw.need_check_feed()

    def set_need_check_feed(self, value: bool) -> None:
        """Set whether fed values are checked against the declared shape and dtype."""
        self._view.raw.set_need_check_feed(bool(value))

    def stop_gradient(self) -> bool:
        """Return whether no gradient flows through the variable."""
        return self._view.raw.stop_gradient

    def set_stop_gradient(self, value: bool) -> None:
        """Set whether no gradient flows through the variable."""
        self._view.raw.stop_gradient = bool(value)

    def is_parameter(self) -> bool:
        """Return whether the variable is a parameter."""
        return self._view.raw.is_parameter

    def set_is_parameter(self, value: bool) -> None:
        """Set whether the variable is a parameter."""
        self._view.raw.is_parameter = bool(value)


Variable.create_desc_view = VarDesc
