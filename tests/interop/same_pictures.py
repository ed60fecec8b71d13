"""Windows, pooling and normalization of images for same_code.py."""

import numpy as np
from same_code import data, fill, layer_case
from same_layers import X3, X4, X5, function_case, several_case


def deformed(offset):
    """A deformable convolution with a mask, and its gradients."""
    offset = np.asarray(offset, "float32")

    def run(P):
        tensors = [
            P.to_tensor(a, stop_gradient=False)
            for a in (X4, offset, data(3, 4, 3, 3), data(2, 9, 6, 7))
        ]
        x, moved, weight, mask = tensors
        out = P.vision.ops.deform_conv2d(x, moved, weight, padding=1, mask=mask)
        (out * P.to_tensor(data(*out.shape))).sum().backward()
        return {"out": out.numpy()} | {f"grad{i}": t.grad.numpy() for i, t in enumerate(tensors)}

    return run


windows = {
    "deformable_not_moved": deformed(np.zeros((2, 18, 6, 7))),
    "deformable_moved_by_whole_pixels": deformed(np.round(3 * data(2, 18, 6, 7))),
    "deformable_moved": deformed(2 * data(2, 18, 6, 7)),
    "conv1d_circular": layer_case(
        lambda P: P.nn.Conv1D(4, 3, 3, padding=1, padding_mode="circular"), X3
    ),
    "conv1d_last": layer_case(lambda P: P.nn.Conv1D(8, 3, 3, data_format="NLC"), X3),
    "conv1d_transpose": layer_case(lambda P: P.nn.Conv1DTranspose(4, 3, 3, 2, 1, 1), X3),
    "conv2d_transpose_depthwise": layer_case(
        lambda P: P.nn.Conv2DTranspose(4, 4, 3, 2, 1, groups=4), X4
    ),
    "conv2d_transpose_size": several_case(
        lambda P: P.nn.Conv2DTranspose(4, 3, 3, 2), X4, call=lambda layer, x: layer(x, [14, 15])
    ),
    "conv3d": layer_case(lambda P: P.nn.Conv3D(2, 3, 2, 2, 1), X5),
    "conv3d_same": layer_case(lambda P: P.nn.Conv3D(2, 3, 3, padding="same"), X5),
    "conv3d_replicate": layer_case(
        lambda P: P.nn.Conv3D(2, 3, 3, padding=1, padding_mode="replicate"), X5
    ),
    "conv3d_last": layer_case(lambda P: P.nn.Conv3D(6, 3, 2, data_format="NDHWC"), X5),
    "conv3d_transpose": layer_case(lambda P: P.nn.Conv3DTranspose(2, 4, 3, 2, 1, 1, groups=2), X5),
    "conv3d_transpose_last": layer_case(
        lambda P: P.nn.Conv3DTranspose(6, 3, 3, data_format="NDHWC"), X5
    ),
    "max_pool1d_mask": several_case(lambda P: P.nn.MaxPool1D(2, 2, return_mask=True), X3),
    "max_pool2d_mask": several_case(lambda P: P.nn.MaxPool2D(3, 2, 1, return_mask=True), X4),
    "max_pool3d": layer_case(lambda P: P.nn.MaxPool3D(2, 2, 1), X5),
    "max_pool2d_mask_valid": several_case(
        lambda P: P.nn.MaxPool2D(3, 2, "VALID", return_mask=True), X4
    ),
    "max_pool1d_mask_valid": several_case(
        lambda P: P.nn.MaxPool1D(2, 2, "VALID", return_mask=True), X3
    ),
    "max_pool3d_mask": several_case(lambda P: P.nn.MaxPool3D(2, 2, return_mask=True), X5),
    "avg_pool3d": layer_case(lambda P: P.nn.AvgPool3D(3, 2, 1, ceil_mode=True), X5),
    "avg_pool3d_divisor": layer_case(lambda P: P.nn.AvgPool3D(2, divisor_override=3), X5),
    "avg_pool2d_divisor": layer_case(lambda P: P.nn.AvgPool2D(2, divisor_override=3), X4),
    "avg_pool2d_divisor_padded": layer_case(
        lambda P: P.nn.AvgPool2D(2, padding=1, divisor_override=3), X4
    ),
    "adaptive_avg1d": layer_case(lambda P: P.nn.AdaptiveAvgPool1D(3), X3),
    "adaptive_avg3d": layer_case(lambda P: P.nn.AdaptiveAvgPool3D((2, None, 4)), X5),
    "adaptive_max1d": layer_case(lambda P: P.nn.AdaptiveMaxPool1D(3), X3),
    "adaptive_max1d_mask": several_case(lambda P: P.nn.AdaptiveMaxPool1D(3, return_mask=True), X3),
    "adaptive_max2d_mask": several_case(
        lambda P: P.nn.AdaptiveMaxPool2D((3, 2), return_mask=True), X4
    ),
    "adaptive_max3d": layer_case(lambda P: P.nn.AdaptiveMaxPool3D((2, 3, 4)), X5),
    "unpool1d": several_case(
        lambda P: P.nn.MaxPool1D(2, 2, return_mask=True),
        X3,
        call=lambda layer, x: layer_unpool(layer, x, "max_unpool1d"),
    ),
    "unpool2d": several_case(
        lambda P: P.nn.MaxPool2D(2, 2, return_mask=True),
        X4,
        call=lambda layer, x: layer_unpool(layer, x, "max_unpool2d", output_size=[2, 4, 6, 7]),
    ),
    "unpool3d": several_case(
        lambda P: P.nn.MaxPool3D(2, 2, return_mask=True),
        X5,
        call=lambda layer, x: layer_unpool(layer, x, "max_unpool3d", output_size=[4, 5, 6]),
    ),
}


def layer_unpool(layer, x, function, **settings):
    """Pooling and unpooling."""
    from importlib import import_module

    F = import_module(type(layer).__module__.split(".")[0] + ".nn.functional")
    return getattr(F, function)(*layer(x), 2, 2, **settings)


GRID, THETA = data(2, 3, 4, 2) * 0.7, data(2, 2, 3)


pictures = {
    **{
        n: layer_case(lambda P, n=n: getattr(P.nn, n)(), X4)
        for n in [
            "CELU",
            "SELU",
            "Hardshrink",
            "Softshrink",
            "Tanhshrink",
            "ThresholdedReLU",
            "RReLU",
            "Softmax2D",
            "Tanhshrink",
        ]
    },
    "maxout": layer_case(lambda P: P.nn.Maxout(2), X4),
    "maxout_last": layer_case(lambda P: P.nn.Maxout(7, axis=-1), X4),
    "pad1d": layer_case(lambda P: P.nn.Pad1D([1, 2], "reflect"), X3),
    "pad3d": layer_case(lambda P: P.nn.Pad3D(1, value=2.0), X5),
    "zero_pad": layer_case(lambda P: P.nn.ZeroPad2D([1, 0, 2, 3]), X4),
    "upsample": layer_case(lambda P: P.nn.Upsample([9, 5]), X4),
    "upsample_bilinear": layer_case(
        lambda P: P.nn.Upsample(scale_factor=[1.5, 2], mode="bilinear", align_corners=True), X4
    ),
    "upsample_mode1": layer_case(
        lambda P: P.nn.Upsample([9, 5], mode="bilinear", align_mode=1), X4
    ),
    "upsample_bicubic": layer_case(lambda P: P.nn.Upsample([9, 5], mode="bicubic"), X4),
    "upsample_linear": layer_case(
        lambda P: P.nn.Upsample([9], mode="linear", data_format="NCW"), X3
    ),
    "upsample_trilinear": layer_case(
        lambda P: P.nn.Upsample(scale_factor=2, mode="trilinear", data_format="NCDHW"), X5
    ),
    "upsample_last": layer_case(
        lambda P: P.nn.Upsample([9, 5], mode="bilinear", data_format="NHWC"), X4
    ),
    "nearest2d": layer_case(lambda P: P.nn.UpsamplingNearest2D(scale_factor=2), X4),
    "bilinear2d": layer_case(lambda P: P.nn.UpsamplingBilinear2D([4, 9]), X4),
    "interpolate_size": function_case(
        lambda F, x, size: F.interpolate(x, size, mode="bilinear"), X4, np.array([3, 4])
    ),
    "pixel_shuffle": layer_case(lambda P: P.nn.PixelShuffle(2), X4),
    "pixel_unshuffle": layer_case(lambda P: P.nn.PixelUnshuffle(2), X4[..., :6]),
    "channel_shuffle": layer_case(lambda P: P.nn.ChannelShuffle(2), X4),
    "unfold": layer_case(lambda P: P.nn.Unfold([2, 3], strides=2, paddings=1), X4),
    "fold": layer_case(lambda P: P.nn.Fold([4, 5], 2, strides=1), data(2, 12, 12)),
    "temporal_shift": function_case(lambda F, x: F.temporal_shift(x, 2, 0.25), X4),
    "grid_sample": function_case(
        lambda F, x, g: F.grid_sample(x, g, padding_mode="reflection", align_corners=False),
        X4,
        GRID,
    ),
    "grid_of_affine": function_case(
        lambda F, x, t: F.grid_sample(x, F.affine_grid(t, [2, 4, 5, 6])), X4, THETA * 0.5
    ),
    "lrn": layer_case(lambda P: P.nn.LocalResponseNorm(3), X4),
    "lrn_even_last": layer_case(lambda P: P.nn.LocalResponseNorm(4, 0.1, 0.5, 2.0, "NHWC"), X4),
    "lrn_3d": layer_case(lambda P: P.nn.LocalResponseNorm(3, data_format="NCL"), X3),
    "lrn_5d": layer_case(lambda P: P.nn.LocalResponseNorm(3, data_format="NCDHW"), X5),
    "instance1d": layer_case(lambda P: P.nn.InstanceNorm1D(4), X3),
    "instance3d": layer_case(lambda P: P.nn.InstanceNorm3D(2), X5),
    "dropout3d": layer_case(lambda P: P.nn.Dropout3D(0.4), X5),
    "alpha_dropout": layer_case(lambda P: P.nn.AlphaDropout(0.4), X4),
    "bilinear": several_case(lambda P: P.nn.Bilinear(3, 4, 5), data(2, 3), data(2, 4)),
    "distance": several_case(
        lambda P: P.nn.PairwiseDistance(3.0, keepdim=True), data(2, 3), data(2, 3, seed=1)
    ),
    "unflatten": layer_case(lambda P: P.nn.Unflatten(1, [2, -1]), X4),
}


def spectral(P):
    """The layer; its gradient is wrong in real Paddle."""
    layer = fill(P.nn.SpectralNorm([4, 3, 2], dim=1, power_iters=3))
    return {"out": layer(P.to_tensor(data(4, 3, 2))).numpy()} | {
        n: np.array(t.shape) for n, t in layer.state_dict().items()
    }


CASES = {
    **{f"picture.{k}": v for k, v in pictures.items()},
    "picture.spectral": spectral,
    **{f"window.{k}": v for k, v in windows.items()},
}
