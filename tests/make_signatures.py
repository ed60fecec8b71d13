"""Write signatures.json: public names and signatures of paddle.* and others.   Run in Paddle's environment: python make_signatures.py"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import paddle

MODULES = ["", "optimizer", "optimizer.lr", "io", "metric", "distribution"]


def shown(default: Any) -> Any:
    """A default as JSON holds it."""
    if isinstance(default, (list, tuple)):
        return [shown(d) for d in default]
    plain = default is None or isinstance(default, (bool, int, float, str))
    return default if plain else getattr(default, "__name__", repr(default))


def parameters(function: Any) -> list[Any] | None:
    """Names of parameters, with the default where there is one; None where Python does not know them."""
    try:
        found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return None
    return [[p.name, *([] if p.default is p.empty else [shown(p.default)])] for p in found]


def entry(value: Any) -> list[Any] | None:
    """What is known of a class or function; None for all else."""
    return parameters(value.__init__ if inspect.isclass(value) else value) if callable(value) else None


def main() -> None:
    found: dict[str, dict[str, Any]] = {}
    for name in MODULES:
        module = paddle
        for part in name.split(".") if name else []:
            module = getattr(module, part)
        found[name] = {n: entry(getattr(module, n)) for n in sorted(module.__all__)}
    methods = [n for n in dir(paddle.Tensor) if not n.startswith("_")]
    found["Tensor"] = {n: entry(getattr(paddle.Tensor, n)) for n in methods}
    text = ",\n".join(
        f"{json.dumps(m)}: {{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(e)}" for n, e in names.items()) + "\n}" for m, names in found.items()
    )  # fmt: skip
    Path(__file__).with_name("signatures.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
