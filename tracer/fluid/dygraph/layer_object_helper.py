"""LayerObjectHelper: LayerHelper for layers that are objects, which tell it their arguments call by
call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...static.graph.mode import writing
from ..layer_helper import LayerHelper

__all__ = ["LayerObjectHelper"]


class LayerObjectHelper(LayerHelper):
    """Of one layer.   name: its full name"""

    def __init__(self, name: str) -> None:
        super().__init__(name, name=name)

    def _of(self, inputs: Any, **more: Any) -> LayerHelper:
        return LayerHelper(self.layer_type, name=self.name, input=inputs, **more)

    def input_dtype(self, inputs_in: Any) -> Any:  # type: ignore[override]
        """The dtype of all inputs.   Raises ValueError where they differ."""
        return self._of(inputs_in).input_dtype()

    def iter_inputs_and_params(  # type: ignore[override]
        self, inputs_in: Any, param_attr_in: Any = None
    ) -> Iterator[tuple[Any, Any]]:
        """Each input with its param_attr."""
        return self._of(inputs_in, param_attr=param_attr_in).iter_inputs_and_params()

    def append_activation(
        self, input_var: Any, act: str | None = None, use_cudnn: bool | None = None, **_: Any
    ) -> Any:
        """`act` of the variable; itself without one."""
        return self._of(input_var, act=act).append_activation(input_var)


class _Today:
    """Ops run unless a program is written by hand, whatever else fluid is asked for."""

    def _runs(self) -> bool:
        return not writing()


class _CallOfToday(_Today, LayerHelper):
    """Of one call of a layer of Paddle 2."""


class HelperOfToday(_Today, LayerObjectHelper):
    """Of one layer of Paddle 2."""

    def _of(self, inputs: Any, **more: Any) -> LayerHelper:
        return _CallOfToday(self.layer_type, name=self.name, input=inputs, **more)
