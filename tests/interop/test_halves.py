"""Models that real Paddle converted to float16 are close to their float32 results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

pytestmark = pytest.mark.paddle

# `nested` comes with blocks that all name the first one as their parent.
NAMES = ["conv_net", "embedding", "encoder", "linear_relu", "loop", "lstm", "nested"]


@pytest.mark.parametrize("name", NAMES)
def test_float16_model_is_close_to_float32(
    name: str, exports: Path, paddle: Any, tmp_path: Path
) -> None:
    prefix = exports / name
    paddle.ask("halve", prefix=str(prefix), to=str(tmp_path / name))
    wanted = paddle.run(prefix, Path(f"{prefix}.npz"), "whole", ("static",))["static"]
    with np.load(f"{prefix}.npz") as held:
        given = [held[key] for key in held.files]
    layer = oarlock.jit.load(str(tmp_path / name))
    found = layer(*given)
    found = [np.asarray(t) for t in (found if isinstance(found, list | tuple) else [found])]
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(
            got.astype("float32"), want.astype("float32"), rtol=2e-2, atol=2e-2
        )
