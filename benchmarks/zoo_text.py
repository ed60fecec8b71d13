"""Models of the zoo for text, as PaddleNLP builds them, and with loops and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from zoo_parts import Inputs, model, tokens

# ---- text ----


class Encoder(nn.Layer):
    """Embeddings, encoder layers, a class: BERT and ERNIE in small."""

    def __init__(self, width: int, heads: int, layers: int, vocabulary: int = 1000) -> None:
        super().__init__()
        self.words, self.places = (
            nn.Embedding(vocabulary, width, padding_idx=0),
            nn.Embedding(512, width),
        )
        self.norm = nn.LayerNorm(width)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu"), layers
        )
        self.pool, self.fc = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, ids: Any) -> Any:
        mask = (ids == 0).astype("float32").unsqueeze([1, 2]) * -1e4
        places = paddle.cumsum(paddle.ones_like(ids), axis=-1) - 1
        x = self.layers(self.norm(self.words(ids) + self.places(places)), mask)
        return self.fc(paddle.tanh(self.pool(x[:, 0])))


@model
def bert_small() -> tuple[Any, Inputs]:
    """Four layers of 256."""
    return Encoder(256, 4, 4), tokens(64)


@model
def bert_base() -> tuple[Any, Inputs]:
    """Twelve layers of 768."""
    return Encoder(768, 12, 12), tokens(64)


class LstmClassifier(nn.Layer):
    """Sequences of different lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.rnn, self.fc = (
            nn.Embedding(1000, 128),
            nn.LSTM(128, 128, direction="bidirect"),
            nn.Linear(256, 2),
        )

    def forward(self, ids: Any, lengths: Any) -> Any:
        _, (h, _) = self.rnn(self.words(ids), sequence_length=lengths)
        return F.softmax(self.fc(paddle.concat([h[0], h[1]], axis=-1)))


@model
def lstm_classifier() -> tuple[Any, Inputs]:
    """As PaddleNLP's sentiment models."""
    return LstmClassifier(), [
        *tokens(40, 4),
        ("lengths", np.array([40, 12, 33, 7], "int64"), [None]),
    ]


class GruTagger(nn.Layer):
    """A tag for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.rnn, self.fc = (
            nn.Embedding(1000, 128),
            nn.GRU(128, 128, 2, direction="bidirect"),
            nn.Linear(256, 20),
        )

    def forward(self, ids: Any) -> Any:
        return paddle.argmax(self.fc(self.rnn(self.words(ids))[0]), axis=-1)


@model
def gru_tagger() -> tuple[Any, Inputs]:
    """As PaddleNLP's lexical analysis, without its last step."""
    return GruTagger(), tokens(40, 4)


class TextCnn(nn.Layer):
    """Convolutions of three widths over words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, 128)
        self.convs = nn.LayerList([nn.Conv2D(1, 64, (size, 128)) for size in (3, 4, 5)])
        self.fc = nn.Linear(192, 2)

    def forward(self, ids: Any) -> Any:
        x = self.words(ids).unsqueeze(1)
        return self.fc(
            paddle.concat([F.relu(conv(x)).squeeze(3).max(axis=2) for conv in self.convs], axis=1)
        )


@model
def textcnn() -> tuple[Any, Inputs]:
    """Sentences."""
    return TextCnn(), tokens(64, 4)


# ---- control flow ----


class Greedy(nn.Layer):
    """A decoder that runs until it says stop, or for 20 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.cell, self.fc = (
            nn.Embedding(100, 64),
            nn.GRUCell(64, 64),
            nn.Linear(64, 100),
        )

    def forward(self, state: Any) -> Any:
        word = paddle.zeros([1], "int64")
        said = paddle.zeros([1, 1], "int64")
        step = paddle.zeros([1], "int64")
        going = paddle.ones([1], "bool")
        while going:
            _, state = self.cell(self.words(word), state)
            word = paddle.argmax(self.fc(state), axis=-1)
            said = paddle.concat([said, word.unsqueeze(0)], axis=1)
            step = step + 1
            going = paddle.logical_and(step < 20, word != -1)
        return said


@model
def greedy_decoder() -> tuple[Any, Inputs]:
    """A while loop whose value grows."""
    return Greedy(), [
        ("state", np.random.default_rng(0).standard_normal((1, 64)).astype("float32"), [1, 64])
    ]


class Branches(nn.Layer):
    """One of two nets, by what the input holds."""

    def __init__(self) -> None:
        super().__init__()
        self.large = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64))
        self.small = nn.Linear(64, 64)

    def forward(self, x: Any) -> Any:
        if x.mean() > 0:
            y = self.large(x)
        else:
            y = self.small(x)
        return F.softmax(y)


@model
def branches() -> tuple[Any, Inputs]:
    """An if on a value."""
    return Branches(), [
        ("x", np.random.default_rng(0).random((8, 64)).astype("float32"), [None, 64])
    ]
