"""Settings of layers under the names that Paddle's layers have them by: read by those who look, and
used by forward as they are then.
"""

from __future__ import annotations

from typing import Any

from .layer import Layer


class Kept(Layer):
    """A layer whose settings are attributes."""

    def _keep(self, settings: dict[str, Any], form: str = "{}", **names: str) -> None:
        """Make attributes of settings.

        form: how a setting's attribute is called; names: those that are called otherwise
        """
        self._kept_as = {setting: names.get(setting, form.format(setting)) for setting in settings}
        for setting, name in self._kept_as.items():
            setattr(self, name, settings[setting])

    @property
    def _settings(self) -> dict[str, Any]:
        """The settings by the names that the function takes them by."""
        return {setting: getattr(self, name) for setting, name in self._kept_as.items()}
