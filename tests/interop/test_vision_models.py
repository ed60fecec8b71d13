"""Every network of paddle.vision.models: the same names and shapes, and with real Paddle's values
the same results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock.vision import models

pytestmark = pytest.mark.paddle

SMALL, FULL = [1, 3, 64, 64], [1, 3, 224, 224]
FEW = {"num_classes": 7}
BARE = {"num_classes": 0, "with_pool": False}
POOL = {"num_classes": 0}

QUICK: list[tuple[str, dict[str, Any], list[int]]] = [
    ("LeNet", {}, [2, 1, 28, 28]),
    ("LeNet", {"num_classes": 0}, [2, 1, 28, 28]),
    ("resnet18", FEW, SMALL),
    ("resnet18", BARE, SMALL),
    ("resnet18", POOL, SMALL),
    ("resnet34", FEW, SMALL),
    ("resnet50", FEW, SMALL),
    ("resnext50_32x4d", FEW, SMALL),
    ("vgg11", BARE, SMALL),
    ("vgg13", {"batch_norm": True, **POOL}, SMALL),
    ("vgg16", BARE, SMALL),
    ("vgg19", BARE, SMALL),
    ("mobilenet_v1", FEW, SMALL),
    ("mobilenet_v1", {"scale": 0.5, **FEW}, SMALL),
    ("mobilenet_v1", BARE, SMALL),
    ("mobilenet_v2", FEW, SMALL),
    ("mobilenet_v2", {"scale": 0.35, **FEW}, SMALL),
    ("mobilenet_v2", {"scale": 1.4, **POOL}, SMALL),
    ("mobilenet_v3_small", FEW, SMALL),
    ("mobilenet_v3_small", {"scale": 0.35, **FEW}, SMALL),
    ("mobilenet_v3_large", FEW, SMALL),
    ("mobilenet_v3_large", {"scale": 1.25, **BARE}, SMALL),
    ("squeezenet1_0", FEW, SMALL),
    ("squeezenet1_1", FEW, SMALL),
    ("squeezenet1_1", {"num_classes": 5, "with_pool": False}, SMALL),
    ("shufflenet_v2_x0_25", FEW, SMALL),
    ("shufflenet_v2_x0_33", FEW, SMALL),
    ("shufflenet_v2_x0_5", FEW, SMALL),
    ("shufflenet_v2_x1_0", BARE, SMALL),
    ("shufflenet_v2_x1_5", POOL, SMALL),
    ("shufflenet_v2_x2_0", FEW, SMALL),
    ("shufflenet_v2_swish", FEW, SMALL),
    ("densenet121", FEW, SMALL),
    ("densenet121", {"dropout": 0.3, **POOL}, SMALL),
    ("googlenet", FEW, FULL),
    ("googlenet", BARE, FULL),
    ("inception_v3", FEW, [1, 3, 96, 96]),
    ("inception_v3", BARE, [1, 3, 96, 96]),
]
SLOW: list[tuple[str, dict[str, Any], list[int]]] = [
    ("alexnet", FEW, FULL),
    ("alexnet", {"num_classes": 0}, SMALL),
    ("vgg11", FEW, SMALL),
    ("vgg16", {"batch_norm": True, **FEW}, SMALL),
    *(
        (name, FEW, SMALL)
        for name in "resnet101 resnet152 resnext50_64x4d resnext101_32x4d resnext101_64x4d".split()
    ),
    *(
        (name, FEW, SMALL)
        for name in "resnext152_32x4d resnext152_64x4d wide_resnet50_2 wide_resnet101_2".split()
    ),
    *((name, FEW, SMALL) for name in "densenet161 densenet169 densenet201 densenet264".split()),
]


def test_every_network_is_compared() -> None:
    factories = {
        name for name in vars(models) if name[0].islower() and callable(getattr(models, name))
    } | {"LeNet"}
    assert factories == {name for name, _, _ in QUICK + SLOW}


@pytest.mark.parametrize(("name", "settings", "shape"), QUICK)
def test_results_with_weights_of_paddle(
    name: str, settings: dict[str, Any], shape: list[int], paddle: Any, tmp_path: Path
) -> None:
    compare_with_paddle(name, settings, shape, paddle, tmp_path)


@pytest.mark.slow
@pytest.mark.one_in(3, 0)
@pytest.mark.parametrize(("name", "settings", "shape"), SLOW)
def test_results_of_large_networks_with_weights_of_paddle(
    name: str, settings: dict[str, Any], shape: list[int], paddle: Any, tmp_path: Path
) -> None:
    compare_with_paddle(name, settings, shape, paddle, tmp_path)


def compare_with_paddle(
    name: str, settings: dict[str, Any], shape: list[int], paddle: Any, tmp_path: Path
) -> None:
    """Compare the results of a network with those of real Paddle, which made its weights."""
    path = str(tmp_path / "m")
    theirs = paddle.ask("vision_model", name=name, settings=settings, shape=shape, path=path)
    net = getattr(models, name)(**settings)
    assert [[key, value.shape] for key, value in net.state_dict().items()] == [
        [k, s] for k, s, _ in theirs
    ]
    assert net.set_state_dict(oar.load(path + ".pdparams")) == ([], [])
    net.eval()
    with np.load(path + ".npz") as held:
        x, *wanted = (held[n] for n in held.files)
    with oar.no_grad():
        found = net(oar.to_tensor(x))
    for got, want in zip(found if isinstance(found, list) else [found], wanted, strict=True):
        scale = float(np.abs(want).max())
        np.testing.assert_allclose(got.numpy() / scale, want / scale, atol=2e-5)
