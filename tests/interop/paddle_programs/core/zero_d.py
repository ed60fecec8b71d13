"""Tensors without axes."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario


def leaf(value=2.5):
    return paddle.to_tensor(value, stop_gradient=False)


@scenario
def reductions_to_0_d():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    return each(
        lambda: x.sum(),
        lambda: x.mean(),
        lambda: x.max(),
        lambda: x.min(),
        lambda: x.prod(),
        lambda: x.std(),
        lambda: x.var(),
        lambda: x.norm(),
        lambda: x.logsumexp(),
        lambda: x.argmax(),
        lambda: x.argmin(),
        lambda: (x > 1).any(),
        lambda: (x > 1).all(),
        lambda: x.median(),
        lambda: x.numel(),
        lambda: paddle.nansum(x),
        lambda: x.trace(),
        lambda: paddle.dist(x, x),
        lambda: x.amax(),
        lambda: x.quantile(0.5),
        lambda: x.kthvalue(1, 0)[0],
        lambda: x.sum(keepdim=True),
        lambda: x.sum([0, 1]),
        lambda: x.sum([]),
        lambda: x.count_nonzero(),
        lambda: paddle.rank(x),
    )


@scenario
def unary_functions_and_gradients():
    found = {}
    for name in "abs exp sqrt rsqrt sin cos tanh sigmoid square log log1p floor round sign reciprocal erf atan expm1 trunc".split():
        x = leaf()
        y = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)
        y = y(x)
        y.backward()
        found[name] = [y, x.grad]
    return found


@scenario
def binary_functions_and_gradients():
    found = {}
    for name in "add subtract multiply divide pow maximum minimum fmax fmin floor_divide remainder atan2 equal less_than".split():
        for shape in ((), (2,)):
            x, y = leaf(), paddle.full(shape, 1.5)
            y.stop_gradient = False
            z = attempt(lambda: getattr(paddle, name)(x, y))
            if isinstance(z, dict):
                found[f"{name} {shape}"] = z
                continue
            error = (
                raised(z.sum().backward)
                if z.dtype == paddle.float32 and name not in ("floor_divide", "remainder")
                else None
            )
            found[f"{name} {shape}"] = [z, error, x.grad, y.grad]
    return found


@scenario
def shape_functions():
    x = leaf()
    found = each(
        lambda: x.reshape([1]),
        lambda: x.reshape([-1]),
        lambda: x.reshape([]),
        lambda: x.unsqueeze(0),
        lambda: x.unsqueeze([0, 1]),
        lambda: x.squeeze(),
        lambda: x.flatten(),
        lambda: x.expand([2]),
        lambda: x.expand([]),
        lambda: x.tile([3]),
        lambda: x.tile([]),
        lambda: x.transpose([]),
        lambda: x.t(),
        lambda: paddle.flip(x, []),
        lambda: x.clone(),
        lambda: paddle.stack([x, x]),
        lambda: paddle.broadcast_to(x, [1, 2]),
        lambda: x.numel(),
        lambda: paddle.shape(x),
        lambda: x.roll(0),
        lambda: x.sum(),
        lambda: x.mean(),
        lambda: x.max(),
        lambda: x.cumsum(),
        lambda: x.sort(),
        lambda: x.argsort(),
        lambda: x.topk(1)[0],
        lambda: None,
        lambda: x.astype("int64"),
        lambda: x.scale(2.0),
        lambda: x.clip(0, 1),
    )
    sum(
        t.sum()
        for t in found
        if isinstance(t, paddle.Tensor) and t.dtype == paddle.float32 and not t.stop_gradient
    ).backward()
    return found, x.grad


@scenario
def python_conversions():
    x = paddle.to_tensor(3)
    return each(
        lambda: int(x),
        lambda: float(x),
        lambda: bool(x),
        lambda: x.item(),
        lambda: x.tolist(),
        lambda: [10, 20, 30, 40][x],
        lambda: list(range(x)),
        lambda: complex(paddle.to_tensor(1.5)),
        lambda: round(float(paddle.to_tensor(2.5))),
        lambda: x.shape,
        lambda: x.ndim,
        lambda: x.size,
        lambda: paddle.to_tensor([4.0]).item(),
        lambda: int(paddle.to_tensor([4])),
        lambda: x.numpy().shape,
        lambda: f"{paddle.to_tensor(1.5).item():.2f}",
        lambda: x in [3],
        lambda: hash(x) == hash(x),
        lambda: None,
        lambda: bool(paddle.to_tensor(0.0)),
        lambda: divmod(7, int(x)),
    )


@scenario
def conversions_that_fail():
    two = paddle.to_tensor([1.0, 2.0])
    return each(
        lambda: raised(float, two),
        lambda: raised(int, two),
        lambda: raised(bool, two),
        lambda: raised(two.item),
        lambda: raised(two.item, 5),
        lambda: two.item(1),
        lambda: raised(len, paddle.to_tensor(1.0)),
        lambda: raised(list, paddle.to_tensor(1.0)),
        lambda: raised(lambda: paddle.to_tensor(1.0)[0]),
        lambda: raised(range, paddle.to_tensor(1.5)),
    )


@scenario
def indexing():
    x = leaf(1.5)
    y = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    i = paddle.to_tensor(1)
    found = each(
        lambda: x[None],
        lambda: x[...],
        lambda: x[()],
        lambda: y[i],
        lambda: y[0],
        lambda: y[[1]],
        lambda: y[i:],
        lambda: y[paddle.to_tensor([1])],
    )
    z = paddle.zeros([3])
    z[i] = x
    z[0] = paddle.to_tensor(7).astype("float32")
    v = paddle.to_tensor(0.0)
    v.set_value(np.array(3.0, "float32"))
    return found, z, v


@scenario
def joins_and_choices():
    a, b = leaf(1.0), leaf(2.0)
    found = each(
        lambda: paddle.stack([a, b]),
        lambda: paddle.where(a < b, a, b),
        lambda: paddle.where(a < b),
        lambda: paddle.concat([a.reshape([1]), b.reshape([1])]),
        lambda: raised(paddle.concat, [a, b]),
        lambda: paddle.add_n([a, b]),
        lambda: paddle.meshgrid(a, b),
        lambda: paddle.broadcast_tensors([a, paddle.ones([2])]),
        lambda: paddle.gather(paddle.ones([3]), paddle.to_tensor(1)),
        lambda: paddle.index_select(paddle.ones([3, 2]), paddle.to_tensor([1])),
        lambda: paddle.take_along_axis(paddle.ones([3]), paddle.to_tensor([1]), 0),
        lambda: paddle.nonzero(a),
        lambda: paddle.allclose(a, b),
        lambda: paddle.equal_all(a, a),
        lambda: paddle.isclose(a, b),
    )
    return found


@scenario
def losses_are_0_d():
    F = paddle.nn.functional
    x, y = paddle.to_tensor([[0.5, 1.0]], stop_gradient=False), paddle.to_tensor([[1.0, 0.0]])
    found = each(
        lambda: F.mse_loss(x, y),
        lambda: F.l1_loss(x, y),
        lambda: F.smooth_l1_loss(x, y),
        lambda: F.cross_entropy(x, paddle.to_tensor([1])),
        lambda: F.binary_cross_entropy_with_logits(x, y),
        lambda: F.kl_div(x, y),
        lambda: F.nll_loss(F.log_softmax(x), paddle.to_tensor([0])),
        lambda: F.mse_loss(x, y, "none"),
        lambda: F.cosine_similarity(x, y),
        lambda: F.margin_ranking_loss(x, y, y),
        lambda: F.hinge_embedding_loss(x, y),
        lambda: F.square_error_cost(x, y),
        lambda: F.log_loss(F.sigmoid(x), y),
    )
    return found


@scenario
def gradients_and_state():
    x = leaf()
    y = x * x
    (g,) = paddle.grad(y, x, create_graph=True)
    g.backward()
    p = paddle.create_parameter(
        [], "float32", default_initializer=paddle.nn.initializer.Constant(2.0)
    )
    opt = paddle.optimizer.Adam(0.1, parameters=[p])
    (p * p).backward()
    opt.step()
    return (
        g,
        x.grad,
        p,
        p.grad,
        sorted(v.shape for v in opt.state_dict().values() if hasattr(v, "shape")),
    )


@scenario
def linear_algebra():
    a = paddle.to_tensor([1.0, 2.0])
    m = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    return each(
        lambda: paddle.dot(a, a),
        lambda: paddle.matmul(a, a),
        lambda: paddle.linalg.det(m),
        lambda: paddle.linalg.cond(m),
        lambda: paddle.linalg.matrix_rank(m),
        lambda: paddle.linalg.norm(m),
        lambda: paddle.linalg.norm(m, 1),
        lambda: paddle.inner(a, a),
        lambda: paddle.einsum("i,i->", a, a),
        lambda: paddle.trace(m),
        lambda: paddle.linalg.slogdet(m),
        lambda: paddle.cov(a),
        lambda: paddle.corrcoef(a),
        lambda: paddle.bincount(paddle.to_tensor([0, 1, 1])),
        lambda: paddle.histogram(a, 2),
        lambda: paddle.linalg.multi_dot([a, m, a]),
        lambda: paddle.tensordot(m, m, 2),
        lambda: paddle.outer(a, leaf()),
        lambda: paddle.nn.functional.linear(a, m),
        lambda: paddle.kron(a, leaf()),
    )


@scenario
def dims_and_axes_of_0_d():
    x = paddle.to_tensor(2.0)
    return each(
        lambda: x.sum(axis=0),
        lambda: x.sum(-1),
        lambda: x.max(0),
        lambda: x.mean(-1),
        lambda: raised(x.sum, 1),
        lambda: x.argmax(0),
        lambda: x.cumsum(0),
        lambda: x.logsumexp(0),
        lambda: paddle.nn.functional.softmax(x),
        lambda: paddle.unsqueeze(x, -1),
        lambda: raised(paddle.unsqueeze, x, 2),
        lambda: x.sort(0),
        lambda: None,
        lambda: paddle.squeeze(x, []),
        lambda: raised(paddle.squeeze, x, 1),
        lambda: paddle.flatten(x),
        lambda: paddle.unstack(paddle.to_tensor([1.0, 2.0])),
        lambda: paddle.split(paddle.to_tensor([1.0, 2.0]), 2),
        lambda: x.median(),
        lambda: x.tile(paddle.to_tensor([2])),
    )
