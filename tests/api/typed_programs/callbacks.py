"""Callbacks, metrics and quantization."""

from typing import Any

import oarlock as paddle
from oarlock import nn
from oarlock.callbacks import Callback, EarlyStopping, ModelCheckpoint
from oarlock.quantization import PTQ, QAT, QuantConfig


class Print(Callback):
    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        print(epoch, logs)


callbacks: list[Callback] = [
    Print(),
    EarlyStopping("loss", patience=2),
    ModelCheckpoint(1, "saved"),
]
accuracy = paddle.metric.Accuracy()
accuracy.update(accuracy.compute(paddle.ones([2, 2]), paddle.zeros([2, 1], "int64")))
print(callbacks, accuracy.accumulate(), accuracy.name())
quantized = QAT(QuantConfig(activation=None, weight=None)).quantize(nn.Linear(2, 2))
print(quantized, PTQ(QuantConfig(None, None)))
