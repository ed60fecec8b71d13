"""Modules of Paddle whose names stand in the module above them here: `from paddle.fluid.layers.nn import fc` was written, too."""

from __future__ import annotations


def _rows(above: str, inner: str, names: str) -> dict[str, str]:
    return {f"{inner}.{name}": above for name in names.split()}


# A module of Paddle, without `paddle` -> the module of Oarlock that has its names.
PARENTS: dict[str, str] = {
    ".nn.layer": ".nn",
    **_rows(
        ".nn", ".nn.layer",
        "activation common container conv distance layers loss norm pooling rnn transformer vision",
    ),
    **_rows(".nn.functional", ".nn.functional", "extension input distance flash_attention"),
    **_rows(".tensor", ".tensor", "attribute random stat to_string array ops"),
}  # fmt: skip
