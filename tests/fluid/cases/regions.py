"""Region pooling."""

import numpy as np

from .common import family, numbers
from .sequence import run

BOXES = np.array([[0.1, 0.1, 0.5, 0.6], [0.2, 0.0, 0.9, 0.7], [0.4, 0.3, 0.8, 0.9]], "float32")
X = {
    "x": numbers(2, 4, 8, 8),
    "image": numbers(2, 3, 32, 32),
    "boxes": BOXES,
    "others": BOXES[::-1] * 0.9,
    "rois": np.array([[0, 0, 5, 6], [2, 1, 7, 7], [1, 3, 6, 5]], "float32"),
    "offsets": np.array([0, 1, 3], "int64"),
    "map": numbers(2, 14, 3, 3),
    "size": np.array([[30, 40], [32, 32]], "int32"),
    "many": np.stack([BOXES, BOXES[::-1]]),
    "scores": numbers(2, 3, 3, low=0.0),
}
family(
    globals(),
    [
        ("roi_pool", lambda f, v: f.roi_pool(v["x"], v["rois"], 2, 2, 0.8, rois_lod=v["offsets"])),
        (
            "roi_align",
            lambda f, v: f.roi_align(v["x"], v["rois"], 2, 3, 0.8, rois_lod=v["offsets"]),
        ),
        (
            "prior_box",
            lambda f, v: f.prior_box(v["x"], v["image"], [4.0], [8.0], [1.0, 2.0], flip=True),
            X,
            (),
        ),
        ("encode", lambda f, v: f.box_coder(v["boxes"], [0.1, 0.1, 0.2, 0.2], v["others"]), X, ()),
        (
            "decode",
            lambda f, v: f.box_coder(v["boxes"], v["others"], v["many"], "decode_center_size"),
            X,
            (),
        ),
        (
            "yolo_box",
            lambda f, v: f.yolo_box(v["map"], v["size"], [10, 13, 16, 30], 2, 0.01, 32),
            X,
            (),
        ),
        ("iou", lambda f, v: f.iou_similarity(v["boxes"], v["others"]), X, ()),
        (
            "iou_pixels",
            lambda f, v: f.iou_similarity(v["rois"], v["rois"], box_normalized=False),
            X,
            (),
        ),
        (
            "multiclass_nms",
            lambda f, v: f.transpose(
                f.multiclass_nms(v["many"], v["scores"], 0.1, 10, 10, 0.3), [1, 0]
            ),
            X,
            (),
        ),
        (
            "matrix_nms",
            lambda f, v: f.transpose(
                f.matrix_nms(v["many"], v["scores"], 0.1, 0.05, 10, 10), [1, 0]
            ),
            X,
            (),
        ),
    ],
    X,
)


def case_of_sequences(fluid):
    """LoD assigns the regions to images."""
    feed = {"x": X["x"], "rois": X["rois"]}

    def build(v):
        layers = fluid.layers
        return [
            layers.psroi_pool(v["x"], v["rois"], 2, 0.8, 2, 1),
            layers.roi_align(v["x"], v["rois"], 2, 2),
            layers.roi_pool(v["x"], v["rois"]),
        ]

    found = run(fluid, build, feed, {"x": [], "rois": [[1, 2]]})
    return [found[i] for i in "012"]


PLACES = np.array([[0.3, 0.7, 5.2, 6.1], [2.4, 1.2, 7.7, 7.3], [1.1, 3.6, 6.4, 5.5]], "float32")


def _pooled(fluid, build, feed, wanted, rois="rois"):
    lengths = {n: [[1, 2]] if n == rois else [] for n in feed}
    return run(fluid, build, feed, lengths, gradients_of=wanted)


def case_prroi_pool(fluid):
    feed = {"x": X["x"], "rois": PLACES}
    return _pooled(
        fluid, lambda v: fluid.layers.prroi_pool(v["x"], v["rois"], 0.9, 2, 3), feed, ("x", "rois")
    )


def case_prroi_pool_by_number(fluid):
    feed = {"x": X["x"], "rois": PLACES, "counts": np.array([2, 1], "int64")}
    return run(
        fluid,
        lambda v: fluid.layers.prroi_pool(v["x"], v["rois"], 1.3, 2, 2, v["counts"]),
        feed,
        dict.fromkeys(feed, ()),
    )


def case_deformable_roi_pooling(fluid):
    feed = {"x": X["x"], "rois": PLACES, "trans": numbers(3, 2, 2, 2, seed=4)}

    def build(v):
        return fluid.layers.deformable_roi_pooling(
            v["x"], v["rois"], v["trans"], False, 0.9, (1, 1), 2, 2, (2, 2), 3, 0.2
        )

    return _pooled(fluid, build, feed, ("x", "trans"))


def case_deformable_roi_pooling_in_place(fluid):
    feed = {"x": X["x"], "rois": PLACES, "trans": numbers(3, 2, 2, 2, seed=4)}

    def build(v):
        return fluid.layers.deformable_roi_pooling(
            v["x"], v["rois"], v["trans"], True, 1.0, pooled_height=2, pooled_width=2
        )

    return _pooled(fluid, build, feed, ("x",))


def case_roi_perspective_transform(fluid):
    quads = np.array(
        [
            [0.6, 0.4, 6.1, 1.3, 5.5, 6.2, 1.2, 5.1],
            [2.2, 1.1, 8.7, 0.8, 9.4, 7.5, 1.7, 6.3],
            [1, 1, 5, 1, 5, 3, 1, 3],
        ],
        "float32",
    )
    feed = {"x": X["x"], "rois": quads}

    def build(v):
        return list(fluid.layers.roi_perspective_transform(v["x"], v["rois"], 4, 6, 0.9))

    return _pooled(fluid, build, feed, ("x",))
