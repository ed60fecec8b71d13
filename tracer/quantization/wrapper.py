"""A layer with an observer of its input or output."""

from __future__ import annotations

from typing import Any

from ..core.dtype import is_inexact
from ..core.tensor import Tensor
from ..nn.layer import Layer


class ObserveWrapper(Layer):
    """A layer with an observer or quanter of its first input, or of its output.

    A value that is not a floating-point tensor, such as the indices of an embedding, is not
    observed.

    observe_input: whether the input is observed; otherwise the output.
    has_unobserved_value: whether a value was not observed.
    """

    has_unobserved_value = False

    def __init__(self, observer: Any, observed: Layer, observe_input: bool = True) -> None:
        super().__init__()
        self._observer = observer
        self._observed = observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the layer; the observer gets the first input, or the output."""
        if not self._observe_input:
            return self._observe(self._observed(*inputs, **kwargs))
        if not inputs:  # by name
            return self._observed(**self._observe(kwargs))
        first, *rest = inputs
        return self._observed(self._observe(first), *rest, **kwargs)

    def _observe(self, value: Any) -> Any:
        if isinstance(value, Tensor) and is_inexact(value.meta.dtype):
            return self._observer(value)
        if not self.has_unobserved_value:  # a mutation makes captured programs stale
            self.has_unobserved_value = True
        return value
