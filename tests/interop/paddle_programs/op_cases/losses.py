"""Losses and norms."""

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
    __name__, "classes",
    hard=(lambda x: F.cross_entropy(x, P.to_tensor([0, 3, 1])), A),
    column=(lambda x: F.cross_entropy(x, P.to_tensor([[0], [3], [1]]), reduction='none'), A),
    ignore=(lambda x: F.cross_entropy(x, P.to_tensor([0, -100, 1])), A),
    weight=(lambda x, w: F.cross_entropy(x, P.to_tensor([0, 3, 1]), w), A, np.float32([1, 2, 3, 4])),
    soft=(lambda x: F.cross_entropy(x, F.softmax(P.to_tensor(B)), soft_label=True), A),
    axis=(lambda x: F.cross_entropy(x, P.to_tensor([[0, 1, 2, 0], [1, 1, 0, 2]]), axis=1), CUBE),
    smooth=(lambda x: F.cross_entropy(x, P.to_tensor([0, 3, 1]), label_smoothing=0.2), A),
    probs=(lambda x: F.cross_entropy(F.softmax(x), P.to_tensor([0, 3, 1]), use_softmax=False), A),
    nll=(lambda x: F.nll_loss(F.log_softmax(x), P.to_tensor([0, 3, 1]), P.to_tensor([1.0, 2.0, 3.0, 4.0])), A),
    all_ignored=(lambda x: F.cross_entropy(x, P.to_tensor([-100, -100, -100]), reduction='sum'), A),
    margin=(lambda x: F.multi_margin_loss(x, P.to_tensor([0, 3, 1])), A),
    int32=(lambda x: F.cross_entropy(x, P.to_tensor([0, 3, 1], 'int32')), A),
)


cases(
    __name__, "values",
    mse=(F.mse_loss, A, B),
    l1=(F.l1_loss, A, B),
    smooth=(lambda x, y: F.smooth_l1_loss(x, y, delta=0.3), A, B),
    huber=(lambda x, y: F.smooth_l1_loss(x, y, 'sum', 2.0), A, B),
    kl=(lambda x, y: F.kl_div(x, y, 'batchmean'), A, UNIT),
    kl_sum=(lambda x, y: F.kl_div(x, y, 'sum'), A, UNIT),
    bce=(F.binary_cross_entropy, UNIT, UNIT),
    bce_logits=(F.binary_cross_entropy_with_logits, A, UNIT),
    log_loss=(F.log_loss, numbers(3, 1, low=0.1, high=0.9), np.float32([[0], [1], [1]])),
    square=(F.square_error_cost, A, B),
    ranking=(lambda x, y: F.margin_ranking_loss(x, y, P.sign(y), 0.2), A, B),
    hinge=(lambda x: F.hinge_embedding_loss(x, P.sign(P.to_tensor(B))), A),
    triplet=(F.triplet_margin_loss, A, B, POS),
    triplet_swap=(lambda a, p, n: F.triplet_margin_loss(a, p, n, 0.5, swap=True), A, B, POS),
    poisson=(F.poisson_nll_loss, A, POS),
    poisson_full=(lambda x, y: F.poisson_nll_loss(x, y, False, True), POS, POS),
    soft_margin=(lambda x: F.soft_margin_loss(x, P.sign(P.to_tensor(B))), A),
    multi=(lambda x: F.multi_label_soft_margin_loss(x, P.to_tensor(BOOL.astype('float32'))), A),
    cosine=(lambda x, y: F.cosine_embedding_loss(x, y, P.to_tensor([1, -1, 1]), 0.1), A, B),
    focal=(lambda x: F.sigmoid_focal_loss(x, P.to_tensor(BOOL.astype('float32'))), A),
    dice=(lambda x: F.dice_loss(x, P.to_tensor([[0], [3], [1]])), UNIT),
    npair=(lambda x, y: F.npair_loss(x, y, P.to_tensor([0, 1, 1])), A, B),
    gauss=(F.gaussian_nll_loss, A, B, POS),
    pairwise=(F.pairwise_distance, A, B),
    broadcast=(F.mse_loss, A, numbers(4)),
    ctc=(lambda x: F.ctc_loss(F.log_softmax(x), P.to_tensor([[1, 2]], 'int32'), P.to_tensor([5]), P.to_tensor([2])), numbers(5, 1, 3)),
)


cases(
    __name__, "norms",
    layer=(lambda x, w, b: F.layer_norm(x, 4, w, b), A, V, V),
    layer2=(lambda x: F.layer_norm(x, [3, 4], epsilon=0.01), CUBE),
    batch=(lambda x, w: F.batch_norm(x, P.zeros([4]), P.ones([4]), w, w), A, V),
    batch_train=(lambda x: F.batch_norm(x, P.zeros([4]), P.ones([4]), training=True), A),
    batch_nhwc=(lambda x: F.batch_norm(x, P.zeros([3]), P.ones([3]), training=True, data_format='NHWC'), numbers(1, 2, 2, 3)),
    instance=(F.instance_norm, numbers(1, 2, 4)),
    normalize=(lambda x: F.normalize(x, 3, 0), A),
    renorm=(lambda x: P.renorm(x, 2.0, 0, 1.5), A),
    smooth=(lambda x: F.label_smooth(x, epsilon=0.3), UNIT),
    attention=(lambda q: F.scaled_dot_product_attention(q, q, q), numbers(1, 3, 1, 2)),
    attention_mask=(lambda q, m: F.scaled_dot_product_attention(q, q, q, m), numbers(1, 2, 1, 2), numbers(1, 1, 2, 2)),
)
