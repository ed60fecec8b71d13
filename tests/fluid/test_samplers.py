"""Random sampling of anchors and regions: counts, valid candidates, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import fluid

from .cases.proposals import ANCHORS, CROWD, GT, INFO

layers: Any = fluid.layers
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def run(build: Any, seed: int) -> list[Any]:
    """Return the sampled anchors of two images."""
    main = fluid.Program()
    given = {
        "anchors": ANCHORS,
        "boxes": GT,
        "crowd": CROWD,
        "info": INFO,
        "rois": np.concatenate([ANCHORS] * 2),
    }
    given |= {
        "places": np.arange(160, dtype="float32").reshape(2, 20, 4),
        "scores": np.zeros((2, 20, 1), "float32"),
    }
    given["kinds"] = np.array([[1], [2], [3], [2], [1]], "int32")
    lengths = {"boxes": [[3, 2]], "crowd": [[3, 2]], "kinds": [[3, 2]], "rois": [[20, 20]]}
    with fluid.program_guard(main, fluid.Program()):
        v = {
            name: fluid.data(name, [None, *a.shape[1:]], str(a.dtype), int(name in lengths))
            for name, a in given.items()
        }
        found = build(v)
        feed = {
            n: fluid.create_lod_tensor(a, lengths[n], fluid.CPUPlace()) if n in lengths else a
            for n, a in given.items()
        }
        oarlock.seed(seed)
        made = fluid.Executor(fluid.CPUPlace()).run(
            main, feed=feed, fetch_list=list(found), return_numpy=False
        )
    return [np.asarray(m) for m in made]


def anchors(v: dict[str, Any], use_random: bool = True) -> Any:
    settings = {
        "rpn_batch_size_per_im": 4,
        "rpn_fg_fraction": 0.5,
        "rpn_straddle_thresh": -1.0,
        "rpn_positive_overlap": 0.3,
    }
    return layers.rpn_target_assign(
        v["places"],
        v["scores"],
        v["anchors"],
        v["anchors"],
        v["boxes"],
        v["crowd"],
        v["info"],
        use_random=use_random,
        rpn_negative_overlap=0.25,
        **settings,
    )


def regions(v: dict[str, Any]) -> Any:
    return layers.generate_proposal_labels(
        v["rois"],
        v["kinds"],
        v["crowd"],
        v["boxes"],
        v["info"],
        batch_size_per_im=6,
        fg_fraction=0.5,
        class_nums=4,
    )


@pytest.mark.parametrize(
    ("build", "index", "count"), [(anchors, 2, 8), (regions, 1, 12)], ids=["anchors", "regions"]
)
def test_number_of_samples(build: Any, index: int, count: int) -> None:
    made = run(build, 3)
    assert made[index].shape == (count, 1)
    assert int((made[index] > 0).sum()) == count // 2


@pytest.mark.parametrize("build", [anchors, regions])
def test_samples_depend_on_the_seed(build: Any) -> None:
    first, again, *others = (run(build, seed) for seed in (3, 3, 4, 5, 6))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert any(
        not np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True)
    )


def test_samples_are_valid_candidates() -> None:
    """Without use_random the first candidates are selected, otherwise others of the same kind."""
    drawn = {tuple(row) for seed in range(8) for row in run(anchors, seed)[1].tolist()}
    fixed = {tuple(row) for row in run(lambda v: anchors(v, False), 0)[1].tolist()}
    assert fixed <= drawn
    assert len(drawn) > len(fixed)
