"""paddle.dataset.image: resizing and cropping as in 1.8.5, and flowers from a user's folder."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

import oarlock
from oarlock.dataset import flowers, image

IMAGE = np.arange(6 * 4 * 3, dtype=np.uint8).reshape(6, 4, 3)
# The first channel of what real 1.8.5 makes of it, which counts in whole numbers: it may be one
# off.
RESIZED = {
    2: [[6, 13], [31, 38], [56, 63]],
    3: [[3, 7, 11], [21, 25, 29], [40, 44, 48], [58, 62, 66]],
    5: [[0, 1, 4, 7, 9], [8, 10, 13, 16, 18], [19, 21, 24, 26, 29], [30, 32, 34, 37, 39], [40, 42, 45, 48, 50], [51, 53, 56, 59, 61], [60, 62, 65, 68, 70]],
}  # fmt: skip


def png(pixels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("size", RESIZED)
def test_resize_short(size: int) -> None:
    made = image.resize_short(IMAGE, size)
    assert made.dtype == np.uint8
    np.testing.assert_allclose(made[..., 0].astype(int), RESIZED[size], atol=1)
    np.testing.assert_array_equal(image.resize_short(IMAGE[..., 0], size), made[..., 0])


def test_crop_and_flip() -> None:
    gray = IMAGE[..., 0]
    assert image.center_crop(gray, 2, is_color=False).tolist() == [[27, 30], [39, 42]]
    assert image.left_right_flip(gray, is_color=False)[0].tolist() == [9, 6, 3, 0]
    assert image.to_chw(IMAGE).shape == (3, 6, 4)
    assert image.random_crop(IMAGE, 3).shape == (3, 3, 3)
    made = image.simple_transform(IMAGE, 4, 4, is_train=False, mean=[1, 2, 3])
    assert (made.shape, made.dtype) == ((3, 4, 4), np.float32)
    np.testing.assert_array_equal(made.ravel()[:5], [11.0, 14.0, 17.0, 20.0, 23.0])
    assert image.simple_transform(gray, 4, 3, is_train=True, is_color=False).shape == (3, 3)


def test_images_are_read_as_bgr(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(IMAGE))
    np.testing.assert_array_equal(image.load_image_bytes(png(IMAGE)), IMAGE[..., ::-1])
    np.testing.assert_array_equal(image.load_image(tmp_path / "a.png"), IMAGE[..., ::-1])
    assert image.load_image(tmp_path / "a.png", is_color=False).shape == (6, 4)
    assert image.load_and_transform(str(tmp_path / "a.png"), 4, 2, is_train=False).shape == (
        3,
        2,
        2,
    )


@pytest.mark.filterwarnings("ignore::UserWarning")  # the files are the user's own
def test_flowers_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_DATA_HOME", str(tmp_path))
    folder = tmp_path / "dataset" / "flowers"
    folder.mkdir(parents=True)
    with tarfile.open(folder / "102flowers.tgz", "w:gz") as tar:
        for number in (1, 2, 3):
            data = png(np.full((4, 6, 3), 40 * number, np.uint8))
            member = tarfile.TarInfo(f"jpg/image_{number:05d}.jpg")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    savemat(folder / "imagelabels.mat", {"labels": np.array([[77, 5, 102]], "uint8")})
    numbers = {"trnid": [[1]], "tstid": [[2, 3]], "valid": [[]]}
    savemat(
        folder / "setid.mat", {name: np.array(held, "uint16") for name, held in numbers.items()}
    )
    ((pixels, label),) = flowers.test(use_xmap=False)()
    assert (pixels.shape, pixels.dtype, label) == ((3 * 224 * 224,), np.float32, 76)
    np.testing.assert_allclose(pixels[:2], 40 - 103.94, rtol=1e-6)
    assert [
        label for _, label in flowers.train(mapper=lambda sample: sample, use_xmap=False)()
    ] == [4, 101]
    assert list(flowers.valid()()) == []
    again = flowers.test(use_xmap=False, cycle=True)()
    assert [next(again)[1] for _ in range(3)] == [76] * 3


def test_sysconfig_folders() -> None:
    assert Path(oarlock.sysconfig.get_include()).name == "include"
    assert Path(oarlock.sysconfig.get_lib()).parent == Path(oarlock.sysconfig.get_include()).parent
