"""Progress of fit, evaluate and predict, in Paddle's format."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .callbacks import Callback, Logs

__all__ = ["ProgBarLogger", "ProgressBar"]


def _format_number(value: Any) -> str:
    """Format a float with four digits, small numbers with an exponent. Format values of other types
    with str.
    """
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, float | np.floating):
        return str(value)
    number = float(value)
    return f"{number:.4f}" if abs(number) > 0.001 else f"{number:.4e}"


def _format_step_time(seconds: float) -> str:
    """Format the duration of a step."""
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f}us"


def _format_eta(seconds: float) -> str:
    """Format the remaining time."""
    minutes, remaining = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{remaining:02d}"
    return f"{minutes}:{remaining:02d}" if minutes else f"{remaining}s"


class ProgressBar:
    """Progress output on standard output: one line with a bar that is overwritten (verbose=1), or a
    new line for each update (verbose=2 and 3).
    """

    def __init__(
        self, num: int | None = None, width: int = 30, verbose: int = 1, name: str = "step"
    ) -> None:
        self._num_steps, self._width, self._verbose, self._name = num, width, verbose, name
        self._start = time.time()
        self._num_written = 0  # characters of the current line

    def update(self, current_num: int, values: Sequence[tuple[str, Any]] = ()) -> None:
        """Show that `current_num` steps are done, with values by name."""
        step_time = (time.time() - self._start) / current_num if current_num else 0.0
        fields = [self._format_count_and_bar(current_num)]
        for key, value in values:
            items = value if isinstance(value, list) else [value]
            fields.append(f"{key}: " + " ".join(map(_format_number, items)))
        is_done = self._num_steps is None or current_num >= self._num_steps
        if self._verbose == 1 and not is_done:
            fields.append(f"ETA: {_format_eta(step_time * ((self._num_steps or 0) - current_num))}")
        self._write(
            " - ".join([*fields, f"{_format_step_time(step_time)}/{self._name}"]),
            is_done or self._verbose > 1,
        )

    def _format_count_and_bar(self, current: int) -> str:
        if self._num_steps is None:
            return f"{self._name} {current:3d}"
        count = f"{self._name} {current:{len(str(self._num_steps))}d}/{self._num_steps}"
        if self._verbose != 1:
            return count
        num_filled = self._width * current // max(self._num_steps, 1)
        bar = (
            "=" * (num_filled - 1) + (">" if current < self._num_steps else "=")
            if num_filled
            else ""
        )
        return f"{count} [{bar.ljust(self._width, '.')}]"

    def _write(self, line: str, ends_line: bool) -> None:
        overwrites = self._verbose == 1 and sys.stdout.isatty()
        padding = " " * (self._num_written - len(line))
        sys.stdout.write(
            ("\r" if overwrites else "")
            + line
            + padding
            + ("\n" if ends_line or not overwrites else "")
        )
        sys.stdout.flush()
        self._num_written = 0 if ends_line or not overwrites else len(line)


class _LoopProgress:
    """The progress of one loop over batches: its bar, and the time spent on reading and on
    computing since the last printed line.
    """

    def __init__(self, steps: int | None, metrics: Sequence[str], verbose: int) -> None:
        self.steps, self.metrics, self.verbose = steps, metrics, verbose
        self.step = self.samples = 0
        self.bar = ProgressBar(steps, verbose=verbose)
        self._last_time = time.time()
        self._reset_times_and_counts()

    def _reset_times_and_counts(self) -> None:
        self._read_seconds = self._compute_seconds = 0.0
        self._num_batches = self._num_recent_samples = 0

    def begin(self) -> None:
        """Add the time of reading a batch."""
        time_ = time.time()
        self._read_seconds += time_ - self._last_time
        self._last_time = time_

    def end(self, logs: dict[str, Any]) -> None:
        """Add the time of computing a batch."""
        time_ = time.time()
        self._compute_seconds += time_ - self._last_time
        self._last_time = time_
        self.step += 1
        self._num_batches += 1
        self._num_recent_samples += int(logs.get("batch_size", 1))
        self.samples += int(logs.get("batch_size", 1))

    def show(self, logs: dict[str, Any]) -> None:
        """Print the progress line with the values in `logs`."""
        values: list[tuple[str, Any]] = [
            (name, logs[name]) for name in self.metrics if name in logs
        ]
        if self.verbose == 3:
            batches, total_time = (
                max(self._num_batches, 1),
                max(self._read_seconds + self._compute_seconds, 1e-9),
            )
            values += [
                ("avg_reader_cost", f"{self._read_seconds / batches:.5f} sec"),
                ("avg_batch_cost", f"{self._compute_seconds / batches:.5f} sec"),
                ("ips", f"{self._num_recent_samples / total_time:.5f} samples/sec"),
            ]
            self._reset_times_and_counts()
        self.bar.update(self.step, values)


class ProgBarLogger(Callback):
    """Print loss, metrics and speed during training, evaluation and prediction.

    `Model.fit`, `evaluate` and `predict` add this callback unless their `verbose` is 0.

    Parameters
    ----------
    log_freq : int, default 1
        Steps between two lines. The last step of an epoch is always printed.
    verbose : 0, 1, 2 or 3, default 2
        0: nothing. 1: a bar, overwritten on a terminal. 2: lines. 3: lines with the times of
        reading and computing.

    Examples
    --------
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> logger = paddle.callbacks.ProgBarLogger(log_freq=2)
    >>> outputs = model.predict([paddle.ones([4, 2])] * 3, callbacks=logger)
    Predict begin...
    step 2/3 - .../step
    step 3/3 - .../step
    Predict samples: 12
    """

    _progress: _LoopProgress

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        self.log_freq = log_freq
        self.verbose = verbose

    def _print_if_verbose(self, text: str) -> None:
        if self.verbose:
            print(text)

    def _start_bar(self, steps: int | None, metrics: Sequence[str]) -> None:
        self._progress = _LoopProgress(steps, metrics, self.verbose)

    def _end_batch(self, logs: Logs) -> None:
        progress = self._progress
        progress.end(logs or {})
        if (
            self.verbose
            and progress.step % self.log_freq == 0
            and (progress.steps is None or progress.step < progress.steps)
        ):
            progress.show(logs or {})

    def _end_bar(self, logs: Logs) -> None:
        if self.verbose and self._progress.steps is not None:
            self._progress.show(logs or {})

    def on_train_begin(self, logs: Logs = None) -> None:
        self._print_if_verbose(
            "The loss value printed in the log is the current step, and the metric is the "
            "average value of previous steps."
        )

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._print_if_verbose(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._start_bar(self.params["steps"], self.params["metrics"])

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        self._progress.begin()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        self._end_batch(logs)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        self._end_bar(logs)

    def on_eval_begin(self, logs: Logs = None) -> None:
        self._print_if_verbose("Eval begin...")
        self._start_bar((logs or {}).get("steps"), (logs or {}).get("metrics", []))

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        self._progress.begin()

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        self._end_batch(logs)

    def on_eval_end(self, logs: Logs = None) -> None:
        self._end_bar(logs)
        self._print_if_verbose(f"Eval samples: {self._progress.samples}")

    def on_predict_begin(self, logs: Logs = None) -> None:
        self._print_if_verbose("Predict begin...")
        self._start_bar((logs or {}).get("steps"), [])

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        self._progress.begin()

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        self._end_batch(logs)

    def on_predict_end(self, logs: Logs = None) -> None:
        self._end_bar(logs)
        self._print_if_verbose(f"Predict samples: {self._progress.samples}")
