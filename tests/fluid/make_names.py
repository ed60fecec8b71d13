"""Write down the public names of real Paddle 1.8.5's `fluid`, with their signatures:
names_1_8_5.json.

    PYTHON_OF_PADDLE_1_8_5 tests/fluid/make_names.py

Runs on Python 3.7, under the real package.
"""

import importlib
import inspect
import json
import os

import paddle.fluid  # noqa: F401

MODULES = (
    "fluid", "fluid.layers", "fluid.dygraph", "fluid.io", "fluid.optimizer", "fluid.initializer", "fluid.regularizer",
    "fluid.clip", "fluid.metrics", "fluid.nets", "fluid.backward", "fluid.unique_name", "fluid.profiler", "fluid.contrib",
    "fluid.contrib.layers", "fluid.contrib.mixed_precision", "fluid.dygraph.nn", "fluid.dygraph.base", "fluid.framework",
    "fluid.executor", "fluid.compiler", "fluid.param_attr", "fluid.data_feeder", "fluid.reader", "fluid.average", "fluid.evaluator",
)  # fmt: skip


def signature(value):
    """Parameters as text, None where Python does not know them."""
    try:
        return str(inspect.signature(value.__init__ if inspect.isclass(value) else value))
    except (TypeError, ValueError):
        return None


def members(module):
    """Return name -> [kind, signature] of the public names of a module."""
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    found = {}
    for name in sorted(set(names)):
        value = getattr(module, name, None)
        if inspect.ismodule(value):
            found[name] = ["module", None]
        elif inspect.isclass(value):
            found[name] = ["class", signature(value)]
        elif callable(value):
            found[name] = ["function", signature(value)]
        else:
            found[name] = ["value", None]
    return found


table = {}
for place in MODULES:
    try:
        table[place] = members(importlib.import_module("paddle." + place))
    except ImportError:
        print("no", place)
with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "names_1_8_5.json"), "w"
) as file:
    json.dump(table, file, indent=1, sort_keys=True)
    file.write("\n")
print({place: len(names) for place, names in table.items()})
