"""Programs with `recurrent` of real Paddle 2.6.2, which has the op and no layer for it: written
block by block.

Runs in Paddle's environment.
"""

import numpy as np
import paddle

T, B, D, H = 4, 3, 5, 6
SEQUENCE = np.random.default_rng(0).standard_normal((T, B, D)).astype("float32")
GRADIENTS = ("w@GRAD", "u@GRAD", "x@GRAD", "h0@GRAD")
FIRST = np.random.default_rng(1).standard_normal((B, H)).astype("float32")


def write(reverse, trained):
    """Write h = tanh(x w + h u) with outputs (h, h h) to the main program; with gradients if
    `trained`.

    The inputs, and what to fetch.
    """
    S, main = paddle.static, paddle.static.default_main_program()
    x, h0 = S.data("x", [None, None, D]), S.data("h0", [None, H])
    x.stop_gradient = h0.stop_gradient = False
    w, u = (S.create_parameter([n, H], "float32", name=name) for n, name in ((D, "w"), (H, "u")))
    outer = main.current_block()
    inner = main._create_block()
    step = inner.create_var(name="x", shape=[-1, D], dtype="float32")
    held = inner.create_var(name="h@mem", shape=[-1, H], dtype="float32")
    h = paddle.tanh(paddle.matmul(step, w) + paddle.matmul(held, u))
    for name, value in (("one", h), ("two", h * h), ("next", h)):
        made = inner.create_var(name=name, shape=[-1, H], dtype="float32")
        inner.append_op(type="assign", inputs={"X": [value]}, outputs={"Out": [made]})
    main._rollback()
    outs = [
        outer.create_var(name=name, shape=[-1, -1, H], dtype="float32") for name in ("one", "two")
    ]
    scopes = outer.create_var(name="scopes", type=paddle.base.core.VarDesc.VarType.STEP_SCOPES)
    outer.append_op(
        type="recurrent",
        inputs={"inputs": [x], "initial_states": [h0], "parameters": [w, u]},
        outputs={"outputs": outs, "step_scopes": [scopes]},
        attrs={
            "has_states": True,
            "ex_states": ["h@mem"],
            "states": ["next"],
            "sub_block": inner,
            "reverse": reverse,
        },
    )
    if trained:
        paddle.static.append_backward(paddle.mean(outs[0] * outs[1]))
    return [x, h0], outs


def save(folder, reverse):
    """Write `folder`/m.pdmodel, `folder`/trained.pdmodel, and inputs and Paddle's results to
    `folder`/wanted.npz.
    """
    S = paddle.static
    paddle.enable_static()
    try:
        with S.scope_guard(S.Scope()), S.program_guard(S.Program(), S.Program()):
            inputs, outs = write(reverse, False)
            exe = S.Executor(paddle.CPUPlace())
            exe.run(S.default_startup_program())
            S.save_inference_model(f"{folder}/m", inputs, outs, exe)
            found = exe.run(feed={"x": SEQUENCE, "h0": FIRST}, fetch_list=outs)
            np.savez(f"{folder}/wanted.npz", SEQUENCE, FIRST, *found)
        with S.program_guard(S.Program(), S.Program()):
            inputs, outs = write(reverse, True)
            with open(f"{folder}/trained.pdmodel", "wb") as file:
                file.write(S.default_main_program().desc.serialize_to_string())
            exe.run(S.default_startup_program())
            names = ["w", "u", *GRADIENTS]
            found = exe.run(feed={"x": SEQUENCE, "h0": FIRST}, fetch_list=names)
            np.savez(f"{folder}/gradients.npz", **dict(zip(names, found, strict=True)))
    finally:
        paddle.disable_static()
