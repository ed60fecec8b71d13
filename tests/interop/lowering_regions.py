"""Single ops: region pooling and deformable convolution."""

from itertools import product

import numpy as np
from lowering_cases import a, f, op, w
from lowering_detection import boxes

# ---- roi ----

X, ROIS, COUNTS = f(2, 3, 6, 7), boxes(3, size=6.0), a([2, 1], "int32")


def _pooled(type="roi_align", x=X, rois=ROIS, counts=COUNTS, **given):
    unread = "Argmax" if type == "roi_pool" else ""
    given = {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 1.0} | given
    return op(type, x, ROIs=rois, RoisNum=counts, unread=unread, **given)


ROI = [
    *[
        _pooled(sampling_ratio=ratio, aligned=aligned, spatial_scale=scale)
        for ratio, aligned, scale in (
            (2, True, 1.0),
            (2, False, 0.7),
            (-1, False, 1.0),
            (-1, True, 0.6),
        )
    ],
    _pooled(x=X[:1], counts=a([3], "int32"), sampling_ratio=1, aligned=True),
    _pooled(rois=ROIS * 1.7 - 2, sampling_ratio=3, aligned=False),
    _pooled(rois=ROIS[:2], counts=a([0, 2], "int32"), sampling_ratio=2, aligned=True),
    _pooled(
        x=X.astype("float64"),
        rois=ROIS.astype("float64"),
        counts=a([1, 2], "int32"),
        sampling_ratio=2,
        aligned=True,
    ),
    *[
        _pooled("psroi_pool", x=f(2, 12, 6, 7), rois=rois, output_channels=2, spatial_scale=s)
        for rois, s in ((ROIS, 1.0), (ROIS * 1.3 - 1, 0.8), (ROIS * 5, 0.3))
    ],
    *[
        _pooled("roi_pool", rois=rois, spatial_scale=s)
        for rois, s in ((ROIS, 1.0), (ROIS * 2 - 3, 0.5))
    ],
]

# ---- proposals ----

RPN = {"pre_nms_topN": 20, "post_nms_topN": 6, "nms_thresh": 0.5, "min_size": 2.0, "eta": 1.0}
MAPS = {
    "Scores": f(2, 2, 3, 4, low=0, high=1),
    "BboxDeltas": f(2, 8, 3, 4) * 0.5,
    "Anchors": boxes(3, 4, 2, size=30.0),
    "Variances": f(3, 4, 2, 4, low=0.2, high=1),
}
IMAGES = a([[30, 28], [25, 30]], "float32")
INFO = a([[30, 28, 1.5], [25, 30, 0.8]], "float32")


def _proposed(**given):
    return op(
        "generate_proposals_v2",
        ImShape=IMAGES,
        out="RpnRois RpnRoiProbs RpnRoisNum",
        **(MAPS | RPN | given),
    )


def _proposed_v1(**given):
    return op(
        "generate_proposals",
        ImInfo=INFO,
        out="RpnRois RpnRoiProbs RpnRoisNum",
        **(MAPS | RPN | given),
    )


SMALL = np.concatenate(
    [
        boxes(3, 4, 2, size=30.0)[..., :2],
        boxes(3, 4, 2, size=30.0)[..., :2] + f(3, 4, 2, 2, low=0, high=2),
    ],
    -1,
)

FPN = {"min_level": 2, "max_level": 4, "refer_level": 3, "refer_scale": 6}
LEVELS = "MultiFpnRois*3 RestoreIndex MultiLevelRoIsNum*3"

PROPOSALS = [
    _proposed(pixel_offset=True),
    _proposed(pixel_offset=False, min_size=0.5),
    _proposed(Anchors=MAPS["Anchors"].reshape(-1, 4), Variances=MAPS["Variances"].reshape(-1, 4)),
    _proposed(Anchors=SMALL, pixel_offset=False, min_size=0.0, nms_thresh=0.9),
    _proposed(pixel_offset=True, pre_nms_topN=0, post_nms_topN=0, nms_thresh=0.0),
    _proposed(pixel_offset=True, pre_nms_topN=5, post_nms_topN=2),
    _proposed(pixel_offset=True, min_size=12.0),
    _proposed(pixel_offset=False, min_size=1000.0),
    _proposed(pixel_offset=True, eta=0.9),  # lowers no threshold that is at most a half
    _proposed(pixel_offset=True, eta=0.9, nms_thresh=0.7, rejected="eta lowers has no lowering"),
    _proposed_v1(),
    _proposed_v1(min_size=8.0),
    _proposed_v1(min_size=900.0),
    *[
        op(
            "distribute_fpn_proposals",
            FpnRois=boxes(8, size=30.0),
            RoisNum=a([5, 3], "int32"),
            out=LEVELS,
            pixel_offset=pixel,
            **FPN,
        )
        for pixel in (True, False)
    ],
    *[
        op(
            "collect_fpn_proposals",
            MultiLevelRois=[boxes(5), boxes(4, seed=9)],
            MultiLevelScores=[f(5, 1), f(4, 1, seed=2)],
            MultiLevelRoIsNum=[a([2, 3], "int32"), a([3, 1], "int32")],
            out="FpnRois RoisNum",
            post_nms_topN=most,
        )
        for most in (6, 60)
    ],
]

# ---- deformable ----

PLAIN = {
    "strides": [1, 1],
    "paddings": [0, 0],
    "dilations": [1, 1],
    "deformable_groups": 1,
    "groups": 1,
}
PARTS = {
    "strides": [2, 3],
    "paddings": [1, 2],
    "dilations": [2, 1],
    "deformable_groups": 2,
    "groups": 2,
}
WHOLE = (f(2, 4, 5, 6), f(2, 18, 3, 4) * 0.7, f(3, 4, 3, 3), f(2, 9, 3, 4, low=0, high=1))
PARTED = (f(1, 4, 5, 6), f(1, 16, 3, 3) * 0.7, f(4, 2, 2, 2), f(1, 8, 3, 3, low=0, high=1))
FAR = (WHOLE[0], WHOLE[1] * 9, *WHOLE[2:])


def _deformed(arrays, attrs, masked=True):
    x, offset, filters, mask = arrays
    given = {"Mask": mask} if masked else {}
    type = "deformable_conv" if masked else "deformable_conv_v1"
    return op(
        type,
        Input=x,
        Offset=offset,
        Filter=w(filters),
        out="Output",
        im2col_step=1,
        **given,
        **attrs,
    )


DEFORM = [
    _deformed(arrays, attrs, masked)
    for (arrays, attrs), masked in product(
        ((WHOLE, PLAIN), (PARTED, PARTS), (FAR, PLAIN)), (True, False)
    )
]

OPS = [*ROI, *PROPOSALS, *DEFORM]
