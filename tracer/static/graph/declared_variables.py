"""Variables that users declare: inputs and global variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...capture.modes import find_static_base_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import default_float_np_dtype, parse_dtype
from ...core.errors import append_user_line
from ...core.mode import require_static_graph_mode, state
from ...core.op import OPS
from ...core.type_aliases import DTypeLike
from ...ir import program as data
from ...ir.dim import Dim, NamedDimensions, split_sizes_and_dims
from .default_programs import default_main_program
from .mode import is_recording_static_graph
from .parameters import declare_persistable_and_emit_initializer


def data_input(
    name: str,
    shape: Sequence[int | str | Dim | None],
    dtype: DTypeLike | None = None,
    lod_level: int = 0,
) -> Variable:
    """Declare an input of the main program, which `Executor.run` is fed.

    Parameters
    ----------
    name : str
    shape : list or tuple of int, None, Dim or str
        None or -1 for a dynamic dimension; a Dim, or a str as its name, for a dynamic dimension
        with a name and a range.
    dtype : str or dtype, optional
        Default: ``paddle.get_default_dtype()``.
    lod_level : int, default 0
        1 for sequences of different lengths packed in one tensor.

    Returns
    -------
    Variable
        The same object if the input is declared again. ``stop_gradient`` is True.

    Raises
    ------
    TypeError
        If `name` is not a str or `shape` is not a list or tuple.
    AssertionError
        In dynamic graph mode.
    OpError
        If the name is declared with another shape or dtype, or if two dimensions of one name have
        different ranges.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", ["batch", 2], "float32")
    >>> x
    Variable(name=x, float32[?,2], stop_gradient=True)
    >>> paddle.disable_static()
    """
    require_static_graph_mode("data")
    return declare_data_input(name, shape, dtype, lod_level)


def declare_data_input(name: str, shape: Any, dtype: Any = None, lod_level: int = 0) -> Variable:
    """Declare an input of the main program in any mode, as Paddle 1.x allows; see `data_input`."""
    if not isinstance(name, str):
        raise TypeError(append_user_line(f"data: name={name!r} is not a str"))
    if not isinstance(shape, list | tuple):
        raise TypeError(
            append_user_line(f"data: shape is {type(shape).__name__}, not a list or tuple")
        )
    unnamed, dims = split_sizes_and_dims(shape)
    sizes = tuple(-1 if d is None else int(d) for d in unnamed)
    kind = parse_dtype(default_float_np_dtype() if dtype is None else dtype).name
    desc = data.VarDesc(
        name, sizes, kind, stop_gradient=True, checks_feed=True, lod_level=lod_level, dims=dims
    )
    block = default_main_program().global_block()
    if dims:  # raises an error for names with different ranges
        NamedDimensions((v.name, v.dims) for v in (*block.raw.vars.values(), desc))
    return block.declare_or_get(desc)


def create_global_var(
    shape: Sequence[int],
    value: float,
    dtype: DTypeLike | None,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Any:
    """Create a variable of the global block that is initialized with one value.

    In eager mode, return a Tensor with this value.

    Parameters
    ----------
    shape : list of int
    value : float
    dtype : str or dtype
    persistable : bool, default False
        Keep the value in the scope between runs.
    force_cpu : bool, default False
        Not used.
    name : str, optional
        Default: a generated name.

    Returns
    -------
    Variable, or Tensor in eager mode
        Of the given shape and dtype.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     counter = paddle.static.create_global_var([1], 0, "int64", persistable=True)
    ...     counter += 1
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> [executor.run(main, fetch_list=[counter])[0].tolist() for _ in range(2)]
    [[1], [1]]
    >>> paddle.disable_static()
    """
    name = unique_name.generate("global_var") if name is None else name
    sizes, kind = tuple(int(d) for d in shape), parse_dtype(dtype)
    desc = data.VarDesc(name, sizes, kind.name, persistable=persistable, stop_gradient=True)
    text = repr(int(value) if isinstance(value, bool) else value)

    def fill() -> Any:
        return OPS["fill_constant"](
            shape=list(sizes), value=float(value), str_value=text, dtype=kind.proto
        )

    if not is_recording_static_graph() and find_static_base_mode(state.mode) is None:
        tensor = fill()
        tensor.name, tensor.persistable = name, persistable
        return tensor
    return declare_persistable_and_emit_initializer(default_main_program(), desc, fill)
