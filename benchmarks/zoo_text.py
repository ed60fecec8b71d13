"""Text models of the zoo, built like those of PaddleNLP, and models with loops and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from zoo_parts import Inputs, model, tokens

# ---- text ----


class Encoder(nn.Layer):
    """A small BERT or ERNIE classifier: embeddings, encoder layers, and a classification head."""

    def __init__(self, width: int, heads: int, layers: int, vocabulary: int = 1000) -> None:
        super().__init__()
        self.words, self.positions = (
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
        positions = paddle.cumsum(paddle.ones_like(ids), axis=-1) - 1
        x = self.layers(self.norm(self.words(ids) + self.positions(positions)), mask)
        return self.fc(paddle.tanh(self.pool(x[:, 0])))


@model
def bert_small() -> tuple[Any, Inputs]:
    """An encoder with four layers of width 256."""
    return Encoder(256, 4, 4), tokens(64)


@model
def bert_base() -> tuple[Any, Inputs]:
    """An encoder with twelve layers of width 768."""
    return Encoder(768, 12, 12), tokens(64)


class LstmClassifier(nn.Layer):
    """A bidirectional LSTM on sequences of different lengths, and a classification head."""

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
    """An LSTM classifier like PaddleNLP's sentiment models."""
    return LstmClassifier(), [
        *tokens(40, 4),
        ("lengths", np.array([40, 12, 33, 7], "int64"), [None]),
    ]


class GruTagger(nn.Layer):
    """A bidirectional GRU that returns a tag for each word."""

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
    """A tagger like PaddleNLP's lexical analysis, without its CRF decoding."""
    return GruTagger(), tokens(40, 4)


class TextCnn(nn.Layer):
    """Convolutions of three kernel sizes over words, and a classification head."""

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
    """A convolutional classifier of sentences."""
    return TextCnn(), tokens(64, 4)


# ---- control flow ----


class GreedyDecoder(nn.Layer):
    """A decoder that runs until the stop token, or for 20 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.cell, self.fc = (
            nn.Embedding(100, 64),
            nn.GRUCell(64, 64),
            nn.Linear(64, 100),
        )

    def forward(self, state: Any) -> Any:
        word = paddle.zeros([1], "int64")
        output = paddle.zeros([1, 1], "int64")
        step = paddle.zeros([1], "int64")
        running = paddle.ones([1], "bool")
        while running:
            _, state = self.cell(self.words(word), state)
            word = paddle.argmax(self.fc(state), axis=-1)
            output = paddle.concat([output, word.unsqueeze(0)], axis=1)
            step = step + 1
            running = paddle.logical_and(step < 20, word != -1)
        return output


@model
def greedy_decoder() -> tuple[Any, Inputs]:
    """A while loop whose result grows in each iteration."""
    return GreedyDecoder(), [
        ("state", np.random.default_rng(0).standard_normal((1, 64)).astype("float32"), [1, 64])
    ]


class Branches(nn.Layer):
    """One of two networks, selected by the mean of the input."""

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
    """A branch on a tensor value."""
    return Branches(), [
        ("x", np.random.default_rng(0).random((8, 64)).astype("float32"), [None, 64])
    ]
