"""Reading and writing parts of tensors."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario


def cube(stop_gradient=False):
    return paddle.to_tensor(
        np.arange(24).reshape(2, 3, 4).astype("float32"), stop_gradient=stop_gradient
    )


def with_grad(x, *parts):
    total = sum((p * p).sum() for p in parts if isinstance(p, paddle.Tensor))
    total.backward()
    return [*parts, x.grad]


@scenario
def ints_slices_and_none():
    x = cube()
    return with_grad(
        x,
        *each(
            lambda: x[1],
            lambda: x[-1, 0],
            lambda: x[:, 1:],
            lambda: x[..., -1],
            lambda: x[:, None, ::2, None],
            lambda: x[0, ..., 1:3],
            lambda: x[1, 2, 3],
        ),
    )


@scenario
def negative_steps():
    x = cube()
    return with_grad(
        x,
        *each(
            lambda: x[::-1],
            lambda: x[:, ::-2],
            lambda: x[..., 3:0:-1],
            lambda: x[:, :, -1:-4:-2],
            lambda: x[1:0],
            lambda: x[:, 2:1],
        ),
    )


@scenario
def slices_beyond_the_end():
    x = cube(True)
    return each(
        lambda: x[:10].shape,
        lambda: x[5:].shape,
        lambda: x[-10:2].shape,
        lambda: x[:, -2:100].shape,
        lambda: x[:, :, 4:].shape,
    )


@scenario
def tensors_as_scalars_and_bounds():
    x, i, j = cube(), paddle.to_tensor(1), paddle.to_tensor([2], dtype="int32")
    return with_grad(
        x,
        *each(
            lambda: x[i], lambda: x[:, i], lambda: x[0, i:], lambda: x[:, :j], lambda: x[i, i, i]
        ),
    )


@scenario
def lists_and_arrays():
    x = cube()
    return with_grad(
        x,
        *each(
            lambda: x[[0, 1, 1]],
            lambda: x[:, [2, 0]],
            lambda: x[np.array([1])],
            lambda: x[[0, 1], [1, 2]],
            lambda: x[:, [[0, 1], [2, 0]]],
        ),
    )


@scenario
def two_index_tensors_with_a_slice_between():
    x = cube()
    a, b = paddle.to_tensor([0, 1, 0]), paddle.to_tensor([3, 0, 1])
    return with_grad(
        x,
        *each(
            lambda: x[a, :, b],
            lambda: x[a, 1, b],
            lambda: x[:, a, b],
            lambda: x[a, a, b],
            lambda: x[a, None, :, b],
        ),
    )


@scenario
def index_tensors_that_broadcast():
    x = cube()
    rows, columns = paddle.to_tensor([[0], [1]]), paddle.to_tensor([[0, 2]])
    return with_grad(
        x,
        *each(lambda: x[rows, columns], lambda: x[rows, columns, 1:3], lambda: x[rows, 1, columns]),
    )


@scenario
def masks():
    x = cube()
    mask = x.detach() % 3 == 0
    return with_grad(
        x,
        *each(
            lambda: x[mask],
            lambda: x[mask[:, :, 0]],
            lambda: x[paddle.to_tensor([True, False])],
            lambda: x[[True, False]],
            lambda: x[0, paddle.to_tensor([True, False, True])],
        ),
    )


@scenario
def masks_of_nothing_and_of_all():
    x = cube()
    return [x[paddle.zeros_like(x) > 1], x[paddle.ones_like(x) > 0], x[paddle.zeros([2], "bool")]]


@scenario
def bools_and_ellipsis():
    x = cube(True)
    return each(
        lambda: x[True].shape,
        lambda: x[False].shape,
        lambda: x[...].shape,
        lambda: x[None].shape,
        lambda: x[..., None].shape,
        lambda: x[()].shape,
    )


@scenario
def write_ints_and_slices():
    x = cube(True)
    x[0] = 1.0
    x[:, 1] = -1
    x[1, 2, 3] = 100.0
    x[..., -1] = paddle.to_tensor([[5.0, 6.0, 7.0]])
    x[:, ::2, 0] = np.array([[8.0], [9.0]], "float32")
    return x


@scenario
def write_with_negative_steps():
    x = cube(True)
    x[:, ::-1] = paddle.to_tensor([[1.0], [2.0], [3.0]])
    x[..., ::-2] = 0.5
    return x


@scenario
def write_lists_and_masks():
    x = cube(True)
    x[[0, 1], [1, 2]] = 9.0
    x[x > 20] = -5.0
    x[:, [0]] = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    x[paddle.to_tensor([False, True])] = x[paddle.to_tensor([False, True])] * 2
    return x


@scenario
def write_with_index_tensors_repeated():
    x = paddle.zeros([4])
    x[paddle.to_tensor([1, 1, 3])] = 2.0
    y = paddle.zeros([3, 3])
    y[paddle.to_tensor([0, 2]), paddle.to_tensor([1, 1])] = paddle.to_tensor([4.0, 5.0])
    y[:, paddle.to_tensor([0, 2])] += 1.0
    return x, y


@scenario
def write_casts_the_value():
    i = paddle.zeros([3], "int64")
    i[0] = 2
    b = paddle.zeros([3], "bool")
    b[1] = True
    f = paddle.zeros([2], "float64")
    f[0] = 0.5
    f[1] = 7
    return i, b, f


@scenario
def write_keeps_gradients():
    x, v = cube(), paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
    y = x * 2
    y[0, 1] = v
    y[1, :, 0] = v[:3] * v[0]
    (y * y).sum().backward()
    return y, x.grad, v.grad


@scenario
def write_into_a_leaf_that_needs_gradients():
    x = cube()

    def write():
        x[0] = 1.0

    return raised(write), x.inplace_version


@scenario
def write_into_a_leaf_under_no_grad():
    x = cube()
    with paddle.no_grad():
        x[0] = 1.0
    return x, x.stop_gradient


@scenario
def write_a_value_that_needs_gradients_into_a_constant():
    x, v = paddle.zeros([3]), paddle.to_tensor(2.0, stop_gradient=False)
    x[1] = v * 3
    x.sum().backward()
    return x, x.stop_gradient, v.grad


@scenario
def wrong_indices():
    x = cube(True)
    return each(
        lambda: raised(lambda: x[2]),
        lambda: raised(lambda: x[0, 0, 0, 0]),
        lambda: raised(lambda: x["a"]),
        lambda: raised(lambda: x[:, 5]),
        lambda: raised(lambda: x[..., ..., 0]),
        lambda: raised(lambda: x[1.5]),
        lambda: raised(lambda: x[::0]),
    )


@scenario
def wrong_values_to_write():
    def write(index, value):
        x = cube(True)
        x[index] = value

    return [
        raised(write, 0, paddle.ones([5])),
        raised(write, (0, 0), np.ones((2, 4), "float32")),
        raised(write, 0, "a"),
    ]


@scenario
def set_value_of_arrays_and_tensors():
    x = cube(True)
    x.set_value(np.ones((2, 3, 4), "float32"))
    first = x.clone()
    x.set_value(paddle.full([2, 3, 4], 3.0))
    return (
        first,
        x,
        raised(x.set_value, np.ones((2, 2), "float32")),
        raised(x.set_value, np.ones((2, 3, 4), "int64")),
    )


@scenario
def iteration_and_unpacking():
    x = cube()
    first, second = x
    rows = [row.sum() for row in x[0]]
    return (
        first,
        second,
        rows,
        len(x),
        [i for i, _ in enumerate(x)],
        (cube(True) == 3).any() in [True],
    )


@scenario
def write_a_fraction_into_integers():
    i = paddle.zeros([3], "int64")
    return raised(i.__setitem__, 1, 3.7), i


@scenario
def gather_and_scatter_family():
    x = f32([[1, 2], [3, 4], [5, 6]])
    t = paddle.to_tensor(x, stop_gradient=False)
    i = paddle.to_tensor([2, 0])
    found = each(
        lambda: paddle.gather(t, i),
        lambda: paddle.index_select(t, i, axis=0),
        lambda: paddle.gather_nd(t, paddle.to_tensor([[1, 1], [0, 0]])),
        lambda: paddle.take_along_axis(t, paddle.to_tensor([[0], [1], [0]]), 1),
        lambda: paddle.index_sample(t, paddle.to_tensor([[0, 1], [1, 1], [0, 0]])),
        lambda: paddle.scatter(t, i, paddle.ones([2, 2])),
        lambda: paddle.scatter(t, i, paddle.ones([2, 2]), overwrite=False),
        lambda: paddle.scatter_nd_add(t, paddle.to_tensor([[0], [0]]), paddle.ones([2, 2])),
        lambda: paddle.put_along_axis(t, paddle.to_tensor([[0], [1], [0]]), 9.0, 1),
        lambda: paddle.index_put(t, (i,), paddle.to_tensor(7.0)),
        lambda: paddle.index_put(t, (i,), paddle.to_tensor(7.0), accumulate=True),
        lambda: paddle.index_fill(t, i, 0, 0.5),
        lambda: paddle.take(t, paddle.to_tensor([0, -1, 3])),
        lambda: paddle.masked_select(t, t > 2),
    )
    return with_grad(t, *found)


@scenario
def take_modes():
    x = cube(True)
    i = paddle.to_tensor([[30, -40], [5, 1]])
    return paddle.take(x, i, mode="wrap"), paddle.take(x, i, mode="clip"), raised(paddle.take, x, i)
