"""Readers that feed the runs of a program: `fluid.layers.py_reader` and similar."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import unique_name
from ...core.errors import append_user_line
from ...core.mode import state
from ...core.tensor import Tensor
from ...loader.pdiparams import load_params
from ...static import py_func
from ..framework import data
from ..io.generator_loader import PyReader
from .layer_utils import deprecated_layer

__all__ = ["create_py_reader_by_data", "double_buffer", "load", "py_reader", "read_file"]


class Reader(PyReader):
    """The result of `py_reader`. decorate_paddle_reader or decorate_tensor_provider set the source;
    start and reset begin and end an epoch.

    Each run of the program takes a batch; after the last one it raises core.EOFException.
    """

    def __init__(self, feed_list: list[Any], capacity: int, name: str) -> None:
        super().__init__(feed_list, capacity, iterable=False)
        self.name = name

    @property
    def variables(self) -> list[Any]:
        """The variables to which the batches of the reader are assigned."""
        return self._feed_list


@deprecated_layer("paddle.io.DataLoader")
def py_reader(
    capacity: int,
    shapes: Any,
    dtypes: Any,
    lod_levels: Any = None,
    name: str | None = None,
    use_double_buffer: bool = True,
) -> Reader:
    """Create a reader and the variables of its batches, which read_file returns."""
    scope = unique_name.generate("read_file")
    levels = [0] * len(shapes) if lod_levels is None else lod_levels
    variables = [
        data(unique_name.generate(f"{scope}.tmp"), list(shape), dtype, level)
        for shape, dtype, level in zip(shapes, dtypes, levels, strict=True)
    ]
    return Reader(variables, capacity, name or unique_name.generate("create_py_reader"))


@deprecated_layer("paddle.io.DataLoader")
def create_py_reader_by_data(
    capacity: int, feed_list: Any, name: str | None = None, use_double_buffer: bool = True
) -> Reader:
    """Create a reader whose batches are assigned to the variables in feed_list; read_file returns
    these variables.
    """
    if not isinstance(feed_list, list):
        raise TypeError(
            append_user_line(
                f"create_py_reader_by_data: feed_list must be a list of Variable, not "
                f"{type(feed_list).__name__}"
            )
        )
    return Reader(feed_list, capacity, name or unique_name.generate("create_py_reader"))


@deprecated_layer("paddle.io.DataLoader")
def double_buffer(reader: Any, place: Any = None, name: str | None = None) -> Any:
    """Return the reader unchanged: batches are in memory already."""
    return reader


@deprecated_layer("paddle.io.DataLoader")
def read_file(reader: Reader) -> Any:
    """Return the variables to which the batches of a reader are assigned: the variable itself if
    there is one, else a list.
    """
    variables = reader.variables
    return variables[0] if len(variables) == 1 else variables


def load(out: Any, file_path: str, load_as_fp16: bool | None = None) -> None:
    """Set a variable, in each run of the program, to the value in a file of save_vars.

    load_as_fp16: round to half precision

    The newer name is `paddle.load`.
    """

    def value() -> Any:
        array = np.asarray(load_params(file_path, ["out"])["out"])
        return array.astype(np.float16) if load_as_fp16 else array

    if state.mode.program_builder is None:
        out.set_value(Tensor(value()))
    else:
        py_func(value, [], out)
