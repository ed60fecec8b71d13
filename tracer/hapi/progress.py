"""How far fit, evaluate and predict are, in Paddle's words."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .callbacks import Callback, Logs

__all__ = ["ProgBarLogger", "ProgressBar"]


def _number(value: Any) -> str:
    """A float with four digits, small ones with an exponent; the rest as it is."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, float | np.floating):
        return str(value)
    number = float(value)
    return f"{number:.4f}" if abs(number) > 0.001 else f"{number:.4e}"


def _pace(seconds: float) -> str:
    """How long one step takes."""
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s"
    return f"{seconds * 1e3:.0f}ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f}us"


def _left(seconds: float) -> str:
    """How long the rest takes."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02d}:{rest:02d}"
    return f"{minutes}:{rest:02d}" if minutes else f"{rest}s"


class ProgressBar:
    """One line on standard output: a bar that is written over (verbose=1), or a line for every
    update (2 and 3).
    """

    def __init__(
        self, num: int | None = None, width: int = 30, verbose: int = 1, name: str = "step"
    ) -> None:
        self._num, self._width, self._verbose, self._name = num, width, verbose, name
        self._start = time.time()
        self._written = 0  # characters of the line that is there

    def update(self, current_num: int, values: Sequence[tuple[str, Any]] = ()) -> None:
        """Show that `current_num` steps are done, and values by name."""
        pace = (time.time() - self._start) / current_num if current_num else 0.0
        parts = [self._count(current_num)]
        for key, value in values:
            items = value if isinstance(value, list) else [value]
            parts.append(f"{key}: " + " ".join(map(_number, items)))
        done = self._num is None or current_num >= self._num
        if self._verbose == 1 and not done:
            parts.append(f"ETA: {_left(pace * ((self._num or 0) - current_num))}")
        self._write(" - ".join([*parts, f"{_pace(pace)}/{self._name}"]), done or self._verbose > 1)

    def _count(self, current: int) -> str:
        if self._num is None:
            return f"{self._name} {current:3d}"
        count = f"{self._name} {current:{len(str(self._num))}d}/{self._num}"
        if self._verbose != 1:
            return count
        full = self._width * current // max(self._num, 1)
        head = "=" * (full - 1) + (">" if current < self._num else "=") if full else ""
        return f"{count} [{head.ljust(self._width, '.')}]"

    def _write(self, line: str, ends: bool) -> None:
        over = self._verbose == 1 and sys.stdout.isatty()
        gap = " " * (self._written - len(line))
        sys.stdout.write(("\r" if over else "") + line + gap + ("\n" if ends or not over else ""))
        sys.stdout.flush()
        self._written = 0 if ends or not over else len(line)


class _Pass:
    """One pass over data: its bar, and how long reading and computing took since the last line."""

    def __init__(self, steps: int | None, metrics: Sequence[str], verbose: int) -> None:
        self.steps, self.metrics, self.verbose = steps, metrics, verbose
        self.step = self.samples = 0
        self.bar = ProgressBar(steps, verbose=verbose)
        self._mark = time.time()
        self._forget()

    def _forget(self) -> None:
        self._reading = self._computing = 0.0
        self._batches = self._recent = 0

    def begin(self) -> None:
        """A batch was read."""
        now = time.time()
        self._reading += now - self._mark
        self._mark = now

    def end(self, logs: dict[str, Any]) -> None:
        """A batch was computed."""
        now = time.time()
        self._computing += now - self._mark
        self._mark = now
        self.step += 1
        self._batches += 1
        self._recent += int(logs.get("batch_size", 1))
        self.samples += int(logs.get("batch_size", 1))

    def show(self, logs: dict[str, Any]) -> None:
        """Write the line."""
        values: list[tuple[str, Any]] = [
            (name, logs[name]) for name in self.metrics if name in logs
        ]
        if self.verbose == 3:
            batches, spent = max(self._batches, 1), max(self._reading + self._computing, 1e-9)
            values += [
                ("avg_reader_cost", f"{self._reading / batches:.5f} sec"),
                ("avg_batch_cost", f"{self._computing / batches:.5f} sec"),
                ("ips", f"{self._recent / spent:.5f} samples/sec"),
            ]
            self._forget()
        self.bar.update(self.step, values)


class ProgBarLogger(Callback):
    """Loss, metrics and speed on standard output every log_freq steps.

    verbose: 0 nothing, 1 a bar, 2 lines, 3 with times
    """

    _pass: _Pass

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        self.log_freq = log_freq
        self.verbose = verbose

    def _say(self, text: str) -> None:
        if self.verbose:
            print(text)

    def _open(self, steps: int | None, metrics: Sequence[str]) -> None:
        self._pass = _Pass(steps, metrics, self.verbose)

    def _batch(self, logs: Logs) -> None:
        now = self._pass
        now.end(logs or {})
        if (
            self.verbose
            and now.step % self.log_freq == 0
            and (now.steps is None or now.step < now.steps)
        ):
            now.show(logs or {})

    def _close(self, logs: Logs) -> None:
        if self.verbose and self._pass.steps is not None:
            self._pass.show(logs or {})

    def on_train_begin(self, logs: Logs = None) -> None:
        """Say what the numbers mean."""
        self._say(
            "The loss value printed in the log is the current step, and the metric is the "
            "average value of previous steps."
        )

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Begin a bar."""
        self._say(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._open(self.params["steps"], self.params["metrics"])

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A batch was read."""
        self._pass.begin()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """A batch was computed."""
        self._batch(logs)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """End the bar."""
        self._close(logs)

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Begin a bar."""
        self._say("Eval begin...")
        self._open((logs or {}).get("steps"), (logs or {}).get("metrics", []))

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A batch was read."""
        self._pass.begin()

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """A batch was computed."""
        self._batch(logs)

    def on_eval_end(self, logs: Logs = None) -> None:
        """End the bar."""
        self._close(logs)
        self._say(f"Eval samples: {self._pass.samples}")

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Begin a bar."""
        self._say("Predict begin...")
        self._open((logs or {}).get("steps"), [])

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """A batch was read."""
        self._pass.begin()

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """A batch was computed."""
        self._batch(logs)

    def on_predict_end(self, logs: Logs = None) -> None:
        """End the bar."""
        self._close(logs)
        self._say(f"Predict samples: {self._pass.samples}")
