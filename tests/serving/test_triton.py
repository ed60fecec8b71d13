"""Model repositories for Triton, as its own parser and ONNX Runtime see them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions
from oarlock.serving.triton import kserve_manifest, model_config, to_pbtxt, write_repository


@pytest.fixture
def repository(model: str, tmp_path: Path) -> Path:
    return write_repository(model, tmp_path / "repository", ExportOptions())


def test_what_is_written(repository: Path) -> None:
    assert sorted(str(p.relative_to(repository)) for p in repository.rglob("*") if p.is_file()) == [
        "1/model.onnx",
        "1/model.pdiparams",
        "config.pbtxt",
        "inference_service.yaml",
    ]
    assert not list(repository.parent.glob(".*"))


def test_the_model_runs_in_onnxruntime_from_its_new_place(
    repository: Path, model: str, tmp_path: Path
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    moved = tmp_path / "elsewhere"
    shutil.copytree(repository, moved)
    x, n = np.ones((2, 4), "float32"), np.array([1, 2])
    found = onnxruntime.InferenceSession(moved / "1" / "model.onnx").run(None, {"x": x, "n": n})
    want = paddle.jit.load(model)(paddle.to_tensor(x), paddle.to_tensor(n))
    assert np.allclose(found[0], want[0].numpy(), rtol=1e-6) and np.array_equal(
        found[1], want[1].numpy()
    )


def test_the_configuration(repository: Path) -> None:
    text = (repository / "config.pbtxt").read_text()
    assert text.startswith('name: "net"\nplatform: "onnxruntime_onnx"\nmax_batch_size: 8\n')
    assert 'input {\n  name: "x"\n  data_type: TYPE_FP32\n  dims: [4]\n}\n' in text
    # What has the batch alone needs a size and a reshape.
    assert (
        'name: "n"\n  data_type: TYPE_INT64\n  dims: [1]\n  reshape {\n    shape: []\n  }\n' in text
    )
    assert (
        "dynamic_batching {\n}\n" in text
        and "zero_data: true" in text
        and "kind: KIND_AUTO" in text
    )


def test_a_model_of_fixed_sizes_takes_no_batches(tmp_path: Path) -> None:
    net = paddle.nn.Linear(4, 3)
    net.eval()
    paddle.jit.save(
        net, str(tmp_path / "fixed"), input_spec=[paddle.static.InputSpec([2, 4], "float32", "x")]
    )
    files = read_model(str(tmp_path / "fixed"))
    config = model_config("fixed", Engine(files.pdmodel, files.params_path))
    assert (
        config["max_batch_size"] == 0
        and config["input"][0]["dims"] == [2, 4]
        and "dynamic_batching" not in config
    )


@pytest.mark.parametrize(
    "mixing", [lambda x: nn.functional.softmax(x, axis=0), paddle.nonzero, lambda x: x - x.mean(0)]
)
def test_a_model_that_mixes_samples_takes_no_batches(mixing: Any, tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x: paddle.Tensor) -> paddle.Tensor:
            return mixing(self.fc(x))

    net = Net()
    net.eval()
    paddle.jit.save(
        net, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")]
    )
    files = read_model(str(tmp_path / "net"))
    config = model_config("net", Engine(files.pdmodel, files.params_path))
    assert config["max_batch_size"] == 0 and config["input"][0]["dims"] == [-1, 4]


def test_text_of_a_tree() -> None:
    assert (
        to_pbtxt({"a": 1, "b": [{"c": 'x"y'}, {"c": True}], "d": [1, -1]})
        == 'a: 1\nb {\n  c: "x\\"y"\n}\nb {\n  c: true\n}\nd: [1, -1]\n'
    )


@pytest.mark.parametrize(
    ("name", "known"),
    [("Net_1.0", "net-1-0"), ("ünï: x\n- y", "n-x-y"), ("--", "model"), ("a" * 99, "a" * 63)],
)
def test_a_name_that_kubernetes_allows(name: str, known: str) -> None:
    assert f"  name: {known}\nspec:" in kserve_manifest(name)


def test_a_folder_that_is_there_stays(repository: Path, model: str) -> None:
    before = (repository / "config.pbtxt").read_bytes()
    with pytest.raises(paddle.OpError, match="exists already"):
        write_repository(model, repository.parent, ExportOptions())
    assert (repository / "config.pbtxt").read_bytes() == before


def test_nothing_is_left_when_it_fails(model: str, tmp_path: Path) -> None:
    with pytest.raises(paddle.OpError):
        write_repository(model, tmp_path / "repository", ExportOptions(opset=99))
    assert list((tmp_path / "repository").iterdir()) == []


def test_weights_inside_the_file(model: str, tmp_path: Path) -> None:
    folder = write_repository(model, tmp_path / "repository", ExportOptions(inline=True))
    assert sorted(p.name for p in (folder / "1").iterdir()) == ["model.onnx"]
