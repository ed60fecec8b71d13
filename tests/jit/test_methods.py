"""Models with several methods: their files, their shared values, and further options of
`jit.save`.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.cli.model import verify_saved_model
from oarlock.jit import load, save, to_static
from oarlock.static import InputSpec

X = [InputSpec([None, 3], name="x")]


class Net(nn.Layer):
    """Three methods on two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 3), nn.Linear(3, 2), nn.Linear(3, 4)

    @to_static(input_spec=X)
    def decode(self, x: Any) -> Any:
        return self.c(self.a(x))

    @to_static(input_spec=X)
    def forward(self, x: Any) -> Any:
        return self.b(self.a(x))

    @to_static(input_spec=[InputSpec([None, 3], name="x"), InputSpec([], "bool", name="twice")])
    def infer(self, x: Any, twice: Any) -> Any:
        y = self.b(x)
        if twice:
            y = y * 2
        return {"y": y, "size": [x.shape[0] * 2]}


class Plain(nn.Layer):
    """A layer without to_static methods."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x: Any, scale: float = 2.0) -> Any:
        y = self.a(x)
        return y, y * scale, {"z": y.sum()}


def net(kind: type[nn.Layer] = Net) -> nn.Layer:
    paddle.seed(0)
    made = kind()
    made.eval()
    return made


def normal(*shape: int) -> paddle.Tensor:
    return paddle.to_tensor(
        np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32")
    )


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def check_equal(found: Any, wanted: nn.Layer) -> None:
    """Check that all methods return equal results, at two sizes."""
    for n in (2, 5):
        x = normal(n, 3)
        np.testing.assert_allclose(found(x).numpy(), wanted(x).numpy(), rtol=1e-5)
        np.testing.assert_allclose(found.decode(x).numpy(), wanted.decode(x).numpy(), rtol=1e-5)
        for twice in (True, False):
            got, want = (m.infer(x, paddle.to_tensor(twice)) for m in (found, wanted))
            np.testing.assert_allclose(got["y"].numpy(), want["y"].numpy(), rtol=1e-5)
            assert int(got["size"][0]) == 2 * n


def test_files_of_each_method(tmp_path: Path) -> None:
    layer = net()
    save(layer, tmp_path / "m")
    ends = (".decode.pdiparams", ".decode.pdmodel", ".infer.pdiparams", ".infer.pdmodel")
    assert names(tmp_path) == sorted(
        f"m{end}" for end in (*ends, ".pdiparams", ".pdiparams.info", ".pdmodel")
    )
    loaded = load(tmp_path / "m")
    check_equal(loaded, layer)
    assert loaded.state_dict().keys() == layer.state_dict().keys()
    assert loaded.methods() == ["forward", "decode", "infer"]
    assert loaded.program("infer").feed_names() == ["x", "twice"]
    assert "largest difference" in loaded.program("infer").contract.verified
    with pytest.raises(ValueError, match="`train` does not exist"):
        loaded.program("train")
    for name in loaded.methods():
        verify_saved_model(str(tmp_path / ("m" if name == "forward" else f"m.{name}")))


def test_shared_values_have_one_name(tmp_path: Path) -> None:
    layer = net()
    save(layer, tmp_path / "m")
    loaded = load(tmp_path / "m")
    held = {
        name: {v.name for v in loaded.program(name).persistables()} for name in loaded.methods()
    }
    assert held["forward"] == {f"linear_{i}.{k}_0" for i in (0, 1) for k in "wb"}
    assert held["infer"] == {"linear_1.w_0", "linear_1.b_0"}
    assert held["decode"] == {f"linear_{i}.{k}_0" for i in (0, 2) for k in "wb"}
    assert len(loaded.parameters()) == 6


def test_methods_share_parameters(tmp_path: Path) -> None:
    layer = net()
    save(layer, tmp_path / "m")
    loaded = load(tmp_path / "m")
    x = normal(4, 3)

    def step(model: Any) -> None:
        model.train()
        rule = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        (model(x).square().mean() + model.decode(x).mean()).backward()
        rule.step()
        model.eval()

    step(loaded)
    step(layer)
    for _ in range(2):  # by our own kernels, then by the engine made anew
        check_equal(loaded, layer)
    save(loaded, tmp_path / "again")
    check_equal(load(tmp_path / "again"), layer)
    assert load(tmp_path / "again").state_dict().keys() == layer.state_dict().keys()


def test_combine_params(tmp_path: Path) -> None:
    layer = net()
    save(layer, tmp_path / "m", combine_params=True)
    assert names(tmp_path) == [
        "m.decode.pdmodel",
        "m.infer.pdmodel",
        "m.pdiparams",
        "m.pdiparams.info",
        "m.pdmodel",
    ]
    check_equal(load(tmp_path / "m"), layer)


def test_saving_again_removes_old_method_files(tmp_path: Path) -> None:
    save(net(), tmp_path / "m")
    save(net(), tmp_path / "m.v2")
    other = net(Plain)
    save(other, tmp_path / "m", input_spec=X)
    kept = [n for n in names(tmp_path) if not n.startswith("m.v2")]
    assert kept == ["m.pdiparams", "m.pdiparams.info", "m.pdmodel"]
    assert load(tmp_path / "m").methods() == ["forward"]  # m.v2 is a model of its own
    check_equal(load(tmp_path / "m.v2"), net())


def test_files_of_two_saves_are_not_mixed(tmp_path: Path) -> None:
    save(net(), tmp_path / "m")
    paddle.seed(5)
    other = Net()
    other.eval()
    save(other, tmp_path / "n")
    for end in (".pdmodel", ".pdiparams"):
        (tmp_path / f"n.decode{end}").replace(tmp_path / f"m.decode{end}")
    with pytest.raises(
        paddle.FileError,
        match=r"m\.decode\.pdmodel: the value of 'linear_0\.[bw]_0' differs from that of forward",
    ):
        load(tmp_path / "m")


def test_failed_method_writes_nothing(tmp_path: Path) -> None:
    class Moody(Net):
        @to_static(input_spec=X)
        def infer(self, x: Any) -> Any:
            return self.b(x) * (1.0 if paddle.core.mode.state.mode.static else 2.0)

    with pytest.raises(paddle.VerifyError, match="output 'out' differs"):
        save(net(Moody), tmp_path / "m")
    assert not names(tmp_path)


def test_skip_forward(tmp_path: Path) -> None:
    class Other(Plain):
        @to_static(input_spec=X)
        def infer(self, x: Any) -> Any:
            return self.a(x)

    layer = net(Other)
    save(layer, tmp_path / "m", skip_forward=True)
    assert names(tmp_path) == ["m.infer.pdiparams", "m.infer.pdmodel", "m.pdiparams.info"]
    loaded = load(tmp_path / "m")
    np.testing.assert_allclose(
        loaded.infer(normal(2, 3)).numpy(), layer.infer(normal(2, 3)).numpy(), rtol=1e-6
    )
    with pytest.raises(
        NotImplementedError, match=r"m: it was saved without forward; there is infer"
    ):
        loaded(normal(2, 3))
    with pytest.warns(UserWarning, match="nothing is saved"):
        save(net(Plain), tmp_path / "other" / "n", skip_forward=True)
    assert names(tmp_path / "other") == []


def test_properties_are_not_saved_as_methods(tmp_path: Path) -> None:
    class Sized(Plain):
        @to_static(property=True)
        def size(self) -> Any:
            return self.a.weight.shape[0]

    layer = net(Sized)
    assert layer.size() == 3
    save(layer, tmp_path / "m", input_spec=X)
    assert load(tmp_path / "m").methods() == ["forward"]


def test_default_input_spec(tmp_path: Path) -> None:
    layer = to_static(net(Plain))
    with pytest.raises(paddle.OpError, match="it was not called yet and has no input_spec"):
        save(layer, tmp_path / "m")
    layer(normal(2, 3), scale=3.0)
    layer(normal(4, 3), 5.0)
    save(layer, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert [i.shape for i in loaded._input_spec()] == [(-1, 3)]
    np.testing.assert_allclose(
        loaded(normal(4, 3))[1].numpy(), layer(normal(4, 3), 5.0)[1].numpy(), rtol=1e-6
    )


def test_hooks_of_the_layer_are_saved(tmp_path: Path) -> None:
    layer = net(Plain)
    layer.register_forward_pre_hook(lambda _, given: (given[0] * 3,))
    layer.register_forward_post_hook(lambda _, given, found: found[0] + 100)
    for with_hook in (True, False):  # as in Paddle: they are, whatever it says
        save(layer, tmp_path / "m", input_spec=X, with_hook=with_hook)
        np.testing.assert_allclose(
            load(tmp_path / "m")(normal(2, 3)).numpy(), layer(normal(2, 3)).numpy(), rtol=1e-6
        )


@pytest.mark.parametrize(
    "config",
    [
        {"clip_extra": True},
        {"clip_extra": False},
        {"skip_prune_program": True},
        {"input_names_after_prune": ["x"]},
    ],
)
def test_configs_without_effect(config: dict[str, Any], tmp_path: Path) -> None:
    layer = net(Plain)
    save(layer, tmp_path / "m", input_spec=X)
    save(layer, tmp_path / "n", input_spec=X, **config)
    for end in (".pdmodel", ".pdiparams", ".pdiparams.info"):
        assert (tmp_path / f"n{end}").read_bytes() == (tmp_path / f"m{end}").read_bytes()
    with pytest.raises(paddle.OpError, match="'x' is needed by the outputs"):
        save(layer, tmp_path / "n", input_spec=X, input_names_after_prune=[])


def test_output_spec(tmp_path: Path) -> None:
    layer = to_static(net(Plain), input_spec=X)
    want = layer(normal(2, 3))
    outputs = layer.forward.outputs
    for spec in ([outputs[1]], ["out_1"]):
        save(layer, tmp_path / "m", output_spec=spec)
        np.testing.assert_allclose(
            load(tmp_path / "m")(normal(2, 3)).numpy(), want[1].numpy(), rtol=1e-6
        )
    save(layer, tmp_path / "m", output_spec=[outputs[2], outputs[0]])
    z, y = load(tmp_path / "m")(normal(2, 3))
    np.testing.assert_allclose(y.numpy(), want[0].numpy(), rtol=1e-6)
    np.testing.assert_allclose(z.numpy(), want[2]["z"].numpy(), rtol=1e-5)
    with pytest.raises(
        paddle.OpError, match=r"no output 'w'; the outputs are \['out_0', 'out_1', 'out_2\.z'\]"
    ):
        save(layer, tmp_path / "m", output_spec=["w"])


def test_saving_functions(tmp_path: Path) -> None:
    layer = net()

    @to_static(input_spec=X)
    def double(x: Any) -> Any:
        return x * 2

    for i, (function, spec, want) in enumerate(
        [
            (double, None, lambda x: x * 2),
            (layer.decode, None, layer.decode),
            (net(Plain).a.forward, X, net(Plain).a),
            (lambda x: layer.c(x), X, layer.c),
        ]
    ):
        if i == 0:
            with pytest.warns(UserWarning, match="no parameters"):
                save(function, tmp_path / "f0")
        else:
            save(function, tmp_path / f"f{i}", input_spec=spec)
        found = load(tmp_path / f"f{i}")
        np.testing.assert_allclose(
            found(normal(2, 3)).numpy(), want(normal(2, 3)).numpy(), rtol=1e-5
        )
    assert sorted(load(tmp_path / "f1").state_dict()) == [
        "a.bias",
        "a.weight",
        "c.bias",
        "c.weight",
    ]


def test_saving_restores_layer_attributes(tmp_path: Path) -> None:
    class Noting(Plain):
        last = None

        def forward(self, x: Any) -> Any:
            self.last, self.all = x * 2, [x, x]
            return self.last

    layer = net(Noting)
    with pytest.warns(UserWarning, match="no parameters"):
        save(layer, tmp_path / "m", input_spec=X, verify=False)
    assert layer.last is None
    assert not hasattr(layer, "all")


def scaled(factor: float, x: Any) -> Any:
    return x * factor if x.sum() > 0 else x


def test_partial_function() -> None:
    function = paddle.jit.to_static(functools.partial(scaled, 3.0))
    for given, wanted in (([1.0, 2.0], [3.0, 6.0]), ([-1.0, -2.0], [-1.0, -2.0])):
        assert function(paddle.to_tensor(given)).tolist() == wanted


class _Base(paddle.nn.Layer):
    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return x + 1


class _Derived(_Base):
    @paddle.jit.to_static
    def forward(self, x: Any) -> Any:
        return super().forward(x) * 2


def test_decorated_method_calls_decorated_method_of_base_class() -> None:
    layer, x = _Derived(), paddle.ones([1])
    first = layer.forward
    assert layer(x).item() == 4
    assert layer.forward is first
