"""Single ops: tensors joined, indexed and created."""

import numpy as np
from lowering_cases import a, f, ints, op, w
from lowering_numbers import BOOLS, MASK, OTHER, SIGNED, X34, X234

JOIN = [
    op("concat", [X34, f(3, 2)], axis=1),
    op("concat", [X34, X34], axis=-2),
    op("concat", [X34]),
    op("concat", [BOOLS, OTHER], axis=0),
    op("concat", [X34, X34], AxisTensor=w(a([1], "int32"))),
    op("stack", [X34, f(3, 4, seed=1)], out="Y", axis=1),
    op("stack", [X34, X34], out="Y", axis=-1),
    op("stack", [f(), f()], out="Y"),
    op("expand_v2", f(3, 1), shape=[2, -1, 4]),
    op("expand_v2", f(4), shape=[3, 4]),
    op("expand_v2", BOOLS, shape=[2, 3, 4]),
    op("expand_v2", f(), shape=[2]),
    op("expand_v2", f(3, 1), shape=[2, 3, 4], Shape=a([2, 3, 4], "int32")),
    op(
        "expand_v2",
        f(3, 1),
        shape=[-1, -1],
        expand_shapes_tensor=[a([3], "int32"), a([4], "int32")],
    ),
    op("expand_as_v2", f(1, 4), Y=X34, target_shape=[3, 4]),
    op("expand_as_v2", f(1, 4), Y=X234, target_shape=[-1, 3, 4]),
    op("tile", X34, repeat_times=[2, 3]),
    op("tile", X34, repeat_times=[2, 1, 3]),
    op("tile", X34, repeat_times=[2]),
    op("tile", ints(3, 4), repeat_times=[1, 2]),
    op("tile", X34, repeat_times=[1, 1], RepeatTimes=a([2, 2], "int32"), variants=["known"]),
    op("broadcast_tensors", [f(3, 1), f(1, 4, seed=1)], out="Out*2"),
    op("broadcast_tensors", [ints(2, 1, 3), ints(4, 1)], out="Out*2"),
    op("meshgrid", [f(3), f(4)], out="Out*2"),
    op("meshgrid", [ints(2), ints(3), ints(4)], out="Out*3"),
    op("flip", X234, axis=[1]),
    op("flip", X234, axis=[0, -1]),
    op("flip", BOOLS, axis=[1]),
    op("roll", X34, shifts=[1], axis=[1]),
    op("roll", X34, shifts=[-2, 7], axis=[0, 1]),
    op("roll", X34, shifts=[5], axis=[]),
    op("roll", X34, shifts=[1], axis=[0], ShiftsTensor=a([2])),
    *[
        op("tril_triu", x, diagonal=d, lower=low)
        for x, d, low in ((X34, 0, True), (X34, 1, False), (X234, -1, True), (ints(4, 4), 2, False))
    ],
    op("pad", X34, paddings=[1, 0, 0, 2], pad_value=0.5),
    op("pad", ints(3, 4), paddings=[1, 1, 1, 1], pad_value=2.0),
    *[
        op("pad3d", f(1, 2, 3, 4, 5), paddings=[1, 2, 0, 1, 2, 1], mode=m, value=1.5)
        for m in ("constant", "reflect", "replicate", "circular")
    ],
    *[
        op("pad3d", f(1, 3, 4, 5, 2), paddings=[1, 2, 0, 1, 1, 1], mode=m, data_format="NDHWC")
        for m in ("constant", "circular")
    ],
    op(
        "pad3d",
        f(1, 2, 3, 4, 5),
        paddings=[0] * 6,
        Paddings=a([1, 1, 0, 2, 0, 0], "int32"),
        mode="constant",
    ),
]

IDS = a([[0, 2], [3, 1], [2, 2]])

INDEX = [
    op("lookup_table_v2", W=w(f(5, 4)), Ids=IDS),
    op("lookup_table_v2", W=w(f(5, 4)), Ids=IDS, padding_idx=2),
    op("lookup_table_v2", W=f(5, 4), Ids=IDS.astype("int32"), padding_idx=2),
    op(
        "lookup_table_v2",
        W=w(np.concatenate([f(4, 4), np.zeros((1, 4), "float32")])),
        Ids=IDS + 1,
        padding_idx=4,
    ),
    op("lookup_table", W=w(f(5, 4)), Ids=IDS[..., None]),
    op("lookup_table", W=w(f(5, 4)), Ids=IDS[:, :1], padding_idx=3),
    op("gather", X34, Index=a([2, 0]), axis=0),
    op("gather", X234, Index=a([3, 1, 1], "int32"), axis=2),
    op("gather", X34, Index=a([[2], [0]]), undeclared="open"),
    op("gather", X34, Index=a(1), axis=1),
    op("gather", X234, Index=a([2, 0]), Axis=w(a([1], "int32"))),
    op("gather_nd", X234, Index=a([[0, 1], [1, 2]])),
    op("gather_nd", X234, Index=a([[[0, 1, 2]], [[1, 2, 3]]], "int32")),
    op("scatter", f(5, 3), Ids=a([3, 1]), Updates=f(2, 3, seed=1)),
    op("scatter", f(5, 3), Ids=a([3, 1, 3], "int32"), Updates=f(3, 3, seed=1), overwrite=False),
    op(
        "scatter",
        f(5, 3),
        Ids=a([[3], [1]]),
        Updates=f(2, 3, seed=1),
        overwrite=False,
        undeclared="open",
    ),
    op("scatter", ints(5), Ids=a([3, 1]), Updates=ints(2)),
    op("scatter_nd_add", f(5, 3), Index=a([[1], [3], [1]]), Updates=f(3, 3, seed=1)),
    op("scatter_nd_add", f(5, 3), Index=a([[1, 2], [1, 2]], "int32"), Updates=f(2, seed=1)),
    op("index_select", X234, Index=a([2, 0, 2]), dim=1),
    op("index_select", X234, Index=a([3, 1], "int32"), dim=-1),
    op("index_sample", X34, Index=ints(3, 2, high=4)),
    op("index_sample", X34, Index=ints(3, 2, high=4, dtype="int32")),
    op("take_along_axis", Input=X34, Index=ints(3, 2, high=4), out="Result", Axis=1),
    op("take_along_axis", Input=X34, Index=ints(1, 4, high=3), out="Result", Axis=0),
    *[
        op(
            "put_along_axis",
            Input=X34,
            Index=a([[0], [3], [2]]),
            Value=f(3, 1, seed=1),
            out="Result",
            Axis=1,
            Reduce=r,
        )
        for r in ("assign", "add", "mul", "multiply")
    ],
    op(
        "put_along_axis",
        Input=X34,
        Index=a([[0, 0], [3, 1], [2, 1]]),
        Value=f(3, 2, seed=1),
        out="Result",
        Axis=1,
        Reduce="add",
    ),
    op("one_hot_v2", IDS, depth=5, dtype=5),
    op("one_hot_v2", IDS.astype("int32"), depth=4, dtype=5),
    op("one_hot_v2", IDS, depth=1, dtype=5, depth_tensor=w(a([4], "int32"))),
    op("one_hot_v2", a([1, 3]), depth=4, dtype=5, allow_out_of_range=True),
    *[
        op("top_k_v2", X234, out="Out Indices", axis=axis, k=2, largest=largest)
        for axis, largest in ((-1, True), (1, False), (0, True))
    ],
    op("top_k_v2", X34, out="Out Indices", k=1, K=a([3], "int32")),
    op("top_k_v2", ints(3, 9, high=1000), out="Out Indices", k=3),
    op("top_k_v2", f(), out="Out Indices", k=1),
    op("top_k", X34, out="Out Indices", k=2),
    *[
        op("argsort", x, out="Out Indices", axis=axis, descending=d)
        for x, axis, d in (
            (X234, -1, False),
            (X234, 1, True),
            (f(3, 9, dtype="float64"), 0, False),
            (f(), -1, False),
        )
    ],
    op("argsort", a([[5, 3, 9, -1]]), out="Out Indices"),
    op("where_index", Condition=MASK),
    op("where_index", Condition=f(3, 4, dtype="float64")),
    op("where_index", Condition=a([0, 3, 0, 2])),
    op("masked_select", X34, Mask=MASK, out="Y"),
    op("masked_select", ints(3, 4), Mask=MASK, out="Y"),
    op(
        "masked_select",
        f(2, 3, 4),
        Mask=a([[[True], [False], [True]]] * 2, "bool").repeat(4, 2),
        out="Y",
    ),
]

FLOATS = {"dtype": 5}

CREATE = [
    op("fill_constant", shape=[2, 3], value=1.5, dtype=5),
    op("fill_constant", shape=[], value=2.0, str_value="7", dtype=3),
    op("fill_constant", shape=[9, 9], value=1.0, dtype=0),
    op("fill_constant", shape=[2], str_value="7000000001", dtype=3),
    op("fill_constant", shape=[2], str_value="-inf", dtype=5),
    op("fill_constant", shape=[1], str_value="nan", dtype=6),
    op("fill_constant", shape=[2, 3], value=1.0, dtype=2, ShapeTensor=a([4, 2], "int32")),
    op(
        "fill_constant",
        shape=[-1, 2],
        value=2.0,
        dtype=5,
        ShapeTensorList=[a([3], "int32"), a([2], "int32")],
    ),
    op("fill_constant", shape=[2, 3], dtype=5, ValueTensor=a([2.5], "float32")),
    op("fill_any_like", X234, value=3.0, dtype=-1),
    op("fill_any_like", X34, value=1.0, dtype=3),
    op("fill_any_like", X34, value=1.0, dtype=0),
    op("fill_any_like", f(30, 4), value=np.inf, dtype=5),
    op("fill_constant_batch_size_like", Input=X34, shape=[-1, 6], value=2.0, dtype=5),
    op(
        "fill_constant_batch_size_like",
        Input=X234,
        shape=[2, -1],
        input_dim_idx=2,
        output_dim_idx=1,
        str_value="4",
        dtype=3,
    ),
    op("assign_value", shape=[2, 2], dtype=5, fp32_values=[1.0, 2.5, -3.0, 0.1]),
    op("assign_value", shape=[3], dtype=3, int64_values=[1, -2, 2**53 + 1]),
    op("assign_value", shape=[2], dtype=2, int32_values=[5, -6]),
    op("assign_value", shape=[3], dtype=0, bool_values=[1, 0, 1]),
    *[
        op("range", Start=w(a([s], d)), End=w(a([e], d)), Step=w(a([t], d)))
        for s, e, t, d in (
            (0, 7, 2, "int64"),
            (9, 0, -4, "int64"),
            (1, 4, 1, "int32"),
            (0, 1, 0.3, "float32"),
            (0, 1, 0.25, "float64"),
        )
    ],
    op("range", Start=a([2]), End=a([9]), Step=a([3]), undeclared="batch open"),
    op("range", Start=a([9]), End=a([-1]), Step=w(a([-2])), undeclared="batch open"),
    op(
        "range",
        Start=a([9], "int32"),
        End=a([-1], "int32"),
        Step=a([-2], "int32"),
        undeclared="batch open",
    ),
    op(
        "linspace",
        Start=w(a([0], "float32")),
        Stop=w(a([1], "float32")),
        Num=w(a([6], "int32")),
        dtype=5,
    ),
    op(
        "linspace",
        Start=w(a([5], "float64")),
        Stop=w(a([-1], "float64")),
        Num=w(a([4], "int32")),
        dtype=6,
    ),
    op(
        "linspace",
        Start=w(a([3], "float32")),
        Stop=w(a([4], "float32")),
        Num=w(a([1], "int32")),
        dtype=5,
    ),
    op(
        "linspace",
        Start=a([0], "float32"),
        Stop=a([1], "float32"),
        Num=w(a([6], "int32")),
        dtype=5,
        undeclared="batch open",
    ),
    op("eye", num_rows=3, num_columns=4, dtype=5),
    op("eye", num_rows=3, dtype=3),
    op("eye", num_rows=20, dtype=6),
    op("empty", shape=[2, 3], dtype=5, compare="shape"),
    *[op("diag_v2", f(4), offset=o, padding_value=p) for o, p in ((0, 0.0), (2, 1.5), (-1, 0.0))],
    op("diag_v2", ints(3), offset=1, padding_value=9.0),
    *[op("diag_v2", X34, offset=o) for o in (0, 1, -1)],
    op("uniform_random", shape=[200], min=2.0, max=5.0, compare="uniform", **FLOATS),
    op("gaussian_random", shape=[20, 30], mean=1.0, std=2.0, compare="normal", **FLOATS),
    op(
        "uniform_random",
        shape=[],
        min=0.0,
        max=1.0,
        ShapeTensor=a([4, 2]),
        compare="shape",
        **FLOATS,
    ),
    op("gaussian_random", shape=[3], seed=4, compare="shape", dtype=6),
    op("randint", shape=[300], low=-2, high=3, dtype=3, compare="integers"),
    op("randint", shape=[2, 3], low=0, high=9, dtype=2, compare="shape"),
    op("randperm", n=9, dtype=3, compare="permutation"),
    op("bernoulli", np.full((40, 50), 0.3, "float32"), compare="bernoulli"),
]


def _set(x, start, end, step=1, axes=None, decrease=(), value=None, rejected=None, **more):
    listed = [[v] if isinstance(v, int) else v for v in (start, end, step)]
    given = {"ValueTensor": value} if value is not None else {}
    axes = axes or [1]
    names = dict(zip(("starts", "ends", "steps"), listed, strict=True))
    return op(
        "set_value",
        Input=x,
        axes=axes,
        decrease_axes=list(decrease),
        rejected=rejected,
        dtype=more.pop("dtype", 5),
        **names,
        **given,
        **more,
    )


SET_VALUE = [
    _set(X34, 1, 2, decrease=[1], shape=[1], values=[5.0]),
    _set(X34, 0, 4, 2, shape=[2], values=[5.0, 6.0]),
    _set(X234, [0, 1], [1, 3], [1, 1], axes=[0, 2], shape=[1], values=[5.0]),
    _set(X34, 1, 3, value=f(3, 2, seed=1)),
    _set(X34, 1, 3, value=f(2, seed=1)),
    _set(X234, [1], [2], decrease=[1], value=f(2, 4, seed=1)),
    _set(X234, [1, 2], [2, 3], [1, 1], axes=[1, 2], decrease=[1, 2], value=f(2, seed=1)),
    _set(X34, 3, -5, -2, value=f(3, 2, seed=1), rejected={"open": "negative step"}),
    _set(X34, -3, 2147483647, value=f(1, seed=1)),
    _set(
        X34,
        [],
        [],
        [],
        value=f(),
        StartsTensorList=[a([1])],
        EndsTensorList=[a([3])],
        StepsTensorList=[w(a([1]))],
    ),
    _set(SIGNED, 1, 3, shape=[1], values=[9], dtype=3),
    _set(BOOLS, 1, 3, shape=[1], values=[True], dtype=0),
]

OPS = [*JOIN, *INDEX, *CREATE, *SET_VALUE]
