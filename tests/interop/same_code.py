"""The same code for Oarlock and real Paddle: each case takes the package and returns arrays, which
must be equal.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import importlib
from pathlib import Path

import numpy as np

# ruff: noqa: PLR0124 - one line a case, and NaN is compared with itself


def data(*shape, seed=0):
    """Reproducible numbers, away from zero."""
    rng = np.random.default_rng(seed + 31 * len(shape))
    return (rng.uniform(0.2, 1.5, shape) * rng.choice([-1, 1], shape)).astype("float32")


def fill(layer):
    """Give every parameter and buffer of a layer reproducible values."""
    for i, (name, tensor) in enumerate(sorted(layer.state_dict().items())):
        value = np.asarray(0.3 * data(*tensor.shape, seed=i), "float32")
        tensor.set_value(np.abs(value) + np.float32(0.5) if "variance" in name else value)
    return layer


def flat(out):
    """All tensors of nested results."""
    return [t for o in out for t in flat(o)] if isinstance(out, (list, tuple)) else [out]


def Called(P, make, call):
    """A Layer that returns all tensors of call(make(), *tensors)."""

    class Inner(P.nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = make()

        def forward(self, *tensors):
            return flat(call(self.inner, *tensors))

    return Inner()


def recordable(run, make, inputs):
    """A case that can be saved as well: make(P) is its Layer."""
    run.make, run.inputs = make, inputs
    return run


def layer_case(make, *inputs, train=False):
    """Output and gradients of a layer."""

    def run(P):
        layer = fill(make(P))
        layer.train() if train else layer.eval()
        tensors = [P.to_tensor(x, stop_gradient=x.dtype.kind != "f") for x in inputs]
        out = layer(*tensors)
        (out * P.to_tensor(data(*out.shape, seed=5))).sum().backward()
        found = {"out": out.numpy(), "shape": np.array(out.shape)}
        found.update(
            {f"input{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None}
        )
        found.update(
            {f"grad {n}": p.grad.numpy() for n, p in layer.named_parameters() if p.grad is not None}
        )
        found.update({f"buffer {n}": b.numpy() for n, b in layer.named_buffers()})
        return found

    return run if train else recordable(run, lambda P: fill(make(P)), inputs)


def trainable(P, layer):
    """Return the outputs of a layer in eval mode, and its statistics."""
    fill(layer).eval()
    return {
        "out": layer(P.to_tensor(X4)).numpy(),
        "mean": layer._mean.numpy(),
        "variance": layer._variance.numpy(),
    }


X2, X3, X4 = data(4, 6), data(2, 5, 8), data(2, 4, 7, 7)
IDS = np.array([[0, 3, 2], [1, 0, 4]])
nn = {
    "linear": layer_case(lambda P: P.nn.Linear(6, 3), X2),
    "linear_3d": layer_case(lambda P: P.nn.Linear(8, 3, bias_attr=False), X3),
    "embedding": layer_case(lambda P: P.nn.Embedding(5, 3, padding_idx=0), IDS),
    "conv2d": layer_case(lambda P: P.nn.Conv2D(4, 6, 3, stride=2, padding=1), X4),
    "conv2d_groups": layer_case(lambda P: P.nn.Conv2D(4, 6, 3, groups=2, dilation=2, padding="SAME"), X4),
    "conv2d_depthwise": layer_case(lambda P: P.nn.Conv2D(4, 4, 3, groups=4, padding=[1, 2]), X4),
    "conv2d_valid4": layer_case(lambda P: P.nn.Conv2D(4, 2, 3, padding=[1, 0, 2, 1]), X4),
    "conv2d_nhwc": layer_case(lambda P: P.nn.Conv2D(7, 2, 3, data_format="NHWC"), X4),
    "conv2d_reflect": layer_case(lambda P: P.nn.Conv2D(4, 2, 3, padding=1, padding_mode="reflect"), X4),
    "conv1d": layer_case(lambda P: P.nn.Conv1D(5, 3, 3, padding=1, stride=2), X3),
    "conv2d_transpose": layer_case(lambda P: P.nn.Conv2DTranspose(4, 3, 3, stride=2, padding=1, output_padding=1), X4),
    **{
        f"batch_norm_old_{k}_{train}": layer_case(lambda P, k=k: P.nn.BatchNorm(4, "relu", **{k: True}), X4, train=train)
        for k in ("is_test", "trainable_statistics", "use_global_stats")
        for train in (False, True)
        # real Paddle's gradient is that of running statistics, its output is not
        if train or k != "trainable_statistics"
    },
    "batch_norm_trainable": lambda P: trainable(P, P.nn.BatchNorm(4, trainable_statistics=True)),
    "batch_norm_plain": layer_case(lambda P: P.nn.BatchNorm2D(4, weight_attr=False, bias_attr=False), X4, train=True),
    "batch_norm_plain_eval": layer_case(lambda P: P.nn.BatchNorm2D(4, weight_attr=False, bias_attr=False), X4),
    "group_norm_plain": layer_case(lambda P: P.nn.GroupNorm(2, 4, weight_attr=False, bias_attr=False), X4),
    "batch_norm2d": layer_case(lambda P: P.nn.BatchNorm2D(4), X4),
    "batch_norm2d_train": layer_case(lambda P: P.nn.BatchNorm2D(4, momentum=0.7), X4, train=True),
    "batch_norm1d_train": layer_case(lambda P: P.nn.BatchNorm1D(6), X2, train=True),
    "batch_norm_act": layer_case(lambda P: P.nn.BatchNorm(4, act="relu"), X4),
    "layer_norm": layer_case(lambda P: P.nn.LayerNorm(8), X3),
    "layer_norm_2": layer_case(lambda P: P.nn.LayerNorm([5, 8], epsilon=1e-3), X3),
    "group_norm": layer_case(lambda P: P.nn.GroupNorm(2, 4), X4),
    "instance_norm": layer_case(lambda P: P.nn.InstanceNorm2D(4), X4),
    "prelu": layer_case(lambda P: P.nn.PReLU(4), X4),
    "max_pool": layer_case(lambda P: P.nn.MaxPool2D(3, 2, padding=1), X4),
    "max_pool_ceil": layer_case(lambda P: P.nn.MaxPool2D(2, 2, ceil_mode=True), X4),
    "avg_pool": layer_case(lambda P: P.nn.AvgPool2D(3, 2, padding=1), X4),
    "avg_pool_inclusive": layer_case(lambda P: P.nn.AvgPool2D(3, 2, padding=1, exclusive=False, ceil_mode=True), X4),
    "adaptive_avg": layer_case(lambda P: P.nn.AdaptiveAvgPool2D((3, 2)), X4),
    "adaptive_max": layer_case(lambda P: P.nn.AdaptiveMaxPool2D(2), X4),
    "max_pool1d": layer_case(lambda P: P.nn.MaxPool1D(2, 2), X3),
    "avg_pool1d": layer_case(lambda P: P.nn.AvgPool1D(3, 2, padding=1), X3),
    "flatten": layer_case(lambda P: P.nn.Flatten(), X4),
    "pad2d": layer_case(lambda P: P.nn.Pad2D([1, 2, 3, 0], mode="replicate"), X4),
    "attention": layer_case(lambda P: P.nn.MultiHeadAttention(8, 2), X3, X3[:, :3], X3[:, :3]),
    "encoder": layer_case(lambda P: P.nn.TransformerEncoder(P.nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu"), 2), X3),
    "encoder_before": layer_case(lambda P: P.nn.TransformerEncoderLayer(8, 4, 16, 0.0, normalize_before=True), X3),
    **{
        name: layer_case(lambda P, name=name: getattr(P.nn, name)(), X3)
        for name in ["ReLU", "ReLU6", "Sigmoid", "Tanh", "Silu", "Swish", "Mish", "Softsign", "LogSigmoid", "Tanhshrink", "Hardswish", "Hardsigmoid", "GELU", "ELU", "LeakyReLU", "Hardtanh", "Softplus", "Softmax", "LogSoftmax", "GLU"]
    },
}  # fmt: skip

L2 = np.array([[1], [0], [5], [2]])


def loss_case(function):
    """A loss and the gradient of its first operand."""

    def run(P):
        x = P.to_tensor(X2, stop_gradient=False)
        out = function(P, P.nn.functional, x)
        out.sum().backward()
        return {"out": out.numpy(), "grad": x.grad.numpy()}

    return run


def prob(P):
    value = np.abs(data(4, 6, seed=9))
    return P.to_tensor(value / value.sum(1, keepdims=True))


losses = {
    "cross_entropy": loss_case(lambda P, F, x: F.cross_entropy(x, P.to_tensor(L2))),
    "cross_entropy_flat": loss_case(
        lambda P, F, x: F.cross_entropy(x, P.to_tensor(L2[:, 0]), reduction="none")
    ),
    "cross_entropy_ignore": loss_case(
        lambda P, F, x: F.cross_entropy(x, P.to_tensor(L2), ignore_index=5)
    ),
    "cross_entropy_weight": loss_case(
        lambda P, F, x: F.cross_entropy(x, P.to_tensor(L2), weight=P.to_tensor(np.abs(data(6))))
    ),
    "cross_entropy_soft": loss_case(lambda P, F, x: F.cross_entropy(x, prob(P), soft_label=True)),
    "cross_entropy_smooth": loss_case(
        lambda P, F, x: F.cross_entropy(
            x, F.one_hot(P.to_tensor(L2[:, 0]), 6), soft_label=True, label_smoothing=0.2
        )
    ),
    "cross_entropy_probs": loss_case(
        lambda P, F, x: F.cross_entropy(F.softmax(x), P.to_tensor(L2), use_softmax=False)
    ),
    "softmax_with_cross_entropy": loss_case(
        lambda P, F, x: F.softmax_with_cross_entropy(x, P.to_tensor(L2))
    ),
    "mse": loss_case(lambda P, F, x: F.mse_loss(x, prob(P))),
    "l1": loss_case(lambda P, F, x: F.l1_loss(x, prob(P), "sum")),
    "smooth_l1": loss_case(lambda P, F, x: F.smooth_l1_loss(x, prob(P), delta=0.7)),
    "nll": loss_case(lambda P, F, x: F.nll_loss(F.log_softmax(x), P.to_tensor(L2[:, 0]))),
    "bce": loss_case(lambda P, F, x: F.binary_cross_entropy(F.sigmoid(x), prob(P))),
    "bce_logits": loss_case(lambda P, F, x: F.binary_cross_entropy_with_logits(x, prob(P))),
    "kl_div": loss_case(lambda P, F, x: F.kl_div(F.log_softmax(x), prob(P), "batchmean")),
    "square_error": loss_case(lambda P, F, x: F.square_error_cost(x, prob(P))),
    "cosine": loss_case(lambda P, F, x: F.cosine_similarity(x, prob(P))),
    "normalize": loss_case(lambda P, F, x: F.normalize(x)),
}


def optimizer_case(make, steps=5):
    """Weights, and the names and values of the state, after some steps."""

    def run(P):
        model = fill(P.nn.Sequential(P.nn.Linear(6, 4), P.nn.ReLU(), P.nn.Linear(4, 1)))
        rule = make(P, model.parameters())
        for i in range(steps):
            loss = (model(P.to_tensor(data(4, 6, seed=i))) ** 2).mean()
            loss.backward()
            rule.step()
            rule.clear_grad()
        found = {n: p.numpy() for n, p in model.named_parameters()}
        first = model[0].weight.name
        state = {k[len(first) :]: v for k, v in rule.state_dict().items() if k.startswith(first)}
        return found | {f"state {k}": v.numpy() for k, v in state.items()}

    return run


def lbfgs_case(**options):
    """Return a point after four steps, the number of loss evaluations, and the stored curvature
    pairs.
    """

    def run(P):
        start = P.nn.initializer.Assign(np.array([3, -2, 1], "float32"))
        point = P.create_parameter([3], "float32", default_initializer=start)
        rule = P.optimizer.LBFGS(learning_rate=0.5, max_iter=4, parameters=[point], **options)
        asked = []

        def closure():
            rule.clear_grad()
            loss = ((point - 1) ** 4).sum() + (point[0] * point[1]) ** 2
            loss.backward()
            asked.append(float(loss))
            return loss

        first = [np.float32(rule.step(closure)) for _ in range(4)]
        state = rule.state_dict()["state"]
        kept = [
            len(asked),
            state["n_iter"],
            state["func_evals"],
            len(state["old_yk"]),
            len(state["old_sk"]),
        ]
        return {
            "point": point.numpy().round(3),
            "losses": np.array(first).round(3),
            "kept": np.array(kept),
        }

    return run


optimizers = {
    "rmsprop": optimizer_case(lambda P, p: P.optimizer.RMSProp(0.05, parameters=p)),
    "rmsprop_centered": optimizer_case(
        lambda P, p: P.optimizer.RMSProp(
            0.05, 0.9, 1e-3, 0.5, centered=True, parameters=p, weight_decay=0.1
        )
    ),
    "adagrad": optimizer_case(
        lambda P, p: P.optimizer.Adagrad(0.1, parameters=p, initial_accumulator_value=0.2)
    ),
    "adadelta": optimizer_case(lambda P, p: P.optimizer.Adadelta(0.5, 1e-3, 0.9, parameters=p)),
    "adamax": optimizer_case(
        lambda P, p: P.optimizer.Adamax(0.05, 0.8, 0.9, parameters=p, weight_decay=0.1)
    ),
    "lamb": optimizer_case(lambda P, p: P.optimizer.Lamb(0.05, 0.1, parameters=p)),
    "lamb_some": optimizer_case(
        lambda P, p: P.optimizer.Lamb(
            0.05, 0.1, parameters=p, exclude_from_weight_decay_fn=lambda q: q.name.endswith("b_0")
        )
    ),
    "lbfgs": lbfgs_case(),
    "lbfgs_wolfe": lbfgs_case(line_search_fn="strong_wolfe"),
    "lbfgs_short": lbfgs_case(history_size=2),
    "lbfgs_few": lbfgs_case(max_eval=3),
    "sgd": optimizer_case(lambda P, p: P.optimizer.SGD(0.1, parameters=p, weight_decay=0.01)),
    "momentum": optimizer_case(lambda P, p: P.optimizer.Momentum(0.1, 0.9, parameters=p)),
    "nesterov": optimizer_case(
        lambda P, p: P.optimizer.Momentum(
            0.1, 0.9, parameters=p, use_nesterov=True, weight_decay=0.02
        )
    ),
    "adam": optimizer_case(lambda P, p: P.optimizer.Adam(0.05, parameters=p)),
    "adam_decay": optimizer_case(
        lambda P, p: P.optimizer.Adam(0.05, 0.8, 0.9, 1e-3, parameters=p, weight_decay=0.1)
    ),
    "adamw": optimizer_case(lambda P, p: P.optimizer.AdamW(0.05, parameters=p, weight_decay=0.3)),
    "adamw_some": optimizer_case(
        lambda P, p: P.optimizer.AdamW(
            0.05, parameters=p, apply_decay_param_fun=lambda n: n.endswith("w_0")
        )
    ),
    "clip_norm": optimizer_case(
        lambda P, p: P.optimizer.SGD(0.1, parameters=p, grad_clip=P.nn.ClipGradByNorm(0.1))
    ),
    "clip_global": optimizer_case(
        lambda P, p: P.optimizer.SGD(0.1, parameters=p, grad_clip=P.nn.ClipGradByGlobalNorm(0.1))
    ),
    "clip_value": optimizer_case(
        lambda P, p: P.optimizer.SGD(0.1, parameters=p, grad_clip=P.nn.ClipGradByValue(0.05))
    ),
    "groups": optimizer_case(
        lambda P, p: P.optimizer.Adam(
            0.1,
            parameters=[
                {"params": p[:2], "learning_rate": 0.5},
                {"params": p[2:], "weight_decay": 0.1},
            ],
        )
    ),
}


def rates(make):
    """The learning rates of 12 steps."""

    def run(P):
        rate, found = make(P.optimizer.lr), []
        for _ in range(12):
            found.append(rate())
            rate.step()
        return {"lr": np.array(found, "float64")}

    return run


schedulers = {
    "step": rates(lambda lr: lr.StepDecay(0.5, 3)),
    "multi": rates(lambda lr: lr.MultiStepDecay(0.5, [2, 5], 0.3)),
    "exponential": rates(lambda lr: lr.ExponentialDecay(0.5, 0.9)),
    "piecewise": rates(lambda lr: lr.PiecewiseDecay([3, 6], [0.1, 0.2, 0.3])),
    "cosine": rates(lambda lr: lr.CosineAnnealingDecay(0.5, 10)),
    "warmup": rates(lambda lr: lr.LinearWarmup(0.5, 4, 0.0, 0.5)),
    "warmup_then": rates(lambda lr: lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.8), 4, 0.1, 0.5)),
    "lambda": rates(lambda lr: lr.LambdaDecay(0.5, lambda e: 0.9**e)),
    "noam": rates(lambda lr: lr.NoamDecay(16, 5)),
}


def tensors_case(function):
    """Return the results of functions of two tensors, with dtypes."""

    def run(P):
        x, y = (
            P.to_tensor(X3, stop_gradient=False),
            P.to_tensor(data(2, 5, 8, seed=3), stop_gradient=False),
        )
        out = function(P, x, y)
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        found = {f"out{i}": o.numpy() for i, o in enumerate(out)}
        found["dtypes"] = np.array([str(o.dtype) for o in out])
        wanted = [
            o
            for o in out
            if not o.stop_gradient and str(o.dtype) in ("paddle.float32", "paddle.float64")
        ]
        if wanted:
            sum((o * o).sum() for o in wanted).backward()
            found.update(
                {n: t.grad.numpy() for n, t in (("dx", x), ("dy", y)) if t.grad is not None}
            )
        return found

    return run


def i(x):
    """x as integers, cut off: real Paddle lets gradients through integers."""
    return x.detach().astype("int64")


functions = {
    "arithmetic": lambda P, x, y: [x + y, x - y, x * y, x / y, x + 1, 2 - x, x * 3, 1 / x, -x, x**2, x**3.0, 2**x],
    "arithmetic_int": lambda P, x, y: [
        i(x) + 1, i(x) * 2.5, i(x).astype("int32") / 2, i(x * 9) // 2, i(x * 9) % 4,
    ],
    "arithmetic_mixed": lambda P, x, y: [x.astype("float64") + y.astype("float64"), x + x.detach().astype("int64").astype("float32")],
    "floor": lambda P, x, y: [x.detach() // y.detach(), x.detach() % y.detach(), P.floor(x), P.ceil(x), P.round(x), P.sign(x), P.abs(x)],
    "compare": lambda P, x, y: [x > y, x >= 0.5, x == x, x != y, x < 1, x <= y, (x > 0) & (y > 0), ~(x > 0), (x > 0) | (y > 1)],
    "unary": lambda P, x, y: [P.exp(x), P.log(P.abs(x)), P.sqrt(P.abs(x)), P.rsqrt(P.abs(x)), P.sin(x), P.cos(x), P.tanh(x), P.erf(x), P.square(x)],
    "unary2": lambda P, x, y: [P.log1p(P.abs(x)), P.log2(P.abs(x)), P.log10(P.abs(x)), P.reciprocal(x), P.atan(x), P.sinh(x), P.expm1(x), P.tan(x)],
    "reduce": lambda P, x, y: [x.sum(), x.sum(1), x.mean([0, 2]), x.max(-1, keepdim=True), x.min(), x.prod(2), P.logsumexp(x, 1)],
    "reduce_int": lambda P, x, y: [(x > 0).astype("int32").sum(), (x > 0).any(1), (x > 0).all(), (x > 0).astype("int64").max(0)],
    "statistics": lambda P, x, y: [P.std(x), P.var(x, 1), P.var(x, [0, 1], unbiased=False), P.norm(x), P.norm(x, 1, -1), P.norm(x, 2, 1)],
    "shapes": lambda P, x, y: [x.reshape([5, -1]), x.reshape([0, 40]), x.transpose([2, 0, 1]), x.flatten(1), x.unsqueeze([0, 2]), x[:1].squeeze(0)],
    "joins": lambda P, x, y: [P.concat([x, y], 1), P.stack([x, y], 1), *P.split(x, 2, 2), *P.split(x, [1, -1], 1), *P.unbind(x, 0), *P.chunk(x, 4, 2)],
    "expand": lambda P, x, y: [P.expand(x[:, :1], [2, 5, 8]), P.tile(x, [1, 2, 1]), P.flip(x, [1]), P.roll(x, 2, 1), P.tril(x), P.triu(x, 1)],
    "expand_as": lambda P, x, y: [P.expand_as(x[:1], y), P.broadcast_to(x[:, :1], [2, 5, 8]), P.repeat_interleave(x, 2, 1), P.moveaxis(x, 0, 2)],
    "index": lambda P, x, y: [x[0], x[-1, 2], x[:, 1:4:2], x[..., 3], x[:, None, 1:], x[::-1], x[1, ..., ::2], x[:, -3:-1], x[:, 4:-4:-1], x[:, :-2:-1], x[:, -2:0:-2]],
    "index_tensor": lambda P, x, y: [x[P.to_tensor([1, 0, 1])], x[:, P.to_tensor([4, 0])], P.gather(x.detach(), P.to_tensor([2, 1]), 1), x[x > 0.5]],
    "index_pairs": lambda P, x, y: [x[P.to_tensor([1, 0]), P.to_tensor([2, 3])], P.gather_nd(x, P.to_tensor([[0, 1], [1, 4]]))],
    "search": lambda P, x, y: [P.argmax(x, 1), P.argmin(x, -1, True), P.argmax(x), *P.topk(x, 3, -1), P.argsort(x, 1), P.sort(x, 1, True)],
    "search2": lambda P, x, y: [P.nonzero(x > 0.9), P.where(x > 0, x, y), P.masked_select(x, x > 1), P.index_select(x, P.to_tensor([0, 2]), 1)],
    "matmul": lambda P, x, y: [P.matmul(x, y, transpose_y=True), x @ y.transpose([0, 2, 1]), P.bmm(x, y.transpose([0, 2, 1])), P.dot(x[0, 0], y[0, 0])],
    "matmul_nd": lambda P, x, y: [P.matmul(x, y[0, 0]), P.matmul(x[0], y[1], True), P.mm(x[0], y[0].t()), P.addmm(P.ones([5, 5]), x[0], y[0].t(), 0.5, 2.0)],
    "clip": lambda P, x, y: [P.clip(x, -0.5, 0.5), x.clip(min=0), P.maximum(x, y), P.minimum(x, y), P.add_n([x, y]), P.scale(x, 2.0, 1.0, False)],
    "create": lambda P, x, y: [
        P.zeros([2, 3]), P.ones([2], "int64"), P.full([2], 3.5), P.arange(5), P.arange(0.0, 1.0, 0.25), P.linspace(0, 1, 5), P.eye(3), P.full_like(x, 2),
        P.zeros_like(x), P.to_tensor([[1, 2], [3, 4]]), P.to_tensor(1.5), P.to_tensor([True]), P.diag(P.arange(3)), *P.meshgrid(P.arange(2), P.arange(3)),
    ],
    "cumsum": lambda P, x, y: [P.cumsum(x, 1), P.cumsum(x), P.cumsum(x, -1)],
    "logic": lambda P, x, y: [P.isclose(x, y), P.allclose(x, x), P.equal_all(x, x), P.logical_xor(x > 0, y > 0), P.isnan(x), P.isfinite(x)],
    "scatter": lambda P, x, y: [
        P.scatter(x, P.to_tensor([1, 0]), y), P.put_along_axis(x, P.to_tensor([[[1]], [[2]]]), 9.0, 1), P.take_along_axis(x, P.argsort(x, 2), 2),
    ],
    "zero_d": lambda P, x, y: [x.sum() + 1, P.to_tensor(2.0) * x.mean(), P.stack([x.sum(), y.sum()]), x.sum().unsqueeze(0), P.concat([x.sum().reshape([1])])],
    "pad": lambda P, x, y: [P.nn.functional.pad(x, [1, 2], value=3.0, data_format="NCL"), P.nn.functional.pad(x, [0, 0, 1, 0, 0, 2])],
    "one_hot": lambda P, x, y: [P.nn.functional.one_hot(P.to_tensor([0, 2]), 4), P.nn.functional.label_smooth(P.eye(3))],
    "shape": lambda P, x, y: [P.shape(x), P.numel(x), P.rank(x), P.is_empty(x)],
    "cast": lambda P, x, y: [x.astype("int32"), x.astype("bool"), x.astype("float64"), P.cast(x, "float16"), (x * 3).astype("uint8").astype("int64")],
}  # fmt: skip


def names(P):
    """Parameter names and the keys of state_dict for a net with every kind of layer."""
    guard = P.utils.unique_name.guard if hasattr(P, "utils") else P.unique_name.guard
    with guard():
        net = P.nn.Sequential(
            P.nn.Linear(2, 3),
            P.nn.Conv2D(2, 3, 3),
            P.nn.BatchNorm2D(3),
            P.nn.BatchNorm1D(3),
            P.nn.LayerNorm(4),
            P.nn.Embedding(3, 4),
            P.nn.GroupNorm(1, 3),
            P.nn.InstanceNorm2D(3),
            P.nn.PReLU(),
            P.nn.TransformerEncoderLayer(4, 2, 8),
            P.nn.Conv2DTranspose(2, 3, 3),
            P.nn.Conv1D(2, 3, 3),
            P.nn.Linear(2, 3, weight_attr=P.ParamAttr(name="mine")),
            P.nn.BatchNorm(3),
            P.nn.BatchNorm1D(3, weight_attr=False),
            P.nn.GroupNorm(1, 3, weight_attr=False, bias_attr=False),
            P.nn.BatchNorm(3, param_attr=False),
            P.nn.SyncBatchNorm(3, weight_attr=False, bias_attr=False),
            P.nn.InstanceNorm2D(3, weight_attr=False, bias_attr=False),
        )
    state = net.state_dict()
    return {
        "keys": np.array(list(state)),
        "names": np.array([t.name for t in state.values()]),
        "shapes": np.array([str(list(t.shape)) for t in state.values()]),
        "trainable": np.array([t.stop_gradient for t in state.values()]),
    }


def second_order(P):
    """A gradient penalty."""
    layer = fill(P.nn.Sequential(P.nn.Linear(6, 5), P.nn.Tanh(), P.nn.Linear(5, 1)))
    x = P.to_tensor(X2, stop_gradient=False)
    (slope,) = P.grad(layer(x).sum(), x, create_graph=True)
    ((slope**2).sum(1) - 1).square().mean().backward()
    return {n: p.grad.numpy() for n, p in layer.named_parameters() if p.grad is not None} | {
        "slope": slope.numpy()
    }


def accuracy(P):
    """Both metrics."""
    m = P.metric.Accuracy((1, 2))
    m.update(m.compute(P.to_tensor(X2), P.to_tensor(L2)))
    return {
        "one": P.metric.accuracy(P.to_tensor(X2), P.to_tensor(L2), k=2).numpy(),
        "all": np.array(m.accumulate()),
        "name": np.array(m.name()),
    }


CASES = {
    **{f"nn.{k}": v for k, v in nn.items()},
    **{f"loss.{k}": v for k, v in losses.items()},
    **{f"optimizer.{k}": v for k, v in optimizers.items()},
    **{f"lr.{k}": v for k, v in schedulers.items()},
    **{f"tensor.{k}": tensors_case(v) for k, v in functions.items()},
    "names": names,
    "second_order": second_order,
    "accuracy": accuracy,
}


def all_cases():
    """The cases of every `same_*.py` of this folder."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("same_*.py")):
        found.update(
            CASES if path.stem == "same_code" else importlib.import_module(path.stem).CASES
        )
    return found


def run_all(P, path, cases):
    """Run every case; `path` gets the arrays as `case/name`, and errors are returned."""
    found, errors = {}, {}
    for case, function in cases.items():
        try:
            found.update({f"{case}/{name}": array for name, array in function(P).items()})
        except Exception as error:
            errors[case] = f"{type(error).__name__}: {error}"
    np.savez(path, **found)
    return errors
