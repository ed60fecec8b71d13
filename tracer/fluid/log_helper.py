"""get_logger: creates the loggers of Paddle's modules."""

from __future__ import annotations

import logging

__all__ = ["get_logger"]


def get_logger(name: str, level: int | str, fmt: str | None = None) -> logging.Logger:
    """Return a logger that writes to stderr and does not propagate. fmt: format of its messages"""
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(fmt=fmt, datefmt="%a %b %d %H:%M:%S"))
        logger.addHandler(handler)
    logger.propagate = False
    return logger
