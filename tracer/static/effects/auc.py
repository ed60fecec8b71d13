"""auc: the area under the curve of true over false positives, of what a program has seen so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..program import OpDesc


class Area:
    """What the op `auc` does.   Counts of positives and negatives by bin of the prediction are kept from run to run."""

    def __init__(self, desc: OpDesc) -> None:
        self._thresholds = int(desc.attr("num_thresholds", 4095))
        self._slide = int(desc.attr("slide_steps", 1))

    def __call__(self, predict: Any, label: Any, positive: Any, negative: Any) -> tuple[Any, Any, Any]:
        """The area, and the new counts.   predict [N, K], the last column counts; label: 0 or 1 [N, 1]"""
        bins = (predict[:, -1] * self._thresholds).astype(np.int64)
        seen = label.reshape(-1) != 0
        count = self._thresholds + 1
        counts = [np.bincount(bins[chosen], minlength=count).astype(np.int64) for chosen in (seen, ~seen)]
        kept = [self._slid(old, new) for old, new in zip((positive, negative), counts, strict=True)]
        return np.float64(area(self._current(kept[0]), self._current(kept[1]))), kept[0], kept[1]

    def _slid(self, old: Any, new: Any) -> Any:
        """The counts after a batch: of all, or a window of batches, then their sum, then how many there were."""
        if not self._slide:
            return (old.reshape(-1) + new).reshape(old.shape)
        made, size = old.copy(), len(new)
        at = int(made[-1]) % self._slide * size
        total = made[self._slide * size : (self._slide + 1) * size]
        total += new - made[at : at + size]
        made[at : at + size] = new
        made[-1] += 1
        return made

    def _current(self, kept: Any) -> Any:
        size = self._thresholds + 1
        return kept[self._slide * size : (self._slide + 1) * size] if self._slide else kept.reshape(-1)


def area(positive: Any, negative: Any) -> float:
    """By trapezoids, from the highest bin down; 0 where all are of one kind.   positive, negative: counts [bins]"""
    true, false = np.cumsum(positive[::-1]), np.cumsum(negative[::-1])
    if not true[-1] or not false[-1]:
        return 0.0
    heights = (true + np.concatenate([[0], true[:-1]])) / 2
    widths = np.diff(false, prepend=0)
    return float((heights * widths).sum() / (float(true[-1]) * float(false[-1])))
