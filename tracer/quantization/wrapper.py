"""ObserveWrapper."""

from __future__ import annotations

from typing import Any

from ..nn.layer import Layer


class ObserveWrapper(Layer):
    """A layer with an observer or quanter of its input, or of its output.

    observe_input: whether it observes the input; otherwise the output.
    """

    def __init__(self, observer: Any, observed: Layer, observe_input: bool = True) -> None:
        super().__init__()
        self._observer = observer
        self._observed = observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the layer; the observer gets the first input, or the output."""
        if not self._observe_input:
            return self._observer(self._observed(*inputs, **kwargs))
        first, *rest = inputs
        return self._observed(self._observer(first), *rest, **kwargs)
