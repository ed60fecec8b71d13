"""Layers: parameters, buffers, sublayers in lists, attributes, inheritance, training behavior, and
small whole models.
"""

from __future__ import annotations

from typing import Any

import oarlock as paddle
from oarlock import nn

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])
TOKENS = i64([[1, 2, 3, 0], [4, 5, 6, 7]])


@program()
class LinearInABranch(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return self.one(x)
        return self.two(x)


@program()
class LinearInALoop(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        i = paddle.zeros([], "int64")
        while i < 3:
            x = paddle.tanh(self.linear(x))
            i = i + 1
        return x


@program(*MATRICES, A * 4, f32([[2.04, -2.56, 0.42, -0.57]]))
class LayerList(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
            if x.sum() > 2:
                break
        return x


@program()
class LayerListByNumber(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        for i in range(len(self.layers)):
            x = paddle.nn.functional.relu(self.layers[i](x)) if i < 2 else self.layers[i](x)
        return x


class Gate(nn.Layer):
    def forward(self, x: Any) -> Any:
        if x.mean() > 0:
            return paddle.tanh(x)
        return x


@program()
class InSequential(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), Gate(), nn.Linear(4, 4), Gate())

    def forward(self, x: Any) -> Any:
        return self.body(x)


class Base(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return self.linear(x) if x.sum() > 0 else x


@program()
class CallsSuper(Base):
    def forward(self, x: Any) -> Any:
        y = super().forward(x)
        if y.sum() > 0:
            y = y + 1
        return y


@program()
class CallsSuperInABranch(Base):
    def forward(self, x: Any) -> Any:
        if x.max() > 0:
            y = super().forward(x)
        else:
            y = x * 2
        return y


@program()
class OtherMethods(Base):
    def hidden(self, x: Any) -> Any:
        if x.sum() > 0:
            return self.linear(x)
        return self._plain(x)

    @staticmethod
    def _plain(x: Any) -> Any:
        return x * 3 if x.min() > -1 else x

    def forward(this, x: Any) -> Any:  # any name will do
        return this.hidden(x)


@program()
class PrivateAttribute(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.__linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            x = self.__linear(x)
        return x


@program()
class AttributeAsAVariable(nn.Layer):
    def forward(self, x: Any) -> Any:
        self.h = x
        if x.mean() > 0:
            self.h = self.h * 2
        y = self.h
        self.h = None
        return y


@program()
class AttributeInALoop(nn.Layer):
    def forward(self, x: Any) -> Any:
        self.h = x * 0
        for row in x:
            self.h = self.h + row
        y = self.h
        self.h = None
        return y


@program()
class BufferAndParameter(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", paddle.to_tensor(f32(2.0)))
        self.weight = self.create_parameter([4])

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            return x * self.scale + self.weight
        return x * self.weight


@program()
class PythonSettings(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.kind, self.depth = "double", 2

    def forward(self, x: Any) -> Any:
        for _ in range(self.depth):
            if self.kind == "double" and x.sum() > 0:
                x = x * 2
        return x


@program()
class NormAndDropout(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1D(4), nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        y = self.drop(self.norm(x))
        return y if y.sum() > 0 else -y


@program(TOKENS, TOKENS[:1], dims=[[None, 4]])
class SentimentLSTM(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 6)
        self.lstm = nn.LSTM(6, 5)
        self.head = nn.Linear(5, 2)

    def forward(self, tokens: Any) -> Any:
        out, (h, _) = self.lstm(self.embedding(tokens))
        if h.mean() + tokens.astype("float32").mean() > 2:
            pooled = out.max(axis=1)
        else:
            pooled = out.mean(axis=1)
        return self.head(pooled)


@program(TOKENS, TOKENS[:1], dims=[[None, None]])
class StepByStepGRU(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 6)
        self.cell = nn.GRUCell(6, 5)

    def forward(self, tokens: Any) -> Any:
        x = self.embedding(tokens)
        h = paddle.zeros([x.shape[0], 5])
        outs = []
        for t in range(x.shape[1]):
            _, h = self.cell(x[:, t], h)
            outs.append(h)
        return paddle.stack(outs, axis=1)


@program(TOKENS, TOKENS[:1], i64([[1, 1, 0]]), dims=[[None, None]])
class GreedyDecoder(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 6)
        self.cell = nn.GRUCell(6, 6)
        self.head = nn.Linear(6, 10)

    def forward(self, source: Any) -> Any:
        h = self.embedding(source).mean(axis=1)
        token = source[:, 0]
        outs = []
        step = paddle.zeros([], "int64")
        while step < 6:
            _, h = self.cell(self.embedding(token), h)
            token = self.head(h).argmax(axis=-1)
            outs.append(token)
            if (token == 0).all() or source.max() < 2:
                break
            step = step + 1
        return paddle.stack(outs, axis=1)


@program(
    f32([[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]]),
    f32([[[1.0, -1.0, 0.5]] * 3] * 2),
    dims=[[None, None, 3]],
)
class SelfAttention(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(3, 9)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(x).split(3, axis=-1)
        scores = paddle.matmul(q, k, transpose_y=True) / 3**0.5
        if x.shape[1] > 2:
            scores = scores - scores.max()
        return paddle.matmul(paddle.nn.functional.softmax(scores), v)


@program(f32([[0.5, 0.1, 0.9, 0.3], [0.2, 0.8, 0.4, 0.6]]), one_row(5.0), dims=[[None, 4]])
class PolicyLoop(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.policy = nn.Linear(4, 2)

    def forward(self, state: Any) -> Any:
        reward = paddle.zeros([])
        steps = 0
        while steps < 5:
            action = self.policy(state).argmax(axis=-1, keepdim=True).astype("float32")
            state = state * 0.9 + action * 0.1
            reward = reward + state.sum()
            steps += 1
            if reward > 9:
                break
        return reward, state


@program()
class SharedLayer(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a

    def forward(self, x: Any) -> Any:
        return self.a(x) if x.sum() > 0 else self.b(self.b(x))


@program()
class DictOfLayers(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.LayerDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 2)})

    def forward(self, x: Any) -> Any:
        found = {name: head(x) for name, head in self.heads.items()}
        if x.sum() > 0:
            found["a"] = found["a"] * 2
        return found


@program(*MATRICES, f32([[90.0, 9.0, 17.0, -123.0]]))
class ParameterInALoop(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.ParameterList([self.create_parameter([4, 4]) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        for w in self.weights:
            x = paddle.matmul(x, w)
            if x.abs().max() > 1:
                x = x / 2
        return x
