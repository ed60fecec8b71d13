"""Names, parameters and defaults of vision, callbacks, Model, linear algebra and Fourier transforms
are those of real Paddle.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import vision_signatures

sys.path.pop(0)
pytestmark = pytest.mark.paddle

FUNCTIONS = (
    "to_tensor hflip vflip resize pad crop center_crop affine rotate perspective to_grayscale adjust_brightness adjust_contrast "
    "adjust_saturation adjust_hue normalize erase"
).split()
ALGEBRA = (
    "complex polar real imag conj angle sgn as_complex as_real is_complex is_floating_point is_integer cross kron dist cdist dot tensordot "
    "einsum outer inner inverse cholesky eigvalsh norm mv bmm addmm matmul"
).split()
MODULES: list[tuple[str, list[str] | None]] = [
    ("vision", None),
    ("vision.models", None),
    ("vision.transforms", None),
    ("vision.transforms.functional", FUNCTIONS),
    ("vision.datasets", None),
    ("callbacks", None),
    ("", ["Model", "summary", "flops"]),
    ("utils.download", None),
    ("linalg", None),
    ("fft", None),
    ("signal", None),
    ("", ALGEBRA),
]
# What Paddle has and this has not.
MISSING = {"WandbCallback": "a writer for one company's service"}


@pytest.mark.parametrize(
    ("module", "names"), MODULES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_signatures(module: str, names: list[str] | None, paddle: Any) -> None:
    theirs = paddle.ask("signatures", module=f"paddle.{module}".rstrip("."), names=names)
    theirs = {name: value for name, value in theirs.items() if name not in MISSING}
    ours = vision_signatures.of(
        importlib.import_module(f"oarlock.{module}".rstrip(".")),
        sorted({n.split(".")[0] for n in theirs}),
    )
    assert ours == theirs
