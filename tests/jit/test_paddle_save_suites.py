"""Behavior that Paddle's own suites of `jit.save` and `jit.load` test: examples as specs,
conflicting specs, names of loaded values.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import load, save, to_static
from oarlock.nn import Layer, Linear
from oarlock.static import InputSpec

SPECS = [
    InputSpec([None, 8], "float32", name="image"),
    InputSpec([None, 1], "float64", name="label"),
]


class Plain(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = Linear(3, 2)

    def forward(self, x: Any) -> Any:
        return self.a(x)


class Pair(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([1])

    def forward(self, x: Any, y: Any) -> Any:
        return x * self.scale, y * 2.0


def test_example_input_has_dynamic_batch(tmp_path: Path) -> None:
    net = Plain()
    save(net, tmp_path / "m", input_spec=[paddle.ones([4, 3])])
    for rows in (1, 4, 7):
        x = paddle.rand([rows, 3])
        np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), net(x).numpy(), rtol=1e-5)


def test_example_input_with_python_batch_size(tmp_path: Path) -> None:
    class Counting(Plain):
        def forward(self, x: Any) -> Any:
            return self.a(x) * len([None] * x.shape[0])

    save(Counting(), tmp_path / "m", input_spec=[paddle.ones([4, 3])])
    assert load(tmp_path / "m")._input_spec()[0].shape == (4, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        [InputSpec([None, 8], "float64"), SPECS[1]],
        [InputSpec([None, 8, 1]), SPECS[1]],
        [SPECS[0], InputSpec([None, 2], "float64")],
        [SPECS[0], True],
        [InputSpec([None, 8], "int64")],
    ],
)
def test_conflicting_specs_are_rejected(wrong: Any, tmp_path: Path) -> None:
    layer = to_static(Pair(), input_spec=SPECS)
    with pytest.raises(
        ValueError, match="is conflict with the `input_spec` in `@paddle.jit.to_static`"
    ):
        save(layer, tmp_path / "m", input_spec=wrong)
    save(layer, tmp_path / "m", input_spec=[InputSpec([8, 8]), InputSpec([8, -1], "float64")])
    x, y = paddle.rand([8, 8]), paddle.rand([8, 1], "float64")
    np.testing.assert_array_equal(load(tmp_path / "m")(x, y)[1].numpy(), (y * 2).numpy())


def test_decorated_method_with_save_spec() -> None:
    class Decorated(Plain):
        @to_static
        def forward(self, x: Any) -> Any:
            return self.a(x), x.sum()

    net: Any = Decorated()
    net.forward = to_static(net.forward, input_spec=[InputSpec([None, 3], name="x")])
    assert [v.name for v in net.forward.inputs] == ["x"]
    out, _ = net(paddle.ones([2, 3]))
    assert out.shape == [2, 2]


def test_concrete_program_inputs(tmp_path: Path) -> None:
    class Dicts(Plain):
        @to_static(
            input_spec=[
                {"x": InputSpec([None, 3], name="x")},
                {"y": InputSpec([None, 1], name="y")},
            ]
        )
        def forward(self, img: Any, label: Any) -> Any:
            loss = (self.a(img["x"]) - label["y"]).sum()
            return self.a(img["x"]) if loss is not None else loss

    net: Any = Dicts()
    owner, img, label = net.forward.concrete_program.inputs
    assert owner is net
    assert (img["x"].name, label["y"].name) == ("x", "y")
    save(net, tmp_path / "m", input_spec=[{"x": InputSpec([None, 3], name="x")}])
    loaded = load(tmp_path / "m")
    assert len(loaded._input_spec()) == 1
    assert loaded(paddle.ones([2, 3])).shape == [2, 2]


def test_unknown_output_spec(tmp_path: Path) -> None:
    layer = to_static(Pair(), input_spec=SPECS)
    with pytest.warns(UserWarning, match="which are all saved"):
        save(layer, tmp_path / "m", output_spec=["no", "such"])
    assert len(load(tmp_path / "m")._output_spec()) == 2
    with pytest.raises(ValueError, match="there is no output 'no'"):
        save(layer, tmp_path / "m", output_spec=["no"])


def test_loading_twice_creates_separate_parameters(tmp_path: Path) -> None:
    save(Plain(), tmp_path / "m", input_spec=[InputSpec([None, 3])])
    one, two = load(tmp_path / "m"), load(tmp_path / "m")
    names = [p.name for p in (*one.parameters(), *two.parameters())]
    assert len(set(names)) == 4
    alone = load(tmp_path / "m")
    x = paddle.ones([2, 3])
    one.train(), two.train(), alone.train()
    for trained in ([one, two], [alone]):
        adam = paddle.optimizer.Adam(
            0.1, parameters=[p for net in trained for p in net.parameters()]
        )
        for _ in range(3):
            for scale, net in zip((1.0, -3.0), trained, strict=False):
                (net(x) * scale).square().sum().backward()
            adam.step()
            adam.clear_grad()
    np.testing.assert_allclose(one(x).numpy(), alone(x).numpy(), rtol=1e-5)


def test_save_of_data_parallel_layer(tmp_path: Path) -> None:
    class Specified(Plain):
        @to_static(input_spec=[InputSpec([None, 3])])
        def forward(self, x: Any) -> Any:
            return self.a(x)

    save(paddle.DataParallel(Specified()), tmp_path / "m")
    assert sorted(load(tmp_path / "m").state_dict()) == ["a.bias", "a.weight"]


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("rows", [3, 4])
def test_median_of_dynamic_size(axis: int | None, rows: int) -> None:
    x = paddle.rand([rows, 5])
    median = to_static(lambda x: paddle.median(x, axis), input_spec=[InputSpec([None, None])])
    np.testing.assert_allclose(median(x).numpy(), paddle.median(x, axis).numpy(), rtol=1e-6)


def test_vectors_of_static_length() -> None:
    def function(x: Any) -> Any:
        steps = paddle.arange(2, 7, 2)
        return x + sum(range(steps.shape[0])) + steps.sum() + paddle.linspace(0, 1, 5).shape[0]

    found = to_static(function, input_spec=[InputSpec([None])])(paddle.zeros([1]))
    np.testing.assert_array_equal(found.numpy(), [3 + 12 + 5])


def test_verbosity_and_code_level_types() -> None:
    for say in (paddle.jit.set_verbosity, paddle.jit.set_code_level):
        for wrong in ("x", 1.5):
            with pytest.raises(TypeError, match="level should be an int"):
                say(wrong)
        say(0)


def test_incubate_names() -> None:
    x = paddle.rand([1, 2, 3, 3])
    below = paddle.incubate.softmax_mask_fuse_upper_triangle(x).numpy()
    masked = paddle.incubate.softmax_mask_fuse(
        x, paddle.triu(paddle.full([1, 1, 3, 3], -1e4), 1)
    ).numpy()
    np.testing.assert_allclose(below, masked, rtol=1e-6)
    assert below[0, 0, 0].tolist() == [1, 0, 0]
    assert (
        paddle.incubate.identity_loss(x, 0).shape
        == paddle.incubate.identity_loss(x, "mean").shape
        == []
    )
    with pytest.raises(ValueError, match="Unsupported reduction"):
        paddle.incubate.identity_loss(x, "most")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = paddle.incubate.nothing
    rows = paddle.to_tensor([[1.0], [2.0], [4.0]])
    assert paddle.incubate.segment_sum(rows, paddle.to_tensor([0, 0, 1])).numpy().tolist() == [
        [3],
        [4],
    ]
    found = paddle.incubate.graph_send_recv(
        rows, paddle.to_tensor([0, 2]), paddle.to_tensor([1, 1])
    )
    assert found.numpy().tolist() == [[0], [5], [0]]
