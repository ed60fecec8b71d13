"""Single ops: image resizing, rearrangement and sampling."""

from itertools import product

import numpy as np
from lowering_cases import a, f, op, w

# ---- interp ----

PICTURES = {
    "nearest": f(2, 3, 5, 7),
    "linear": f(2, 3, 7),
    "bilinear": f(2, 3, 5, 7),
    "trilinear": f(2, 3, 4, 5, 6),
    "bicubic": f(2, 3, 5, 7),
}
COUNTS = ((True, 1), (False, 0), (False, 1))


def _resized(method, form="_v2", x=None, corners=False, mode=0, **given):
    x = PICTURES[method] if x is None else x
    return op(
        method + "_interp" + form,
        x,
        interp_method=method,
        align_corners=corners,
        align_mode=mode,
        **given,
    )


def _sizes(dims, *sizes):
    return dict(zip(("out_d", "out_h", "out_w")[3 - dims :], sizes[3 - dims :], strict=True))


def _forms(method):
    """Return all ways to specify the size, combined with all coordinate modes."""
    dims = PICTURES[method].ndim - 2
    out = np.array([6, 11, 4], "int32")[3 - dims :]
    for corners, mode in COUNTS:
        count = {"corners": corners, "mode": mode}
        yield _resized(method, **count, **_sizes(dims, 6, 11, 4))
        yield _resized(
            method,
            **count,
            **_sizes(dims, 2, 1, 9) if method != "bicubic" else _sizes(dims, 2, 3, 9),
        )
        yield _resized(method, **count, scale=[2.0, 1.5, 0.7][:dims])
        yield _resized(method, "", **count, scale=1.7)
        yield _resized(method, "", **count, scale=2.0)
    yield _resized(method, OutSize=out)
    yield _resized(method, OutSize=w(out))
    yield _resized(method, SizeTensor=[a([s], "int32") for s in out])
    yield _resized(
        method, SizeTensor=[w(a([out[0]], "int32")), *[a([s], "int32") for s in out[1:]]]
    )
    yield _resized(method, Scale=a([2.0], "float32"), undeclared="batch open")
    yield _resized(method, Scale=w(a([1.5], "float32")))
    yield _resized(method, "", Scale=a([1.5], "float32"))
    yield _resized(method, "", scale=1.5, OutSize=out)
    yield _resized(method, "", **_sizes(dims, 6, 11, 4))


INTERP = [
    *[case for method in PICTURES for case in _forms(method)],
    _resized("nearest", x=f(1, 2, 28, 14), out_h=4, out_w=2),
    _resized("nearest", x=f(1, 2, 3, 4), corners=True, out_h=245, out_w=75),
    _resized("nearest", x=f(1, 2, 3, 4, 5), out_d=6, out_h=2, out_w=7),
    _resized("nearest", x=a([[[[1, 2], [3, 4]]]], "int32"), scale=[2.0, 2.0]),
    _resized("nearest", x=a([[[[1, 2], [3, 4]]]]), scale=[2.0, 2.0]),
    _resized("nearest", x=f(1, 2, 3, 4, dtype="float64"), corners=True, out_h=5, out_w=7),
    _resized("nearest", x=f(1, 2, 28, 14), scale=[1 / 7, 1 / 7]),
    _resized("nearest", x=f(1, 2, 20, 20), OutSize=a([24, 48], "int32")),
    _resized(
        "nearest", x=f(1, 2, 5, 4), corners=True, Scale=a([3.3], "float32"), undeclared="batch open"
    ),
    _resized(
        "bilinear",
        x=f(1, 2, 3, 4, dtype="float64"),
        scale=[2.0, 2.0],
        rejected="no kernel of Resize for float64",
    ),
    _resized("bilinear", x=f(2, 5, 7, 3), scale=[2.0, 2.0], data_layout="NHWC"),
    _resized("nearest", x=f(2, 5, 7, 3), out_h=9, out_w=4, data_layout="NHWC"),
    _resized("bicubic", x=f(2, 3, 5, 7), out_h=1, out_w=4, rejected="with one row has no lowering"),
    _resized("bicubic", corners=True, x=f(2, 3, 5, 7), out_h=1, out_w=4),
    _resized(
        "bilinear",
        scale=[2.0, 2.0],
        OutSize=a([3, 4], "int32"),
        rejected="a size and a scale at once",
    ),
    _resized("bilinear", scale=[2.0, 2.0], SizeTensor=[a([3], "int32"), a([4], "int32")]),
]

IMG = f(2, 8, 4, 6)
PLANES = np.stack(
    [np.random.default_rng(s).permutation(48)[:12].reshape(3, 4) for s in range(6)]
).reshape(2, 3, 3, 4)
FRAMES = f(6, 8, 3, 2)

ARRANGE = [
    op("pixel_shuffle", IMG, upscale_factor=2),
    op("pixel_shuffle", f(2, 3, 4, 8), upscale_factor=2, data_format="NHWC"),
    op("pixel_unshuffle", IMG, downscale_factor=2),
    op("pixel_unshuffle", f(2, 4, 6, 3), downscale_factor=2, data_format="NHWC"),
    op("channel_shuffle", IMG, groups=4),
    op("channel_shuffle", f(2, 3, 5, 6), groups=3, data_format="NHWC"),
    op("shuffle_channel", IMG, group=2),
    op(
        "temporal_shift",
        FRAMES,
        seg_num=3,
        shift_ratio=0.25,
        rejected={"open": "channels to be known"},
    ),
    op("temporal_shift", FRAMES, seg_num=2, shift_ratio=0.4, keep=(1,)),
    op("temporal_shift", FRAMES, seg_num=6, shift_ratio=0.1, keep=(1,)),
    op("temporal_shift", FRAMES, seg_num=1, shift_ratio=0.2, keep=(1,)),
    op("temporal_shift", f(4, 3, 2, 5), seg_num=2, shift_ratio=0.3, data_format="NHWC", keep=(-1,)),
    *[
        op(
            "affine_channel",
            IMG,
            Scale=w(f(c)),
            Bias=w(f(c, seed=1)),
            data_layout=layout,
            keep=(1, 3),
        )
        for c, layout in ((8, "NCHW"), (6, "NHWC"), (6, "AnyLayout"))
    ],
    op("maxout", IMG, groups=2),
    op("maxout", IMG, groups=4, axis=1),
    op("maxout", f(2, 3, 5, 6), groups=3, axis=-1),
]

# of pixels of a picture [5, 6], and beyond them
_HALVES = [np.arange(-4, 2 * n + 3) / 2 for n in (6, 5)]


def _between_pixels(corners):
    """Return a sampling grid on pixels and exactly between two pixels."""
    along = [
        (2 * p / (n - 1) if corners else (2 * p + 1) / n) - 1
        for p, n in zip(_HALVES, (6, 5), strict=True)
    ]
    return a(np.stack(np.meshgrid(*along), -1)[None].repeat(2, 0), "float32")


GRID = [
    *[
        op(
            "grid_sampler",
            f(2, 3, 5, 6),
            Grid=_between_pixels(corners),
            out="Output",
            mode="nearest",
            padding_mode=padding,
            align_corners=corners,
        )
        for padding, corners in product(("zeros", "border"), (True, False))
    ],
    *[
        op(
            "affine_grid",
            Theta=theta,
            out="Output",
            output_shape=list(shape),
            align_corners=corners,
        )
        for theta, shape in ((f(2, 2, 3), (2, 3, 4, 5)), (f(2, 3, 4), (2, 1, 2, 4, 3)))
        for corners in (True, False)
    ],
    op("affine_grid", Theta=f(2, 2, 3), OutputShape=a([2, 3, 4, 5], "int32"), out="Output"),
    op("affine_grid", Theta=f(2, 2, 3, dtype="float64"), output_shape=[2, 3, 4, 5], out="Output"),
    *[
        op(
            "grid_sampler",
            x,
            Grid=grid,
            out="Output",
            mode=mode,
            padding_mode=padding,
            align_corners=corners,
            variants=("known", "batch", "open") if x.ndim == 4 else ("known", "batch"),
        )
        for x, grid in (
            (f(2, 3, 5, 6), f(2, 4, 3, 2) * 1.2),
            (f(2, 3, 4, 5, 3), f(2, 2, 3, 4, 3) * 0.9),
        )
        for mode, padding, corners in product(
            ("bilinear", "nearest"), ("zeros", "border", "reflection"), (True, False)
        )
        if not (x.ndim == 5 and (mode, padding) == ("nearest", "zeros"))
    ],
]

_UNPOOL = {"ksize": [2, 2], "strides": [2, 2], "unpooling_type": "max"}
_TILES = {"kernel_sizes": [3, 2], "strides": [2, 1], "paddings": [1, 0, 2, 1], "dilations": [1, 2]}

UNFOLD = [
    op("unfold", f(2, 3, 7, 6), out="Y", **_TILES),
    op(
        "unfold",
        f(2, 3, 7, 6),
        out="Y",
        kernel_sizes=[2, 2],
        strides=[2, 2],
        paddings=[0, 0, 0, 0],
        dilations=[1, 1],
    ),
    op("unfold", f(2, 3, 7, 6, dtype="float64"), out="Y", **_TILES),
    op("unfold", np.where(f(1, 2, 5, 5) > 1, np.inf, f(1, 2, 5, 5)).astype("f"), out="Y", **_TILES),
    op(
        "im2sequence",
        f(2, 3, 5, 6),
        kernels=[2, 2],
        strides=[2, 3],
        paddings=[0, 1, 1, 0],
        cut=True,
    ),
    op(
        "im2sequence",
        f(2, 3, 5, 6),
        kernels=[3, 1],
        strides=[1, 1],
        paddings=[0, 0, 0, 0],
        cut=True,
    ),
    op("fold", f(2, 18, 20), out="Y", output_sizes=[8, 7], **(_TILES | {"paddings": [1, 0, 1, 0]})),
    op(
        "fold",
        f(2, 12, 9),
        out="Y",
        output_sizes=[6, 6],
        kernel_sizes=[2, 2],
        strides=[2, 2],
        paddings=[0, 0, 0, 0],
        dilations=[1, 1],
    ),
    op("unpool", f(2, 3, 3, 4), Indices=PLANES.astype("int32"), **_UNPOOL, output_size=[6, 8]),
    op(
        "unpool",
        f(2, 3, 3, 4, dtype="float64"),
        Indices=PLANES.astype("int32"),
        **_UNPOOL,
        output_size=[8, 7],
    ),
    op(
        "unpool3d",
        f(2, 3, 1, 3, 4),
        Indices=PLANES.reshape(2, 3, 1, 3, 4).astype("int32"),
        ksize=[2, 2, 2],
        strides=[2, 2, 2],
        output_size=[2, 6, 8],
    ),
]

CROP = [
    op("crop_tensor", f(3, 4), shape=[2, -1], offsets=[1, 1]),
    op("crop_tensor", f(3, 4), shape=[2, 2], offsets=[0, 1]),
    op(
        "crop_tensor",
        f(3, 4),
        Shape=a([2, -1], "int32"),
        shape=[1, 1],
        offsets=[1, 1],
        undeclared="batch open",
    ),
    op(
        "crop_tensor",
        f(3, 4),
        Shape=a([2, 2], "int32"),
        Offsets=a([0, 2], "int32"),
        shape=[],
        offsets=[],
        undeclared="batch open",
    ),
    op(
        "crop_tensor",
        f(3, 4),
        OffsetsTensor=[a([0], "int32"), a([2], "int32")],
        shape=[2, -1],
        offsets=[],
    ),
    op(
        "crop_tensor",
        f(3, 4),
        ShapeTensor=[a([1], "int32"), w(a([-1], "int32"))],
        shape=[2, 1],
        offsets=[1, 1],
    ),
    op("crop", f(3, 4), shape=[2, 2], offsets=[1, 1]),
    op("crop", f(3, 4), Y=f(2, 3), shape=[], offsets=[1, 1]),
    op("crop", f(3, 4), Y=f(2, 3), Offsets=a([0, 1], "int32")),
]

OPS = [*INTERP, *ARRANGE, *GRID, *UNFOLD, *CROP]
