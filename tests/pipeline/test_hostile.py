"""Invalid and hostile settings, images and network outputs raise errors that name the cause."""

from __future__ import annotations

import json
import struct
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from oarlock import pipeline
from oarlock.core.errors import FileError, OarlockError, OpError
from oarlock.jit.paddle_format_conversion import convert_paddle_format
from oarlock.loader.runtime import UnsupportedError, runtime_module, translate_runtime_errors
from oarlock.pipeline.images import load_as_rgb_array
from oarlock.pipeline.yaml_reader import parse_yaml

from . import networks
from .test_paddlex import sizes_of

# YAML
# ------------------------------------------------------------------------------------------------


def test_yaml_values() -> None:
    text = (
        b"a: &x [1, -2.5, 1e3, 0x10, true, null, ~, 'no', \"\\u4e2d\", 2020-01-01]\nb: *x\n"
        b"c: {d: }\n1: '01'\n"
    )
    values = [1, -2.5, "1e3", 16, True, None, None, "no", "中", "2020-01-01"]
    assert parse_yaml(text, "x.yml") == {"a": values, "b": values, "c": {"d": None}, "1": "01"}


def test_yaml_of_paddlex() -> None:
    """PaddleX writes its settings with PyYAML, equal parts as aliases."""
    characters = [*map(chr, range(32, 127)), "~", "null", "no", "1e3", "0x1", "01", "=", "<<", "中"]
    settings = networks.text_recognition()
    settings["PostProcess"]["character_dict"] = characters
    shapes = {"x": [[1, 3, 48, 160], [1, 3, 48, 320], [8, 3, 48, 3200]]}
    settings["Hpi"] = {"a": {"shapes": shapes}, "b": {"shapes": shapes}}
    for allow_unicode in (False, True):
        text = yaml.safe_dump(settings, allow_unicode=allow_unicode)
        assert "&id001" in text
        assert parse_yaml(text.encode(), "x.yml") == settings
    assert parse_yaml(b"[=, a=b, '<<']", "x.yml") == ["=", "a=b", "<<"]


YAML_ALIAS_BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)
)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (YAML_ALIAS_BOMB, "more than 2097152 values"),
        ("[" * 500, "nested more than 32 deep"),
        ("[" * 100000, "nest"),
        ("- " * 100000, "nested more than 32 deep"),
        ("a: &a [*a]", "the alias 'a' has no anchor before"),
        ("a: *b", "the alias 'b' has no anchor before"),
        ("a: 1\na: 2", "the key 'a' is given twice"),
        ("1: 1\n'1': 2", "the key '1' is given twice"),
        ("? [1]\n: 2", "neither text nor an integer"),
        ("a: !!python/object/apply:os.system [x]", "has a value with the unsupported tag"),
        ("a: !!binary aGk=", "has a value with the unsupported tag"),
        ("a: !!int x", "is not a valid int"),
        ("a: 1" + ":1" * 10**6, "'1:1:1.*' is not a valid int"),  # quadratic time in PyYAML
        ("a: 0x" + "f" * 10**6, "'0xf.*' is not a valid int"),
        ("a: 1" + "0" * 400 + ".0", "'10.*' is not a valid float"),
        ("<<: {a: 1}", "has a value with the unsupported tag"),
        ("a: 1\n---\nb: 2", "several YAML documents"),
        ("a: [1, 2", "is not valid YAML"),
        ("a: \x01", "is not valid YAML"),
    ],
)
def test_yaml_errors(text: str, part: str) -> None:
    with pytest.raises(FileError, match=r"^x\.yml: .*" + part):
        parse_yaml(text.encode(), "x.yml")


# Settings
# ------------------------------------------------------------------------------------------------


def change(settings: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    """A copy of settings with one value replaced."""
    copy = json.loads(json.dumps(settings))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


TEXT, LINE = networks.text_detection(), networks.text_recognition()
CLASS, OBJECTS = networks.classification(), networks.detection()
OPS: list[Any] = ["PreProcess", "transform_ops"]
SHAPES: list[Any] = ["Hpi", "backend_configs", "tensorrt", "dynamic_shapes"]


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        (
            change(CLASS, OPS, [{"RandomCrop": {}}, {"ToCHWImage": None}, {"Solarize": {}}]),
            "unsupported transforms: RandomCrop, Solarize",
        ),
        (change(CLASS, [*OPS, 0, "ResizeImage"], {"resize_short": -4}), "resize_short is -4"),
        (change(CLASS, [*OPS, 0, "ResizeImage"], {"resize_short": 2.5}), "is not an integer"),
        (change(CLASS, [*OPS, 0, "ResizeImage"], {"size": [10**9, 4]}), "size is 1e\\+09"),
        (change(CLASS, [*OPS, 0, "ResizeImage"], {}), "size is not a pair of sizes"),
        (
            change(CLASS, [*OPS, 0, "ResizeImage"], {"size": [4, 4], "interpolation": "LANCZOS4"}),
            "interpolation: 'LANCZOS4' is not supported; supported: NEAREST, LINEAR",
        ),
        (
            change(CLASS, [*OPS, 0, "ResizeImage"], {"size": [4, 4], "backend": "pil"}),
            "backend: 'pil' is not supported",
        ),
        (
            change(CLASS, [*OPS, 0, "ResizeImage"], {"size": [4, 4], "padding": 1}),
            "ResizeImage has unsupported settings: padding",
        ),
        (
            change(CLASS, [*OPS, 2, "NormalizeImage", "std"], [1, 0, 1]),
            "std contains a value near 0",
        ),
        (change(CLASS, [*OPS, 2, "NormalizeImage", "mean"], [1]), "a list of 3 numbers"),
        (change(CLASS, [*OPS, 2, "NormalizeImage", "scale"], "1/x"), "scale is not a number"),
        (change(CLASS, [*OPS, 2, "NormalizeImage", "scale"], "1/0"), "scale is inf"),
        (change(CLASS, [*OPS, 0], {"ToCHWImage": None}), "the order of transforms"),
        (change(CLASS, OPS, {"a": 1}), "not a list of up to 64 transforms"),
        (change(CLASS, [*OPS, 0], "x"), r"transform_ops\[0\] is not a transform"),
        (change(CLASS, ["PostProcess"], {"Softmax": {}}), "PostProcess 'Softmax' is not supported"),
        (change(CLASS, ["PostProcess"], None), "PostProcess '' is not supported"),
        (
            change(CLASS, ["PostProcess", "Topk", "label_list", 4], False),
            r"label_list\[4\] is not text; write it in quotes",
        ),
        (change(CLASS, ["PostProcess", "Topk", "topk"], 0), "topk is 0"),
        (
            change(CLASS, ["PostProcess", "Topk", "label_list", 1], "x" * 2000),
            r"label_list\[1\] has more than 1024 bytes",
        ),
        (change(TEXT, ["PostProcess", "box_type"], "poly"), "'poly' is not supported"),
        (
            change(TEXT, ["PostProcess", "thresh"], 2),
            r"PostProcess DBPostProcess\.thresh is 2; it must be from 0 to 1",
        ),
        (change(TEXT, ["PostProcess", "name"], "EASTPostProcess"), "'EASTPostProcess' is not"),
        (change(TEXT, [*SHAPES, "x"], [[1], [2]]), "not a list of three shapes"),
        (
            change(TEXT, [*SHAPES, "x"], [[2, 3], [1, 3], [4, 3]]),
            "sizes that are not min <= opt <= max",
        ),
        (change(TEXT, [*SHAPES, "x"], [[1, 3], [1], [4, 3]]), "shapes of different ranks"),
        (change(TEXT, [*SHAPES, "x"], [[0], [1], [1]]), "is 0; it must be from 1"),
        (change(TEXT, SHAPES, {"x:1": [[1], [1], [1]]}), "contains ':' or ','"),
        (change(LINE, [*OPS, 2, "RecResizeImg", "image_shape"], [1, 48, 320]), r"not \[3, height"),
        (change(LINE, [*OPS, 2, "RecResizeImg", "image_shape"], [3, 4.5, 9]), "not an integer"),
        (change(LINE, OPS, []), "needs the transform RecResizeImg"),
        (change(LINE, ["PostProcess", "character_dict"], {"a": 1}), "is not a list"),
        (change(OBJECTS, ["label_list"], None), "has no label_list"),
        (change(OBJECTS, ["draw_threshold"], 2), "draw_threshold is 2; it must be"),
        (
            change(CLASS, [*OPS, 2, "NormalizeImage", "channel_num"], 4),
            "channel_num: '4' is not supported",
        ),
        (change(TEXT, ["PostProcess", "score_mode"], "x"), "is 'x'; it must be fast or slow"),
        (change(OBJECTS, ["layout_merge_bboxes_mode"], "large"), "is not supported"),
        (change(OBJECTS, ["Preprocess", 0, "type"], "WarpAffine"), "transforms: WarpAffine"),
        ({"a": 1}, "has neither PreProcess nor Preprocess"),
        ([1], "is not a mapping"),
    ],
)
def test_invalid_settings(settings: Any, part: str) -> None:
    with (
        pytest.raises((FileError, UnsupportedError), match=r"^inference\.yml: [^$]*" + part),
        translate_runtime_errors(),
    ):
        runtime_module().ImageProcessor.from_json(json.dumps(settings), "inference.yml")


def test_mutated_settings() -> None:
    rng = np.random.default_rng(0)
    values = [None, -1, 0, 1e300, "x", [], {}, [1, 2], True, 70000, "1/0"]
    image = np.zeros((9, 13, 3), np.uint8)
    accepted = 0
    for settings in (TEXT, LINE, CLASS, OBJECTS, networks.multilabel()):
        for _ in range(300):
            copy = json.loads(json.dumps(settings))
            inner: Any = copy
            while True:
                keys = list(inner) if isinstance(inner, dict) else range(len(inner))
                key = keys[int(rng.integers(len(keys)))]
                if not inner[key] or not isinstance(inner[key], (dict, list)) or rng.random() < 0.2:
                    break
                inner = inner[key]
            inner[key] = values[int(rng.integers(len(values)))]
            try:
                processor = runtime_module().ImageProcessor.from_json(json.dumps(copy), "x.yml")
                processor.preprocess(image)
                accepted += 1
            except runtime_module().Error as error:
                assert error.kind in ("file", "input", "unsupported")
    assert accepted > 100


def test_directories(tmp_path: Path) -> None:
    folder = networks.write_directory(tmp_path, "cls")
    (folder / "inference.yml").unlink()
    with pytest.raises(FileError, match=r"cls: there is no inference.yml or infer_cfg.yml"):
        pipeline.load(folder)
    (folder / "inference.yml").write_text("a: .nan")
    with pytest.raises(FileError, match="contains a number that is not finite"):
        pipeline.load(folder)
    (folder / "inference.yml").write_bytes(b"#" * (1 << 24) + b"#")
    with pytest.raises(FileError, match="more than the 16777216 of any settings file"):
        pipeline.load(folder)


@pytest.mark.parametrize("package", ["yaml", "PIL"])
def test_missing_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    folder = networks.write_directory(tmp_path, "cls")
    Image.fromarray(np.zeros((40, 40, 3), np.uint8)).save(tmp_path / "x.png")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OarlockError, match=r"pip install 'oarlock\["):
        list(pipeline.load(folder).predict(tmp_path / "x.png"))


def test_directories_of_paddle_detection(tmp_path: Path) -> None:
    """`model.pdmodel` and `infer_cfg.yml`, which PaddleDetection exports."""
    folder = networks.write_directory(tmp_path, "detector")
    convert_paddle_format(str(folder / "inference"), str(tmp_path / "old" / "model"), "paddle2")
    (folder / "inference.yml").rename(tmp_path / "old" / "infer_cfg.yml")
    image = np.zeros((40, 60, 3), np.uint8)
    (result,) = pipeline.load(tmp_path / "old").predict(image)
    assert [box["label"] for box in result["boxes"]] == ["cat", "cat", "dog", "on"]


def test_arguments(tmp_path: Path) -> None:
    folder = networks.write_directory(tmp_path, "cls")
    with pytest.raises(OpError, match="^load: 'box_thresh' does not apply .* apply: topk"):
        pipeline.load(folder, box_thresh=0.5)
    with pytest.raises(OpError, match="^load: unknown argument 'no_such_option'; settings are"):
        pipeline.load(folder, no_such_option=1)
    with pytest.raises(OpError, match="are for image_classification and image_classification"):
        pipeline.load(folder, rec=folder)
    with pytest.raises(OpError, match="batch_size=0"):
        pipeline.load(folder).predict([], batch_size=0)
    with pytest.raises(OpError, match="^predict: expected a path, an array.*, not int"):
        pipeline.load(folder).predict(5)
    (result,) = pipeline.load(folder, topk=np.int64(2)).predict(np.zeros((40, 40, 3), np.uint8))
    assert len(result["class_ids"]) == 2
    networks.write_directory(tmp_path, "detector")
    (result,) = pipeline.load(tmp_path / "detector", threshold=0.85).predict(
        np.zeros((40, 40, 3), np.uint8)
    )
    assert [box["cls_id"] for box in result["boxes"]] == [0]


@pytest.mark.parametrize(
    ("name", "arguments", "part"),
    [
        ("det", {"thresh": 7}, "thresh is 7; it must be from 0 to 1"),
        ("det", {"thresh": np.nan}, "thresh=nan must be a finite number"),
        ("det", {"limit_type": "x"}, "limit_type is 'x'; it must be min, max or resize_long"),
        ("det", {"limit_side_len": {1}}, "limit_side_len=.* must be a finite number, text"),
        ("detector", {"threshold": 2}, "threshold is 2; it must be from 0 to 1"),
        ("multilabel", {"threshold": {"default": 3}}, "threshold.default is 3"),
    ],
)
def test_argument_values(
    directories: Path, name: str, arguments: dict[str, Any], part: str
) -> None:
    """Errors name the argument, not the file."""
    with pytest.raises(OpError, match="^load: " + part):
        pipeline.load(directories / name, **arguments)


def test_images_that_cannot_be_drawn_or_written(tmp_path: Path) -> None:
    """Fonts and lines in proportion to the size of the image, and texts of any length, would
    exhaust the memory; some image formats cannot store colors, others not all sizes.
    """
    wide = np.zeros((1, 10**6, 3), np.uint8)
    fields: dict[str, Any] = {"class_ids": [1], "scores": [0.5], "label_names": ["dog"]}
    assert pipeline.TopkResult(wide, None, fields).to_image().size == (10**6, 1)
    with pytest.raises(OpError, match=r"^save_to_img: an image of 1000000 x 1 pixels .* as JPEG"):
        pipeline.TopkResult(wide, None, fields).save_to_img(tmp_path / "x.jpg")
    box = {"cls_id": 0, "label": "dog", "score": 0.5, "coordinate": [0.0, 0.0, 1e6, 1.0]}
    assert pipeline.DetResult(wide, None, {"boxes": [box]}).to_image().size == (10**6, 1)
    line = pipeline.TextRecResult(wide, None, {"rec_text": "dog", "rec_score": 0.5})
    assert line.to_image().height == 401
    small = np.zeros((40, 50, 3), np.uint8)
    for label in ("x" * 10**7, "a\n" * 10**5):
        fields["label_names"] = [label]
        assert pipeline.TopkResult(small, None, fields).to_image().size == (50, 40)
    fields["label_names"] = ["dog"]
    path = pipeline.TopkResult(small, "page.xbm", fields).save_to_img(tmp_path)
    assert path.name == "page_res.png"  # XBM has no colors
    with pytest.raises(OpError, match=r"'x\.xbm' is neither an existing folder nor a file name"):
        pipeline.TopkResult(small, None, fields).save_to_img(tmp_path / "x.xbm")
    assert [path.name for path in tmp_path.iterdir()] == ["page_res.png"]


def test_suffixes_of_output_files(tmp_path: Path) -> None:
    result = pipeline.TextRecResult(np.zeros((8, 8, 3), np.uint8), None, {"rec_text": ""})
    for save in (result.save_to_img, result.save_to_json):
        with pytest.raises(OpError, match="'x.xyz' is neither an existing folder nor a file name"):
            save(tmp_path / "x.xyz")
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.xyz").mkdir()
    assert result.save_to_json(tmp_path / "x.xyz") == tmp_path / "x.xyz" / "image_res.json"


# Images
# ------------------------------------------------------------------------------------------------


def png(height: int, width: int) -> bytes:
    """A PNG file that declares a size but has no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_image_files(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    for data in (b"", b"text", png(60000, 60000), png(100, 100)):
        path.write_bytes(data)
        with pytest.raises(FileError, match=r"^x\.png: is not a readable image"):
            load_as_rgb_array(path)
    with pytest.raises(FileNotFoundError):
        load_as_rgb_array(tmp_path / "missing.png")
    path.write_bytes(png(100, 100))
    said = "^the image: is not a readable image"
    with Image.open(path) as image, pytest.raises(FileError, match=said):
        load_as_rgb_array(image)  # Pillow decodes it here
    Image.fromarray(np.zeros((4, 4), np.float32)).save(tmp_path / "f.tiff")
    with pytest.raises(FileError, match="floating-point numbers"):
        load_as_rgb_array(tmp_path / "f.tiff")
    for level in (-1, 1 << 16):
        Image.fromarray(np.full((4, 4), level, np.int32)).save(tmp_path / "i.tiff")
        with pytest.raises(FileError, match="32-bit integers"):
            load_as_rgb_array(tmp_path / "i.tiff")


@pytest.mark.parametrize(
    ("form", "offset"),
    [("DDS", 77), ("AVIF", 81)],  # NotImplementedError, RuntimeError
)
def test_all_errors_of_image_decoders_are_file_errors(
    form: str, offset: int, tmp_path: Path
) -> None:
    Image.init()
    if form not in Image.SAVE:
        pytest.skip(f"Pillow cannot write {form} here")
    path = tmp_path / "x.img"
    Image.fromarray(np.zeros((23, 31, 3), np.uint8)).save(path, form)
    data = bytearray(path.read_bytes())
    data[offset : offset + 4] = bytes(4)
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"^x\.img: is not a readable image"):
        load_as_rgb_array(path)


@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 4, 3), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3)), "", 3],
)
def test_values_that_are_no_images(array: Any) -> None:
    with pytest.raises((OpError, OSError)):
        load_as_rgb_array(array)


@pytest.mark.parametrize(
    ("images", "batch_size", "said"),
    [
        (None, 1, "not NoneType"),
        (3, 1, "not int"),
        (b"x.png", 1, "not bytes"),
        ([], 0, "batch_size=0"),
        ([], 1.5, r"batch_size=1\.5 should be an int"),
        ([], "2", "batch_size='2' should be an int"),
    ],
)
def test_wrong_arguments_of_predict(
    directories: Path, images: Any, batch_size: Any, said: str
) -> None:
    with pytest.raises(OpError, match=said):
        list(pipeline.load(directories / "cls").predict(images, batch_size))


def test_results_precede_the_next_image(directories: Path) -> None:
    """A full batch runs before the next image is decoded, which may be late or broken."""
    images = [np.zeros((32, 32, 3), np.uint8)] * 2
    for name in ("cls", "rec"):
        results = pipeline.load(directories / name).predict([*images, None], 2)
        next(results), next(results)
        with pytest.raises(OpError, match="not NoneType"):
            next(results)


def test_failed_images_lose_no_results(directories: Path) -> None:
    """Image 1 has the size of the others, but the network's result contains NaN."""
    good = np.zeros((32, 32, 3), np.uint8)
    for name in ("cls", "rec", "det"):
        model = pipeline.load(directories / name)
        (wanted,) = model.predict(good)
        images = [good, good, "none.png", good, None, good, good]
        results = list(model.predict(images, 4, return_exceptions=True))
        assert [type(result) for result in results[2::2]] == [
            FileNotFoundError,
            OpError,
            type(wanted),
        ]
        assert all(results[i] == wanted for i in (0, 1, 3, 5, 6))
        got = []
        with pytest.raises(FileNotFoundError):
            got.extend(iter(model.predict(images, 4)))
        assert got == [wanted, wanted]


def test_failed_runs_lose_no_results(directories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network returns NaN for white images."""
    model = pipeline.load(directories / "cls")
    black, white = (np.full((32, 32, 3), level, np.uint8) for level in (0, 255))
    (wanted,) = model.predict(black)
    run = model._engine.run

    def run_with_nan(feeds: list[np.ndarray]) -> list[np.ndarray]:
        (scores,) = run(feeds)
        scores = scores.copy()
        scores[feeds[0].mean((1, 2, 3)) > 1] = np.nan
        return [scores]

    monkeypatch.setattr(model._engine, "run", run_with_nan)
    results = list(model.predict([black, white, black], 3, return_exceptions=True))
    assert results[0] == results[2] == wanted
    assert "NaN or infinity" in str(results[1])
    got = []
    with pytest.raises(OpError, match="NaN or infinity"):
        got.extend(iter(model.predict([black, white, black], 3)))
    assert got == [wanted]


def test_failed_images_of_text_systems(directories: Path) -> None:
    reader = pipeline.load(directories / "det", rec=directories / "rec")
    page = np.zeros((40, 90, 3), np.uint8)
    (wanted,) = reader.predict(page)
    first, error, last = reader.predict([page, "none.png", page], return_exceptions=True)
    assert first == last == wanted
    assert isinstance(error, FileNotFoundError)
    for arguments in ({"batch_size": 1.5}, {"batch_size": "2"}, {"score_thresh": "0.5"}):
        with pytest.raises(OpError, match=f"^predict: {next(iter(arguments))}="):
            reader.predict(page, **arguments)


def test_images_without_pixels() -> None:
    processor = runtime_module().ImageProcessor.from_json(json.dumps(CLASS), "x.yml")
    with pytest.raises(runtime_module().Error, match="the image has no pixels"):
        processor.preprocess(np.zeros((0, 4, 3), np.uint8))


def test_palettes_with_transparency(tmp_path: Path) -> None:
    colors = Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).convert("P")
    colors.save(tmp_path / "x.png", transparency=bytes(range(256)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decoded = load_as_rgb_array(tmp_path / "x.png")
    assert np.array_equal(decoded, np.asarray(colors.convert("RGB")))


def test_gray_arrays_and_pil_images() -> None:
    gray = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert np.array_equal(load_as_rgb_array(gray), np.repeat(gray[:, :, None], 3, 2))
    assert np.array_equal(load_as_rgb_array(Image.fromarray(gray)), load_as_rgb_array(gray))
    assert np.array_equal(load_as_rgb_array(gray.view(np.matrix)), load_as_rgb_array(gray))


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name in networks.DIRECTORIES:
        networks.write_directory(folder, name)
    return folder


@pytest.mark.parametrize("shape", [(1, 1), (1, 900), (900, 1), (7, 9)])
def test_extreme_images(directories: Path, shape: tuple[int, int]) -> None:
    image = np.full((*shape, 3), 90, np.uint8)
    for name in networks.DIRECTORIES:
        (result,) = pipeline.load(directories / name).predict(image)
        assert result.json["res"]
    list(pipeline.load(directories / "det", rec=directories / "rec").predict(image))


def test_images_beyond_the_size_limit() -> None:
    settings = change(CLASS, [*OPS, 0, "ResizeImage"], {"resize_short": 60000})
    processor = runtime_module().ImageProcessor.from_json(json.dumps(settings), "x.yml")
    with pytest.raises(runtime_module().Error, match="would be resized to 60000 x 60000"):
        processor.preprocess(np.zeros((4, 4, 3), np.uint8))
    settings = change(CLASS, [*OPS, 0, "ResizeImage"], {"size": [8, 8]})
    processor = runtime_module().ImageProcessor.from_json(json.dumps(settings), "x.yml")
    with pytest.raises(runtime_module().Error, match="smaller than the crop of 32 x 32"):
        processor.preprocess(np.zeros((4, 4, 3), np.uint8))


def test_batches_of_different_sizes(directories: Path) -> None:
    rng = np.random.default_rng(0)
    shapes = [(40, 90), (40, 90), (90, 40), (40, 90), (32, 200)]
    images = [rng.integers(0, 256, (*shape, 3), dtype=np.uint8) for shape in shapes]
    for name in ("det", "cls"):
        model = pipeline.load(directories / name)
        alone = [result for image in images for result in model.predict(image)]
        assert list(model.predict(images, batch_size=3)) == alone


# Network outputs
# ------------------------------------------------------------------------------------------------


def postprocess(settings: dict[str, Any], outputs: list[Any], count: int = 1) -> Any:
    processor = runtime_module().ImageProcessor.from_json(json.dumps(settings), "x.yml")
    with translate_runtime_errors():
        return processor.postprocess(outputs, [sizes_of(40, 60)] * count)


def float32(*shape: int, value: float = 0.0) -> Any:
    return np.full(shape, value, np.float32)


ONE = np.ones(1, np.int32)


@pytest.mark.parametrize(
    ("settings", "outputs", "part"),
    [
        (CLASS, [float32(1, 3, value=np.nan)], "NaN or infinity"),
        (CLASS, [float32(1, 3, value=np.inf)], "NaN or infinity"),
        (CLASS, [float32(2, 3)], r"returned float32\[2,3\]; expected float32\[images, classes\]"),
        (CLASS, [float32(1, 3).astype(np.float64)], r"returned float64\[1,3\]"),
        (CLASS, [], "the network returned ; expected"),
        (CLASS, [float32(1, 9)], "returned class 8, but label_list has 6 labels"),
        (LINE, [float32(1, 4, 99)], "the network has 99 classes, but character_dict has 42"),
        (LINE, [float32(1, 4)], r"expected float32\[images, steps, characters\]"),
        (TEXT, [float32(1, 2, 2)], r"expected float32\[images, 1, height, width\]"),
        (TEXT, [float32(1, 1, 4, 4, value=np.nan)], "NaN or infinity"),
        (OBJECTS, [float32(1, 6)], r"expected float32\[boxes, columns\] with 6, 7"),
        (OBJECTS, [float32(1, 5), ONE], "returned"),
        (OBJECTS, [float32(1, 6), ONE * 2], "whose sum is at most the number of rows"),
        (OBJECTS, [float32(1, 6), -ONE], "whose sum is at most the number of rows"),
        (OBJECTS, [float32(1, 6), ONE.astype(np.float32)], "returned"),
        (OBJECTS, [np.array([[7, 1, 0, 0, 9, 9]], np.float32), ONE], "returned class 7"),
        (OBJECTS, [np.array([[3e38, 1, 0, 0, 9, 9]], np.float32), ONE], "returned class"),
    ],
)
def test_outputs_of_other_networks(settings: Any, outputs: Any, part: str) -> None:
    with pytest.raises(OpError, match=part):
        postprocess(settings, outputs)


def test_outputs_without_results() -> None:
    assert postprocess(OBJECTS, [float32(0, 6), 0 * ONE]) == [{"boxes": []}]
    assert postprocess(LINE, [float32(1, 0, 44)]) == [{"rec_text": "", "rec_score": 0.0}]
    assert postprocess(TEXT, [float32(1, 1, 32, 32)]) == [{"dt_polys": [], "dt_scores": []}]


def test_extreme_probability_maps() -> None:
    (result,) = postprocess(TEXT, [float32(1, 1, 64, 96, value=1)])
    assert result["dt_polys"] == [[[0, 0], [60, 0], [60, 40], [0, 40]]]
    noise = np.random.default_rng(0).random((1, 1, 640, 640), np.float32)
    postprocess(change(TEXT, ["PostProcess", "box_thresh"], 0), [noise])


def test_objects_outside_of_the_image() -> None:
    rows = np.array([[0, 1, -3e38, -5, 3e38, 20], [1, 1, 70, 5, 90, 20]], np.float32)
    (result,) = postprocess(OBJECTS, [rows, 2 * ONE])
    assert [box["coordinate"] for box in result["boxes"]] == [[0, 0, 60, 20]]


# TensorRT
# ------------------------------------------------------------------------------------------------


def test_shapes_for_tensorrt(directories: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shapes are passed if the device is TensorRT and the caller gives none."""
    options: list[dict[str, Any]] = []

    class Recorder:
        inputs = (("x", "float32", []),)

        def __init__(self, *files: Any, **given: Any) -> None:
            options.append(given)

    monkeypatch.setattr("oarlock.loader.program_engine.Engine", Recorder)
    pipeline.load(directories / "det")
    pipeline.load(directories / "det", device="tensorrt", provider={"trt_builder": "1"})
    own = {"trt_profile_min_shapes": "x:1x3x8x8"}
    pipeline.load(directories / "det", device="tensorrt", provider=own)
    assert options[0] == {}
    assert options[1]["provider"] == {
        "trt_builder": "1",
        "trt_profile_min_shapes": "x:1x3x32x32",
        "trt_profile_opt_shapes": "x:1x3x64x64",
        "trt_profile_max_shapes": "x:1x3x960x960",
    }
    assert options[2]["provider"] == own


def test_shapes_of_paddle_inference() -> None:
    settings = change(TEXT, ["Hpi", "backend_configs", "tensorrt"], None)
    processor = runtime_module().ImageProcessor.from_json(json.dumps(settings), "x.yml")
    assert processor.tensorrt_profiles["trt_profile_max_shapes"] == "x:1x3x8x8"
