"""One op each: what `lowering_cases.py` writes.   Tables by family, as in cpp_runtime/src/lower."""

import numpy as np
from lowering_cases import a, f, ints, op, w

X34, X234, IMG = f(3, 4), f(2, 3, 4), f(2, 3, 8, 8)

ACTIVATION = [
    *[op(name, f(3, 4)) for name in ("relu", "sigmoid", "tanh", "leaky_relu", "elu", "gelu", "silu", "softsign", "tanh_shrink")],
    *[op(name, f(3, 4) * 4) for name in ("relu6", "hard_swish", "hard_sigmoid", "softplus", "logsigmoid", "mish", "brelu", "swish")],
    *[op(name, f(3, 4, dtype="float64")) for name in ("elu", "softplus", "softsign", "hard_sigmoid", "hard_swish", "logsigmoid", "silu", "mish")],
    op("gelu", f(3, 4), approximate=True),
    op("gelu", f(3, 4, dtype="float64"), refused="kernel of Erf for float64"),
    op("leaky_relu", f(3, 4), alpha=0.3),
    op("elu", f(3, 4), alpha=0.7),
    op("hard_sigmoid", f(3, 4) * 4, slope=0.1, offset=0.3),
    op("softplus", f(3, 4) * 6, beta=2.0, threshold=3.0),
    op("softplus", f(3, 4) * 30, beta=0.5),
    op("brelu", f(3, 4), t_min=-1.0, t_max=0.5),
    op("softmax", X34), op("softmax", X234, axis=1), op("softmax", f()), op("log_softmax", X234, axis=0), op("log_softmax", X34),
    op("prelu", X34, Alpha=w(f(1)), mode="all"),
    op("prelu", IMG, Alpha=w(f(3)), mode="channel", keep=(1,)),
    op("prelu", f(2, 4, 4, 3), Alpha=w(f(3)), mode="channel", data_format="NHWC", keep=(-1,)),
    op("prelu", X234, Alpha=w(f(1, 3, 4)), mode="element"),
]

CONV = [
    op("conv2d", Input=IMG, Filter=w(f(4, 3, 3, 3)), out="Output", keep=(1,)),
    op("conv2d", Input=IMG, Filter=w(f(4, 3, 3, 2)), out="Output", strides=[2, 1], paddings=[1, 2], dilations=[1, 2], keep=(1,)),
    op("conv2d", Input=IMG, Filter=w(f(4, 3, 3, 3)), out="Output", paddings=[1, 0, 2, 1], keep=(1,)),
    op("conv2d", Input=IMG, Filter=w(f(4, 3, 3, 3)), out="Output", padding_algorithm="SAME", strides=[2, 2], dilations=[2, 2], keep=(1,)),
    op("conv2d", Input=IMG, Filter=w(f(4, 3, 3, 3)), out="Output", padding_algorithm="VALID", paddings=[1, 1], keep=(1,)),
    op("conv2d", Input=f(2, 8, 7, 3), Filter=w(f(4, 3, 3, 3)), out="Output", data_format="NHWC", padding_algorithm="SAME", keep=(-1,)),
    op("conv2d", Input=f(2, 4, 5, 5), Filter=w(f(6, 2, 3, 3)), out="Output", groups=2, keep=(1,)),
    op("conv2d", Input=IMG, Filter=f(4, 3, 3, 3), out="Output", padding_algorithm="SAME", keep=(1,)),
    op("depthwise_conv2d", Input=f(2, 4, 5, 5), Filter=w(f(8, 1, 3, 3)), out="Output", groups=4, keep=(1,)),
    op("conv3d", Input=f(1, 2, 4, 5, 6), Filter=w(f(3, 2, 2, 2, 2)), out="Output", keep=(1,)),
    op("conv2d_transpose", Input=f(2, 3, 4, 5), Filter=w(f(3, 4, 3, 3)), out="Output", strides=[2, 2], keep=(1,)),
    op("conv2d_transpose", Input=f(2, 3, 4, 5), Filter=w(f(3, 4, 3, 3)), out="Output", strides=[2, 2], paddings=[1, 1], output_padding=[1, 1], keep=(1,)),
    op("conv2d_transpose", Input=f(2, 3, 4, 5), Filter=w(f(3, 4, 3, 3)), out="Output", strides=[2, 2], output_size=[10, 11], keep=(1,)),
    op("conv2d_transpose", Input=f(2, 4, 4, 5), Filter=w(f(4, 2, 3, 3)), out="Output", strides=[1, 2], groups=2, dilations=[2, 1], keep=(1,)),
    op("conv2d_transpose", Input=f(2, 3, 4, 5), Filter=w(f(3, 4, 3, 3)), out="Output", strides=[2, 2], padding_algorithm="SAME", refused={"open": "unknown size"}, keep=(1,)),
    op("conv2d_transpose", Input=f(2, 4, 5, 3), Filter=w(f(3, 4, 3, 3)), out="Output", paddings=[1, 0, 1, 0], data_format="NHWC", keep=(-1,)),
    op("depthwise_conv2d_transpose", Input=f(2, 3, 4, 5), Filter=w(f(3, 1, 3, 3)), out="Output", groups=3, keep=(1,)),
]


def _pool(x, kind, k, **attrs):
    return op("pool2d", x, pooling_type=kind, ksize=[k, k] if isinstance(k, int) else k, **attrs)


POOL = [
    *[_pool(IMG, kind, 2, strides=[2, 2]) for kind in ("max", "avg")],
    *[_pool(IMG, kind, 3, strides=[2, 2], paddings=[1, 1]) for kind in ("max", "avg")],
    *[_pool(IMG, kind, 3, strides=[2, 2], paddings=[1, 1], ceil_mode=True) for kind in ("max", "avg")],
    *[_pool(IMG, kind, 3, strides=[2, 2], paddings=[0, 1, 1, 0]) for kind in ("max", "avg")],
    *[_pool(f(2, 3, 7, 9), kind, 3, strides=[2, 2], padding_algorithm="SAME") for kind in ("max", "avg")],
    *[_pool(IMG, kind, 1, global_pooling=True) for kind in ("max", "avg")],
    # Paddle's own pool2d forgets `adaptive` where it takes maxima; its layers use max_pool2d_with_index there.
    _pool(IMG, "avg", 1, adaptive=True),
    _pool(IMG, "avg", [4, 2], adaptive=True, refused={"open": "adaptive pool needs"}),
    _pool(f(2, 3, 7, 9), "avg", [3, 4], adaptive=True, refused={"open": "adaptive pool needs"}),
    *[_pool(f(2, 8, 8, 3), kind, 2, strides=[2, 2], data_format="NHWC") for kind in ("max", "avg")],
    _pool(IMG, "avg", 3, strides=[2, 2], paddings=[1, 1], exclusive=False),
    _pool(IMG, "avg", 3, strides=[2, 2], paddings=[1, 1], exclusive=False, ceil_mode=True, refused={"open": "inclusive mean"}),
    _pool(f(1, 1, 6, 7), "avg", 3, strides=[2, 2], exclusive=False, ceil_mode=True, refused={"open": "inclusive mean"}),
    _pool(f(1, 1, 6, 7), "avg", 2, strides=[2, 2], ceil_mode=True),
    _pool(f(1, 1, 4, 4), "max", 1, strides=[2, 2], ceil_mode=True, refused="ceil_mode"),
    _pool(f(2, 3, 8, 8, dtype="float64"), "avg", 1, global_pooling=True),
    _pool(f(2, 3, 8, 8, dtype="float64"), "max", 2, strides=[2, 2]),
    op("pool3d", f(1, 2, 4, 4, 4), pooling_type="avg", ksize=[2, 2, 2], strides=[2, 2, 2]),
    op("pool3d", f(1, 2, 5, 4, 6), pooling_type="avg", ksize=[2, 3, 4], adaptive=True, refused={"open": "adaptive pool needs"}),
    op("max_pool2d_with_index", IMG, out="Out Mask", ksize=[2, 2], strides=[2, 2]),
    op("max_pool2d_with_index", IMG, out="Out Mask", ksize=[3, 3], strides=[2, 2], paddings=[1, 1]),
    op("max_pool2d_with_index", IMG, out="Out Mask", ksize=[4, 2], adaptive=True, refused={"open": "size of its image"}),
    op("max_pool2d_with_index", IMG, out="Out Mask", ksize=[1, 1], global_pooling=True, refused={"open": "size of its image"}),
]

_STATS = {"Mean": w(f(3)), "Variance": w(f(3, low=0.5, high=2))}
_AFFINE = {"Scale": w(f(3, seed=1)), "Bias": w(f(3, seed=2))}
_STATE = "MeanOut=Mean VarianceOut=Variance SavedMean SavedVariance"

NORM = [
    op("batch_norm", IMG, out="Y", unread=_STATE, is_test=True, **_STATS, **_AFFINE, keep=(1,)),
    op("batch_norm", f(2, 4, 4, 3), out="Y", unread=_STATE, is_test=True, data_layout="NHWC", epsilon=0.001, **_STATS, **_AFFINE, keep=(-1,)),
    op("batch_norm", f(5, 3), out="Y", unread=_STATE, is_test=True, **_STATS, **_AFFINE, keep=(1,)),
    op("batch_norm", f(5, 3, 4), out="Y", unread=_STATE, use_global_stats=True, is_test=True, **_STATS, **_AFFINE, keep=(1,)),
    op("layer_norm", X234, out="Y", unread="Mean Variance", begin_norm_axis=2, Scale=w(f(4, seed=1)), Bias=w(f(4, seed=2))),
    op("layer_norm", X234, out="Y", unread="Mean Variance", begin_norm_axis=1, Scale=w(f(12, seed=1)), Bias=w(f(12, seed=2)), epsilon=0.001),
    op("layer_norm", X234, out="Y", unread="Mean Variance", begin_norm_axis=2),
    op("layer_norm", X234, out="Y", unread="Mean Variance", begin_norm_axis=2, Bias=w(f(4))),
    op("layer_norm", X234, out="Y", unread="Mean Variance", begin_norm_axis=2, Scale=w(f(4))),
    op("group_norm", f(2, 6, 4, 4), out="Y", unread="Mean Variance", groups=3, Scale=w(f(6, seed=1)), Bias=w(f(6, seed=2)), keep=(1,)),
    op("group_norm", f(2, 4, 4, 6), out="Y", unread="Mean Variance", groups=2, data_layout="NHWC", Scale=w(f(6, seed=1)), Bias=w(f(6, seed=2)), keep=(-1,)),
    op("group_norm", f(2, 6, 4), out="Y", unread="Mean Variance", groups=3, keep=(1,)),
    op("instance_norm", IMG, out="Y", unread="SavedMean SavedVariance", variants=["known"], **_AFFINE, keep=(1,)),
    op("instance_norm", IMG, out="Y", unread="SavedMean SavedVariance", variants=["known"], refused={"open": "known number of channels"}, keep=(1,)),
    op("instance_norm", f(2, 3, 4, 4, dtype="float64"), out="Y", unread="SavedMean SavedVariance", variants=["known"], Scale=w(f(3, dtype="float64")), Bias=w(f(3, dtype="float64")), keep=(1,)),
    op("dropout", X34, unread="Mask", is_test=True, dropout_implementation="upscale_in_train", dropout_prob=0.3),
    op("dropout", X34, unread="Mask", is_test=True, dropout_implementation="downgrade_in_infer", dropout_prob=0.3),
]

MATMUL = [
    op("matmul_v2", X34, Y=f(4, 2)),
    op("matmul_v2", f(2, 4, 3), Y=f(2, 2, 4), trans_x=True, trans_y=True),
    op("matmul_v2", f(4), Y=f(4)),
    op("matmul_v2", f(4), Y=f(3, 4, 2), trans_x=True),
    op("matmul_v2", f(2, 1, 3, 4), Y=f(5, 4, 2)),
    op("matmul", X34, Y=f(5, 4), transpose_Y=True, alpha=0.5),
    op("matmul", f(4), Y=f(4)),
    op("bmm", X234, Y=f(2, 4, 5)),
    op("mv", X34, Vec=f(4)),
    op("dot", f(4), Y=f(4, seed=1)),
    op("dot", X34, Y=f(3, 4, seed=1)),
    op("addmm", Input=f(3, 2), X=X34, Y=f(4, 2), Alpha=2.0, Beta=0.5),
    op("addmm", Input=f(1, 2), X=X34, Y=f(4, 2)),
    op("mul", X34, Y=w(f(4, 2)), keep=(1,)),
    op("mul", X234, Y=w(f(12, 2)), keep=(1, 2)),
    op("mul", X234, Y=w(f(4, 2)), x_num_col_dims=2, keep=(1, 2)),
    op("mul", X234, Y=w(f(2, 2, 3)), x_num_col_dims=2, y_num_col_dims=2, keep=(1, 2)),
]

SHAPE = [
    op("reshape2", X234, unread="XShape", shape=[0, -1]),
    op("reshape2", X234, unread="XShape", shape=[4, 6]),
    op("reshape2", X234, unread="XShape", shape=[6, 4], Shape=a([6, 4], "int32")),
    op("reshape2", X234, unread="XShape", shape=[-1, 8], ShapeTensor=[a([3], "int32"), a([8], "int32")]),
    op("reshape2", f(1), unread="XShape", shape=[]),
    op("transpose2", X234, unread="XShape", axis=[2, 0, 1]),
    op("flatten2", IMG, unread="XShape", axis=2),
    op("flatten_contiguous_range", IMG, unread="XShape", start_axis=1, stop_axis=3),
    op("flatten_contiguous_range", IMG, unread="XShape", start_axis=1, stop_axis=2),
    op("flatten_contiguous_range", IMG, unread="XShape", start_axis=0, stop_axis=-2),
    op("flatten_contiguous_range", f(), unread="XShape", start_axis=0, stop_axis=-1),
    op("squeeze2", f(2, 1, 3, 1), unread="XShape", axes=[1]),
    op("squeeze2", f(2, 1, 3, 1), unread="XShape", axes=[0, -1], variants=["known"]),
    op("squeeze2", f(2, 1, 3, 1), unread="XShape", axes=[], refused={"batch": "known shape", "open": "known shape"}),
    op("unsqueeze2", X34, unread="XShape", axes=[0, 2]),
    op("unsqueeze2", X34, unread="XShape", axes=[-1, 1]),
    op("unsqueeze2", f(), unread="XShape", axes=[0]),
    op("shape", Input=X234), op("shape", Input=f()),
    op("size", Input=X234),
]

SLICE = [
    op("slice", Input=X234, axes=[1, 2], starts=[1, 0], ends=[3, -1]),
    op("slice", Input=X234, axes=[1], starts=[-1], ends=[2147483647], decrease_axis=[1]),
    op("slice", Input=X234, axes=[0, 2], starts=[1, 1], ends=[2, 2], decrease_axis=[0, 2]),
    op("slice", Input=f(3), axes=[0], starts=[1], ends=[2], decrease_axis=[0]),
    op("slice", Input=X234, axes=[1], starts=[-1], ends=[-1], infer_flags=[-1], StartsTensor=a([1], "int32"), EndsTensor=a([3], "int32")),
    op("slice", Input=X234, axes=[1, 2], starts=[-1, -1], ends=[3, 3], infer_flags=[-1, -1], StartsTensorList=[a([1]), a([2])]),
    op("slice", Input=ints(3, 4, dtype="bool"), axes=[0], starts=[1], ends=[3]),
    op("strided_slice", Input=f(3, 9), axes=[1], starts=[1], ends=[8], strides=[3], infer_flags=[1]),
    op("strided_slice", Input=f(3, 9), axes=[1], starts=[7], ends=[1], strides=[-2], infer_flags=[1]),
    op("strided_slice", Input=f(3, 9), axes=[1], starts=[-1], ends=[-2147483648], strides=[-1], infer_flags=[1]),
    op("strided_slice", Input=f(3, 9), axes=[1], starts=[-1], ends=[-1], strides=[-1], infer_flags=[1]),
    op("strided_slice", Input=f(3, 9), axes=[1], starts=[20], ends=[-20], strides=[-3], infer_flags=[1], variants=["known", "batch"]),
    op("strided_slice", Input=f(3, 9), axes=[0, 1], starts=[1, 2], ends=[2, 5], strides=[1, 1], decrease_axis=[0], infer_flags=[1, 1]),
    op("split", X234, out="Out*2", axis=2, num=2),
    op("split", X234, out="Out*3", axis=2, sections=[1, 2, 1]),
    op("split", X234, out="Out*2", axis=2, sections=[-1, 3]),
    op("split", f(3, 9), out="Out*4", axis=1, sections=[1, -1, 2, 3]),
    op("split", X234, out="Out*1", axis=1, num=1),
    op("split", X234, out="Out*2", num=2, AxisTensor=w(a([2], "int32"))),
    op("unstack", X234, out="Y*3", axis=1, num=3),
    op("unbind", X234, out="Out*2", axis=0),
    op("unbind", f(1, 3), out="Out*1", axis=0),
]

OPS = [*ACTIVATION, *CONV, *POOL, *NORM, *MATMUL, *SHAPE, *SLICE]
