"""Programs that take their batches themselves, from a reader that is started and ends:
fluid.layers.py_reader and its kin.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import unique_name
from ...core.errors import with_user_line
from ...core.mode import state
from ...core.tensor import Tensor
from ...loader.params import load_params
from ...static import py_func
from ..framework import data
from ..io.generators import PyReader
from .helper import today

__all__ = ["create_py_reader_by_data", "double_buffer", "load", "py_reader", "read_file"]


class Reader(PyReader):
    """What `py_reader` gives: decorate_paddle_reader or decorate_tensor_provider say where batches
    come from; start and reset begin and end a pass.

    Runs of the program take a batch each; after the last one they raise core.EOFException.
    """

    def __init__(self, feed_list: list[Any], capacity: int, name: str) -> None:
        super().__init__(feed_list, capacity, iterable=False)
        self.name = name

    @property
    def variables(self) -> list[Any]:
        """What a batch is in the program."""
        return self._feed_list


@today("paddle.io.DataLoader")
def py_reader(
    capacity: int,
    shapes: Any,
    dtypes: Any,
    lod_levels: Any = None,
    name: str | None = None,
    use_double_buffer: bool = True,
) -> Reader:
    """A reader of batches of variables with these shapes and dtypes, which read_file gives."""
    scope = unique_name.generate("read_file")
    levels = [0] * len(shapes) if lod_levels is None else lod_levels
    made = [
        data(unique_name.generate(f"{scope}.tmp"), list(shape), dtype, level)
        for shape, dtype, level in zip(shapes, dtypes, levels, strict=True)
    ]
    return Reader(made, capacity, name or unique_name.generate("create_py_reader"))


@today("paddle.io.DataLoader")
def create_py_reader_by_data(
    capacity: int, feed_list: Any, name: str | None = None, use_double_buffer: bool = True
) -> Reader:
    """A reader of batches of these variables, which read_file gives."""
    if not isinstance(feed_list, list):
        raise TypeError(
            with_user_line(
                f"feed_list should be a list of Variable instead of {type(feed_list).__name__}"
            )
        )
    return Reader(feed_list, capacity, name or unique_name.generate("create_py_reader"))


@today("paddle.io.DataLoader")
def double_buffer(reader: Any, place: Any = None, name: str | None = None) -> Any:
    """The reader itself: batches are in memory already."""
    return reader


@today("paddle.io.DataLoader")
def read_file(reader: Reader) -> Any:
    """The variables of a batch: one, or a list."""
    found = reader.variables
    return found[0] if len(found) == 1 else found


def load(out: Any, file_path: str, load_as_fp16: bool | None = None) -> None:
    """Let a variable be what a file of save_vars holds, whenever the program runs.

    load_as_fp16: rounded to half precision
    """

    def value() -> Any:
        array = np.asarray(load_params(file_path, ["out"])["out"])
        return array.astype(np.float16) if load_as_fp16 else array

    if state.mode.builder is None:
        out.set_value(Tensor(value()))
    else:
        py_func(value, [], out)
