"""The examples in docstrings run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import oarlock
from oarlock import nn

PACKAGES = ["oarlock.quantization", "oarlock.nn.quant"]
MODULES = sorted(
    info.name
    for package in PACKAGES
    for info in pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    oarlock.seed(0)
    failed, _ = doctest.testmod(
        import_module(name),
        extraglobs={"paddle": oarlock, "nn": nn, "np": np},
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    assert failed == 0
