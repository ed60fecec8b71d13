"""Each row is a layer and its inputs: results, gradients, and whether `to_static` and a saved file
agree with them.
"""

# ruff: noqa - one row a layer

import tempfile

import numpy as np

from ..table import attempt, describe, fill, paddle, register

nn = paddle.nn


def numbers(*shape):
    """Numbers of both signs."""
    return np.sin(np.arange(int(np.prod(shape))) * 1.3 + 0.2).reshape(shape).astype("float32")


def close(a, b):
    flat = lambda v: [t for i in v for t in flat(i)] if isinstance(v, (list, tuple)) else [v]
    a, b = flat(a), flat(b)
    return len(a) == len(b) and all(
        x.shape == y.shape and np.allclose(x.numpy(), y.numpy(), 1e-4, 1e-5) for x, y in zip(a, b)
    )


def judged(make, arrays, train):
    layer = fill(make())
    layer.train() if train else layer.eval()
    inputs = [paddle.to_tensor(a, stop_gradient=a.dtype.kind != "f") for a in arrays]
    result = layer(*inputs)
    first = result[0] if isinstance(result, (list, tuple)) else result
    (first * first).sum().backward()
    gradients = [t.grad for t in inputs] + [
        round(float(p.grad.abs().sum()), 3) if p.grad is not None else None
        for p in layer.parameters()
    ]
    found = [describe(result), describe(gradients)]
    if not train:
        specs = [
            paddle.static.InputSpec([None, *a.shape[1:]], str(a.dtype), f"x{i}")
            for i, a in enumerate(arrays)
        ]
        static = paddle.jit.to_static(layer, input_spec=specs, full_graph=True)
        found.append(close(static(*inputs), result))
        with tempfile.TemporaryDirectory() as folder:
            paddle.jit.save(static, folder + "/m")
            found.append(close(paddle.jit.load(folder + "/m")(*inputs), result))
    return found


def rows(name, *inputs, train=False, **layers):
    """Register a program: the layers on the same inputs."""

    def run(_):
        return {
            n: describe(attempt(lambda make=make: judged(make, inputs, train)))
            for n, make in layers.items()
        }

    run.__name__ = name
    register(run, run, once=True)


# fmt: off
X2, X3, X4, X5 = numbers(2, 6), numbers(2, 4, 5), numbers(1, 4, 5, 5), numbers(1, 2, 3, 4, 4)
IDS = np.array([[0, 3, 2]])

rows("linear", X2, plain=lambda: nn.Linear(6, 3), no_bias=lambda: nn.Linear(6, 3, bias_attr=False), named=lambda: nn.Linear(6, 2, name="n"))
rows("linear_deep", X3, plain=lambda: nn.Linear(5, 2), one=lambda: nn.Linear(5, 1))
rows("bilinear", X2, X2, plain=lambda: nn.Bilinear(6, 6, 2), no_bias=lambda: nn.Bilinear(6, 6, 2, bias_attr=False))
rows("embedding", IDS, plain=lambda: nn.Embedding(5, 3), padded=lambda: nn.Embedding(5, 3, padding_idx=2),
    negative=lambda: nn.Embedding(5, 3, padding_idx=-2))
rows("conv1d", X3, plain=lambda: nn.Conv1D(4, 2, 3), stride=lambda: nn.Conv1D(4, 2, 3, stride=2, padding=1),
    dilation=lambda: nn.Conv1D(4, 2, 2, dilation=2), groups=lambda: nn.Conv1D(4, 4, 3, groups=2), same=lambda: nn.Conv1D(4, 2, 3, padding="SAME"),
        circular=lambda: nn.Conv1D(4, 2, 3, padding=1, padding_mode="circular"),
        reflect=lambda: nn.Conv1D(4, 2, 3, padding=2, padding_mode="reflect"), no_bias=lambda: nn.Conv1D(4, 2, 1, bias_attr=False))
rows("conv1d_last", numbers(2, 5, 4), plain=lambda: nn.Conv1D(4, 2, 3, data_format="NLC"),
    padded=lambda: nn.Conv1D(4, 2, 3, padding=[1, 2], data_format="NLC"))
rows("conv2d", X4, plain=lambda: nn.Conv2D(4, 2, 3), pair=lambda: nn.Conv2D(4, 2, [3, 2], stride=[1, 2], padding=[1, 0]),
    four=lambda: nn.Conv2D(4, 2, 3, padding=[1, 0, 2, 1]), valid=lambda: nn.Conv2D(4, 2, 3, padding="VALID"),
        same=lambda: nn.Conv2D(4, 2, 2, stride=2, padding="SAME"), depthwise=lambda: nn.Conv2D(4, 8, 3, groups=4),
        dilation=lambda: nn.Conv2D(4, 2, 2, dilation=(2, 1)), replicate=lambda: nn.Conv2D(4, 2, 3, padding=1, padding_mode="replicate"),
        circular=lambda: nn.Conv2D(4, 2, 3, padding=(1, 2), padding_mode="circular"),
        reflect=lambda: nn.Conv2D(4, 2, 3, padding=1, padding_mode="reflect"))
rows("conv2d_last", numbers(1, 5, 5, 2), plain=lambda: nn.Conv2D(2, 3, 3, data_format="NHWC"),
    groups=lambda: nn.Conv2D(2, 4, 3, groups=2, padding=1, data_format="NHWC"))
rows("conv3d", X5, plain=lambda: nn.Conv3D(2, 1, 2), stride=lambda: nn.Conv3D(2, 2, 2, stride=(1, 2, 2), padding=1),
    groups=lambda: nn.Conv3D(2, 2, 2, groups=2), same=lambda: nn.Conv3D(2, 1, 3, padding="SAME"))
rows("conv_transpose", X4, plain=lambda: nn.Conv2DTranspose(4, 2, 3),
    stride=lambda: nn.Conv2DTranspose(4, 2, 3, stride=2, padding=1, output_padding=1), groups=lambda: nn.Conv2DTranspose(4, 4, 2, groups=2),
        dilation=lambda: nn.Conv2DTranspose(4, 2, 2, dilation=2), same=lambda: nn.Conv2DTranspose(4, 2, 2, stride=2, padding="SAME"),
        no_bias=lambda: nn.Conv2DTranspose(4, 2, 2, bias_attr=False))
rows("conv1d_transpose", X3, plain=lambda: nn.Conv1DTranspose(4, 2, 3),
    stride=lambda: nn.Conv1DTranspose(4, 2, 3, stride=2, padding=1, output_padding=1), groups=lambda: nn.Conv1DTranspose(4, 2, 2, groups=2))
rows("conv3d_transpose", X5, plain=lambda: nn.Conv3DTranspose(2, 1, 2), stride=lambda: nn.Conv3DTranspose(2, 1, 2, stride=2))
rows("pool1d", X3, max=lambda: nn.MaxPool1D(2), max_pad=lambda: nn.MaxPool1D(3, 2, 1), ceil=lambda: nn.MaxPool1D(2, 2, ceil_mode=True),
    avg=lambda: nn.AvgPool1D(2), avg_pad=lambda: nn.AvgPool1D(3, 2, 1, exclusive=False), adaptive=lambda: nn.AdaptiveAvgPool1D(2),
        adaptive_max=lambda: nn.AdaptiveMaxPool1D(3), mask=lambda: nn.MaxPool1D(2, return_mask=True))
rows("pool2d", X4, max=lambda: nn.MaxPool2D(2), max_pair=lambda: nn.MaxPool2D([2, 3], [1, 2], [1, 0]), ceil=lambda: nn.MaxPool2D(2, ceil_mode=True),
    mask=lambda: nn.MaxPool2D(2, 2, return_mask=True), avg=lambda: nn.AvgPool2D(2, 1), inclusive=lambda: nn.AvgPool2D(3, 2, 1, exclusive=False),
        divisor=lambda: nn.AvgPool2D(2, divisor_override=3), same=lambda: nn.AvgPool2D(2, 2, "SAME"),
        adaptive=lambda: nn.AdaptiveAvgPool2D((2, None)), adaptive_max=lambda: nn.AdaptiveMaxPool2D(3), all=lambda: nn.AdaptiveAvgPool2D(1),
        avg_ceil=lambda: nn.AvgPool2D(2, 2, ceil_mode=True))
rows("pool3d", X5, max=lambda: nn.MaxPool3D(2), avg=lambda: nn.AvgPool3D(2, 1), pad=lambda: nn.MaxPool3D(3, 2, 1),
    adaptive=lambda: nn.AdaptiveAvgPool3D(2), adaptive_max=lambda: nn.AdaptiveMaxPool3D((1, 2, 2)))
rows("norms", X4, batch=lambda: nn.BatchNorm2D(4), plain=lambda: nn.BatchNorm2D(4, weight_attr=False, bias_attr=False),
    epsilon=lambda: nn.BatchNorm2D(4, epsilon=0.1), group=lambda: nn.GroupNorm(2, 4), group_one=lambda: nn.GroupNorm(1, 4, epsilon=0.01),
        instance=lambda: nn.InstanceNorm2D(4), layer=lambda: nn.LayerNorm([5, 5]), layer_all=lambda: nn.LayerNorm([4, 5, 5]),
        layer_no_bias=lambda: nn.LayerNorm(5, bias_attr=False), lrn=lambda: nn.LocalResponseNorm(3), sync=lambda: nn.SyncBatchNorm(4),
        global_=lambda: nn.BatchNorm2D(4, use_global_stats=True))
rows("norms_in_training", X4, train=True, batch=lambda: nn.BatchNorm2D(4, momentum=0.5), instance=lambda: nn.InstanceNorm2D(4),
    global_=lambda: nn.BatchNorm2D(4, use_global_stats=True), old=lambda: nn.BatchNorm(4), last=lambda: nn.BatchNorm2D(5, data_format="NHWC"))
rows("norms_1d", X2, batch=lambda: nn.BatchNorm1D(6), layer=lambda: nn.LayerNorm(6), layer_attr=lambda: nn.LayerNorm(6, 1e-3, weight_attr=False))
rows("norms_1d_long", X3, batch=lambda: nn.BatchNorm1D(4), last=lambda: nn.BatchNorm1D(5, data_format="NLC"), instance=lambda: nn.InstanceNorm1D(4),
    group=lambda: nn.GroupNorm(2, 4))
rows("norms_3d", X5, batch=lambda: nn.BatchNorm3D(2), instance=lambda: nn.InstanceNorm3D(2))
rows("activations", X3, **{n: (lambda n=n: getattr(nn, n)()) for n in "ReLU ReLU6 Sigmoid Tanh Softplus Softsign GELU ELU SELU CELU Silu Swish Mish Hardswish Hardsigmoid Hardtanh Hardshrink Softshrink Tanhshrink LeakyReLU LogSigmoid LogSoftmax Softmax ThresholdedReLU".split()})
rows("activations_with_parameters", X4, prelu=lambda: nn.PReLU(), prelu_channels=lambda: nn.PReLU(4, 0.1),
    prelu_last=lambda: nn.PReLU(5, data_format="NHWC"), elu=lambda: nn.ELU(0.4), leaky=lambda: nn.LeakyReLU(0.3), softmax=lambda: nn.Softmax(1),
        softmax2d=lambda: nn.Softmax2D(), maxout=lambda: nn.Maxout(2), glu=lambda: nn.GLU(1), hardtanh=lambda: nn.Hardtanh(-0.2, 0.4),
        softplus=lambda: nn.Softplus(2.0, 0.5), celu=lambda: nn.CELU(2.0), rrelu=lambda: nn.RReLU())
rows("shapes", X4, flatten=lambda: nn.Flatten(), flatten_two=lambda: nn.Flatten(2, -1), identity=lambda: nn.Identity(3),
    pad=lambda: nn.Pad2D([1, 0, 2, 1]), pad_reflect=lambda: nn.Pad2D(2, mode="reflect"), pad_value=lambda: nn.Pad2D(1, value=3.0),
        zero=lambda: nn.ZeroPad2D(1), shuffle=lambda: nn.PixelShuffle(2), channels=lambda: nn.ChannelShuffle(2), unfold=lambda: nn.Unfold(2, 2),
        upsample=lambda: nn.Upsample(scale_factor=2), upsample_size=lambda: nn.Upsample([3, 7], mode="bilinear"),
        nearest=lambda: nn.UpsamplingNearest2D([2, 2]), bilinear=lambda: nn.UpsamplingBilinear2D(scale_factor=2), dropout=lambda: nn.Dropout(0.5),
        dropout_down=lambda: nn.Dropout(0.5, mode="downscale_in_infer"), dropout2d=lambda: nn.Dropout2D(0.5), alpha=lambda: nn.AlphaDropout(0.5))
rows("unflatten_and_fold", numbers(1, 4, 4), fold=lambda: nn.Fold([3, 3], 2), unflatten=lambda: nn.Unflatten(1, [2, 2]))
rows("unshuffle", numbers(1, 1, 4, 4), plain=lambda: nn.PixelUnshuffle(2))
rows("distances", X2, numbers(2, 6)[:, ::-1].copy(), cosine=lambda: nn.CosineSimilarity(), cosine_axis=lambda: nn.CosineSimilarity(0),
    pairwise=lambda: nn.PairwiseDistance(), pairwise_keep=lambda: nn.PairwiseDistance(1.0, keepdim=True))
rows("losses", X2, np.abs(numbers(2, 6))[:, ::-1].copy(), mse=lambda: nn.MSELoss(), mse_none=lambda: nn.MSELoss("none"),
    l1=lambda: nn.L1Loss("sum"), smooth=lambda: nn.SmoothL1Loss(delta=0.5), bce=lambda: nn.BCEWithLogitsLoss(), kl=lambda: nn.KLDivLoss(),
        poisson=lambda: nn.PoissonNLLLoss(), multi=lambda: nn.MultiLabelSoftMarginLoss(), soft=lambda: nn.CrossEntropyLoss(soft_label=True))
rows("losses_of_classes", X2, np.array([1, 4]), cross=lambda: nn.CrossEntropyLoss(), none=lambda: nn.CrossEntropyLoss(reduction="none"),
    ignore=lambda: nn.CrossEntropyLoss(ignore_index=4), smooth=lambda: nn.CrossEntropyLoss(label_smoothing=0.1), nll=lambda: nn.NLLLoss(),
        margin=lambda: nn.MultiMarginLoss())
rows("recurrent", X3, rnn=lambda: nn.SimpleRNN(5, 3), relu=lambda: nn.SimpleRNN(5, 3, activation="relu"), lstm=lambda: nn.LSTM(5, 3),
    gru=lambda: nn.GRU(5, 3), two=lambda: nn.LSTM(5, 2, num_layers=2), both=lambda: nn.GRU(5, 2, direction="bidirect"),
        major=lambda: nn.LSTM(5, 2, time_major=True), both_two=lambda: nn.LSTM(5, 2, 2, "bidirectional"), cell=lambda: nn.RNN(nn.LSTMCell(5, 2)),
        back=lambda: nn.RNN(nn.GRUCell(5, 2), is_reverse=True), pair=lambda: nn.BiRNN(nn.GRUCell(5, 2), nn.GRUCell(5, 2)))
rows("cells", X2, rnn=lambda: nn.SimpleRNNCell(6, 3), lstm=lambda: nn.LSTMCell(6, 3), gru=lambda: nn.GRUCell(6, 3),
    relu=lambda: nn.SimpleRNNCell(6, 3, "relu"))
rows("attention", numbers(2, 3, 4), plain=lambda: nn.MultiHeadAttention(4, 2), no_bias=lambda: nn.MultiHeadAttention(4, 2, bias_attr=False),
    weights=lambda: nn.MultiHeadAttention(4, 1, need_weights=True), encoder=lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0),
        before=lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", normalize_before=True),
        stack=lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 2, nn.LayerNorm(4)))
rows("decoders", numbers(2, 3, 4), numbers(2, 2, 4), decoder=lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0),
    stack=lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2), whole=lambda: nn.Transformer(4, 2, 1, 1, 8, 0.0))
rows("containers", X2, sequence=lambda: nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 2)),
    named=lambda: nn.Sequential(("a", nn.Linear(6, 2)), ("b", nn.Tanh())))
rows("weight_norm", X2, weight=lambda: nn.utils.weight_norm(nn.Linear(6, 3)))
