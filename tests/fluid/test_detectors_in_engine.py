"""1.x detectors: a saved program returns in the engine what the Executor returns, with the same
LoD.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import fluid, inference

from .cases.common import numbers

layers: Any = fluid.layers
MAPS = {
    "scores": numbers(2, 3, 4, 5, low=0.0),
    "moves": numbers(2, 12, 4, 5, seed=3) * np.float32(0.5),
    "info": np.array([[40, 50, 1.0], [45, 40, 1.5]], "float32"),
    "map": numbers(2, 2, 4, 5),
}
BOXES = {"boxes": np.abs(numbers(2, 5, 4)).cumsum(-1), "scores": numbers(2, 3, 5, low=0.0)}


def regions(v: dict[str, Any]) -> Any:
    anchors, spread = layers.anchor_generator(
        v["map"], [12.0], [0.5, 1.0, 2.0], [0.5, 0.5, 1.0, 1.0], [9.0, 9.0]
    )
    return layers.generate_proposals(
        v["scores"], v["moves"], v["info"], anchors, spread, post_nms_top_n=6
    )[0]


def pyramid(v: dict[str, Any]) -> list[Any]:
    """Regions proposed, shared out to levels, pooled, and collected."""
    rois = regions(v)
    levels, back = layers.distribute_fpn_proposals(rois, 2, 3, 3, 15)
    pooled = [layers.roi_align(v["map"], one, 2, 2, 0.1, 2) for one in levels]
    scores = [layers.lod_reset(layers.reduce_sum(one, dim=1, keep_dim=True), one) for one in levels]
    best = layers.collect_fpn_proposals(levels, scores, 2, 3, 5)
    return [layers.gather(layers.concat(pooled), back), best, rois]


def pool_regions(v: dict[str, Any]) -> list[Any]:
    return [layers.roi_pool(v["map"], regions(v), 2, 2, 0.1)]


def nms_with_and_without_boxes(v: dict[str, Any]) -> list[Any]:
    """What is left of boxes, and of none."""
    some = layers.multiclass_nms(v["boxes"], v["scores"], 0.1, 10, 4)
    numbered = fluid.contrib.layers.multiclass_nms2(
        v["boxes"], v["scores"], 0.1, 10, 4, return_index=True
    )
    return [some, layers.multiclass_nms(v["boxes"], v["scores"], 2.0, 10, 4), *numbered]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("build", "feed"),
    [(pyramid, MAPS), (pool_regions, MAPS), (nms_with_and_without_boxes, BOXES)],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_engine_equals_executor(
    build: Callable[[dict[str, Any]], list[Any]], feed: dict[str, Any], tmp_path: Path
) -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        found = build(
            {name: fluid.data(name, [None, *a.shape[1:]], str(a.dtype)) for name, a in feed.items()}
        )
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        wanted = executor.run(main, feed=feed, fetch_list=found, return_numpy=False)
        files = {"model_filename": "model", "params_filename": "params"}
        fluid.io.save_inference_model(str(tmp_path), list(feed), found, executor, main, **files)
    predictor = inference.create_predictor(
        inference.Config(str(tmp_path / "model"), str(tmp_path / "params"))
    )
    for name, array in feed.items():
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    for name, want in zip(predictor.get_output_names(), wanted, strict=True):
        handle = predictor.get_output_handle(name)
        np.testing.assert_allclose(handle.copy_to_cpu(), np.asarray(want), rtol=1e-4, atol=1e-4)
        assert handle.lod() == (want.lod() if hasattr(want, "lod") else [])
