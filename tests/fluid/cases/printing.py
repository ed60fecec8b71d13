"""Printed values and variables, character by character."""

import numpy as np

from .common import numbers


def letters(text):
    """A text as an array."""
    return np.array([ord(c) for c in text], "int32")


def case_values(fluid):
    arrays = {
        "a": np.arange(6).reshape(2, 3).astype("float32"), "b": numbers(3, 4), "c": np.array([1e-8, 1e10, -3.25, np.nan, np.inf, 0.1], "float32"),
        "d": np.array([[1], [-2]], "int64"), "e": np.array([True, False]), "f": numbers(2, 2, dtype="float64"), "g": np.array([7], "int32"),
        "h": np.array([123456.789, 1234567.0, 0.0001, 0.00001], "float64"), "i": np.array([3], "uint8"),
    }  # fmt: skip
    with fluid.dygraph.guard():
        return {
            name: letters(str(fluid.dygraph.to_variable(array, name=name)))
            for name, array in arrays.items()
        }


def case_variables_that_somebody_made(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        block, array = main.global_block(), fluid.core.VarDesc.VarType.LOD_TENSOR_ARRAY
        made = [
            block.create_var(name="a", shape=[2, 3], dtype="float32"),
            block.create_var(name="b", shape=[2], dtype="int64", lod_level=0, persistable=False),
            block.create_var(name="c", shape=[-1, 1], dtype="int64", lod_level=1),
            block.create_var(name="d", shape=[1], dtype="float32", persistable=True),
            block.create_var(name="e"),
            block.create_var(name="f", dtype="float64"),
            block.create_var(name="g", dtype="float32", type=array),
            fluid.layers.create_tensor("float32"),
            fluid.layers.create_global_var([1], 1.0, "float32"),
            main.clone().global_block().var("a"),
        ]
        x = fluid.data("x", [2, 3])
        for kind in ("relu", "mean"):
            made.append(block.create_var(name=kind))
            block.append_op(type=kind, inputs={"X": x}, outputs={"Out": made[-1]})
        texts = [str(v) for v in made]
        made[0].persistable = True
        made[0].persistable = False
        return [letters(t) for t in [*texts, str(made[0]), made[8].name]]


def case_parameter(fluid):
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        layer = fluid.dygraph.Linear(2, 2)
        layer.weight.set_value(np.array([[0.5, -1.5], [2.0, 3.25]], "float32"))
        first = fluid.dygraph.to_variable(np.ones([1], "float32"))
        texts = [
            str(layer.weight),
            str(layer.bias),
            first.name,
            str(layer.weight.dtype),
            str(first.dtype),
            str(layer.weight.shape),
        ]
        return [letters(t) for t in texts]


def case_variables(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 3])
        image = fluid.layers.data("image", [1, 28, 28])
        words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
        made = fluid.layers.fc(x, 4, act="relu")
        weight = main.global_block().all_parameters()[0]
        return [letters(str(v)) for v in (x, image, words, made, weight)] + [
            letters(str(x.shape)),
            letters(str(x.dtype)),
        ]
