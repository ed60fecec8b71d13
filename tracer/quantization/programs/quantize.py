"""Quantize a saved model: select the layers that stay accurate and become faster or smaller, and
measure the result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.errors import OpError
from ...loader.model_files import ModelFileContents
from .activations import is_float32_tensor_with_one_outer_writer, select_activation_formats
from .calibration_data import CalibrationData
from .fold_batch_norm import fold_batch_norms
from .half_precision import HalfPrecisionRewriter, store_weights_in_bfloat16
from .layers import MATMUL_OPS, WEIGHT_ONLY_OPS, QuantizableLayer, find_layers_with_constant_weights
from .measure import (
    THRESHOLD_FUNCTIONS,
    FloatReference,
    ProgressFunction,
    accuracy,
    find_calibrated_thresholds,
    max_abs_of_activations,
    median_run_milliseconds,
    min_snr_of_outputs,
)
from .model import Dataflow, ProgramWithValues
from .run_timeout import DEFAULT_RUN_TIMEOUT, MAX_RUN_TIMEOUT
from .static_quantization import (
    WEIGHT_STORAGES,
    quantize_dynamic,
    quantize_static,
)
from .stored_levels import store_levels_as_int8

INTEGER_METHODS = ("ptq", "dynamic", "weight-only")
HALF_METHODS = ("fp16", "bf16")
METHODS = (*INTEGER_METHODS, *HALF_METHODS)
# The forms of a layer. FLOAT: weights and arithmetic are float32. INT8_WEIGHTS: weights are stored
# as int8 and dequantized before float32 arithmetic. INT8: weights and arithmetic are int8.
FLOAT, INT8_WEIGHTS, INT8 = "float", "int8 weights", "int8"
MIN_LAYER_SNR = 10.0  # dB; layers with a smaller signal-to-noise ratio stay float
DEFAULT_MAX_ACCURACY_DROP = 1.0  # percentage points
_MIN_SAVED_BYTES = 1024  # int8 weights that save less, after their scales, are not worth an op
_MIN_NOTED_ELEMENTS = 1024  # of weights outside of layers that the report mentions
_MAX_TIME_RATIO = 1.02  # differences below 2 % are within the variation of medians


@dataclass(frozen=True)
class QuantizationSettings:
    """The options of `oarlock quantize`.

    method, calibration, weight_storage: as described by `oarlock quantize --help`.
    keep: regular expression for the layers that stay in float32; '' for none.
    max_drop: the allowed loss of accuracy in percentage points with labels, else the allowed error
        of the outputs in percent of their root mean square; None for the default.
    has_symmetric_activations: use the levels -128 to 127 for all activations.
    selects_by_speed: compute op types in float32 that are slower with integers.
    run_timeout: seconds after which a run of a model with loops is an error.
    """

    method: str = "ptq"
    calibration: str = "absmax"
    keep: str = ""
    max_drop: float | None = None
    weight_storage: str = "int8"
    has_symmetric_activations: bool = False
    selects_by_speed: bool = True
    run_timeout: float = DEFAULT_RUN_TIMEOUT

    def validate(self) -> None:
        """Raise OpError for an unknown name, a number out of range or an invalid expression."""
        for option, value, allowed in (
            ("method", self.method, METHODS),
            ("calibration", self.calibration, tuple(THRESHOLD_FUNCTIONS)),
            ("weight-storage", self.weight_storage, WEIGHT_STORAGES),
        ):
            if value not in allowed:
                raise OpError(
                    f"quantize: --{option} must be {', '.join(allowed[:-1])} or {allowed[-1]}, not "
                    f"{value!r}"
                )
        if self.max_drop is not None and not 0 <= self.max_drop <= 100:
            raise OpError(f"quantize: --max-drop must be from 0 to 100, not {self.max_drop}")
        if not 0 < self.run_timeout <= MAX_RUN_TIMEOUT:
            raise OpError(
                f"quantize: --run-timeout must be above 0 and at most {MAX_RUN_TIMEOUT:g}, not "
                f"{self.run_timeout}"
            )
        for option, is_given, methods in (
            ("keep", self.keep, INTEGER_METHODS),
            ("calibration", self.calibration != "absmax", ("ptq",)),
            ("symmetric-activations", self.has_symmetric_activations, ("ptq",)),
            ("weight-storage", self.weight_storage != "int8", ("ptq", "dynamic")),
        ):
            if is_given and self.method not in methods:
                raise OpError(f"quantize: --{option} has no effect with --method {self.method}")
        try:
            re.compile(self.keep)
        except re.error as error:
            raise OpError(
                f"quantize: --keep is not a regular expression: {error} ({self.keep!r})"
            ) from None


@dataclass
class LayerReport:
    """What `oarlock quantize` reports about one layer.

    form: FLOAT, INT8_WEIGHTS or INT8.
    snr_alone, snr: signal-to-noise ratio of its output in dB, if only this layer is quantized, and
    in the final model; None if it was not measured.
    reason: why it is not quantized as the method intends; '' if it is.
    """

    name: str
    type: str
    output: str
    form: str
    snr_alone: float | None = None
    snr: float | None = None
    reason: str = ""

    def mark_as_float(self, reason: str) -> None:
        """Record in the report that the layer is stored and computed in float32, and why."""
        self.form, self.reason = FLOAT, reason


@dataclass
class QuantizationReport:
    """Measurements of the float model and of the written model.

    sizes: bytes of the values. times: milliseconds of a run. accuracies: percent, if there are
    labels. In each pair the float model is first.
    """

    layers: list[LayerReport] = field(default_factory=list)
    output_snr: float = math.inf
    sizes: tuple[int, int] = (0, 0)
    times: tuple[float, float] = (0.0, 0.0)
    accuracies: tuple[float, float] | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class QuantizationResult:
    """A quantized model with its report.

    no_gain_reason: why the model is not worth writing; '' if it is.
    """

    model: ProgramWithValues
    report: QuantizationReport
    no_gain_reason: str = ""


def quantize_model(
    files: ModelFileContents,
    data: CalibrationData,
    settings: QuantizationSettings,
    progress: ProgressFunction,
) -> QuantizationResult:
    """Quantize a saved model. `docs/quantization.md` describes how the layers to quantize are
    selected.

    Raises OpError if no layer can be quantized.
    """
    settings.validate()
    original = ProgramWithValues(files.program, dict(files.values))
    if settings.max_drop is not None and not data.labels:
        _require_floating_outputs(original)
    if settings.method in HALF_METHODS:
        return _convert_to_half_precision_and_measure(original, data, settings)
    search = LayerSelection(files, data, settings, progress)
    search.set_forms_of_kept_float_and_unsupported_layers()
    search.calibrate_and_exclude_unquantizable_layers()
    search.exclude_inaccurate_layers()
    if settings.selects_by_speed and settings.method != "weight-only":
        search.exclude_slow_op_types()
    search.exclude_layers_until_drop_allowed()
    return search.build_and_measure_final_model(original)


def convert_to_half_precision_with_notes(
    model: ProgramWithValues, method: str, data: CalibrationData | None
) -> tuple[ProgramWithValues, list[str]]:
    """Return a model with weights in half precision, and notes about ops that compute in float32
    because their values exceed the range of float16.

    method: 'fp16' or 'bf16'.
    data: None if there is none; then only weights are compared with the range.
    """
    folded = fold_batch_norms(model)
    if method == "bf16":
        return store_weights_in_bfloat16(folded), []
    max_abs = {} if data is None else max_abs_of_activations(folded, data)
    rewriter = HalfPrecisionRewriter(folded, max_abs)
    return rewriter.rewrite(), list(rewriter.problems.values())


def _convert_to_half_precision_and_measure(
    original: ProgramWithValues, data: CalibrationData, settings: QuantizationSettings
) -> QuantizationResult:
    model, notes = convert_to_half_precision_with_notes(original, settings.method, data)
    report = QuantizationReport(notes=notes)
    _measure_model_into_report(report, original, model, data)
    no_gain_reason = "" if report.sizes[1] < report.sizes[0] else "no weight became smaller"
    limit, reference = _allowed_accuracy_drop_or_none(settings, data), None
    if report.accuracies is None:
        drop = _error_percent(report.output_snr)
    else:
        reference = report.accuracies[0]
        drop = reference - report.accuracies[1]
    if limit is not None and not drop <= limit:
        no_gain_reason = (
            f"it loses {_format_accuracy_drop(drop, reference)}, --max-drop is {limit:g}"
        )
    return QuantizationResult(model, report, no_gain_reason)


def _require_floating_outputs(model: ProgramWithValues) -> None:
    """Raise OpError unless a model has an output whose error can be measured."""
    block = model.program.block
    dtypes = [block.vars[name].dtype for name in model.program.fetch_names()]
    if not any("float" in dtype for dtype in dtypes):
        raise OpError(
            "quantize: without --labels, --max-drop limits the error of floating-point outputs, "
            "but the model has none; save it with its scores as an output"
        )


def _allowed_accuracy_drop_or_none(
    settings: QuantizationSettings, data: CalibrationData
) -> float | None:
    """Return the allowed loss of accuracy or error of the outputs; None without a limit."""
    if settings.max_drop is None and data.labels:
        return DEFAULT_MAX_ACCURACY_DROP
    return settings.max_drop


def _error_percent(snr: float) -> float:
    """Return the error in percent of the root mean square, for a ratio in dB."""
    return float(100 * 10 ** (-snr / 20))


def _measure_model_into_report(
    report: QuantizationReport,
    original: ProgramWithValues,
    model: ProgramWithValues,
    data: CalibrationData,
) -> None:
    if data.num_unused_samples:
        report.notes.append(
            f"{data.num_unused_samples} samples are not used: they do not fill a batch of the "
            "model's fixed size"
        )
    report.output_snr = min_snr_of_outputs(original, model, data)
    report.sizes = original.num_value_bytes(), model.num_value_bytes()
    times = median_run_milliseconds({"float": original, "quantized": model}, data)
    report.times = times["float"], times["quantized"]
    if report.output_snr < MIN_LAYER_SNR:
        report.notes.append(
            f"the outputs differ much from those of the float model ({report.output_snr:.1f} dB); "
            "measure the accuracy with --labels, or limit the error with --max-drop"
        )
    if data.labels:
        report.accuracies = accuracy(original, data), accuracy(model, data)


class LayerSelection:
    """Selects for each layer whether it is quantized (its form: FLOAT, INT8_WEIGHTS or INT8). Each
    selection step changes the forms of some layers and records the reasons.
    """

    def __init__(
        self,
        files: ModelFileContents,
        data: CalibrationData,
        settings: QuantizationSettings,
        progress: ProgressFunction,
    ) -> None:
        self._name, self._data, self._settings = files.name, data, settings
        self._progress = progress
        self._base = fold_batch_norms(ProgramWithValues(files.program, dict(files.values)))
        self._num_stored_levels = 0
        if settings.weight_storage == "int8":
            self._base, self._num_stored_levels = store_levels_as_int8(self._base)
        self._layers = find_layers_with_constant_weights(self._base, files.info)
        form = INT8_WEIGHTS if settings.method == "weight-only" else INT8
        self._reports = [
            LayerReport(
                layer.name,
                layer.type,
                layer.output,
                FLOAT if layer.problem else form,
                reason=layer.problem,
            )
            for layer in self._layers
        ]
        self._thresholds: dict[str, float] = {}
        self._require_any_quantizable_layer()

    def _layers_with_form(self, *forms: str) -> list[tuple[QuantizableLayer, LayerReport]]:
        """Return the layers whose form is one of `forms`, with their reports."""
        pairs = zip(self._layers, self._reports, strict=True)
        return [(layer, report) for layer, report in pairs if report.form in forms]

    def _set_form_weight_only_or_float(
        self, layer: QuantizableLayer, report: LayerReport, reason: str
    ) -> None:
        """Compute a layer in float32, and store its weights as int8 if that saves space."""
        weight = np.asarray(self._base.values[layer.weight])
        saved_bytes = 3 * weight.size - 4 * weight.shape[layer.channel_axis]
        is_smaller = self._settings.weight_storage == "int8" and saved_bytes > _MIN_SAVED_BYTES
        report.form, report.reason = INT8_WEIGHTS if is_smaller else FLOAT, reason

    def _require_any_quantizable_layer(self) -> None:
        if self._layers_with_form(INT8, INT8_WEIGHTS) or self._num_stored_levels:
            return
        reasons = sorted({report.reason for report in self._reports})
        why = f": {'; '.join(reasons)}" if reasons else ""
        raise OpError(
            f"quantize: {self._name} has no layer that can be quantized, that is no convolution, "
            f"matrix multiplication, embedding or recurrent layer with constant float32 "
            f"weights{why}"
        )

    def set_forms_of_kept_float_and_unsupported_layers(self) -> None:
        """Keep layers in float32 whose name, output or type matches `keep`; of op types that the
        method does not compute with integers, quantize only the weights.
        """
        pattern = re.compile(self._settings.keep) if self._settings.keep else None
        method = self._settings.method
        for layer, report in self._layers_with_form(INT8, INT8_WEIGHTS):
            if pattern and any(map(pattern.search, (layer.name, layer.output, layer.type))):
                report.mark_as_float(f"matches --keep {self._settings.keep}")
            elif method == "weight-only":
                continue
            elif layer.type in WEIGHT_ONLY_OPS:
                self._set_form_weight_only_or_float(
                    layer, report, f"{layer.type} computes in float32"
                )
            elif method == "dynamic" and layer.type not in MATMUL_OPS:
                self._set_form_weight_only_or_float(
                    layer, report, "dynamic quantization is for matrix multiplications only"
                )

    def calibrate_and_exclude_unquantizable_layers(self) -> None:
        """Quantize only the weights of layers whose activations cannot be quantized; with ptq,
        determine thresholds, and keep layers float whose activations are always 0 or not finite.
        """
        flow = Dataflow(self._base.program)
        for layer, report in self._layers_with_form(INT8):
            for name in (layer.input, layer.output) if layer.is_convolution else (layer.input,):
                if report.form == INT8 and not is_float32_tensor_with_one_outer_writer(
                    self._base, flow, name
                ):
                    self._set_form_weight_only_or_float(
                        layer,
                        report,
                        f"'{name}' is not a float32 tensor that one op writes and no loop or "
                        f"branch uses",
                    )
        if self._settings.method == "ptq" and self._layers_with_form(INT8):
            self._find_thresholds_or_set_layers_float()

    def _find_thresholds_or_set_layers_float(self) -> None:
        layers = [layer for layer, _ in self._layers_with_form(INT8)]
        formats = select_activation_formats(
            self._base, layers, self._settings.has_symmetric_activations
        )
        names = sorted({form.threshold_source for form in formats.values()})
        self._thresholds, problems = find_calibrated_thresholds(
            self._base, self._data, names, self._settings.calibration, self._progress
        )
        for layer, report in self._layers_with_form(INT8):
            for name in (layer.input, *([layer.output] if layer.is_convolution else [])):
                if formats[name].threshold_source in problems:
                    report.mark_as_float(problems[formats[name].threshold_source])

    def build(
        self, int8: Sequence[QuantizableLayer], int8_weights: Sequence[QuantizableLayer] = ()
    ) -> ProgramWithValues:
        """Return the model with the layers `int8` quantized, and the weights of `int8_weights`."""
        settings = self._settings
        if settings.method == "dynamic":
            return quantize_dynamic(self._base, int8, int8_weights, settings.weight_storage)
        return quantize_static(
            self._base,
            int8,
            int8_weights,
            self._thresholds,
            weight_storage=settings.weight_storage,
            has_symmetric_activations=settings.has_symmetric_activations,
        )

    def _build_current(self) -> ProgramWithValues:
        """Return the model in which each layer is quantized as its current form states."""
        forms = (self._layers_with_form(form) for form in (INT8, INT8_WEIGHTS))
        return self.build(*([layer for layer, _ in pairs] for pairs in forms))

    def exclude_inaccurate_layers(self) -> None:
        """Measure the signal-to-noise ratio of each layer with only this layer quantized; layers
        with less than 10 dB stay float.
        """
        pairs = self._layers_with_form(INT8, INT8_WEIGHTS)
        reference = FloatReference(self._base, self._data, [layer.output for layer, _ in pairs])
        for i, (layer, report) in enumerate(pairs):
            self._progress("error of layers", i, len(pairs))
            is_int8 = report.form == INT8
            model = self.build([layer]) if is_int8 else self.build([], [layer])
            report.snr_alone = reference.snr_of_variables(model, [layer.output])[layer.output]
            if report.snr_alone < MIN_LAYER_SNR:
                report.mark_as_float(
                    f"its signal-to-noise ratio is {report.snr_alone:.1f} dB, below "
                    f"{MIN_LAYER_SNR:.0f} dB"
                )

    def exclude_slow_op_types(self) -> None:
        """Compute the layers of an op type in float32 if that makes the model more than 2 % faster
        in two measurements; repeat with the remaining types, beginning with the slowest.
        """
        while pairs := self._layers_with_form(INT8):
            self._progress("speed", 0, 0)
            types = sorted({layer.type for layer, _ in pairs})
            models = {"all": self.build([layer for layer, _ in pairs])}
            for type in types:
                models[type] = self.build([layer for layer, _ in pairs if layer.type != type])
            times = median_run_milliseconds(models, self._data)
            slowest = min(types, key=lambda type: times[type])
            if _is_slower_with_quantized_type(times, slowest):
                pair = {name: models[name] for name in ("all", slowest)}
                times = median_run_milliseconds(pair, self._data)
            if not _is_slower_with_quantized_type(times, slowest):
                return
            for layer, report in pairs:
                if layer.type == slowest:
                    self._set_form_weight_only_or_float(
                        layer,
                        report,
                        f"with quantized {slowest} the model takes {times['all']:.3g} ms, without "
                        f"{times[slowest]:.3g} ms",
                    )

    def exclude_layers_until_drop_allowed(self) -> None:
        """Set layers back to float32, the one with the smallest signal-to-noise ratio first, until
        the loss of the model is at most the allowed loss.
        """
        limit = _allowed_accuracy_drop_or_none(self._settings, self._data)
        if limit is None:
            return
        reference = accuracy(self._base, self._data) if self._data.labels else None
        order = sorted(
            self._layers_with_form(INT8, INT8_WEIGHTS), key=lambda at: at[1].snr_alone or 0.0
        )
        for i, (_, report) in enumerate(order):
            self._progress("accuracy", i, len(order))
            drop = self._measure_accuracy_drop(reference)
            if drop <= limit:
                return
            report.mark_as_float(
                f"with it quantized, the model loses {_format_accuracy_drop(drop, reference)}, "
                f"--max-drop is {limit:g}"
            )

    def _measure_accuracy_drop(self, reference: float | None) -> float:
        """Build the model with the remaining layers, and return its loss of accuracy in points or,
        without labels, the error of its outputs in percent of their root mean square.
        """
        model = self._build_current()
        if reference is not None:
            return reference - accuracy(model, self._data)
        return _error_percent(min_snr_of_outputs(self._base, model, self._data))

    def build_and_measure_final_model(self, original: ProgramWithValues) -> QuantizationResult:
        """Build and measure the final model."""
        self._progress("measurement", 0, 0)
        pairs = self._layers_with_form(INT8, INT8_WEIGHTS)
        model = self._build_current()
        report = QuantizationReport(self._reports)
        if not pairs and not self._num_stored_levels:
            return QuantizationResult(model, report, "all layers remain float32")
        if pairs:
            names = list(dict.fromkeys(layer.output for layer, _ in pairs))
            reference = FloatReference(self._base, self._data, names)
            final = reference.snr_of_variables(model, names)
            for layer, layer_report in pairs:
                layer_report.snr = final[layer.output]
        if self._num_stored_levels:
            report.notes.append(
                "weights that were quantized before and are stored as int8: "
                f"{self._num_stored_levels}"
            )
        report.notes += self._notes_about_other_weights()
        _measure_model_into_report(report, original, model, self._data)
        return QuantizationResult(model, report, self._reason_for_no_gain(report))

    def _notes_about_other_weights(self) -> list[str]:
        """Return a note for each large weight that belongs to no quantizable layer, with the types
        of the ops that read it.
        """
        base = self._base
        flow, notes = Dataflow(base.program), []
        layer_weights = {layer.weight for layer in self._layers}
        for name, array in base.values.items():
            if name in layer_weights or np.ndim(array) < 2 or np.size(array) < _MIN_NOTED_ELEMENTS:
                continue
            types = {base.program.block.ops[i].type for i in flow.readers.get(name, ())}
            notes.append(
                f"'{name}' remains {np.asarray(array).dtype}: it is read by "
                + (", ".join(sorted(types)) or "a loop or a branch")
            )
        return notes

    def _reason_for_no_gain(self, report: QuantizationReport) -> str:
        before, after = report.times
        is_weight_only = self._settings.method == "weight-only"
        if not is_weight_only and not self._layers_with_form(INT8):
            return "no layer computes with integers; --method weight-only makes the files smaller"
        by_speed = self._settings.selects_by_speed and not is_weight_only
        if by_speed and after > _MAX_TIME_RATIO * before:
            return f"the quantized model takes {after:.3g} ms, the float model {before:.3g} ms"
        is_smaller = report.sizes[1] < report.sizes[0]
        if self._settings.weight_storage == "int8" and not (
            is_smaller or (by_speed and after < before)
        ):
            return "the weights did not become smaller"
        return ""


def _is_slower_with_quantized_type(times: Mapping[str, float], type: str) -> bool:
    """Whether the model is slower if the layers of an op type are quantized."""
    return times["all"] > _MAX_TIME_RATIO * times[type]


def _format_accuracy_drop(drop: float, reference: float | None) -> str:
    return f"{drop:.2f} {'points of accuracy' if reference is not None else '% of the outputs'}"
