"""A Config as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config import Config


def table(config: Config) -> str:
    """Options and their values, in a frame."""
    rows = [("Option", "Value"), *[(name, _text(value)) for name, value in _rows(config)]]
    wide = [max(len(row[k]) for row in rows) for k in (0, 1)]
    line = "+" + "+".join("-" * (w + 2) for w in wide) + "+"
    body = [f"| {name:<{wide[0]}} | {value:<{wide[1]}} |" for name, value in rows]
    return "\n".join([line, body[0], line, *body[1:], line])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(config: Config) -> list[tuple[str, Any]]:
    where = (
        [("model_dir", config.model_dir())]
        if config.model_dir()
        else [("model_file", config.prog_file()), ("params_file", config.params_file())]
    )
    device: list[tuple[str, Any]] = [("use_gpu", config.use_gpu())]
    if config.use_gpu():
        device += [("gpu_device_id", config.gpu_device_id()), ("use_tensorrt", config.tensorrt_engine_enabled())]
    how = [("cpu_math_thread", config.cpu_math_library_num_threads()), ("ir_optim", config.ir_optim())]
    return [*where, *device, *how]
