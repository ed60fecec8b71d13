"""Logging: the loggers `oarlock.*` of Python's `logging`, and OARLOCK_LOG, which sets their level
and format. The C++ library and oarlock-runner read the same variable.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any

# Names of the levels, of which the C++ library writes the same; `debug` is another name of
# `verbose`.
_LEVELS = {
    "verbose": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
_LEVEL_NAMES = {number: name for name, number in _LEVELS.items() if name != "debug"}
_FIELDS = "oarlock_fields"  # attribute of a log record with further values for the JSON format


def log_with_fields(logger: logging.Logger, level: int, message: str, **fields: Any) -> None:
    """Write a log message. The JSON format also contains `fields` as members of its own."""
    logger.log(level, "%s", message, extra={_FIELDS: fields})


class _TextFormatter(logging.Formatter):
    """Format a record as `[level] logger: message`, as the C++ library does."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, followed by the traceback of its exception."""
        text = f"[{_level_name(record)}] {record.name}: {record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class _JsonFormatter(logging.Formatter):
    """Format a record as one JSON object in one line, as the C++ library does."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the JSON object of a record."""
        entry = {
            "time": utc_timestamp(record.created),
            "level": _level_name(record),
            "source": record.name,
            "message": record.getMessage(),
        }
        entry |= getattr(record, _FIELDS, {})
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)


def utc_timestamp(seconds: float | None = None) -> str:
    """Return a time, by default now, as `2026-01-31T12:00:00.123Z`.  seconds: since 1970"""
    time = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _level_name(record: logging.LogRecord) -> str:
    return _LEVEL_NAMES.get(record.levelno, record.levelname.lower())


def writes_json() -> bool:
    """Whether the messages of the loggers `oarlock.*` are lines of JSON."""
    handlers = logging.getLogger("oarlock").handlers
    return any(isinstance(handler.formatter, _JsonFormatter) for handler in handlers)


def configure_logging(default: str = "") -> None:
    """Write the messages of the loggers `oarlock.*` to standard error, with the level and format in
    OARLOCK_LOG.

    OARLOCK_LOG is a level (verbose or debug, info, warning, error, off), `json`, or both separated
    by a comma: `info,json`. `json` alone means `info,json`.
    default: the level if OARLOCK_LOG does not name one; '' changes nothing without OARLOCK_LOG.
    """
    setting = os.environ.get("OARLOCK_LOG", "")
    if not setting and not default:
        return
    words = [word for word in setting.split(",") if word]
    levels = [word for word in words if word in _LEVELS]
    if len(levels) + words.count("json") < len(words) or len(levels) > 1:
        print(
            f"oarlock: OARLOCK_LOG={setting} is not one of {', '.join(_LEVELS)}, or a level and "
            f"json as info,json",
            file=sys.stderr,
        )
        words, levels = [], [default or "off"]
    level = levels[0] if levels else default or "info"
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonFormatter() if "json" in words else _TextFormatter())
    root = logging.getLogger("oarlock")
    root.handlers = [handler]
    root.setLevel(_LEVELS[level])
    root.propagate = False
