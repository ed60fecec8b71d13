"""Write golden.npz: what PaddleX computes for generated images and network outputs.

In the root of the repository, with Oarlock, which writes the model directories to FOLDER:

    python -m tests.pipeline.networks FOLDER

Then with `paddlex[ocr-core]==3.7.2` and `paddlepaddle==3.3.1`, and the DejaVu fonts:

    python tests/pipeline/make_golden.py FOLDER
"""

import io
import json
import sys
from pathlib import Path

import cv2
import numpy as np
from paddlex import create_model, create_pipeline
from paddlex.inference.models.image_classification.processors import Topk
from paddlex.inference.models.image_multilabel_classification.processors import (
    MultiLabelThreshOutput,
)
from paddlex.inference.models.object_detection.processors import DetPad, DetPostProcess, PadStride
from paddlex.inference.models.object_detection.processors import Resize as DetResize
from paddlex.inference.models.text_detection.processors import (
    DBPostProcess,
    DetResizeForTest,
    NormalizeImage,
)
from paddlex.inference.models.text_recognition.processors import CTCLabelDecode, OCRReisizeNormImg
from paddlex.inference.pipelines.components.common.crop_image_regions import CropByPolys
from paddlex.inference.pipelines.components.common.sort_boxes import SortQuadBoxes
from PIL import Image, ImageDraw, ImageFont

RNG = np.random.default_rng(0)
ARRAYS: dict[str, np.ndarray] = {}
CASES: dict[str, list] = {}
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
INTERPOLATIONS = {
    "NEAREST": cv2.INTER_NEAREST,
    "LINEAR": cv2.INTER_LINEAR,
    "BICUBIC": cv2.INTER_CUBIC,
    "AREA": cv2.INTER_AREA,
}


def store_array(array) -> str:
    """Store an array and return its name."""
    name = f"a{len(ARRAYS)}"
    ARRAYS[name] = np.asarray(array)
    return name


def store_case(kind: str, **fields) -> None:
    """Store a case; arrays become names."""
    plain = {k: store_array(v) if isinstance(v, np.ndarray) else v for k, v in fields.items()}
    CASES.setdefault(kind, []).append(plain)


def smooth_image(height: int, width: int) -> np.ndarray:
    """A smooth color image."""
    image = RNG.integers(0, 256, (height, width, 3), dtype=np.uint8)
    return cv2.GaussianBlur(image, (0, 0), 2.5)


def page(width: int = 320, height: int = 160) -> np.ndarray:
    """Lines of text, one of them rotated and one vertical, as BGR."""
    image = Image.new("RGB", (width, height), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for y, text, size in ((8, "Oarlock reads", 26), (50, "model 42", 20), (51, "dirs", 18)):
        x = 190 if text == "dirs" else 12
        draw.text((x, y), text, (20, 20, 30), ImageFont.truetype(FONT, size))
    slanted = Image.new("L", (170, 30), 0)
    ImageDraw.Draw(slanted).text((4, 2), "slanted text", 255, ImageFont.truetype(FONT, 20))
    slanted = slanted.rotate(8, expand=True, resample=Image.BICUBIC)
    image.paste((60, 20, 20), (20, 90), slanted)
    vertical = Image.new("L", (90, 24), 0)
    ImageDraw.Draw(vertical).text((2, 2), "upright", 255, ImageFont.truetype(FONT, 18))
    vertical = vertical.rotate(90, expand=True)
    image.paste((0, 60, 0), (270, 40), vertical)
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def probability_map(height: int, width: int, index: int) -> np.ndarray:
    """A map with rotated rectangles, rings and noise, in multiples of 1 / 255."""
    result = np.zeros((height, width), np.float32)
    for _ in range(RNG.integers(1, 12)):
        angle = float(RNG.choice([0, 90, RNG.uniform(0, 180), RNG.uniform(-4, 4)]))
        center = tuple(map(float, RNG.uniform(0, [width, height])))
        size = tuple(map(float, RNG.uniform(4, [width / 3 + 5, 20])))
        corners = cv2.boxPoints((center, size, angle)).astype(np.int32)
        cv2.fillPoly(result, [corners], float(RNG.uniform(0.4, 1)))
    if index % 3 == 0:
        cv2.ellipse(result, (width // 2, height // 2), (20, 14), 0, 0, 360, 0.9, 5)
    if index % 3:
        result = cv2.GaussianBlur(result, (0, 0), 1.5)
    if index % 4 == 3:
        result = result + RNG.normal(0, 0.1, result.shape)
    return np.round(np.clip(result, 0, 1) * 255).astype(np.uint8)


def resize_cases() -> None:
    for i in range(28):
        height, width = map(int, RNG.integers(1, 40, 2))
        new_height, new_width = map(int, RNG.integers(1, 50, 2))
        if i % 4 == 0:
            height, width = 2 * new_height, 2 * new_width
        if i % 4 == 1:
            height, width = 3 * new_height, 2 * new_width
        image = smooth_image(height, width)
        name, flag = list(INTERPOLATIONS.items())[i % 4 if i < 16 else i % 3 + 1]
        resized = cv2.resize(image, (new_width, new_height), interpolation=flag)
        store_case("resize", image=image, size=[new_width, new_height], name=name, result=resized)


def text_preprocessing_cases() -> None:
    normalize = NormalizeImage(order="hwc")
    settings = [
        {"limit_side_len": 64, "limit_type": "max"},
        {"limit_side_len": 64, "limit_type": "min"},
        {"limit_side_len": 90, "limit_type": "resize_long"},
        {"limit_side_len": 64, "limit_type": "min", "max_side_limit": 96},
        {"image_shape": [64, 96]},
        {"image_shape": [64, 96], "keep_ratio": True},
    ]
    for i, kwargs in enumerate(settings * 2):
        shape = [(40, 70), (90, 33), (20, 30), (100, 47), (64, 96), (50, 48)][(i + i // 6) % 6]
        image = smooth_image(*shape)
        (resized,), _ = DetResizeForTest(**kwargs)([image])
        (result,) = normalize([resized])
        store_case(
            "det_resize", image=image, settings=kwargs, resized=resized, mean=float(result.mean())
        )
    for shape in [(20, 90), (33, 7), (6, 50), (60, 2), (48, 80)]:
        image = smooth_image(*shape)
        (result,) = OCRReisizeNormImg([3, 48, 320])([image])
        used = np.abs(result).max((0, 1)).nonzero()[0].max() + 1
        pixels = np.round((result[:, :, :used] * 0.5 + 0.5) * 255).astype(np.uint8)
        store_case("rec_resize", image=image, width=result.shape[2], pixels=pixels)


def detection_preprocessing_cases() -> None:
    for target, shape in (([64, 48], (50, 90)), ([48, 64], (100, 31)), ([40, 40], (17, 80))):
        image = smooth_image(*shape)
        (data,) = DetResize(target_size=target[::-1], keep_ratio=True, interp="LINEAR")(
            [{"img": image}]
        )
        resized = data["img"]
        padded = DetPad([64, 80], [1.0, 2.0, 3.5]).apply(resized)
        strided = PadStride(32).apply(resized.transpose(2, 0, 1))
        scale = [float(s) for s in data["scale_factors"][::-1]]
        padded, strided = padded.astype(np.float16), strided.astype(np.float16)  # exact
        store_case(
            "det_pad", image=image, target=target, padded=padded, strided=strided, scale=scale
        )


def letter_box_cases() -> None:
    """LetterBoxResize as PaddleDetection defines it, with OpenCV."""
    for (height, width), shape in (
        ((40, 60), (50, 41)),
        ((64, 32), (33, 90)),
        ((48, 48), (24, 17)),
    ):
        image = smooth_image(*shape)
        ratio = min(height / shape[0], width / shape[1])
        new_height, new_width = round(shape[0] * ratio), round(shape[1] * ratio)
        resized = cv2.resize(image, (new_width, new_height), interpolation=cv2.INTER_AREA)
        rows, columns = (height - new_height) / 2, (width - new_width) / 2
        top, bottom = round(rows - 0.1), round(rows + 0.1)
        left, right = round(columns - 0.1), round(columns + 0.1)
        boxed = cv2.copyMakeBorder(
            resized, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(127.5, 127.5, 127.5)
        )
        store_case(
            "letter_box", image=image, size=[height, width], result=boxed, ratio=ratio,
            resized=[new_height, new_width],
        )  # fmt: skip


def db_cases() -> None:
    for i in range(24):
        height, width = map(int, RNG.integers(2, 6, 2) * 32)
        pixels = probability_map(height, width, i)
        kwargs = [
            {"thresh": 0.3, "box_thresh": 0.6, "unclip_ratio": 2.0},
            {"thresh": 0.2, "box_thresh": 0.4, "unclip_ratio": 1.5, "use_dilation": True},
            {"thresh": 0.3, "box_thresh": 0.5, "unclip_ratio": 1.5, "score_mode": "slow"},
            {"thresh": 0.3, "box_thresh": 0.3, "unclip_ratio": 1.7, "max_candidates": 4},
        ][i % 4]
        source = [int(height * RNG.uniform(0.5, 3)), int(width * RNG.uniform(0.5, 3))]
        maps = (pixels / np.float32(255)).astype(np.float32)[None, None]
        boxes, scores = DBPostProcess(**kwargs)([maps], [np.array([*source, 1.0, 1.0])])
        store_case(
            "db",
            map=pixels,
            settings=kwargs,
            source=source,
            boxes=np.array(boxes[0], np.int32).reshape(-1, 4, 2),
            scores=np.array(scores[0]),
        )


def crop_cases() -> None:
    image = smooth_image(70, 90)
    quads = []
    for i in range(8):
        center = tuple(map(float, RNG.uniform(15, 65, 2)))
        size = tuple(map(float, RNG.uniform(6, [60, 24])))
        angle = float([0, 90, RNG.uniform(0, 180), RNG.uniform(-5, 5)][i % 4])
        quads.append(np.round(cv2.boxPoints((center, size, angle))).astype(np.int16))
    crops = CropByPolys("quad")(image, quads)
    name = store_array(image)
    for quad, crop in zip(quads, crops, strict=True):
        store_case("crop", image=name, quad=quad.tolist(), result=np.ascontiguousarray(crop))
    boxes = RNG.integers(0, 60, (30, 4, 2)).astype(np.int16)
    store_case("sort", boxes=boxes, sorted=np.array(SortQuadBoxes()(boxes)))


def score_cases() -> None:
    characters = [*"abcdef", "é"]
    for _ in range(4):
        scores = RNG.dirichlet([0.2] * 9, (3, 20)).astype(np.float32)
        texts, values = CTCLabelDecode(list(characters))([scores])
        store_case("ctc", scores=scores, characters=characters, texts=texts, values=values)
    labels = ["a", "b", "c", "d", "e", "f"]
    for k in (1, 3, 9):
        scores = RNG.dirichlet([1] * 6, 2).astype(np.float32)
        ids, values, names = Topk(labels)([scores], topk=k)
        store_case(
            "topk", scores=scores, topk=k, labels=labels, ids=ids,
            values=np.array(values), names=names,
        )  # fmt: skip
    scores = RNG.random((3, 6)).astype(np.float32)
    ids, values, names = MultiLabelThreshOutput(labels)([scores], 0.4)
    store_case(
        "multilabel", scores=scores, threshold=0.4, labels=labels,
        ids=[i.tolist() for i in ids], values=[v.tolist() for v in values], names=names,
    )  # fmt: skip


def object_cases() -> None:
    labels = ["cat", "dog", "image"]
    for columns in (6, 7, 8, 10):
        for nms in (False, True) if columns == 6 else (False,):
            count = 24
            corners = RNG.uniform(-10, 90, (count, 8 if columns == 10 else 4)).astype(np.float32)
            if columns != 10:
                corners[:, 2:] = corners[:, :2] + RNG.uniform(-5, 60, (count, 2))
                corners[::3] = corners[1::3] + RNG.uniform(-2, 2, corners[1::3].shape)
                corners[5] = [-5, -5, 500, 500]
            rows = np.zeros((count, columns), np.float32)
            rows[:, 0] = RNG.integers(-1, 3, count)
            rows[5, 0] = 2
            rows[:, 1] = RNG.random(count)
            rows[5, 1] = 0.9
            rows[:, 2 : 2 + corners.shape[1]] = corners
            if columns in (7, 8):
                rows[:, 6] = RNG.integers(0, 6, count) if columns == 8 else RNG.permutation(count)
            if columns == 8:
                rows[:, 7] = RNG.permutation(count)
            boxes = DetPostProcess(labels).apply(rows, (100, 80), 0.3, nms, None, None)
            plain = [{**box, "coordinate": [float(c) for c in box["coordinate"]]} for box in boxes]
            store_case("objects", rows=rows, labels=labels, nms=nms, boxes=plain)


def image_files() -> None:
    """Image files, and OpenCV's pixels for them."""
    color = Image.fromarray(smooth_image(14, 22))
    alpha = color.copy()
    alpha.putalpha(Image.fromarray(smooth_image(14, 22)[:, :, 0]))
    wide = RNG.integers(0, 65536, (14, 22), dtype=np.uint16)
    exif = Image.Exif()
    exif[0x0112] = 6  # rotate by 90 degrees
    files = {
        "gray.png": (color.convert("L"), {}),
        "gray_alpha.png": (alpha.convert("LA"), {}),
        "rgb.png": (color, {}),
        "rgba.png": (alpha, {}),
        "palette.png": (color.quantize(16), {}),
        "transparent_palette.png": (color.quantize(16), {"transparency": 3}),
        "bits.png": (color.convert("1"), {}),
        "gray16.png": (Image.fromarray(wide), {}),
        "rgb.bmp": (color, {}),
        "rgb.webp": (color, {"lossless": True}),
        "rgb.jpg": (color, {"quality": 90}),
        "gray.jpg": (color.convert("L"), {}),
        "cmyk.jpg": (color.convert("CMYK"), {}),
        "rotated.jpg": (color, {"exif": exif}),
        "rgb.tiff": (color, {}),
    }
    for name, (image, options) in files.items():
        stream = io.BytesIO()
        image.save(stream, Image.registered_extensions()["." + name.split(".")[1]], **options)
        data = np.frombuffer(stream.getvalue(), np.uint8)
        store_case("file", name=name, data=data, pixels=cv2.imdecode(data, cv2.IMREAD_COLOR))
    ok, data = cv2.imencode(".png", RNG.integers(0, 65536, (14, 22, 3), dtype=np.uint16))
    assert ok
    store_case("file", name="rgb16.png", data=data, pixels=cv2.imdecode(data, cv2.IMREAD_COLOR))


def pipeline_cases(networks: Path) -> None:
    """Whole pipelines of PaddleX on the model directories of networks.py."""
    text_page, photo = page(), smooth_image(70, 110)
    names = {"page": store_array(text_page), "photo": store_array(photo)}
    models = {
        "det": ("PP-OCRv5_mobile_det", "page"),
        "rec": ("PP-OCRv5_mobile_rec", "page"),
        "cls": ("PP-LCNet_x1_0", "photo"),
        "multilabel": ("PP-LCNet_x1_0_ML", "photo"),
        "detector": ("YOLOv3-DarkNet53", "photo"),
    }
    for directory, (model, image) in models.items():
        predictor = create_model(model_name=model, model_dir=str(networks / directory))
        pixels = {"page": text_page, "photo": photo}[image]
        if directory == "rec":
            pixels = np.ascontiguousarray(pixels[4:40, 4:230])
        (result,) = predictor.predict(pixels.copy())
        fields = {k: v for k, v in result.json["res"].items() if k != "input_path"}
        store_case("pipeline", directory=directory, image=store_array(pixels), result=fields)
    config = {
        "pipeline_name": "OCR",
        "text_type": "general",
        "use_doc_preprocessor": False,
        "use_textline_orientation": False,
        "SubModules": {
            "TextDetection": {
                "module_name": "text_detection",
                "model_name": "PP-OCRv5_mobile_det",
                "model_dir": str(networks / "det"),
                "limit_side_len": 960,
                "limit_type": "max",
                "thresh": 0.3,
                "box_thresh": 0.6,
                "unclip_ratio": 1.5,
            },
            "TextRecognition": {
                "module_name": "text_recognition",
                "model_name": "PP-OCRv5_mobile_rec",
                "model_dir": str(networks / "rec"),
                "batch_size": 3,
                "score_thresh": 0.0,
            },
        },
    }
    (result,) = create_pipeline(config=config).predict(text_page.copy())
    fields = result.json["res"]
    kept = ("dt_polys", "rec_texts", "rec_scores", "rec_polys", "rec_boxes")
    store_case("ocr", image=names["page"], result={key: fields[key] for key in kept})


def main() -> None:
    resize_cases()
    text_preprocessing_cases()
    detection_preprocessing_cases()
    letter_box_cases()
    db_cases()
    crop_cases()
    score_cases()
    object_cases()
    image_files()
    pipeline_cases(Path(sys.argv[1]))

    def plain(value):
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

    text = json.dumps(CASES, default=plain)
    ARRAYS["cases"] = np.frombuffer(text.encode(), np.uint8)
    np.savez_compressed(Path(__file__).with_name("golden.npz"), **ARRAYS)


main()
