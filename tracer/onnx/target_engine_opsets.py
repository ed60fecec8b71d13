"""The newest opset that each version of ONNX Runtime, TensorRT and OpenVINO reads.

Source: their release notes and support tables.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..core.errors import OpError

DEFAULT_OPSET = 17  # the first opset with LayerNormalization; all current engines read opset 17
NEWEST_OPSET = 21

# (first version, newest opset that it reads)
_OPSETS: dict[str, list[tuple[tuple[int, int], int]]] = {
    "ort": [
        ((1, 7), 13),
        ((1, 8), 14),
        ((1, 9), 15),
        ((1, 11), 16),
        ((1, 12), 17),
        ((1, 14), 18),
        ((1, 15), 19),
        ((1, 17), 20),
        ((1, 18), 21),
    ],
    "trt": [((8, 0), 13), ((8, 4), 16), ((8, 5), 17), ((10, 0), 20), ((10, 5), 21)],
    "openvino": [
        ((2022, 1), 15),
        ((2023, 0), 17),
        ((2023, 2), 18),
        ((2024, 0), 20),
        ((2024, 3), 21),
    ],
}
_ALIASES = {"onnxruntime": "ort", "tensorrt": "trt", "ov": "openvino"}
_TARGET = re.compile(
    r"(?P<name>[a-z]+)\s*(?:(?:>=|==)\s*(?P<major>\d+)(?:\.(?P<minor>\d+))?[\d.]*)?$"
)


class TargetEngine(NamedTuple):
    """An engine that must be able to read the exported file, and the lowest version of the engine.
    None stands for any version in the table.
    """

    name: str
    version: tuple[int, int] | None


def parse_target_engines(text: str) -> list[TargetEngine]:
    """Parse a list of targets such as `ort>=1.15,trt>=8.6,openvino`.

    Raises OpError for a name or version that is not in the table.
    """
    return [_parse_target_engine(part.strip()) for part in text.split(",") if part.strip()]


def _parse_target_engine(text: str) -> TargetEngine:
    match = _TARGET.match(text.lower())
    name = _ALIASES.get(match["name"], match["name"]) if match else ""
    if match is None or name not in _OPSETS:
        raise OpError(
            f"export: target {text!r} is not one of {', '.join(_OPSETS)}, as in 'ort>=1.15'"
        )
    if match["major"] is None:
        return TargetEngine(name, None)
    version = (int(match["major"]), int(match["minor"] or 0))
    if version < (oldest := _OPSETS[name][0][0]):
        raise OpError(
            f"export: target {name} {version[0]}.{version[1]} is older than the oldest supported "
            f"version, {oldest[0]}.{oldest[1]}"
        )
    return TargetEngine(name, version)


def newest_common_opset(targets: list[TargetEngine]) -> int:
    """Return the newest opset that all targets read."""
    return min((_newest_opset_of(t) for t in targets), default=NEWEST_OPSET)


def _newest_opset_of(target: TargetEngine) -> int:
    table = _OPSETS[target.name]
    if target.version is None:
        return table[0][1]
    return max(opset for version, opset in table if version <= target.version)
