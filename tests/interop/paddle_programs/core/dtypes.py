"""Which dtypes results have, which pairs are rejected, casts and limits."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"]


def dtype_of(call):
    return attempt(lambda: str(call().dtype).replace("paddle.", ""))


def values(dtype):
    return paddle.to_tensor([1, 0, 1]).astype(dtype)


@scenario
def a_tensor_and_a_python_number():
    found = {}
    for d in DTYPES:
        x = values(d)
        found[d] = [
            dtype_of(c)
            for c in (
                lambda: x + 1,
                lambda: x + 1.5,
                lambda: 2 - x,
                lambda: x * 2.0,
                lambda: x / 2,
                lambda: x // 2,
                lambda: x % 2,
                lambda: x**2,
                lambda: x + True,
                lambda: x > 1,
                lambda: 2**x,
                lambda: 1 / x,
                lambda: -x,
                lambda: x == 1.5,
            )
        ]
    return found


@scenario
def numbers_of_tensors_and_python():
    i, f = paddle.to_tensor([7, -7]), paddle.to_tensor([7.5, -7.5])
    return each(
        lambda: i + 1.5,
        lambda: i * 0.5,
        lambda: i / 2,
        lambda: i // 2,
        lambda: i % 3,
        lambda: i**2,
        lambda: 2 - i,
        lambda: 10 / i,
        lambda: 10 // i,
        lambda: 10 % i,
        lambda: f // 2,
        lambda: f % 2,
        lambda: 2**f,
        lambda: -f % 3,
        lambda: i - 0.5,
        lambda: i + True,
        lambda: i // -2,
        lambda: i % -3,
        lambda: f // -2.0,
        lambda: f % -3.0,
    )


@scenario
def two_tensors_of_two_dtypes():
    found = {}
    for a in ["bool", "int32", "int64", "float32", "float64"]:
        for b in ["int64", "float32", "float64"]:
            x, y = values(a), values(b)
            found[f"{a} {b}"] = [
                dtype_of(c) for c in (lambda: x + y, lambda: x == y, lambda: x < y, lambda: x - y)
            ]
    return found


@scenario
def reductions():
    found = {}
    for d in DTYPES:
        x = values(d)
        found[d] = [
            dtype_of(c)
            for c in (
                lambda: x.sum(),
                lambda: x.mean(),
                lambda: x.max(),
                lambda: x.prod(),
                lambda: x.cumsum(0),
                lambda: x.argmax(),
                lambda: x.any(),
                lambda: x.logsumexp(),
                lambda: x.std(),
                lambda: paddle.norm(x),
                lambda: x.median(),
                lambda: x.cumprod(0),
            )
        ]
    return found


@scenario
def unary_functions():
    found = {}
    for d in DTYPES:
        x = values(d)
        found[d] = [
            dtype_of(c)
            for c in (
                lambda: x.abs(),
                lambda: x.exp(),
                lambda: x.sqrt(),
                lambda: x.sign(),
                lambda: x.floor(),
                lambda: x.square(),
                lambda: x.tanh(),
                lambda: x.sin(),
                lambda: paddle.nn.functional.relu(x),
                lambda: x.isnan(),
                lambda: x.round(),
                lambda: x.log(),
                lambda: x.reciprocal(),
                lambda: x.neg(),
                lambda: paddle.nn.functional.sigmoid(x),
                lambda: x.clip(0, 1),
            )
        ]
    return found


@scenario
def shape_functions():
    found = {}
    for d in DTYPES:
        x = values(d)
        found[d] = [
            dtype_of(c)
            for c in (
                lambda: x.reshape([3, 1]),
                lambda: paddle.concat([x, x]),
                lambda: x.tile([2]),
                lambda: x.flip(0),
                lambda: x.roll(1),
                lambda: x[1:],
                lambda: x.unsqueeze(0),
                lambda: paddle.stack([x, x]),
                lambda: x.expand([2, 3]),
                lambda: paddle.where(x > 0, x, x),
                lambda: x.gather(paddle.to_tensor([0])),
                lambda: x.sort(),
                lambda: x.argsort(),
                lambda: x.unique(),
                lambda: x.nonzero(),
                lambda: x.topk(2)[0],
                lambda: x.diag(),
                lambda: paddle.nn.functional.pad(x.reshape([1, 1, 3]), [1, 0], data_format="NCL"),
            )
        ]
    return found


@scenario
def casts():
    x = paddle.to_tensor([-1.7, 0.0, 2.5, 300.0])
    found = [
        x.astype(d)
        for d in ("int32", "int64", "bool", "float64", "float16", paddle.float32, np.int16)
    ]
    return each(
        lambda: found,
        lambda: x.cast("int8")[:3],
        lambda: paddle.cast(x, "int64"),
        lambda: x.astype("int64").astype("uint8")[2:],
        lambda: raised(x.astype, "text"),
        lambda: x.astype("complex64"),
    )


@scenario
def casts_that_change_nothing():
    x = paddle.to_tensor([1.5], stop_gradient=False)
    y = x.astype("float32")
    y.sum().backward()
    return y is x, x.grad, x.astype("int64").stop_gradient, x.detach().astype("int64").stop_gradient


@scenario
def infos():
    i, f = paddle.iinfo("int8"), paddle.finfo("float32")
    return each(
        lambda: i.min,
        lambda: i.max,
        lambda: i.bits,
        lambda: i.dtype,
        lambda: paddle.iinfo(paddle.int64).max,
        lambda: paddle.iinfo("uint8").max,
        lambda: f.min,
        lambda: f.max,
        lambda: f.eps,
        lambda: f.tiny,
        lambda: f.bits,
        lambda: f.dtype,
        lambda: f.resolution,
        lambda: f.smallest_normal,
        lambda: paddle.finfo("float16").max,
        lambda: paddle.finfo("float64").eps,
        lambda: raised(paddle.iinfo, "float32"),
        lambda: raised(paddle.finfo, "int32"),
    )


@scenario
def predicates():
    x = paddle.to_tensor([1.0])
    return each(
        lambda: paddle.is_floating_point(x),
        lambda: paddle.is_integer(x),
        lambda: paddle.is_complex(x),
        lambda: x.is_floating_point(),
        lambda: x.is_integer(),
        lambda: paddle.is_tensor(x),
        lambda: paddle.is_tensor(1),
        lambda: paddle.is_empty(paddle.zeros([0])),
        lambda: paddle.is_floating_point(paddle.ones([1], "bfloat16")),
        lambda: x.element_size(),
        lambda: paddle.ones([1], "int8").element_size(),
        lambda: x.dtype == paddle.float32,
        lambda: x.dtype != paddle.int64,
        lambda: x.dtype in (paddle.float32,),
        lambda: {paddle.float32: 1}[x.dtype],
    )


@scenario
def names_of_dtypes():
    return [
        str(getattr(paddle, d)) for d in DTYPES + ["float16", "bfloat16", "complex64", "complex128"]
    ], str(paddle.bool)


@scenario
def half_precision():
    x = paddle.to_tensor([0.1, 1000.0, 70000.0]).astype("float16")
    b = paddle.to_tensor([0.1, 257.0]).astype("bfloat16")
    return each(
        lambda: x,
        lambda: x.dtype,
        lambda: x + 1,
        lambda: b.astype("float32"),
        lambda: (x * 2).dtype,
        lambda: (b + b).dtype,
        lambda: b.dtype,
        lambda: x.numpy().dtype == np.float16,
    )


@scenario
def overflow_and_division_of_integers():
    a = paddle.to_tensor([2**31 - 1], dtype="int32")
    b = paddle.to_tensor([250], dtype="uint8")
    return each(
        lambda: a + 1,
        lambda: b + b,
        lambda: a * 2,
        lambda: paddle.to_tensor([5]) / paddle.to_tensor([2]),
        lambda: paddle.to_tensor([-5]) // paddle.to_tensor([2]),
        lambda: paddle.to_tensor([-5]) % paddle.to_tensor([3]),
        lambda: paddle.to_tensor([5.0]) / 0,
        lambda: paddle.to_tensor([0.0]) / 0,
    )


@scenario
def logic_and_bits():
    a, b = paddle.to_tensor([True, True, False]), paddle.to_tensor([True, False, False])
    i, j = paddle.to_tensor([6, 5, 1]), paddle.to_tensor([3, 0, 1])
    return each(
        lambda: a & b,
        lambda: a | b,
        lambda: a ^ b,
        lambda: ~a,
        lambda: i & j,
        lambda: i | j,
        lambda: i ^ j,
        lambda: ~i,
        lambda: paddle.logical_and(i, j),
        lambda: paddle.logical_not(i),
        lambda: paddle.bitwise_and(a, b),
        lambda: paddle.logical_xor(i, j),
        lambda: paddle.bitwise_not(i.astype("uint8")),
        lambda: i << 1 if hasattr(i, "__lshift__") else None,
    )
