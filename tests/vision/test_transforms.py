"""Transforms without real Paddle: backends compared with each other, gradients, saving, errors."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import oarlock as oar
from oarlock.static import InputSpec
from oarlock.vision import transforms as T
from oarlock.vision.transforms import functional as F
from oarlock.vision.transforms import geometry, interpolation_weights

draw = np.random.default_rng(0)
IMAGE = draw.integers(0, 256, (17, 21, 3)).astype("uint8")
RESIZED = Path(__file__).parents[1] / "fixtures" / "resized.npz"
POINTS = ([[0, 0], [20, 0], [20, 16], [0, 16]], [[2, 1], [18, 3], [20, 14], [1, 15]])


def color_grid() -> Any:
    """Return an image with all colors of a coarse grid, and grays: uint8 [N, 1, 3]."""
    steps = np.array([0, 1, 2, 3, 40, 77, 127, 128, 129, 200, 253, 254, 255])
    return np.stack(np.meshgrid(steps, steps, steps), -1).reshape(-1, 1, 3).astype("uint8")


SAME_AS_PIL = {
    "hflip": F.hflip,
    "vflip": F.vflip,
    "crop": lambda x: F.crop(x, 2, 3, 5, 7),
    "center_crop": lambda x: F.center_crop(x, (5, 8)),
    "pad": lambda x: F.pad(x, (1, 2, 3, 4), (5, 6, 7)),
    "pad one": lambda x: F.pad(x, 2, 9),
    "pad edge": lambda x: F.pad(x, (1, 2), padding_mode="edge"),
    "pad reflect": lambda x: F.pad(x, (1, 2), padding_mode="reflect"),
    "pad symmetric": lambda x: F.pad(x, (1, 2), padding_mode="symmetric"),
    "rotate": lambda x: F.rotate(x, 33.3, fill=(9, 8, 7)),
    "rotate expand": lambda x: F.rotate(x, 33.3, expand=True, fill=4),
    "rotate center": lambda x: F.rotate(x, -21.0, center=[3, 4]),
    "affine": lambda x: F.affine(x, 12.3, [2, 3], 1.2, [7, -4], fill=3),
    "affine one shear": lambda x: F.affine(x, -30, [-2, 1], 0.6, [7], center=[1, 2]),
    "perspective": lambda x: F.perspective(x, *POINTS, fill=(1, 2, 3)),
    "gray": lambda x: F.to_grayscale(x, 3),
    **{f"brightness {f}": lambda x, f=f: F.adjust_brightness(x, f) for f in (0.0, 0.3, 1.0, 1.7)},
    **{f"contrast {f}": lambda x, f=f: F.adjust_contrast(x, f) for f in (0.0, 0.3, 1.0, 1.7)},
    **{f"saturation {f}": lambda x, f=f: F.adjust_saturation(x, f) for f in (0.0, 0.3, 1.0, 1.7)},
    **{f"hue {f}": lambda x, f=f: F.adjust_hue(x, f) for f in (-0.5, -0.21, 0.0, 0.13, 0.5)},
}


@pytest.mark.parametrize("case", SAME_AS_PIL)
@pytest.mark.parametrize("image", [IMAGE, color_grid()], ids=["image", "colors"])
def test_ndarray_equals_pil(case: str, image: Any) -> None:
    if image.shape[1] == 1 and case.split(maxsplit=1)[0] in (
        "crop",
        "center_crop",
        "pad",
        "rotate",
        "affine",
        "perspective",
    ):
        image = image.reshape(13, 169, 3)
    before = image.copy()
    found, wanted = SAME_AS_PIL[case](image), np.asarray(SAME_AS_PIL[case](Image.fromarray(image)))
    assert found.dtype == np.uint8
    moved = (found != wanted).any(2).sum()
    # PIL rounds to 1/65536 of a pixel
    assert moved <= ("rotate" in case) * found.shape[0] * found.shape[1] // 300
    np.testing.assert_array_equal(image, before)


def test_grayscale_images() -> None:
    gray = IMAGE[:, :, 0]
    for change in (
        lambda x: F.adjust_contrast(x, 0.4),
        lambda x: F.adjust_hue(x, 0.4),
        lambda x: F.pad(x, 1, 3),
        lambda x: F.rotate(x, 20, fill=5),
        lambda x: F.affine(x, 20, (1, 1), 1, 0, fill=5),
        lambda x: F.pad(x, 2, padding_mode="edge"),
        F.hflip,
    ):
        found = change(gray)
        np.testing.assert_array_equal(found, np.asarray(change(Image.fromarray(gray))))
        np.testing.assert_array_equal(found[:, :, None], change(gray[:, :, None]))
    assert F.to_tensor(gray).shape == [1, 17, 21]
    assert F.to_grayscale(gray).shape == (17, 21, 1)
    assert F.adjust_saturation(gray, 0.5).tolist() == gray.tolist()


def test_ndarray_resize_equals_opencv() -> None:
    with np.load(RESIZED) as held:
        cases = {name: held[name] for name in held.files}
    image = cases.pop("image")
    for case, wanted in cases.items():
        dtype, way, high, wide = case.split()
        found = F.resize(image.astype(dtype), (int(high), int(wide)), way)
        assert found.dtype == wanted.dtype
        atol = 1.0 if dtype == "uint8" else 0.02  # OpenCV computes bytes with weights of 11 bits
        np.testing.assert_allclose(
            found.astype(float), wanted.astype(float), atol=atol, err_msg=case
        )
    assert F.resize(image, 6).shape == (7, 6, 3)
    assert F.resize(image.astype("float64"), (3, 4)).dtype == np.float64
    assert F.resize(image[:, :, :1], (3, 4)).shape == (3, 4, 1)
    assert F.resize(image[:, :, 0], (3, 4)).shape == (3, 4)


@pytest.mark.parametrize("way", interpolation_weights.INTERPOLATIONS)
def test_resize_weights_sum_to_one(way: str) -> None:
    for old, new in ((7, 3), (3, 7), (5, 5), (1, 4), (6, 1), (10, 7)):
        taps = interpolation_weights.resize_weights(old, new, way)
        np.testing.assert_allclose(taps.weight.sum(1), 1.0, atol=1e-12)
        assert taps.source.min() >= 0
        assert taps.source.max() < old
        np.testing.assert_allclose(
            interpolation_weights.to_weight_matrix(taps, old) @ np.full(old, 2.5), 2.5
        )
    flat = np.full((5, 6, 3), 77, "uint8")
    assert (F.resize(flat, (9, 4), way) == 77).all()


@pytest.mark.parametrize("way", ["nearest", "bilinear", "bicubic"])
def test_tensor_warp_equals_ndarray(way: str) -> None:
    floats = IMAGE.astype("float32") / 255
    tensor = oar.to_tensor(floats.transpose(2, 0, 1))
    for change in (
        lambda x: F.rotate(x, 31, way),
        lambda x: F.affine(x, 10, (1, 2), 1.1, (3, 4), way),
        lambda x: F.perspective(x, *POINTS, way),
    ):
        found, wanted = change(tensor).numpy().transpose(1, 2, 0), change(floats)
        # beside the edge Paddle weighs Tensors twice
        inner = np.abs(change(np.ones_like(floats)) - 1) < 1e-6
        assert inner.sum() > 300
        np.testing.assert_allclose(found[inner], wanted[inner], atol=1e-5)
    whole = F.rotate(oar.to_tensor(IMAGE.transpose(2, 0, 1)), 31, way).numpy().transpose(1, 2, 0)
    inner = np.abs(F.rotate(np.ones_like(floats), 31, way) - 1) < 1e-6
    assert np.abs(whole[inner].astype(int) - F.rotate(IMAGE, 31, way)[inner]).max() <= 1


def test_identity_transforms() -> None:
    for way in ("nearest", "bilinear", "bicubic"):
        np.testing.assert_array_equal(F.rotate(IMAGE, 0, way), IMAGE)
        np.testing.assert_array_equal(F.affine(IMAGE, 0, (0, 0), 1, 0, way), IMAGE)
        np.testing.assert_array_equal(F.perspective(IMAGE, POINTS[0], POINTS[0], way), IMAGE)
    np.testing.assert_array_equal(F.rotate(IMAGE, 90, expand=True), np.rot90(IMAGE))
    np.testing.assert_array_equal(F.affine(IMAGE, 0, (3, 0), 1, 0)[:, 3:], IMAGE[:, :-3])


def test_perspective_maps_corners() -> None:
    matrix = geometry.inverse_perspective_coefficients(*POINTS)
    a, b, c, d, e, f, g, h = matrix
    for (x, y), (u, v) in zip(POINTS[1], POINTS[0], strict=True):
        depth = g * x + h * y + 1
        np.testing.assert_allclose(
            [(a * x + b * y + c) / depth, (d * x + e * y + f) / depth], [u, v], atol=1e-8
        )


def test_uint8_tensors() -> None:
    floats = oar.to_tensor(IMAGE.transpose(2, 0, 1).astype("float32") / 255)
    bytes_ = oar.to_tensor(IMAGE.transpose(2, 0, 1))
    for change in (
        lambda x: F.adjust_brightness(x, 1.3),
        lambda x: F.adjust_contrast(x, 0.6),
        lambda x: F.adjust_saturation(x, 1.6),
        lambda x: F.adjust_hue(x, 0.3),
        lambda x: F.resize(x, (9, 8)),
        lambda x: F.to_grayscale(x, 3),
        lambda x: F.resize(x, (9, 8), "area"),
    ):
        found, wanted = change(bytes_).numpy(), change(floats).numpy() * 255
        assert found.dtype == np.uint8
        assert np.abs(found - wanted).max() <= 1.01
    batch = oar.to_tensor(np.stack([IMAGE.transpose(2, 0, 1)] * 2).astype("float32") / 255)
    for change in (
        lambda x: F.resize(x, (9, 8)),
        lambda x: F.rotate(x, 20),
        lambda x: F.pad(x, 1),
        lambda x: F.adjust_hue(x, 0.1),
        lambda x: F.adjust_saturation(x, 0.1),
        lambda x: F.crop(x, 1, 2, 3, 4),
        lambda x: F.resize(x, (9, 8), "area"),
        F.hflip,
    ):
        np.testing.assert_allclose(change(batch)[1].numpy(), change(batch[1]).numpy(), atol=1e-6)


def test_tensor_transforms_are_differentiable_and_can_be_saved(tmp_path: Path) -> None:
    class Ready(oar.nn.Layer):
        def forward(self, x: Any) -> Any:
            x = F.rotate(F.resize(x, (12, 10), "bicubic"), 25, "bilinear", fill=0.2)
            return F.normalize(
                F.adjust_hue(F.adjust_contrast(F.hflip(x), 0.8), 0.2), [0.4] * 3, [0.2] * 3
            )

    x = oar.to_tensor(draw.uniform(0, 1, (3, 8, 9)).astype("float32"), stop_gradient=False)
    Ready()(x).sum().backward()
    assert np.abs(x.grad.numpy()).max() > 0
    with pytest.warns(UserWarning, match="no parameters"):
        oar.jit.save(Ready(), tmp_path / "m", input_spec=[InputSpec([3, 8, 9], "float32")])
    np.testing.assert_allclose(
        oar.jit.load(tmp_path / "m")(x).numpy(), Ready()(x).numpy(), atol=1e-5
    )


def test_normalize_to_rgb() -> None:
    arrays = [IMAGE, IMAGE.transpose(2, 0, 1)]
    for image, layout, axis in zip(arrays, ("HWC", "CHW"), (2, 0), strict=True):
        wanted = F.normalize(np.flip(image, axis), 1.0 * np.arange(3), np.arange(1, 4), layout)
        np.testing.assert_array_equal(
            F.normalize(image, [0, 1, 2], [1, 2, 3], layout, to_rgb=True), wanted
        )
        tensor = oar.to_tensor(image.astype("float32"))
        np.testing.assert_allclose(
            F.normalize(tensor, [0, 1, 2], [1, 2, 3], layout, to_rgb=True).numpy(),
            wanted,
            rtol=1e-6,
        )


def test_fill_values() -> None:
    image = Image.fromarray(IMAGE)
    assert np.asarray(F.pad(image, 1, 7))[0, 0].tolist() == [7, 7, 7]
    assert np.asarray(F.affine(image, 45, (0, 0), 0.5, 0, fill=7))[0, 0].tolist() == [7, 7, 7]
    assert np.asarray(F.perspective(image, *POINTS, fill=(1, 2, 3)))[0, 0].tolist() == [1, 2, 3]
    assert np.asarray(F.pad(image, 1, "red"))[0, 0].tolist() == [255, 0, 0]


def test_random_erasing() -> None:
    random.seed(0)
    np.random.seed(0)
    tensor = oar.to_tensor(IMAGE.transpose(2, 0, 1).astype("float32"))
    for image in (IMAGE, Image.fromarray(IMAGE), tensor):
        found = T.RandomErasing(1.0, value="random")(image)
        changed = np.asarray(found.numpy() if image is tensor else found) != np.asarray(
            tensor.numpy() if image is tensor else image
        )
        assert 0.02 <= changed.any(0 if image is tensor else 2).mean() <= 0.4
        assert T.RandomErasing(0.0)(image) is image
    # too large a part, ten times
    assert T.RandomErasing(1.0, scale=(1, 1), ratio=(1, 1))(IMAGE) is IMAGE
    kept = IMAGE.copy()
    F.erase(kept, 0, 0, 2, 2, 9, inplace=True)
    assert kept[0, 0].tolist() == [9, 9, 9]
    F.erase(tensor, 0, 0, 2, 2, oar.to_tensor(3.0), inplace=True)
    assert tensor[0, 1, 1].item() == 3.0


def test_transform_keys() -> None:
    class Both(T.BaseTransform):
        def _get_params(self, inputs: Any) -> int:
            return len(inputs)

        def _apply_image(self, image: Any) -> Any:
            return ("image", image, self.params)

        def _apply_boxes(self, boxes: Any) -> Any:
            return ("boxes", boxes, self.params)

    assert Both(("image", "boxes"))((1, 2, 3)) == (("image", 1, 3), ("boxes", 2, 3), 3)
    assert Both()(5) == ("image", 5, 1)
    assert Both(("boxes",))((5, 6)) == (("boxes", 5, 2), 6)
    for keys, why in ((("text",), "does not implement _apply_text"), ("image", "a list of names")):
        with pytest.raises(oar.OpError, match=why):
            Both(keys)
    for key in ("image", "boxes", "mask"):
        with pytest.raises(NotImplementedError, match=f"_apply_{key}"):
            T.BaseTransform((key,))(1)
    assert repr(T.Compose([abs, len])).startswith("Compose(\n    <built-in")


INVALID_CALLS = {
    "no image": (lambda: F.hflip("text"), "hflip: expected a PIL image, ndarray or Tensor, got str"),
    "rank of an ndarray": (lambda: F.hflip(np.zeros(3)), r"hflip: an ndarray must be \[H, W\]"),
    "rank of a Tensor": (lambda: F.hflip(oar.ones([2])), r"hflip: a Tensor must be \[C, H, W\]"),
    "size": (lambda: F.resize(IMAGE, 2.5), "resize: size must be a number"),
    "interpolation": (lambda: F.resize(IMAGE, 3, "cubic"), "interpolation='cubic'"),
    "interpolation of PIL": (lambda: F.resize(Image.fromarray(IMAGE), 3, "area"), "interpolation='area'"),
    "warp": (lambda: F.rotate(IMAGE, 3, "lanczos"), "rotate: interpolation"),
    "padding": (lambda: F.pad(IMAGE, [1, 2, 3]), "pad: padding must be"),
    "padding mode": (lambda: F.pad(IMAGE, 1, padding_mode="wrap"), "pad: padding_mode"),
    "padding mode of a Tensor": (lambda: F.pad(oar.ones([3, 4, 4]), 1, padding_mode="symmetric"), "symmetric"),
    "colors of floats": (lambda: F.adjust_contrast(IMAGE / 255, 1.2), "adjust_contrast: an ndarray must be uint8"),
    "channels": (lambda: F.adjust_hue(np.zeros((3, 3, 4), "uint8"), 0.1), "an ndarray must be uint8"),
    "channels of a Tensor": (lambda: F.adjust_contrast(oar.ones([4, 3, 3]), 1.2), "1 or 3 channels"),
    "factor": (lambda: F.adjust_brightness(IMAGE, -1), "adjust_brightness: the factor"),
    "hue": (lambda: F.adjust_hue(IMAGE, 0.6), "adjust_hue: hue_factor"),
    "gray": (lambda: F.to_grayscale(IMAGE, 2), "num_output_channels"),
    "layout": (lambda: F.to_tensor(IMAGE, "WHC"), "data_format"),
    "scale": (lambda: F.affine(IMAGE, 0, (0, 0), 0, 0), "scale positive"),
    "shear": (lambda: F.affine(IMAGE, 0, (0, 0), 1, (1, 2, 3)), "shear must be one or two"),
    "points": (lambda: F.perspective(IMAGE, POINTS[0][:3], POINTS[1]), "must be four points"),
    "does not fit": (lambda: T.RandomCrop(30)(IMAGE), "the crop 30x30 exceeds the image 17x21"),
    "prob": (lambda: T.RandomHorizontalFlip(1.5), "prob=1.5"),
    "prob down": (lambda: T.RandomVerticalFlip(-1), "prob=-1"),
    "angle": (lambda: T.RandomRotation(-3), "must not be negative"),
    "angles": (lambda: T.RandomAffine([1, 2, 3]), "angles must be"),
    "translate": (lambda: T.RandomAffine(3, translate=(2, 2)), "translate"),
    "scales": (lambda: T.RandomAffine(3, scale=(0, 2)), "scale="),
    "distortion": (lambda: T.RandomPerspective(distortion_scale=2), "distortion_scale"),
    "ranges": (lambda: T.RandomResizedCrop(3, scale=(2, 1)), "must be .min, max"),
    "erased text": (lambda: T.RandomErasing(value="red"), "'random'"),
    "erased numbers": (lambda: T.RandomErasing(value=[1, 2]), "1 or 3 numbers"),
    "erased scale": (lambda: T.RandomErasing(scale=(0.5, 2)), "scale="),
    "erased ratio": (lambda: T.RandomErasing(ratio=(0, 2)), "ratio="),
    "brightness": (lambda: T.BrightnessTransform(-1), "value=-1 is negative"),
    "contrast": (lambda: T.ContrastTransform("1"), "a number or two"),
    "too much hue": (lambda: T.HueTransform(0.7), "not between -0.5 and 0.5"),
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID_CALLS)
def test_invalid_calls_are_rejected(case: str) -> None:
    call, why = INVALID_CALLS[case]
    with pytest.raises(oar.OpError, match=why):
        call()


def test_pil_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "PIL.Image")
    assert T.Compose([T.Resize(9), T.ToTensor()])(IMAGE).shape == [3, 9, 11]
    with pytest.raises(oar.OpError, match="expected a PIL image"):
        F.hflip(object())
