"""Single ops: boxes, priors, and non-maximum suppression."""

from itertools import product

import numpy as np
from lowering_cases import a, f, op, w


def boxes(*shape, size=10.0, seed=3):
    """Boxes between 0 and `size`, of some extent."""
    low = f(*shape, 2, low=0, high=size / 2, seed=seed)
    return np.concatenate([low, low + f(*shape, 2, low=0.3, high=size / 2, seed=seed + 1)], axis=-1)


def _whole(*shape, **more):
    return np.round(boxes(*shape, **more))


# ---- boxes ----

SIZES = a([[60, 80], [50, 40]], "int32")
YOLO = {"anchors": [10, 13, 16, 30], "class_num": 3, "conf_thresh": 0.4, "downsample_ratio": 16}
PRIORS, SPREAD = boxes(4), f(4, 4, low=0.1, high=0.9)
VARIANCE = [0.1, 0.1, 0.2, 0.2]


def _yolo(channels, x=None, **given):
    x = f(2, channels, 3, 4) * 2 if x is None else x
    return op("yolo_box", x, ImgSize=SIZES, out="Boxes Scores", **(YOLO | given))


def _coded(target, **given):
    given = {"code_type": "decode_center_size", "box_normalized": True, "axis": 0} | given
    return op("box_coder", PriorBox=PRIORS, TargetBox=target, out="OutputBox", **given)


BOXES = [
    _yolo(16),
    _yolo(16, clip_bbox=False, scale_x_y=1.2),
    _yolo(18, iou_aware=True, iou_aware_factor=0.4),
    _yolo(16, x=f(2, 16, 3, 4, dtype="float64"), scale_x_y=1.05),
    *[
        _coded(
            boxes(3, seed=9),
            code_type="encode_center_size",
            box_normalized=normal,
            undeclared="open",
            **spread,
        )
        for normal, spread in product(
            (True, False), ({"variance": VARIANCE}, {"PriorBoxVar": SPREAD})
        )
    ],
    *[
        _coded(f(3, 4, 4), box_normalized=normal, **spread)
        for normal, spread in product(
            (True, False), ({"variance": VARIANCE}, {"PriorBoxVar": SPREAD})
        )
    ],
    _coded(f(4, 2, 4), axis=1, PriorBoxVar=w(SPREAD)),
    _coded(f(4, 2, 4), axis=1, variance=VARIANCE),
    _coded(f(3, 4, 4)),
    op("iou_similarity", boxes(3), Y=boxes(5, seed=8), box_normalized=True),
    op("iou_similarity", boxes(3), Y=boxes(5, seed=8), box_normalized=False),
]

# ---- priors ----

MAP, IMAGE = f(1, 2, 3, 4), f(1, 3, 21, 34)


def _priors(type, **given):
    return op(type, Input=MAP, Image=IMAGE, out="Boxes Variances", variances=VARIANCE, **given)


DENSE = {"offset": 0.5, "fixed_sizes": [8.0, 16.0], "fixed_ratios": [1.0, 2.0], "densities": [2, 3]}
MIN, MAX = {"min_sizes": [4.0, 8.0]}, {"max_sizes": [6.0, 12.0]}
STEPS = {"step_w": 4.0, "step_h": 5.0}

PRIOR = [
    _priors("prior_box", **MIN, **MAX, aspect_ratios=[2.0], flip=True, clip=True, offset=0.5),
    _priors(
        "prior_box",
        **MIN,
        aspect_ratios=[1.0, 2.0, 0.5],
        flip=False,
        clip=False,
        offset=0.3,
        **STEPS,
    ),
    _priors(
        "prior_box",
        **MIN,
        **MAX,
        aspect_ratios=[3.0],
        flip=True,
        clip=False,
        offset=0.5,
        min_max_aspect_ratios_order=True,
    ),
    _priors(
        "density_prior_box", **DENSE, clip=False, rejected={"open": "Input and Image to be known"}
    ),
    _priors("density_prior_box", **DENSE, clip=True, flatten_to_2d=True, **STEPS),
    op(
        "anchor_generator",
        Input=MAP,
        out="Anchors Variances",
        anchor_sizes=[64.0, 128.0],
        aspect_ratios=[0.5, 1.0, 2.0],
        variances=VARIANCE,
        stride=[16.0, 8.0],
        offset=0.5,
    ),
]

# ---- nms ----

MANY, SCORES = boxes(2, 9), f(2, 3, 9, low=0, high=1)
OWN = boxes(9, 3)  # of each class
TIED = np.round(SCORES * 4) / 4
NMS = {
    "score_threshold": 0.1,
    "nms_top_k": 6,
    "keep_top_k": 5,
    "nms_threshold": 0.3,
    "normalized": True,
}
NMS |= {"nms_eta": 1.0, "background_label": 0}
FORMS = {
    "multiclass_nms": "Out",
    "multiclass_nms2": "Out Index",
    "multiclass_nms3": "Out Index NmsRoisNum",
}
MATRIX = {
    k: NMS[k]
    for k in ("score_threshold", "nms_top_k", "keep_top_k", "normalized", "background_label")
}
MATRIX |= {"post_threshold": 0.0, "use_gaussian": False, "gaussian_sigma": 2.0}


def _thinned(type="multiclass_nms3", boxes=MANY, scores=SCORES, **given):
    rejected = given.pop("rejected", None)
    return op(
        type, BBoxes=boxes, Scores=scores, out=FORMS[type], rejected=rejected, **(NMS | given)
    )


def _lowered(boxes=MANY, scores=SCORES, **given):
    return op(
        "matrix_nms", BBoxes=boxes, Scores=scores, out="Out Index RoisNum", **(MATRIX | given)
    )


THINNED = [
    *[_thinned(type) for type in FORMS],
    _thinned(
        boxes=np.concatenate([MANY, MANY + 1], -1),
        rejected={"known": "boxes of more than four numbers have no lowering"},
        variants=("known",),
    ),
    *[_thinned(type, score_threshold=2.0) for type in FORMS],
    *[_thinned(type, boxes=MANY[:1], scores=SCORES[:1], background_label=-1) for type in FORMS],
    _thinned(keep_top_k=-1, nms_top_k=-1, background_label=-1, nms_threshold=0.6),
    _thinned(background_label=1, keep_top_k=3),
    _thinned(background_label=2),
    _thinned(background_label=7),
    _thinned(boxes=_whole(2, 9), normalized=False),
    _thinned(scores=TIED, nms_threshold=0.7, keep_top_k=4),
    _thinned(scores=TIED, nms_top_k=2),
    _thinned(scores=a([[[0.9] * 9, [0.8] * 9, [0] * 9], [[0] * 9, [0] * 9, [0] * 9]], "float32")),
    _thinned(boxes=np.where(f(2, 9, 1) > 0, MANY, MANY[..., [2, 1, 0, 3]])),
    *[
        _thinned(
            boxes=OWN,
            scores=f(9, 3, low=0, high=1),
            RoisNum=a(counts, "int32"),
            background_label=background,
        )
        for counts, background in (([9], -1), ([9], 0), ([5, 4], 1), ([0, 7, 2], 2), ([6, 3, 0], 7))
    ],
    _thinned(
        boxes=OWN,
        scores=f(9, 3, low=0, high=1),
        RoisNum=a([5, 4], "int32"),
        nms_top_k=-1,
        keep_top_k=-1,
    ),
    _thinned(
        boxes=OWN, scores=f(9, 3, low=0, high=1), RoisNum=a([5, 4], "int32"), score_threshold=2.0
    ),
    _thinned(nms_eta=0.9),  # lowers no threshold that is at most a half
    _thinned(nms_eta=0.9, nms_threshold=0.7, rejected="nms_eta lowers has no lowering"),
    *[
        op("nms", Boxes=boxes(12, size=4.0), out="KeepBoxesIdxs", iou_threshold=t)
        for t in (0.3, 0.6, 1.0)
    ],
    _lowered(),
    _lowered(score_threshold=2.0),
    _lowered(use_gaussian=True, post_threshold=0.1, background_label=-1),
    _lowered(normalized=False, background_label=1, nms_top_k=-1, keep_top_k=-1),
    _lowered(boxes=MANY[:1], scores=SCORES[:1], keep_top_k=3),
]

MOVED = {
    "PriorBox": boxes(4),
    "PriorBoxVar": w(SPREAD[0]),
    "out": "DecodeBox OutputAssignBox",
    "undeclared": "open",
}
MOVES = [
    op(
        "box_decoder_and_assign",
        TargetBox=f(4, 12),
        BoxScore=f(4, 3, low=0, high=1),
        box_clip=4.135,
        **MOVED,
    ),
    op(
        "box_decoder_and_assign",
        TargetBox=f(4, 8) * 9,
        BoxScore=f(4, 2, low=0, high=1),
        box_clip=2.0,
        **MOVED,
    ),
    op("polygon_box_transform", f(2, 8, 3, 5), slot="Input", out="Output", undeclared="open"),
]

OPS = [*BOXES, *PRIOR, *THINNED, *MOVES]
