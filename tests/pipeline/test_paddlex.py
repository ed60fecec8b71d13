"""Processing of images and network outputs beside PaddleX: golden.npz, written by make_golden.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import pipeline
from oarlock.loader.runtime import runtime_module
from oarlock.pipeline.images import load_as_rgb_array

from . import networks

GOLDEN = np.load(Path(__file__).with_name("golden.npz"))
CASES: dict[str, list[dict[str, Any]]] = json.loads(GOLDEN["cases"].tobytes())
MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
TOPK = {"Topk": {"topk": 5}}
DB = {"name": "DBPostProcess"}


def array(value: Any) -> Any:
    """A stored array by its name; other values unchanged."""
    return GOLDEN[value] if isinstance(value, str) and value in GOLDEN else value


def cases(kind: str) -> Any:
    decoded = [{k: array(v) for k, v in case.items()} for case in CASES[kind]]
    return pytest.mark.parametrize("case", decoded, ids=[str(i) for i in range(len(decoded))])


def processor(transforms: list[Any], post: dict[str, Any]) -> Any:
    settings = {"PreProcess": {"transform_ops": transforms}, "PostProcess": post}
    return runtime_module().ImageProcessor.from_json(json.dumps(settings), "inference.yml")


def detection_processor(transforms: list[Any], labels: list[str], **settings: Any) -> Any:
    settings |= {"Preprocess": transforms, "label_list": labels}
    return runtime_module().ImageProcessor.from_json(json.dumps(settings), "infer_cfg.yml")


def sizes_of(height: int, width: int) -> Any:
    image = np.zeros((height, width, 3), np.uint8)
    return processor([], TOPK).preprocess(image)[1]


@cases("resize")
def test_resize(case: dict[str, Any]) -> None:
    step = {"ResizeImage": {"size": case["size"], "interpolation": case["name"]}}
    got, _ = processor([step], TOPK).preprocess(case["image"])
    difference = np.abs(got - case["result"].astype(np.float32))
    # OpenCV computes the cubic interpolation of images with fewer than 4 rows or columns with
    # weights of 11 bits.
    is_small = min(case["image"].shape[:2]) < 4
    assert difference.max() <= (1 if case["name"] == "BICUBIC" else 0)
    assert (difference > 0).mean() < (0.1 if is_small else 0.001)


@cases("det_resize")
def test_resize_for_text_detection(case: dict[str, Any]) -> None:
    steps = [{"DetResizeForTest": case["settings"]}]
    got, sizes = processor(steps, DB).preprocess(case["image"])
    assert np.array_equal(got, case["resized"])
    assert (sizes.resized_height, sizes.resized_width) == case["resized"].shape[:2]
    steps += [{"NormalizeImage": {"order": "hwc", "scale": "1./255."}}, {"ToCHWImage": None}]
    got, _ = processor(steps, DB).preprocess(case["image"])
    wanted = (case["resized"] / 255 - MEAN) / STD
    assert np.allclose(got, wanted.transpose(2, 0, 1), atol=1e-5)
    assert abs(got.mean() - case["mean"]) < 1e-5


@pytest.mark.parametrize(
    ("model", "settings", "shape"),
    [
        ("PP-OCRv5_mobile_det", {}, (480, 960)),
        ("PP-OCRv4_mobile_seal_det", {}, (736, 1472)),
        ("other", {}, (736, 1472)),
        ("PP-OCRv5_server_det", {"resize_long": 640}, (320, 640)),
        ("other", {"limit_side_len": 320, "limit_type": "max"}, (160, 320)),
    ],
)
def test_defaults_of_text_detection(
    model: str, settings: dict[str, Any], shape: tuple[int, int]
) -> None:
    step = {"DetResizeForTest": settings or None}
    document = {
        "Global": {"model_name": model},
        "PreProcess": {"transform_ops": [step]},
        "PostProcess": DB,
    }
    processor = runtime_module().ImageProcessor.from_json(json.dumps(document), "inference.yml")
    _, sizes = processor.preprocess(np.zeros((500, 1000, 3), np.uint8))
    assert (sizes.resized_height, sizes.resized_width) == shape


@cases("rec_resize")
def test_resize_for_text_recognition(case: dict[str, Any]) -> None:
    step = {"RecResizeImg": {"image_shape": [3, 48, 320]}}
    got, _ = processor([step], {"name": "CTCLabelDecode"}).preprocess(case["image"])
    assert got.shape == (3, 48, case["width"])
    used = case["pixels"].shape[2]
    assert np.allclose((got[:, :, :used] * 0.5 + 0.5) * 255, case["pixels"], atol=1e-3)
    assert not got[:, :, used:].any()


@cases("det_pad")
def test_padding_for_detection(case: dict[str, Any]) -> None:
    resize = {"type": "Resize", "target_size": case["target"], "keep_ratio": True, "interp": 1}
    pad = {"type": "Pad", "size": [64, 80], "fill_value": [1.0, 2.0, 3.5]}
    got, sizes = detection_processor([resize, pad], ["a"]).preprocess(case["image"])
    assert np.array_equal(got, case["padded"])
    assert [sizes.scale_height, sizes.scale_width] == pytest.approx(case["scale"])
    steps = [resize, {"type": "Permute"}, {"type": "PadStride", "stride": 32}]
    got, _ = detection_processor(steps, ["a"]).preprocess(case["image"])
    assert np.array_equal(got, case["strided"])


@cases("letter_box")
def test_letter_box(case: dict[str, Any]) -> None:
    step = {"type": "LetterBoxResize", "target_size": case["size"]}
    got, sizes = detection_processor([step], ["a"]).preprocess(case["image"])
    assert np.array_equal(got, case["result"])
    assert [sizes.resized_height, sizes.resized_width] == case["resized"]
    assert sizes.scale_height == sizes.scale_width == pytest.approx(case["ratio"])


@cases("db")
def test_text_boxes(case: dict[str, Any]) -> None:
    maps = (case["map"] / np.float32(255)).astype(np.float32)[None, None]
    post = {"name": "DBPostProcess", **case["settings"]}
    (got,) = processor([], post).postprocess([maps], [sizes_of(*case["source"])])
    assert np.array_equal(np.array(got["dt_polys"]).reshape(-1, 4, 2), case["boxes"])
    assert np.allclose(got["dt_scores"], case["scores"], atol=1e-6)


def test_golden_maps_have_boxes() -> None:
    assert sum(len(array(case["boxes"])) for case in CASES["db"]) > 40


@cases("crop")
def test_crops_of_text(case: dict[str, Any]) -> None:
    got = runtime_module().crop_text(case["image"], case["quad"])
    assert got.shape == case["result"].shape
    difference = np.abs(got.astype(int) - case["result"])
    assert difference.max() <= 1


@cases("sort")
def test_reading_order(case: dict[str, Any]) -> None:
    order = runtime_module().reading_order(case["boxes"].tolist())
    assert np.array_equal(case["boxes"][order], case["sorted"])


@cases("ctc")
def test_ctc_decoding(case: dict[str, Any]) -> None:
    post = {"name": "CTCLabelDecode", "character_dict": case["characters"]}
    step = {"RecResizeImg": {"image_shape": [3, 48, 320]}}
    sizes = [sizes_of(4, 4)] * len(case["texts"])
    got = processor([step], post).postprocess([case["scores"]], sizes)
    assert [result["rec_text"] for result in got] == case["texts"]
    assert np.allclose([result["rec_score"] for result in got], case["values"], atol=1e-6)


@cases("topk")
def test_best_classes(case: dict[str, Any]) -> None:
    post = {"Topk": {"topk": case["topk"], "label_list": case["labels"]}}
    got = processor([], post).postprocess([case["scores"]], [sizes_of(4, 4)] * 2)
    assert [result["class_ids"] for result in got] == np.asarray(case["ids"]).tolist()
    assert np.allclose([result["scores"] for result in got], case["values"], atol=1e-7)
    assert [result["label_names"] for result in got] == case["names"]


@cases("multilabel")
def test_classes_above_a_threshold(case: dict[str, Any]) -> None:
    step = {"threshold": case["threshold"], "label_list": case["labels"]}
    got = processor([], {"MultiLabelThreshOutput": step}).postprocess(
        [case["scores"]], [sizes_of(4, 4)] * 3
    )
    assert [result["class_ids"] for result in got] == case["ids"]
    assert [result["label_names"] for result in got] == case["names"]
    for result, values in zip(got, case["values"], strict=True):
        assert np.allclose(result["scores"], values, atol=1e-5)


@cases("objects")
def test_detected_objects(case: dict[str, Any]) -> None:
    processor = detection_processor([], case["labels"], draw_threshold=0.3, layout_nms=case["nms"])
    counts = np.array([len(case["rows"])], np.int32)
    (got,) = processor.postprocess([case["rows"], counts], [sizes_of(80, 100)])
    assert len(case["boxes"]) > 3
    assert [b["label"] for b in got["boxes"]] == [b["label"] for b in case["boxes"]]
    assert [b["cls_id"] for b in got["boxes"]] == [b["cls_id"] for b in case["boxes"]]
    for key in ("score", "coordinate"):
        assert np.allclose([b[key] for b in got["boxes"]], [b[key] for b in case["boxes"]])


@cases("file")
def test_image_decoding(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / case["name"]
    path.write_bytes(case["data"].tobytes())
    got = load_as_rgb_array(path)[:, :, ::-1].astype(int)
    assert got.shape == case["pixels"].shape
    # Libraries round colors of JPEG files differently.
    assert np.abs(got - case["pixels"]).max() <= (2 if case["name"].endswith("jpg") else 0)


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name in networks.DIRECTORIES:
        networks.write_directory(folder, name)
    return folder


@cases("pipeline")
def test_whole_pipelines(case: dict[str, Any], directories: Path) -> None:
    model = pipeline.load(directories / case["directory"])
    (result,) = model.predict(case["image"])
    got, wanted = result.json["res"], case["result"]
    assert got.keys() - {"input_path"} == wanted.keys()
    if case["directory"] == "cls":  # PaddleX nests the ids of one image
        wanted["class_ids"] = wanted["class_ids"][0]
    for key, value in wanted.items():
        if key == "boxes":
            assert [b["label"] for b in got[key]] == [b["label"] for b in value]
            for mine, theirs in zip(got[key], value, strict=True):
                assert np.allclose(mine["coordinate"], theirs["coordinate"], atol=1e-3)
        elif "score" in key:
            assert np.allclose(got[key], value, atol=1e-4)
        else:
            assert got[key] == value


@cases("ocr")
def test_text_system(case: dict[str, Any], directories: Path) -> None:
    reader = pipeline.load(directories / "det", rec=directories / "rec")
    (result,) = reader.predict(case["image"], batch_size=3)
    wanted = case["result"]
    assert len(wanted["rec_texts"]) > 4
    for key in ("dt_polys", "rec_texts", "rec_polys", "rec_boxes"):
        assert result[key] == wanted[key]
    assert np.allclose(result["rec_scores"], wanted["rec_scores"], atol=1e-3)
