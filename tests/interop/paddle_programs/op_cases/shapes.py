"""Shapes, joins, parts and casts."""

# fmt: off
# ruff: noqa - one row a call

import numpy as np

from ..table import paddle
from .cases import cases, numbers

P, F = paddle, paddle.nn.functional
A, B, V, CUBE = numbers(3, 4), numbers(3, 4, low=-1.5, high=2.5), numbers(4), numbers(2, 3, 4)
POS, UNIT, EMPTY, ONE = numbers(3, 4, low=0.3, high=3.0), numbers(3, 4, low=0.05, high=0.95), np.zeros((0, 4), "float32"), np.float32(1.5).reshape(())
INT, I32, BOOL, F64 = np.arange(12).reshape(3, 4), np.arange(12, dtype="int32").reshape(3, 4), np.arange(12).reshape(3, 4) % 3 == 0, numbers(3, 4,
    dtype="float64")
IMAGE, SOUND, VOLUME = numbers(1, 2, 5, 6), numbers(1, 2, 7), numbers(1, 1, 3, 4, 3)


cases(
    __name__, "reshapes",
    reshape=(lambda x: P.reshape(x, [0, 2, -1]), A),
    flatten=(lambda x: P.flatten(x, 1), CUBE),
    squeeze=(lambda x: P.squeeze(x, [0, 2]), numbers(1, 3, 1)),
    unsqueeze=(lambda x: P.unsqueeze(x, [0, -1]), A),
    transpose=(lambda x: P.transpose(x, [2, 0, 1]), CUBE),
    t=(P.t, A),
    moveaxis=(lambda x: P.moveaxis(x, [0, 1], [2, 0]), CUBE),
    roll=(lambda x: P.roll(x, [1, -1], [0, 1]), A),
    flip=(lambda x: P.flip(x, [0, -1]), A),
    rot90=(lambda x: P.rot90(x, 3), A),
    tile=(lambda x: P.tile(x, [2, 1]), numbers(2, 2)),
    tile_more=(lambda x: P.tile(x, [2, 1, 2]), numbers(2, 2)),
    expand=(lambda x: P.expand(x, [2, 3, 2]), numbers(3, 1)),
    expand_as=(lambda x, y: P.expand_as(x, y), numbers(1, 2), numbers(3, 2)),
    repeat=(lambda x: P.repeat_interleave(x, 2, 0), numbers(2, 2)),
    tril=(lambda x: P.tril(x, 1), A),
    triu=(lambda x: P.triu(x, -1), CUBE),
    diag=(lambda x: P.diag(x, 1), numbers(3)),
    diagonal=(lambda x: P.diagonal(x, 1, 1, 2), CUBE),
    as_strided=(lambda x: P.as_strided(x, [2, 2], [4, 1]), A),
    unfold=(lambda x: P.unfold(x, 0, 2, 2), numbers(6)),
    view=(lambda x: P.view(x, [4, 3]), A),
    crop=(lambda x: P.crop(x, [2, 2], [1, 0]), A),
)


cases(
    __name__, "joins",
    concat=(lambda x, y: P.concat([x, y], -1), A, B),
    stack=(lambda x, y: P.stack([x, y], 1), A, B),
    split=(lambda x: P.split(x, [1, -1], 1), A),
    chunk=(lambda x: P.chunk(x, 2, 1), A),
    unbind=(lambda x: P.unbind(x, 1), numbers(2, 2)),
    add_n=(lambda x, y: P.add_n([x, y, x]), A, B),
)


cases(
    __name__, "picks",
    gather=(lambda x: P.gather(x, P.to_tensor([2, 0])), A),
    gather_nd=(lambda x: P.gather_nd(x, P.to_tensor([[0, 1], [2, 3]])), A),
    index_select=(lambda x: P.index_select(x, P.to_tensor([1, 1]), 1), A),
    index_sample=(lambda x: P.index_sample(x, P.to_tensor([[0, 1], [2, 2], [3, 0]])), A),
    take_along=(lambda x: P.take_along_axis(x, P.to_tensor([[0], [1], [3]]), 1), A),
    put_along=(lambda x: P.put_along_axis(x, P.to_tensor([[0], [1], [3]]), 9.0, 1), A),
    put_add=(lambda x, v: P.put_along_axis(x, P.to_tensor([[0], [1], [3]]), v, 1, 'add'), A, numbers(3, 1)),
    scatter=(lambda x, u: P.scatter(x, P.to_tensor([2, 0]), u), A, numbers(2, 4)),
    scatter_add=(lambda x, u: P.scatter(x, P.to_tensor([1, 1]), u, False), A, numbers(2, 4)),
    scatter_nd=(lambda u: P.scatter_nd(P.to_tensor([[1], [1]]), u, [3, 2]), numbers(2, 2)),
    scatter_nd_add=(lambda x, u: P.scatter_nd_add(x, P.to_tensor([[0, 1], [2, 3]]), u), A, numbers(2)),
    where=(lambda x, y: P.where(P.to_tensor(BOOL), x, y), A, B),
    masked_select=(lambda x: P.masked_select(x, P.to_tensor(BOOL)), A),
    masked_fill=(lambda x: P.masked_fill(x, P.to_tensor(BOOL), 2.0), A),
    slice=(lambda x: P.slice(x, [0, 1], [1, -3], [3, 4]), A),
    strided=(lambda x: P.strided_slice(x, [0, 1], [2, 0], [0, 4], [-1, 2]), A),
    one_hot=(lambda i: F.one_hot(i, 4), np.array([0, 3])),
    embedding=(lambda w: F.embedding(P.to_tensor([[0, 2], [1, 1]]), w, padding_idx=1), A),
    index_put=(lambda x, v: P.index_put(x, (P.to_tensor([0, 2]),), v), A, numbers(2, 4)),
    shard=(lambda i: P.shard_index(i, 20, 2, 1), np.array([[3], [12]])),
    take=(lambda x: P.take(x, P.to_tensor([[0, 11], [-1, 5]])), A),
    sequence_mask=(lambda n: F.sequence_mask(n, 4), np.array([1, 3])),
)


cases(
    __name__, "casts",
    bool_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('bool')),
    bool_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('bool')),
    bool_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('bool')),
    bool_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('bool')),
    bool_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('bool')),
    uint8_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('uint8')),
    uint8_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('uint8')),
    uint8_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('uint8')),
    uint8_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('uint8')),
    uint8_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('uint8')),
    int32_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('int32')),
    int32_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('int32')),
    int32_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('int32')),
    int32_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('int32')),
    int32_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('int32')),
    int64_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('int64')),
    int64_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('int64')),
    int64_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('int64')),
    int64_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('int64')),
    int64_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('int64')),
    float32_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('float32')),
    float32_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('float32')),
    float32_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('float32')),
    float32_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('float32')),
    float32_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('float32')),
    float64_to_bool=(lambda x: P.cast(x, 'bool'), np.array([0, 1, 2]).astype('float64')),
    float64_to_int32=(lambda x: P.cast(x, 'int32'), np.array([0, 1, 2]).astype('float64')),
    float64_to_int64=(lambda x: P.cast(x, 'int64'), np.array([0, 1, 2]).astype('float64')),
    float64_to_float32=(lambda x: P.cast(x, 'float32'), np.array([0, 1, 2]).astype('float64')),
    float64_to_float64=(lambda x: P.cast(x, 'float64'), np.array([0, 1, 2]).astype('float64')),
)
