"""What `oarlock serve` does."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from ..core.errors import OpError

_NEEDED = ("starlette", "uvicorn", "prometheus_client")


def serve_models(
    models: list[str],
    host: str,
    port: int,
    allow_remote: bool,
    limits: Mapping[str, Any],
    **options: Any,
) -> int:
    """Serve some models until a signal ends it.

    models: prefixes, or NAME=PREFIX; limits: see serving.body.Limits; options: of the engine
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise OpError(f"serve: {', '.join(missing)} are missing; pip install 'oarlock[serve]'")
    from ..serving.body import Limits  # noqa: PLC0415 - an extra
    from ..serving.served_model import Served  # noqa: PLC0415
    from ..serving.server import check_host, serve  # noqa: PLC0415

    check_host(host, allow_remote)
    return serve([Served(*named(text), **options) for text in models], host, port, Limits(**limits))


def named(text: str) -> tuple[str, str]:
    """The prefix of a model, and the name it is to have, of NAME=PREFIX; '' where it is
    not said.
    """
    name, equals, prefix = text.partition("=")
    return (prefix, name) if equals and "/" not in name else (text, "")
