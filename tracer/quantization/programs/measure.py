"""Measure thresholds of activations, errors, accuracy and times of models in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...jit.verify import intermediate_tensor_names
from ..abs_histogram import AbsHistogram, kl_threshold, percentile_threshold
from .calibration_data import CalibrationData
from .engine_session import EngineSession
from .model import ProgramWithValues
from .static_quantization import MIN_SCALE

MAX_ERROR_BATCHES = 8  # batches with which errors are measured
_NUM_RUNS, _NUM_WARMUP_RUNS = 40, 5
_MAX_SECONDS = 4.0  # per comparison of times
_MAX_DECIBELS_ABOVE_MEDIAN = 6.0  # that the ratio of all samples may exceed the median sample's

# A function that reports progress: called with the name of the current step, the number of its
# completed parts, and the number of all parts (0 if unknown).
ProgressFunction = Callable[[str, int, int], None]

THRESHOLD_FUNCTIONS = {
    "absmax": lambda histogram: histogram.max_abs,
    "percentile": percentile_threshold,
    "kl": kl_threshold,
}


def find_calibrated_thresholds(
    model: ProgramWithValues,
    data: CalibrationData,
    names: Sequence[str],
    method: str,
    progress: ProgressFunction,
) -> tuple[dict[str, float], dict[str, str]]:
    """Run the model on the data; return the threshold of each variable by name, at which it is to
    be clipped, and for each variable without one the reason.

    method: 'absmax', 'percentile' (99.99 % of the values) or 'kl' (least divergence).
    """
    histograms = {name: AbsHistogram() for name in names}
    problems: dict[str, str] = {}
    session = EngineSession(model, names, run_timeout=data.run_timeout)
    for i, feeds in enumerate(data.batches):
        progress("calibration", i, len(data.batches))
        for name, array in zip(names, session.run(feeds), strict=True):
            try:
                histograms[name].add(array)
            except OpError:
                problems[name] = f"'{name}' contains NaN or infinity for the calibration data"
    thresholds = {}
    for name, histogram in histograms.items():
        if name not in problems and histogram.max_abs < MIN_SCALE:
            problems[name] = f"'{name}' is always 0 for the calibration data"
        if name not in problems:
            thresholds[name] = float(THRESHOLD_FUNCTIONS[method](histogram))
    return thresholds, problems


def max_abs_of_activations(model: ProgramWithValues, data: CalibrationData) -> dict[str, float]:
    """Return the largest absolute value of each input, of each float32 tensor that an op of the
    outermost block writes, and of each output; infinity if one is not finite.
    """
    program = model.program
    inner = [
        name
        for name in intermediate_tensor_names(program, model.values)
        if program.block.vars[name].dtype == "float32"
    ]
    names = list(dict.fromkeys([*program.feed_names(), *inner, *program.fetch_names()]))
    result = dict.fromkeys(names, 0.0)
    session = EngineSession(model, names, run_timeout=data.run_timeout)
    for feeds in data.batches:
        for name, array in zip(names, session.run(feeds), strict=True):
            if array.size:
                largest = float(np.abs(array).max())
                result[name] = max(result[name], largest if math.isfinite(largest) else math.inf)
    return result


class SignalToNoiseAccumulator:
    """Accumulates the signal-to-noise ratio of results, compared with reference results."""

    def __init__(self) -> None:
        self._signal = self._noise = 0.0
        self._ratios_of_samples: list[float] = []

    def add(self, reference: Any, result: Any, num_samples: int | None = None) -> None:
        """Add a reference array and a result array. If their shapes differ, the error is infinite.

        num_samples: the size of the first axis if it holds samples.
        """
        a, b = np.asarray(reference, np.float64), np.asarray(result, np.float64)
        if a.shape != b.shape:
            self._noise = math.inf
            return
        signal, noise = np.square(a), np.square(a - b)
        self._signal += float(signal.sum())
        self._noise += float(noise.sum())
        if num_samples is not None and a.ndim and len(a) == num_samples:
            axes = tuple(range(1, a.ndim))
            pairs = zip(signal.sum(axes), noise.sum(axes), strict=True)
            self._ratios_of_samples += [_decibels(s, n) for s, n in pairs if s]

    def decibels(self) -> float:
        """Return 10 * log10(sum of squared references / sum of squared differences); infinity if no
        result differs.

        If the ratio of the median sample is more than 6 dB smaller, return that one instead: a few
        samples with large values would hide that most results are wrong.
        """
        ratio = _decibels(self._signal, self._noise)
        if not self._ratios_of_samples:
            return ratio
        median = sorted(self._ratios_of_samples)[(len(self._ratios_of_samples) - 1) // 2]
        return median if median < ratio - _MAX_DECIBELS_ABOVE_MEDIAN else ratio


def _decibels(signal: float, noise: float) -> float:
    if not noise:
        return math.inf
    if not signal or not math.isfinite(noise):
        return -math.inf
    return 10 * math.log10(signal / noise)


def _num_samples(feeds: Mapping[str, Any]) -> int | None:
    """The size of the first axis of all inputs; None if it differs."""
    sizes = {len(array) if array.ndim else None for array in feeds.values()}
    return sizes.pop() if len(sizes) == 1 else None


class FloatReference:
    """A float model; variables of quantized models are compared with its variables.

    Its session returns any of `names`; it is opened once, because that takes longer than the runs.
    """

    def __init__(
        self, model: ProgramWithValues, data: CalibrationData, names: Sequence[str]
    ) -> None:
        self._batches = data.batches[:MAX_ERROR_BATCHES]
        self._run_timeout = data.run_timeout
        names = list(dict.fromkeys(names))
        self._session = EngineSession(model, names, run_timeout=self._run_timeout)

    def snr_of_variables(self, model: ProgramWithValues, names: Sequence[str]) -> dict[str, float]:
        """Return the signal-to-noise ratio of variables of a quantized model."""
        totals = {name: SignalToNoiseAccumulator() for name in names}
        session = EngineSession(model, names, run_timeout=self._run_timeout)
        for feeds in self._batches:
            expected, found = self._session.run(feeds, names), session.run(feeds)
            for name, a, b in zip(names, expected, found, strict=True):
                totals[name].add(a, b, _num_samples(feeds))
        return {name: total.decibels() for name, total in totals.items()}


def min_snr_of_outputs(
    reference: ProgramWithValues, model: ProgramWithValues, data: CalibrationData
) -> float:
    """Return the smallest signal-to-noise ratio of the floating outputs of a model; infinity if it
    has none.
    """
    totals: dict[int, SignalToNoiseAccumulator] = {}
    wanted, found = (EngineSession(m, run_timeout=data.run_timeout) for m in (reference, model))
    for feeds in data.batches[:MAX_ERROR_BATCHES]:
        num_samples = _num_samples(feeds)
        for i, (a, b) in enumerate(zip(wanted.run(feeds), found.run(feeds), strict=True)):
            if a.dtype.kind == "f":
                totals.setdefault(i, SignalToNoiseAccumulator()).add(a, b, num_samples)
    return min((total.decibels() for total in totals.values()), default=math.inf)


def accuracy(model: ProgramWithValues, data: CalibrationData) -> float:
    """Return the percentage of samples whose label has the largest value in the first output.

    Raises OpError if the output does not have one row of scores per label.
    """
    session = EngineSession(model, run_timeout=data.run_timeout)
    predictions, num_classes = [], 0
    for feeds in data.batches:
        scores = session.run(feeds)[0]
        if scores.ndim < 1 or scores.dtype.kind != "f":
            raise OpError(
                f"quantize: the accuracy needs scores as the first output of the model, which "
                f"is {scores.dtype}{list(scores.shape)}"
            )
        if scores.shape[-1] < 2:
            raise OpError(
                f"quantize: the accuracy needs one score per class in the first output of the "
                f"model, which is {scores.dtype}{list(scores.shape)}; limit the error of the "
                f"outputs with --max-drop instead, without --labels"
            )
        num_classes = scores.shape[-1]
        predictions.append(scores.argmax(-1).reshape(-1))
    found, labels = np.concatenate(predictions), data.all_labels()
    if found.shape != labels.shape:
        raise OpError(
            f"quantize: the first output has {found.size} rows of scores for {labels.size} labels"
        )
    invalid = labels[(labels < 0) | (labels >= num_classes)]
    if invalid.size:
        raise OpError(
            f"quantize: the label {invalid[0]} is not a class index from 0 to {num_classes - 1}"
        )
    return 100.0 * float((found == labels).mean())


def median_run_milliseconds(
    models: Mapping[str, ProgramWithValues], data: CalibrationData
) -> dict[str, float]:
    """Return the median milliseconds of one run of each model with `data.sample`.

    The runs alternate in changing order, so that all models have the same conditions. Threads do
    not spin between runs, because they would slow down the next model.
    """
    sessions = {
        name: EngineSession(model, run_timeout=data.run_timeout, spinning=0)
        for name, model in models.items()
    }
    for session in sessions.values():
        session.run(data.sample)  # later runs with the same inputs end as well, without a timer
    times: dict[str, list[float]] = {name: [] for name in models}
    names = list(models)
    start = perf_counter()
    for i in range(_NUM_WARMUP_RUNS + _NUM_RUNS):
        if i >= 2 * _NUM_WARMUP_RUNS and perf_counter() - start > _MAX_SECONDS:
            break
        first = i % len(names)
        for name in names[first:] + names[:first]:
            before = perf_counter()
            sessions[name].engine.run(data.sample)
            if i >= _NUM_WARMUP_RUNS:
                times[name].append(perf_counter() - before)
    return {name: 1e3 * float(np.median(values)) for name, values in times.items()}
