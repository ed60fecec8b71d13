"""Reductions, running ops, orders and products."""

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
    __name__, "sum",
    all=(P.sum, A),
    axis0=(lambda x: P.sum(x, 0), A),
    negative=(lambda x: P.sum(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.sum(x, [0, 2]), CUBE),
    keep=(lambda x: P.sum(x, keepdim=True), A),
    zero_d=(P.sum, ONE),
    float64=(P.sum, F64),
    int64=(P.sum, INT),
    one=(lambda x: P.sum(x, 1), numbers(3, 1)),
)


cases(
    __name__, "mean",
    all=(P.mean, A),
    axis0=(lambda x: P.mean(x, 0), A),
    negative=(lambda x: P.mean(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.mean(x, [0, 2]), CUBE),
    keep=(lambda x: P.mean(x, keepdim=True), A),
    zero_d=(P.mean, ONE),
    float64=(P.mean, F64),
    int64=(P.mean, INT),
    one=(lambda x: P.mean(x, 1), numbers(3, 1)),
)


cases(
    __name__, "max",
    all=(P.max, A),
    axis0=(lambda x: P.max(x, 0), A),
    negative=(lambda x: P.max(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.max(x, [0, 2]), CUBE),
    keep=(lambda x: P.max(x, keepdim=True), A),
    zero_d=(P.max, ONE),
    float64=(P.max, F64),
    int64=(P.max, INT),
    one=(lambda x: P.max(x, 1), numbers(3, 1)),
)


cases(
    __name__, "min",
    all=(P.min, A),
    axis0=(lambda x: P.min(x, 0), A),
    negative=(lambda x: P.min(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.min(x, [0, 2]), CUBE),
    keep=(lambda x: P.min(x, keepdim=True), A),
    zero_d=(P.min, ONE),
    float64=(P.min, F64),
    int64=(P.min, INT),
    one=(lambda x: P.min(x, 1), numbers(3, 1)),
)


cases(
    __name__, "prod",
    all=(P.prod, A),
    axis0=(lambda x: P.prod(x, 0), A),
    negative=(lambda x: P.prod(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.prod(x, [0, 1]), A),
    keep=(lambda x: P.prod(x, keepdim=True), A),
    zero_d=(P.prod, ONE),
    float64=(P.prod, F64),
    int64=(P.prod, INT),
    one=(lambda x: P.prod(x, 1), numbers(3, 1)),
)


cases(
    __name__, "amax",
    all=(P.amax, A),
    axis0=(lambda x: P.amax(x, 0), A),
    negative=(lambda x: P.amax(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.amax(x, [0, 2]), CUBE),
    keep=(lambda x: P.amax(x, keepdim=True), A),
    zero_d=(P.amax, ONE),
    float64=(P.amax, F64),
    int64=(P.amax, INT),
    one=(lambda x: P.amax(x, 1), numbers(3, 1)),
)


cases(
    __name__, "amin",
    all=(P.amin, A),
    axis0=(lambda x: P.amin(x, 0), A),
    negative=(lambda x: P.amin(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.amin(x, [0, 2]), CUBE),
    keep=(lambda x: P.amin(x, keepdim=True), A),
    zero_d=(P.amin, ONE),
    float64=(P.amin, F64),
    int64=(P.amin, INT),
    one=(lambda x: P.amin(x, 1), numbers(3, 1)),
)


cases(
    __name__, "logsumexp",
    all=(P.logsumexp, A),
    axis0=(lambda x: P.logsumexp(x, 0), A),
    negative=(lambda x: P.logsumexp(x, -1, keepdim=True), CUBE),
    several=(lambda x: P.logsumexp(x, [0, 2]), CUBE),
    keep=(lambda x: P.logsumexp(x, keepdim=True), A),
    zero_d=(P.logsumexp, ONE),
    float64=(P.logsumexp, F64),
    int64=(P.logsumexp, INT),
    one=(lambda x: P.logsumexp(x, 1), numbers(3, 1)),
)


cases(
    __name__, "spread",
    std=(P.std, A),
    var=(lambda x: P.var(x, 1), A),
    biased=(lambda x: P.var(x, 0, unbiased=False), A),
    median=(P.median, A),
    median_axis=(lambda x: P.median(x, 1), A),
    nanmean=(lambda x: P.nanmean(x, 0), A),
    quantile=(lambda x: P.quantile(x, 0.3, 1), A),
    quantile_list=(lambda x: P.quantile(x, [0.25, 0.5], 0), A),
    norm=(P.norm, A),
    norm1=(lambda x: P.norm(x, 1, 1), A),
    norm_inf=(lambda x: P.norm(x, np.inf, 0), A),
    norm_0=(lambda x: P.norm(x, 0, 0), A),
    fro=(lambda x: P.norm(x, 'fro', [0, 1]), A),
    dist=(lambda x, y: P.dist(x, y, 3), A, B),
    cosine=(F.cosine_similarity, A, B),
    count=(P.count_nonzero, INT),
    all_=(P.all, BOOL),
    any_=(lambda x: P.any(x, 1), BOOL),
)


cases(
    __name__, "running",
    cumsum=(P.cumsum, A),
    cumsum0=(lambda x: P.cumsum(x, 0), A),
    cumprod=(lambda x: P.cumprod(x, 1), POS),
    logcumsumexp=(lambda x: P.logcumsumexp(x, 1), A),
    cummax=(lambda x: P.cummax(x, 1), A),
    cummin=(lambda x: P.cummin(x, 0), A),
    diff=(lambda x: P.diff(x, axis=0), numbers(2, 3)),
    trapezoid=(lambda x: P.trapezoid(x, axis=0), numbers(2, 3)),
    int=(lambda x: P.cumsum(x, 1), I32),
)


cases(
    __name__, "orders",
    argmax=(lambda x: P.argmax(x, 1), A),
    argmin=(lambda x: P.argmin(x, 0, True), A),
    argsort=(lambda x: P.argsort(x, 1, True), A),
    sort=(lambda x: P.sort(x, 0), A),
    topk=(lambda x: P.topk(x, 2, 1), A),
    smallest=(lambda x: P.topk(x, 2, 0, False), A),
    kth=(lambda x: P.kthvalue(x, 2, 1), A),
    mode=(lambda x: P.mode(x, 1), np.float32([[1, 2, 2], [3, 3, 1]])),
    searchsorted=(P.searchsorted, np.float32([1, 3, 5]), np.float32([0, 3, 6])),
    unique=(lambda x: P.unique(x, True, True, True), np.array([3, 1, 3])),
    nonzero=(P.nonzero, INT),
    histogram=(lambda x: P.histogram(x, 4), A),
    bincount=(P.bincount, np.array([1, 1, 4])),
    argmax_flat=(P.argmax, A),
    sort_int=(lambda x: P.sort(x, descending=True), INT),
    topk_int=(lambda x: P.topk(x, 2), INT),
)


cases(
    __name__, "products",
    mm=(P.matmul, A, numbers(4, 2)),
    xt=(lambda x, y: P.matmul(x, y, True), A, numbers(3, 2)),
    yt=(lambda x, y: P.matmul(x, y, False, True), A, B),
    both=(lambda x, y: P.matmul(x, y, True, True), A, numbers(2, 3)),
    vec=(P.matmul, A, V),
    vecmat=(P.matmul, numbers(3), A),
    dot=(P.matmul, V, numbers(4, low=0.1)),
    batch=(P.matmul, CUBE, numbers(2, 4, 2)),
    broadcast=(P.matmul, CUBE, numbers(4, 2)),
    deep=(P.matmul, numbers(2, 1, 2, 3), numbers(1, 2, 3, 2)),
    bmm=(P.bmm, CUBE, numbers(2, 4, 1)),
    outer=(P.outer, V, numbers(2)),
    inner=(P.inner, A, B),
    kron=(P.kron, numbers(2, 2), numbers(1, 2)),
    addmm=(lambda i, x, y: P.addmm(i, x, y, beta=0.5, alpha=2.0), numbers(3, 2), A, numbers(4, 2)),
    einsum=(lambda x, y: P.einsum('bij,jk->bik', x, y), CUBE, numbers(4, 2)),
    tensordot=(lambda x, y: P.tensordot(x, y, 1), A, numbers(4, 2)),
    cross=(lambda x, y: P.cross(x, y, 0), A, B),
    trace=(lambda x: P.trace(x, 1), A),
    linear=(F.linear, A, numbers(4, 2), numbers(2)),
    bilinear=(F.bilinear, numbers(2, 2), numbers(2, 3), numbers(2, 2, 3)),
    multiplex=(lambda x, y: P.multiplex([x, y], P.to_tensor([[1], [0], [1]])), A, B),
    mv=(P.mv, A, V),
    det=(P.linalg.det, np.float32([[2, 1], [1, 3]])),
    inv=(P.linalg.inv, np.float32([[2, 1], [1, 3]])),
    cholesky=(P.linalg.cholesky, np.float32([[2, 1], [1, 3]])),
    solve=(P.linalg.solve, np.float32([[2, 1], [1, 3]]), np.float32([[1], [2]])),
    power=(lambda x: P.linalg.matrix_power(x, 3), np.float32([[2, 1], [1, 3]])),
    pinv=(P.linalg.pinv, np.float32([[2, 1], [1, 3]])),
    empty=(P.matmul, EMPTY, numbers(4, 2)),
)
