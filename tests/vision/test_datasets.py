"""Data sets read from small generated files, and errors for damaged files."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

import oarlock as oar
from oarlock.io import DataLoader
from oarlock.vision import datasets, transforms
from oarlock.vision.datasets import matfile
from oarlock.vision.datasets.matfile import read_mat
from oarlock.vision.datasets.mnist import read_idx

draw = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def isolated_data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Use an empty data folder, and restore the image backend."""
    monkeypatch.setenv("OARLOCK_DATA_HOME", str(tmp_path / "home"))
    yield
    oar.vision.set_image_backend("pil")


# -- MNIST
# ------------------------------------------------------------------------------

IMAGES, LABELS = (
    draw.integers(0, 256, (7, 28, 28)).astype("uint8"),
    np.array([3, 1, 4, 1, 5, 9, 2], "uint8"),
)


def idx(array: Any, kind: int = 8) -> bytes:
    return (
        bytes([0, 0, kind, array.ndim])
        + struct.pack(f">{array.ndim}I", *array.shape)
        + array.tobytes()
    )


def mnist(
    folder: Path, images: bytes = idx(IMAGES), labels: bytes = idx(LABELS)
) -> tuple[Path, Path]:
    paths = folder / "images.gz", folder / "labels.gz"
    for path, data in zip(paths, (images, labels), strict=True):
        path.write_bytes(gzip.compress(data))
    return paths


@pytest.mark.parametrize("kind", [datasets.MNIST, datasets.FashionMNIST])
def test_mnist(kind: Any, tmp_path: Path) -> None:
    data = kind(*mnist(tmp_path), mode="Test")
    assert len(data) == 7
    image, label = data[4]
    assert (image.mode, image.size, label.tolist(), label.dtype) == ("L", (28, 28), [5], np.int64)
    np.testing.assert_array_equal(np.asarray(image), IMAGES[4])
    image, label = kind(*mnist(tmp_path), backend="cv2")[4]
    assert (image.dtype, image.shape) == (np.float32, (28, 28))
    np.testing.assert_array_equal(image, IMAGES[4])


def test_mnist_with_data_loader(tmp_path: Path) -> None:
    ready = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5], [0.5])])
    for backend in ("pil", "cv2"):
        data = datasets.MNIST(*mnist(tmp_path), transform=ready, backend=backend)
        for workers in (0, 2):
            batches = list(DataLoader(data, batch_size=4, num_workers=workers))
            assert [b[0].shape for b in batches] == [[4, 1, 28, 28], [3, 1, 28, 28]]
            assert batches[1][1].numpy().tolist() == [[5], [9], [2]]
    scale = 255 if backend == "pil" else 1  # an ndarray of floats keeps its values
    np.testing.assert_allclose(
        batches[1][0].numpy()[0, 0],
        (IMAGES[4] / scale / (255 if scale == 1 else 1) - 0.5) / 0.5,
        atol=1e-5,
    )


DAMAGED_IDX = {
    "no gzip": (lambda b: b, "is not a complete gzip file"),
    "cut gzip": (lambda b: gzip.compress(b)[:-20], "is not a complete gzip file"),
    "cut": (lambda b: gzip.compress(b[:-1]), "contains fewer bytes than the 5488"),
    "more": (lambda b: gzip.compress(b + b"x"), "contains more bytes than"),
    "kind": (
        lambda b: gzip.compress(b[:2] + b"\x0d" + b[3:]),
        "is not an IDX file of bytes with 3 axes",
    ),
    "rank": (
        lambda b: gzip.compress(b[:3] + b"\x01" + b[4:]),
        "is not an IDX file of bytes with 3 axes",
    ),
    "head": (lambda b: gzip.compress(b[:9]), "is not an IDX file"),
    "size": (lambda b: gzip.compress(b[:4] + b"\xff" * 12 + b[16:]), "which is too large"),
    "sum": (
        lambda b: gzip.compress(b)[:-8] + b"\0" * 4 + gzip.compress(b)[-4:],
        "is not a complete gzip file",
    ),
    "body": (lambda b: gzip.compress(b)[:12] + b"\xff" * 40, "is not a complete gzip file"),
}


@pytest.mark.parametrize("case", DAMAGED_IDX)
def test_damaged_idx_files_are_rejected(case: str, tmp_path: Path) -> None:
    damage, why = DAMAGED_IDX[case]
    (tmp_path / "a.gz").write_bytes(damage(idx(IMAGES)))
    with pytest.raises(oar.FileError, match=f"a.gz: .*{why}|a.gz: {why}"):
        read_idx(tmp_path / "a.gz", 3)


def test_image_and_label_counts_must_match(tmp_path: Path) -> None:
    with pytest.raises(oar.FileError, match="MNIST: 7 images in images.gz, 6 labels in labels.gz"):
        datasets.MNIST(*mnist(tmp_path, labels=idx(LABELS[:6])))


# -- CIFAR
# ------------------------------------------------------------------------------

PIXELS = draw.integers(0, 256, (5, 3072)).astype("uint8")


def write_tar(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def python2_pickle(pixels: Any, classes: list[int], key: str = "labels") -> bytes:
    """Return a batch in the format of the published ones: Python 2, protocol 2, arrays in strings."""
    head = b"\x80\x02}(U\x04datacnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R"
    dtype = (
        b"cnumpy\ndtype\nU\x02u1K\0K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
    )
    data = pixels.tobytes()
    state = (
        b"(K\x01K"
        + bytes([len(pixels)])
        + b"M\x00\x0c\x86"
        + dtype
        + b"\x89T"
        + struct.pack("<I", len(data))
        + data
        + b"tb"
    )
    labels = (
        b"U"
        + bytes([len(key)])
        + key.encode()
        + b"]("
        + b"".join(b"K" + bytes([c]) for c in classes)
        + b"e"
    )
    return head + state + labels + b"U\x0bbatch_labelU\x01xu."


def cifar(path: Path, **members: bytes) -> Path:
    ten = {f"data_batch_{i}": python2_pickle(PIXELS[[i]], [i]) for i in (1, 2)}
    return write_tar(
        path,
        {
            f"cifar-10-batches-py/{k}": v
            for k, v in {
                **ten,
                "test_batch": python2_pickle(PIXELS, [4, 3, 2, 1, 0]),
                **members,
            }.items()
        },
    )


def test_cifar_10(tmp_path: Path) -> None:
    path = cifar(tmp_path / "c.tar.gz", **{"batches.meta": b"no pickle", "readme.html": b""})
    train, test = datasets.Cifar10(path), datasets.Cifar10(path, "test", backend="cv2")
    assert (len(train), len(test)) == (2, 5)
    image, label = train[1]
    assert (image.mode, image.size, label.shape, label.dtype, int(label)) == (
        "RGB",
        (32, 32),
        (),
        np.int64,
        2,
    )
    np.testing.assert_array_equal(np.asarray(image).transpose(2, 0, 1).reshape(-1), PIXELS[2])
    image, label = test[0]
    assert (image.dtype, image.shape, int(label)) == (np.float32, (32, 32, 3), 4)
    np.testing.assert_array_equal(image.transpose(2, 0, 1).reshape(-1), PIXELS[0])


def test_cifar_100_with_new_pickles(tmp_path: Path) -> None:
    for protocol in (2, 4):
        batch = {b"data": PIXELS, b"fine_labels": [9, 8, 7, 6, 5], b"coarse_labels": [0] * 5}
        path = write_tar(
            tmp_path / "c.tar.gz",
            {"cifar-100-python/train": pickle.dumps(batch, protocol), "cifar-100-python/test": b""},
        )
        data = datasets.Cifar100(path, transform=transforms.ToTensor())
        assert [int(label) for _, label in data] == [9, 8, 7, 6, 5]
        assert data[0][0].shape == [3, 32, 32]


class MaliciousPickle:
    def __reduce__(self) -> Any:
        return (print, ("this must not run",))


DAMAGED_CIFAR: dict[str, tuple[Callable[[Path], Any], str]] = {
    "code": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS, "labels": MaliciousPickle()})), "would run builtins.print"),
    "no pickle": (lambda p: cifar(p, test_batch=b"abc"), "test_batch: is not a complete pickle"),
    "no dict": (lambda p: cifar(p, test_batch=pickle.dumps([1])), "is not uint8 data"),
    "shape": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS[:, 1:], "labels": [1] * 5})), "is not uint8 data"),
    "dtype": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS.astype("f4"), "labels": [1] * 5})), "is not uint8 data"),
    "labels": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS, "labels": ["a"] * 5})), "a list of labels"),
    "no labels": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS})), "a list of labels"),
    "few labels": (lambda p: cifar(p, test_batch=pickle.dumps({"data": PIXELS, "labels": [1]})), "5 images and 1 labels"),
    "other": (lambda p: write_tar(p, {"a": b""}), "has no test_batch"),
    "cut": (lambda p: p.write_bytes(cifar(p).read_bytes()[:-3000]), "is not a complete archive"),
    "no archive": (lambda p: p.write_bytes(b"x" * 2000), "is not a complete archive"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED_CIFAR)
def test_damaged_archives_are_rejected(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, why = DAMAGED_CIFAR[case]
    make(tmp_path / "c.tar.gz")
    with pytest.raises(oar.FileError, match=why):
        datasets.Cifar10(tmp_path / "c.tar.gz", "test")
    assert capsys.readouterr().out == ""


# -- folders
# ------------------------------------------------------------------------------


@pytest.fixture
def image_folder(tmp_path: Path) -> Path:
    root = tmp_path / "pictures"
    for i, name in enumerate(
        ["b/2.png", "b/deep/1.PNG", "a/3.bmp", "a/note.txt", "empty/.keep", "0.png"]
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() in (".png", ".bmp"):
            Image.fromarray(np.full((2, 3), 10 * i, "uint8")).save(
                path, format=path.suffix[1:].upper()
            )
        else:
            path.write_text("x")
    return root


def test_dataset_folder(image_folder: Path) -> None:
    data = datasets.DatasetFolder(image_folder)
    assert data.classes == ["a", "b", "empty"]
    assert data.class_to_idx == {"a": 0, "b": 1, "empty": 2}
    assert [(Path(p).name, t) for p, t in data.samples] == [
        ("3.bmp", 0),
        ("2.png", 1),
        ("1.PNG", 1),
    ]
    assert (data.targets, len(data)) == ([0, 1, 1], 3)
    image, target = data[0]
    assert (image.mode, image.size, image.getpixel((0, 0)), target) == (
        "RGB",
        (3, 2),
        (20, 20, 20),
        0,
    )
    oar.vision.set_image_backend("cv2")
    assert data[0][0].shape == (2, 3, 3)
    texts = datasets.DatasetFolder(
        str(image_folder), lambda path: Path(path).read_text(), [".TXT"], transform=str.upper
    )
    assert [texts[i] for i in range(len(texts))] == [("X", 0)]
    hidden = datasets.DatasetFolder(image_folder, is_valid_file=lambda path: path.endswith(".keep"))
    assert hidden.targets == [2]


def test_image_folder(image_folder: Path) -> None:
    data = datasets.ImageFolder(image_folder, transform=transforms.ToTensor())
    assert [Path(p).name for p in data.samples] == ["0.png", "3.bmp", "2.png", "1.PNG"]
    assert len(data) == 4
    (tensor,) = data[1]
    np.testing.assert_allclose(tensor.numpy(), np.full((3, 2, 3), 20 / 255), rtol=1e-6)


def test_empty_folders_are_rejected(image_folder: Path) -> None:
    for kind in (datasets.DatasetFolder, datasets.ImageFolder):
        with pytest.raises(oar.OpError, match=r"no files in .* with the extensions .jpg, .jpeg"):
            kind(image_folder / "empty")
        with pytest.raises(oar.OpError, match="is not a folder"):
            kind(image_folder / "nowhere")
        with pytest.raises(oar.OpError, match="exclude each other"):
            kind(image_folder, extensions=[".x"], is_valid_file=bool)
        with pytest.raises(oar.OpError, match="that is_valid_file accepts"):
            kind(image_folder, is_valid_file=lambda path: False)


# -- Flowers and VOC
# --------------------------------------------------------------------------------------------


def jpeg(value: int, kind: str = "JPEG", mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    image = Image.new(mode, (6, 4), value if mode != "RGB" else (value,) * 3)
    if mode == "P":
        image.putpalette([i // 3 for i in range(768)])
    image.save(file, kind)
    return file.getvalue()


def flowers(folder: Path, numbers: Any = (2, 3), compressed: bool = True) -> dict[str, Any]:
    write_tar(
        folder / "102flowers.tgz",
        {
            **{f"jpg/image_{i:05d}.jpg": jpeg(40 * i) for i in (1, 2, 3)},
            "../evil.jpg": b"x",
            "jpg/x.txt": b"",
        },
    )
    savemat(
        folder / "labels.mat",
        {"labels": np.array([[77, 5, 102]], "uint8")},
        do_compression=compressed,
    )
    ids = {
        "trnid": np.array([[1]], "uint16"),
        "tstid": np.array([numbers], "uint16"),
        "valid": np.zeros((1, 0), "uint16"),
    }
    savemat(folder / "setid.mat", ids, do_compression=compressed)
    return {
        "data_file": folder / "102flowers.tgz",
        "label_file": folder / "labels.mat",
        "setid_file": folder / "setid.mat",
    }


@pytest.mark.parametrize("compressed", [True, False])
def test_flowers(compressed: bool, tmp_path: Path) -> None:
    files = flowers(tmp_path, compressed=compressed)
    data = datasets.Flowers(**files)
    assert len(data) == 2
    image, label = data[1]
    assert (image.size, image.getpixel((0, 0)), label.tolist(), label.dtype) == (
        (6, 4),
        (120, 120, 120),
        [102],
        np.int64,
    )
    image, label = datasets.Flowers(**files, mode="test", backend="cv2")[0]
    assert (image.shape, image.dtype, image[0, 0, 0], label.tolist()) == (
        (4, 6, 3),
        np.float32,
        40.0,
        [77],
    )
    assert len(datasets.Flowers(**files, mode="valid")) == 0
    assert sorted(p.name for p in (tmp_path / "102flowers-pictures").iterdir()) == [
        f"image_0000{i}.jpg" for i in (1, 2, 3)
    ]
    assert not list(tmp_path.parent.glob("evil*"))


def test_damaged_flowers_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        oar.FileError, match=r"setid.mat: contains indices of images without a label"
    ):
        datasets.Flowers(**flowers(tmp_path, (2, 9)))
    files = flowers(tmp_path)
    with pytest.raises(
        oar.FileError, match=r"labels.mat: has no matrix 'tstid'; it has \['labels'\]"
    ):
        datasets.Flowers(**{**files, "setid_file": files["label_file"]})
    files["data_file"].write_bytes(files["data_file"].read_bytes()[:200])
    with pytest.raises(oar.FileError, match="102flowers.tgz: is not a complete archive"):
        datasets.Flowers(**files)
    assert not list(tmp_path.glob("*102flowers-pictures*"))


def test_matlab_files(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    held = {
        "a": np.arange(6.0).reshape(2, 3), "small": np.array([[7]], "int8"), "i": np.array([[1], [-2]], "int32"), "text": "words",
        "nothing": np.zeros((0, 0)), "s": {"x": 1}, "wide": np.arange(300, dtype="uint16"),
    }  # fmt: skip
    for compressed in (True, False):
        savemat(path, held, do_compression=compressed)
        found = read_mat(path)
        assert found.keys() >= {"a", "small", "i", "nothing", "wide"}
        assert "s" not in found
        for name in ("a", "small", "i", "nothing"):
            np.testing.assert_array_equal(found[name], held[name])
        assert found["wide"].reshape(-1).tolist() == list(range(300))
        whole = path.read_bytes()
        for cut in (len(whole) - 1, 200, 130):
            path.write_bytes(whole[:cut])
            with pytest.raises(oar.FileError, match="is damaged"):
                read_mat(path)
    for other in (b"", whole[:127], b"x" * 400):
        path.write_bytes(other)
        with pytest.raises(oar.FileError, match="is not a MATLAB file of level 5"):
            read_mat(path)
    path.write_bytes(
        whole[:128] + struct.pack("<II", 15, 20) + zlib.compress(b"")[:20].ljust(20, b"\0")
    )
    with pytest.raises(oar.FileError, match="is damaged"):
        read_mat(path)


def voc(path: Path, **more: bytes) -> Path:
    home = "VOCdevkit/VOC2012"
    members = {
        f"{home}/ImageSets/Segmentation/{s}.txt": t
        for s, t in (("trainval", b"one\ntwo\n"), ("train", b"one\n"), ("val", b"two\n"))
    }
    for name, value in (("one", 50), ("two", 90)):
        members[f"{home}/JPEGImages/{name}.jpg"] = jpeg(value)
        members[f"{home}/SegmentationClass/{name}.png"] = jpeg(value // 10, "PNG", "P")
    return write_tar(path, {**members, **more}, "w")


def test_voc_2012(tmp_path: Path) -> None:
    path = voc(tmp_path / "voc.tar")
    assert [len(datasets.VOC2012(path, mode)) for mode in ("train", "valid", "test")] == [2, 1, 1]
    image, label = datasets.VOC2012(path, "valid")[0]
    assert (image.mode, image.getpixel((1, 1)), label.mode, label.getpixel((1, 1))) == (
        "RGB",
        (90, 90, 90),
        "P",
        9,
    )
    image, label = datasets.VOC2012(path, backend="cv2", transform=lambda x: x / 10)[0]
    assert (image.dtype, image.shape, image[0, 0, 0]) == (np.float32, (4, 6, 3), 5.0)
    assert (label.dtype, label.shape, label[0, 0]) == (np.float32, (4, 6), 5.0)
    ready = transforms.Compose([transforms.Transpose()])
    batches = list(
        DataLoader(
            datasets.VOC2012(path, backend="cv2", transform=ready), batch_size=1, num_workers=2
        )
    )
    assert [b[0].numpy()[0, 0, 0, 0] for b in batches] == [50.0, 90.0]


def test_damaged_voc_is_rejected(tmp_path: Path) -> None:
    write_tar(tmp_path / "a.tar", {"x": b""}, "w")
    with pytest.raises(
        oar.FileError,
        match="does not contain VOCdevkit/VOC2012/ImageSets/Segmentation/trainval.txt",
    ):
        datasets.VOC2012(tmp_path / "a.tar")
    data = datasets.VOC2012(
        voc(
            tmp_path / "b.tar",
            **{"VOCdevkit/VOC2012/ImageSets/Segmentation/trainval.txt": b"three\n"},
        )
    )
    with pytest.raises(
        oar.FileError, match="does not contain VOCdevkit/VOC2012/JPEGImages/three.jpg"
    ):
        data[0]
    (tmp_path / "c.tar").write_bytes(b"x" * 3000)
    with pytest.raises(oar.FileError, match="is not a complete archive"):
        datasets.VOC2012(tmp_path / "c.tar")


# -- what all share
# ---------------------------------------------------------------------------------------------

ALL = [
    datasets.MNIST,
    datasets.FashionMNIST,
    datasets.Cifar10,
    datasets.Cifar100,
    datasets.Flowers,
    datasets.VOC2012,
]


@pytest.mark.parametrize("kind", ALL)
def test_invalid_arguments_are_rejected(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(oar.OpError, match=f"{kind.__name__}: mode='best' is not one of"):
        kind(mode="best")
    with pytest.raises(oar.OpError, match=f"{kind.__name__}: backend='tensor' is not one of"):
        kind(backend="tensor")
    with pytest.raises(oar.OpError, match=f"{kind.__name__}: .* is required if download=False"):
        kind(download=False)
    with pytest.raises(oar.OpError, match=f"{kind.__name__}: .*nowhere is not a file"):
        kind(tmp_path / "nowhere")


def test_files_in_paddle_cache_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "dataset" / "voc2012"
    home.mkdir(parents=True)
    voc(home / "VOCtrainval_11-May-2012.tar")
    monkeypatch.setattr(
        datasets.voc2012, "_MD5", oar.utils.download._file_md5(home / "VOCtrainval_11-May-2012.tar")
    )
    assert len(datasets.VOC2012()) == 2


def test_image_backends(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.fromarray(np.array([[[1, 2, 3], [4, 5, 6]]], "uint8")).save(path)
    assert oar.vision.get_image_backend() == "pil"
    assert oar.vision.image_load(path).size == (2, 1)
    oar.vision.set_image_backend("cv2")
    assert oar.vision.image_load(path).tolist() == [[[3, 2, 1], [6, 5, 4]]]
    tensor = oar.vision.image_load(str(path), "tensor")
    assert (tensor.shape, tensor.dtype, tensor.numpy()[:, 0, 1].tolist()) == (
        [3, 1, 2],
        oar.uint8,
        [4, 5, 6],
    )
    for call in (
        lambda: oar.vision.set_image_backend("PIL"),
        lambda: oar.vision.image_load(path, "x"),
    ):
        with pytest.raises(oar.OpError, match="is not one of"):
            call()


def test_missing_pillow_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = datasets.MNIST(*mnist(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(oar.OarlockError, match=r"pip install 'oarlock\[vision\]'"):
        data[0]
    assert datasets.MNIST(*mnist(tmp_path), backend="cv2")[0][0].shape == (28, 28)


def element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def test_expanding_mat_files_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small elements that declare large sizes would be copied; compressed ones expand a
    thousandfold.
    """
    path, head = tmp_path / "a.mat", bytes(124) + b"\0\x01IM"
    path.write_bytes(head + element(14, struct.pack("<HHI", 5, 65535, 0) * 20000))
    with pytest.raises(oar.FileError, match="a short element of 65535 bytes"):
        read_mat(path)
    monkeypatch.setattr(matfile, "MAX_BYTES", 3000)
    plain = zlib.compress(element(1, bytes(1400)))
    packed = struct.pack("<II", 15, len(plain)) + plain
    path.write_bytes(head + packed * 2)
    assert read_mat(path) == {}
    path.write_bytes(head + packed * 3)
    with pytest.raises(oar.FileError, match="the decompressed size is too large"):
        read_mat(path)


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


INVALID_IMAGES = {
    "junk": b"junk",
    "empty": b"",
    "cut": jpeg(7)[:200],
    "bomb": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(99))),
    "program": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n",
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID_IMAGES)
def test_invalid_images_are_rejected(case: str, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c/a.png").write_bytes(INVALID_IMAGES[case])
    with pytest.raises(oar.FileError, match="a.png: is not a readable image"):
        datasets.DatasetFolder(tmp_path)[0]


def test_images_do_not_start_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.Popen", lambda *words, **_: pytest.fail(f"ran {words}"))
    monkeypatch.setattr("subprocess.check_call", lambda *words, **_: pytest.fail(f"ran {words}"))
    test_invalid_images_are_rejected("program", tmp_path)
