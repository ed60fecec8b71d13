"""`fluid.layers.random_crop` draws one position per instance, as Paddle 1.8 does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock import fluid

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
IMAGES = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6).repeat(64, axis=0)


def crop_eagerly(**options: Any) -> Any:
    with fluid.dygraph.guard():
        return fluid.layers.random_crop(
            fluid.dygraph.to_variable(IMAGES), [1, 3, 3], **options
        ).numpy()


def crop_in_program(**options: Any) -> Any:
    program = fluid.Program()
    with fluid.program_guard(program):
        x = fluid.data("x", [None, 1, 6, 6], "float32")
        y = fluid.layers.random_crop(x, [1, 3, 3], **options)
    return fluid.Executor().run(program, feed={"x": IMAGES}, fetch_list=[y])[0]


@pytest.mark.parametrize("crop", [crop_eagerly, crop_in_program])
def test_positions_differ_between_instances(crop: Any) -> None:
    crops = crop()
    assert crops.shape == (64, 1, 3, 3)
    corners = crops[:, 0, 0, 0]
    np.testing.assert_array_equal(
        crops[:, 0], corners[:, None, None] + IMAGES[0, 0, :3, :3]
    )  # the crop is contiguous
    rows, columns = np.divmod(corners, 6)
    assert set(rows) == set(columns) == {0, 1, 2, 3}


@pytest.mark.parametrize("crop", [crop_eagerly, crop_in_program])
def test_seed_makes_positions_reproducible(crop: Any) -> None:
    np.testing.assert_array_equal(crop(seed=3), crop(seed=3))
