"""Convolutions, pools, pads and images."""

# fmt: off
# ruff: noqa - one row a call

import numpy as np

from ..table import paddle
from .cases import cases, numbers

P, F = paddle, paddle.nn.functional
A, B, V, CUBE = numbers(3, 4), numbers(3, 4, low=-1.5, high=2.5), numbers(4), numbers(2, 3, 4)
POS, UNIT, EMPTY, ONE = numbers(3, 4, low=0.3, high=3.0), numbers(3, 4, low=0.05, high=0.95), np.zeros((0, 4), "float32"), np.float32(1.5).reshape(())
INT, I32, BOOL, F64 = np.arange(12).reshape(3, 4), np.arange(12, dtype="int32").reshape(3, 4), np.arange(12).reshape(3, 4) % 3 == 0, numbers(3, 4,
    dtype="float64")
IMAGE, SOUND, VOLUME = numbers(1, 2, 5, 6), numbers(1, 2, 7), numbers(1, 1, 3, 4, 3)


cases(
    __name__, "conv2d",
    plain=(F.conv2d, IMAGE, numbers(3, 2, 3, 3), numbers(3)),
    stride=(lambda x, w: F.conv2d(x, w, stride=[2, 1], padding=1), IMAGE, numbers(3, 2, 3, 3)),
    same=(lambda x, w: F.conv2d(x, w, padding='SAME', stride=2), IMAGE, numbers(2, 2, 2, 3)),
    dilated=(lambda x, w: F.conv2d(x, w, dilation=2), IMAGE, numbers(2, 2, 2, 2)),
    groups=(lambda x, w: F.conv2d(x, w, groups=2), IMAGE, numbers(2, 1, 3, 3)),
    four=(lambda x, w: F.conv2d(x, w, padding=[1, 0, 0, 2]), IMAGE, numbers(1, 2, 3, 3)),
    nhwc=(lambda x, w: F.conv2d(x, w, data_format='NHWC'), numbers(1, 4, 4, 2), numbers(1, 2, 3, 3)),
    one=(F.conv2d, IMAGE, numbers(2, 2, 1, 1)),
    pairs=(lambda x, w: F.conv2d(x, w, padding=[[0, 0], [0, 0], [1, 1], [0, 1]]), IMAGE, numbers(1, 2, 3, 3)),
)


cases(
    __name__, "conv1d_3d_and_transposed",
    one=(lambda x, w: F.conv1d(x, w, padding=1, stride=2), SOUND, numbers(2, 2, 3)),
    three=(F.conv3d, VOLUME, numbers(1, 1, 2, 2, 2)),
    t1=(lambda x, w: F.conv1d_transpose(x, w, stride=2, output_padding=1), SOUND, numbers(2, 1, 3)),
    t2=(lambda x, w: F.conv2d_transpose(x, w, stride=2, padding=1), IMAGE, numbers(2, 1, 3, 3)),
    t2_size=(lambda x, w: F.conv2d_transpose(x, w, stride=2, output_size=[12, 14]), IMAGE, numbers(2, 1, 3, 3)),
    t2_groups=(lambda x, w: F.conv2d_transpose(x, w, groups=2, dilation=2), IMAGE, numbers(2, 1, 2, 2)),
    t3=(lambda x, w: F.conv3d_transpose(x, w, stride=2), numbers(1, 1, 2, 2, 2), numbers(1, 1, 2, 2, 2)),
)


cases(
    __name__, "pools",
    max=(lambda x: F.max_pool2d(x, 2), IMAGE),
    max_pad=(lambda x: F.max_pool2d(x, 3, 2, 1), IMAGE),
    max_ceil=(lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True), IMAGE),
    max_mask=(lambda x: F.max_pool2d(x, 2, return_mask=True), IMAGE),
    avg=(lambda x: F.avg_pool2d(x, 2), IMAGE),
    avg_pad=(lambda x: F.avg_pool2d(x, 3, 1, 1), IMAGE),
    avg_all=(lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False), IMAGE),
    avg_div=(lambda x: F.avg_pool2d(x, 2, divisor_override=3), IMAGE),
    avg_ceil=(lambda x: F.avg_pool2d(x, 2, 2, ceil_mode=True), IMAGE),
    adaptive=(lambda x: F.adaptive_avg_pool2d(x, [2, 3]), IMAGE),
    adaptive_none=(lambda x: F.adaptive_avg_pool2d(x, [None, 3]), IMAGE),
    adaptive_max=(lambda x: F.adaptive_max_pool2d(x, 2, True), IMAGE),
    max1=(lambda x: F.max_pool1d(x, 2), SOUND),
    avg1=(lambda x: F.avg_pool1d(x, 3, 2, 1), SOUND),
    ad1=(lambda x: F.adaptive_avg_pool1d(x, 3), SOUND),
    adm1=(lambda x: F.adaptive_max_pool1d(x, 3), SOUND),
    max3=(lambda x: F.max_pool3d(x, 2), VOLUME),
    avg3=(lambda x: F.avg_pool3d(x, 2, 1), VOLUME),
    ad3=(lambda x: F.adaptive_avg_pool3d(x, 2), VOLUME),
    same=(lambda x: F.max_pool2d(x, 3, 2, 'SAME'), IMAGE),
    nhwc=(lambda x: F.avg_pool2d(x, 2, data_format='NHWC'), numbers(1, 4, 4, 2)),
    unpool=(lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), numbers(1, 1, 4, 4)),
)


cases(
    __name__, "images",
    pixel_shuffle=(lambda x: F.pixel_shuffle(x, 2), numbers(1, 4, 2, 2)),
    pixel_unshuffle=(lambda x: F.pixel_unshuffle(x, 2), numbers(1, 1, 4, 4)),
    channel_shuffle=(lambda x: F.channel_shuffle(x, 2), numbers(1, 4, 1, 2)),
    unfold=(lambda x: F.unfold(x, 2, 2), numbers(1, 1, 4, 4)),
    unfold_pad=(lambda x: F.unfold(x, [2, 2], 1, 1, 2), numbers(1, 1, 3, 3)),
    fold=(lambda x: F.fold(x, [3, 3], 2), numbers(1, 4, 4)),
    grid=(lambda x, g: F.grid_sample(x, g), numbers(1, 1, 3, 3), numbers(1, 2, 2, 2, low=-0.9, high=0.9)),
    grid_border=(lambda x, g: F.grid_sample(x, g, padding_mode='border', align_corners=False), numbers(1, 1, 3, 3), numbers(1, 2, 2, 2)),
    grid_nearest=(lambda x, g: F.grid_sample(x, g, 'nearest'), numbers(1, 1, 3, 3), numbers(1, 2, 2, 2, low=-0.9, high=0.9)),
    affine=(lambda t: F.affine_grid(t, [1, 1, 2, 3]), numbers(1, 2, 3)),
    shift=(lambda x: F.temporal_shift(x, 2, 0.25), numbers(2, 4, 1, 2)),
    lrn=(lambda x: F.local_response_norm(x, 2), IMAGE),
    interp=(lambda x: F.interpolate(x, [3, 4], mode='bilinear'), IMAGE),
    interp_nearest=(lambda x: F.interpolate(x, scale_factor=1.5), IMAGE),
    interp_cubic=(lambda x: F.interpolate(x, [4, 4], mode='bicubic', align_corners=True), IMAGE),
    interp_tri=(lambda x: F.interpolate(x, [2, 2, 2], mode='trilinear', data_format='NCDHW'), VOLUME),
)


cases(
    __name__, "pads",
    constant=(lambda x: F.pad(x, [1, 1, 1, 0], mode='constant'), numbers(1, 1, 3, 3)),
    constant1=(lambda x: F.pad(x, [2, 1], mode='constant', data_format='NCL'), numbers(1, 1, 4)),
    constant_last=(lambda x: F.pad(x, [1, 0, 0, 1], mode='constant', data_format='NHWC'), numbers(1, 3, 3, 1)),
    reflect=(lambda x: F.pad(x, [1, 1, 1, 0], mode='reflect'), numbers(1, 1, 3, 3)),
    reflect1=(lambda x: F.pad(x, [2, 1], mode='reflect', data_format='NCL'), numbers(1, 1, 4)),
    reflect_last=(lambda x: F.pad(x, [1, 0, 0, 1], mode='reflect', data_format='NHWC'), numbers(1, 3, 3, 1)),
    replicate=(lambda x: F.pad(x, [1, 1, 1, 0], mode='replicate'), numbers(1, 1, 3, 3)),
    replicate1=(lambda x: F.pad(x, [2, 1], mode='replicate', data_format='NCL'), numbers(1, 1, 4)),
    replicate_last=(lambda x: F.pad(x, [1, 0, 0, 1], mode='replicate', data_format='NHWC'), numbers(1, 3, 3, 1)),
    circular=(lambda x: F.pad(x, [1, 1, 1, 0], mode='circular'), numbers(1, 1, 3, 3)),
    circular1=(lambda x: F.pad(x, [2, 1], mode='circular', data_format='NCL'), numbers(1, 1, 4)),
    circular_last=(lambda x: F.pad(x, [1, 0, 0, 1], mode='circular', data_format='NHWC'), numbers(1, 3, 3, 1)),
)
