"""Custom layers: parameters, buffers, containers, modes, and functional forms."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, fill, paddle, raised, scenario

nn, F = paddle.nn, paddle.nn.functional
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
T = paddle.to_tensor(X)


class Net(nn.Layer):
    def __init__(self):
        super().__init__("my_net")
        self.first = nn.Linear(3, 4)
        self.second = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(2.0))
        self.register_buffer("steps", paddle.zeros([1]))

    def forward(self, x):
        return self.second(self.first(x)) * self.scale


@scenario
def names_of_everything():
    n = Net()
    return each(
        lambda: [k for k, _ in n.named_parameters()],
        lambda: [k for k, _ in n.named_parameters(prefix="p", include_sublayers=False)],
        lambda: [k for k, _ in n.named_sublayers()],
        lambda: [k for k, _ in n.named_sublayers(prefix="q", include_self=True)],
        lambda: [k for k, _ in n.named_children()],
        lambda: [type(l).__name__ for l in n.children()],
        lambda: [type(l).__name__ for l in n.sublayers()],
        lambda: len(n.parameters()),
        lambda: len(n.buffers()),
        lambda: n.full_name().startswith("my_net"),
        lambda: [k for k, _ in n.named_buffers()],
    )


@scenario
def attributes_of_layers():
    n = Net()
    n.other = nn.Linear(1, 1)
    n.number = 3
    n.scale = None
    found = [sorted(n._sub_layers), sorted(n._parameters), "scale" in n.state_dict(), n.number]
    del n.other
    n.extra = paddle.create_parameter([1], "float32")
    return each(
        lambda: found,
        lambda: sorted(n._sub_layers),
        lambda: hasattr(n, "other"),
        lambda: [k for k, _ in n.named_parameters()],
        lambda: raised(lambda: n.nothing),
        lambda: raised(setattr, n, "first", 3),
    )


@scenario
def adding_by_methods():
    l = nn.Layer()
    a = l.add_sublayer("a", nn.Linear(1, 1))
    p = l.add_parameter("p", paddle.create_parameter([2], "float32"))
    l.register_buffer("b", paddle.ones([1]))
    return each(
        lambda: type(a).__name__,
        lambda: p.shape,
        lambda: list(l.state_dict()),
        lambda: raised(l.add_sublayer, "x", 3) != "no error",
        lambda: raised(l.add_parameter, "x", 3) != "no error",
        lambda: raised(l.register_buffer, "x", 3) != "no error",
        lambda: raised(l.forward) != "no error",
    )


@scenario
def modes_and_apply():
    n, seen = Net(), []
    n.eval()
    before = [l.training for l in n.sublayers(True)]
    n.train()
    n.apply(lambda l: seen.append(type(l).__name__))
    return before, n.training, seen


@scenario
def dtype_of_layers():
    n = Net()
    n.to(dtype="float64")
    a = [str(p.dtype) for p in n.parameters()] + [str(b.dtype) for b in n.buffers()]
    n.float()
    b = [str(p.dtype) for p in n.parameters()]
    return a, b, str(nn.Linear(2, 2).astype("float64").weight.dtype), n.to("cpu") is not None


@scenario
def sequentials():
    s = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    t = nn.Sequential(("one", nn.Linear(3, 2)), ("act", nn.ReLU()))
    u = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)])
    return each(
        lambda: len(s),
        lambda: type(s[0]).__name__,
        lambda: type(s[-1]).__name__,
        lambda: list(t.state_dict()),
        lambda: type(t["act"]).__name__,
        lambda: len(u[1:]),
        lambda: [type(l).__name__ for l in s],
        lambda: attempt(lambda: nn.Sequential([nn.Linear(1, 1), nn.ReLU()])[1].full_name()[:4]),
        lambda: fill(t)(T),
    )


@scenario
def layer_lists_and_dicts():
    l = nn.LayerList([nn.Linear(1, i + 1) for i in range(3)])
    l.append(nn.ReLU())
    l.insert(0, nn.Tanh())
    l.extend([nn.Sigmoid()])
    d = nn.LayerDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
    d["c"] = nn.Tanh()
    d.update([("d", nn.GELU())])
    found = each(
        lambda: [type(x).__name__ for x in l],
        lambda: len(l),
        lambda: type(l[-1]).__name__,
        lambda: len(l[1:3]),
        lambda: list(d.keys()),
        lambda: len(d),
        lambda: "a" in d,
        lambda: type(d.pop("a")).__name__,
        lambda: [k for k, _ in d.items()],
        lambda: [type(v).__name__ for v in d.values()],
    )
    d.clear()
    del l[0]
    p = nn.ParameterList([paddle.create_parameter([i + 1], "float32") for i in range(2)])
    p.append(paddle.create_parameter([5], "float32"))
    return each(
        lambda: found,
        lambda: len(d),
        lambda: len(l),
        lambda: [q.shape for q in p],
        lambda: len(p),
        lambda: list(p.state_dict()),
        lambda: list(l.state_dict()),
        lambda: raised(lambda: l[99]) != "no error",
    )


@scenario
def param_attrs():
    A, I = paddle.ParamAttr, nn.initializer
    l = nn.Linear(
        2,
        2,
        weight_attr=A(
            name="w_x",
            initializer=I.Constant(0.5),
            learning_rate=0.1,
            trainable=False,
            regularizer=paddle.regularizer.L2Decay(0.1),
            need_clip=False,
        ),
        bias_attr=False,
    )
    m = nn.Linear(2, 2, weight_attr=I.Constant(2.0), bias_attr=A(initializer=I.Assign([1.0, 2.0])))
    c = nn.Conv2D(1, 1, 2, weight_attr="conv_w")
    return (
        l.weight.name,
        l.weight,
        l.weight.stop_gradient,
        l.weight.optimize_attr,
        l.weight.need_clip,
        l.bias,
        m.weight,
        m.bias,
        c.weight.name,
        raised(nn.Linear, 2, 2, weight_attr=3) != "no error",
        nn.Linear(2, 2, bias_attr=None).bias is not None,
    )


@scenario
def initializers():
    I = nn.initializer
    make = lambda i, shape=(200, 100): paddle.create_parameter(
        list(shape), "float32", default_initializer=i
    )
    stats = lambda i, shape=(200, 100): [
        round(float(make(i, shape).mean()), 1),
        round(float(make(i, shape).std()), 1),
    ]
    return each(
        lambda: stats(I.Normal(1.0, 2.0)),
        lambda: stats(I.Uniform(-1.0, 3.0)),
        lambda: stats(I.TruncatedNormal(0.0, 1.0)),
        lambda: stats(I.XavierUniform()),
        lambda: stats(I.XavierNormal()),
        lambda: stats(I.KaimingNormal()),
        lambda: stats(I.KaimingUniform()),
        lambda: make(I.Constant(3.0), (2,)),
        lambda: make(I.Assign(np.arange(4).reshape(2, 2)), (2, 2)),
        lambda: make(I.Dirac(), (2, 2, 3)),
        lambda: round(
            float(make(I.Orthogonal(), (3, 3)).matmul(make(I.Orthogonal(), (3, 3)).t()).shape[0]), 3
        ),
        lambda: I.calculate_gain("relu"),
        lambda: I.calculate_gain("leaky_relu", 0.2),
        lambda: I.calculate_gain("tanh"),
        lambda: raised(I.calculate_gain, "nothing") != "no error",
        lambda: raised(make, I.Dirac(), (2, 2)) != "no error",
    )


@scenario
def global_initializers():
    I = nn.initializer
    I.set_global_initializer(I.Constant(0.5), I.Constant(0.25))
    try:
        l = nn.Linear(2, 2)
        own = nn.Linear(2, 2, weight_attr=I.Constant(7.0)).weight
    finally:
        I.set_global_initializer(None)
    return l.weight, l.bias, own, nn.Linear(2, 2).bias


@scenario
def layers_and_functions_agree():
    x = paddle.to_tensor(np.linspace(-2, 2, 24).reshape(2, 3, 4).astype("float32"))
    pairs = {
        "relu": (nn.ReLU(), F.relu), "gelu": (nn.GELU(), F.gelu), "gelu tanh": (nn.GELU(True), lambda v: F.gelu(v, True)),
            "elu": (nn.ELU(0.5), lambda v: F.elu(v, 0.5)), "selu": (nn.SELU(), F.selu), "celu": (nn.CELU(0.5), lambda v: F.celu(v, 0.5)),
            "hardswish": (nn.Hardswish(), F.hardswish), "hardshrink": (nn.Hardshrink(0.3), lambda v: F.hardshrink(v, 0.3)),
            "softshrink": (nn.Softshrink(0.3), lambda v: F.softshrink(v, 0.3)), "softplus": (nn.Softplus(2, 1), lambda v: F.softplus(v, 2, 1)),
            "mish": (nn.Mish(), F.mish), "silu": (nn.Silu(), F.silu),
            "thresholded": (nn.ThresholdedReLU(0.5), lambda v: F.thresholded_relu(v, 0.5)),
            "rrelu": (nn.RReLU(0.2, 0.2), lambda v: F.rrelu(v, 0.2, 0.2)), "softmax": (nn.Softmax(1), lambda v: F.softmax(v, 1)),
            "logsoftmax": (nn.LogSoftmax(0), lambda v: F.log_softmax(v, 0)),
            "hardtanh": (nn.Hardtanh(-0.5, 0.5), lambda v: F.hardtanh(v, -0.5, 0.5)), "leaky": (nn.LeakyReLU(0.3), lambda v: F.leaky_relu(v, 0.3)),
            "glu": (nn.GLU(-1), lambda v: F.glu(v, -1)), "softsign": (nn.Softsign(), F.softsign), "hardsigmoid": (nn.Hardsigmoid(), F.hardsigmoid),
            "relu6": (nn.ReLU6(), F.relu6), "tanhshrink": (nn.Tanhshrink(), F.tanhshrink), "logsigmoid": (nn.LogSigmoid(), F.log_sigmoid),
            "swish": (nn.Swish(), F.swish),
    }  # fmt: skip
    return {
        k: attempt(lambda: [bool((l(x) == f(x)).all()), round(float(f(x).sum()), 3)])
        for k, (l, f) in pairs.items()
    }


@scenario
def dropouts():
    x = paddle.ones([200, 50])
    rate = lambda y: round(float((y == 0).astype("float32").mean()), 1)
    return each(
        lambda: rate(F.dropout(x, 0.3)),
        lambda: F.dropout(x, 0.0)[0, :3],
        lambda: F.dropout(x, 1.0)[0, :3],
        lambda: F.dropout(x, 0.5, training=False)[0, :3],
        lambda: F.dropout(x, 0.5, training=False, mode="downscale_in_infer")[0, :3],
        lambda: float(F.dropout(x, 0.5).max()),
        lambda: float(F.dropout(x, 0.5, mode="downscale_in_infer").max()),
        lambda: [float(v) for v in set(F.dropout(x, 0.5, axis=0).std(1).tolist())][:1],
        lambda: F.dropout2d(paddle.ones([2, 3, 2, 2]), 0.0).shape,
        lambda: F.dropout3d(paddle.ones([2, 3, 2, 2, 2]), 0.0).shape,
        lambda: round(float(F.alpha_dropout(x, 0.5).mean()), 0),
        lambda: None,
        lambda: raised(F.dropout, x, 0.5, mode="nothing") != "no error",
        lambda: raised(F.dropout2d, x, 0.5) != "no error",
        lambda: raised(F.dropout, x, 0.5, 7) != "no error",
    )


@scenario
def embeddings():
    e = nn.Embedding(5, 3, padding_idx=-1)
    e.weight.set_value(np.arange(15).reshape(5, 3).astype("float32"))
    ids = paddle.to_tensor([[0, 4], [2, 2]])
    y = e(ids)
    y.sum().backward()
    return each(
        lambda: y,
        lambda: e.weight.grad,
        lambda: e(paddle.to_tensor(3)),
        lambda: e._padding_idx,
        lambda: raised(e, paddle.to_tensor([9])) != "no error",
        lambda: raised(nn.Embedding, -1, 3) != "no error",
        lambda: raised(nn.Embedding, 5, 3, padding_idx=7) != "no error",
        lambda: nn.Embedding(5, 3, sparse=True)(ids).shape,
        lambda: F.embedding(ids, e.weight, padding_idx=2),
        lambda: F.one_hot(ids, 5).sum(),
    )


@scenario
def padding_forms():
    x = paddle.to_tensor(np.arange(6).reshape(1, 1, 2, 3).astype("float32"))
    v = paddle.to_tensor(np.arange(8).reshape(1, 1, 2, 2, 2).astype("float32"))
    return each(
        lambda: F.pad(x, [1, 1, 0, 1]),
        lambda: F.pad(x, [1, 0, 1, 0], mode="reflect"),
        lambda: F.pad(x, [1, 0, 1, 0], mode="replicate"),
        lambda: F.pad(x, [1, 2, 1, 0], mode="circular"),
        lambda: F.pad(x, [0, 0, 0, 0, 1, 0, 0, 2], value=5.0),
        lambda: F.pad(x, [1, 1], data_format="NCL"),
        lambda: F.pad(x, [1, 0, 0, 1], data_format="NHWC"),
        lambda: F.pad(v, [1, 0, 0, 1, 1, 0]).shape,
        lambda: F.pad(x, paddle.to_tensor([1, 0, 0, 0])),
        lambda: nn.Pad2D(1)(x),
        lambda: nn.ZeroPad2D([1, 0, 0, 1])(x),
        lambda: nn.Pad1D(1, mode="reflect")(x[0]),
        lambda: nn.Pad3D(1)(v).shape,
        lambda: F.zeropad2d(x, [1, 0, 0, 0]),
        lambda: raised(F.pad, x, [5, 5, 0, 0], mode="reflect") != "no error",
        lambda: F.pad(x[0, 0], [1, 1, 0, 0]),
    )


@scenario
def normalizations():
    x = paddle.to_tensor(np.linspace(-2, 3, 24).reshape(2, 3, 4).astype("float32"))
    w, b = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.to_tensor([0.5, 0.0, -0.5])
    return each(
        lambda: F.layer_norm(x, 4),
        lambda: F.layer_norm(x, [3, 4]),
        lambda: F.layer_norm(x, x.shape[1:], epsilon=0.1),
        lambda: F.instance_norm(x),
        lambda: F.instance_norm(x, weight=w, bias=b),
        lambda: F.batch_norm(x, paddle.zeros([3]), paddle.ones([3]), w, b),
        lambda: F.batch_norm(x, paddle.zeros([3]), paddle.ones([3]), training=True),
        lambda: F.batch_norm(x, paddle.zeros([4]), paddle.ones([4]), data_format="NLC"),
        lambda: F.local_response_norm(x, 3),
        lambda: F.normalize(x, axis=2),
        lambda: F.normalize(x, 1, 1),
        lambda: raised(F.layer_norm, x, 3) != "no error",
        lambda: raised(F.layer_norm, x, [9]) != "no error",
    )


@scenario
def interpolations():
    x = paddle.to_tensor(np.arange(16).reshape(1, 1, 4, 4).astype("float32"))
    s = x[:, :, 0]
    return each(
        lambda: F.interpolate(x, [2, 2]),
        lambda: F.interpolate(x, scale_factor=2, mode="nearest")[0, 0, 0],
        lambda: F.interpolate(x, [3, 3], mode="bilinear"),
        lambda: F.interpolate(x, [3, 3], mode="bilinear", align_corners=True),
        lambda: F.interpolate(x, [6, 6], mode="bicubic")[0, 0, 1],
        lambda: F.interpolate(x, [2, 2], mode="area"),
        lambda: F.interpolate(s, [8], mode="linear", data_format="NCW"),
        lambda: F.interpolate(x, [5, 3], mode="bilinear", align_mode=1),
        lambda: F.interpolate(x, scale_factor=[0.5, 1.5], mode="bilinear"),
        lambda: F.interpolate(x, paddle.to_tensor([2, 3])),
        lambda: F.upsample(x, [2, 2]),
        lambda: nn.Upsample(scale_factor=2)(x).shape,
        lambda: nn.UpsamplingBilinear2D([2, 2])(x),
        lambda: F.interpolate(x, [2, 2], data_format="NHWC", mode="bilinear").shape,
        lambda: raised(F.interpolate, x) != "no error",
        lambda: raised(F.interpolate, x, [2, 2], 2) != "no error",
        lambda: raised(F.interpolate, x, [2, 2], mode="nothing") != "no error",
        lambda: raised(F.interpolate, x, [2], mode="linear") != "no error",
    )


@scenario
def losses_and_reductions():
    x, y = paddle.to_tensor(X), paddle.to_tensor(X[::-1].copy())
    lab, pos = paddle.to_tensor([0, 2]), F.softmax(paddle.to_tensor(X))
    found = {}
    for r in ("none", "mean", "sum"):
        found[r] = each(
            lambda: F.mse_loss(x, y, r),
            lambda: F.l1_loss(x, y, r),
            lambda: F.smooth_l1_loss(x, y, r, 0.5),
            lambda: F.kl_div(F.log_softmax(x), pos, r),
            lambda: F.nll_loss(F.log_softmax(x), lab, reduction=r),
            lambda: F.binary_cross_entropy(pos, pos, reduction=r),
            lambda: F.binary_cross_entropy_with_logits(x, pos, reduction=r),
            lambda: F.cross_entropy(x, lab, reduction=r),
            lambda: F.margin_ranking_loss(x, y, paddle.sign(y), 0.1, r),
            lambda: F.hinge_embedding_loss(x, paddle.sign(y), 1.0, r),
            lambda: F.cosine_embedding_loss(x, y, paddle.to_tensor([1, -1]), 0.1, r),
            lambda: F.triplet_margin_loss(x, y, y * 2, reduction=r),
            lambda: F.soft_margin_loss(x, paddle.sign(y), r),
            lambda: F.multi_label_soft_margin_loss(x, (y > 0).astype("float32"), reduction=r),
            lambda: F.poisson_nll_loss(x, pos, reduction=r),
            lambda: F.multi_margin_loss(x, lab, reduction=r),
            lambda: F.sigmoid_focal_loss(x, (y > 0).astype("float32"), reduction=r),
            lambda: F.gaussian_nll_loss(x, y, pos, reduction=r),
            lambda: F.npair_loss(x, y, lab),
            lambda: F.dice_loss(pos.reshape([2, 1, 3]), lab.reshape([2, 1, 1])),
            lambda: raised(F.mse_loss, x, y, "nothing") != "no error",
            lambda: F.pairwise_distance(x, y),
            lambda: F.cross_entropy(x, lab, ignore_index=2, reduction=r),
            lambda: F.cross_entropy(x, lab, weight=paddle.to_tensor([1.0, 2.0, 3.0]), reduction=r),
            lambda: F.cross_entropy(x, pos, soft_label=True, reduction=r),
            lambda: F.cross_entropy(x, lab, label_smoothing=0.1, reduction=r),
            lambda: F.ctc_loss(
                paddle.log(F.softmax(paddle.ones([4, 1, 3]))),
                paddle.to_tensor([[1, 2]], "int32"),
                paddle.to_tensor([4]),
                paddle.to_tensor([2]),
                reduction=r,
            ),
        )
    return found


@scenario
def spectral_and_weight_norm():
    l = fill(nn.Linear(3, 2))
    nn.utils.weight_norm(l, dim=1)
    a = l(T)
    names = sorted(k for k, _ in l.named_parameters())
    nn.utils.remove_weight_norm(l)
    return each(
        lambda: a,
        lambda: names,
        lambda: sorted(k for k, _ in l.named_parameters()),
        lambda: l(T),
        lambda: raised(nn.utils.remove_weight_norm, l) != "no error",
        lambda: raised(nn.utils.weight_norm, l, "nothing") != "no error",
    )


@scenario
def utilities_on_parameters():
    n = fill(nn.Linear(3, 2))
    v = nn.utils.parameters_to_vector(n.parameters())
    nn.utils.vector_to_parameters(v * 2, n.parameters())
    n(T).square().mean().backward()
    norm = nn.utils.clip_grad_norm_(n.parameters(), 0.5)
    a = [p.grad.clone() for p in n.parameters()]
    nn.utils.clip_grad_value_(n.parameters(), 0.01)
    return v, norm, a, [p.grad for p in n.parameters()], n.weight


@scenario
def recurrent_layers():
    x = paddle.to_tensor(np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("float32"))
    found = {}
    for name in ("SimpleRNN", "LSTM", "GRU"):
        for options in ({}, {"num_layers": 2}, {"direction": "bidirect"}, {"time_major": True}):
            r = fill(getattr(nn, name)(3, 2, **options))
            y, s = r(x)
            found[f"{name} {options}"] = [
                y.shape,
                y.mean(),
                [t.shape for t in s] if isinstance(s, (tuple, list)) else s.shape,
            ]
        cell = fill(getattr(nn, name + "Cell")(3, 2))
        found[name + " cell"] = cell(x[:, 0])
    r = fill(nn.GRU(3, 2))
    return (
        found,
        r(x, None, paddle.to_tensor([4, 2])),
        fill(nn.RNN(nn.GRUCell(3, 2), is_reverse=True))(x)[0],
        raised(nn.LSTM(3, 2), paddle.ones([2, 4, 5])) != "no error",
    )


@scenario
def transformers():
    x = paddle.to_tensor(np.linspace(-1, 1, 24).reshape(2, 3, 4).astype("float32"))
    mask = paddle.to_tensor(np.tril(np.ones((3, 3))) > 0)
    a = fill(nn.MultiHeadAttention(4, 2))
    enc = fill(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0))
    dec = fill(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0))
    full = fill(nn.Transformer(4, 2, 1, 1, 8, dropout=0.0))
    cache = attempt(lambda: a.gen_cache(x, x, nn.MultiHeadAttention.StaticCache))
    return each(
        lambda: a(x),
        lambda: a(x, x, x, mask),
        lambda: a(x, attn_mask=(mask.astype("float32") - 1) * 1e9),
        lambda: enc(x),
        lambda: enc(x, mask),
        lambda: dec(x, x),
        lambda: full(x, x).shape,
        lambda: nn.Transformer.generate_square_subsequent_mask(full, 3),
        lambda: a(x, x, x, None, cache)[0],
        lambda: raised(nn.MultiHeadAttention, 5, 2) != "no error",
        lambda: fill(nn.MultiHeadAttention(4, 2, kdim=3, vdim=5))(
            x, paddle.ones([2, 3, 3]), paddle.ones([2, 3, 5])
        ),
        lambda: nn.MultiHeadAttention(4, 2, need_weights=True)(x)[1].shape,
        lambda: F.scaled_dot_product_attention(
            x.reshape([2, 3, 2, 2]),
            x.reshape([2, 3, 2, 2]),
            x.reshape([2, 3, 2, 2]),
            is_causal=True,
        ),
    )
