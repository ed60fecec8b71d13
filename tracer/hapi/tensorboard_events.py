"""Write scalars to TensorBoard event files.

A file is a sequence of records: length (uint64), masked CRC-32C of the length, data, masked CRC-32C
of the data. The data is a protobuf message Event; comments name its fields where they are written.
"""

from __future__ import annotations

import math
import os
import socket
import struct
import time
from typing import Any

from .callbacks import Callback, Logs

__all__ = ["EventWriter", "TensorBoard", "VisualDL", "crc32c"]

_MAX_FLOAT32 = 2.0**128 - 2.0**104


def _crc_table() -> list[int]:
    """Return the CRC-32C remainder of each byte (Castagnoli polynomial, reflected)."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)  # noqa: PLW2901 - in-place division
        table.append(value)
    return table


_CRC_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes (RFC 3720, appendix B.4)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _masked_crc(data: bytes) -> bytes:
    """Return the masked CRC of TensorBoard's file format: the CRC-32C rotated by 15 bits, plus a
    constant.
    """
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _encode_bytes_field(field: int, data: bytes) -> bytes:
    return _encode_varint(field << 3 | 2) + _encode_varint(len(data)) + data


class EventWriter:
    """Writes an event file to `log_dir`; creates the folder."""

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        os.makedirs(log_dir, exist_ok=True)
        stem = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        number = sum(name.startswith(stem) for name in os.listdir(log_dir))
        self.path = os.path.join(log_dir, f"{stem}.{number}")
        self._file = open(self.path, "xb")  # noqa: SIM115 - closed by close()
        self._write(_encode_bytes_field(3, b"brain.Event:2"))  # file_version

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        """Write the value of `tag` at `step`."""
        if abs(value) > _MAX_FLOAT32:  # struct.pack would raise OverflowError
            value = math.copysign(math.inf, value)
        # Protobuf fields. Summary.Value: 1 tag, 2 simple_value; Event: 2 step, 5 summary, whose
        # field 1 are the values
        inner = _encode_bytes_field(1, tag.encode()) + struct.pack("<Bf", 2 << 3 | 5, value)
        self._write(
            _encode_varint(2 << 3)
            + _encode_varint(step)
            + _encode_bytes_field(5, _encode_bytes_field(1, inner))
        )

    def _write(self, fields: bytes) -> None:
        data = struct.pack("<Bd", 1 << 3 | 1, time.time()) + fields  # 1 wall_time
        length = struct.pack("<Q", len(data))
        self._file.write(length + _masked_crc(length) + data + _masked_crc(data))

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class TensorBoard(Callback):
    """Write loss and metrics to TensorBoard event files.

    The tags are train/NAME, by training step from 1, and eval/NAME, by epoch from 0. Paddle has no
    such class.

    Parameters
    ----------
    log_dir : str or os.PathLike
        The folder, which is created.

    Examples
    --------
    >>> import os
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> model.fit(batches, verbose=0, callbacks=paddle.callbacks.TensorBoard("logs"))
    >>> len(os.listdir("logs"))
    1
    """

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        super().__init__()
        self.log_dir = log_dir
        self._writer: Any = None
        self._step = self._epoch = 0
        self._in_fit = False

    def _open_writer(self) -> Any:
        return EventWriter(self.log_dir)

    def _write_scalars(self, mode: str, logs: Logs, step: int) -> None:
        for name in self.params.get("metrics") or []:
            value = (logs or {}).get(name)
            value = value[0] if isinstance(value, list | tuple) else value
            if isinstance(value, int | float):
                if self._writer is None:
                    self._writer = self._open_writer()
                self._writer.add_scalar(tag=f"{mode}/{name}", value=float(value), step=step)

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def on_train_begin(self, logs: Logs = None) -> None:
        self._step, self._in_fit = 0, True

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        self._epoch = epoch

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        self._step += 1
        self._write_scalars("train", logs, self._step)

    def on_eval_end(self, logs: Logs = None) -> None:
        self._write_scalars("eval", logs, self._epoch)
        if not self._in_fit:
            self._close_writer()

    def on_train_end(self, logs: Logs = None) -> None:
        self._close_writer()
        self._in_fit = False


class VisualDL(TensorBoard):
    """Write loss and metrics with the package `visualdl`.

    If the package is missing, write TensorBoard event files, as `TensorBoard` does.

    Parameters
    ----------
    log_dir : str or os.PathLike
        The folder, which is created.

    Examples
    --------
    >>> import os
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> model.fit(batches, verbose=0, callbacks=paddle.callbacks.VisualDL("vdl"))
    >>> os.path.isdir("vdl")
    True
    """

    def _open_writer(self) -> Any:
        try:
            from visualdl import LogWriter  # noqa: PLC0415 - optional
        except ImportError:
            return super()._open_writer()
        return LogWriter(self.log_dir)
