"""Layers that real Paddle exports, in addition to the functions of `lowering_functions.py`.

Importable without Paddle: a case is built when it is exported.
"""

from dataclasses import dataclass, field

from lowering_cases import f, ints

try:
    import paddle
    from paddle import nn
    from paddle.nn import functional as F
except ImportError:  # the tests read the names only
    paddle = nn = F = None


@dataclass
class Net:
    """A Layer or function that real Paddle exports.

    make: gives it; inputs: arrays; open: axes that stay open, per input.
    """

    make: object
    inputs: list
    open: object = (0,)
    rejected: dict = field(default_factory=dict)
    rtol: float = 1e-4

    @property
    def shapes(self):
        """Declared shapes of the inputs."""
        per_input = self.open if isinstance(self.open, list) else [self.open] * len(self.inputs)
        return [
            [None if axis in axes else size for axis, size in enumerate(x.shape)]
            for x, axes in zip(self.inputs, per_input, strict=True)
        ]


NETS = {}


def function(forward, *inputs, **more):
    """Makes a function a case.   No decorator: Paddle would translate it as well."""
    NETS[forward.__name__] = Net(lambda: forward, list(inputs), **more)


def layer(*inputs, **more):
    """Names a function that makes a Layer as a case."""

    def named(make):
        NETS[make.__name__] = Net(make, list(inputs), **more)
        return make

    return named


# ---- nets ----


@layer(f(2, 1, 28, 28))
def lenet():
    return nn.Sequential(
        nn.Conv2D(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Linear(120, 10),
        nn.Softmax(),
    )


@layer(f(2, 3, 16, 16), open=(0, 2, 3))
def residual():
    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.na = (
                nn.Conv2D(3, 8, 3, stride=2, padding=1, bias_attr=False),
                nn.BatchNorm2D(8),
            )
            self.b, self.nb = nn.Conv2D(8, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8)
            self.short, self.head = nn.Conv2D(3, 8, 1, stride=2), nn.Linear(8, 4)
            self.pool, self.average = nn.MaxPool2D(3, 2, 1), nn.AdaptiveAvgPool2D(1)

        def forward(self, x):
            y = self.nb(self.b(F.relu(self.na(self.a(x)))))
            y = self.average(self.pool(F.relu(y + self.short(x))))
            return self.head(paddle.flatten(y, 1))

    return Block()


@layer(f(2, 8, 9, 9))
def mobile():
    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.depth, self.point = (
                nn.Conv2D(8, 8, 3, padding="SAME", groups=8),
                nn.Conv2D(8, 12, 1),
            )
            self.down, self.up, self.norm = (
                nn.Conv2D(12, 3, 1),
                nn.Conv2D(3, 12, 1),
                nn.BatchNorm2D(12),
            )
            self.pool = nn.AvgPool2D(2, 2, ceil_mode=True)

        def forward(self, x):
            y = F.hardswish(self.norm(self.point(F.relu6(self.depth(x)))))
            gate = F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(y, 1)))))
            return self.pool(y * gate)

    return Block()


@layer(f(2, 5, 8), open=(0, 1))
def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, activation="gelu"), 2)


@layer(f(2, 5, 8), f(2, 7, 8), open=(0, 1))
def decoder():
    return nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, normalize_before=True), 1)


@layer(f(2, 5, 8), ints(2, 1, 5, 5, high=2).astype("bool"), open=(0,))
def attention_with_mask():
    class Masked(nn.Layer):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiHeadAttention(8, 2, dropout=0.1)

        def forward(self, x, mask):
            return self.attention(x, x, x, mask)

    return Masked()


@layer(ints(2, 6, high=20), open=(0, 1))
def bert_like():
    class Bert(nn.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(20, 8, padding_idx=0), nn.Embedding(32, 8)
            self.norm, self.drop = nn.LayerNorm(8), nn.Dropout(0.1)
            self.encoder = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu")
            self.pool = nn.Linear(8, 8)

        def forward(self, ids):
            places = paddle.cumsum(paddle.ones_like(ids), axis=-1) - 1
            mask = ((ids == 0).astype("float32") * -1e4).unsqueeze([1, 2])
            x = self.drop(self.norm(self.words(ids) + self.places(places)))
            x = self.encoder(x, mask)
            return x, paddle.tanh(self.pool(x[:, 0]))

    return Bert()


@layer(f(2, 3, 8, 8), open=(0, 2, 3))
def upward():
    return nn.Sequential(
        nn.Conv2DTranspose(3, 4, 3, stride=2, padding=1, output_padding=1),
        nn.GroupNorm(2, 4),
        nn.Swish(),
        nn.InstanceNorm2D(4),
        nn.Conv2DTranspose(4, 4, 3, groups=2),
        nn.PReLU(4),
        nn.Pad2D([1, 0, 2, 1], mode="reflect"),
        nn.LeakyReLU(),
    )


@layer(f(2, 3, 12))
def one_dimension():
    return nn.Sequential(
        nn.Conv1D(3, 4, 3),
        nn.BatchNorm1D(4),
        nn.ELU(),
        nn.MaxPool1D(2, 2),
        nn.AdaptiveAvgPool1D(2),
        nn.Pad1D([1, 1], mode="circular"),
        nn.Conv1DTranspose(4, 3, 3),
        nn.GELU(True),
        nn.Mish(),
    )


@layer(f(2, 3, 9, 9))
def pools():
    class Pools(nn.Layer):
        def forward(self, x):
            out, mask = F.max_pool2d(x, 2, 2, return_mask=True)
            return (
                out,
                mask,
                F.adaptive_max_pool2d(x, 3),
                F.avg_pool2d(x, 3, 2, 1, exclusive=False),
                F.adaptive_avg_pool2d(x, 4),
            )

    return Pools()


@layer(f(2, 3, 4, 4), open=(0, 2, 3))
def weight_norm():
    return nn.utils.weight_norm(nn.Conv2D(3, 4, 3))
