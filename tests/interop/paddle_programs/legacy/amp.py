"""Automatic mixed precision on the CPU, where it does not depend on Paddle's kernels."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, fill, paddle, raised, scenario

nn, amp = paddle.nn, paddle.amp
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])


@scenario
def switched_off():
    layer = fill(nn.Linear(3, 2))
    with amp.auto_cast(enable=False):
        y = layer(paddle.to_tensor(X))
    scaler = amp.GradScaler(enable=False)
    opt = paddle.optimizer.SGD(0.1, layer.parameters())
    scaled = scaler.scale(y.mean())
    scaled.backward()
    scaler.step(opt)
    scaler.update()
    return y, scaled, layer.weight, scaler.is_enable(), scaler.state_dict()


@scenario
def wrong_arguments():
    return each(
        lambda: raised(lambda: amp.auto_cast(level="O7").__enter__()) != "no error",
        lambda: raised(lambda: amp.auto_cast(dtype="int8").__enter__()) != "no error",
        lambda: raised(amp.GradScaler, incr_ratio=0.5) != "no error",
        lambda: raised(amp.GradScaler, decr_ratio=2.0) != "no error",
        lambda: raised(amp.decorate, 3) != "no error",
    )


@scenario
def white_and_black_lists():
    return each(
        lambda: sorted(amp.white_list()),
        lambda: sorted(amp.white_list()["float16"]) if isinstance(amp.white_list(), dict) else None,
        lambda: "matmul_v2" in amp.white_list()["float16"]["O1"],
    )


@scenario
def settings_of_a_disabled_scaler():
    s = amp.GradScaler(enable=False, init_loss_scaling=1024.0, use_dynamic_loss_scaling=False)
    return each(lambda: s.is_enable(), lambda: s.state_dict())


@scenario
def bfloat16_arithmetic():
    x = paddle.to_tensor([1.0, 2.0]).astype("bfloat16")
    return x.astype("float32"), x.shape
