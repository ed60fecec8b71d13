"""Negative widths of `pad` remove elements, also more than an axis has beside a padded side."""

from __future__ import annotations

from itertools import product

import numpy as np

from oarlock.ops.pad import pad_or_crop_with_value

MARGIN = 8


def test_every_pair_of_widths_equals_a_window_of_the_padded_array() -> None:
    for size, before, after in product((0, 1, 2, 3), range(-5, 6), range(-5, 6)):
        if size + before + after < 0:
            continue
        x = np.arange(1.0, size + 1)
        window = np.pad(x, MARGIN)[MARGIN - before : MARGIN + size + after]
        assert pad_or_crop_with_value(x, [(before, after)], 0.0).tolist() == window.tolist()
