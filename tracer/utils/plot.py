"""`paddle.utils.plot.Ploter` of Paddle 1.x: training curves."""

from __future__ import annotations

import importlib
import os
from typing import Any

from ..core.errors import OarlockError, OpError, append_user_line


class Ploter:
    """Plots curves, each of which has a title.

    Requires matplotlib, and IPython to show them in a notebook. The environment variable
    DISABLE_PLOT=True disables it.
    """

    def __init__(self, *titles: str) -> None:
        self._curves: dict[str, tuple[list[Any], list[Any]]] = {title: ([], []) for title in titles}
        self._is_enabled = os.environ.get("DISABLE_PLOT") != "True"
        if self._is_enabled:
            self._plt = _import_optional_module("matplotlib.pyplot")

    def append(self, title: str, step: Any, value: Any) -> None:
        """Add a point (step, value) to the curve with this title.

        Raises OpError for an unknown title.
        """
        if title not in self._curves:
            raise OpError(
                append_user_line(f"Ploter: no curve {title!r}, only {list(self._curves)}")
            )
        steps, values = self._curves[title]
        steps.append(step)
        values.append(value)

    def plot(self, path: str | None = None) -> None:
        """Write the plot to a file, or show it in the notebook."""
        if not self._is_enabled:
            return
        curves = {title: points for title, points in self._curves.items() if points[0]}
        for steps, values in curves.values():
            self._plt.plot(steps, values)
        self._plt.legend(list(curves), loc="upper left")
        if path is not None:
            self._plt.savefig(path)
        else:
            display = _import_optional_module("IPython.display")
            display.clear_output(wait=True)
            display.display(self._plt.gcf())
        self._plt.gcf().clear()

    def reset(self) -> None:
        """Delete all points of all curves."""
        for points in self._curves.values():
            for coordinates in points:
                coordinates.clear()


def _import_optional_module(name: str) -> Any:
    """Import an optional module.

    Raises OarlockError with a hint what to install.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        problem = (
            f"requires {error.name} (pip install {error.name}); DISABLE_PLOT=True disables plots"
        )
        raise OarlockError(append_user_line(f"Ploter: {problem}")) from None
