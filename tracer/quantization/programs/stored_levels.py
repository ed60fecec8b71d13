"""Store the levels of weights that were quantized before as int8: Paddle, and `jit.save` after
`QAT.convert` or `PTQ.convert`, store them as float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .model import Dataflow, ProgramWithValues


def store_levels_as_int8(model: ProgramWithValues) -> tuple[ProgramWithValues, int]:
    """Return a model in which float32 constants that hold int8 levels, and that only
    `dequantize_linear` ops read, are stored as int8; and the number of these constants.
    """
    model = model.copy()
    flow = Dataflow(model.program)
    ops = model.program.block.ops
    renamed: dict[str, str] = {}
    for name, array in list(model.values.items()):
        readers = [ops[i] for i in flow.readers.get(name, ())]
        if (
            readers
            and name not in flow.inner_names
            and flow.is_constant(name, model.values)
            and all(op.type == "dequantize_linear" and op.inputs["X"] == [name] for op in readers)
            and _are_int8_levels(array)
        ):
            renamed[name] = model.add_constant(name + ".quantized", array.astype(np.int8))
            for op in readers:
                op.inputs["X"] = [renamed[name]]
    model.drop_unused_variables()
    return model, len(renamed)


def _are_int8_levels(array: Any) -> bool:
    limits = np.iinfo(np.int8)
    return bool(
        array.dtype == np.float32
        and array.ndim > 1
        and array.size
        and array.min() >= limits.min
        and array.max() <= limits.max
        and np.array_equal(array, np.rint(array))
    )
