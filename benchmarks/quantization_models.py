"""Train the four float models that benchmarks/quantization.py quantizes, and save each with
calibration and test data:

    python benchmarks/quantization_models.py FOLDER [--quick]

FOLDER/NAME.pdmodel, NAME.pdiparams; NAME.calibration.npz: inputs by name, and `labels` of
classifiers; NAME.test.npz: inputs by name and `labels`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import oarlock as paddle
from oarlock import nn
from oarlock.cli.demo import LeNet
from oarlock.cli.digits import load_train_and_test_digits
from oarlock.static import InputSpec

Array = Any
NUM_CALIBRATION = 128


class Data(NamedTuple):
    """Training and test data; the axis of samples is the first one."""

    inputs: Array
    labels: Array
    test_inputs: Array
    test_labels: Array


class Task(NamedTuple):
    """A model, how it is trained, and how its outputs are scored.

    make_data: of two numbers of samples, for training and test.
    num_test: differences of accuracy below 1 / num_test are not visible.
    loss: of outputs and labels.
    """

    make_model: Callable[[], nn.Layer]
    make_data: Callable[[int, int], Data]
    loss: Callable[[Any, Any], Any]
    num_samples: int
    num_test: int
    epochs: int
    rate: float
    spec: InputSpec


# -- LeNet and a small ResNet, for digits


def digits(num_samples: int, num_test: int) -> Data:
    """The digits of the demo, float32 [N, 1, 28, 28]."""
    found = load_train_and_test_digits(seed=0)
    return Data(
        found.images[:num_samples],
        found.labels[:num_samples, 0],
        found.test_images[:num_test],
        found.test_labels[:num_test, 0],
    )


class ResidualBlock(nn.Layer):
    """Two convolutions with batch norm, and a shortcut."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(in_channels, out_channels, 3, stride, 1, bias_attr=False)
        self.norm1 = nn.BatchNorm2D(out_channels)
        self.conv2 = nn.Conv2D(out_channels, out_channels, 3, 1, 1, bias_attr=False)
        self.norm2 = nn.BatchNorm2D(out_channels)
        self.shortcut = (
            nn.Identity()
            if (stride, in_channels) == (1, out_channels)
            else nn.Sequential(
                nn.Conv2D(in_channels, out_channels, 1, stride, bias_attr=False),
                nn.BatchNorm2D(out_channels),
            )
        )

    def forward(self, x: Any) -> Any:
        y = nn.functional.relu(self.norm1(self.conv1(x)))
        return nn.functional.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class SmallResNet(nn.Layer):
    """A ResNet of three stages. image [N, 1, 28, 28] -> logits [N, 10]"""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2D(1, 32, 3, padding=1, bias_attr=False), nn.BatchNorm2D(32), nn.ReLU()
        )
        self.blocks = nn.Sequential(
            ResidualBlock(32, 32, 1), ResidualBlock(32, 64, 2), ResidualBlock(64, 128, 2)
        )
        self.fc = nn.Linear(128, 10)

    def forward(self, image: Any) -> Any:
        return self.fc(self.blocks(self.stem(image)).mean([2, 3]))


# -- a classifier of token sequences with two Transformer layers

VOCABULARY, LENGTH, WIDTH = 200, 32, 128


def token_sequences(num_samples: int, num_test: int) -> Data:
    """Random tokens; the class is the remainder modulo 4 that most of the tokens below 100 have."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, VOCABULARY, (num_samples + num_test, LENGTH))
    counts = np.stack([((tokens % 4 == k) & (tokens < 100)).sum(1) for k in range(4)], 1)
    labels = counts.argmax(1)
    return Data(
        tokens[:num_samples], labels[:num_samples], tokens[num_samples:], labels[num_samples:]
    )


class TokenClassifier(nn.Layer):
    """Embedding, two Transformer encoder layers and a linear classifier, like BERT.

    tokens int64 [N, LENGTH] -> logits [N, 4]
    """

    def __init__(self) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.fc = nn.Linear(WIDTH, 4)

    def forward(self, tokens: Any) -> Any:
        x = self.words(tokens) + self.positions(paddle.arange(LENGTH))
        return self.fc(self.encoder(x).mean(1))


# -- a recognizer of rendered words with CTC

CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
MAX_CHARACTERS, IMAGE_HEIGHT, IMAGE_WIDTH = 6, 32, 128


def word_images(num_samples: int, num_test: int) -> Data:
    """Images [N, 1, 32, 128] of random words in the DejaVu fonts; labels [N, 6], 0 for no
    character (the blank of CTC), 1 for "0".
    """
    rng = np.random.default_rng(1)
    images, labels = zip(*(_word_image(rng) for _ in range(num_samples + num_test)), strict=True)
    x, y = np.stack(images), np.stack(labels)
    return Data(x[:num_samples], y[:num_samples], x[num_samples:], y[num_samples:])


def _word_image(rng: np.random.Generator) -> tuple[Array, Array]:
    indices = rng.integers(0, len(CHARACTERS), rng.integers(3, MAX_CHARACTERS + 1))
    word = "".join(CHARACTERS[i] for i in indices)
    font = ImageFont.truetype(
        rng.choice(["DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf"]),
        int(rng.integers(18, 25)),
    )
    image = Image.new("L", (IMAGE_WIDTH, IMAGE_HEIGHT), int(rng.integers(180, 256)))
    at = (int(rng.integers(1, 10)), int(rng.integers(0, 5)))
    ImageDraw.Draw(image).text(at, word, int(rng.integers(0, 80)), font)
    pixels = np.asarray(image, np.float32) + rng.normal(0, 8, (IMAGE_HEIGHT, IMAGE_WIDTH))
    label = np.zeros(MAX_CHARACTERS, np.int32)
    label[: len(indices)] = indices + 1
    return ((pixels / 127.5 - 1)[None]).astype(np.float32), label


class TextRecognizer(nn.Layer):
    """Convolutions, a bidirectional LSTM and a linear classifier for each column.

    image [N, 1, 32, 128] -> logits [N, 32, 37]
    """

    def __init__(self) -> None:
        super().__init__()

        def stage(in_channels: int, out_channels: int, pool: tuple[int, int]) -> list[nn.Layer]:
            return [
                nn.Conv2D(in_channels, out_channels, 3, padding=1, bias_attr=False),
                nn.BatchNorm2D(out_channels),
                nn.ReLU(),
                nn.MaxPool2D(pool, pool),
            ]

        self.features = nn.Sequential(
            *stage(1, 24, (2, 2)),
            *stage(24, 48, (2, 2)),
            *stage(48, 96, (2, 1)),
            *stage(96, 96, (4, 1)),
        )
        self.lstm = nn.LSTM(96, 64, direction="bidirect")
        self.fc = nn.Linear(128, len(CHARACTERS) + 1)

    def forward(self, image: Any) -> Any:
        columns = self.features(image).squeeze(2).transpose([0, 2, 1])
        return self.fc(self.lstm(columns)[0])


def ctc_loss(logits: Any, labels: Any) -> Any:
    """The CTC loss of logits [N, T, C]."""
    steps = paddle.full([logits.shape[0]], logits.shape[1], "int64")
    lengths = (labels > 0).astype("int64").sum(1)
    return nn.functional.ctc_loss(logits.transpose([1, 0, 2]), labels, steps, lengths)


def decode_ctc(logits: Array) -> Array:
    """The most likely label of each column, repetitions and blanks removed: int32 [N, 6]."""
    found = np.zeros((len(logits), MAX_CHARACTERS), np.int32)
    for row, best in zip(found, logits.argmax(-1), strict=True):
        kept = [b for a, b in zip([0, *best], best, strict=False) if b and b != a]
        row[: len(kept)] = kept[:MAX_CHARACTERS]
    return found


def accuracy(logits: Array, labels: Array) -> float:
    """The part of samples whose class, or whose whole word, is right."""
    return 1 - count_different(predictions(logits), labels) / len(labels)


def run_in_batches(run: Callable[[Array], Array], samples: Array) -> Array:
    """Return the outputs of a model for all samples."""
    return np.concatenate([run(samples[i : i + 1000]) for i in range(0, len(samples), 1000)])


def predictions(logits: Array) -> Array:
    """The class of each sample, or its word."""
    return decode_ctc(logits) if logits.ndim == 3 else logits.argmax(1)


def count_different(first: Array, second: Array) -> int:
    """The number of samples with different classes, or different words."""
    return int((first != second).reshape(len(first), -1).any(1).sum())


CROSS_ENTROPY = nn.CrossEntropyLoss()
IMAGE = InputSpec(["batch", 1, 28, 28], "float32", "image")
TASKS = {
    "lenet": Task(LeNet, digits, CROSS_ENTROPY, 3000, 360, 8, 2e-3, IMAGE),
    "resnet": Task(SmallResNet, digits, CROSS_ENTROPY, 3000, 360, 5, 2e-3, IMAGE),
    "bert": Task(
        TokenClassifier,
        token_sequences,
        CROSS_ENTROPY,
        6000,
        200_000,
        4,
        5e-4,
        InputSpec(["batch", LENGTH], "int64", "tokens"),
    ),
    "ctc": Task(
        TextRecognizer,
        word_images,
        ctc_loss,
        6000,
        2000,
        8,
        3e-3,
        InputSpec(["batch", 1, IMAGE_HEIGHT, IMAGE_WIDTH], "float32", "image"),
    ),
}


def train(task: Task, data: Data, epochs: int) -> nn.Layer:
    """Train with Adam and a cosine schedule."""
    paddle.seed(0)
    model = task.make_model()
    steps = epochs * (len(data.inputs) // 32)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(task.rate, T_max=steps)
    adam = paddle.optimizer.Adam(rate, parameters=model.parameters())
    run = paddle.jit.to_static(model)
    for inputs, labels in _iter_batches(data, epochs):
        loss = task.loss(run(paddle.to_tensor(inputs)), paddle.to_tensor(labels))
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
    model.eval()
    return model


def _iter_batches(data: Data, epochs: int) -> Iterator[tuple[Array, Array]]:
    rng = np.random.default_rng(0)
    for _ in range(epochs):
        order = rng.permutation(len(data.inputs))
        for start in range(0, len(order) - 31, 32):
            at = order[start : start + 32]
            yield data.inputs[at], data.labels[at]


def train_and_save(name: str, folder: Path, quick: bool = False) -> None:
    """Train one model, and write its files."""
    task = TASKS[name]
    data = task.make_data(task.num_samples // (8 if quick else 1), task.num_test)
    start = perf_counter()
    model = train(task, data, 1 if quick else task.epochs)
    with paddle.no_grad():
        logits = run_in_batches(lambda x: model(paddle.to_tensor(x)).numpy(), data.test_inputs)
    seconds = perf_counter() - start
    print(f"{name}: accuracy {accuracy(logits, data.test_labels):.4f}, {seconds:.0f} s", flush=True)
    paddle.jit.save(model, str(folder / name), input_spec=[task.spec])
    inputs = {task.spec.name: data.inputs[:NUM_CALIBRATION]}
    if data.labels.ndim == 1:
        inputs["labels"] = data.labels[:NUM_CALIBRATION]
    np.savez(folder / f"{name}.calibration.npz", **inputs)
    test = {task.spec.name: data.test_inputs, "labels": data.test_labels}
    np.savez(folder / f"{name}.test.npz", **test)


def main() -> None:
    """Train and save the models."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="train briefly, to test this program")
    parser.add_argument("--only", choices=TASKS, help="train one model")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in [arguments.only] if arguments.only else TASKS:
        train_and_save(name, arguments.folder, arguments.quick)


if __name__ == "__main__":
    main()
