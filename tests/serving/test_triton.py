"""Model repositories for Triton, checked by its own parser and by ONNX Runtime."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions
from oarlock.serving.served_model import ServedModel
from oarlock.serving.triton import (
    add_model_to_repository,
    kserve_manifest,
    model_config,
    to_pbtxt,
)
from oarlock.static import Dim


@pytest.fixture
def repository(model: str, tmp_path: Path) -> Path:
    return add_model_to_repository(model, tmp_path / "repository", ExportOptions())


def test_repository_files(repository: Path) -> None:
    assert sorted(str(p.relative_to(repository)) for p in repository.rglob("*") if p.is_file()) == [
        "1/model.onnx",
        "1/model.pdiparams",
        "config.pbtxt",
        "inference_service.yaml",
    ]
    assert not list(repository.parent.glob(".*"))


def test_moved_repository_runs_in_onnxruntime(repository: Path, model: str, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    moved = tmp_path / "elsewhere"
    shutil.copytree(repository, moved)
    x, n = np.ones((2, 4), "float32"), np.array([1, 2])
    found = onnxruntime.InferenceSession(moved / "1" / "model.onnx").run(None, {"x": x, "n": n})
    want = paddle.jit.load(model)(paddle.to_tensor(x), paddle.to_tensor(n))
    assert np.allclose(found[0], want[0].numpy(), rtol=1e-6) and np.array_equal(
        found[1], want[1].numpy()
    )


def test_config_pbtxt(repository: Path) -> None:
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


def test_fixed_sizes_disable_batching(tmp_path: Path) -> None:
    net = paddle.nn.Linear(4, 3)
    net.eval()
    paddle.jit.save(
        net, str(tmp_path / "fixed"), input_spec=[paddle.static.InputSpec([2, 4], "float32", "x")]
    )
    files = read_model(str(tmp_path / "fixed"))
    config = model_config("fixed", Engine(files.pdmodel, files.params_path), files)
    assert (
        config["max_batch_size"] == 0
        and config["input"][0]["dims"] == [2, 4]
        and "dynamic_batching" not in config
    )


@pytest.mark.parametrize(
    "mixing", [lambda x: nn.functional.softmax(x, axis=0), paddle.nonzero, lambda x: x - x.mean(0)]
)
def test_model_that_mixes_samples_disables_batching(mixing: Any, tmp_path: Path) -> None:
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
    config = model_config("net", Engine(files.pdmodel, files.params_path), files)
    assert config["max_batch_size"] == 0 and config["input"][0]["dims"] == [-1, 4]


@pytest.mark.parametrize(
    ("batch", "largest"),
    [
        (Dim("batch", 4, 16, multiple=4), 0),  # a batch of 1 would be rejected
        (Dim("batch", 2), 0),
        (Dim("batch", 0, 6), 6),
        (Dim("batch"), 8),
    ],
)
def test_batching_requires_that_all_batch_sizes_are_allowed(
    batch: Dim, largest: int, tmp_path: Path
) -> None:
    net = nn.Linear(4, 3)
    net.eval()
    spec = [paddle.static.InputSpec([batch, 4], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    files = read_model(str(tmp_path / "net"))
    config = model_config("net", Engine(files.pdmodel, files.params_path), files)
    assert config["max_batch_size"] == largest
    assert config["input"][0]["dims"] == ([4] if largest else [-1, 4])
    warm_up = config["model_warmup"][0]["inputs"][0]["value"]["dims"]
    assert warm_up == ([4] if largest else [batch.smallest_size, 4])


def pairs_of_rows(x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
    return x.reshape([-1, 2, 3]) + y[:, :3].mean(0)


def repeat_while_zero(x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
    while x.abs().max() == 0:
        x = x * y.sum()
    return x


@pytest.mark.parametrize(
    ("function", "warms_up"),
    [(paddle.add, True), (pairs_of_rows, False), (repeat_while_zero, False)],
)
def test_warm_up_that_would_fail_or_not_end_is_left_out(
    function: Callable[..., paddle.Tensor], warms_up: bool, tmp_path: Path
) -> None:
    """Triton does not load a model whose warm-up fails."""
    spec = [paddle.static.InputSpec([None, 3], "float32", name) for name in "xy"]
    prefix = str(tmp_path / "net")

    def call(x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
        return function(x, y)

    static = paddle.jit.to_static(call, input_spec=spec)
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(static, prefix, format="paddle3", verify=False)
    files = read_model(prefix)
    config = model_config("net", Engine(files.pdmodel, files.params_path), files)
    assert ("model_warmup" in config) == warms_up


def multiply(x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
    return paddle.matmul(x, y)  # two requests together have sizes that do not fit


def repeat_while_positive(x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
    while x.sum() > 0:
        x = x + y * 0
    return x


@pytest.mark.parametrize("function", [multiply, repeat_while_positive])
def test_failing_and_endless_runs_disable_batching(
    function: Callable[..., paddle.Tensor], tmp_path: Path
) -> None:
    spec = [paddle.static.InputSpec([None, None], "float32", name) for name in "xy"]
    prefix = str(tmp_path / "net")
    static = paddle.jit.to_static(function, input_spec=spec)
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(static, prefix, format="paddle3", verify=False)
    folder = add_model_to_repository(prefix, tmp_path / "repository", ExportOptions())
    assert "max_batch_size: 0\n" in (folder / "config.pbtxt").read_text()
    model = ServedModel(prefix)
    model.warm_up()
    assert model.config["max_batch_size"] == 0


def test_to_pbtxt() -> None:
    assert (
        to_pbtxt({"a": 1, "b": [{"c": 'x"y'}, {"c": True}], "d": [1, -1]})
        == 'a: 1\nb {\n  c: "x\\"y"\n}\nb {\n  c: true\n}\nd: [1, -1]\n'
    )


@pytest.mark.parametrize(
    ("name", "known"),
    [("Net_1.0", "net-1-0"), ("ünï: x\n- y", "n-x-y"), ("--", "model"), ("a" * 99, "a" * 63)],
)
def test_kubernetes_names(name: str, known: str) -> None:
    assert f"  name: {known}\nspec:" in kserve_manifest(name)


def test_existing_folder_is_kept(repository: Path, model: str) -> None:
    before = (repository / "config.pbtxt").read_bytes()
    with pytest.raises(paddle.OpError, match="exists already"):
        add_model_to_repository(model, repository.parent, ExportOptions())
    assert (repository / "config.pbtxt").read_bytes() == before


def test_failed_export_leaves_nothing(model: str, tmp_path: Path) -> None:
    with pytest.raises(paddle.OpError):
        add_model_to_repository(model, tmp_path / "repository", ExportOptions(opset=99))
    assert list((tmp_path / "repository").iterdir()) == []


def test_inline_weights(model: str, tmp_path: Path) -> None:
    folder = add_model_to_repository(model, tmp_path / "repository", ExportOptions(inline=True))
    assert sorted(p.name for p in (folder / "1").iterdir()) == ["model.onnx"]


def test_model_of_a_directory_is_named_after_it(tmp_path: Path) -> None:
    net = nn.Linear(4, 3)
    net.eval()
    folder = tmp_path / "digits"
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    paddle.jit.save(net, str(folder / "inference"), input_spec=spec, format="paddle3")
    written = add_model_to_repository(f"{folder}/", tmp_path / "repository", ExportOptions())
    assert written.name == ServedModel(str(folder)).name == "digits"
    assert ServedModel(str(folder / "inference.json")).name == "inference"
    assert ServedModel(str(folder / "inference")).name == "inference"


def test_model_is_named_after_the_prefix(model: str, tmp_path: Path) -> None:
    prefix = model.removesuffix(".pdmodel")
    folder = add_model_to_repository(
        f"{prefix}.pdiparams", tmp_path / "repository", ExportOptions()
    )
    assert folder.name == Path(prefix).name
