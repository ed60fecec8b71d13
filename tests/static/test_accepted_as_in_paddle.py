"""Calls that Paddle accepts, and one that it rejects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, static
from oarlock.nn import functional as F


@pytest.fixture
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize(
    ("declared", "fed", "fits"),
    [
        ([-1, 3, 3], (3, 3), True),
        ([None, 3], (3,), True),
        ([-1, -1], (3,), True),
        ([-1, 1], (4,), True),
        ([-1, 3, 3], (2, 3), True),
        ([-1, 3, 3], (9,), True),
        ([3, -1], (3,), True),
        ([-1, 3, 3], (5, 7), False),
        ([3, -1], (4,), False),
        ([-1, 3, 3], (1, 2, 3, 3), False),
        ([2, 3], (3,), False),
        ([2, 3], (6,), False),
        ([-1], (), False),
        ([-1, 3], (2, 4), False),
    ],
)
def test_fed_values_with_fewer_axes(static_mode: None, declared: Any, fed: Any, fits: bool) -> None:
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", declared)
        y, shape = x * 2, paddle.shape(x)
    given = {"x": np.ones(fed, np.float32)}
    if not fits:
        with pytest.raises(paddle.OpError, match="'x' is float32"):
            static.Executor().run(main, feed=given, fetch_list=[y])
        return
    found = static.Executor().run(main, feed=given, fetch_list=[y, shape])
    assert (found[0].shape, tuple(found[1].tolist())) == (fed, fed)


@pytest.mark.parametrize("shape", [[], [1], [1, 1]])
def test_gradient_with_other_shape(shape: list[int]) -> None:
    x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    assert paddle.grad([(x * x).sum()], [x], [paddle.full(shape, 2.0)])[0].numpy().tolist() == [
        8,
        12,
    ]
    paddle.autograd.backward([(x * x).sum()], [paddle.full(shape, 2.0)])
    assert x.grad.numpy().tolist() == [8, 12]
    assert paddle.grad([x * x], [x], [paddle.full([1, 2], 2.0)])[0].numpy().tolist() == [8, 12]
    with pytest.raises(paddle.OpError, match="another shape than the tensor"):
        paddle.grad([x * x], [x], [paddle.ones([3])])


def test_assign_initializer_of_another_shape() -> None:
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    layer = nn.Embedding(
        4, 3, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Assign(value))
    )
    assert layer.weight.shape == [2, 3]
    assert layer(paddle.to_tensor([1])).numpy().tolist() == [[3, 4, 5]]


@pytest.mark.parametrize("number", [3, 3.0, True, np.float32(3)])
def test_assign_number(number: Any) -> None:
    assert paddle.assign(number).shape == [1]
    assert paddle.assign(np.array(3.0, np.float32)).shape == []


@pytest.mark.parametrize("value", [np.float64(2), np.array(2.0), np.array([1.0, 2.0])])
def test_assign_float64_array_warns(value: Any) -> None:
    with pytest.warns(UserWarning, match="assign: a float64 array becomes float32"):
        made = paddle.assign(value)
    assert made.dtype == paddle.float32
    assert nn.Linear(2, 2)(paddle.ones([1, 2]) * made).dtype == paddle.float32
    assert paddle.assign(paddle.to_tensor(value)).dtype == paddle.float64
    output = paddle.zeros(np.shape(value) or [1], "float64")
    assert paddle.assign(value, output).dtype == paddle.float64


LOWEST = float(np.finfo(np.float32).min)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("avg", {"kernel_size": 1, "padding": 1}),
        ("avg", {"kernel_size": 1, "padding": 1, "exclusive": False}),
        ("avg", {"kernel_size": 2, "stride": 1, "padding": 2}),
        ("max", {"kernel_size": 1, "padding": 1}),
        ("max", {"kernel_size": 1, "stride": 1, "padding": 2}),
        ("max", {"kernel_size": 2, "stride": 1, "padding": 2}),
        ("avg", {"kernel_size": 1, "stride": 1, "padding": 2}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(no parameters|op by op)")
def test_paddings_as_large_as_the_window(
    rank: int, kind: str, config: dict[str, Any], tmp_path: Path
) -> None:
    class Pool(nn.Layer):
        def forward(self, x: Any) -> Any:
            return getattr(F, f"{kind}_pool{rank}d")(x, **config)

    x = np.random.default_rng(0).standard_normal((1, 2, *(4,) * rank)).astype(np.float32)
    found = Pool()(paddle.to_tensor(x)).numpy()
    edge = found[(0, 0, *(0,) * rank)]
    assert edge == LOWEST if kind == "max" else edge == 0 or np.isnan(edge)
    paddle.jit.save(
        Pool(), str(tmp_path / "m"), [static.InputSpec([None, 2, *(None,) * rank])], verify=False
    )
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), found, rtol=1e-5)


def test_max_pool_with_mask_outside_of_the_image() -> None:
    x = paddle.to_tensor([[[1.0, 2.0, 3.0]]], stop_gradient=False)
    out, mask = F.max_pool1d(x, 1, stride=1, padding=1, return_mask=True)
    assert mask.numpy().ravel().tolist() == [-1, 0, 1, 2, -1]
    assert out.numpy().ravel().tolist() == [LOWEST, 1, 2, 3, LOWEST]
    out.sum().backward()
    assert x.grad.numpy().ravel().tolist() == [1, 1, 1]
    out, mask = F.max_pool1d(
        paddle.arange(5, dtype="float32").reshape([1, 1, 5]), 2, 2, ceil_mode=True, return_mask=True
    )
    # with a mask Paddle leaves out ceil_mode
    assert (out.shape, mask.numpy().ravel().tolist()) == ([1, 1, 2], [1, 3])


@pytest.mark.filterwarnings("ignore:.*no parameters")
@pytest.mark.parametrize(
    ("sizes", "shape"), [([None, 3], (4, 3)), ([None, None], (4, 3)), ([None, 3], (3, 3))]
)
def test_cross_with_dynamic_axis(sizes: Any, shape: tuple[int, int], tmp_path: Path) -> None:
    class Cross(nn.Layer):
        def forward(self, a: Any, b: Any) -> Any:
            return paddle.cross(a, b)

    paddle.jit.save(Cross(), str(tmp_path / "m"), [static.InputSpec(sizes)] * 2)
    a, b = np.random.default_rng(0).random((2, *shape), np.float32)
    wanted = paddle.cross(paddle.to_tensor(a), paddle.to_tensor(b)).numpy()
    np.testing.assert_allclose(
        paddle.jit.load(str(tmp_path / "m"))(a, b).numpy(), wanted, rtol=1e-5
    )


@pytest.mark.filterwarnings("ignore:.*no parameters")
@pytest.mark.parametrize("corners", [False, True])
def test_affine_grid_with_computed_size(corners: bool, tmp_path: Path) -> None:
    class Grid(nn.Layer):
        def forward(self, theta: Any, size: Any) -> Any:
            return F.affine_grid(theta, size, align_corners=corners)

    specs = [static.InputSpec([None, 2, 3]), static.InputSpec([4], "int32")]
    paddle.jit.save(Grid(), str(tmp_path / "m"), specs)  # verified with sizes of 0 and 1 as well
    theta, size = (
        np.array([[[1, 0.5, 0], [0, 1, 0.25]]], np.float32),
        np.array([1, 1, 2, 3], np.int32),
    )
    wanted = Grid()(paddle.to_tensor(theta), paddle.to_tensor(size)).numpy()
    np.testing.assert_allclose(
        paddle.jit.load(str(tmp_path / "m"))(theta, size).numpy(), wanted, rtol=1e-5
    )


SAVES: dict[str, Callable[..., Any]] = {
    "save_inference_model": lambda path, feeds, y, exe, main: static.save_inference_model(
        path, feeds, [y], exe, program=main
    ),
    "normalize_program": lambda path, feeds, y, exe, main: static.normalize_program(
        main, feeds, [y]
    ),
    "serialize_program": lambda path, feeds, y, exe, main: static.serialize_program(
        feeds, [y], program=main
    ),
}


@pytest.mark.filterwarnings("ignore:.*no parameters")
@pytest.mark.parametrize("way", SAVES)
def test_unneeded_feed_is_rejected(static_mode: None, way: str, tmp_path: Path) -> None:
    main = static.Program()
    with static.program_guard(main):
        x, unused = static.data("x", [2]), static.data("unused", [2])
        y = x * 2
    exe = static.Executor()
    with pytest.raises(
        ValueError, match="'unused' of feed_vars doesn't exist in pruned inference program"
    ):
        SAVES[way](str(tmp_path / "m"), [x, unused], y, exe, main)
    SAVES[way](str(tmp_path / "m"), [x], y, exe, main)
