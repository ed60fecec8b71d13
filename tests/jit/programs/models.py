"""Small versions of whole models."""

from __future__ import annotations

from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional as F

from .table import Table, i64

program = Table()
_rng = np.random.default_rng(3)
IMAGE = _rng.standard_normal((2, 3, 16, 16)).astype(np.float32)
TOKENS = _rng.integers(1, 20, (2, 6))
SHORT = _rng.integers(1, 20, (3, 4))


class Residual(nn.Layer):
    def __init__(self, inner: int, outer: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(inner, outer, 3, stride, 1, bias_attr=False)
        self.norm1 = nn.BatchNorm2D(outer)
        self.conv2 = nn.Conv2D(outer, outer, 3, 1, 1, bias_attr=False)
        self.norm2 = nn.BatchNorm2D(outer)
        self.short = nn.Conv2D(inner, outer, 1, stride) if stride > 1 or inner != outer else None

    def forward(self, x: Any) -> Any:
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        if self.short is not None:
            x = self.short(x)
        return F.relu(x + y)


@program(IMAGE, IMAGE[:1])
class ResNet(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2D(3, 4, 3, padding=1)
        self.blocks = nn.LayerList([Residual(4, 4), Residual(4, 8, 2), Residual(8, 8)])
        self.head = nn.Linear(8, 5)

    def forward(self, image: Any) -> Any:
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(axis=[2, 3]))


@program(IMAGE, IMAGE[:1])
class MobileNet(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList()
        for inner, outer, stride in ((3, 6, 2), (6, 8, 1), (8, 8, 1)):
            depthwise = nn.Conv2D(inner, inner, 3, stride, 1, groups=inner)
            self.layers.append(
                nn.Sequential(
                    depthwise, nn.BatchNorm2D(inner), nn.Hardswish(), nn.Conv2D(inner, outer, 1)
                )
            )

    def forward(self, image: Any) -> Any:
        x = image
        for layer in self.layers:
            y = layer(x)
            x = x + y if x.shape[1:] == y.shape[1:] else y
        return x.mean(axis=[2, 3])


@program(TOKENS, SHORT, dims=[[None, None]])
class LanguageModel(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 6)
        self.cells = nn.LayerList([nn.LSTMCell(6, 6), nn.LSTMCell(6, 6)])
        self.out = nn.Linear(6, 20)

    def forward(self, tokens: Any) -> Any:
        x = self.embedding(tokens)
        states = [
            (paddle.zeros([x.shape[0], 6]), paddle.zeros([x.shape[0], 6])) for _ in self.cells
        ]
        outs = []
        for t in range(x.shape[1]):
            step = x[:, t]
            for k, cell in enumerate(self.cells):
                step, states[k] = cell(step, states[k])
            outs.append(self.out(step))
        return paddle.stack(outs, axis=1)


class Attention(nn.Layer):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.project = nn.Linear(size, size)

    def forward(self, query: Any, memory: Any) -> Any:
        scores = paddle.matmul(self.project(query).unsqueeze(1), memory, transpose_y=True)
        return paddle.matmul(F.softmax(scores), memory).squeeze(1)


@program(TOKENS, SHORT, i64([[1, 1, 0]]), i64([[3, 1]]), dims=[[None, None]])
class SequenceToSequence(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 6)
        self.encoder = nn.GRU(6, 6)
        self.cell = nn.GRUCell(12, 6)
        self.attention = Attention(6)
        self.out = nn.Linear(6, 20)

    def forward(self, source: Any) -> Any:
        memory, hidden = self.encoder(self.embedding(source))
        h = hidden[0]
        token = source[:, 0] * 0 + 1
        outs = []
        for n in range(5):
            context = self.attention(h, memory)
            _, h = self.cell(paddle.concat([self.embedding(token), context], axis=-1), h)
            logits = self.out(h)
            token = logits.argmax(axis=-1)
            outs.append(logits)
            if (token == 0).all() or source.max() < 2 + n:
                break
        return paddle.stack(outs, axis=1)


@program(TOKENS[:1], SHORT[:1], i64([[1, 1, 0]]), dims=[[1, None]])
class BeamSearch(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 6)
        self.cell = nn.GRUCell(6, 6)
        self.out = nn.Linear(6, 20)

    def forward(self, source: Any) -> Any:
        beams = 3
        h = self.embedding(source).mean(axis=1).expand([beams, 6])
        token = paddle.ones([beams], "int64")
        scores = paddle.to_tensor(np.array([0.0, -1e9, -1e9], "float32"))
        words = token.unsqueeze(1)
        step = paddle.zeros([], "int64")
        while step < 4:
            _, h = self.cell(self.embedding(token), h)
            total = F.log_softmax(self.out(h)) + scores.unsqueeze(1)
            scores, found = total.reshape([-1]).topk(beams)
            token = found % 20
            parents = found // 20
            h = paddle.gather(h, parents)
            words = paddle.concat([paddle.gather(words, parents), token.unsqueeze(1)], axis=1)
            if (token == 0).all() or source.max() < 2:
                break
            step = step + 1
        return words, scores


@program(TOKENS, SHORT, dims=[[None, None]])
class Transformer(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.body = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0)

    def forward(self, tokens: Any) -> Any:
        x = self.embedding(tokens)
        return self.body(x, x)


@program(TOKENS, SHORT, dims=[[None, None]])
class Bert(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(20, 8), nn.Embedding(16, 8)
        self.norm, self.drop = nn.LayerNorm(8), nn.Dropout(0.1)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pool, self.head = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, tokens: Any, mask: Any = None) -> Any:
        places = paddle.arange(tokens.shape[1]).unsqueeze(0)
        if mask is None:
            mask = ((tokens == 0).astype("float32") * -1e4).unsqueeze([1, 2])
        x = self.encoder(self.drop(self.norm(self.words(tokens) + self.places(places))), mask)
        return {"sequence": x, "logits": self.head(paddle.tanh(self.pool(x[:, 0])))}


@program(IMAGE, IMAGE[:1], IMAGE * 0)
class DetectionHead(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.levels = nn.LayerList([nn.Conv2D(3, 7, 4, 4), nn.Conv2D(3, 7, 8, 8)])

    def forward(self, image: Any) -> Any:
        boxes, scores = [], []
        for level, stride in zip(self.levels, (4, 8)):
            y = level(image).transpose([0, 2, 3, 1])
            rows, columns = paddle.meshgrid(
                paddle.arange(16 // stride), paddle.arange(16 // stride)
            )
            grid = paddle.stack([columns, rows], axis=-1).astype("float32")
            center = (F.sigmoid(y[..., :2]) + grid) * stride
            size = paddle.exp(y[..., 2:4]) * stride
            boxes.append(
                paddle.concat([center - size / 2, center + size / 2], axis=-1).reshape(
                    [image.shape[0], -1, 4]
                )
            )
            scores.append(F.softmax(y[..., 4:]).reshape([image.shape[0], -1, 3]))
        box, score = paddle.concat(boxes, axis=1), paddle.concat(scores, axis=1)
        best = score.max(axis=-1)
        if best.max() > 0.5:
            score = score * (best > 0.3).astype("float32").unsqueeze(-1)
        return box, score


@program((i64([1, 2, 3]), i64([4, 5, 6])), (i64([7]), i64([8])), dims=[[None], [None]])
class WordToVector(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.center, self.context = nn.Embedding(20, 5), nn.Embedding(20, 5)

    def forward(self, center: Any, context: Any) -> Any:
        loss = paddle.zeros([])
        for c, o in zip(center, context):
            score = (self.center(c) * self.context(o)).sum()
            loss = loss - F.log_sigmoid(score)
        return loss / center.shape[0]


@program(
    _rng.standard_normal((4, 4, 6, 6)).astype(np.float32),
    _rng.standard_normal((8, 4, 6, 6)).astype(np.float32),
)
class TemporalShift(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(4, 4, 3, padding=1)

    def forward(self, x: Any) -> Any:
        y = F.temporal_shift(x, seg_num=4, shift_ratio=0.25)
        y = F.relu(self.conv(y)) + x
        return y.mean(axis=[2, 3]).reshape([-1, 4, 4]).mean(axis=1)


@program(IMAGE, IMAGE[:1])
class CycleGenerator(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(
            nn.Pad2D(1, mode="reflect"), nn.Conv2D(3, 4, 3, 2), nn.InstanceNorm2D(4), nn.ReLU()
        )
        self.blocks = nn.LayerList(
            [nn.Sequential(nn.Conv2D(4, 4, 3, padding=1), nn.InstanceNorm2D(4)) for _ in range(2)]
        )
        self.up = nn.Conv2DTranspose(4, 3, 3, 2, 1, output_padding=1)

    def forward(self, image: Any) -> Any:
        x = self.down(image)
        for block in self.blocks:
            x = x + block(x)
        return paddle.tanh(self.up(x))


@program(
    _rng.standard_normal((3, 4)).astype(np.float32), _rng.standard_normal((1, 4)).astype(np.float32)
)
class PolicyGradient(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, states: Any) -> Any:
        h = F.relu(self.body(states))
        probabilities, values = F.softmax(self.actor(h)), self.critic(h).squeeze(-1)
        discounted = []
        running = paddle.zeros([])
        for i in range(states.shape[0]):
            reward = 1.0 if values[i] > 0 else -1.0
            running = running * 0.9 + reward
            discounted.append(running)
        return probabilities, paddle.stack(discounted) - values
