"""DataFeeder: converts samples to the arrays that `Executor.run` is fed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core.dtype import parse_dtype
from ..core.errors import OarlockError, OpError, append_user_line
from ..core.place import Place
from ..core.tensor import Tensor
from .graph.default_programs import default_main_program
from .graph.program import Program


class DataFeeder:
    """Converts batches of samples to the argument `feed` of `Executor.run`.

    Parameters
    ----------
    feed_list : list of Variable or str
        Variables, or names of variables of `program`.
    place : Place, optional
        Not used.
    program : Program, optional
        Default: the main program.

    Raises
    ------
    TypeError
        If an element of `feed_list` is neither a Variable nor a name.
    OarlockError
        If a variable holds packed sequences (LoD).

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     label = paddle.static.data("label", [None, 1], "int64")
    >>> feeder = paddle.static.DataFeeder([x, label])
    >>> feed = feeder.feed([([1, 2], 0), ([3, 4], 1)])
    >>> feed["x"].tolist(), feed["label"].tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [[0], [1]])
    >>> paddle.disable_static()
    """

    def __init__(
        self,
        feed_list: Sequence[Tensor | str],
        place: Place | None = None,
        program: Program | None = None,
    ) -> None:
        block = (default_main_program() if program is None else program).global_block()
        self.feed_vars: list[Any] = [block.var(v) if isinstance(v, str) else v for v in feed_list]
        for variable in self.feed_vars:
            if not isinstance(variable, Variable):
                raise TypeError(
                    append_user_line(
                        f"DataFeeder: {type(variable).__name__} is neither a Variable nor a name"
                    )
                )
            if variable.lod_level:
                why = "holds sequences of different lengths packed in one tensor"
                raise OarlockError(
                    append_user_line(f"DataFeeder: '{variable.name}' {why}; pad them")
                )
        self.place = place

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Convert a batch of samples to arrays.

        Parameters
        ----------
        iterable : list of samples
            A sample is a tuple or list with one value per variable of `feed_list`. Values are cast
            to the dtype of the variable, and reshaped to its shape without the batch axis.

        Returns
        -------
        dict of str to ndarray [batch, *]
            By the names of the variables.

        Raises
        ------
        OpError
            If a sample has another number of values or another shape.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2], "float32")
        >>> paddle.static.DataFeeder(["x"], program=main).feed([([1, 2],)])
        {'x': array([[1., 2.]], dtype=float32)}
        >>> paddle.disable_static()
        """
        rows = [tuple(row) for row in iterable]
        for i, row in enumerate(rows):
            if len(row) != len(self.feed_vars):
                names = [v.name for v in self.feed_vars]
                raise OpError(
                    append_user_line(
                        f"DataFeeder: sample {i} has {len(row)} values; feed_list has {names}"
                    )
                )
        return {
            v.name: self._make_batch_array(v, [row[i] for row in rows])
            for i, v in enumerate(self.feed_vars)
        }

    @staticmethod
    def _make_empty_batch_array(variable: Variable) -> Any:
        """Return the array of a variable for a batch without samples: 0 rows."""
        return np.zeros(
            [0, *(max(d, 0) for d in variable.raw.shape[1:])], parse_dtype(variable.raw.dtype).np
        )

    def _make_batch_array(self, variable: Variable, values: list[Any]) -> Any:
        if not values:
            return self._make_empty_batch_array(variable)
        sizes = variable.raw.shape[1:]
        arrays = [np.asarray(v, parse_dtype(variable.raw.dtype).np) for v in values]
        has_sample_shape = bool(sizes) and sum(d < 0 for d in sizes) <= 1
        try:
            return np.stack([a.reshape(sizes) if has_sample_shape else a for a in arrays])
        except ValueError:
            shapes = sorted({a.shape for a in arrays})
            raise OpError(
                append_user_line(
                    f"DataFeeder: '{variable.name}' is {variable.meta}, "
                    f"samples have the shapes {shapes}"
                )
            ) from None

    def decorate_reader(
        self,
        reader: Any,
        multi_devices: bool = False,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Any:
        """Return a reader that yields `feed(batch)` for each batch of another reader.

        Parameters
        ----------
        reader : callable
            ``reader()`` returns an iterable of batches.
        multi_devices : bool, default False
            Not used.
        num_places : int, optional
            Not used.
        drop_last : bool, default True
            Not used.

        Returns
        -------
        callable

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2], "float32")
        >>> feeder = paddle.static.DataFeeder([x])
        >>> reader = feeder.decorate_reader(lambda: [[([1, 2],)], [([3, 4],)]])
        >>> [feed["x"].tolist() for feed in reader()]
        [[[1.0, 2.0]], [[3.0, 4.0]]]
        >>> paddle.disable_static()
        """

        def iter_feed_dicts() -> Any:
            for batch in reader():
                yield self.feed(batch)

        return iter_feed_dicts
