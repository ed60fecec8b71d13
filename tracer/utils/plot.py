"""Curves of a training as it goes on: paddle.utils.plot.Ploter of 1.x, its name spelt as it was."""

from __future__ import annotations

import importlib
import os
from typing import Any

from ..core.errors import OarlockError, OpError, with_user_line


class Ploter:
    """Curves by title.

    Needs matplotlib, and IPython to show them in a notebook; none with DISABLE_PLOT=True in the
    environment
    """

    def __init__(self, *titles: str) -> None:
        self._curves: dict[str, tuple[list[Any], list[Any]]] = {title: ([], []) for title in titles}
        self._shows = os.environ.get("DISABLE_PLOT") != "True"
        if self._shows:
            self._plt = _wanted("matplotlib.pyplot")

    def append(self, title: str, step: Any, value: Any) -> None:
        """Another point of a curve.

        Raises OpError for a title that it was not made with.
        """
        if title not in self._curves:
            raise OpError(
                with_user_line(f"Ploter: there is no curve {title!r}, only {list(self._curves)}")
            )
        steps, values = self._curves[title]
        steps.append(step)
        values.append(value)

    def plot(self, path: str | None = None) -> None:
        """Write the picture to a file, or show it in the notebook."""
        if not self._shows:
            return
        drawn = {title: points for title, points in self._curves.items() if points[0]}
        for steps, values in drawn.values():
            self._plt.plot(steps, values)
        self._plt.legend(list(drawn), loc="upper left")
        if path is not None:
            self._plt.savefig(path)
        else:
            display = _wanted("IPython.display")
            display.clear_output(wait=True)
            display.display(self._plt.gcf())
        self._plt.gcf().clear()

    def reset(self) -> None:
        """Forget all points."""
        for points in self._curves.values():
            for numbers in points:
                numbers.clear()


def _wanted(name: str) -> Any:
    """A module.

    Raises OarlockError that says what to install where it is not there.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        why = (
            f"needs {error.name}, which is not installed (pip install {error.name}); "
            f"DISABLE_PLOT=True does without"
        )
        raise OarlockError(with_user_line(f"Ploter: {why}")) from None
