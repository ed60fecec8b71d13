"""Transforms of pictures, for Oarlock and for real Paddle: each case gets paddle.vision.transforms
and an image.

Runs in both environments, so it uses nothing but NumPy, Pillow and what it is given.  Real Paddle
is asked about PIL images and Tensors; about ndarrays only where it can do without OpenCV, which its
environment does not have.
"""

import random

import numpy as np
from PIL import Image


def pixels(channels=3):
    """Return an image with edges, colors and noise: uint8 [23, 31, channels]."""
    draw = np.random.default_rng(3)
    y, x = np.mgrid[0:23, 0:31]
    smooth = np.stack([8 * x, 11 * y, 4 * (x + y)], 2)[:, :, :channels]
    return (smooth + draw.integers(0, 60, smooth.shape)).clip(0, 255).astype("uint8")


POINTS = ([[0, 0], [30, 0], [30, 22], [0, 22]], [[3, 2], [27, 1], [29, 20], [1, 21]])

EVERYWHERE = {
    "crop": lambda T, x: T.crop(x, 2, 5, 9, 11),
    "center_crop": lambda T, x: T.center_crop(x, (10, 13)),
    "center_crop int": lambda T, x: T.CenterCrop(8)(x),
}
# PIL images and Tensors.
BOTH = {
    "hflip": lambda T, x: T.hflip(x),
    "vflip": lambda T, x: T.vflip(x),
    "pad": lambda T, x: T.pad(x, 3),
    "pad two": lambda T, x: T.pad(x, [1, 2]),
    "pad four": lambda T, x: T.Pad([1, 2, 3, 4], 0)(x),
    "pad edge": lambda T, x: T.pad(x, (1, 2, 3, 4), padding_mode="edge"),
    "pad reflect": lambda T, x: T.pad(x, (1, 2, 3, 4), padding_mode="reflect"),
    "resize nearest": lambda T, x: T.resize(x, (40, 20), "nearest"),
    "rotate": lambda T, x: T.rotate(x, 31.0),
    "rotate back": lambda T, x: T.rotate(x, -75.5),
    "affine": lambda T, x: T.affine(x, 20.0, [2, 3], 1.1, [5.0, 3.0]),
    "affine shear": lambda T, x: T.affine(x, 0, (0, 0), 0.7, 12.0),
    "perspective": lambda T, x: T.perspective(x, *POINTS),
    "brightness 0.6": lambda T, x: T.adjust_brightness(x, 0.6),
    "brightness 1.4": lambda T, x: T.adjust_brightness(x, 1.4),
    "contrast 0.5": lambda T, x: T.adjust_contrast(x, 0.5),
    "contrast 1.7": lambda T, x: T.adjust_contrast(x, 1.7),
    "saturation 0.3": lambda T, x: T.functional.adjust_saturation(x, 0.3),
    "saturation 1.5": lambda T, x: T.functional.adjust_saturation(x, 1.5),
    "hue 0.2": lambda T, x: T.adjust_hue(x, 0.2),
    "hue -0.4": lambda T, x: T.adjust_hue(x, -0.4),
    "gray": lambda T, x: T.Grayscale()(x),
    "gray 3": lambda T, x: T.to_grayscale(x, 3),
    "RandomResizedCrop": lambda T, x: T.RandomResizedCrop(12, interpolation="nearest")(x),
    "RandomResizedCrop wide": lambda T, x: T.RandomResizedCrop(
        (9, 14), (0.9, 1.0), (5.0, 6.0), "nearest"
    )(x),
    "RandomHorizontalFlip": lambda T, x: T.RandomHorizontalFlip(0.8)(x),
    "RandomVerticalFlip": lambda T, x: T.RandomVerticalFlip(0.8)(x),
    "RandomCrop": lambda T, x: T.RandomCrop((11, 9))(x),
    "RandomCrop pad": lambda T, x: T.RandomCrop((23, 30), padding=2)(x),
    "RandomCrop needed": lambda T, x: T.RandomCrop((40, 35), pad_if_needed=True)(x),
    "RandomRotation": lambda T, x: T.RandomRotation(40)(x),
    "RandomRotation two": lambda T, x: T.RandomRotation([30, 60])(x),
    "RandomAffine": lambda T, x: T.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), 5)(x),
    "RandomAffine four": lambda T, x: T.RandomAffine([5, 10], shear=[-3, 3, -4, 4])(x),
    "RandomPerspective": lambda T, x: T.RandomPerspective(0.9, 0.4)(x),
    "BrightnessTransform": lambda T, x: T.BrightnessTransform(0.4)(x),
    "ContrastTransform": lambda T, x: T.ContrastTransform(0.4)(x),
    "SaturationTransform": lambda T, x: T.SaturationTransform((0.5, 0.9))(x),
    "HueTransform": lambda T, x: T.HueTransform(0.3)(x),
    "ColorJitter": lambda T, x: T.ColorJitter(0.4, 0.3, 0.2, 0.1)(x),
    "RandomErasing": lambda T, x: T.RandomErasing(0.9, value=1)(x),
    "RandomErasing three": lambda T, x: T.RandomErasing(1.0, value=[1, 0, 1])(x),
    "erase": lambda T, x: T.erase(x, 3, 4, 5, 6, 1),
}
# Without a number for `fill`: of PIL images Paddle gives it to the first channel alone in pad, and
# to none in affine and perspective.
PICTURES = {
    **EVERYWHERE,
    **BOTH,
    "pad fill": lambda T, x: T.pad(x, [1, 2], (7, 8, 9)),
    "to_tensor": lambda T, x: T.to_tensor(x),
    "to_tensor HWC": lambda T, x: T.ToTensor("HWC")(x),
    "to_tensor gray": lambda T, x: T.to_tensor(x.convert("L")),
    "to_tensor bits": lambda T, x: T.to_tensor(x.convert("1")),
    "to_tensor int": lambda T, x: T.to_tensor(x.convert("I")),
    "to_tensor float": lambda T, x: T.to_tensor(x.convert("F")),
    "resize": lambda T, x: T.resize(x, (40, 20)),
    "resize int": lambda T, x: T.Resize(12)(x),
    "resize same": lambda T, x: T.resize(x, 23),
    "resize tall": lambda T, x: T.resize(T.crop(x, 0, 0, 20, 10), 13),
    "resize bicubic": lambda T, x: T.resize(x, [11, 13], "bicubic"),
    "resize lanczos": lambda T, x: T.resize(x, [11, 13], "lanczos"),
    "resize box": lambda T, x: T.resize(x, [11, 13], "box"),
    "resize hamming": lambda T, x: T.resize(x, [11, 13], "hamming"),
    "pad symmetric": lambda T, x: T.pad(x, (1, 2, 3, 4), padding_mode="symmetric"),
    "pad palette": lambda T, x: T.pad(x.convert("P"), 2).convert("RGB"),
    "pad palette edge": lambda T, x: T.pad(x.convert("P"), 2, padding_mode="edge").convert("RGB"),
    "rotate bilinear expand": lambda T, x: T.rotate(x, 30, "bilinear", True, fill=(1, 2, 3)),
    "rotate center": lambda T, x: T.rotate(x, 50, "bicubic", center=[3, 4], fill=9),
    "affine bilinear": lambda T, x: T.affine(x, 20, [2, 3], 1.1, [5, 3], "bilinear", 0, [4, 5]),
    "perspective bicubic": lambda T, x: T.perspective(x, *POINTS, "bicubic"),
    "normalize": lambda T, x: T.normalize(x, [1, 2, 3], [4, 5, 6], "HWC"),
    "Normalize": lambda T, x: T.Normalize(127.5, 127.5, "HWC")(x),
    "Normalize turned": lambda T, x: T.Normalize([1, 2, 3], [4, 5, 6], "HWC", to_rgb=True)(x),
    "Transpose": lambda T, x: T.Transpose()(x),
    "Transpose gray": lambda T, x: T.Transpose()(x.convert("L")),
    "hue gray": lambda T, x: T.adjust_hue(x.convert("L"), 0.2),
    "Compose": lambda T, x: T.Compose(
        [T.Resize(20), T.RandomCrop(16), T.ToTensor(), T.Normalize([0.5] * 3, [0.2] * 3)]
    )(x),
    "keys": lambda T, x: T.Resize(12, keys=("image", "image"))((x, x.rotate(90), "label"))[1],
}
TENSORS = {
    **EVERYWHERE,
    **BOTH,
    "pad fill": lambda T, x: T.pad(x, [1, 2], 7),
    "resize": lambda T, x: T.resize(x, (40, 20)),
    "resize int": lambda T, x: T.Resize(12)(x),
    "resize bicubic": lambda T, x: T.resize(x, [11, 13], "bicubic"),
    "resize area": lambda T, x: T.resize(x, [11, 13], "area"),
    "rotate bilinear": lambda T, x: T.rotate(x, 30.0, "bilinear", fill=(0.1, 0.2, 0.3)),
    "rotate expand": lambda T, x: T.rotate(x, 30.0, "bilinear", True),
    "rotate center": lambda T, x: T.rotate(x, 50.0, "bilinear", center=[3, 4]),
    "affine bilinear": lambda T, x: T.affine(x, 20.0, [2, 3], 1.1, [5, 3], "bilinear"),
    "perspective bilinear": lambda T, x: T.perspective(x, *POINTS, "bilinear", (0.4, 0.5, 0.6)),
    "normalize": lambda T, x: T.normalize(x, [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]),
    "Transpose": lambda T, x: T.Transpose((1, 2, 0))(x),
    "to_tensor": lambda T, x: T.to_tensor(x, "HWC"),
}
ARRAYS = {
    **EVERYWHERE,
    "to_tensor": lambda T, x: T.to_tensor(x),
    "to_tensor HWC": lambda T, x: T.to_tensor(x, "HWC"),
    "to_tensor gray": lambda T, x: T.to_tensor(x[:, :, 0]),
    "to_tensor float": lambda T, x: T.to_tensor(x.astype("float32")),
    "normalize": lambda T, x: T.normalize(x, [1, 2, 3], [4, 5, 6], "HWC"),
    "normalize CHW": lambda T, x: T.normalize(x.transpose(2, 0, 1), [1, 2, 3], [4, 5, 6]),
    "normalize turned": lambda T, x: T.normalize(x, [1, 2, 3], [4, 5, 6], "HWC", True),
    "Transpose": lambda T, x: T.Transpose()(x),
    "erase": lambda T, x: T.erase(x, 3, 4, 5, 6, 1),
    "RandomErasing": lambda T, x: T.RandomErasing(0.9, value="random")(x),
}


def case(kind, change):
    """Return the result of a transform for one image type; random ones use a fixed seed."""

    def run(P):
        image = pixels()
        if kind == "picture":
            image = Image.fromarray(image)
        elif kind == "tensor":
            image = P.to_tensor(image.transpose(2, 0, 1).astype("float32") / 255)
        random.seed(7)
        np.random.seed(7)
        found = change(P.vision.transforms, image)
        return {"out": found.numpy() if isinstance(found, P.Tensor) else np.asarray(found)}

    return run


KINDS = {"picture": PICTURES, "tensor": TENSORS, "array": ARRAYS}
CASES = {
    f"transforms.{kind} {name}": case(kind, f)
    for kind, cases in KINDS.items()
    for name, f in cases.items()
}
