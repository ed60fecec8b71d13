"""Functions of Paddle 3 whose programs the tests read: each case exports one function.

The module imports no Paddle: the functions get the module `paddle` as `P`, so that the tests can
list the cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_random = np.random.RandomState(0)


def _normal(*shape: int) -> Any:
    return _random.randn(*shape).astype("float32")


A, B = _normal(3, 4), _normal(4, 5)
SYMMETRIC = A.T @ A + np.eye(4, dtype="float32") * 4
ROWS = np.array([2, 0, 1])
IMAGES = _normal(2, 4, 6, 6)
POSITIVE = np.abs(A) + np.float32(0.1)
HEADS = _normal(2, 5, 4, 8)
INTEGERS, SMALL_INTEGERS = np.array([[5, 6, 7], [1, 2, 3]]), np.array([[1, 2, 1], [0, 3, 2]])


def assigned(x: Any, index: Any, value: Any) -> Any:
    """Return x with `value` assigned at an index."""
    x = x.clone()
    x[index] = value
    return x


CASES: dict[str, tuple[Any, list[Any]]] = {
    "median": (lambda P, x: P.median(x), [A]),
    "median_axis": (lambda P, x: P.median(x, axis=1), [A]),
    "median_keep": (lambda P, x: P.median(x, axis=0, keepdim=True), [A]),
    "median_min": (lambda P, x: P.median(x, axis=1, mode="min"), [A]),
    "nanmedian": (lambda P, x: P.nanmedian(x, axis=1), [A]),
    "std": (lambda P, x: P.std(x, axis=1), [A]),
    "var": (lambda P, x: P.var(x), [A]),
    "nanmean": (lambda P, x: P.nanmean(x), [A]),
    "nansum": (lambda P, x: P.nansum(x, axis=1), [A]),
    "swiglu": (lambda P, x: P.nn.functional.swiglu(x), [A]),
    "sdpa": (
        lambda P, q, k, v: P.nn.functional.scaled_dot_product_attention(q, k, v),
        [HEADS, HEADS, HEADS],
    ),
    "sdpa_causal": (
        lambda P, q, k, v: P.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        [HEADS, HEADS, HEADS],
    ),
    "flash": (
        lambda P, q, k, v: P.nn.functional.flash_attention.flash_attention(q, k, v)[0],
        [HEADS, HEADS, HEADS],
    ),
    "lshift": (lambda P, a, b: P.bitwise_left_shift(a, b), [INTEGERS, SMALL_INTEGERS]),
    "rshift": (lambda P, a, b: P.bitwise_right_shift(a, b), [INTEGERS, SMALL_INTEGERS]),
    "baddbmm": (
        lambda P, i, a, b: P.baddbmm(i, a, b),
        [_normal(2, 3, 5), _normal(2, 3, 4), _normal(2, 4, 5)],
    ),
    "addmm": (lambda P, i, a, b: P.addmm(i, a, b), [_normal(3, 5), A, B]),
    "index": (lambda P, x, i: x[i], [A, ROWS]),
    "index2": (lambda P, x, i: x[:, i], [A, ROWS]),
    "index3": (lambda P, x, i: x[i, i], [A, ROWS]),
    "index_mask": (lambda P, x: x[x > 0], [A]),
    "put": (lambda P, x, i: assigned(x, i, 1.0), [A, ROWS]),
    "put2": (lambda P, x, i: assigned(x, (slice(None), i), 2.0), [A, ROWS]),
    "put_mask": (lambda P, x: assigned(x, x > 0, 0.0), [A]),
    "put_t": (lambda P, x, i, v: assigned(x, i, v), [A, ROWS, A * 2]),
    "arange_f": (lambda P, x: P.arange(0.0, 2.0, 0.5) + x[0], [A]),
    "max": (lambda P, x: P.max(x, axis=1), [A]),
    "trunc_div": (lambda P, a, b: P.floor_divide(a, b), [INTEGERS, SMALL_INTEGERS + 1]),
    "rint": (lambda P, x: P.round(x), [A * 3]),
    "round_d": (lambda P, x: P.round(x, decimals=1), [A * 3]),
    "lp_pool": (lambda P, x: P.nn.functional.lp_pool2d(x, 2, 2), [IMAGES]),
    "frac_pool": (lambda P, x: P.nn.functional.fractional_max_pool2d(x, 3, random_u=0.3), [IMAGES]),
    "maxpool_mask": (lambda P, x: P.nn.functional.max_pool2d(x, 2, 2, return_mask=True), [IMAGES]),
    "svdvals": (lambda P, x: P.linalg.svdvals(x), [A]),
    "slogdet": (lambda P, x: P.linalg.slogdet(x), [SYMMETRIC]),
    "det": (lambda P, x: P.linalg.det(x), [SYMMETRIC]),
    "inv": (lambda P, x: P.linalg.inv(x), [SYMMETRIC]),
    "rank": (lambda P, x: P.linalg.matrix_rank(x), [SYMMETRIC]),
    "rank_tol": (lambda P, x: P.linalg.matrix_rank(x, tol=0.1), [SYMMETRIC]),
    "cond": (lambda P, x: P.linalg.cond(x), [SYMMETRIC]),
    "pinv": (lambda P, x: P.linalg.pinv(x), [A]),
    "lstsq": (lambda P, a, b: P.linalg.lstsq(a, b)[0], [_normal(5, 3), _normal(5, 2)]),
    "lu_solve": (lambda P, x: P.linalg.lu(x)[0], [SYMMETRIC]),
    "eigh": (lambda P, x: P.linalg.eigvalsh(x), [SYMMETRIC]),
    "vecnorm": (lambda P, x: P.linalg.vector_norm(x, 3), [A]),
    "mnorm": (lambda P, x: P.linalg.matrix_norm(x), [A]),
    "cov": (lambda P, x: P.linalg.cov(x), [A]),
    "corrcoef": (lambda P, x: P.linalg.corrcoef(x), [A]),
    "householder": (lambda P, x: P.linalg.qr(x)[1].abs(), [SYMMETRIC]),
    "multi_dot": (lambda P, a, b: P.linalg.multi_dot([a, b]), [A, B]),
    "gammaincc": (lambda P, x, y: P.gammaincc(x, y), [POSITIVE, POSITIVE + 1]),
    "gammainc": (lambda P, x, y: P.gammainc(x, y), [POSITIVE, POSITIVE + 1]),
    "gammaln": (lambda P, x: P.gammaln(x), [POSITIVE]),
    "polygamma": (lambda P, x: P.polygamma(x, 1), [POSITIVE]),
    "i0": (lambda P, x: P.i0(x) + P.i1(x), [A]),
    "lgamma": (lambda P, x: P.lgamma(x) + P.digamma(x), [POSITIVE]),
    "multigammaln": (lambda P, x: P.multigammaln(x, 2), [POSITIVE + 2]),
    "diff": (lambda P, x: P.diff(x), [A]),
    "trapz": (lambda P, x: P.trapezoid(x), [A]),
    "logcumsumexp": (lambda P, x: P.logcumsumexp(x, 1), [A]),
    "cummax": (lambda P, x: P.cummax(x, 1), [A]),
    "cdist": (lambda P, x, y: P.cdist(x, y), [A, A + 1]),
    "pdist": (lambda P, x: P.pdist(x), [A]),
    "heaviside": (lambda P, x, y: P.heaviside(x, y), [A, A]),
    "nextafter": (lambda P, x, y: P.nextafter(x, y), [A, A + 1]),
    "copysign": (lambda P, x, y: P.copysign(x, y), [A, -A]),
    "hypot": (lambda P, x, y: P.hypot(x, y), [A, A]),
    "ldexp": (lambda P, x, y: P.ldexp(x, y), [A, np.full((3, 4), 2, "i4")]),
    "frexp": (lambda P, x: P.frexp(x)[0], [A]),
    "sinc": (lambda P, x: P.sinc(x), [A]),
    "signbit": (lambda P, x: P.signbit(x), [A]),
    "isposinf": (lambda P, x: P.isposinf(x), [A]),
    "isreal": (lambda P, x: P.isreal(x), [A]),
    "isin": (lambda P, x, y: P.isin(x, y), [INTEGERS, SMALL_INTEGERS]),
    "quantile": (lambda P, x: P.quantile(x, 0.3, axis=1), [A]),
    "nanquantile": (lambda P, x: P.nanquantile(x, 0.3, axis=1), [A]),
    "histogram": (lambda P, x: P.histogram(x, 5, -2, 2), [A]),
    "histogramdd": (lambda P, x: P.histogramdd(x, [2, 2, 2, 2])[0], [A]),
    "bincount": (lambda P, x: P.bincount(x.flatten()), [INTEGERS]),
    "bucketize": (lambda P, x, y: P.bucketize(x, y), [A, np.array([-1.0, 0, 1], "f")]),
    "searchsorted": (lambda P, x, y: P.searchsorted(y, x), [A, np.array([-1.0, 0, 1], "f")]),
    "unique": (lambda P, x: P.unique(x), [INTEGERS]),
    "unique_c": (lambda P, x: P.unique_consecutive(x.flatten()), [INTEGERS]),
    "mode": (lambda P, x: P.mode(x), [A]),
    "kthvalue": (lambda P, x: P.kthvalue(x, 2), [A]),
    "topk": (lambda P, x: P.topk(x, 2), [A]),
    "sort": (lambda P, x: P.sort(x, descending=True), [A]),
    "argsort": (lambda P, x: P.argsort(x, stable=True), [A]),
    "msort": (lambda P, x: P.sort(x, 0), [A]),
    "scatter": (lambda P, x, i, u: P.scatter(x, i, u), [A, ROWS, A * 2]),
    "scatter_nd": (lambda P, i, u: P.scatter_nd(i.unsqueeze(1), u, [5, 4]), [ROWS, A]),
    "index_add": (lambda P, x, i, v: P.index_add(x, i, 0, v), [A, ROWS, A]),
    "index_fill": (lambda P, x, i: P.index_fill(x, i, 0, 1.0), [A, ROWS]),
    "index_put": (lambda P, x, i, v: P.index_put(x, (i,), v), [A, ROWS, A]),
    "put_along": (
        lambda P, x, i: P.put_along_axis(x, i, 1.0, 1),
        [A, np.array([[0, 1], [1, 2], [2, 3]])],
    ),
    "take_along": (
        lambda P, x, i: P.take_along_axis(x, i, 1),
        [A, np.array([[0, 1], [1, 2], [2, 3]])],
    ),
    "take": (lambda P, x, i: P.take(x, i), [A, ROWS]),
    "gather_nd": (lambda P, x, i: P.gather_nd(x, i.unsqueeze(1)), [A, ROWS]),
    "masked_fill": (lambda P, x: P.masked_fill(x, x > 0, 0.0), [A]),
    "masked_scatter": (lambda P, x, v: P.masked_scatter(x, x > 0, v), [A, A]),
    "masked_select": (lambda P, x: P.masked_select(x, x > 0), [A]),
    "select_scatter": (lambda P, x, v: P.select_scatter(x, v, 0, 1), [A, A[0]]),
    "slice_scatter": (lambda P, x, v: P.slice_scatter(x, v, [0], [0], [2], [1]), [A, A[:2]]),
    "diagonal_scatter": (lambda P, x, v: P.diagonal_scatter(x, v), [SYMMETRIC, SYMMETRIC[0]]),
    "diag_embed": (lambda P, x: P.diag_embed(x), [A]),
    "tril": (lambda P, x: P.tril(x) + P.triu(x), [A]),
    "tril_indices": (lambda P, x: P.tril_indices(3, 3) + 0 * x[0, 0].astype("int64"), [A]),
    "block_diag": (lambda P, a, b: P.block_diag([a, b]), [A, B]),
    "cartesian": (lambda P, a, b: P.cartesian_prod([a, b]), [A[0], A[1]]),
    "combinations": (lambda P, a: P.combinations(a), [A[0]]),
    "vander": (lambda P, a: P.vander(a, 3), [A[0]]),
    "unflatten": (lambda P, x: P.unflatten(x, 1, [2, 2]), [A]),
    "rot90": (lambda P, x: P.rot90(x), [A]),
    "moveaxis": (lambda P, x: P.moveaxis(x, 0, 1), [A]),
    "repeat_int": (lambda P, x: P.repeat_interleave(x, 2, 1), [A]),
    "repeat_t": (lambda P, x, n: P.repeat_interleave(x, n, 0), [A, np.array([1, 2, 3])]),
    "atleast": (lambda P, x: P.atleast_3d(x), [A]),
    "tensor_split": (lambda P, x: P.tensor_split(x, 3, 1), [A]),
    "hstack": (lambda P, x: P.hstack([x, x]), [A]),
    "dstack": (lambda P, x: P.dstack([x, x]), [A]),
    "column_stack": (lambda P, x: P.column_stack([x, x]), [A]),
    "crop": (lambda P, x: P.crop(x, [2, 2], [0, 1]), [A]),
    "renorm": (lambda P, x: P.renorm(x, 2.0, 0, 1.0), [A]),
    "tensordot": (lambda P, a, b: P.tensordot(a, b, 1), [A, B]),
    "einsum": (lambda P, a, b: P.einsum("ij,jk->ik", a, b), [A, B]),
    "kron": (lambda P, a, b: P.kron(a, b), [A, B]),
    "inner": (lambda P, a, b: P.inner(a, b), [A, A]),
    "outer": (lambda P, a, b: P.outer(a, b), [A[0], A[1]]),
    "cross": (lambda P, a, b: P.cross(a, b), [A[:, :3], A[:, 1:]]),
    "gcd": (lambda P, a, b: P.gcd(a, b), [INTEGERS, SMALL_INTEGERS + 1]),
    "lcm": (lambda P, a, b: P.lcm(a, b), [INTEGERS, SMALL_INTEGERS + 1]),
    "interp": (
        lambda P, x: P.nn.functional.interpolate(x, scale_factor=2, mode="bicubic"),
        [IMAGES],
    ),
    "area": (lambda P, x: P.nn.functional.interpolate(x, size=[3, 3], mode="area"), [IMAGES]),
    "pixel": (lambda P, x: P.nn.functional.pixel_shuffle(x, 2), [IMAGES]),
    "unshuf": (lambda P, x: P.nn.functional.pixel_unshuffle(x, 2), [IMAGES]),
    "chshuf": (lambda P, x: P.nn.functional.channel_shuffle(x, 2), [IMAGES]),
    "affine_grid": (lambda P, t: P.nn.functional.affine_grid(t, [2, 3, 4, 4]), [_normal(2, 2, 3)]),
    "unfold": (lambda P, x: P.nn.functional.unfold(x, 3), [IMAGES]),
    "fold": (lambda P, x: P.nn.functional.fold(P.nn.functional.unfold(x, 3), [6, 6], 3), [IMAGES]),
    "adaptive": (lambda P, x: P.nn.functional.adaptive_avg_pool2d(x, 4), [IMAGES]),
    "adaptive_max": (lambda P, x: P.nn.functional.adaptive_max_pool2d(x, 4), [IMAGES]),
    "maxunpool": (
        lambda P, x: P.nn.functional.max_unpool2d(
            *P.nn.functional.max_pool2d(x, 2, 2, return_mask=True), 2
        ),
        [IMAGES],
    ),
    "lrn": (lambda P, x: P.nn.functional.local_response_norm(x, 3), [IMAGES]),
    "group_norm": (lambda P, x: P.nn.functional.group_norm(x, 2), [IMAGES]),
    "instance": (lambda P, x: P.nn.functional.instance_norm(x), [IMAGES]),
    "layer_norm": (lambda P, x: P.nn.functional.layer_norm(x, 4), [A]),
    "normalize": (lambda P, x: P.nn.functional.normalize(x), [A]),
    "cos": (lambda P, x, y: P.nn.functional.cosine_similarity(x, y), [A, A + 1]),
    "pairwise": (lambda P, x, y: P.nn.functional.pairwise_distance(x, y), [A, A + 1]),
    "zeropad": (lambda P, x: P.nn.functional.zeropad2d(x, [1, 1, 1, 1]), [IMAGES]),
    "pad_r": (lambda P, x: P.nn.functional.pad(x, [1, 1, 1, 1], mode="reflect"), [IMAGES]),
    "pad_c": (lambda P, x: P.nn.functional.pad(x, [1, 1, 1, 1], mode="circular"), [IMAGES]),
    "seqmask": (lambda P, x: P.nn.functional.sequence_mask(x, 6), [ROWS]),
    "onehot": (lambda P, x: P.nn.functional.one_hot(x, 4), [ROWS]),
    "label_smooth": (lambda P, x: P.nn.functional.label_smooth(x), [POSITIVE]),
    "glu": (lambda P, x: P.nn.functional.glu(x), [A]),
    "gumbel": (lambda P, x: P.nn.functional.softmax(x), [A]),
    "mish": (
        lambda P, x: (
            P.nn.functional.mish(x)
            + P.nn.functional.selu(x)
            + P.nn.functional.celu(x)
            + P.nn.functional.elu(x)
            + P.nn.functional.hardtanh(x)
            + P.nn.functional.softshrink(x)
            + P.nn.functional.hardshrink(x)
            + P.nn.functional.tanhshrink(x)
            + P.nn.functional.softsign(x)
            + P.nn.functional.log_sigmoid(x)
            + P.nn.functional.rrelu(x, training=False)
            + P.nn.functional.thresholded_relu(x)
        ),
        [A],
    ),
    "maxout": (lambda P, x: P.nn.functional.maxout(x, 2), [IMAGES]),
    "prelu": (lambda P, x: P.nn.functional.prelu(x, P.full([1], 0.2)), [A]),
    "ce": (lambda P, x, labels: P.nn.functional.cross_entropy(x, labels), [A, ROWS]),
    "nll": (
        lambda P, x, labels: P.nn.functional.nll_loss(P.nn.functional.log_softmax(x), labels),
        [A, ROWS],
    ),
    "bce": (lambda P, x: P.nn.functional.binary_cross_entropy_with_logits(x, P.ones_like(x)), [A]),
    "mse": (
        lambda P, x: (
            P.nn.functional.mse_loss(x, x * 2)
            + P.nn.functional.l1_loss(x, x * 2)
            + P.nn.functional.smooth_l1_loss(x, x * 2)
            + P.nn.functional.kl_div(x, P.nn.functional.softmax(x))
        ),
        [A],
    ),
    "huber": (
        lambda P, x: (
            P.nn.functional.poisson_nll_loss(x, x * x)
            + P.nn.functional.gaussian_nll_loss(x, x * 2, x * x + 1)
            + P.nn.functional.soft_margin_loss(x, P.sign(x))
            + P.nn.functional.multi_label_soft_margin_loss(x, (x > 0).astype("float32"))
        ),
        [A],
    ),
    "triplet": (
        lambda P, x: (
            P.nn.functional.triplet_margin_loss(x, x + 1, x * 2)
            + P.nn.functional.margin_ranking_loss(x, x + 1, P.ones_like(x))
            + P.nn.functional.hinge_embedding_loss(x, P.sign(x))
            + P.nn.functional.cosine_embedding_loss(x, x + 1, P.ones([3]))
        ),
        [A],
    ),
    "focal": (lambda P, x: P.nn.functional.sigmoid_focal_loss(x, (x > 0).astype("float32")), [A]),
    "dice": (
        lambda P, x, labels: P.nn.functional.dice_loss(
            P.nn.functional.softmax(x), labels.unsqueeze(1)
        ),
        [A, ROWS],
    ),
    "ctc": (
        lambda P, x: P.nn.functional.ctc_loss(
            x, P.to_tensor([[1, 2]], "int32"), P.to_tensor([3], "int64"), P.to_tensor([2], "int64")
        ),
        [A.reshape(3, 1, 4)],
    ),
    "fft": (lambda P, x: P.fft.rfft(x).abs(), [A]),
    "fft2": (lambda P, x: P.fft.fft2(x.astype("complex64")).real(), [A]),
    "stft": (lambda P, x: P.signal.stft(x, 8, 4).abs(), [_normal(2, 32)]),
    "complex": (lambda P, x: P.complex(x, x).angle(), [A]),
    "polar": (lambda P, x: P.polar(x, x).real(), [POSITIVE]),
    "as_complex": (lambda P, x: P.as_complex(x.reshape([3, 2, 2])).conj().imag(), [A]),
    "logaddexp": (lambda P, x, y: P.logaddexp(x, y), [A, A + 1]),
    "lerp": (lambda P, x, y: P.lerp(x, y, 0.3), [A, A + 1]),
    "logit": (lambda P, x: P.logit(P.nn.functional.sigmoid(x)), [A]),
    "stanh": (lambda P, x: P.stanh(x), [A]),
    "erfinv": (lambda P, x: P.erfinv(P.tanh(x)), [A]),
    "expm1": (
        lambda P, x: P.expm1(x) + P.log1p(x.abs()) + P.log2(x.abs() + 1) + P.log10(x.abs() + 1),
        [A],
    ),
    "deg": (lambda P, x: P.deg2rad(x) + P.rad2deg(x), [A]),
    "frac": (lambda P, x: P.frac(x) + P.trunc(x) + P.floor(x) + P.ceil(x), [A]),
    "remainder": (lambda P, x: P.remainder(x, P.full([], 0.7)), [A]),
    "fmax": (lambda P, x, y: P.fmax(x, y) + P.fmin(x, y), [A, -A]),
    "amax": (lambda P, x: P.amax(x, 1) + P.amin(x, 1), [A]),
    "count_nz": (lambda P, x: P.count_nonzero(x > 0), [A]),
    "nonzero": (lambda P, x: P.nonzero(x > 0), [A]),
    "allclose": (lambda P, x: P.allclose(x, x), [A]),
    "isclose": (lambda P, x: P.isclose(x, x), [A]),
    "equal_all": (lambda P, x: P.equal_all(x, x), [A]),
    "where": (lambda P, x: P.where(x > 0, x, 0.0), [A]),
    "clip": (lambda P, x: P.clip(x, -0.5, 0.5), [A]),
    "clip_t": (lambda P, x: P.clip(x, x.min() * 0.5, x.max() * 0.5), [A]),
    "multiplex": (
        lambda P, x, y, i: P.multiplex([x, y], i.unsqueeze(1)),
        [A, A + 1, np.array([1, 0, 1], "i4")],
    ),
    "shard": (lambda P, x: P.shard_index(x.unsqueeze(1), 6, 2, 0), [ROWS]),
    "broadcast": (lambda P, x: P.broadcast_to(x, [2, 3, 4]), [A]),
    "expand_as": (lambda P, x, y: P.expand_as(x, y), [A[:1], A]),
    "meshgrid": (lambda P, x: P.meshgrid(x[0], x[1]), [A]),
    "unbind": (lambda P, x: P.unbind(x), [A]),
    "unstack": (lambda P, x: P.unstack(x), [A]),
    "chunk": (lambda P, x: P.chunk(x, 2, 1), [A]),
    "roll": (lambda P, x: P.roll(x, 1, 1), [A]),
    "flip": (lambda P, x: P.flip(x, 1), [A]),
    "logspace": (lambda P, x: P.logspace(0, 1, 4) + P.linspace(0, 1, 4) + x[0], [A]),
    "eye": (lambda P, x: P.eye(4) + x[0], [A]),
    "numel": (lambda P, x: P.numel(x), [A]),
    "shape": (lambda P, x: P.shape(x), [A]),
    "cumsum": (lambda P, x: P.cumsum(x, 1) + P.cumprod(x, 1), [A]),
    "logsumexp": (lambda P, x: P.logsumexp(x, 1), [A]),
    "prod": (lambda P, x: P.prod(x, 1), [A]),
    "any": (lambda P, x: P.any(x > 0, 1) & P.all(x > 0, 1), [A]),
    "dist": (lambda P, x: P.dist(x, x * 2, 3), [A]),
    "mv": (lambda P, x: P.mv(x, x[0]), [A]),
    "bmm": (lambda P, x: P.bmm(x, x.transpose([0, 2, 1])), [A.reshape(1, 3, 4)]),
    "trace": (lambda P, x: P.trace(x) + P.diagonal(x).sum(), [SYMMETRIC]),
    "bilinear": (lambda P, x, w: P.nn.functional.bilinear(x, x, w), [A, _normal(2, 4, 4)]),
    "fused_linear": (lambda P, x, w: P.incubate.nn.functional.fused_linear(x, w), [A, B]),
    "fused_ln": (
        lambda P, x, w: P.incubate.nn.functional.fused_layer_norm(x, w, w * 0, 1e-05, 1)[0],
        [A, np.ones(4, "f")],
    ),
    "segment": (lambda P, x, i: P.geometric.segment_sum(x, i), [A, np.array([0, 0, 1])]),
    "send_u": (lambda P, x, i, j: P.geometric.send_u_recv(x, i, j), [A, ROWS, np.array([0, 1, 1])]),
}
# What Paddle 3 cannot export with a dynamic first dimension.
STATIC_ONLY = [
    "addmm",
    "block_diag",
    "combinations",
    "eigh",
    "fold",
    "gcd",
    "inner",
    "isin",
    "isposinf",
    "lcm",
    "multi_dot",
    "pdist",
    "select_scatter",
    "signbit",
    "tensordot",
    "unbind",
    "unstack",
    "vander",
]
