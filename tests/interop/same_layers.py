"""Layers and functions of neural networks for same_code.py; images are in `same_pictures.py`."""

import numpy as np
from same_code import Called, data, fill, flat, recordable

X3, X4, X5 = data(2, 4, 8), data(2, 4, 6, 7), data(1, 2, 4, 5, 6)


def several_case(make, *inputs, train=False, call=lambda layer, *tensors: layer(*tensors)):
    """All outputs of a layer and the gradients of their weighted sum."""

    def run(P):
        layer = fill(make(P))
        layer.train() if train else layer.eval()
        tensors = [P.to_tensor(x, stop_gradient=x.dtype.kind != "f") for x in inputs]
        outs = flat(call(layer, *tensors))
        total = sum(
            (o * P.to_tensor(data(*o.shape, seed=i))).sum()
            for i, o in enumerate(outs)
            if "float" in str(o.dtype)
        )
        total.backward()
        found = {f"out{i}": o.numpy() for i, o in enumerate(outs)}
        found.update(
            {f"input{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None}
        )
        found.update(
            {f"grad {n}": p.grad.numpy() for n, p in layer.named_parameters() if p.grad is not None}
        )
        return found | {f"has {n}": np.array(t.shape) for n, t in layer.state_dict().items()}

    return recordable(run, lambda P: Called(P, lambda: fill(make(P)), call), inputs)


def function_case(function, *inputs):
    """The results of a function of nn.functional and the gradients of their weighted sum."""

    def run(P):
        tensors = [P.to_tensor(x, stop_gradient=x.dtype.kind != "f") for x in inputs]
        outs = flat(function(P.nn.functional, *tensors))
        sum((o * P.to_tensor(data(*o.shape, seed=i))).sum() for i, o in enumerate(outs)).backward()
        found = {f"out{i}": o.numpy() for i, o in enumerate(outs)}
        return found | {
            f"input{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None
        }

    return recordable(
        run,
        lambda P: Called(P, lambda: None, lambda _, *xs: function(P.nn.functional, *xs)),
        inputs,
    )


SEQUENCE, LENGTHS = data(3, 5, 4), np.array([5, 2, 3])
recurrent = {
    "lstm": several_case(lambda P: P.nn.LSTM(4, 6), SEQUENCE, train=True),
    "lstm_deep": several_case(lambda P: P.nn.LSTM(4, 6, 2, "bidirect"), SEQUENCE, train=True),
    "gru": several_case(lambda P: P.nn.GRU(4, 6, 2), SEQUENCE, train=True),
    "gru_time_major": several_case(
        lambda P: P.nn.GRU(4, 6, direction="bidirectional", time_major=True), SEQUENCE, train=True
    ),
    "simple": several_case(lambda P: P.nn.SimpleRNN(4, 6, 2), SEQUENCE, train=True),
    "simple_relu": several_case(
        lambda P: P.nn.SimpleRNN(4, 6, activation="relu"), SEQUENCE, train=True
    ),
    "lstm_states": several_case(
        lambda P: P.nn.LSTM(4, 6),
        SEQUENCE,
        data(1, 3, 6),
        data(1, 3, 6, seed=1),
        call=lambda net, x, h, c: net(x, (h.detach(), c.detach())),
        train=True,
    ),
    "lstm_cell": several_case(lambda P: P.nn.LSTMCell(4, 6), SEQUENCE[0]),
    "gru_cell": several_case(lambda P: P.nn.GRUCell(4, 6), SEQUENCE[0], data(5, 6)),
    "simple_cell": several_case(lambda P: P.nn.SimpleRNNCell(4, 6, "relu"), SEQUENCE[0]),
    "rnn_of_cell": several_case(
        lambda P: P.nn.RNN(P.nn.GRUCell(4, 6), is_reverse=True),
        SEQUENCE,
        LENGTHS,
        call=lambda net, x, n: net(x, None, n),
    ),
    "birnn": several_case(lambda P: P.nn.BiRNN(P.nn.LSTMCell(4, 6), P.nn.LSTMCell(4, 6)), SEQUENCE),
    "birnn_lengths": several_case(
        lambda P: P.nn.BiRNN(P.nn.GRUCell(4, 6), P.nn.GRUCell(4, 6)),
        SEQUENCE,
        LENGTHS,
        call=lambda net, x, n: net(x, None, n),
    ),
}


def rnn_lengths(P):
    """Results of a network with sequence lengths; real Paddle's gradients are wrong there."""
    net = fill(P.nn.LSTM(4, 6, 2, "bidirect"))
    net.eval()
    return {
        f"out{i}": o.numpy()
        for i, o in enumerate(flat(net(P.to_tensor(SEQUENCE), None, P.to_tensor(LENGTHS))))
    }


A3, B3, C3 = data(4, 6), data(4, 6, seed=1), data(4, 6, seed=2)
SIGNS, PICK = np.array([1, -1, 1, -1], "float32"), np.array([0, 3, 5, 1])
SIGNS2 = np.tile(SIGNS[:, None], (1, 6))
YES = (SIGNS2 > 0).astype("float32")
pairs = {
    "log_loss": function_case(
        lambda F, x: F.log_loss(F.sigmoid(x), F.sigmoid(x).detach()), data(4, 1)
    ),
    "margin_ranking": function_case(
        lambda F, x, y: F.margin_ranking_loss(x, y, x.sign().detach(), 0.3), A3, B3
    ),
    "hinge": function_case(lambda F, x, y: F.hinge_embedding_loss(x, y.detach()), A3, SIGNS2),
    "cosine": function_case(
        lambda F, x, y, sign: F.cosine_embedding_loss(x, y, sign.detach(), 0.1), A3, B3, SIGNS
    ),
    "soft_margin": function_case(
        lambda F, x, y: F.soft_margin_loss(x, y.detach(), "none"), A3, SIGNS2
    ),
    "multi_label": function_case(
        lambda F, x, y, w: F.multi_label_soft_margin_loss(x, y.detach(), w.detach()),
        A3,
        YES,
        np.abs(A3[0]),
    ),
    "multi_margin": function_case(lambda F, x, y: F.multi_margin_loss(x, y, 2, 0.7), A3, PICK),
    "multi_margin_weight": function_case(
        lambda F, x, y, w: F.multi_margin_loss(x, y, weight=w.detach(), reduction="none"),
        A3,
        PICK,
        np.abs(A3[0]),
    ),
    "triplet": function_case(
        lambda F, x, y, z: F.triplet_margin_loss(x, y, z, swap=True), A3, B3, C3
    ),
    "triplet_p": function_case(
        lambda F, x, y, z: F.triplet_margin_loss(x, y, z, 3.0, 1.5, reduction="sum"), A3, B3, C3
    ),
    "triplet_distance": function_case(
        lambda F, x, y, z: F.triplet_margin_with_distance_loss(
            x, y, z, lambda a, b: ((a - b) ** 2).sum(-1)
        ),
        A3,
        B3,
        C3,
    ),
    "gaussian": function_case(
        lambda F, x, y, v: F.gaussian_nll_loss(x, y, v.detach(), full=True), A3, B3, np.abs(C3)
    ),
    "gaussian_one": function_case(
        lambda F, x, y, v: F.gaussian_nll_loss(x, y, v.detach(), reduction="sum"),
        A3,
        B3,
        np.abs(C3[:, 0]),
    ),
    "poisson": function_case(
        lambda F, x, y: F.poisson_nll_loss(x, y.detach(), full=True), A3, np.abs(B3) * 3
    ),
    "poisson_plain": function_case(
        lambda F, x, y: F.poisson_nll_loss(x, y.detach(), False, reduction="none"),
        np.abs(A3),
        np.abs(B3),
    ),
    "focal": function_case(lambda F, x, y: F.sigmoid_focal_loss(x, y.detach()), A3, YES),
    "dice": function_case(
        lambda F, x, y: F.dice_loss(F.softmax(x), y),
        data(2, 3, 4),
        np.array([[[0], [3], [1]], [[2], [2], [1]]]),
    ),
    "npair": function_case(
        lambda F, x, y, k: F.npair_loss(x, y, k.detach()), A3, B3, np.array([1, 2, 1, 0], "float32")
    ),
    "ctc": function_case(
        lambda F, x, y, n, m: F.ctc_loss(x, y, n, m),
        data(6, 2, 5),
        np.array([[1, 2, 2], [4, 0, 0]], "int32"),
        np.array([6, 5]),
        np.array([3, 1]),
    ),
    "ctc_sum": function_case(
        lambda F, x, y, n, m: F.ctc_loss(x, y, n, m, reduction="sum", norm_by_times=True),
        data(6, 2, 5),
        np.array([[1, 2, 2], [4, 0, 0]], "int32"),
        np.array([6, 5]),
        np.array([3, 1]),
    ),
    "hsigmoid": several_case(lambda P: P.nn.HSigmoidLoss(6, 9), A3, PICK[:, None]),
    "layer_triplet": several_case(lambda P: P.nn.TripletMarginLoss(margin=2.0), A3, B3, C3),
    "layer_ranking": several_case(lambda P: P.nn.MarginRankingLoss(0.2, "none"), A3, B3, C3),
}
REGIONS, OWNERS = np.abs(data(3, 4)) * 2, np.array([2, 1], "int32")
REGIONS[:, 2:] += REGIONS[:, :2]
MAPS = data(2, 4, 6, 7)
FEW = {"score_threshold": 0.1, "nms_top_k": 6, "keep_top_k": 5}


def vision_case(function, *inputs):
    """The results of a function of vision.ops."""

    def run(P):
        outs = flat(function(P.vision.ops, P, *[P.to_tensor(x) for x in inputs]))
        return {f"out{i}": o.numpy() for i, o in enumerate(outs) if o is not None}

    return run


detection = {
    "roi_align": vision_case(
        lambda V, P, x, b, n: V.roi_align(x, b, n, 3, 0.8), MAPS, REGIONS, OWNERS
    ),
    "roi_align_layer": vision_case(
        lambda V, P, x, b, n: V.RoIAlign((2, 3))(x, b, n), MAPS, REGIONS, OWNERS
    ),
    "roi_pool": vision_case(lambda V, P, x, b, n: V.RoIPool(2)(x, b, n), MAPS, REGIONS, OWNERS),
    "psroi_pool": vision_case(
        lambda V, P, x, b, n: V.PSRoIPool(2)(x, b, n), data(2, 8, 6, 7), REGIONS, OWNERS
    ),
    "nms": vision_case(lambda V, P, b: V.nms(b, 0.3), REGIONS),
    "nms_scores": vision_case(
        lambda V, P, b, s: V.nms(b, 0.3, s), REGIONS, np.array([0.2, 0.9, 0.5], "float32")
    ),
    "nms_classes": vision_case(
        lambda V, P, b, s, c: V.nms(b, 0.3, s, c, [0, 1], 2),
        REGIONS,
        np.array([0.2, 0.9, 0.5], "float32"),
        np.array([0, 1, 0]),
    ),
    "matrix_nms": vision_case(
        lambda V, P, b, s: V.matrix_nms(b, s, 0.1, 0.1, 6, 5, return_index=True),
        np.stack([REGIONS, REGIONS + 1]),
        np.abs(data(2, 3, 3)) / 2,
    ),
    "prior_box": vision_case(
        lambda V, P, x, i: V.prior_box(x, i, [4.0], [9.0], [2.0], flip=True, clip=True),
        MAPS,
        data(2, 3, 30, 35),
    ),
    "box_coder": vision_case(
        lambda V, P, a, b: V.box_coder(a, [0.1, 0.1, 0.2, 0.2], b), REGIONS, REGIONS + 0.5
    ),
    "yolo_box": vision_case(
        lambda V, P, x, s: V.yolo_box(x, s, [10, 13, 16, 30], 2, 0.3, 16),
        data(2, 14, 3, 4),
        np.array([[60, 80], [50, 40]], "int32"),
    ),
    "distribute": vision_case(
        lambda V, P, b, n: V.distribute_fpn_proposals(b, 2, 4, 3, 2, rois_num=n), REGIONS, OWNERS
    ),
    "deform": several_case(
        lambda P: P.vision.ops.DeformConv2D(4, 3, 3, padding=1),
        MAPS,
        data(2, 18, 6, 7) * 0.5,
        np.abs(data(2, 9, 6, 7)),
    ),
    "deform_v1": several_case(
        lambda P: P.vision.ops.DeformConv2D(4, 3, 3, padding=1), MAPS, data(2, 18, 6, 7) * 0.5
    ),
    "conv_norm": several_case(lambda P: P.vision.ops.ConvNormActivation(4, 3, 3), MAPS),
}
ROWS4, EDGES = data(4, 3), (np.array([0, 1, 2, 0]), np.array([1, 2, 1, 0]))


def graph_case(function):
    def run(P):
        x = P.to_tensor(ROWS4, stop_gradient=False)
        out = function(P.geometric, x, *map(P.to_tensor, EDGES))
        (out * P.to_tensor(data(*out.shape, seed=3))).sum().backward()
        return {"out": out.numpy(), "grad": x.grad.numpy()}

    return run


graphs = {
    **{
        f"segment_{w}": graph_case(lambda G, x, s, d, w=w: getattr(G, f"segment_{w}")(x, d.sort()))
        for w in ("sum", "mean", "max", "min")
    },
    **{
        f"send_{w}": graph_case(lambda G, x, s, d, w=w: G.send_u_recv(x, s, d, w))
        for w in ("sum", "mean", "max", "min")
    },
    "send_size": graph_case(lambda G, x, s, d: G.send_u_recv(x, s, d, "sum", 3)),
    "send_ue": graph_case(lambda G, x, s, d: G.send_ue_recv(x, x, s, d, "mul", "sum")),
    "send_ue_size": graph_case(lambda G, x, s, d: G.send_ue_recv(x, x, s, d, "add", "sum", 0)),
    "send_uv": graph_case(lambda G, x, s, d: G.send_uv(x, x, s, d, "add")),
}


def viterbi(P):
    decoder = P.text.ViterbiDecoder(P.to_tensor(data(5, 5)), False)
    scores, path = decoder(P.to_tensor(data(2, 4, 5)), P.to_tensor(np.array([4, 2])))
    return {"scores": scores.numpy(), "path": path.numpy()}


def beams(P, **settings):
    """Beam search over a cell whose outputs are projected to five tokens."""
    cell, table, out = fill(P.nn.GRUCell(4, 6)), fill(P.nn.Embedding(5, 4)), fill(P.nn.Linear(6, 5))
    decoder = P.nn.BeamSearchDecoder(
        cell, 0, 1, 3, embedding_fn=table, output_fn=lambda x: out(x) * 3
    )
    found, states, lengths = P.nn.dynamic_decode(
        decoder, P.to_tensor(data(2, 6)), 6, return_length=True, **settings
    )
    return {
        "ids": found.numpy(),
        "log_probs": states.log_probs.numpy(),
        "lengths": lengths.numpy(),
        "states": states.cell_states.numpy(),
    }


def global_start(P):
    """Parameters are initialized by set_global_initializer."""
    init = P.nn.initializer
    init.set_global_initializer(init.Constant(2.0), init.Constant(3.0))
    layers = (
        P.nn.Conv2D(1, 1, 1),
        P.nn.BatchNorm2D(1),
        P.nn.Linear(2, 2, weight_attr=P.ParamAttr(initializer=init.Constant(5.0))),
    )
    init.set_global_initializer(None)
    plain = P.nn.BatchNorm2D(1)
    return {
        f"{i} {n}": p.numpy()
        for i, layer in enumerate((*layers, plain))
        for n, p in layer.named_parameters()
    }


def starts(P):
    """Dirac filters, and properties of orthogonal ones."""
    init = P.nn.initializer
    made = lambda shape, start: (
        P.nn.Layer().create_parameter(shape, default_initializer=start).numpy()
    )
    wide = made([3, 2, 4], init.Orthogonal(2.0)).reshape(3, -1)
    return {
        "dirac": made([4, 2, 3, 3], init.Dirac()),
        "groups": made([4, 2, 3], init.Dirac(2)),
        "orthogonal": (wide @ wide.T).round(4) + 0.0,
    }


def reparameterized(dim, make=lambda P: P.nn.Conv2D(4, 3, 3)):
    """weight_norm: outputs, gradients, and the weight after its removal."""

    def run(P):
        layer = P.nn.utils.weight_norm(make(P), dim=dim)
        fill(layer)
        out = layer(P.to_tensor(X4))
        (out * P.to_tensor(data(*out.shape))).sum().backward()
        found = {"out": out.numpy()} | {
            f"grad {n}": p.grad.numpy() for n, p in layer.named_parameters()
        }
        P.nn.utils.remove_weight_norm(layer)
        return found | {n: p.numpy() for n, p in layer.named_parameters()}

    return run


def spectrally(make, x):
    """A weight over its largest singular value, in training and after."""

    def run(P):
        layer = fill(P.nn.utils.spectral_norm(make(P), n_power_iterations=2))
        found = {"train": layer(P.to_tensor(x)).numpy()}
        layer.eval()
        out = layer(P.to_tensor(x))
        (out * P.to_tensor(data(*out.shape))).sum().backward()
        grads = {
            f"grad {n}": p.grad.numpy() for n, p in layer.named_parameters() if p.grad is not None
        }
        return (
            found
            | {"eval": out.numpy()}
            | grads
            | {n: t.numpy() for n, t in layer.state_dict().items()}
        )

    return run


def bounded(limit):
    """Gradients after clipping, and the returned norm."""

    def run(P):
        layer = fill(P.nn.Linear(6, 3))
        layer(P.to_tensor(A3)).square().sum().backward()
        said = limit(P, layer.parameters())
        found = {n: p.grad.numpy() for n, p in layer.named_parameters()}
        return found | ({} if said is None else {"norm": said.numpy()})

    return run


def vectors(P):
    """Parameters as a vector, and back."""
    layer = fill(P.nn.Linear(6, 3))
    vector = P.nn.utils.parameters_to_vector(layer.parameters())
    P.nn.utils.vector_to_parameters(vector * 2 + 1, layer.parameters())
    return {"vector": vector.numpy()} | {n: p.numpy() for n, p in layer.named_parameters()}


def synchronized(P):
    """Which layers convert_sync_batchnorm makes."""
    net = P.nn.Sequential(P.nn.Conv2D(4, 4, 1), P.nn.Sequential(P.nn.BatchNorm2D(4)))
    made = P.nn.SyncBatchNorm.convert_sync_batchnorm(net)
    return {"text": np.array(repr(made)), "names": np.array(list(made.state_dict()))}


utils = {
    **{f"weight_norm_{dim}": reparameterized(dim) for dim in (0, 1, 3, -1)},
    "spectral_norm": spectrally(lambda P: P.nn.Conv2D(4, 3, 3), X4),
    "spectral_norm_linear": spectrally(lambda P: P.nn.Linear(6, 3), A3),
    **{
        f"clip_norm_{kind}": bounded(
            lambda P, ps, kind=kind: P.nn.utils.clip_grad_norm_(ps, 0.5, kind)
        )
        for kind in (1.0, 2.0, float("inf"))
    },
    "clip_norm_far": bounded(lambda P, ps: P.nn.utils.clip_grad_norm_(ps, 1e6)),
    "clip_value": bounded(lambda P, ps: P.nn.utils.clip_grad_value_(ps, 0.5)),
    "vectors": vectors,
    "synchronized": synchronized,
}
MASK = np.array([[[[True, False, True]]]])
attention = {
    "decoder_layer": several_case(
        lambda P: P.nn.TransformerDecoderLayer(8, 2, 16, 0.0), data(2, 4, 8), data(2, 3, 8, seed=1)
    ),
    "decoder": several_case(
        lambda P: P.nn.TransformerDecoder(
            P.nn.TransformerDecoderLayer(8, 2, 16, 0.0, normalize_before=True), 2, P.nn.LayerNorm(8)
        ),
        data(2, 4, 8),
        data(2, 3, 8, seed=1),
    ),
    "transformer": several_case(
        lambda P: P.nn.Transformer(8, 2, 1, 2, 16, 0.0, "gelu"),
        data(2, 3, 8),
        data(2, 4, 8, seed=1),
        call=lambda net, x, y: net(x, y, None, net.generate_square_subsequent_mask(4)),
    ),
    "need_weights": several_case(
        lambda P: P.nn.MultiHeadAttention(8, 2, need_weights=True),
        data(2, 3, 8),
        MASK,
        call=lambda net, x, m: net(x, x, x, m),
    ),
    "cache": several_case(
        lambda P: P.nn.MultiHeadAttention(8, 2),
        data(2, 3, 8),
        call=lambda net, x: net(
            x, x, x, None, net(x[:, :1], None, None, None, net.gen_cache(x))[1]
        ),
    ),
    "static_cache": several_case(
        lambda P: P.nn.MultiHeadAttention(8, 2),
        data(2, 3, 8),
        call=lambda net, x: net(x, x, x, None, net.gen_cache(x, x, net.StaticCache))[0],
    ),
    "decoder_cache": several_case(
        lambda P: P.nn.TransformerDecoder(P.nn.TransformerDecoderLayer(8, 2, 16, 0.0), 2),
        data(2, 1, 8),
        data(2, 3, 8, seed=1),
        call=lambda net, x, m: net(x, m, cache=net.gen_cache(m)),
    ),
    "encoder_cache": several_case(
        lambda P: P.nn.TransformerEncoder(P.nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2),
        data(2, 2, 8),
        call=lambda net, x: net(x, cache=net.gen_cache(x)),
    ),
    "sequence_mask": lambda P: {
        "out": P.nn.functional.sequence_mask(P.to_tensor(LENGTHS), 6, "float32").numpy(),
        "open": P.nn.functional.sequence_mask(P.to_tensor(LENGTHS)).numpy(),
    },
    "gather_tree": lambda P: {
        "out": P.nn.functional.gather_tree(
            P.to_tensor(np.array([[[2, 2]], [[6, 1]], [[7, 8]]])),
            P.to_tensor(np.array([[[0, 0]], [[1, 1]], [[0, 1]]])),
        ).numpy()
    },
}
CASES = {
    **{f"pair.{k}": v for k, v in pairs.items()},
    **{f"attention.{k}": v for k, v in attention.items()},
    **{f"detection.{k}": v for k, v in detection.items()},
    **{f"graph.{k}": v for k, v in graphs.items()},
    "text.viterbi": viterbi,
    **{f"utils.{k}": v for k, v in utils.items()},
    "tensor.logit": lambda P: {
        "out": P.logit(P.to_tensor(YES * 0.9 + 0.05), 0.1).numpy(),
        "plain": P.to_tensor(YES * 0.5 + 0.2).logit().numpy(),
    },
    "tensor.stanh": lambda P: {"out": P.stanh(P.to_tensor(A3), 0.5, 2.0).numpy()},
    "tensor.shard_index": lambda P: {
        "out": P.shard_index(P.to_tensor(PICK[:, None]), 8, 2, 1).numpy()
    },
    "beams": beams,
    "beams_time_major": lambda P: beams(P, output_time_major=True),
    "global_initializer": global_start,
    "initializers": starts,
    **{f"recurrent.{k}": v for k, v in recurrent.items()},
    "recurrent.lengths": rnn_lengths,
}
