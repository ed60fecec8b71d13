"""`oarlock serve`."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Mapping
from typing import Any

from ..core.errors import OpError
from ..core.log import configure_logging

_REQUIRED_PACKAGES = ("starlette", "uvicorn", "prometheus_client")


def serve_models(
    models: list[str],
    host: str,
    port: int,
    allow_remote: bool,
    access_log: bool,
    limits: Mapping[str, Any],
    **options: Any,
) -> int:
    """Serve models until SIGINT or SIGTERM.  Returns the exit code.

    models: PREFIX or NAME=PREFIX.
    limits: the fields of serving.request_body.RequestLimits.
    options: of the engine.
    """
    missing = [name for name in _REQUIRED_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise OpError(
            f"serve: missing packages: {', '.join(missing)} (pip install 'oarlock[serve]')"
        )
    from ..serving.request_body import RequestLimits  # noqa: PLC0415 - an extra
    from ..serving.served_model import ServedModel  # noqa: PLC0415
    from ..serving.server import check_bind_address_is_local_or_allowed, serve  # noqa: PLC0415

    configure_logging(default="info")
    if not access_log:
        logging.getLogger("oarlock.access").setLevel(logging.CRITICAL)
    check_bind_address_is_local_or_allowed(host, allow_remote)
    return serve(
        [ServedModel(*parse_model_argument(text), **options) for text in models],
        host,
        port,
        RequestLimits(**limits),
    )


def parse_model_argument(text: str) -> tuple[str, str]:
    """Split NAME=PREFIX into (prefix, name); the name is '' if the argument is only a prefix."""
    name, equals, prefix = text.partition("=")
    return (prefix, name) if equals and "/" not in name else (text, "")
