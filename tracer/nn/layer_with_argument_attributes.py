"""Constructor arguments of layers as attributes under Paddle's names."""

from __future__ import annotations

from typing import Any

from .layer import Layer


class LayerWithArgumentAttributes(Layer):
    """A layer that exposes its constructor arguments as attributes; `forward` reads their current
    values.
    """

    def _set_argument_attributes(
        self, config: dict[str, Any], name_format: str = "{}", **names: str
    ) -> None:
        """Set an attribute for each argument.

        name_format: format of the attribute name.
        names: exceptions, attribute names by argument.
        """
        self._config_names = {key: names.get(key, name_format.format(key)) for key in config}
        for key, name in self._config_names.items():
            setattr(self, name, config[key])

    def _read_argument_attributes(self) -> dict[str, Any]:
        """Return the current values by argument name."""
        return {key: getattr(self, name) for key, name in self._config_names.items()}
