"""LayerObjectHelper: a LayerHelper that is created once per layer and gets the arguments with each
call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...static.graph.mode import is_recording_static_graph
from ..layer_helper import LayerHelper

__all__ = ["LayerObjectHelper"]


class LayerObjectHelper(LayerHelper):
    """The LayerHelper of one layer object, for all calls of the layer. name: the full name of the
    layer
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, name=name)

    def _create_call_helper(self, inputs: Any, **kwargs: Any) -> LayerHelper:
        return LayerHelper(self.layer_type, name=self.name, input=inputs, **kwargs)

    def input_dtype(self, inputs_in: Any) -> Any:  # type: ignore[override]
        """Return the dtype that all inputs have. Raises ValueError if the inputs have different
        dtypes.
        """
        return self._create_call_helper(inputs_in).input_dtype()

    def iter_inputs_and_params(  # type: ignore[override]
        self, inputs_in: Any, param_attr_in: Any = None
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each input with its param_attr."""
        return self._create_call_helper(
            inputs_in, param_attr=param_attr_in
        ).iter_inputs_and_params()

    def append_activation(
        self, input_var: Any, act: str | None = None, use_cudnn: bool | None = None, **_: Any
    ) -> Any:
        """Apply the activation `act` to a variable; if `act` is None, return the variable."""
        return self._create_call_helper(input_var, act=act).append_activation(input_var)


class _Paddle2EagerRuleMixin:
    """Mixin: a LayerHelper whose ops run immediately unless a static graph program is recorded,
    independent of the modes of `fluid`.
    """

    def _is_eager(self) -> bool:
        return not is_recording_static_graph()


class _Paddle2LayerCallHelper(_Paddle2EagerRuleMixin, LayerHelper):
    """The LayerHelper of one call of a layer of Paddle 2."""


class Paddle2LayerHelper(_Paddle2EagerRuleMixin, LayerObjectHelper):
    """The LayerHelper of a layer of Paddle 2, for all of its calls."""

    def _create_call_helper(self, inputs: Any, **kwargs: Any) -> LayerHelper:
        return _Paddle2LayerCallHelper(self.layer_type, name=self.name, input=inputs, **kwargs)
