"""Errors of ops on shapes, indices and new tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.errors import OpError
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor

from .rejected_calls import assert_rejected, f, ix

# Warnings are not errors here: an op must reject invalid operands also where NumPy only warns.
pytestmark = pytest.mark.filterwarnings("ignore")


# fmt: off
REJECTED: list[tuple[str, list[Any], dict[str, Any], str]] = [
    ("reshape2", [f(2, 3)], {"shape": [4, -1]}, "shape=[4, -1]: the 6 elements of X are not a multiple of 4 (X=float32[2,3])"),
    ("reshape2", [f(2, 3)], {"shape": [-1, -1]}, "shape=[-1, -1] contains more than one -1"),
    ("reshape2", [f(2, 3)], {"shape": [-2, 3]}, "shape=[-2, 3] contains a size below -1"),
    ("reshape2", [f(2, 3)], {"shape": [3, 2, 0]}, "has a 0 at the position of an axis that X does not have"),
    ("reshape2", [f(0, 3)], {"shape": [0, -1]}, "the 0 elements of X are not a multiple of 0"),
    ("reshape2", [f(2, 3)], {"shape": []}, "shape=[] has 1 elements, X has 6"),
    ("squeeze2", [f(2, 1)], {"axes": [2]}, "axes=2 is outside of [-2, 1]"),
    ("unsqueeze2", [f(2, 3)], {"axes": [4]}, "axes=4 is outside of [-3, 2]"),
    ("flatten_contiguous_range", [f(2, 3)], {"start_axis": 1, "stop_axis": 0}, "stop_axis=0 comes before start_axis=1"),
    ("transpose2", [f(2, 3)], {"axis": [0, 0]}, "axis=[0, 0] names an axis twice"),
    ("transpose2", [f(2, 3)], {"axis": [0]}, "axis=[0] does not name every axis of rank 2"),
    ("flip", [f(2, 3)], {"axis": [0, -2]}, "names an axis twice"),
    ("roll", [f(2, 3)], {"axis": [0], "shifts": [1, 2]}, "shifts=[1, 2] has another number of elements than axis=[0]"),
    ("roll", [f(2, 3)], {"axis": [5], "shifts": [1]}, "axis=5 is outside of [-2, 1]"),
    ("expand_v2", [f(2, 3)], {"shape": [3]}, "shape=[3] has fewer axes than X"),
    ("expand_v2", [f(2, 3)], {"shape": [-1, 2, 3]}, "has a -1 at the position of an axis that X does not have"),
    ("expand_v2", [f(2, 3)], {"shape": [4, 3]}, "X does not expand to shape=[4, 3]"),
    ("expand_as_v2", [f(2, 3), f(4, 3)], {}, "X does not expand to shape=[4, 3] (X=float32[2,3], Y=float32[4,3])"),
    ("expand_as_v2", [f(1, 3)], {"target_shape": [-1, 3]}, "contains -1"),
    ("tile", [f(2)], {"repeat_times": [0]}, "repeat_times=[0] are not all positive"),
    ("broadcast_tensors", [[f(2), f(3)]], {}, "the shapes do not broadcast: axis -1 has 2 and 3 elements"),
    ("tril_triu", [f(3)], {}, "needs at least two axes"),
    ("concat", [[f(2, 3), f(2, 3, dtype="float64")]], {}, "the dtypes differ (X=[float32[2,3], float64[2,3]])"),
    ("concat", [[f(2, 3), f(2, 2)]], {}, "the sizes of axis 1 differ, 3 and 2"),
    ("concat", [[f(), f()]], {}, "0-D tensors have no axis to be joined along"),
    ("concat", [[f(2), f(2)]], {"axis": 1}, "axis=1 is outside of [-1, 0]"),
    ("split", [f(5, 3)], {"sections": [2, 2]}, "sections=[2, 2] does not add up to an axis of 5"),
    ("split", [f(5, 3)], {"sections": [-1, -1]}, "contains more than one -1"),
    ("split", [f(5, 3)], {"num": 2}, "an axis of 5 does not split into 2 equal pieces"),
    ("split", [f(5, 3)], {}, "neither num nor sections states the number of pieces"),
    ("stack", [[f(2), f(3)]], {}, "the shapes differ"),
    ("stack", [[f(2), f(2, dtype="float64")]], {}, "the dtypes differ"),
    ("stack", [[f(2), f(2)]], {"axis": 2}, "axis=2 is outside of [-2, 1]"),
    ("unstack", [f(2, 3)], {"axis": 1, "num": 2}, "num=2 is not the size of axis=1"),
    ("unbind", [f()], {}, "a 0-D tensor has no slices"),
    ("slice", [f(5)], {"axes": [1], "starts": [0], "ends": [1]}, "axes=1 is outside of [-1, 0]"),
    ("slice", [f(5)], {"axes": [0], "starts": [1], "ends": [3], "decrease_axis": [0]}, "decrease_axis contains an axis whose size is not 1"),
    ("slice", [f(5)], {"axes": [0], "starts": [5], "ends": [6], "decrease_axis": [0]}, "decrease_axis contains an axis whose size is not 1"),
    ("strided_slice", [f(5)], {"axes": [0], "starts": [1], "ends": [3], "strides": [0]}, "a stride is 0"),
    ("set_value", [f(3, 2), None, None, None, f(3)], {"axes": [0], "starts": [0], "ends": [1], "steps": [1]}, "do not broadcast"),
    ("set_value", [f(3, 2), None, None, None, ix(1)], {"axes": [0], "starts": [0], "ends": [1], "steps": [1]}, "the dtypes of Input"),
    ("set_value", [f(3, 2), None, None, None, f(2, 3, 2)], {"axes": [], "starts": [], "ends": [], "steps": []}, "more axes than the slice"),
    ("pad", [f(1, 2)], {"paddings": [0, 1]}, "paddings=[0, 1] are not two for each axis"),
    ("pad", [f(1, 2)], {"paddings": [0, 0, -2, -1]}, "remove more elements than X has"),
    ("pad3d", [f(2, 3)], {"paddings": [0] * 6}, "needs five axes"),
    ("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [0] * 3}, "paddings=[0, 0, 0] are not six"),
    ("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [3, 0, 0, 0, 0, 0], "mode": "reflect"}, "are too wide for the axes of X"),
    ("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [0] * 6, "mode": "mirror"}, "mode='mirror' is not one of constant, reflect"),
    ("pad3d", [f(1, 1, 1, 2, 3)], {"paddings": [0] * 6, "data_format": "NCHW"}, "data_format='NCHW' is neither"),
    ("gather", [f(3, 2), ix(3)], {}, "an index is 3, outside of [0, 3) (X=float32[3,2], Index=int64[1])"),
    ("gather", [f(3, 2), ix(-1)], {}, "an index is -1, outside of [0, 3)"),
    ("gather", [f(3, 2), f(2)], {}, "an index has the dtype float32; convert it with astype('int64')"),
    ("gather", [f(3, 2), ix([0, 1], [1, 0])], {}, "Index should have the shape [n] or [n, 1]"),
    ("gather", [f(), ix(0)], {}, "a 0-D tensor has no slices"),
    ("index_select", [f(3, 2), np.array(1)], {}, "Index is 0-D"),
    ("index_select", [f(3, 2), ix(5)], {"dim": 1}, "an index is 5, outside of [0, 2)"),
    ("lookup_table_v2", [f(4, 2), ix(4)], {}, "an index is 4, outside of [0, 4)"),
    ("lookup_table_v2", [f(4, 2, 1), ix(1)], {}, "W does not have two axes"),
    ("one_hot", [ix(1, 2)], {"depth": 3}, "X does not end in an axis of size 1"),
    ("lookup_table", [f(4, 2), ix(1, 2)], {}, "Ids do not end in an axis of size 1"),
    ("scatter", [f(3, 2), ix(3), f(1, 2)], {}, "an index is 3, outside of [0, 3)"),
    ("scatter", [f(3, 2), ix(1), f(2, 2)], {}, "Updates is not of the shape [1, 2]"),
    ("scatter", [f(3, 2), ix(1), f(1, 2, dtype="float64")], {}, "the dtypes of X and Updates differ"),
    ("gather_nd", [f(3, 2), ix([0, 2])], {}, "an index is 2, outside of [0, 2)"),
    ("gather_nd", [f(3, 2), ix([0, 1, 0])], {}, "a row of Index has 3 positions, but X has 2 axes"),
    ("scatter_nd_add", [f(3, 2), ix([-1]), f(1, 2)], {}, "an index is -1, outside of [0, 3)"),
    ("scatter_nd_add", [f(3, 2), ix([1]), f(1, 3)], {}, "Updates is not of the shape [1, 2]"),
    ("scatter_nd_add", [f(3, 2), ix([1]), f(1, 2, dtype="float64")], {}, "the dtypes of X and Updates differ"),
    ("index_sample", [f(2, 3), ix([0], [3])], {}, "an index is 3, outside of [0, 3)"),
    ("index_sample", [f(2, 3), ix([0])], {}, "X and Index have different numbers of rows"),
    ("take_along_axis", [f(2, 3), ix(1, 0)], {"Axis": 1}, "the ranks of Input and Index differ"),
    ("take_along_axis", [f(2, 3), ix([3], [0])], {"Axis": 1}, "an index is 3, outside of [0, 3)"),
    ("take_along_axis", [f(2, 3), ix([1], [0], [0])], {"Axis": 1}, "Index is longer than Input along an axis other than Axis"),
    ("put_along_axis", [f(2, 3), ix([1], [0]), f(1, 1)], {"Axis": 1}, "the shapes of Index and Value differ"),
    ("put_along_axis", [f(2, 3), ix([1], [0]), f(2, 1)], {"Axis": 1, "Reduce": "sum"}, "Reduce='sum' is not one of assign, add"),
    ("put_along_axis", [f(2, 3), ix([1], [0]), f(2, 1, dtype="float64")], {"Axis": 1}, "the dtypes of Input and Value differ"),
    ("where_index", [np.array(True)], {}, "Condition is 0-D"),
    ("masked_select", [f(3), f(3)], {}, "Mask is not bool"),
    ("masked_select", [f(3), np.ones(2, bool)], {}, "the shapes do not broadcast"),
    ("one_hot_v2", [ix(3)], {"depth": 3}, "an index is 3, outside of [0, 3)"),
    ("one_hot_v2", [ix(0)], {}, "depth=-1 is not positive"),
    ("one_hot_v2", [f(2)], {"depth": 2}, "an index has the dtype float32; convert it with astype('int64')"),
    ("top_k_v2", [f(2, 3)], {"k": 4}, "k=4 is not in [1, 3]"),
    ("top_k_v2", [f(2, 3)], {"k": 0}, "k=0 is not in [1, 3]"),
    ("top_k_v2", [f(0, 3)], {"k": 1, "axis": 0}, "k=1 is not in [1, 0]"),
    ("argsort", [f(2, 3)], {"axis": 2}, "axis=2 is outside of [-2, 1]"),
    ("fill_constant", [], {"shape": [-1]}, "shape=[-1] holds a negative size"),
    ("fill_constant", [], {"shape": [2], "str_value": "two"}, "str_value='two' is not a number"),
    ("fill_constant", [], {"shape": [2], "dtype": 99}, "is not one of bool"),
    ("assign_value", [], {"shape": [3], "dtype": 5, "fp32_values": [1.0]}, "fp32_values holds 1 values for shape=[3]"),
    ("assign_value", [], {"shape": [1], "dtype": 4}, "dtype=float16 is not supported, because no attribute holds its values"),
    ("fill_constant_batch_size_like", [f(2)], {"shape": [-1], "input_dim_idx": 1}, "input_dim_idx=1 is not an axis of Input"),
    ("range", [ix(0), ix(5), ix(0)], {}, "Step is 0"),
    ("range", [ix(0), ix(5), ix(-1)], {}, "Step=-1 leads away from End=5, Start=0"),
    ("range", [ix(0), ix(5), f(1)], {}, "the dtypes differ"),
    ("linspace", [f(1), f(1), ix(0)], {"dtype": 5}, "Num=0 is not positive"),
    ("eye", [], {"num_rows": -1}, "num_rows=-1, num_columns=-1 holds a negative size"),
    ("meshgrid", [[f(2, 2), f(2)]], {}, "an operand has more than one axis"),
    ("diag_v2", [f(2, 3)], {"offset": 4}, "offset=4 lies outside of X"),
    ("diag_v2", [f(2, 3, 1)], {}, "has more than two axes"),
    ("uniform_random", [], {"shape": [2], "min": 1.0, "max": 0.0}, "min=1.0 is above max=0.0"),
    ("gaussian_random", [], {"shape": [-2]}, "shape=[-2] holds a negative size"),
    ("randint", [], {"shape": [2], "low": 3, "high": 3}, "low=3 is not below high=3"),
    ("randint", [], {"shape": [2], "low": 0, "high": 3, "dtype": 5}, "dtype=5 is not one of integers"),
    ("randperm", [], {"n": -1}, "n=-1 is negative"),
    ("bernoulli", [2 * f(2)], {}, "X has elements outside of [0, 1]"),
    ("bernoulli", [ix(1)], {}, "needs a floating dtype"),
]
# fmt: on


@pytest.mark.parametrize(("type", "args", "attrs", "words"), REJECTED)
def test_rejected(type: str, args: list[Any], attrs: dict[str, Any], words: str) -> None:
    assert_rejected(type, args, attrs, words)


@pytest.mark.parametrize("offset", [-(2**31), 2**31 - 1])
@pytest.mark.parametrize("type", ["trace", "diagonal"])
def test_diagonal_with_extreme_offset_is_empty(type: str, offset: int) -> None:
    """NumPy reads outside of the array for -2**31."""
    assert np.sum(OPS[type](Tensor(f(2, 3)), offset=offset).array) == 0


def test_region_without_finite_size_is_rejected() -> None:
    for size in (np.inf, np.nan, 1e30):
        regions = Tensor(np.array([[0, 0, size, size]], "f"))
        with pytest.raises(OpError, match="rows or columns for 1 bins"):
            OPS["roi_align"](Tensor(f(1, 1, 4, 4)), regions, None, None)


def test_pyramid_height_and_scale_are_limited() -> None:
    with pytest.raises(OpError, match="is not in 1 ... 11"):
        OPS["spp"](Tensor(f(1, 1, 4, 4)), pyramid_height=10**9, pooling_type="max")
    with pytest.raises(OpError, match="scale"):
        OPS["bicubic_interp_v2"](Tensor(f(1, 1, 4, 4)), scale=[float("inf")])


@pytest.mark.parametrize("weights", [None, Tensor(f(2))])
def test_bincount_of_huge_values_is_rejected(weights: Tensor | None) -> None:
    """For the largest number of 64 bits NumPy writes outside of its array."""
    with pytest.raises(
        OpError, match="bincount: its result .* GiB that OARLOCK_MAX_RESULT_BYTES allows"
    ):
        OPS["bincount"](Tensor(np.array([0, 2**63 - 1])), weights)
