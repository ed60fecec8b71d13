"""Methods and functions of tensors whose forms of arguments matter."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario

X = f32([[3, 1, 2], [6, 5, 4]])
t = paddle.to_tensor


@scenario
def views_of_the_shape():
    x = t(np.arange(24).reshape(2, 3, 4))
    return each(
        lambda: x.shape,
        lambda: x.ndim,
        lambda: x.dim(),
        lambda: x.rank() if hasattr(x, "rank") else None,
        lambda: x.size,
        lambda: x.T.shape,
        lambda: x.mT.shape if hasattr(x, "mT") else None,
        lambda: x.numel(),
        lambda: None,
        lambda: x.is_contiguous() if hasattr(x, "is_contiguous") else None,
        lambda: None,
        lambda: x.ndimension(),
        lambda: len(x),
        lambda: None,
        lambda: x.dtype,
        lambda: x.stop_gradient,
        lambda: x.persistable,
        lambda: x.place.is_cpu_place(),
        lambda: x.grad,
        lambda: x.is_leaf,
    )


@scenario
def reshapes():
    x = t(np.arange(24).reshape(2, 3, 4))
    return each(
        lambda: x.reshape([4, 6]).shape,
        lambda: x.reshape((-1, 2)).shape,
        lambda: x.reshape([0, -1]).shape,
        lambda: x.reshape([0, 0, 2, 2]).shape,
        lambda: x.reshape(t([6, 4])).shape,
        lambda: x.reshape([t(6), 4]).shape,
        lambda: x.flatten().shape,
        lambda: x.flatten(1).shape,
        lambda: x.flatten(0, 1).shape,
        lambda: x.flatten(-2, -1).shape,
        lambda: x.view([4, 6]).shape,
        lambda: x.view_as(paddle.ones([24])).shape if hasattr(x, "view_as") else None,
        lambda: x.unflatten(2, [2, 2]).shape if hasattr(x, "unflatten") else None,
        lambda: None,
    )


@scenario
def transposes():
    x = t(np.arange(6).reshape(1, 2, 3))
    return each(
        lambda: x.transpose([2, 0, 1]),
        lambda: x.transpose((0, 2, 1)).shape,
        lambda: x.moveaxis(0, 2).shape,
        lambda: x.moveaxis([0, 1], [1, 0]).shape,
        lambda: x.T.shape,
        lambda: x[0].t(),
        lambda: paddle.swapaxes(x, 0, 2).shape if hasattr(paddle, "swapaxes") else None,
        lambda: x.transpose([-1, 0, 1]).shape,
        lambda: x.squeeze(0).t().shape,
        lambda: paddle.rot90(x[0]),
        lambda: paddle.rot90(x[0], 2),
        lambda: paddle.rot90(x[0], -1, [0, 1]),
    )


@scenario
def squeezes():
    x = paddle.ones([1, 2, 1, 3])
    return each(
        lambda: x.squeeze().shape,
        lambda: x.squeeze(0).shape,
        lambda: x.squeeze([0, 2]).shape,
        lambda: x.squeeze(1).shape,
        lambda: x.squeeze(-2).shape,
        lambda: x.squeeze((0,)).shape,
        lambda: x.unsqueeze(0).shape,
        lambda: x.unsqueeze([0, -1]).shape,
        lambda: x.unsqueeze(-1).shape,
        lambda: x.unsqueeze(t(1)).shape,
        lambda: x.unsqueeze([1, 2]).shape,
        lambda: x.unsqueeze(t([0, 1])).shape,
    )


@scenario
def splits():
    x = t(np.arange(12).reshape(2, 6))
    return each(
        lambda: x.split(2),
        lambda: x.split(3, 1),
        lambda: x.split([1, 2, 3], 1),
        lambda: x.split([1, -1, 2], axis=1),
        lambda: x.split([2, 4], -1),
        lambda: x.chunk(4, 1),
        lambda: x.unbind(),
        lambda: x.unbind(1)[2],
        lambda: paddle.unstack(x, 1)[0],
        lambda: paddle.tensor_split(x, 4, 1) if hasattr(paddle, "tensor_split") else None,
        lambda: paddle.vsplit(x, 2),
        lambda: paddle.hsplit(x, 2) if hasattr(paddle, "hsplit") else None,
    )


@scenario
def joins():
    a, b = t(X), t(X) + 10
    return each(
        lambda: paddle.concat([a, b]),
        lambda: paddle.concat((a, b), 1),
        lambda: paddle.concat([a, b], t(1)),
        lambda: paddle.concat([a, b], -1),
        lambda: paddle.stack([a, b], 2),
        lambda: paddle.stack([a, b], -3),
        lambda: paddle.hstack([a, b]) if hasattr(paddle, "hstack") else None,
        lambda: paddle.vstack([a, b]) if hasattr(paddle, "vstack") else None,
        lambda: paddle.concat([a]),
        lambda: paddle.block_diag([a, b]) if hasattr(paddle, "block_diag") else None,
    )


@scenario
def reductions():
    x = t(X)
    return each(
        lambda: x.sum(0),
        lambda: x.sum([0, 1]),
        lambda: x.sum(-1, keepdim=True),
        lambda: x.sum(dtype="float64"),
        lambda: x.sum(0, "int64"),
        lambda: x.mean([1]),
        lambda: x.max(1),
        lambda: x.min((0, 1)),
        lambda: x.amax(1),
        lambda: x.amin(0, True),
        lambda: x.prod(0),
        lambda: x.prod(dtype="float64"),
        lambda: (x > 2).any(0),
        lambda: (x > 2).all(1, True),
        lambda: x.std(0),
        lambda: x.var(1, False),
        lambda: x.logsumexp(1),
        lambda: x.median(1),
        lambda: x.nanmedian(),
        lambda: x.nanmean(0),
        lambda: x.nansum(1),
        lambda: x.quantile(0.25, 1),
        lambda: x.quantile([0.25, 0.75]),
        lambda: x.mode(1)[0],
        lambda: x.count_nonzero(1),
        lambda: x.norm(p=1),
        lambda: x.norm(2, 1),
        lambda: x.norm("fro"),
        lambda: x.norm(np.inf, 0),
        lambda: x.dist(x + 1, 1),
    )


@scenario
def orderings():
    x = t(X)
    v, i = x.topk(2)
    w, j = x.topk(1, 0, False)
    return each(
        lambda: v,
        lambda: i,
        lambda: w,
        lambda: j,
        lambda: x.sort(),
        lambda: x.sort(0, True),
        lambda: x.argsort(1),
        lambda: x.argsort(-1, descending=True),
        lambda: x.argmax(),
        lambda: x.argmax(1),
        lambda: x.argmax(0, True),
        lambda: x.argmin(1, dtype="int32"),
        lambda: x.kthvalue(2),
        lambda: x.kthvalue(1, 0, True),
        lambda: x.topk(t(2))[0],
        lambda: x.cummax(1),
        lambda: x.cummin(1),
        lambda: None,
        lambda: paddle.searchsorted(t([1.0, 3.0, 5.0]), t([3.0]), right=True),
        lambda: paddle.bucketize(t([2.0]), t([1.0, 3.0])),
        lambda: None,
    )


@scenario
def uniques():
    x = t([3, 1, 2, 1, 3])
    m = t([[1, 2], [1, 2], [0, 5]])
    return each(
        lambda: x.unique(),
        lambda: x.unique(return_index=True),
        lambda: x.unique(return_inverse=True, return_counts=True),
        lambda: m.unique(axis=0),
        lambda: x.unique_consecutive(),
        lambda: t([1, 1, 2, 1]).unique_consecutive(return_inverse=True, return_counts=True),
        lambda: x.bincount(),
        lambda: x.bincount(minlength=6),
        lambda: x.bincount(t([0.5, 1.0, 1.0, 1.0, 1.0])),
        lambda: x.histogram(3),
        lambda: x.histogram(4, 0, 4),
        lambda: x.unique(dtype="int32", return_inverse=True),
    )


@scenario
def cumulative():
    x = t(X)
    return each(
        lambda: x.cumsum(),
        lambda: x.cumsum(0),
        lambda: x.cumsum(-1, dtype="float64"),
        lambda: x.cumprod(1),
        lambda: x.cumprod(0, "float64"),
        lambda: x.logcumsumexp(1),
        lambda: x.diff(),
        lambda: x.diff(n=2, axis=1),
        lambda: x.diff(axis=0, prepend=t([[0.0, 0.0, 0.0]])),
        lambda: paddle.trapezoid(x, axis=1),
        lambda: paddle.cumulative_trapezoid(x, dx=0.5),
        lambda: paddle.trapezoid(x, t([0.0, 1.0, 3.0])),
    )


@scenario
def repeats_and_rolls():
    x = t(X)
    return each(
        lambda: x.tile([2, 1]),
        lambda: x.tile((2,)),
        lambda: x.tile(t([1, 2])),
        lambda: x.repeat_interleave(2),
        lambda: x.repeat_interleave(2, 1),
        lambda: x.repeat_interleave(t([1, 0, 2]), 1),
        lambda: x.roll(1),
        lambda: x.roll([1, 1], [0, 1]),
        lambda: x.roll(-1, 1),
        lambda: x.flip(0),
        lambda: x.flip([0, 1]),
        lambda: x.expand([2, 2, 3]),
        lambda: x.expand([2, -1, 3]),
        lambda: x.expand_as(paddle.ones([1, 2, 3])),
        lambda: x.broadcast_to([1, 2, 3]),
        lambda: x.gather(t([1]), 1),
        lambda: paddle.broadcast_shape([2, 1], [3]),
        lambda: paddle.expand(x[:, :1], [2, 4]),
    )


@scenario
def comparisons():
    x, y = t(X), t(f32([3, 5, 4]))
    nan = t([1.0, float("nan")])
    return each(
        lambda: x == y,
        lambda: x != y,
        lambda: x < y,
        lambda: x <= 3,
        lambda: 3 > x,
        lambda: x >= y,
        lambda: x.equal_all(x),
        lambda: x.equal_all(y),
        lambda: x.allclose(x + 1e-9),
        lambda: nan.allclose(nan),
        lambda: nan.allclose(nan, equal_nan=True),
        lambda: nan.isclose(nan),
        lambda: nan == nan,
        lambda: x.equal(y),
        lambda: x.greater_than(y),
        lambda: paddle.less_equal(x, y),
        lambda: nan.isnan(),
        lambda: (1 / paddle.zeros([1])).isinf(),
        lambda: nan.isfinite(),
        lambda: x.maximum(y),
        lambda: x.minimum(y),
        lambda: paddle.fmax(nan, t(0.0)),
        lambda: nan.nan_to_num(5.0) if hasattr(nan, "nan_to_num") else paddle.nan_to_num(nan, 5.0),
    )


@scenario
def number_functions():
    x = t([-1.5, -0.5, 0.5, 1.5, 2.5])
    i = t([12, 18])
    return each(
        lambda: x.round(),
        lambda: x.floor(),
        lambda: x.ceil(),
        lambda: x.trunc(),
        lambda: x.frac(),
        lambda: x.sign(),
        lambda: x.abs(),
        lambda: x.clip(-1, 1),
        lambda: x.clip(max=0.5),
        lambda: x.clip(t(-1.0), t(2.0)),
        lambda: i.gcd(t([8, 12])),
        lambda: i.lcm(t([8, 12])),
        lambda: x.lerp(x * 2, 0.25),
        lambda: x.scale(2.0, 1.0),
        lambda: x.scale(2.0, 1.0, False),
        lambda: x.remainder(t(2.0)),
        lambda: x.mod(t(-2.0)),
        lambda: x.floor_mod(t(2.0)),
        lambda: x.floor_divide(t(0.7)),
        lambda: x.pow(2),
        lambda: x.pow(t(3.0)),
        lambda: paddle.heaviside(x, t(0.5)),
        lambda: x.sgn(),
        lambda: paddle.ldexp(x, t([1, 2, 3, 1, 0])) if hasattr(paddle, "ldexp") else None,
        lambda: paddle.copysign(x, t(-1.0)) if hasattr(paddle, "copysign") else None,
        lambda: paddle.hypot(x, x) if hasattr(paddle, "hypot") else None,
        lambda: x.frexp() if hasattr(x, "frexp") else None,
        lambda: paddle.nextafter(x, x + 1) if hasattr(paddle, "nextafter") else None,
        lambda: paddle.angle(x),
        lambda: x.logit(0.1),
        lambda: x.deg2rad(),
        lambda: paddle.increment(t([1.0]), 2.0),
        lambda: x.stanh(),
        lambda: x.multiply(x),
        lambda: x.inner(x),
        lambda: x.outer(x[:2]),
        lambda: None,
        lambda: paddle.renorm(t(X), 2.0, 0, 3.0),
    )


@scenario
def matrices():
    a, b = t(X), t(X.T.copy())
    v = t([1.0, 2.0, 3.0])
    return each(
        lambda: a.matmul(b),
        lambda: a @ b,
        lambda: a.mm(b),
        lambda: a.mv(v),
        lambda: v.dot(v),
        lambda: a.matmul(a, transpose_y=True),
        lambda: a.matmul(a, True),
        lambda: a @ v,
        lambda: paddle.bmm(a[None], b[None]),
        lambda: v.outer(v),
        lambda: a.addmm(paddle.ones([2, 2]), paddle.ones([2, 3])),
        lambda: paddle.einsum("ij,jk->ik", a, b),
        lambda: paddle.einsum("ij->ji", a),
        lambda: paddle.einsum("ij->", a),
        lambda: paddle.einsum("...j,j->...", a, v),
        lambda: paddle.tensordot(a, b, 1),
        lambda: paddle.tensordot(a, a, [[0], [0]]),
        lambda: paddle.kron(a, t([[1.0, 2.0]])),
        lambda: a.cross(a + 1),
        lambda: paddle.multiplex([a, a + 10], t([[0], [1]])),
        lambda: v.cov(),
        lambda: a.cov(),
        lambda: a.corrcoef(),
        lambda: a.cdist(a) if hasattr(a, "cdist") else paddle.cdist(a, a),
        lambda: paddle.matrix_transpose(a) if hasattr(paddle, "matrix_transpose") else None,
    )


@scenario
def windows_and_strides():
    x = t(np.arange(12).astype("float32").reshape(3, 4))
    return each(
        lambda: x.unfold(1, 2, 1),
        lambda: x.as_strided([2, 2], [4, 1]),
        lambda: paddle.strided_slice(x, [0, 1], [0, 3], [3, 0], [2, -1]),
        lambda: paddle.slice(x, [1], [1], [3]),
        lambda: paddle.slice(x, [0, 1], [-2, 0], [100, -1]),
        lambda: paddle.crop(x, [2, 2], [1, 1]),
        lambda: paddle.crop(x, [-1, 2], [0, 1]),
        lambda: paddle.shard_index(t([[1], [9]]), 20, 2, 0),
        lambda: paddle.masked_fill(x, x > 5, 0.0),
        lambda: paddle.where(x > 3, x, 0.0),
        lambda: paddle.where(x > 10),
        lambda: (
            paddle.slice_scatter(x, paddle.zeros([3, 2]), [1], [1], [3], [1])
            if hasattr(paddle, "slice_scatter")
            else None
        ),
        lambda: (
            paddle.select_scatter(x, paddle.zeros([3]), 1, 0)
            if hasattr(paddle, "select_scatter")
            else None
        ),
        lambda: (
            paddle.diagonal_scatter(x, paddle.zeros([3]))
            if hasattr(paddle, "diagonal_scatter")
            else None
        ),
    )


@scenario
def names_and_values():
    x = t(X)
    x.name = "mine"
    return each(
        lambda: x.name,
        lambda: x.tolist(),
        lambda: x.numpy(),
        lambda: x.item(2),
        lambda: x.item(1, 2),
        lambda: (x + 1).tolist(),
        lambda: np.asarray(x),
        lambda: np.sum(x.numpy()),
        lambda: x.numpy().flags.writeable,
        lambda: np.array(x, dtype="float64").dtype.name,
    )


@scenario
def numpy_and_python_around():
    x, a = t(X), np.float32(2.0)
    return each(
        lambda: x * a,
        lambda: a * x,
        lambda: x + np.ones(3, "float32"),
        lambda: np.ones(3, "float32") + x,
        lambda: sum([x, x]),
        lambda: max(t(1.0), t(2.0)),
        lambda: sorted([t(2.0), t(1.0)]),
        lambda: abs(x - 3),
        lambda: x.__len__(),
        lambda: pow(x, 2),
        lambda: round(t(2.6).item()),
        lambda: -x,
        lambda: +x if hasattr(x, "__pos__") else None,
        lambda: np.exp(x.numpy()),
        lambda: [float(v) for v in t([1.0, 2.0])],
    )


@scenario
def copies_and_pickles():
    import copy
    import pickle

    x = paddle.to_tensor(X, stop_gradient=False)
    y = copy.deepcopy(x)
    y_grad = y.stop_gradient
    p = paddle.create_parameter(
        [2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    q = copy.deepcopy(p)
    return y, y_grad, q.stop_gradient, q, raised(copy.deepcopy, x * 2)
