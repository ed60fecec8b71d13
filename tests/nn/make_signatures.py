"""Write signatures.json: names and signatures in paddle.nn and around it.   Run in Paddle's environment: python make_signatures.py"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import paddle

MODULES = ["nn", "nn.functional", "nn.initializer", "nn.utils", "vision.ops", "geometric"]


def shown(default: Any) -> Any:
    """A default as JSON holds it."""
    if isinstance(default, (list, tuple)):
        return [shown(d) for d in default]
    return (
        default
        if default is None or isinstance(default, (bool, int, float, str))
        else getattr(default, "__name__", repr(default))
    )


def parameters(function: Any) -> list[Any]:
    """Names of parameters, with the default where there is one."""
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return [[p.name, *([] if p.default is p.empty else [shown(p.default)])] for p in found]


def entry(value: Any) -> Any:
    """What is known of a class or function."""
    if not inspect.isclass(value):
        return parameters(value)
    return {
        "init": parameters(value.__init__),
        **({"forward": parameters(value.forward)} if hasattr(value, "forward") else {}),
    }


def main() -> None:
    found = {}
    for name in MODULES:
        module = paddle
        for part in name.split("."):
            module = getattr(module, part)
        found[name] = {n: entry(getattr(module, n)) for n in sorted(module.__all__) if callable(getattr(module, n))}
    text = ",\n".join(
        f"{json.dumps(m)}: {{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(e)}" for n, e in names.items()) + "\n}" for m, names in found.items()
    )  # fmt: skip
    Path(__file__).with_name("signatures.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
