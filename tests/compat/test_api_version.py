"""Detection of the Paddle version for which a source was written."""

from __future__ import annotations

import pytest

from oarlock.compat.api_version import detect_from_source, parse_version_unless_auto
from oarlock.core.errors import OarlockError

SOURCES = {
    "1.8.5": [
        "import paddle.fluid as fluid",
        "import paddle\nimport paddle.fluid as fluid\nr = paddle.batch(paddle.dataset.mnist.train(), 8)",
        "from paddle import fluid\n",
        "from paddle.fluid.dygraph import Linear\nimport paddle\nprint(paddle.__version__)\npaddle.reader.shuffle(r, 5)",
        "def f():\n    import paddle.fluid as fluid\n",
    ],
    "2.4.2": [
        "import paddle\nimport paddle.fluid as fluid\npaddle.enable_static()",
        "import paddle.fluid as fluid\nimport paddle.nn as nn",
        "import paddle.fluid as fluid\nfrom paddle import nn",
        "import paddle\nx = paddle.to_tensor([1.])\npaddle.fluid.layers.mean(x)",
        "import paddle\nprint(avg_loss.numpy()[0])",
    ],
    "2.6.2": [
        "import paddle\npaddle.to_tensor(1.)",
        "from paddle.vision.models import resnet18",
        "import paddle\nprint(x.numpy()[0])",
    ],
}


@pytest.mark.parametrize(
    ("version", "text"), [(v, t) for v, texts in SOURCES.items() for t in texts]
)
def test_detect_from_source(version: str, text: str) -> None:
    found = detect_from_source(text)
    assert found is not None and found.version == version


@pytest.mark.parametrize(
    "text",
    ["import numpy", "# import paddle later", "import paddlehub", "x = 'import paddle.fluid'"],
)
def test_source_without_paddle_has_no_version(text: str) -> None:
    assert detect_from_source(text) is None


@pytest.mark.parametrize(
    ("text", "version", "has_zero_dim", "static"),
    [
        ("1.8", "1.8.5", False, True),
        ("1", "1.8.5", False, True),
        ("1.5.2", "1.5.2", False, True),
        ("2.0", "2.0.0", False, False),
        ("2.4", "2.4.2", False, False),
        ("2.5", "2.5.2", True, False),
        ("2", "2.6.2", True, False),
        ("2.0.0-rc1", "2.0.0-rc1", False, False),
    ],
)
def test_parse_version(text: str, version: str, has_zero_dim: bool, static: bool) -> None:
    api_version = parse_version_unless_auto(text)
    assert api_version is not None
    assert (
        api_version.version,
        api_version.has_zero_dim_tensors,
        api_version.is_static_by_default,
    ) == (
        version,
        has_zero_dim,
        static,
    )


@pytest.mark.parametrize(
    "said", ["new", "0.9", "2.x", "", "1.9", "2.7", "3.9", "4", "2rc1", "2-rc1", "2.6rc1"]
)
def test_invalid_versions_are_rejected(said: str) -> None:
    with pytest.raises(OarlockError, match="is not a version of Paddle"):
        parse_version_unless_auto(said)


def test_auto_is_no_version() -> None:
    assert parse_version_unless_auto("auto") is None and parse_version_unless_auto(None) is None
