"""Write signatures.json here and in nn/: public names and signatures of Paddle.

Run in Paddle's environment: python make_signatures.py
"""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import paddle

HERE = Path(__file__).parent
MODULES = [
    *("", "optimizer", "optimizer.lr", "io", "metric", "distribution", "static", "static.nn"),
    *("quantization", "quantization.observers", "quantization.quanters"),
]
LAYERS = [
    *("nn", "nn.functional", "nn.initializer", "nn.utils", "vision.ops", "geometric"),
    *("nn.quant", "nn.quant.functional_layers", "nn.quant.quant_layers"),
]
# Names that users import although `__all__` lacks them.
MORE_NAMES = {
    "quantization": """AbsmaxQuantizer BaseQuantizer HistQuantizer ImperativePTQ
        ImperativeQuantAware KLQuantizer PTQConfig PTQRegistry PerChannelAbsmaxQuantizer
        default_ptq_config""",
    "nn.quant": "QuantStub",
    "nn.quant.functional_layers": """FloatFunctionalLayer add concat divide flatten matmul multiply
        reshape subtract transpose""",
}
Names = dict[str, Any]


def shown(default: Any) -> Any:
    """Return a default as a JSON value."""
    if isinstance(default, (list, tuple)):
        return [shown(d) for d in default]
    plain = default is None or isinstance(default, (bool, int, float, str))
    return default if plain else getattr(default, "__name__", type(default).__name__)


def parameters(function: Any) -> list[Any] | None:
    """Return the parameter names with their defaults; None if Python does not know them."""
    try:
        found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        return None
    return [[p.name, *([] if p.default is p.empty else [shown(p.default)])] for p in found]


def entry(value: Any) -> list[Any] | None:
    """Return the record of a class or function; None for other values."""
    return (
        parameters(value.__init__ if inspect.isclass(value) else value) if callable(value) else None
    )


def layer(value: Any) -> Any:
    """Return the record of a possible layer, including its forward."""
    if not inspect.isclass(value):
        return entry(value)
    forward = {"forward": parameters(value.forward)} if hasattr(value, "forward") else {}
    return {"init": parameters(value.__init__), **forward}


def public(name: str) -> Names:
    """What a module of Paddle offers."""
    module = importlib.import_module(f"paddle.{name}") if name else paddle
    names = [*module.__all__, *MORE_NAMES.get(name, "").split()]
    return {n: getattr(module, n) for n in sorted(names)}


def write(path: Path, found: dict[str, Names]) -> None:
    """A line a name."""
    blocks = []
    for module, names in found.items():
        lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(e)}" for n, e in names.items())
        blocks.append(f"{json.dumps(module)}: {{\n{lines}\n}}")
    path.write_text("{\n" + ",\n".join(blocks) + "\n}\n")


def main() -> None:
    """Both files."""
    found = {name: {n: entry(v) for n, v in public(name).items()} for name in MODULES}
    methods = [n for n in dir(paddle.Tensor) if not n.startswith("_")]
    found["Tensor"] = {n: entry(getattr(paddle.Tensor, n)) for n in methods}
    write(HERE / "signatures.json", found)
    layers = {
        name: {n: layer(v) for n, v in public(name).items() if callable(v)} for name in LAYERS
    }
    write(HERE / "nn" / "signatures.json", layers)


if __name__ == "__main__":
    main()
