"""Record which first operands real Paddle 1.8.5 rejects with a TypeError: asked_1_8_5.json.

    PYTHON_OF_PADDLE_1_8_5 tests/fluid/make_asked.py

Runs on Python 3.7, under the real package.
"""

import inspect
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "asked_1_8_5.json")
GIVEN = {"size": 3, "act": None, "dtype": "float32", "shape": [2, 3], "num_filters": 2}
ALIKE = ("y", "label", "index", "weight")


def operands(fluid):
    """Return invalid and unusual operands by description."""
    return {
        "int": lambda: 1,
        "array": lambda: np.ones((2, 3), "float32"),
        "str": lambda: "abc",
        "int32": lambda: fluid.data("i", [2, 3], "int32"),
        "bool": lambda: fluid.data("b", [2, 3], "bool"),
        "float32": lambda: fluid.data("f", [2, 3], "float32"),
    }


def layers(fluid):
    """Iterate over the layers that accept a variable, and their required arguments."""
    for name in sorted(fluid.layers.__all__):
        layer = getattr(fluid.layers, name)
        if callable(layer) and not isinstance(layer, type):
            plain = [
                p
                for p in inspect.signature(layer).parameters.values()
                if p.kind == p.POSITIONAL_OR_KEYWORD
            ]
            if plain:
                yield name, [p.name for p in plain[1:] if p.default is p.empty]


def rejected(fluid):
    """`layer/operand` of each TypeError, with its text."""
    found = {}
    for name, needed in layers(fluid):
        for kind, make in operands(fluid).items():
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                more = [GIVEN.get(n, make() if n in ALIKE else 1) for n in needed]
                try:
                    getattr(fluid.layers, name)(make(), *more)
                except TypeError as error:
                    found[name + "/" + kind] = str(error).strip()
                except Exception:
                    continue
    return found


def main():
    """Write the file."""
    from paddle import fluid

    kept = sorted(place for place, text in rejected(fluid).items() if text.startswith("The "))
    with open(FILE, "w") as file:
        json.dump(kept, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
