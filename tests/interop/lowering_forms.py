"""Ops in forms and dtypes that the other tables do not have, as users call them."""

import numpy as np
from lowering_cases import a, f, ints, op, w

X34 = f(3, 4)
HALVES = f(5, 4, dtype="float16")
DOUBLES = f(3, 4, dtype="float64")
SEGMENTS = a([0, 0, 1, 3, 3])

# 0.1 goes into 1 nine times, though 1 / 0.1 rounds to 10; infinities have no rest.
DIVISION = [
    op(
        "elementwise_floordiv",
        a([1, -1, 6, np.inf, -2, 5, 0, 0, 3, -3, 7, -7], dtype),
        Y=a([0.1, 0.1, 0.1, 2, np.inf, 0, 1, 0, -np.inf, -np.inf, 0.7, 0.7], dtype),
    )
    for dtype in ("float32", "float64")
] + [op("elementwise_floordiv", f(3, 4) * 9, Y=f(4, seed=1))]

# What wraps around in a byte.
BYTES = [
    op("scale", a([0, 4, 255], "uint8"), scale=-1.0, declared="uint8"),
    op("scale", a([0, 4, 255], "uint8"), scale=-1.0, bias=-1.0, declared="uint8"),
    op(
        "scale",
        a([0, 4, 255], "uint8"),
        scale=3.0,
        bias=-2.0,
        bias_after_scale=False,
        declared="uint8",
    ),
]

POSITIONS = [
    op(t, ints(3, 4, high=9, dtype="int16"), axis=1, dtype=3) for t in ("arg_max", "arg_min")
]

# The axis that nobody names is the first one of size 3, which a run knows.
CROSS = [
    op("cross", f(*shape), Y=f(*shape, seed=1))
    for shape in ((2, 3), (3, 4), (3, 3), (2, 3, 3), (5, 2, 3), (3, 5, 3))
]

AXES = [
    op(
        "unsqueeze2",
        X34,
        AxesTensor=a(axes, dtype),
        unread="XShape",
        variants=("known", "open"),
        keep=(0,),
    )
    for axes, dtype in (([1], "int64"), ([0, 2], "int32"), ([-1, 0], "int64"))
]

DIAGONALS = [
    op("fill_diagonal_tensor", f(4, 4), Y=f(1, 4, seed=1), variants=("known", "batch"), keep=(0,))
]

ALONG = [
    op(
        "put_along_axis",
        Input=x,
        Index=AT,
        Value=v,
        out="Result",
        Axis=1,
        Reduce=how,
        Include_self=include,
    )
    for x, v in (
        (X34, f(3, 3, seed=1)),
        (ints(3, 4, low=-9, high=9), ints(3, 3, low=-9, high=9, seed=1)),
    )
    for AT in (a([[0, 3, 0], [1, 1, 1], [2, 3, 1]]),)
    for how in ("add", "mul", "mean", "amax", "amin")
    for include in (True, False)
]

# ONNX Runtime brings no float16 together by itself.
TOGETHER = [
    *[
        op("segment_pool", x, SegmentIds=SEGMENTS, unread="SummedIds", pooltype=how)
        for x in (HALVES, ints(5, 4, low=-9, high=9), ints(5, 4, low=-9, high=9, dtype="int32"))
        for how in ("SUM", "MEAN", "MAX", "MIN")
        if x.dtype != np.float16 or how in ("MAX", "MIN")
    ],
    op("index_put", HALVES, indices=[a([0, 2, 0])], value=f(3, 4, dtype="float16", seed=1), rtol=2e-3, accumulate=True, out="out", slot="x"),
    *[
        op("graph_send_recv", ints(5, 3, low=-9, high=9), Src_index=a([0, 1, 2, 4]), Dst_index=a([1, 1, 0, 3]), unread="Dst_count",
           reduce_op=how)
        for how in ("SUM", "MEAN", "MAX", "MIN")
    ],
]  # fmt: skip

OF_DOUBLES = [
    op("determinant", Input=f(3, 3, dtype="float64")),
    op("determinant", Input=f(2, 4, 4, dtype="float64")),
    op("leaky_relu", DOUBLES, alpha=0.1),
    op("leaky_relu", DOUBLES, alpha=-0.2),
    op("prelu", DOUBLES, Alpha=w(f(1, dtype="float64", seed=1)), mode="all"),
    op("prelu", DOUBLES, Alpha=w(f(4, dtype="float64", seed=1)), mode="channel", keep=(1,)),
]

# A Resize whose channels ONNX Runtime would put last again.
PICTURES = [
    op(
        "bicubic_interp_v2",
        f(2, 6, 8, 3),
        data_layout="NHWC",
        interp_method="bicubic",
        align_corners=corners,
        scale=[0.5, 0.5],
        out_h=-1,
        out_w=-1,
        keep=(-1,),
    )
    for corners in (True, False)
]

# Both ends are cut to the dtype before anything is computed.
EVENLY = [
    op(
        type,
        Start=put(a([first], "float32")),
        Stop=put(a([last], "float32")),
        Num=w(a([5], "int32")),
        **base,
        dtype=dtype,
        **more,
    )
    for type, base in (("linspace", {}), ("logspace", {"Base": w(a([2.5], "float32"))}))
    for first, last in ((0.9, 5.7), (-2.7, 3.5), (1.5, -3.9))
    for dtype in (2, 3)
    for put, more in ((w, {}), (np.asarray, {"undeclared": "batch open"}))
]

# An axis that is known only at run time.
SPLITS = [
    op(
        "split",
        f(4, 6),
        out=f"Out*{count}",
        AxisTensor=a(axis, dtype),
        variants=("known", "open"),
        **how,
    )
    for axis, dtype in ((0, "int64"), (1, "int32"), ([1], "int64"))
    for count, how in (
        (2, {"num": 2}),
        (2, {"sections": [1, -1]}),
        (3, {"sections": [1, 2, 1] if axis == 0 else [3, 2, 1]}),
    )
] + [
    op(
        "split",
        f(3, 6),
        out="Out*3",
        AxisTensor=a([1]),
        num=3,
        SectionsTensorList=[a([2]), a([1]), a([3])],
        sections=[-1, -1, -1],
    )
]

# None in an index: the value has an axis of 1 there, or none as far as it broadcasts.
NONES = [
    op(
        "set_value",
        Input=f(3, 4, 5),
        ValueTensor=value,
        axes=axes,
        starts=starts,
        ends=ends,
        steps=[1] * len(axes),
        decrease_axes=decreased,
        none_axes=nones,
        dtype=5,
    )
    for axes, starts, ends, decreased, nones, value in (
        ([], [], [], [], [0], f(1, 3, 4, 5, seed=1)),
        ([], [], [], [], [0], f(4, 5, seed=1)),
        ([1], [1], [3], [], [1], f(3, 1, 2, 5, seed=1)),
        ([1], [1], [3], [], [1], f(1, 1, 5, seed=1)),
        ([1], [2], [3], [1], [0], f(1, 3, 5, seed=1)),
        ([1], [2], [3], [1], [2], f(3, 1, 5, seed=1)),
        ([0, 1], [0, 2], [1, 3], [0, 1], [2], f(1, 5, seed=1)),
        ([], [], [], [], [0, 2], f(1, 3, 4, 1, 5, seed=1)),
    )
]

MEDIANS = [
    op(
        "nanmedian",
        x,
        out="Out",
        unread="MedianIndex",
        axis=axis,
        keepdim=keep,
        declared=str(x.dtype),
    )
    for x in (f(3, 4, 5), f(2, 4, dtype="float64"), ints(3, 4, low=-9, high=9))
    for axis, keep in (([], True), ([], False), ([0], False), ([-1], True), ([0, 1], False))
]

# More values than places: the first ones.
MORE_VALUES = [
    op(
        "put_along_axis",
        Input=f(4, 3),
        Index=a([[0, 1], [3, 2]]),
        Value=f(3, 4, seed=1),
        out="Result",
        Axis=axis,
        Reduce=how,
    )
    for axis, how in ((0, "assign"), (0, "add"))
]

EMPTY = np.zeros((0, 4), "float32")
OF_NOTHING = [
    op("roll", EMPTY, shifts=[2], axis=[0], variants=("known", "batch", "open")),
    op("roll", EMPTY, shifts=[2], axis=[]),
    op("cumprod", EMPTY, dim=0),
    op("logcumsumexp", EMPTY, axis=0),
    op("logcumsumexp", EMPTY, axis=1, reverse=True),
]

OPS = [
    *SPLITS,
    *NONES,
    *MEDIANS,
    *MORE_VALUES,
    *OF_NOTHING,
    *DIVISION,
    *BYTES,
    *POSITIONS,
    *CROSS,
    *AXES,
    *DIAGONALS,
    *ALONG,
    *TOGETHER,
    *OF_DOUBLES,
    *PICTURES,
    *EVENLY,
]
