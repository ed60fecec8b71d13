"""The plots of `oarlock demo` and `oarlock quantize`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import OarlockError
from ..quantization.programs.quantize import FLOAT, INT8, INT8_WEIGHTS, LayerReport


def _import_pyplot() -> Any:
    try:
        import matplotlib  # noqa: PLC0415
    except ImportError:
        raise OarlockError("plot: matplotlib is missing: pip install 'oarlock[demo]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    return pyplot


def plot_losses(losses: list[float], path: Path) -> None:
    """Plot the loss of each step and its moving average."""
    pyplot = _import_pyplot()
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(losses, color="#bbbbbb", linewidth=0.8, label="step")
    window = max(1, min(25, len(losses) // 4))
    mean = np.convolve(losses, np.ones(window) / window, "valid")
    axes.plot(np.arange(len(mean)) + window - 1, mean, color="#1f6feb", label=f"mean of {window}")
    axes.set(
        xlabel="step", ylabel="cross entropy", yscale="log", title="LeNet on handwritten digits"
    )
    axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def plot_predictions(images: Any, labels: Any, logits: Any, path: Path, count: int = 24) -> None:
    """Plot `count` digits with the model's predictions, wrong ones first and in red."""
    pyplot = _import_pyplot()
    predictions = logits.argmax(1)
    order = np.argsort(predictions == labels[:, 0], kind="stable")[:count]
    figure, grid = pyplot.subplots(3, count // 3, figsize=(count // 3, 3.6), layout="constrained")
    for axes, i in zip(grid.ravel(), order, strict=True):
        correct = predictions[i] == labels[i, 0]
        axes.imshow(images[i, 0], cmap="gray_r")
        axes.set_title(
            f"{predictions[i]}" if correct else f"{predictions[i]} (is {labels[i, 0]})",
            color="black" if correct else "red",
            fontsize=9,
        )
        axes.axis("off")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


FORM_COLORS = {FLOAT: "#bbbbbb", INT8_WEIGHTS: "#79b8ff", INT8: "#1f6feb"}


def plot_layer_signal_to_noise(layers: list[LayerReport], path: Path) -> None:
    """Plot the signal-to-noise ratio of each measured layer as a bar whose color shows the data
    types of the quantized layer.
    """
    pyplot = _import_pyplot()
    measured = [at for at in layers if at.snr_alone is not None and np.isfinite(at.snr_alone)]
    figure, axes = pyplot.subplots(
        figsize=(8, max(2.0, 0.25 * len(measured) + 1)), layout="constrained"
    )
    axes.barh(
        range(len(measured)),
        [at.snr_alone for at in measured],
        color=[FORM_COLORS[at.form] for at in measured],
    )
    axes.set_yticks(range(len(measured)), [f"{at.name} ({at.type})" for at in measured])
    axes.invert_yaxis()
    axes.set(xlabel="signal-to-noise ratio of the output, dB; light: int8 weights, gray: float")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
