"""`oarlock quantize`: quantize a saved model, and report form and error of each layer."""

from __future__ import annotations

import html
import math
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..core.errors import OpError
from ..loader.escape_control_characters import escape_control_characters
from ..loader.model_files import model_prefix, read_model
from ..loader.program_engine import create_engine_of_files
from ..quantization.programs.calibration_data import (
    load_calibration_data,
    synthetic_calibration_data,
)
from ..quantization.programs.quantize import (
    HALF_METHODS,
    LayerReport,
    QuantizationReport,
    QuantizationSettings,
    quantize_model,
)
from ..quantization.programs.write import (
    require_other_params_file_than_source,
    write_and_verify_model,
)
from ..utils.terminal import make_console
from .command_line import NO_GAIN, CommandLineError
from .plots import FORM_COLORS, plot_layer_signal_to_noise
from .progress import show_progress

_SUFFIXES = {"fp16": "_fp16", "bf16": "_bf16"}
_PLOT_SUFFIXES = (".png", ".html")


def quantize_report_and_write_if_gain(
    prefix: str,
    data: Path | None,
    out: str | None,
    labels: str | None,
    plot: Path | None,
    settings: QuantizationSettings,
    quiet: bool = False,
) -> int:
    """Quantize a model, print the report, and write the quantized model if it is a gain in size or
    time and accurate enough.

    Returns the exit code: 0, or 3 if the quantized model has no advantage and was not written.
    """
    settings.validate()
    if plot is not None and settings.method in HALF_METHODS:
        raise CommandLineError(f"--plot has no effect with --method {settings.method}")
    if plot is not None and plot.suffix not in _PLOT_SUFFIXES:
        raise CommandLineError(f"--plot must end with .png or .html, not {plot.name!r}")
    if data is None and settings.method in ("ptq", "dynamic"):
        raise CommandLineError(
            f"--method {settings.method} needs inputs; give --data CALIB.npz or a folder "
            "of .npz files"
        )
    if labels is not None and data is None:
        raise CommandLineError("--labels needs --data")
    if plot is not None and not plot.parent.is_dir():
        raise OpError(f"quantize: --plot: there is no folder {plot.parent}")
    files = read_model(prefix)
    target = out or model_prefix(prefix) + _SUFFIXES.get(settings.method, "_int8")
    require_other_params_file_than_source(files, target)
    engine = create_engine_of_files(files)
    samples = (
        synthetic_calibration_data(engine, files, settings.run_timeout)
        if data is None
        else load_calibration_data(data, engine, files, labels, settings.run_timeout)
    )
    with show_progress(quiet) as show:
        result = quantize_model(files, samples, settings, show)
    _print_report(files.name, result.report)
    if plot is not None:
        _write_layer_snr_plot(result.report.layers, plot)
    console = make_console(highlight=False, soft_wrap=True, markup=False)
    if result.no_gain_reason:
        console.print(f"{files.name}: no model was written: {result.no_gain_reason}")
        return NO_GAIN
    sizes, verified = write_and_verify_model(files, result.model, target, samples.sample)
    for path, size in sizes.items():
        console.print(f"{path}: {size:,} bytes")
    if not verified.startswith("not verified"):
        verified = f"verified: engine and interpreter agree {verified}"
    console.print(verified)
    return 0


def _format_decibels(value: float | None, unit: str = "") -> str:
    if value is None:
        return ""
    return f"{value:.1f}{unit}" if math.isfinite(value) else "exact" if value > 0 else "none"


def _format_layer_form_and_reason(layer: LayerReport) -> str:
    return f"{layer.form}: {layer.reason}" if layer.reason else layer.form


def _print_report(name: str, report: QuantizationReport) -> None:
    out = make_console(highlight=False)
    if report.layers:
        table = Table(
            "layer", "op", "output", "alone dB", "in model dB", "result", title=Text(name)
        )
        for layer in report.layers:
            table.add_row(
                Text(escape_control_characters(layer.name)),
                layer.type,
                Text(escape_control_characters(layer.output)),
                _format_decibels(layer.snr_alone),
                _format_decibels(layer.snr),
                Text(escape_control_characters(_format_layer_form_and_reason(layer))),
            )
        out.print(table)
    for note in report.notes:
        out.print(Text(f"note: {escape_control_characters(note)}"))
    before, after = report.sizes
    if not before:
        return
    table = Table("", "float", "quantized", "ratio")
    table.add_row("size", f"{before:,} bytes", f"{after:,} bytes", f"{after / before:.3f}")
    slow, fast = report.times
    table.add_row("time", f"{slow:.3g} ms", f"{fast:.3g} ms", f"{fast / slow:.2f}")
    if report.accuracies is not None:
        exact, rounded = report.accuracies
        table.add_row(
            "accuracy", f"{exact:.2f} %", f"{rounded:.2f} %", f"{rounded - exact:+.2f} points"
        )
    table.add_row("outputs", "", _format_decibels(report.output_snr, " dB"), "")
    out.print(table)


def _write_layer_snr_plot(layers: list[LayerReport], path: Path) -> None:
    if path.suffix == ".html":
        write_signal_to_noise_html(layers, path)
        return
    plot_layer_signal_to_noise(layers, path)


def write_signal_to_noise_html(layers: list[LayerReport], path: Path) -> None:
    """Write a page of HTML with one bar per layer, which shows the signal-to-noise ratio of the
    output of the layer.
    """
    largest = max((v for at in layers if math.isfinite(v := at.snr_alone or 0.0)), default=1.0)
    rows = []
    for layer in layers:
        value = layer.snr_alone
        width = 0.0 if value is None else min(max(value / max(largest, 1e-9), 0.0), 1.0) * 100
        style = f"width:{width:.1f}%;background:{FORM_COLORS[layer.form]}"
        text = f"{_format_decibels(value)} {_format_layer_form_and_reason(layer)}"
        rows.append(
            f"<tr><td>{html.escape(escape_control_characters(layer.name))}</td>"
            f"<td>{html.escape(layer.type)}</td><td class=bar>"
            f'<div style="{style}">&nbsp;</div></td>'
            f"<td>{html.escape(escape_control_characters(text))}</td></tr>"
        )
    page = (
        '<!doctype html><meta charset="utf-8"><title>quantization error per layer</title>'
        "<style>body{font:14px sans-serif}td{padding:2px 8px}.bar{width:400px}</style>"
        "<h1>Signal-to-noise ratio per layer, in dB</h1><table>" + "\n".join(rows) + "</table>\n"
    )
    path.write_text(page, encoding="utf-8")
