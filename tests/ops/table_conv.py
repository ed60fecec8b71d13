"""Rows of conv."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(7)
f = n.f


def correlate(x, w, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Convolution by definition, one output element at a time."""
    x = np.pad(x.astype("d"), [(0, 0), (0, 0), *pads])
    reach = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    out = [(s - r) // t + 1 for s, r, t in zip(x.shape[2:], reach, stride, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    c, m = w.shape[1], w.shape[0] // groups
    for i, j in np.ndindex(*out):
        top, left = i * stride[0], j * stride[1]
        seen = x[:, :, top : top + reach[0] : dilation[0], left : left + reach[1] : dilation[1]]
        for g in range(groups):
            part = seen[:, g * c : (g + 1) * c]
            y[:, g * m : (g + 1) * m, i, j] = np.einsum(
                "nchw,mchw->nm", part, w[g * m : (g + 1) * m]
            )
    return y


def ref(**over):
    return lambda x, w: correlate(x, w, **over)


def last(function):
    """Return the reference for channels-last images."""
    return lambda x, w: function(x.transpose(0, 3, 1, 2), w).transpose(0, 2, 3, 1)


def transposed(stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1, extra=(0, 0)):
    """What a transposed convolution is: zeros put between the pixels, then the flipped filter
    correlated.
    """

    def of(x, w, *_):
        m, (kh, kw) = w.shape[1], w.shape[2:]
        wide = np.zeros(
            (*x.shape[:2], *((s - 1) * t + 1 for s, t in zip(x.shape[2:], stride, strict=True)))
        )
        wide[:, :, :: stride[0], :: stride[1]] = x
        reach = [d * (k - 1) for k, d in zip((kh, kw), dilation, strict=True)]
        around = [(r - a, r - b + e) for r, (a, b), e in zip(reach, pads, extra, strict=True)]
        turned = (
            w[:, :, ::-1, ::-1]
            .reshape(groups, -1, m, kh, kw)
            .swapaxes(1, 2)
            .reshape(groups * m, -1, kh, kw)
        )
        wide = np.pad(wide, [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in around)])
        cut = [
            slice(max(-a, 0), s - max(-b, 0))
            for s, (a, b) in zip(wide.shape[2:], around, strict=True)
        ]
        return correlate(wide[:, :, cut[0], cut[1]], turned, dilation=dilation, groups=groups)

    return of


ODD = ((1, 2), (0, 1))
ROWS = [
    Row("conv2d", [f(2, 3, 5, 6), f(4, 3, 3, 2)], ref=ref()),
    Row("conv2d", [f(2, 3, 5, 6), f(4, 3, 1, 1)], ref=ref()),
    Row("conv2d", [f(2, 3, 5, 6), f(4, 3, 1, 1)], {"strides": [2, 2]}, ref=ref(stride=(2, 2))),
    Row("conv2d", [f(2, 3, 5, 6), f(4, 3, 3, 3)], {"paddings": [1, 1]}, ref=ref(pads=((1, 1), (1, 1)))),
    Row("conv2d", [f(2, 3, 6, 7), f(4, 3, 3, 3)], {"strides": [2, 3], "paddings": [1, 2]}, ref=ref(stride=(2, 3), pads=((1, 1), (2, 2)))),
    Row("conv2d", [f(2, 3, 5, 6), f(4, 3, 3, 3)], {"paddings": [1, 2, 0, 1]}, ref=ref(pads=ODD)),
    Row("conv2d", [f(2, 3, 7, 8), f(4, 3, 3, 2)], {"dilations": [2, 3]}, ref=ref(dilation=(2, 3))),
    Row("conv2d", [f(2, 4, 5, 6), f(6, 2, 3, 3)], {"groups": 2, "paddings": [1, 1]}, ref=ref(groups=2, pads=((1, 1), (1, 1)))),
    Row("conv2d", [f(2, 3, 5, 6), f(6, 1, 3, 3)], {"groups": 3}, ref=ref(groups=3)),
    Row("conv2d", [f(1, 2, 7, 6), f(3, 2, 3, 3)], {"padding_algorithm": "SAME", "strides": [2, 2]},
        ref=ref(stride=(2, 2), pads=((1, 1), (0, 1)))),
    Row("conv2d", [f(1, 2, 7, 6), f(3, 2, 3, 2)], {"padding_algorithm": "SAME", "dilations": [2, 2]}, ref=ref(pads=((1, 1), (0, 1)))),
    Row("conv2d", [f(1, 2, 7, 6), f(3, 2, 3, 3)], {"padding_algorithm": "VALID", "paddings": [1, 1]}, ref=ref()),
    Row("conv2d", [f(2, 5, 6, 3), f(4, 3, 3, 3)], {"data_format": "NHWC", "paddings": [1, 1]}, ref=last(ref(pads=((1, 1), (1, 1))))),
    Row("conv2d", [f(2, 5, 6, 4), f(6, 2, 3, 3)], {"data_format": "NHWC", "groups": 2, "strides": [2, 1]},
        ref=last(ref(groups=2, stride=(2, 1)))),
    Row("conv2d", [f(1, 1, 3, 3), f(1, 1, 3, 3)], ref=ref()),
    Row("depthwise_conv2d", [f(2, 3, 5, 6), f(3, 1, 3, 3)], {"groups": 3, "paddings": [1, 1]}, ref=ref(groups=3, pads=((1, 1), (1, 1)))),
    Row("depthwise_conv2d", [f(2, 3, 6, 7), f(6, 1, 3, 2)], {"groups": 3, "strides": [2, 2]}, ref=ref(groups=3, stride=(2, 2))),
    Row("depthwise_conv2d", [f(2, 3, 7, 7), f(3, 1, 3, 3)], {"groups": 3, "dilations": [2, 2]}, ref=ref(groups=3, dilation=(2, 2))),
    Row("depthwise_conv2d", [f(2, 5, 6, 3), f(3, 1, 3, 3)], {"groups": 3, "data_format": "NHWC"}, ref=last(ref(groups=3))),
    Row("conv2d_transpose", [f(2, 3, 4, 5), f(3, 4, 3, 2)], ref=transposed()),
    Row("conv2d_transpose", [f(2, 3, 4, 5), f(3, 4, 3, 3)], {"strides": [2, 3], "paddings": [1, 0]},
        ref=transposed(stride=(2, 3), pads=((1, 1), (0, 0)))),
    Row("conv2d_transpose", [f(2, 3, 4, 5), f(3, 4, 3, 3)], {"strides": [2, 2], "paddings": [1, 0, 0, 1]},
        ref=transposed(stride=(2, 2), pads=((1, 0), (0, 1)))),
    Row("conv2d_transpose", [f(2, 3, 4, 5), f(3, 4, 3, 3)], {"strides": [2, 2], "output_padding": [1, 1], "paddings": [1, 1]},
        ref=transposed(stride=(2, 2), pads=((1, 1), (1, 1)), extra=(1, 1))),
    Row("conv2d_transpose", [f(2, 3, 4, 5), f(3, 4, 3, 3)], {"strides": [2, 2], "output_size": [10, 11]},
        ref=transposed(stride=(2, 2), extra=(1, 0))),
    Row("conv2d_transpose", [f(2, 4, 4, 5), f(4, 3, 3, 3)], {"groups": 2, "dilations": [2, 1]}, ref=transposed(groups=2, dilation=(2, 1))),
    Row("conv2d_transpose", [f(2, 4, 5, 4), f(4, 3, 3, 3)], {"data_format": "NHWC", "strides": [2, 1]},
        ref=last(transposed(stride=(2, 1)))),
    Row("conv2d_transpose", [f(1, 2, 4, 4), f(2, 3, 3, 3)], {"padding_algorithm": "SAME", "strides": [2, 2]},
        ref=transposed(stride=(2, 2), pads=((0, 1), (0, 1)))),
    Row("conv2d_transpose", [f(1, 3, 4, 4), f(3, 1, 2, 2)], {"groups": 3}, ref=transposed(groups=3)),
    Row("conv2d_transpose", [f(1, 2, 3, 3), f(2, 4, 2, 2), f(4)], ref=lambda x, w, b: transposed()(x, w) + b[:, None, None],
        paddle="the CPU kernel of 2.6.2 ignores Bias, an input of fused ops"),
    Row("conv_transpose_to", [f(2, 3, 4, 5), f(3, 4, 3, 3), None, [np.array([10], "int32"), np.array(11)]], {"strides": [2, 2]},
        ref=lambda x, w, *_: transposed(stride=(2, 2), extra=(1, 0))(x, w)),
    Row("conv_transpose_to", [f(2, 4, 5, 4), f(4, 3, 3, 3), f(3), [np.array([9, 7])]], {"data_format": "NHWC", "strides": [2, 1]},
        ref=lambda x, w, b, _: last(transposed(stride=(2, 1)))(x, w) + b),
    Row("conv_transpose_to", [f(1, 2, 2, 3, 2), f(2, 2, 2, 2, 2), None, [np.array([3, 4, 3])]],
        {"strides": [1, 1, 1], "paddings": [0, 0, 0], "dilations": [1, 1, 1]}),
]  # fmt: skip
