"""Behavior that Paddle's suites of layers test: results of a call as output_spec, other dtypes than
those of specs, hooks of `save`.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import OpError
from oarlock.jit import api, layer, load, save, to_static
from oarlock.nn import Layer, Linear
from oarlock.static import InputSpec


class Net(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = Linear(3, 2)

    def forward(self, x: Any, y: Any = None, double: bool = False) -> Any:
        out = self.a(x)
        return (out * 2 if double else out), out.mean() + (0 if y is None else y.sum())


def test_call_results_as_output_spec(tmp_path: Path) -> None:
    net = to_static(Net())
    x = paddle.rand([4, 3])
    _, loss = net(x)
    loss.backward()
    save(net, tmp_path / "m", output_spec=[loss])
    np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), net(x)[1].numpy(), rtol=1e-5)


def test_partial_input_spec(tmp_path: Path) -> None:
    x_spec, y_spec = InputSpec([None, 3], name="x"), InputSpec([5], name="y")
    net = to_static(Net(), input_spec=[x_spec, y_spec, True])
    x = paddle.rand([4, 3])
    out, _ = net(x, paddle.ones([5]), True)
    save(net, tmp_path / "m", [x_spec, True], output_spec=[out], input_names_after_prune=["x"])
    np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), out.numpy(), rtol=1e-5)
    with pytest.raises(ValueError, match="is conflict with the `input_spec`"):
        save(net, tmp_path / "m", [x_spec, y_spec, False])


def test_example_input_keeps_dynamic_sizes_of_the_spec(tmp_path: Path) -> None:
    net = to_static(Net(), input_spec=[InputSpec([None, 3])])
    save(net, tmp_path / "m", input_spec=[paddle.ones([4, 3])])
    assert load(tmp_path / "m")(paddle.ones([7, 3]))[0].shape == [7, 2]


@pytest.mark.parametrize("dtype", ["int64", "float64", "float32"])
def test_call_with_other_dtype_than_spec(dtype: str) -> None:
    static = to_static(lambda x: x[::-2] * 2, input_spec=[InputSpec([None, 2])])
    x = np.arange(10).reshape(5, 2).astype(dtype)
    found = static(paddle.to_tensor(x)).numpy()
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, x[::-2] * 2)


def test_static_function_train_and_eval() -> None:
    net = to_static(Net())
    with pytest.raises(
        RuntimeError,
        match=r"method of the layer Net, whose mode applies \(train or eval\); call eval\(\) of the layer",
    ):
        net.forward.eval()
    net.eval()
    with pytest.raises(RuntimeError, match=r"call train\(\) of the layer"):
        net.forward.train()
    net.forward.eval()

    def plain() -> Any:
        return True

    static: Any = to_static(plain)
    static.eval()
    assert static() is True
    assert static.program_cache.last()[-1][1].training is False


def test_jit_layer_returns_lists(tmp_path: Path) -> None:
    class Two(Net):
        @to_static(input_spec=[InputSpec([None, 3])])
        def infer(self, x: Any) -> Any:
            return self.a(x)

    net = Two()
    save(net, str(tmp_path / "m"), input_spec=[InputSpec([None, 3])], combine_params=True)
    model: Any = layer.Layer()
    model.load(str(tmp_path / "m"), paddle.CPUPlace())
    x = paddle.rand([2, 3])
    for found, expected in zip(
        [*model.forward(x), *model.infer(x)], [*net(x), net.a(x)], strict=True
    ):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5)


def test_save_pre_hooks(tmp_path: Path) -> None:
    seen: list[Any] = []

    def hook(model: Any, specs: Any, configs: Any) -> None:
        seen.append((model, specs, configs))

    handle, again = api._register_save_pre_hook(hook), api._register_save_pre_hook(hook)
    specs, net = [InputSpec([None, 3])], Net()
    try:
        save(net, str(tmp_path / "m"), specs, verify=False)
        assert seen == [(net, specs, {"verify": False})]
        handle.remove(), again.remove()
        save(net, str(tmp_path / "m"), specs)
        assert len(seen) == 1
    finally:
        api._clear_save_pre_hooks()


class OfADict(Layer):
    """A detector whose inputs are one dict, of which it reads some entries."""

    def __init__(self) -> None:
        super().__init__()
        self.a = Linear(3, 2)

    def forward(self, inputs: Any) -> Any:
        return {"out": self.a(inputs["image"]) / inputs["scale"]}


def test_partial_dict_spec(tmp_path: Path) -> None:
    shapes = {"image": [None, 3], "im_shape": [None, 2], "scale": [None, 1]}
    specs = {name: InputSpec(shape, name=name) for name, shape in shapes.items()}
    layer = OfADict()
    layer.eval()
    net = to_static(layer, input_spec=[specs])
    needed = {name: specs[name] for name in ("image", "scale")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is verified
        save(net, tmp_path / "m", input_spec=[needed])
    loaded, x, scale = load(tmp_path / "m"), paddle.rand([4, 3]), paddle.full([4, 1], 2.0)
    assert [spec.name for spec in loaded._input_spec()] == ["image", "scale"]
    np.testing.assert_allclose(loaded(x, scale)["out"].numpy(), layer.a(x).numpy() / 2, rtol=1e-5)
    with pytest.raises(OpError, match="'scale' is needed by the outputs"):
        save(net, tmp_path / "m", input_spec=[{"image": specs["image"]}])
    with pytest.raises(OpError, match="is conflict with the `input_spec`"):
        save(
            net,
            tmp_path / "m",
            input_spec=[{"image": specs["image"], "other": InputSpec([None, 1], name="other")}],
        )
