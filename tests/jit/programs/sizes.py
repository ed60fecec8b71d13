"""Dynamic sizes in arithmetic, shapes, bounds and conditions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn

from .table import Table, f32, i64

program = Table()


def numbers(*shape: int) -> Any:
    return f32(((i64(range(math.prod(shape))) * 7 + 3) % 11).reshape(shape) - 5)


FLAT = ((numbers(2, 4),), (numbers(3, 6),), (numbers(1, 2),), (numbers(5, 8),))
PICTURES = ((numbers(2, 3, 4, 4),), (numbers(1, 3, 6, 8),), (numbers(3, 3, 2, 4),))
WORDS = ((numbers(2, 3, 8),), (numbers(4, 1, 8),), (numbers(1, 5, 8),))
PAIRS = (
    (numbers(2, 4), numbers(3, 4)),
    (numbers(5, 4), numbers(1, 4)),
    (numbers(1, 4), numbers(4, 4)),
)
ALL, BOTH = ([None, None],), ([None, 3, None, None],)


@program(*FLAT, dims=ALL)
def all_elements_in_a_row(x: Any) -> Any:
    return x.reshape([x.shape[0] * x.shape[1]])


@program(*FLAT, dims=ALL)
def a_half_of_a_size(x: Any) -> Any:
    return x.reshape([x.shape[0] * 2, x.shape[1] // 2])


@program(*FLAT, dims=ALL)
def sizes_taken_apart(x: Any) -> Any:
    b, c = x.shape
    return x.reshape([b, c // 2, 2]).transpose([0, 2, 1]).reshape([b, c])


@program(*PICTURES, dims=BOTH)
def pictures_to_rows(x: Any) -> Any:
    n, c, h, w = x.shape
    return x.reshape([n, c, h * w]).transpose([0, 2, 1])


@program(*PICTURES, dims=BOTH)
def blocks_of_pixels(x: Any) -> Any:
    n, c, h, w = x.shape
    x = x.reshape([n, c, h // 2, 2, w // 2, 2])
    return x.transpose([0, 1, 3, 5, 2, 4]).reshape([n, c * 4, h // 2, w // 2])


@program(*PICTURES, dims=BOTH)
def back_and_forth(x: Any) -> Any:
    shape = x.shape
    return (x.flatten(2) * 2).reshape(shape)


@program(*WORDS, dims=([None, None, 8],))
def heads_of_attention(x: Any) -> Any:
    b, t = x.shape[0], x.shape[1]
    q = x.reshape([b, t, 2, 4]).transpose([0, 2, 1, 3])
    scores = paddle.nn.functional.softmax(paddle.matmul(q, q, transpose_y=True) / math.sqrt(4))
    return paddle.matmul(scores, q).transpose([0, 2, 1, 3]).reshape([b, t, 8])


@program(*WORDS, dims=([None, None, 8],))
def causal_mask(x: Any) -> Any:
    t = x.shape[1]
    mask = paddle.tril(paddle.ones([t, t]))
    return paddle.matmul(mask, x) + (1 - mask).sum()


@program(*FLAT, dims=ALL)
def zeros_of_sizes(x: Any) -> Any:
    return paddle.zeros([x.shape[1], x.shape[0]]) + x.transpose([1, 0])


@program(*FLAT, dims=ALL)
def filled_with_a_size(x: Any) -> Any:
    counted = paddle.full([x.shape[1]], x.shape[0], "int64"), paddle.full_like(x, x.shape[1])
    return *counted, paddle.full([x.shape[0], 2], 3.0), paddle.ones([x.shape[0] + 1]), x * 1


@program(*FLAT, dims=ALL)
def range_of_a_product(x: Any) -> Any:
    return paddle.arange(x.shape[0] * x.shape[1]).reshape(x.shape).astype("float32") + x


@program(*FLAT, dims=ALL)
def range_from_to_by(x: Any) -> Any:
    return paddle.arange(1, x.shape[1] + 1, 2), paddle.arange(0, 2 * x.shape[0], 2), x * 1


@program(*FLAT, dims=ALL)
def divided_by_a_size(x: Any) -> Any:
    return x.sum() / x.shape[0], x.sum(axis=0) / (x.shape[0] * 1.0), x / x.shape[1]


@program(*FLAT, dims=ALL)
def rest_of_a_size(x: Any) -> Any:
    left = x.shape[0] % 2
    return paddle.nn.functional.pad(x, [0, 1, 0, 0]) if left == 1 else x * 1


@program(*FLAT, dims=ALL)
def parity_chooses(x: Any) -> Any:
    if x.shape[0] % 2 == 0:
        y = x.reshape([x.shape[0] // 2, -1]).sum()
    else:
        y = x[0].sum()
    return y


@program(*PAIRS, dims=([None, 4], [None, 4]))
def two_sizes_of_two_inputs(x: Any, y: Any) -> Any:
    n, m = x.shape[0], y.shape[0]
    a = x.unsqueeze(1).expand([n, m, 4])
    return (a - y.unsqueeze(0)).square().sum(-1).reshape([n * m])


@program(*PAIRS, dims=([None, 4], [None, 4]))
def joined_rows(x: Any, y: Any) -> Any:
    z = paddle.concat([x, y])
    return z[: x.shape[0]], z[x.shape[0] :], z.reshape([(x.shape[0] + y.shape[0]) * 4])


@program(*PAIRS, dims=([None, 4], [None, 4]))
def sizes_compared_in_a_loop(x: Any, y: Any) -> Any:
    total = paddle.zeros([4])
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            if i < j:
                total = total + x[i] * y[j]
    return total


@program(*FLAT, dims=ALL)
def tiled_by_a_size(x: Any) -> Any:
    return (
        x[0].tile([x.shape[0], 2]),
        x[:, 0:1].expand([x.shape[0], x.shape[1]]),
        x.broadcast_to([2, *x.shape]),
    )


@program(*FLAT, dims=ALL)
def cut_at_a_size(x: Any) -> Any:
    half = x.shape[1] // 2
    return x[:, :half] + x[:, half:], x[:, half], x[:, -1 - half + 1 :], x[x.shape[0] - 1]


@program(*FLAT, dims=ALL)
def halves_by_slice(x: Any) -> Any:
    half = x.shape[1] // 2
    return paddle.slice(x, axes=[1], starts=[half], ends=[half * 2]), paddle.concat(
        [x[:, half:], x[:, :half]], axis=1
    )


@program(*FLAT, dims=ALL)
def sizes_carried_by_a_loop(x: Any) -> Any:
    left, rounds = x.shape[1], 0
    while left > 1:
        left = left // 2
        rounds = rounds + 1
    return x * left + rounds


@program(*FLAT, dims=ALL)
def size_of_what_was_made(x: Any) -> Any:
    y = x.reshape([-1])
    z = paddle.concat([y, y])
    return z.reshape([z.shape[0] // 2, 2]), z / z.shape[0]


@program(*FLAT, f32([[0.1, -0.5], [0.2, -0.9], [0.6, -0.4]]), dims=ALL)
def reshaped_in_a_branch(x: Any) -> Any:
    if x.sum() > 0:
        y = x.reshape([x.shape[0] * x.shape[1]]) * 2
    else:
        y = paddle.zeros([x.shape[0] * x.shape[1]]) - 1
    return y


@program(*FLAT, dims=ALL)
def larger_of_two_sizes(x: Any) -> Any:
    n = max(x.shape[0], x.shape[1])
    return paddle.zeros([n, min(x.shape)]) + n, x * 1


@program(*FLAT, dims=ALL)
def length_and_number_of_axes(x: Any) -> Any:
    return x * len(x) + len(x.shape) + x.ndim, paddle.zeros([len(x)])


@program(*FLAT, dims=ALL)
def shape_as_a_tensor(x: Any) -> Any:
    shape = paddle.shape(x)
    return x.reshape([shape[1], shape[0]]), shape, paddle.ones(shape), paddle.reshape(x * 2, shape)


@program(*FLAT, dims=ALL)
def number_of_elements(x: Any) -> Any:
    return x.sum() / paddle.numel(x).astype("float32"), x.reshape([x.size])


@program(*FLAT, dims=ALL)
def rounded_up(x: Any) -> Any:
    pad = (-x.shape[1]) % 4
    y = paddle.concat([x, paddle.zeros([x.shape[0], pad])], axis=1)
    return y.reshape([x.shape[0], y.shape[1] // 4, 4]).sum(-1)


@program(*FLAT, dims=ALL)
def several_sizes_by_a_comprehension(x: Any) -> Any:
    doubled = [d * 2 for d in x.shape]
    return paddle.zeros(doubled), x * 1


@program(*PICTURES, dims=BOTH)
def resized_by_its_size(x: Any) -> Any:
    h, w = x.shape[2:]
    return paddle.nn.functional.interpolate(x, size=[h * 2, w * 2], mode="nearest")


@program(*FLAT, dims=ALL)
def eye_of_a_size(x: Any) -> Any:
    return paddle.eye(x.shape[0]).matmul(x), paddle.linspace(0, 1, x.shape[0]), x * 1


@program(*FLAT, dims=ALL)
def float_of_a_size(x: Any) -> Any:
    return x * float(x.shape[1]) ** 0.5, x / int(x.shape[0])


@program(*FLAT, dims=ALL)
def split_into_halves(x: Any) -> Any:
    a, b = paddle.split(x, 2, axis=1)
    c, d = paddle.split(x, [x.shape[1] // 2, -1], axis=1)
    return a - d, b + c


@program(*FLAT, dims=ALL)
def sections_of_sizes(x: Any) -> Any:
    n = x.shape[1] // 2
    a, b = paddle.split(x, [n, n], axis=-1)
    c, d, e = paddle.split(x, [1, -1, n - 1 + x.shape[1] % 2], axis=1)
    return a * b, c, d, e


@program(*FLAT, dims=ALL)
def largest_half(x: Any) -> Any:
    values, places = paddle.topk(x, x.shape[1] // 2)
    return (
        values,
        places,
        paddle.roll(x, x.shape[0], axis=1),
        paddle.roll(x, [1, x.shape[1] - 1], axis=[0, 1]),
    )


@program(*FLAT, dims=ALL)
def padded_by_sizes(x: Any) -> Any:
    pads = [0, x.shape[0], x.shape[1] // 2, 1]
    return paddle.nn.functional.pad(x, pads, value=2.0), x * 1


@program(*PICTURES, dims=BOTH)
def pictures_padded_by_sizes(x: Any) -> Any:
    h, w = x.shape[2], x.shape[3]
    return paddle.nn.functional.pad(
        x, [0, (-w) % 8, h // 2, 0]
    ), paddle.nn.functional.adaptive_avg_pool2d(x, 1)


@program(*FLAT, dims=ALL)
def mask_of_lengths(x: Any) -> Any:
    lengths = (x > 0).astype("int64").sum(1)
    return paddle.nn.functional.sequence_mask(lengths, maxlen=x.shape[1], dtype="float32") * x


@program(*FLAT, dims=ALL)
def strided_by_sizes(x: Any) -> Any:
    half = x.shape[1] // 2
    return (
        x[:, ::2],
        x[::-1],
        paddle.strided_slice(x, [1], [half], [x.shape[1]], [1]),
        x[:, 0:half:2],
    )


@program(*PICTURES, dims=BOTH)
def grid_of_its_size(x: Any) -> Any:
    n, c, h, w = x.shape
    turn = paddle.to_tensor([[[1.0, 0.1, 0.0], [0.0, 1.0, 0.2]]]).tile([n, 1, 1])
    return paddle.nn.functional.grid_sample(x, paddle.nn.functional.affine_grid(turn, [n, c, h, w]))


@program(*FLAT, dims=ALL)
def uniform_shapes(x: Any) -> Any:
    y = paddle.rand([x.shape[0], x.shape[1] * 2])
    return (y >= 0).all(), paddle.ones_like(y), x * 1


@program(*FLAT, dims=ALL)
def indices_from_sizes(x: Any) -> Any:
    places = paddle.arange(x.shape[0] * x.shape[1])
    rows, columns = places // x.shape[1], places % x.shape[1]
    return paddle.gather_nd(x, paddle.stack([rows, columns], 1)), x.flatten()[places]


@program(*FLAT, dims=ALL)
def written_at_a_size(x: Any) -> Any:
    y = x * 1
    y[x.shape[0] - 1] = 5.0
    y[:, x.shape[1] // 2 :] = 1.0
    return y


@program()
class Positions(nn.Layer):
    """Looks up as many positions as there are words."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(16, 4)
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return self.fc(x + self.table(paddle.arange(x.shape[0])))


@program(*PICTURES, dims=BOTH)
class Flattened(nn.Layer):
    """Flattens pixels to a sequence for a layer, and restores the image."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        b, c, h, w = x.shape
        y = self.fc(x.reshape([b, c, h * w]).transpose([0, 2, 1]))
        return y.transpose([0, 2, 1]).reshape([b, c, h, w]) + x


@program(*FLAT, dims=[[None, None]])
def products_of_sizes(x: Any) -> Any:
    half = math.prod(x.shape[0:]) // 2
    return x.reshape([int(np.prod(x.shape))]), x.reshape([half, -1]), x.sum() / np.prod(x.shape[:1])


@program(*PAIRS, (numbers(3, 4), numbers(3, 4)), dims=([None, None], [None, None]))
def shapes_that_are_compared(x: Any, y: Any) -> Any:
    return x + y if x.shape == y.shape else x - 1


@program(*FLAT, dims=ALL)
def parts_of_shapes_that_are_compared(x: Any) -> Any:
    if tuple(x.shape) != (2, 4) and [x.shape[0], 1] != [1, 1]:
        x = x * 2
    if x.shape == [2, 4, 1] or x.shape[1:] == [6]:
        x = x + 100
    return x


@program(*FLAT, dims=ALL)
def shapes_among_others(x: Any) -> Any:
    if x.shape in ([2, 4], [5, 8]):
        x = x + 1
    if 6 in x.shape:
        x = x * 3
    return x


@program(*FLAT, dims=ALL)
def a_chain_of_shapes(x: Any) -> Any:
    y = x[1:] if x.shape[0] > 2 else x
    return x * 2 if x.shape == y.shape == [2, 4] else x


@program(*PICTURES, dims=BOTH)
def transposed_to_the_size_of_another(x: Any) -> Any:
    weight = paddle.to_tensor(numbers(3, 3, 3, 3)) / 10
    half = nn.functional.conv2d(x, weight, stride=2, padding=1)
    large, size = (
        nn.functional.conv2d_transpose(
            half, weight, stride=2, padding=1, output_size=paddle.shape(x)[2:]
        ),
        x.shape[2:],
    )
    return large, nn.functional.conv2d_transpose(
        half, weight, stride=2, padding=1, output_size=size
    ) - x


@program(*PICTURES, dims=BOTH)
def pooled_and_put_back(x: Any) -> Any:
    found, at = nn.functional.max_pool2d(x, 2, return_mask=True)
    least = nn.functional.max_unpool2d(found, at, 2)
    return nn.functional.max_unpool2d(found, at, 2, output_size=paddle.shape(x)) + x, least


@program(*PICTURES, dims=BOTH)
def more_windows_than_pixels(x: Any) -> Any:
    return nn.functional.adaptive_max_pool2d(x, (9, 11)), nn.functional.adaptive_avg_pool1d(
        x[:, :, 0], 9
    )
