"""Errors of arithmetic ops, convolutions, norms and losses."""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import OpError

from .rejected_calls import assert_rejected, f, ix

# Warnings are not errors here: an op must reject invalid operands also where NumPy only warns.
pytestmark = pytest.mark.filterwarnings("ignore")


# fmt: off
REJECTED: list[tuple[str, list[Any], dict[str, Any], str]] = [
    ("elementwise_add", [f(2, 3), f(4, 5)], {}, "add: the shapes do not broadcast: axis -2 has 2 and 4 elements; both must be equal, or one of them 1 (X=float32[2,3], Y=float32[4,5])"),
    ("elementwise_mul", [f(2, 3, 4), f(3)], {"axis": 2}, "the shapes do not broadcast"),
    ("elementwise_sub", [f(2, 3), f(2)], {"axis": 2}, "axis=2 puts axes of the smaller shape beyond those of the larger one"),
    ("elementwise_floordiv", [ix(1), ix(0)], {}, "division of integers by zero"),
    ("elementwise_mod", [ix(1), ix(0)], {}, "division of integers by zero"),
    ("elementwise_div", [ix(1), ix(0)], {}, "division of integers by zero"),
    ("sum", [[f(2), f(3)]], {}, "the shapes differ (X=[float32[2], float32[3]])"),
    ("scale", [f(2)], {"factor": 2.0}, "no attribute ['factor']"),
    ("fake_quantize_abs_max", [ix(1)], {}, "needs a floating dtype (X=int64[1])"),
    ("fake_quantize_dequantize_abs_max", [f(2)], {"bit_length": 17}, "bit_length=17 is not in [1, 16]"),
    ("fake_channel_wise_quantize_dequantize_abs_max", [f(2, 3, 4)], {"quant_axis": 2}, "quant_axis=2 is neither 0 nor 1"),
    ("fake_channel_wise_quantize_dequantize_abs_max", [f(2)], {"quant_axis": 1}, "X has no axis 1 (X=float32[2])"),
    ("fake_quantize_dequantize_moving_average_abs_max", [f(2), f(1)], {}, "InAccum and InState are required in training"),
    ("fake_quantize_moving_average_abs_max", [f(2), f(3), f(1), f(1)], {}, "InScale is not one number"),
    ("moving_average_abs_max_scale", [f(2), f(1), f(2)], {}, "InState is not one number"),
    ("tanh", [ix(1)], {}, "needs a floating dtype (X=int64[1])"),
    ("sin", [ix(1)], {}, "needs a floating dtype"),
    ("sigmoid", [ix(1)], {}, "needs a floating dtype"),
    ("softmax", [f(2, 3)], {"axis": 2}, "axis=2 is outside of [-2, 1]"),
    ("softmax", [ix(1, 2)], {}, "needs a floating dtype"),
    ("prelu", [f(2, 3, 4), f(2)], {"mode": "channel"}, "mode=channel requires 3 elements of Alpha"),
    ("prelu", [f(2, 3), f(1)], {"mode": "one"}, "mode=one is not one of all, channel, element"),
    ("cast", [f(2)], {"in_dtype": 5, "out_dtype": 77}, "is not one of bool"),
    ("increment", [f(2)], {}, "X needs one element"),
    ("bitwise_and", [f(2), f(2)], {}, "needs an integer or bool dtype"),
    ("bitwise_not", [f(2)], {}, "needs an integer or bool dtype"),
    ("less_than", [f(2), f(3)], {}, "the shapes do not broadcast"),
    ("where", [f(2).astype(bool), f(2), f(3)], {}, "the shapes differ"),
    ("matmul_v2", [f(2, 3), f(4, 5)], {}, "the inner axes differ, 3 and 4 (X=float32[2,3], Y=float32[4,5])"),
    ("matmul_v2", [f(), f(2)], {}, "X and Y need at least one axis"),
    ("matmul_v2", [f(3, 2, 4), f(2, 4, 5)], {}, "the shapes do not broadcast"),
    ("bmm", [f(2, 3), f(3, 4)], {}, "X and Y need three axes and one batch size"),
    ("bmm", [f(1, 2, 3), f(5, 3, 4)], {}, "X and Y need three axes and one batch size"),
    ("dot", [f(2), f(1)], {}, "the shapes differ"),
    ("mv", [f(2, 3), f(2)], {}, "the inner axes differ, 3 and 2"),
    ("mv", [f(2, 3), f(3, 4)], {}, "X needs two axes and Vec one"),
    ("addmm", [f(3, 4), f(2, 3), f(3, 4)], {}, "Input does not broadcast to X @ Y"),
    ("mul", [f(2, 3), f(4, 5)], {}, "the inner sizes differ, 3 and 4"),
    ("mul", [f(2, 3), f(3, 5)], {"x_num_col_dims": 2}, "num_col_dims=2 should be from 1 to the number of axes - 1"),
    ("p_norm", [f(2, 3)], {"axis": 2}, "axis=2 is outside of [-2, 1]"),
    ("reduce_sum", [f(2, 3)], {"dim": [2]}, "axis=2 is outside of [-2, 1]"),
    ("reduce_max", [f(2, 3)], {"dim": [0, -2]}, "axis=[0, -2] names an axis twice"),
    ("reduce_max", [f(0, 3)], {"dim": [0]}, "zero-size"),
    ("mean", [ix(1, 2)], {}, "needs a floating dtype"),
    ("arg_max", [f(0, 3)], {"axis": 0}, "an axis to reduce has size 0"),
    ("arg_max", [f(2, 3)], {"axis": 2}, "axis=2 is outside of [-2, 1]"),
    ("cumsum", [f(2, 3)], {"axis": 3}, "axis=3 is outside of [-2, 1]"),
    ("conv2d", [f(1, 3, 5, 5), f(4, 2, 3, 3)], {}, "Input has 3 channels (axis 1), Filter needs 2 (Input=float32[1,3,5,5], Filter=float32[4,2,3,3])"),
    ("conv2d", [f(1, 4, 5, 5), f(3, 2, 3, 3)], {"groups": 2}, "groups=2 does not divide the filters"),
    ("conv2d", [f(1, 3, 2, 5), f(4, 3, 3, 3)], {}, "a kernel of 3 does not fit into 2 padded by [0, 0]"),
    ("conv2d", [f(3, 5, 5), f(4, 3, 3, 3)], {}, "the input needs 4 axes [N, C, H, W], and has 3; add the batch axis with unsqueeze(0)"),
    ("conv2d", [f(1, 3, 5, 5), f(4, 3, 3, 3)], {"strides": [0, 1]}, "are not positive"),
    ("conv2d", [f(1, 3, 5, 5), f(4, 3, 3, 3)], {"paddings": [1]}, "paddings=[1] are neither two nor four numbers"),
    ("conv2d", [f(1, 3, 5, 5), f(4, 3, 3, 3)], {"padding_algorithm": "FULL"}, "padding_algorithm=FULL is not one of EXPLICIT"),
    ("conv2d", [f(1, 3, 5, 5), f(4, 3, 3, 3)], {"data_format": "CHWN"}, "data format CHWN is neither NCHW nor NHWC"),
    ("conv2d_transpose", [f(1, 3, 5, 5), f(4, 3, 3, 3)], {}, "Input has 3 channels (axis 1), Filter needs 4"),
    ("conv2d_transpose", [f(1, 3, 5, 5), f(3, 4, 3, 3)], {"output_size": [9, 7]}, "is not a possible output size of this convolution"),
    ("conv2d_transpose", [f(1, 3, 5, 5), f(3, 4, 3, 3)], {"output_padding": [1, 1]}, "is not less than the stride"),
    ("pool2d", [f(1, 3, 5, 5)], {"ksize": [2, 2], "pooling_type": "mean"}, "pooling_type='mean' is neither max nor avg"),
    ("pool2d", [f(1, 3, 5, 5)], {"ksize": [6, 6], "pooling_type": "max"}, "a window of 6 does not fit into 5"),
    ("pool2d", [f(1, 3, 5)], {"ksize": [2, 2], "pooling_type": "max"}, "the input needs 4 axes [N, C, H, W], and has 3"),
    ("max_pool2d_with_index", [f(3, 5, 5)], {"ksize": [2, 2]}, "the input needs 4 axes [N, C, H, W], and has 3"),
    ("batch_norm", [f(2, 3, 4), f(2), f(3), f(3), f(3)], {}, "X has 3 channels, Scale has the shape [2] instead of [3]"),
    ("batch_norm", [f(3), f(3), f(3), f(3), f(3)], {}, "X needs at least two axes"),
    ("layer_norm", [f(2, 3), f(2)], {}, "Scale needs one element per normalized element (X=float32[2,3], Scale=float32[2])"),
    ("layer_norm", [f(2, 3)], {"begin_norm_axis": 2}, "begin_norm_axis=2 is not an axis"),
    ("group_norm", [f(2, 3, 4)], {"groups": 2}, "groups=2 does not divide the channels"),
    ("instance_norm", [f(2, 3, 4), f(1)], {}, "X has 3 channels, Scale has the shape [1] instead of [3]"),
    ("batch_norm", [f(2, 3, 4), f(3), f(3), f(3), f(3)], {"data_layout": "NCL"}, "data_layout=NCL is neither NCHW nor NHWC"),
    ("dropout", [f(2)], {"dropout_implementation": "scale"}, "dropout_implementation=scale is not one of downgrade_in_infer"),
    ("dropout", [f(2)], {"dropout_prob": 1.5}, "dropout_prob=1.5 is not between 0 and 1"),
    ("softmax_with_cross_entropy", [f(2, 3), ix([0], [3])], {}, "a label is 3, outside of the classes [0, 3) and not ignore_index=-100"),
    ("softmax_with_cross_entropy", [f(2, 3), ix([0], [-1])], {}, "a label is -1, outside of the classes [0, 3)"),
    ("softmax_with_cross_entropy", [f(2, 3), ix(0, 1)], {}, "Label must have the shape [2, 1] (class indices), not [2]"),
    ("softmax_with_cross_entropy", [f(2, 3), f(2, 1)], {"soft_label": True}, "Label must have the shape [2, 3] (probabilities), not [2, 1]"),
    ("nll_loss", [f(2, 3), ix(0, 3)], {}, "a label is 3, outside of the classes [0, 3)"),
    ("nll_loss", [f(2, 3), ix(0, 1)], {"reduction": "max"}, "reduction=max is not one of none, mean, sum"),
    ("nll_loss", [f(2, 3), ix(0, 1, 2)], {}, "Label does not fit X"),
    ("kldiv_loss", [f(2, 3), f(2, 3)], {"reduction": "max"}, "reduction=max is not one of none"),
    ("bce_loss", [f(2), f(3)], {}, "the shapes differ"),
    ("huber_loss", [f(2), f(2)], {}, "huber_loss: "),
    ("teacher_student_sigmoid_loss", [f(3, 2), f(3, 2)], {}, "X and Label have to have the shape [N, 1]"),
    ("teacher_student_sigmoid_loss", [f(3, 1), f(1, 1)], {}, "X and Label have to have the shape [N, 1]"),
    ("teacher_student_sigmoid_loss", [f(3, 1), f(3, 1, dtype="float64")], {}, "both must have the same dtype"),
]
# fmt: on


@pytest.mark.parametrize(("type", "args", "attrs", "words"), REJECTED)
def test_rejected(type: str, args: list[Any], attrs: dict[str, Any], words: str) -> None:
    assert_rejected(type, args, attrs, words)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "max", "prod", "amin", "logsumexp", "std", "nanmedian", "median"]
)
@pytest.mark.parametrize("axis", [[0, 0], [0, 0, 1], [1, -1], [0, 1, -2]])
def test_duplicate_axis_is_rejected(name: str, axis: list[int]) -> None:
    function = getattr(paddle, name)
    for called in (function, paddle.jit.to_static(lambda x, **attrs: function(x, **attrs))):
        with pytest.raises(OpError, match="names an axis twice"):
            called(paddle.ones([2, 3]), axis=axis)


def test_quantile_with_invalid_axes() -> None:
    for axis in (2, -3, [0, 0]):
        with pytest.raises(OpError, match="names an axis twice or one out of range"):
            paddle.quantile(paddle.ones([2, 3]), 0.5, axis)
