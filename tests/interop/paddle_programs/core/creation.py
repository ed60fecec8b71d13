"""Tensors from data, ranges and shapes, and random numbers whose properties are compared."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario


@scenario
def to_tensor_of_python_values():
    t = paddle.to_tensor
    return each(
        lambda: t(1),
        lambda: t(1.5),
        lambda: t(True),
        lambda: t(2 + 1j),
        lambda: t([1, 2]),
        lambda: t([1.0, 2]),
        lambda: t([True, False]),
        lambda: t([[1, 2], [3, 4]]),
        lambda: t([]),
        lambda: t((1, 2)),
        lambda: t([[], []]),
        lambda: None,
        lambda: t([1, 2.5, True]),
    )


@scenario
def to_tensor_of_arrays():
    t = paddle.to_tensor
    dtypes = [
        "bool",
        "int8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
    return each(
        lambda: [t(np.arange(3).astype(d)).dtype for d in dtypes],
        lambda: t(np.float32(2)),
        lambda: t(np.int64(3)),
        lambda: t([np.float64(1), 2.0]),
        lambda: t([np.arange(2), np.arange(2)]),
        lambda: t(np.array(5.0)),
    )


@scenario
def to_tensor_with_dtype_and_stop_gradient():
    t = paddle.to_tensor
    x = t([1, 2], dtype="float64", stop_gradient=False)
    return each(
        lambda: x,
        lambda: x.stop_gradient,
        lambda: t(x).stop_gradient,
        lambda: t(x, stop_gradient=False).stop_gradient,
        lambda: t(1.7, dtype="int32"),
        lambda: t([1, 0], dtype="bool"),
        lambda: t(3, dtype=paddle.float16),
        lambda: t([1.5], dtype=np.float64),
    )


@scenario
def to_tensor_of_tensors():
    a, b = paddle.to_tensor(1.0), paddle.to_tensor(2)
    return each(
        lambda: paddle.to_tensor([a, a + 1]),
        lambda: paddle.to_tensor([[a], [a]]),
        lambda: paddle.to_tensor(b, dtype="float32"),
        lambda: raised(paddle.to_tensor, [1, [2, 3]]),
        lambda: raised(paddle.to_tensor, "a"),
        lambda: raised(paddle.to_tensor, None),
    )


@scenario
def default_dtype():
    before = paddle.get_default_dtype()
    paddle.set_default_dtype("float64")
    try:
        found = each(
            lambda: paddle.to_tensor(1.5).dtype,
            lambda: paddle.ones([1]).dtype,
            lambda: paddle.full([1], 2.0).dtype,
            lambda: paddle.arange(0.0, 2.0).dtype,
            lambda: paddle.rand([1]).dtype,
            lambda: paddle.nn.Linear(1, 1).weight.dtype,
            lambda: paddle.full([1], 2).dtype,
            lambda: paddle.zeros([1]).dtype,
            lambda: paddle.linspace(0, 1, 2).dtype,
            lambda: paddle.eye(1).dtype,
            lambda: paddle.get_default_dtype(),
        )
    finally:
        paddle.set_default_dtype("float32")
    return before, [str(f) for f in found], raised(paddle.set_default_dtype, "int32")


@scenario
def ranges():
    a = paddle.arange
    return each(
        lambda: a(5),
        lambda: a(1, 4),
        lambda: a(0, 1, 0.25),
        lambda: a(5, 0, -2),
        lambda: a(3.0),
        lambda: a(0, 5, dtype="float64"),
        lambda: a(paddle.to_tensor(1), paddle.to_tensor(7), paddle.to_tensor(3)),
        lambda: a(0),
        lambda: a(4, dtype="int32"),
        lambda: raised(a, 0, 5, 0),
    )


@scenario
def linspaces():
    l = paddle.linspace
    return each(
        lambda: l(0, 10, 5),
        lambda: l(10, 0, 3, "float64"),
        lambda: l(0, 10, 5, "int32"),
        lambda: l(paddle.to_tensor(0.0), paddle.to_tensor(1.0), paddle.to_tensor(3)),
        lambda: l(2, 9, 1),
        lambda: paddle.logspace(0, 3, 4),
        lambda: paddle.logspace(0, 3, 4, base=2),
        lambda: raised(l, 0, 1, 0),
    )


@scenario
def fulls():
    f = paddle.full
    return each(
        lambda: f([2], 1.5),
        lambda: f([2], 3),
        lambda: f([2], True),
        lambda: f([], 4.0),
        lambda: f([2], paddle.to_tensor(2.0)),
        lambda: f(paddle.to_tensor([1, 2]), 0.5),
        lambda: f([paddle.to_tensor(2), 1], 1, "int32"),
        lambda: f([2], 1.7, "int64"),
        lambda: f([2], float("inf")),
        lambda: f([2], 1 + 2j, "complex64"),
        lambda: f([0, 3], 1.0),
        lambda: f((2,), 2, "float64"),
    )


@scenario
def likes():
    x = paddle.to_tensor([[1, 2]], dtype="int32")
    return each(
        lambda: paddle.zeros_like(x),
        lambda: paddle.ones_like(x, "float32"),
        lambda: paddle.full_like(x, 2.5),
        lambda: paddle.full_like(x, 2.5, "float64"),
        lambda: paddle.empty_like(x).shape,
        lambda: paddle.rand([2]).dtype,
        lambda: paddle.randn([1, 2]).shape,
        lambda: paddle.full_like(paddle.to_tensor([True]), 0),
    )


@scenario
def diagonals():
    d = paddle.diag
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return each(
        lambda: d(x),
        lambda: d(x, 1),
        lambda: d(x, -1),
        lambda: d(x[0]),
        lambda: d(x[0], 1),
        lambda: d(x[0], -1, padding_value=9.0),
        lambda: paddle.diagflat(x),
        lambda: paddle.diagflat(x[0], 1),
        lambda: paddle.diag_embed(x),
        lambda: paddle.diag_embed(x, 1, 0, 2),
        lambda: paddle.diagonal(x),
        lambda: paddle.diagonal(x, 1),
        lambda: paddle.diagonal(paddle.ones([2, 3, 4]), 0, 1, 2),
        lambda: raised(d, paddle.ones([2, 2, 2])),
    )


@scenario
def eyes_and_triangles():
    x = paddle.to_tensor(np.arange(12).reshape(3, 4))
    return each(
        lambda: paddle.eye(2, 3),
        lambda: paddle.eye(2, dtype="int32"),
        lambda: paddle.tril(x),
        lambda: paddle.tril(x, 1),
        lambda: paddle.triu(x, -1),
        lambda: paddle.triu(x, 2),
        lambda: paddle.tril_indices(3, 4, 0),
        lambda: paddle.triu_indices(3, 3, 1),
        lambda: paddle.vander(paddle.to_tensor([1.0, 2.0, 3.0]), 3),
        lambda: paddle.vander(paddle.to_tensor([1.0, 2.0]), 3, increasing=True),
    )


@scenario
def meshgrids():
    a, b, c = paddle.arange(2), paddle.arange(3), paddle.to_tensor(5)
    return each(
        lambda: paddle.meshgrid(a, b),
        lambda: paddle.meshgrid([a, b]),
        lambda: paddle.meshgrid(a, c),
        lambda: paddle.cartesian_prod([a, b]) if hasattr(paddle, "cartesian_prod") else None,
        lambda: paddle.combinations(b, 2),
        lambda: paddle.combinations(b, 2, True),
    )


@scenario
def shapes_of_random_numbers():
    found = {}
    for name, call in {
        "rand": lambda: paddle.rand([2, 3]),
        "randn": lambda: paddle.randn([2]),
        "randint": lambda: paddle.randint(0, 5, [3]),
        "randint1": lambda: paddle.randint(5),
        "randint_like": lambda: paddle.randint_like(paddle.ones([2]), 0, 3),
        "uniform": lambda: paddle.uniform([2], min=1.0, max=2.0),
        "normal": lambda: paddle.normal(0.0, 1.0, [2]),
        "normal_t": lambda: paddle.normal(paddle.zeros([2]), paddle.ones([2])),
        "randperm": lambda: paddle.randperm(4),
        "bernoulli": lambda: paddle.bernoulli(paddle.full([2], 0.5)),
        "poisson": lambda: paddle.poisson(paddle.full([2], 3.0)),
        "multinomial": lambda: paddle.multinomial(paddle.to_tensor([0.2, 0.8]), 2),
        "gaussian": lambda: paddle.standard_normal([1]),
        "rand0": lambda: paddle.rand([]),
        "binomial": lambda: (
            paddle.binomial(paddle.to_tensor([4]), paddle.to_tensor([0.5]))
            if hasattr(paddle, "binomial")
            else paddle.ones([1])
        ),
    }.items():
        t = call()
        found[name] = [str(t.dtype), t.shape, t.stop_gradient]
    return (
        found,
        raised(paddle.randint, 5, 5),
        raised(paddle.multinomial, paddle.to_tensor([0.0, 1.0]), 2),
    )


@scenario
def equal_seeds():
    paddle.seed(3)
    a = [
        paddle.rand([3]),
        paddle.randint(0, 100, [3]),
        paddle.randperm(6),
        paddle.nn.Linear(2, 2).weight,
    ]
    paddle.seed(3)
    b = [
        paddle.rand([3]),
        paddle.randint(0, 100, [3]),
        paddle.randperm(6),
        paddle.nn.Linear(2, 2).weight,
    ]
    state = paddle.get_rng_state()
    c = paddle.rand([4])
    paddle.set_rng_state(state)
    return (
        [bool((x == y).all()) for x, y in zip(a, b)],
        bool((c == paddle.rand([4])).all()),
        bool((c == paddle.rand([4])).all()),
    )


@scenario
def complex_numbers():
    z = paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, -4.0]))
    return each(
        lambda: z,
        lambda: z.real(),
        lambda: z.imag(),
        lambda: z.conj(),
        lambda: z.abs(),
        lambda: z.angle(),
        lambda: paddle.as_real(z),
        lambda: paddle.as_complex(paddle.ones([2, 2])),
        lambda: z * z,
        lambda: z + z,
        lambda: paddle.is_complex(z),
        lambda: paddle.polar(paddle.to_tensor([1.0]), paddle.to_tensor([0.5])),
        lambda: paddle.isreal(z) if hasattr(paddle, "isreal") else None,
        lambda: z.is_complex(),
        lambda: z.exp(),
    )


@scenario
def assigns():
    out = paddle.zeros([2])
    paddle.assign(paddle.ones([2]), out)
    return each(
        lambda: out,
        lambda: paddle.assign([1, 2]),
        lambda: paddle.assign(np.float32([1.5])),
        lambda: paddle.assign([1.5]),
        lambda: paddle.assign(True),
        lambda: paddle.assign((1.0, 2.0)),
        lambda: paddle.assign([True]),
        lambda: paddle.clone(out),
    )


@scenario
def create_parameters():
    p = paddle.create_parameter(
        [2, 3], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    q = paddle.create_parameter(
        [2],
        "float64",
        attr=paddle.ParamAttr(
            name="q_1",
            trainable=False,
            initializer=paddle.nn.initializer.Assign(np.array([1.0, 2.0])),
        ),
    )
    b = paddle.create_parameter([2], "float32", is_bias=True)
    return (
        p,
        p.stop_gradient,
        p.persistable,
        q,
        q.name,
        q.stop_gradient,
        q.trainable,
        b,
        p.optimize_attr,
        p.need_clip,
        isinstance(p, paddle.Tensor),
    )
