"""Detectors: prior boxes, matching, losses."""

import numpy as np

from .common import eager, family, integers, numbers, static
from .sequence import run

PRIORS = np.array(
    [
        [0.1, 0.1, 0.5, 0.6],
        [0.2, 0.0, 0.9, 0.7],
        [0.4, 0.3, 0.8, 0.9],
        [0.0, 0.5, 0.3, 1.0],
        [0.6, 0.6, 0.9, 0.9],
    ],
    "float32",
)
THERE = np.array([[0.15, 0.1, 0.5, 0.65], [0.5, 0.55, 0.95, 0.9], [0.3, 0.2, 0.8, 0.8]], "float32")
PICTURES = {
    "boxes": [[2, 1]],
    "labels": [[2, 1]],
    "near": [[2, 1]],
    "rows": [[2, 1]],
    "wrong": [[1, 2]],
}
X = {
    "map": numbers(2, 4, 3, 4),
    "image": numbers(2, 3, 24, 32),
    "corners": numbers(2, 8, 3, 4),
    "prior": PRIORS * 20,
    "spread": np.array([0.1, 0.1, 0.2, 0.2], "float32"),
    "moves": numbers(5, 12, seed=3),
    "scores": numbers(5, 3, seed=4, low=0.0),
    "yolo": numbers(2, 14, 3, 3, seed=5),
    "found": numbers(2, 3, 4, low=0.1, high=0.6, seed=8),
    "kinds": integers(2, 3, below=2, dtype="int32"),
    "sure": numbers(2, 3, low=0.3, seed=9),
}
ANCHORS = [10, 13, 16, 30, 33, 23]
family(
    globals(),
    [
        (
            "anchor_generator",
            lambda f, v: f.anchor_generator(
                v["map"], [32.0, 64.0], [0.5, 1.0, 2.0], [0.1, 0.1, 0.2, 0.2], [16.0, 12.0]
            ),
            X,
            (),
        ),
        (
            "anchor_generator_of_one",
            lambda f, v: f.anchor_generator(v["map"], 50.0, 1.5, stride=[7.0, 9.0], offset=0.3),
            X,
            (),
        ),
        (
            "density_prior_box",
            lambda f, v: f.density_prior_box(v["map"], v["image"], [3, 1], [6.0, 12.0], [1.0, 2.0]),
            X,
            (),
        ),
        (
            "density_prior_box_flat",
            lambda f, v: f.density_prior_box(
                v["map"],
                v["image"],
                [2],
                [9.0],
                [0.5],
                clip=True,
                steps=[5.0, 6.0],
                offset=0.2,
                flatten_to_2d=True,
            ),
            X,
            (),
        ),
        (
            "box_decoder_and_assign",
            lambda f, v: f.box_decoder_and_assign(
                v["prior"], v["spread"], v["moves"], v["scores"], 4.135
            ),
            X,
            (),
        ),
        ("polygon_box_transform", lambda f, v: f.polygon_box_transform(v["corners"]), X, ()),
        (
            "yolov3_loss",
            lambda f, v: f.yolov3_loss(
                v["yolo"], v["found"], v["kinds"], ANCHORS, [1, 2], 2, 0.3, 32
            ),
            X,
            ("yolo",),
        ),
        (
            "yolov3_loss_by_score",
            lambda f, v: f.yolov3_loss(
                v["yolo"],
                v["found"],
                v["kinds"],
                ANCHORS,
                [0, 1],
                2,
                0.7,
                8,
                v["sure"],
                False,
                scale_x_y=1.2,
            ),
            X,
            ("yolo",),
        ),
        (
            "detection_output_of_nothing",
            lambda f, v: f.transpose(
                f.detection_output(
                    v["places"], v["classes"], v["prior"], v["prior"], score_threshold=0.99
                ),
                [1, 0],
            ),
            {"places": numbers(2, 5, 4), "classes": numbers(2, 5, 3), "prior": PRIORS},
            (),
        ),
    ],
    X,
)


def case_box_clip(fluid):
    feed = {
        "boxes": numbers(3, 4, low=-5.0, high=40.0),
        "size": np.array([[30, 20, 1.3], [50, 60, 2.0]], "float32"),
    }
    return run(
        fluid,
        lambda v: fluid.layers.box_clip(v["boxes"], v["size"]),
        feed,
        {**PICTURES, "size": []},
    )


def case_bipartite_match(fluid):
    feed = {"near": numbers(3, 4, low=0.0)}

    def build(v):
        plain = fluid.layers.bipartite_match(v["near"])
        return list(plain) + list(fluid.layers.bipartite_match(v["near"], "per_prediction", 0.5))

    return run(fluid, build, feed, PICTURES)


def case_target_assign(fluid):
    feed = {
        "rows": numbers(3, 4, 2),
        "labels": integers(3, 1, 1, dtype="int32"),
        "matched": np.array([[0, -1, 1, -1], [-1, 0, -1, -1]], "int32"),
        "wrong": np.array([[1], [0], [3]], "int32"),
    }

    def build(v):
        found = fluid.layers.target_assign(v["rows"], v["matched"], mismatch_value=7)
        return list(found) + list(fluid.layers.target_assign(v["labels"], v["matched"], v["wrong"]))

    return run(fluid, build, feed, {**PICTURES, "matched": []})


def case_iou_of_sequences(fluid):
    feed = {"boxes": THERE, "prior": PRIORS}
    return run(
        fluid,
        lambda v: fluid.layers.iou_similarity(v["boxes"], v["prior"]),
        feed,
        {**PICTURES, "prior": []},
    )


def _ssd(fluid, **settings):
    feed = {
        "places": numbers(2, 5, 4),
        "classes": numbers(2, 5, 3, seed=2),
        "boxes": THERE,
        "labels": np.array([[1], [2], [1]], "int32"),
        "prior": PRIORS,
    }

    def build(v):
        return fluid.layers.ssd_loss(
            v["places"],
            v["classes"],
            v["boxes"],
            v["labels"],
            v["prior"],
            [0.1, 0.1, 0.2, 0.2],
            **settings,
        )

    lengths = {**PICTURES, "places": [], "classes": [], "prior": []}
    return run(fluid, build, feed, lengths, gradients_of=("places", "classes"))


def case_ssd_loss(fluid):
    return _ssd(fluid)


def case_ssd_loss_bipartite(fluid):
    return _ssd(
        fluid,
        match_type="bipartite",
        neg_pos_ratio=1.0,
        loc_loss_weight=0.5,
        normalize=False,
        background_label=0,
    )


def case_detection_output(fluid):
    feed = {"places": numbers(2, 5, 4), "classes": numbers(2, 5, 3, seed=2), "prior": PRIORS}

    def build(v):
        given = v["places"], v["classes"], v["prior"], [0.1, 0.1, 0.2, 0.2]
        return [
            fluid.layers.detection_output(*given, nms_threshold=0.4),
            fluid.layers.detection_output(*given, keep_top_k=3, score_threshold=0.3),
        ] + list(fluid.layers.detection_output(*given, return_index=True))

    return run(fluid, build, feed, {"places": [], "classes": [], "prior": []})


def case_multiclass_nms_of_sequences(fluid):
    """Boxes of each class [M, C, 4], one sequence per image."""
    boxes = np.stack([np.concatenate([THERE, PRIORS]), np.concatenate([PRIORS, THERE])], axis=1)

    def build(v):
        return fluid.layers.multiclass_nms(
            v["boxes"], v["scores"], 0.1, 10, 4, 0.4, background_label=-1
        )

    feed = {"boxes": boxes, "scores": numbers(8, 2, low=0.0)}
    return run(fluid, build, feed, {"boxes": [[5, 3]], "scores": [[5, 3]]})


def _head(fluid, maps, **settings):
    feed = {f"m{i}": numbers(2, 3, n, n, seed=i) for i, n in enumerate(maps)}
    feed["image"] = numbers(2, 3, 32, 32)

    def build(v):
        found = fluid.layers.multi_box_head(
            [v[f"m{i}"] for i in range(len(maps))], v["image"], 32, 3, **settings
        )
        assert [p.name for p in fluid.default_main_program().all_parameters()][:2] == [
            "conv2d_0.w_0",
            "conv2d_0.b_0",
        ]
        return found

    return static(fluid, build, feed, gradients_of=("m0",))


def case_multi_box_head(fluid):
    return _head(
        fluid,
        [4, 3, 2],
        min_ratio=20,
        max_ratio=90,
        aspect_ratios=[[2.0], [2.0, 3.0], 2.0],
        kernel_size=3,
        pad=1,
    )


def case_multi_box_head_of_one(fluid):
    return _head(
        fluid,
        [4],
        min_sizes=[4.0],
        max_sizes=[[9.0]],
        aspect_ratios=[[2.0]],
        steps=[8.0],
        clip=True,
        flip=False,
    )


def case_multiclass_nms2(fluid):
    feed = {"boxes": np.stack([PRIORS, PRIORS[::-1]]), "scores": numbers(2, 3, 5, low=0.0)}

    def build(v):
        nms = fluid.contrib.layers.multiclass_nms2
        found = list(nms(v["boxes"], v["scores"], 0.1, 10, 4, 0.4, return_index=True))
        return found + [
            nms(
                v["boxes"],
                v["scores"],
                0.5,
                3,
                -1,
                normalized=False,
                nms_eta=0.8,
                background_label=1,
            )
        ]

    return run(fluid, build, feed, {"boxes": [], "scores": []})


def case_yolov3_loss_in_dygraph(fluid):
    def build(x):
        boxes, kinds = fluid.dygraph.to_variable(X["found"]), fluid.dygraph.to_variable(X["kinds"])
        return fluid.layers.yolov3_loss(x, boxes, kinds, ANCHORS, [1, 2], 2, 0.3, 32)

    return eager(fluid, build, X["yolo"])


def case_boxes_in_dygraph(fluid):
    """Layers whose results no gradient goes through; the first result is for that of the helper."""

    def build(x):
        layers, given = fluid.layers, fluid.dygraph.to_variable
        boxes, scores = given(np.stack([PRIORS, PRIORS])), given(numbers(2, 3, 5, low=0.0))
        found = [layers.scale(x, 2.0), layers.polygon_box_transform(given(X["corners"]))]
        found += list(
            layers.anchor_generator(given(X["map"]), [32.0], [1.0, 2.0], stride=[8.0, 8.0])
        )
        return found + [
            layers.iou_similarity(given(THERE), given(PRIORS)),
            layers.multiclass_nms(boxes, scores, 0.1, 10, 5),
        ]

    return eager(fluid, build, X["map"])
