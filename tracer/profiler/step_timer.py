"""Durations of steps: the numbers of `Profiler.step_info`."""

from __future__ import annotations

import time


class StepTimer:
    """Measures the steps between two calls of `summarize`."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._seconds: list[float] = []
        self._samples: list[int] = []

    def step(self, num_samples: int | None) -> None:
        """End a step, which processed a number of samples."""
        now = time.perf_counter()
        self._seconds.append(now - self._last)
        self._last = now
        if num_samples is not None:
            self._samples.append(num_samples)

    def summarize(self, unit: str | None) -> str:
        """Return the mean duration and the throughput of the steps since the last call.

        unit: what a sample is, such as "images"
        """
        if not self._seconds:
            return ""
        seconds = sum(self._seconds)
        text = f" batch_cost: {seconds / len(self._seconds):.5f} s"
        if self._samples and seconds:
            rate = sum(self._samples) / seconds
            text += f" ips: {rate:.3f} {unit or 'samples'}/s"
        elif seconds:
            text += f" ips: {len(self._seconds) / seconds:.3f} steps/s"
        self._seconds, self._samples = [], []
        return text
