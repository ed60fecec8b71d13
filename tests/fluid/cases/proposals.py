"""Two-stage detectors: region proposals, FPN levels and training targets."""

import numpy as np

from .common import numbers
from .sequence import run


def _boxes(count, size, seed):
    low = numbers(count, 2, low=0.0, high=size * 0.6, seed=seed)
    return np.concatenate(
        [low, low + numbers(count, 2, low=size * 0.1, high=size * 0.5, seed=seed + 1)], axis=1
    )


INFO = np.array([[40, 50, 1.0], [45, 40, 1.5]], "float32")
GT = np.concatenate([_boxes(3, 30, 11), _boxes(2, 25, 13)])
GT_LENGTHS = [[3, 2]]
ANCHORS = np.concatenate(
    [GT[:3] + 2, GT[3:] * 1.5 - 1, _boxes(14, 45, 15), [[-3, 4, 10, 14]]]
).astype("float32")
CROWD = np.array([[0], [1], [0], [0], [0]], "int32")


def _both(fluid, found):
    """Return the results, preceded by the first two concatenated, for the gradients."""
    parts = [fluid.layers.reshape(one, [-1]) for one in found[:2]]
    return [fluid.layers.concat(parts)] + list(found)


def _targets(fluid, gradients_of=(), **settings):
    feed = {
        "places": numbers(2, 20, 4),
        "scores": numbers(2, 20, 1, seed=2),
        "anchors": ANCHORS,
        "boxes": GT,
        "crowd": CROWD,
        "info": INFO,
    }

    def build(v):
        found = fluid.layers.rpn_target_assign(
            v["places"],
            v["scores"],
            v["anchors"],
            v["anchors"],
            v["boxes"],
            v["crowd"],
            v["info"],
            use_random=False,
            **settings,
        )
        return _both(fluid, found)

    lengths = {
        "places": [],
        "scores": [],
        "anchors": [],
        "boxes": GT_LENGTHS,
        "crowd": GT_LENGTHS,
        "info": [],
    }
    return run(fluid, build, feed, lengths, gradients_of=gradients_of)


def case_rpn_target_assign(fluid):
    return _targets(fluid, rpn_positive_overlap=0.5, rpn_negative_overlap=0.3)


def case_rpn_target_assign_of_few(fluid):
    return _targets(
        fluid,
        ("places", "scores"),
        rpn_batch_size_per_im=6,
        rpn_fg_fraction=0.3,
        rpn_straddle_thresh=-1.0,
        rpn_positive_overlap=0.3,
        rpn_negative_overlap=0.2,
    )


def case_rpn_target_assign_with_fakes(fluid):
    return _targets(
        fluid, rpn_batch_size_per_im=40, rpn_positive_overlap=0.9, rpn_negative_overlap=0.8
    )


def case_retinanet_target_assign(fluid):
    feed = {
        "places": numbers(2, 20, 4),
        "scores": numbers(2, 20, 3, seed=2),
        "anchors": ANCHORS,
        "boxes": GT,
        "labels": np.array([[1], [2], [3], [2], [1]], "int32"),
        "crowd": CROWD,
        "info": INFO,
    }

    def build(v):
        found = fluid.layers.retinanet_target_assign(
            v["places"],
            v["scores"],
            v["anchors"],
            v["anchors"],
            v["boxes"],
            v["labels"],
            v["crowd"],
            v["info"],
            3,
            0.6,
            0.4,
        )
        return _both(fluid, found)

    lengths = {n: GT_LENGTHS if n in ("boxes", "labels", "crowd") else [] for n in feed}
    return run(fluid, build, feed, lengths)


def _proposals(fluid, **settings):
    feed = {
        "scores": numbers(2, 3, 4, 5, low=0.0),
        "deltas": numbers(2, 12, 4, 5, seed=3) * 0.5,
        "info": INFO,
        "map": numbers(2, 2, 4, 5),
    }

    def build(v):
        anchors, spread = fluid.layers.anchor_generator(
            v["map"], [12.0], [0.5, 1.0, 2.0], [0.5, 0.5, 1.0, 1.0], [9.0, 9.0]
        )
        return fluid.layers.generate_proposals(
            v["scores"], v["deltas"], v["info"], anchors, spread, **settings
        )

    return run(fluid, build, feed, dict.fromkeys(feed, ()))


def case_generate_proposals(fluid):
    return _proposals(fluid, return_rois_num=True)


def case_generate_proposals_few(fluid):
    return _proposals(
        fluid, pre_nms_top_n=20, post_nms_top_n=5, nms_thresh=0.7, min_size=9.0, eta=0.9
    )


def _labels(fluid, **settings):
    feed = {
        "rois": np.concatenate([ANCHORS[:12], ANCHORS[3:15]]),
        "classes": np.array([[1], [2], [3], [2], [1]], "int32"),
        "crowd": CROWD,
        "boxes": GT,
        "info": INFO,
    }

    def build(v):
        given = v["rois"], v["classes"], v["crowd"], v["boxes"], v["info"]
        return fluid.layers.generate_proposal_labels(
            *given, class_nums=4, use_random=False, **settings
        )

    lengths = {
        "rois": [[12, 12]],
        "classes": GT_LENGTHS,
        "crowd": GT_LENGTHS,
        "boxes": GT_LENGTHS,
        "info": [],
    }
    return run(fluid, build, feed, lengths)


def case_generate_proposal_labels(fluid):
    return _labels(fluid)


def case_generate_proposal_labels_few(fluid):
    return _labels(
        fluid,
        batch_size_per_im=8,
        fg_fraction=0.5,
        fg_thresh=0.4,
        bg_thresh_hi=0.3,
        bg_thresh_lo=0.05,
        is_cls_agnostic=True,
    )


def case_generate_proposal_labels_cascade(fluid):
    return _labels(
        fluid,
        batch_size_per_im=64,
        fg_thresh=0.5,
        is_cascade_rcnn=True,
        bbox_reg_weights=[0.05, 0.1, 0.1, 0.3],
    )


def case_levels(fluid):
    """Regions shared out to levels, and collected."""
    rois = np.concatenate([_boxes(5, 20, 21), _boxes(6, 60, 23)])

    def build(v):
        layers = fluid.layers
        levels, back = layers.distribute_fpn_proposals(v["rois"], 2, 4, 3, 12)
        scores = [
            layers.lod_reset(layers.reduce_sum(one, dim=1, keep_dim=True), one) for one in levels
        ]
        return [*levels, back, layers.collect_fpn_proposals(levels, scores, 2, 4, 7)]

    return run(fluid, build, {"rois": rois}, {"rois": [[7, 4]]})


def _detected(fluid, **settings):
    feed = {"info": INFO}
    for i, count in enumerate((6, 4)):
        feed[f"boxes{i}"] = numbers(2, count, 4, seed=31 + i) * 0.4
        feed[f"scores{i}"] = numbers(2, count, 3, low=0.0, seed=33 + i)
        feed[f"anchors{i}"] = _boxes(count, 40, 35 + 2 * i)

    def build(v):
        several = [[v[f"{name}{i}"] for i in range(2)] for name in ("boxes", "scores", "anchors")]
        return fluid.layers.retinanet_detection_output(*several, im_info=v["info"], **settings)

    return run(fluid, build, feed, dict.fromkeys(feed, ()))


def case_retinanet_detection_output(fluid):
    return _detected(fluid)


def case_retinanet_detection_output_few(fluid):
    return _detected(fluid, score_threshold=0.5, nms_top_k=5, keep_top_k=4, nms_threshold=0.1)


QUADS = np.array(
    [
        [
            [0, 0, 10, 0, 10, 8, 0, 8],
            [1, 0, 11, 1, 11, 9, 1, 8],
            [20, 20, 30, 21, 29, 30, 20, 29],
            [21, 20, 31, 21, 30, 30, 21, 29],
            [5, 4, 14, 4, 14, 12, 5, 12],
        ],
        [
            [0, 0, 6, 1, 5, 8, 0, 6],
            [30, 0, 40, 1, 39, 8, 31, 7],
            [0, 1, 6, 1, 6, 7, 1, 7],
            [1, 2, 7, 2, 6, 8, 0, 7],
            [31, 1, 41, 2, 40, 9, 30, 8],
        ],
    ],
    "float32",
)


def _merged(fluid, boxes, **settings):
    feed = {"boxes": boxes, "scores": numbers(2, 1, 5, low=0.1, seed=5)}
    return run(
        fluid,
        lambda v: fluid.layers.locality_aware_nms(v["boxes"], v["scores"], 0.1, 10, 4, **settings),
        feed,
        {"boxes": [], "scores": []},
    )


def case_locality_aware_nms(fluid):
    return _merged(fluid, QUADS[:, :, [0, 1, 4, 5]], normalized=False)


def case_locality_aware_nms_of_quads(fluid):
    return _merged(fluid, QUADS, nms_threshold=0.5)


def _masks(fluid, labels):
    """Two images: two objects, one with two outlines, and one crowd; then one object."""
    outlines = [
        [[5, 5], [20, 6], [18, 22], [4, 20]],
        [[25, 8], [33, 9], [30, 20]],
        [[26, 21], [35, 21], [35, 30], [26, 30]],
        [[1, 1], [9, 1], [9, 9], [1, 9]],
        [[8, 10], [20, 5.5], [25, 18], [16, 30], [6, 22]],
    ]
    feed = {
        "info": INFO,
        "classes": np.array([[1], [2], [1], [2]], "int32"),
        "crowd": np.array([[0], [0], [1], [0]], "int32"),
        "points": np.concatenate([np.array(o, "float32") for o in outlines]),
        "rois": np.array(
            [[4, 4, 22, 20], [24, 7, 36, 28], [0, 0, 12, 12], [9, 9, 30, 40], [12, 15, 33, 41]],
            "float32",
        ),
        "labels": np.array(labels, "int32")[:, None],
    }
    lengths = {
        "info": [],
        "classes": [[3, 1]],
        "crowd": [[3, 1]],
        "points": [[3, 1], [1, 2, 1, 1], [len(o) for o in outlines]],
        "rois": [[3, 2]],
        "labels": [[3, 2]],
    }

    def build(v):
        given = [v[n] for n in ("info", "classes", "crowd", "points", "rois", "labels")]
        return fluid.layers.generate_mask_labels(*given, num_classes=3, resolution=7)

    return run(fluid, build, feed, lengths)


def case_generate_mask_labels(fluid):
    return _masks(fluid, [1, 2, 0, 2, 0])


def case_generate_mask_labels_none(fluid):
    return _masks(fluid, [0, 0, 0, 0, 2])


def case_pooled_levels(fluid):
    """From the maps of a network to pooled regions and back, as in a detector with a pyramid."""
    feed = {
        "scores": numbers(2, 3, 4, 5, low=0.0),
        "deltas": numbers(2, 12, 4, 5, seed=3) * 0.5,
        "info": INFO,
        "map": numbers(2, 2, 4, 5),
    }

    def build(v):
        layers = fluid.layers
        anchors, spread = layers.anchor_generator(
            v["map"], [12.0], [0.5, 1.0, 2.0], [0.5, 0.5, 1.0, 1.0], [9.0, 9.0]
        )
        rois, _ = layers.generate_proposals(
            v["scores"], v["deltas"], v["info"], anchors, spread, post_nms_top_n=6
        )
        levels, back = layers.distribute_fpn_proposals(rois, 2, 3, 3, 15)
        pooled = [layers.roi_align(v["map"], one, 2, 2, 0.1) for one in levels]
        return [
            layers.gather(layers.concat(pooled), back),
            layers.roi_pool(v["map"], rois, 1, 2, 0.1),
        ]

    return run(fluid, build, feed, dict.fromkeys(feed, ()), gradients_of=("map",))
