"""jit.save and jit.load: files, names, nesting, verification, fine-tuning, and nothing
half-written.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import load, save
from oarlock.static import InputSpec

rng = np.random.default_rng(0)


def normal(*shape: int) -> paddle.Tensor:
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


class Block(nn.Layer):
    """A small residual net with everything that has a state."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2D(8)
        self.short = nn.Conv2D(3, 8, 1, bias_attr=False)
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Dropout(0.3), nn.Linear(8, 5)
        )

    def forward(self, image: paddle.Tensor) -> paddle.Tensor:
        return self.head(nn.functional.relu(self.norm(self.conv(image)) + self.short(image)))


class Nested(nn.Layer):
    """Nested arguments and results."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Any, pair: Any, extra: Any = None) -> Any:
        y = self.fc(x) + pair[0]
        return {"logits": y, "aux": [y * 2, (y.sum(), None)], "same": y, "given": pair[1]}


def saved(layer: nn.Layer, folder: Path, *shapes: list[int | None]) -> str:
    layer.eval()
    save(layer, str(folder / "m"), input_spec=[InputSpec(s) for s in shapes])
    return str(folder / "m")


def test_files_and_equal_results(tmp_path: Path) -> None:
    net = Block()
    prefix = saved(net, tmp_path, [None, 3, None, None])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "m.pdiparams",
        "m.pdiparams.info",
        "m.pdmodel",
    ]
    layer = load(prefix)
    x = normal(2, 3, 9, 7)
    np.testing.assert_allclose(layer(x).numpy(), net(x).numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(layer(image=x.numpy()).numpy(), net(x).numpy(), rtol=1e-4, atol=1e-6)
    assert layer.state_dict().keys() == net.state_dict().keys()
    contract = layer.program().contract
    assert contract is not None
    assert contract.verified.startswith(
        "at image[2, 3, 32, 32]; image[3, 3, 48, 48]: largest difference"
    )
    assert not layer.training


@pytest.mark.parametrize(
    ("configs", "why"),
    [
        ({"foo": 1}, "options: there is no 'foo'"),
        ({"device": "tpu"}, "options: device 'tpu' is not one of cpu, cuda, tensorrt"),
        ({"device": 3}, "options: 'device' is a int; the type of the option is string (3)"),
        ({"threads": -1}, "options: threads is -1"),
        ({"profile": "/nowhere/p"}, "options: profile: there is no folder /nowhere"),
    ],
)
def test_unknown_configs_are_rejected(configs: dict[str, Any], why: str, tmp_path: Path) -> None:
    prefix = saved(nn.Linear(2, 2), tmp_path, [None, 2])
    with pytest.raises(paddle.OpError, match=f"{re.escape(why)}\n.*test_save_load.py"):
        load(prefix, **configs)


def test_saved_bytes_are_deterministic(tmp_path: Path) -> None:
    def files(name: str) -> dict[str, bytes]:
        paddle.seed(3)
        net = Block()
        (tmp_path / name).mkdir()
        saved(net, tmp_path / name, [None, 3, 8, 8])
        return {p.name: p.read_bytes() for p in (tmp_path / name).iterdir()}

    assert files("a") == files("b")


def test_names_and_nesting_round_trip(tmp_path: Path) -> None:
    net = Nested()
    net.eval()
    pair = [InputSpec([None, 4]), InputSpec([None, 2])]
    save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 4]), pair])
    layer = load(tmp_path / "m")
    x, a, b = normal(2, 4), normal(2, 4), normal(2, 2)
    want, got = net(x, [a, b]), layer(x, a, b)
    assert list(got) == ["logits", "aux", "same", "given"]
    assert isinstance(got["aux"], list)
    assert isinstance(got["aux"][1], tuple)
    assert got["aux"][1][1] is None
    np.testing.assert_allclose(got["logits"].numpy(), want["logits"].numpy(), rtol=1e-6)
    np.testing.assert_array_equal(got["given"].numpy(), b.numpy())
    assert layer.program().feed_names() == ["x", "pair_0", "pair_1"]
    assert layer.program().fetch_names() == ["aux.0", "aux.1.0", "given", "logits", "same"]


class Labeled(nn.Layer):
    """Returns Python numbers and strings, too."""

    def __init__(self, given: Any = 3) -> None:
        super().__init__()
        self.fc, self.given = nn.Linear(4, 4), given

    def forward(self, x: Any) -> Any:
        return (
            {"y": self.fc(x), "n": self.given, "kind": "logits"},
            2.5,
            [True, None, x.shape[0], np.float32(0.5)],
        )


def test_python_results_round_trip(tmp_path: Path) -> None:
    net = Labeled()
    prefix = saved(net, tmp_path, [None, 4])
    save(load(prefix), tmp_path / "again")
    x = normal(2, 4)
    for layer in (load(prefix), load(tmp_path / "again")):
        named, half, listed = layer(x)
        np.testing.assert_allclose(named["y"].numpy(), net(x)[0]["y"].numpy(), rtol=1e-6)
        assert (named["n"], named["kind"], half, listed[:2], int(listed[2]), listed[3]) == (
            3,
            "logits",
            2.5,
            [True, None],
            2,
            0.5,
        )
        assert layer.program().fetch_names() == ["out_0.y", "out_2.2"]


def test_mode_dependent_python_result_is_rejected(tmp_path: Path) -> None:
    class Moody(Labeled):
        def forward(self, x: Any) -> Any:
            return self.fc(x), paddle.core.mode.state.mode.static

    with pytest.raises(
        paddle.VerifyError,
        match="returned the Python value True during recording, but is now False",
    ):
        saved(Moody(), tmp_path, [None, 4])
    assert not list(tmp_path.iterdir())
    with pytest.raises(
        paddle.TraceError, match="a model returns tensors, numbers, strings, None, .* not complex"
    ):
        saved(Labeled(1j), tmp_path, [None, 4])


def test_dynamic_sizes(tmp_path: Path) -> None:
    class Sizes(nn.Layer):
        def forward(self, x: Any) -> Any:
            n, c = x.shape[0], x.shape[1]
            flat = x.reshape([n, -1]) + paddle.zeros([n, 1])
            return flat, paddle.ones([n, c]) * n, x[:, :, : x.shape[2] - 1]

    net = Sizes()
    with pytest.warns(UserWarning, match="no parameters"):
        save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 3, None])])
    layer = load(tmp_path / "m")
    for shape in ((2, 3, 4), (5, 3, 2)):
        x = normal(*shape)
        for got, want in zip(layer(x), net(x), strict=True):
            np.testing.assert_allclose(got.numpy(), want.numpy())


@pytest.mark.parametrize(
    ("forward", "reader"),
    [
        (lambda x: x * x.tolist()[0][0], r"tolist\(\)"),
        (lambda x: x * np.mean(x.numpy()), r"numpy\(\)"),
        (lambda x: x * np.float32(x.sum()), r"float\(\)|numpy\(\)"),
        (lambda x: x * [1.0, 2.0][x.sum().astype("int32").__index__()], r"index\(\)"),
        (lambda x: x * 2 if sorted([x.shape, [2, 4]])[0][0] == 2 else x, "cannot be compared"),
    ],
)
def test_reading_a_value_is_rejected_with_its_line(
    forward: Any, reader: str, tmp_path: Path
) -> None:
    with pytest.raises(
        paddle.TraceError, match=rf"(?s){reader}.*test_save_load.py:\d+ in <lambda>"
    ):
        save(forward, str(tmp_path / "m"), input_spec=[InputSpec([None, 4], name="x")])
    assert not list(tmp_path.iterdir())


def test_fine_tuning(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    layer = load(saved(net, tmp_path, [None, 4]))
    x, y = normal(6, 4), paddle.to_tensor(rng.integers(0, 2, (6, 1)))

    def steps(model: nn.Layer) -> list[float]:
        model.train()
        rule = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        losses = []
        for _ in range(5):
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            rule.step()
            rule.clear_grad()
            losses.append(loss.item())
        model.eval()
        return losses

    assert steps(layer) == pytest.approx(steps(net), rel=1e-5)
    for _ in range(3):
        np.testing.assert_allclose(layer(x).numpy(), net(x).numpy(), rtol=1e-5)
    save(layer, str(tmp_path / "again"))
    np.testing.assert_allclose(load(tmp_path / "again")(x).numpy(), net(x).numpy(), rtol=1e-5)
    assert load(tmp_path / "again").state_dict().keys() == net.state_dict().keys()


def test_input_gradients_in_eval_mode(tmp_path: Path) -> None:
    net = nn.Linear(4, 2)
    layer = load(saved(net, tmp_path, [None, 4]))
    x = normal(3, 4)
    x.stop_gradient = False
    layer(x).sum().backward()
    np.testing.assert_allclose(
        x.gradient(), np.broadcast_to(net.weight.numpy().sum(1), (3, 4)), rtol=1e-5
    )


def test_loaded_layer_as_sublayer(tmp_path: Path) -> None:
    inner = load(saved(nn.Linear(4, 3), tmp_path, [None, 4]))
    outer = nn.Sequential(nn.Linear(5, 4), inner)
    outer.eval()
    save(outer, str(tmp_path / "outer"), input_spec=[InputSpec([None, 5])])
    x = normal(2, 5)
    np.testing.assert_allclose(load(tmp_path / "outer")(x).numpy(), outer(x).numpy(), rtol=1e-5)
    assert "translated_layer" in repr(inner).lower() or "TranslatedLayer" in repr(inner)
    with pytest.raises(ValueError, match="does not exist"):
        inner.program("other")


def test_functions_and_methods_can_be_saved(tmp_path: Path) -> None:
    fc = nn.Linear(4, 2)
    save(
        lambda x: nn.functional.softmax(fc(x)),
        str(tmp_path / "f"),
        input_spec=[InputSpec([None, 4], name="x")],
    )
    x = normal(2, 4)
    np.testing.assert_allclose(
        load(tmp_path / "f")(x).numpy(), nn.functional.softmax(fc(x)).numpy(), rtol=1e-6
    )


def test_training_layers_are_saved_for_inference(tmp_path: Path) -> None:
    net = Block()
    net.train()
    save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 3, 8, 8])])
    assert net.training
    net.eval()
    x = normal(2, 3, 8, 8)
    np.testing.assert_allclose(
        load(tmp_path / "m")(x).numpy(), net(x).numpy(), rtol=1e-4, atol=1e-6
    )


def test_wrong_file_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    net.eval()
    (tmp_path / "m.pdmodel").write_bytes(b"old")
    honest = net.forward
    monkeypatch.setattr(
        net,
        "forward",
        lambda input: honest(input) + (0.0 if paddle.core.mode.state.mode.static else 1.0),
    )
    with pytest.raises(paddle.VerifyError, match="output 'out' differs by"):
        save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 4])])
    assert [p.name for p in tmp_path.iterdir()] == ["m.pdmodel"]
    assert (tmp_path / "m.pdmodel").read_bytes() == b"old"
    save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 4])], verify=False)


@pytest.mark.parametrize(
    ("layer", "path", "spec", "error", "why"),
    [
        (5, "m", [], TypeError, "a Layer or a function"),
        (nn.Linear(4, 3), "folder/", [InputSpec([None, 4])], ValueError, "prefix"),
        (nn.Linear(4, 3), "m", None, paddle.OpError, "input_spec should be a list"),
        (
            nn.Linear(4, 3),
            "m",
            [InputSpec([None, 5])],
            paddle.OpError,
            r"matmul: .*X=float32\[\?,5\]",
        ),
    ],
)
def test_bad_arguments_write_nothing(
    layer: Any, path: str, spec: Any, error: Any, why: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=why):
        save(layer, str(tmp_path) + "/" + path, input_spec=spec)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="unknown configs \\['fast'\\]"):
        save(nn.Linear(4, 3), str(tmp_path / "m"), input_spec=[InputSpec([None, 4])], fast=True)


def test_bad_inputs_of_a_loaded_layer(tmp_path: Path) -> None:
    layer = load(saved(nn.Linear(4, 3), tmp_path, [None, 4]))
    for call, why in (
        (lambda: layer(normal(2, 5)), "'input'"),
        (lambda: layer(np.ones((2, 4))), "float64"),
        (lambda: layer(), "takes \\['input'\\], got 0"),
        (lambda: layer(other=normal(2, 4)), "no input \\['other'\\]"),
    ):
        with pytest.raises(paddle.OpError, match=f"(?s){why}"):
            call()
    layer.train()
    with pytest.raises(
        paddle.OpError, match=r"input 'input' should be float32\[\?,4\] \(got float32\[2,5\]\)"
    ):
        layer(normal(2, 5))


def test_bad_files(tmp_path: Path) -> None:
    prefix = saved(nn.Linear(4, 3), tmp_path, [None, 4])
    with pytest.raises(paddle.FileError, match="neither"):
        load(tmp_path / "nothing")
    whole = (tmp_path / "m.pdiparams").read_bytes()
    for damaged in (whole[:-1], whole + b"\0", b"", whole[:30]):
        (tmp_path / "m.pdiparams").write_bytes(damaged)
        with pytest.raises(paddle.FileError, match=r"m\.pdiparams"):
            load(prefix)
    (tmp_path / "m.pdiparams").unlink()
    with pytest.raises(paddle.FileError, match="parameters, but"):
        load(prefix)
    with pytest.raises(paddle.OpError, match="there is no 'speed'"):
        load(saved(nn.Linear(4, 3), tmp_path, [None, 4]), speed=1)(normal(1, 4))


def test_malicious_info_pickle_is_rejected(tmp_path: Path) -> None:
    prefix = saved(nn.Linear(4, 3), tmp_path, [None, 4])
    marker = tmp_path / "ran"
    (tmp_path / "m.pdiparams.info").write_bytes(
        b"cos\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR."
    )
    with pytest.raises(paddle.FileError, match=r"os\.system|system"):
        load(prefix)
    assert not marker.exists()


def test_load_without_info_file(tmp_path: Path) -> None:
    prefix = saved(nn.Linear(4, 3), tmp_path, [None, 4])
    (tmp_path / "m.pdiparams.info").unlink()
    layer = load(prefix)
    assert sorted(layer.state_dict()) == ["linear_0.b_0", "linear_0.w_0"]
    assert not layer.parameters()[0].stop_gradient


class Counts(nn.Layer):
    def forward(self, x: Any) -> Any:
        rows = paddle.tensor.create_array("float32")
        for i in range(x.shape[0]):
            paddle.tensor.array_write(x[i] * 2, paddle.full([1], i, "int64"), rows)
        return paddle.tensor.array_length(rows), rows[0]


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_list_length_as_result(tmp_path: Path) -> None:
    paddle.jit.save(Counts(), str(tmp_path / "m"), [InputSpec([None, 3])])
    assert load(tmp_path / "m")(np.ones([4, 3], np.float32))[0].numpy().tolist() == [4]
