"""Whole models on packed sequences (LoD), as those of Paddle 1.x are built.   Needs Paddle.

For each: `<name>.pdmodel`, `.pdiparams`, and `<name>.npz` with its inputs and offsets by name, and
what Paddle gives as `out0`, ..., with offsets `lod0`, ...
"""

import os

import numpy as np
import paddle
from paddle.static import nn

CUT = [0, 3, 4, 9, 15]


def _append(type, inputs, outputs, attrs):
    """The first output of an op for which the layers of 2.x have no function."""
    block = paddle.static.default_main_program().global_block()
    name = f"{type}_{len(block.ops)}"
    made = {
        slot: block.create_var(name=f"{name}.{slot}", dtype=dtype)
        for slot, dtype in outputs.items()
    }
    block.append_op(type=type, inputs=inputs, outputs=made, attrs=attrs)
    return next(iter(made.values()))


def _weight(*shape):
    return paddle.static.create_parameter(list(shape), "float32")


def _gru(x, hidden, reverse):
    unread = dict.fromkeys(("BatchGate", "BatchResetHiddenPrev", "BatchHidden"), "float32")
    inputs = {
        "Input": nn.fc(x, 3 * hidden),
        "Weight": _weight(hidden, 3 * hidden),
        "Bias": _weight(1, 3 * hidden),
    }
    return _append("gru", inputs, {"Hidden": "float32"} | unread, {"is_reverse": reverse})


def _lstm(x, hidden):
    inputs = {"Input": nn.fc(x, 4 * hidden, bias_attr=False), "Weight": _weight(hidden, 4 * hidden)}
    outputs = dict.fromkeys(("Hidden", "Cell", "BatchGate", "BatchCellPreAct"), "float32")
    return _append(
        "lstm", inputs | {"Bias": _weight(1, 7 * hidden)}, outputs, {"use_peepholes": True}
    )


def _embedded(words, size):
    inputs = {"W": _weight(50, size), "Ids": words}
    return _append("lookup_table", inputs, {"Out": "float32"}, {"padding_idx": -1})


def _words():
    return paddle.static.data("words", [-1, 1], "int64", lod_level=1), np.random.default_rng(
        7
    ).integers(0, 50, (15, 1))


def tagger():
    """Lexical analysis: embedding, GRUs in both directions, the best tags by a CRF."""
    words, given = _words()
    x = _embedded(words, 16)
    for _ in range(2):
        x = paddle.concat([_gru(x, 8, False), _gru(x, 8, True)], axis=1)
    emission = nn.fc(x, 6)
    inputs = {"Emission": emission, "Transition": _weight(8, 6)}
    return (
        words,
        given,
        CUT,
        [_append("crf_decoding", inputs, {"ViterbiPath": "int64"}, {}), emission],
    )


def sentiment():
    """An LSTM and a convolution over words, the largest of each feature, classes."""
    words, given = _words()
    x = _embedded(words, 12)
    features = [
        nn.sequence_pool(_lstm(x, 10), "max"),
        nn.sequence_pool(nn.sequence_conv(x, 6, 3, act="tanh"), "average"),
    ]
    return words, given, CUT, [nn.fc(features, 2, activation="softmax")]


def reader():
    """Text recognition: feature columns as sequences, GRUs, and CTC decoding."""
    image = paddle.static.data("image", [-1, 1, 8, 32], "float32")
    given = np.random.default_rng(7).standard_normal((3, 1, 8, 32)).astype("float32")
    x = nn.conv2d(image, 4, 3, padding=1, act="relu")
    attrs = {"kernels": [8, 1], "strides": [1, 1], "paddings": [0, 0, 0, 0], "out_stride": [1, 1]}
    x = _append("im2sequence", {"X": x}, {"Out": "float32"}, attrs)
    x = nn.fc([_gru(x, 6, False), _gru(x, 6, True)], 5)
    best = _append("top_k", {"X": x}, {"Indices": "int64", "Out": "float32"}, {"k": 1})
    letters = _append(
        "ctc_align", {"Input": best}, {"Output": "int64"}, {"blank": 4, "merge_repeated": True}
    )
    return image, given, None, [letters, x]


MODELS = {make.__name__: make for make in (tagger, sentiment, reader)}


def _export(name, folder):
    exe = paddle.static.Executor(paddle.CPUPlace())
    main, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.static.program_guard(main, start):
        paddle.seed(1)
        var, given, cut, fetches = MODELS[name]()
        exe.run(start)
        fed = paddle.base.core.LoDTensor()
        fed.set(given, paddle.CPUPlace())
        fed.set_lod([cut] if cut else [])
        found = exe.run(main, feed={var.name: fed}, fetch_list=fetches, return_numpy=False)
        paddle.static.save_inference_model(
            os.path.join(folder, name), [var], fetches, exe, program=main
        )
    arrays = {var.name: given} | ({f"{var.name}.lod": np.array(cut, "int64")} if cut else {})
    answers = {f"out{i}": np.asarray(x) for i, x in enumerate(found)}
    answers |= {f"lod{i}": np.array(x.lod(), "int64") for i, x in enumerate(found)}
    np.savez(os.path.join(folder, f"{name}.npz"), **arrays, **answers)


def export_all(folder):
    """Write every model; returns their names."""
    paddle.enable_static()
    try:
        for name in MODELS:
            _export(name, folder)
    finally:
        paddle.disable_static()
    return list(MODELS)
