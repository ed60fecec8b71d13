"""Names and signatures equal those of PaddlePaddle 2.6.2, recorded by `make_signatures.py`."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

KNOWN: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("signatures.json").read_text()
)
# What Oarlock does not have, and why.
MISSING = {
    ("nn", "RNNTLoss"): "no kernel for the transducer's loss yet",
    ("nn.functional", "rnnt_loss"): "no kernel for the transducer's loss yet",
    ("nn.functional", "margin_cross_entropy"): "of distributed training on GPUs",
    ("nn.functional", "class_center_sample"): "of distributed training on GPUs",
    ("nn.functional", "sparse_attention"): "Paddle has it on GPUs only",
    ("vision.ops", "decode_jpeg"): "Paddle has it on GPUs only",
    ("vision.ops", "read_file"): "of use for decode_jpeg only",
    ("nn.quant.quant_layers", "QuantizedColumnParallelLinear"): "of distributed training",
    ("nn.quant.quant_layers", "QuantizedRowParallelLinear"): "of distributed training",
    ("geometric", "reindex_graph"): "no sampling of graphs",
    ("geometric", "reindex_heter_graph"): "no sampling of graphs",
    ("geometric", "sample_neighbors"): "no sampling of graphs",
    ("geometric", "weighted_sample_neighbors"): "no sampling of graphs",
}
# What differs, and why.
DIFFERENT: dict[tuple[str, str], str] = {
    ("nn.initializer", "TruncatedNormal"): "a and b, as in Paddle 3",
    ("nn.initializer", "XavierNormal"): "gain, as in Paddle 3",
    ("nn.initializer", "XavierUniform"): "gain, as in Paddle 3",
}
ALL = [(module, name) for module, names in KNOWN.items() for name in names]


def default_as_json(default: Any) -> Any:
    if isinstance(default, list | tuple):
        return [default_as_json(d) for d in default]
    plain = default is None or isinstance(default, bool | int | float | str)
    return default if plain else getattr(default, "__name__", type(default).__name__)


def parameters(function: Any) -> list[Any]:
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return [
        [p.name, *([] if p.default is p.empty else [default_as_json(p.default)])] for p in found
    ]


@pytest.mark.parametrize(
    ("module", "name"),
    [a for a in ALL if a not in MISSING and a not in DIFFERENT],
    ids=lambda word: word,
)
def test_signature(module: str, name: str) -> None:
    value = getattr(import_module(f"oarlock.{module}"), name)
    wanted = KNOWN[module][name]
    if not inspect.isclass(value):
        assert parameters(value) == wanted
        return
    assert parameters(value.__init__) == wanted["init"]
    if "forward" in wanted and module != "nn.initializer":
        assert parameters(value.forward) == wanted["forward"]


def test_missing_names_are_still_missing() -> None:
    assert [a for a in MISSING if hasattr(import_module(f"oarlock.{a[0]}"), a[1])] == []
