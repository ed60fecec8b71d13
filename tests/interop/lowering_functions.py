"""Functions as real Paddle exports them: shapes, numbers, branches and loops.

Importable without Paddle, as `lowering_nets.py`.
"""

from lowering_cases import a, f, ints
from lowering_nets import NETS, function

try:
    import paddle
    from paddle import nn
    from paddle.nn import functional as F
except ImportError:  # the tests read the names only
    paddle = nn = F = None

__all__ = ["NETS"]


# ---- shapes ----


def dynamic_reshape(x):
    return (
        paddle.reshape(x, [paddle.shape(x)[0], -1]),
        paddle.reshape(x, [x.shape[0], x.shape[1] * 2, 2]),
        x.reshape([0, -1]),
    )


function(dynamic_reshape, f(2, 3, 4), open=(0, 1))


def indexing(x):
    return (
        x[0],
        x[:, -1],
        x[:, None, 1:, ...],
        x[..., ::2],
        x[:, ::-1],
        x[-1, 0, 0],
        x[:, 1:3, 2],
        x[1:],
    )


function(indexing, f(2, 3, 4), open=(0, 1))


def indexing_by_tensors(x, i, j):
    return x[i], x[i, j], x[x > 0], paddle.gather(x, i, axis=1), paddle.index_select(x, j, axis=2)


function(indexing_by_tensors, f(2, 3, 4), a([1, 0]), a([2, 1]), open=[(0,), (), ()])


def assignment(x):
    y = x * 1
    y[:, 0] = 5.0
    z = x * 2
    z[:, 1:3] = x[:, :2]
    w = x * 1
    w[:, :, ::2] = 0.0
    return y, z, w


function(assignment, f(2, 3, 4))


def created_from_shapes(x):
    rows = paddle.shape(x)[0]
    return (
        paddle.full([rows, 2], 3.0),
        paddle.zeros_like(x),
        paddle.ones([rows], "int64"),
        paddle.arange(rows) + 1,
        paddle.expand(x[:, :1], [rows, 5, 4]),
        paddle.tile(x, [1, 2, 1]),
        paddle.tril(paddle.ones([4, 4])),
        paddle.eye(3),
    )


function(created_from_shapes, f(2, 3, 4), open=(0, 1))


def put_together(x):
    p, q, r = paddle.split(x, 3, axis=2)
    return (
        paddle.concat([r, p], axis=-1),
        paddle.stack([p, q], axis=1),
        paddle.chunk(x, 2, axis=2)[1],
        paddle.roll(x, 1, axis=1),
        paddle.flip(x, [1]),
    )


function(put_together, f(2, 4, 6), open=(0, 1))


def axes(x):
    return (
        x.transpose([2, 0, 1]),
        x.unsqueeze([0, 2]).squeeze(0),
        paddle.flatten(x, 0, 1),
        paddle.unbind(x, axis=1)[0],
        x.t if False else x.mean(-1),
    )


function(axes, f(2, 3, 4))


# ---- numbers ----


def arithmetic(x, y):
    return (
        x + 1.5,
        2 - x,
        x / y,
        x**2,
        2**x,
        -x,
        x // y,
        x % y,
        paddle.maximum(x, y),
        x @ y.t(),
        paddle.clip(x, -1, 1),
    )


function(arithmetic, f(3, 4), f(3, 4, seed=1))


def whole_arithmetic(x, y):
    return (
        x + y,
        x - 3,
        x * y,
        x // y,
        x % y,
        x / y,
        x // 2,
        x % 3,
        x > y,
        paddle.bitwise_and(x, y),
        x.astype("float32"),
    )


function(whole_arithmetic, ints(3, 4, low=-9, high=9), ints(3, 4, low=1, high=5, seed=1))


def statistics(x):
    return (
        x.mean(),
        x.std(axis=1),
        x.var(),
        paddle.norm(x),
        paddle.norm(x, 2, axis=1),
        F.normalize(x, axis=1),
        paddle.logsumexp(x, 1),
        x.sum([0, 1], keepdim=True),
        x.max(),
        x.prod(1),
        paddle.all(x > -9),
    )


function(statistics, f(3, 4))


def ordering(x):
    top, where = paddle.topk(x, 2)
    return (
        top,
        where,
        paddle.argmax(x, 1),
        paddle.argmin(x),
        paddle.sort(x, 1),
        paddle.argsort(x, 1, descending=True),
        paddle.nonzero(x > 0),
        paddle.masked_select(x, x > 0),
        paddle.where(x > 0, x, x * 0.1),
    )


function(ordering, f(3, 4))


def losses(x, label, soft):
    return (
        F.cross_entropy(x, label),
        F.cross_entropy(x, soft, soft_label=True),
        F.nll_loss(F.log_softmax(x), label),
        F.mse_loss(x, soft),
        F.binary_cross_entropy(F.sigmoid(x), soft),
        F.binary_cross_entropy_with_logits(x, soft),
        F.kl_div(F.log_softmax(x), soft),
        F.smooth_l1_loss(x, soft),
        F.l1_loss(x, soft),
        F.label_smooth(soft),
        F.cosine_similarity(x, soft),
        F.one_hot(label, 5),
    )


function(losses, f(3, 5), a([1, 0, 4]), f(3, 5, low=0.05, high=0.95))


# ---- control flow ----


def branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


function(branch, f(3, 4))


def branch_the_other_way(x):
    z = x
    if x.sum() > 0:
        y = x * 2
        z = y + 1
    else:
        y = x[:1] - 1
    return y, z


function(branch_the_other_way, f(3, 4) - 5)


def early_return(x):
    if paddle.mean(x) > 0:
        return x + 1
    return x - 1


function(early_return, f(3, 4))


def loop(x, n):
    i = paddle.zeros([1], "int64")
    while i < n:
        x = F.tanh(x * 2 + i.astype("float32"))
        i += 1
    return x, i


function(loop, f(3, 4), a([5]), open=[(0,), ()])


def loop_with_break(x):
    i = paddle.zeros([1], "int64")
    while i < 10:
        if paddle.sum(paddle.abs(x)) > 100:
            break
        x = x * 2
        i = i + 1
    return x, i


function(loop_with_break, f(3, 4))


def loop_over_range(x, n):
    total = paddle.zeros([4])
    for i in range(n):
        total = total + x[0] * i
    return total


function(loop_over_range, f(3, 4), a([4]), open=[(0,), ()])


def loop_over_rows(x):
    total = paddle.zeros([4])
    for row in x:
        total = total * 0.5 + row
    return total


function(loop_over_rows, f(5, 4))


def nested(x):
    i = paddle.zeros([1], "int64")
    while i < 4:
        if x.mean() > 1:
            x = x - 1
        else:
            x = x + 0.75
        i += 1
    return x, x > 0.5


function(nested, f(3, 4))


def collected(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i] * i)
    return paddle.stack(out)


function(collected, f(4, 3))


def break_inside_a_branch(x, n):
    if x.sum() > 0:
        while n > 0:
            n = n - 1
            if n == 3:
                break
        return x * n.astype("float32")
    return x


function(break_inside_a_branch, f(3, 4) + 5, a([6]), open=[(0,), ()])


def pyramid(x):
    pooled = [F.adaptive_avg_pool2d(x, size) for size in (1, 2, 3, [4, 5])] + [
        F.adaptive_max_pool2d(x, 3)
    ]
    return paddle.concat([F.interpolate(p, x.shape[2:], mode="bilinear") for p in pooled], axis=1)


function(pyramid, f(2, 3, 10, 7), open=(0, 2, 3))


def switch(x, which):
    return paddle.static.nn.switch_case(
        which, {0: lambda: x + 1, 2: lambda: x * 2}, default=lambda: x - 3
    )


function(switch, f(4, 3), a(2))


def array(x):
    held = paddle.tensor.create_array("float32")
    i = paddle.zeros([1], "int64")
    held = paddle.tensor.array_write(x, i, held)
    held = paddle.tensor.array_write(x * 2, i + 1, held)
    return paddle.tensor.array_read(held, i + 1), paddle.tensor.array_read(held, i)


function(array, f(4, 3))


def resized_by_area(x):
    half = [paddle.shape(x)[2] // 2, paddle.shape(x)[3] * 2 - 1]
    return F.interpolate(x, size=half, mode="area"), F.adaptive_avg_pool2d(
        x, [paddle.shape(x)[3], 2]
    )


function(resized_by_area, f(2, 3, 6, 5), open=(0, 2, 3))


def transposed_to_a_size(x, weight):
    size, half = paddle.shape(x)[2:], paddle.shape(x)[3] // 2
    y, z = (
        F.conv2d(x, weight, stride=2, padding=1),
        F.conv2d(x, weight, stride=[1, 3], padding="SAME"),
    )
    return (
        F.conv2d_transpose(y, weight, stride=2, padding=1, output_size=size),
        F.conv2d_transpose(
            y, weight, stride=2, padding=[1, 0], output_size=[size[0] + 1, half * 2 + 1]
        ),
        F.conv2d_transpose(z, weight, stride=[1, 3], padding="SAME", output_size=size),
    )


function(transposed_to_a_size, f(2, 3, 7, 6), f(4, 3, 3, 3), open=[(0, 2, 3), ()])


def put_back_to_a_size(x):
    y, at = F.max_pool2d(x, 2, return_mask=True)
    return F.max_unpool2d(y, at, 2, output_size=x.shape), F.max_unpool2d(
        y, at, 2, output_size=x.shape[2:]
    )


function(put_back_to_a_size, f(2, 3, 7, 6), open=(0, 2, 3))


def split_along_computed(x, axis):
    return paddle.split(x, 2, axis=axis)


function(split_along_computed, f(4, 6), a(1), open=[(0,), ()])
