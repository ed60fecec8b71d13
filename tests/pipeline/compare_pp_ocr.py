"""Compare the networks of PP-OCRv5_mobile in PaddleX and in Oarlock on a page of text.

The weights are not published with PaddleX's package: the detection network is trained for some steps
on the page, the recognition network has random weights. It takes minutes and writes 40 MB, so it
is not part of the tests.

In the root of the repository, with `paddlex[ocr-core]==3.7.2` and `paddlepaddle==3.3.1`:

    python tests/pipeline/compare_pp_ocr.py export FOLDER
    python tests/pipeline/compare_pp_ocr.py run FOLDER

Then with Oarlock:

    python -m tests.pipeline.compare_pp_ocr compare FOLDER
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

SETTINGS = {"limit_side_len": 960, "limit_type": "max", "thresh": 0.5, "box_thresh": 0.5}
MODELS = {"det": "PP-OCRv5_mobile_det", "rec": "PP-OCRv5_mobile_rec"}
DIRECTORY = Path(__file__).parent
STEPS = 80  # of training


def page() -> np.ndarray:
    golden = np.load(DIRECTORY / "golden.npz")
    (case,) = json.loads(golden["cases"].tobytes())["ocr"]
    return golden[case["image"]].repeat(2, 0).repeat(2, 1)


def export(folder: Path) -> None:
    """Write the model directories."""
    import cv2
    import paddle
    import paddlex.inference.models.text_detection.modeling.pp_ocrv5_mobile_det as detection
    import paddlex.inference.models.text_recognition.modeling.pp_ocrv5_mobile_rec as recognition

    class Network(paddle.nn.Layer):
        """The model and head of a PaddleX network, whose own `forward` converts to NumPy."""

        def __init__(self, net):
            super().__init__()
            self.net = net

        def forward(self, x):
            return self.net.head(self.net.model(x))

    def save(net, name, height, width):
        net.eval()
        spec = [paddle.static.InputSpec([None, 3, height, width], "float32", "x")]
        static = paddle.jit.to_static(net, input_spec=spec, full_graph=True)
        paddle.jit.save(static, str(folder / name / "inference"))

    paddle.seed(0)
    image = page()
    rec = Network(recognition.PPOCRV5MobileRec(recognition.PPOCRV5MobileRecConfig()))
    det = Network(detection.PPOCRV5MobileDet(detection.PPOCRV5MobileDetConfig()))
    mean, std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    x = paddle.to_tensor(((image / 255 - mean) / std).astype("float32").transpose(2, 0, 1)[None])
    dark = cv2.boxFilter((image.min(2) < 128).astype("float32"), -1, (21, 9)) > 0.12
    wanted = paddle.to_tensor(dark.astype("float32")[None, None])
    adam = paddle.optimizer.Adam(1e-3, parameters=det.parameters())
    for step in range(STEPS):
        found = det(x)
        found = found[0] if isinstance(found, (list, tuple)) else found
        loss = paddle.nn.functional.binary_cross_entropy(found[:, :1].clip(1e-5, 1 - 1e-5), wanted)
        loss.backward()
        adam.step()
        adam.clear_grad()
        print(step, float(loss), flush=True)
    save(det, "det", None, None)
    save(rec, "rec", 48, None)

    classes = int(rec(paddle.zeros([1, 3, 48, 320])).shape[2])
    settings = {
        "det": {
            "PreProcess": {
                "transform_ops": [
                    {"DetResizeForTest": {"resize_long": 960}},
                    {"NormalizeImage": {"scale": "1./255.", "order": "hwc"}},
                    {"ToCHWImage": None},
                ]
            },
            "PostProcess": {"name": "DBPostProcess", "thresh": 0.3, "unclip_ratio": 1.5},
        },
        "rec": {
            "PreProcess": {"transform_ops": [{"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
            "PostProcess": {
                "name": "CTCLabelDecode",
                "character_dict": [chr(0x4E00 + i) for i in range(classes - 2)],
            },
        },
    }
    for name, content in settings.items():
        content["PreProcess"]["transform_ops"].insert(
            0, {"DecodeImage": {"img_mode": "BGR", "channel_first": False}}
        )
        content["Global"] = {"model_name": MODELS[name]}
        (folder / name / "inference.yml").write_text(json.dumps(content))


def run(folder: Path) -> None:
    """Write what PaddleX reads on the page."""
    # oneDNN of PaddlePaddle 3.3.1 does not run the exported networks.
    os.environ["PADDLE_PDX_ENABLE_MKLDNN_BYDEFAULT"] = "False"
    from paddlex import create_pipeline

    modules = {
        "TextDetection": {
            "module_name": "text_detection",
            "model_name": MODELS["det"],
            "model_dir": str(folder / "det"),
            "unclip_ratio": 1.5,
            **SETTINGS,
        },
        "TextRecognition": {
            "module_name": "text_recognition",
            "model_name": MODELS["rec"],
            "model_dir": str(folder / "rec"),
            "batch_size": 6,
        },
    }
    config = {
        "pipeline_name": "OCR",
        "text_type": "general",
        "use_doc_preprocessor": False,
        "use_textline_orientation": False,
        "SubModules": modules,
    }
    (result,) = create_pipeline(config=config).predict(page())
    (folder / "paddlex.json").write_text(json.dumps(result.json["res"]))


def compare(folder: Path) -> None:
    """Raise AssertionError if Oarlock reads something else."""
    from oarlock import pipeline

    wanted = json.loads((folder / "paddlex.json").read_text())
    reader = pipeline.load(folder / "det", rec=folder / "rec", **SETTINGS)
    (result,) = reader.predict(page())
    assert wanted["dt_polys"], "no text: train for more steps"
    for key in ("dt_polys", "rec_texts", "rec_polys", "rec_boxes"):
        assert result[key] == wanted[key], key
    difference = np.abs(np.subtract(result["rec_scores"], wanted["rec_scores"])).max()
    assert difference < 1e-3
    print(
        f"{len(wanted['dt_polys'])} lines are equal; largest difference of scores {difference:.1e}"
    )


if __name__ == "__main__":
    {"export": export, "run": run, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
