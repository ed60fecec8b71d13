"""Creation, in-place ops, detach, gradient state, random numbers and dtypes in converted functions."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import POSITIVE, f32, paddle, program, scenario

F = paddle.nn.functional


def creation(x):
    return (
        paddle.zeros([2, 3]) + x,
        paddle.ones_like(x),
        paddle.full([2], 3.0),
        paddle.arange(x.shape[1]),
        paddle.to_tensor([1.0, 2.0]),
        paddle.to_tensor(3),
        paddle.eye(2),
        paddle.linspace(0, 1, 3),
        paddle.to_tensor([[1, 2], [3, 4]], dtype="float32"),
        paddle.empty([0, 2]),
        paddle.zeros([], "int64"),
        paddle.to_tensor(x),
        paddle.assign(x),
        paddle.tril(x),
        paddle.diag(x[0]),
    )


program(creation)


def to_tensor_of_tensors_in_a_list(x):
    return paddle.to_tensor([1.0, 2.0, 3.0]) * x, paddle.to_tensor(x.shape)


program(to_tensor_of_tensors_in_a_list)


def to_tensor_of_a_list_that_holds_tensors(x):
    return paddle.to_tensor([x.sum(), 2.0, x.max()])


program(to_tensor_of_a_list_that_holds_tensors, grads=False)


def in_place_methods(x):
    y = x * 1
    y.add_(paddle.ones([3]))
    y.scale_(2.0)
    y.clip_(-1.0, 3.0)
    y.subtract_(x.detach())
    return y


program(in_place_methods)


def in_place_reshape(x):
    y = x * 1
    y.reshape_([3, 2])
    y.unsqueeze_(0)
    y.squeeze_(0)
    z = paddle.tanh_(y * 1)
    return y, z


program(in_place_reshape)


def in_place_in_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        y.add_(x)
    return y


program(in_place_in_a_branch)


def in_place_of_an_alias(x):
    y = x * 1
    z = y
    y.add_(paddle.ones([3]))
    return y, z


program(in_place_of_an_alias)


def zero_and_fill(x):
    y = x * 1
    y.fill_(3.0)
    z = x * 1
    z.zero_()
    return y, z


program(zero_and_fill, (POSITIVE,), grads=False)


def detach_and_clone(x):
    y = x.detach() * x
    z = x.clone() * 2
    return y, z


program(detach_and_clone)


def stop_gradient_is_set(x):
    y = x * 2
    y.stop_gradient = True
    return y * x


program(stop_gradient_is_set)


def no_grad_as_decorator(x):
    @paddle.no_grad()
    def frozen(v):
        return v * 3

    return frozen(x) + x


program(no_grad_as_decorator)


def grad_inside(x):
    y = (x * x * x).sum()
    (g,) = paddle.grad(y, x, create_graph=True)
    return g * 2


program(grad_inside)


def einsum_and_matmul(x):
    return (
        paddle.einsum("ij,kj->ik", x, x),
        paddle.matmul(x, x, transpose_y=True),
        x @ paddle.ones([3]),
    )


program(einsum_and_matmul)


def reductions(x):
    return (
        x.sum(),
        x.mean(axis=[0, 1]),
        paddle.max(x, axis=1, keepdim=True),
        x.prod(),
        paddle.logsumexp(x, 1),
        x.std(),
        x.var(axis=0),
        paddle.all(x > 0),
        paddle.median(x),
        paddle.any(x > 1, axis=0),
        paddle.argmin(x, axis=1),
        paddle.count_nonzero(x),
        paddle.amax(x, 0),
    )


program(reductions)


def joins_and_splits(x):
    a, b, c = paddle.split(x, 3, axis=1)
    parts = paddle.unbind(x, axis=0)
    return (
        a,
        b,
        c,
        parts,
        paddle.chunk(x, 3, axis=1),
        paddle.concat(parts),
        paddle.stack([a, b], axis=-1),
        paddle.unstack(x),
    )


program(joins_and_splits)


def searches(x):
    values, index = paddle.topk(x, 2)
    s, i = x.sort(axis=1), x.argsort(axis=1)
    u = paddle.unique(paddle.to_tensor([2, 1, 2]))
    nz = paddle.nonzero(x > 0)
    return values, index, s, i, u, nz.shape, paddle.where(x > 0)[0].shape


program(searches)


def numbers_that_depend_on_values(x):
    mask = x > 0
    return paddle.nonzero(mask), x[mask], paddle.unique(x.astype("int64"))


program(numbers_that_depend_on_values, grads=False)


def losses(x):
    label = paddle.to_tensor([0, 2])
    return (
        F.cross_entropy(x, label),
        F.mse_loss(x, x * 0),
        F.softmax_with_cross_entropy(x, label.unsqueeze(1)),
        F.l1_loss(x, x + 1),
        F.nll_loss(F.log_softmax(x), label),
    )


program(losses)


def activations(x):
    return (
        F.relu(x),
        F.gelu(x),
        F.softmax(x, axis=0),
        F.leaky_relu(x),
        F.sigmoid(x),
        F.silu(x),
        F.elu(x),
        F.hardswish(x),
        F.softplus(x),
        F.log_softmax(x),
    )


program(activations)


def mixed_dtypes(x):
    i = paddle.arange(3)
    return (
        x * i.astype(x.dtype),
        i * 2,
        i / 2,
        i + 0.5,
        x + 1,
        x.astype("float64") + 1,
        i // 2,
        i % 2,
        i**2,
    )


program(mixed_dtypes)


def integer_input(x):
    if x.sum() > 3:
        x = x + 1
    return x * 2, x / 2, x.astype("float32").mean()


program(integer_input, (np.array([1, 2, 3], "int64"),), grads=False)


def boolean_input(x):
    if x.any():
        return paddle.logical_not(x), x & x, x | ~x
    return x, x, x


program(boolean_input, (np.array([True, False]),), grads=False)


def float64_input(x):
    if x.mean() > 1:
        x = x * 0.1
    return x * 2.5


program(float64_input, (f32([1.0, 2.0]).astype("float64"),))


def complex_input(x):
    return x.real(), x.imag(), x * 2, paddle.abs(x), x.conj()


program(complex_input, (np.array([1 + 2j, 3 - 1j], "complex64"),), grads=False)


def float16_input(x):
    return x.astype("float32") * 2, x.astype("float32").sum()


program(float16_input, (np.ones((2, 3), "float16"),), grads=False)


def comparisons(x):
    return (
        x > 0,
        x == x,
        x != 1,
        paddle.equal_all(x, x),
        paddle.allclose(x, x),
        paddle.isnan(x),
        x.equal(x),
        paddle.less_than(x, x + 1),
        x.isfinite().all(),
    )


program(comparisons)


def shapes_as_tensors(x):
    s = paddle.shape(x)
    return x.reshape([s[1], s[0]]), paddle.zeros(s), paddle.expand(x[:1], [s[0], 3]), s[0] * 2


program(shapes_as_tensors)


def unknown_shapes_as_tensors(x):
    s = paddle.shape(x)
    return (
        x.reshape([s[1], s[0]]),
        paddle.zeros([s[0], 4]),
        paddle.tile(x, [s[0], 1]),
        x.reshape([-1, x.shape[0]]),
        paddle.arange(x.shape[1]),
    )


program(unknown_shapes_as_tensors, spec=lambda S: [S([-1, -1], "float32")], grads=False)


def unknown_rows_in_arithmetic(x):
    n = x.shape[0]
    return (
        x / n,
        x.sum() / (n * 2 + 1),
        n + 1,
        paddle.full([n], 2.0),
        x[: n - 1],
        x.reshape([n * 3]),
    )


program(unknown_rows_in_arithmetic, spec=lambda S: [S([-1, 3], "float32")], grads=False)


def assign_to_a_variable(x):
    y = paddle.zeros([2, 3])
    paddle.assign(x * 2, y)
    return y + 1


program(assign_to_a_variable)


def static_control_flow_functions(x):
    a = paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 2)
    i, b = paddle.static.nn.while_loop(
        lambda i, v: i < 3, lambda i, v: [i + 1, v * 2], [paddle.zeros([1], "int64"), x]
    )
    return a, b


program(static_control_flow_functions)


def static_case_and_switch(x):
    a = paddle.static.nn.case([(x.sum() > 0, lambda: x * 2)], default=lambda: x * 3)
    b = paddle.static.nn.switch_case(
        paddle.to_tensor([1], "int32"), {0: lambda: x, 1: lambda: x + 5}
    )
    return a, b


program(static_case_and_switch)


def increments(x):
    y = paddle.increment(x * 1, 2.0)
    return y


program(increments, (f32([4.0]),))


def masked_and_filled(x):
    return (
        paddle.masked_fill(x, x > 0, 0.0),
        paddle.where(x > 0, x, paddle.zeros_like(x)),
        paddle.index_select(x, paddle.to_tensor([0, 2]), 1),
    )


program(masked_and_filled)


def in_dynamic_mode_is_false(x):
    return x * (1 if paddle.in_dynamic_mode() else 2)


program(in_dynamic_mode_is_false)


def random_shapes(x):
    return (
        paddle.rand([2, 2]).shape,
        paddle.randn([3]).shape,
        paddle.randint(0, 5, [4]).dtype == paddle.int64,
        paddle.bernoulli(x * 0 + 1.0),
        paddle.randperm(4).shape,
    )


program(random_shapes, (POSITIVE,), count=False, grads=False)


def numpy_of_a_value(x):
    y = x * 2
    return float(y.sum().numpy()), y.numpy()


program(numpy_of_a_value, grads=False)


def pylayer(x):
    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, v):
            ctx.save_for_backward(v)
            return v * 2

        @staticmethod
        def backward(ctx, g):
            return g * 5

    return Double.apply(x) + 1


program(pylayer)


@scenario
def seeds_are_used(to_static):
    def f():
        return paddle.rand([3])

    f = to_static(f)
    paddle.seed(3)
    one = f().numpy()
    two = f().numpy()
    paddle.seed(3)
    return bool((one == f().numpy()).all()), bool((one == two).all())


@scenario
def a_python_list_of_arrays_is_given(to_static):
    def f(xs):
        return xs[0] + xs[1]

    f = to_static(f)
    return f([np.ones(2, "float32"), np.ones(2, "float32")])


@scenario
def an_array_is_given(to_static):
    def f(x):
        return x * 2

    f = to_static(f)
    return f(np.ones([2, 2], "float32")), f(np.array([1, 2]))
