"""Compare the tensor statistics that two runs logged, usually one in float32 and one in float16."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..core.errors import OarlockError, append_user_line
from ..core.numerics_check import FLOAT16_MAX

_TITLES = [
    *("op_type", "tensor_name", "numel", "infinite"),
    *("dtype", "max_value", "min_value", "mean_value", "num_zero"),
    *("dtype", "max_value", "min_value", "mean_value", "num_zero", "num_inf", "num_nan"),
    *("max_value", "min_value", "mean_value"),
]
_COLUMN_GROUPS = [(4, 8, "fp32"), (9, 15, "fp16 (scale={scale})"), (16, 18, "fp16 / fp32")]
_LOG_LINE = re.compile(
    r"\[PRECISION\](?: \[ERROR\])? in \[device=(?P<device>[^,]*), op=(?P<op>[^,]*), "
    r"tensor=(?P<tensor>[^,]*), dtype=(?P<dtype>[^\]]*)\], (?P<values>.*)"
)


@dataclass
class TensorStatistics:
    """The statistics of one tensor, parsed from one line of the tensor checker's log."""

    op: str
    tensor: str
    dtype: str
    numel: int
    num_zero: int
    max: float
    min: float
    mean: float
    num_inf: int = 0
    num_nan: int = 0

    @property
    def key(self) -> str:
        """Op and tensor name without cast suffixes: corresponding lines of the two logs have the
        same key.
        """
        return f"{self.op}/{self.tensor}".replace(".cast_fp16", "").replace(".cast_fp32", "")


@dataclass
class TensorStatisticsPair:
    """The statistics of one tensor in both runs. `index` numbers the tensors that have the same
    key.
    """

    fp32: TensorStatistics | None
    fp16: TensorStatistics
    index: int
    loss_scale: float

    @property
    def is_suspicious(self) -> bool:
        """Whether float16 overflowed, a value of either run is too large for float16, or the
        extremes of a gradient differ from those of the float32 run by over 1 %.
        """
        if self.fp16.num_inf or self.fp16.num_nan:
            return True
        limits = [self.fp16.max, self.fp16.min]
        if self.fp32 is not None:
            scale = self.loss_scale if "GRAD" in self.fp32.tensor else 1.0
            limits += [self.fp32.max, self.fp32.min, scale * self.fp32.max, scale * self.fp32.min]
        if any(not abs(value) <= FLOAT16_MAX for value in limits):
            return True
        if self.fp32 is None or "GRAD" not in self.fp32.tensor:
            return False
        return not np.allclose(limits[:2], limits[4:], atol=1e-2, rtol=1e-2)


def parse_log(lines: Iterable[str]) -> list[TensorStatistics]:
    """Parse the lines that the tensor checker wrote to a log; other lines are skipped."""
    tensors = []
    for line in lines:
        match = _LOG_LINE.search(line)
        if match is None:
            continue
        pairs = (item.split("=", 1) for item in match["values"].split(",") if "=" in item)
        values = {name.strip(): value.strip() for name, value in pairs}
        try:
            numel, num_zero = int(values["numel"]), int(values["num_zero"])
            num_inf, num_nan = int(values.get("num_inf", 0)), int(values.get("num_nan", 0))
            largest, smallest, mean = (float(values[name]) for name in ("max", "min", "mean"))
        except (KeyError, ValueError) as error:
            raise OarlockError(
                append_user_line(f"compare_accuracy: malformed line {line.strip()!r}: {error}")
            ) from None
        tensors.append(
            TensorStatistics(
                match["op"],
                match["tensor"],
                match["dtype"],
                numel=numel,
                num_zero=num_zero,
                max=largest,
                min=smallest,
                mean=mean,
                num_inf=num_inf,
                num_nan=num_nan,
            )
        )
    return tensors


def pair_tensor_statistics(
    fp32: list[TensorStatistics], fp16: list[TensorStatistics], loss_scale: float
) -> list[TensorStatisticsPair]:
    """Match the n-th tensor of each key in one log with the n-th one in the other."""
    by_key: dict[str, list[TensorStatistics]] = {}
    for tensor in fp32:
        by_key.setdefault(tensor.key, []).append(tensor)
    num_used: dict[str, int] = {}
    pairs = []
    for tensor in fp16:
        index = num_used.get(tensor.key, 0)
        candidates = by_key.get(tensor.key, [])
        partner = candidates[index] if index < len(candidates) else None
        if partner is not None:
            num_used[tensor.key] = index + 1
        pairs.append(TensorStatisticsPair(partner, tensor, index, loss_scale))
    return pairs


def _table_row(pair: TensorStatisticsPair) -> list[Any]:
    """Return the table row of a pair of tensors: its cells in the order of _TITLES."""
    fp32, fp16 = pair.fp32, pair.fp16
    name = f"{fp16.tensor}#{pair.index}" if fp32 is not None else fp16.tensor
    row: list[Any] = [fp16.op, name, fp16.numel, int(pair.is_suspicious)]
    if fp32 is None:
        row += ["--"] * 5
    else:
        row += [fp32.dtype, fp32.max, fp32.min, fp32.mean, fp32.num_zero]
    row += [fp16.dtype, fp16.max, fp16.min, fp16.mean, fp16.num_zero, fp16.num_inf, fp16.num_nan]
    if fp32 is None:
        return [*row, "--", "--", "--"]
    quotients = [(fp16.max, fp32.max), (fp16.min, fp32.min), (fp16.mean, fp32.mean)]
    return [*row, *(a / b if b else 1.0 for a, b in quotients)]


def _format_cell(value: Any) -> Any:
    """Format the value of a table cell as Paddle does: floats with six digits."""
    if not isinstance(value, float):
        return value
    return f"{value:.6E}" if abs(value) < 1e-5 else f"{value:.6f}"


def _write_csv(path: str, sheets: dict[str, list[TensorStatisticsPair]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["log", *_TITLES])
        for sheet, pairs in sheets.items():
            writer.writerows([sheet, *map(_format_cell, _table_row(pair))] for pair in pairs)


def _write_xlsx(
    path: str, sheets: dict[str, list[TensorStatisticsPair]], loss_scale: float
) -> None:
    try:
        xlsxwriter = import_module("xlsxwriter")
    except ImportError:
        raise OarlockError(
            append_user_line(
                "compare_accuracy: writing a spreadsheet needs the package XlsxWriter: pip install "
                "'oarlock[amp]', or give an output_filename that ends with .csv"
            )
        ) from None
    workbook = xlsxwriter.Workbook(path, {"nan_inf_to_errors": True})
    title = workbook.add_format({"bold": True, "border": 1, "align": "center"})
    colors = {n: workbook.add_format({"bg_color": n}) for n in ("red", "orange")}
    for name, pairs in sheets.items():
        sheet = workbook.add_worksheet(name[:31])  # the longest name that the format allows
        for first, last, text in _COLUMN_GROUPS:
            sheet.merge_range(0, first, 0, last, text.format(scale=loss_scale), title)
        for column, text in enumerate(_TITLES):
            sheet.write(1, column, text, title)
        for number, pair in enumerate(pairs, 2):
            for column, value in enumerate(_table_row(pair)):
                sheet.write(
                    number,
                    column,
                    _format_cell(value),
                    _cell_color_format(colors, column, value, pair),
                )
    workbook.close()


def _cell_color_format(
    colors: dict[str, Any], column: int, value: Any, pair: TensorStatisticsPair
) -> Any:
    """Return the xlsx format that colors a cell: red for suspicious tensors and values that float16
    cannot hold, orange for unequal values; None for other cells.
    """
    title = _TITLES[column]
    is_quotient = column >= _COLUMN_GROUPS[2][0]
    if title == "infinite":
        return colors["red"] if value else None
    if is_quotient and isinstance(value, float):
        is_equal = any(abs(value / scale - 1) < 0.05 for scale in (1.0, pair.loss_scale))
        return None if is_equal else colors["orange"]
    if title in ("num_inf", "num_nan"):
        return colors["red"] if value else None
    overflows = isinstance(value, float) and not abs(value) <= FLOAT16_MAX
    return colors["red"] if overflows else None


def compare_accuracy(
    dump_path: str,
    another_dump_path: str,
    output_filename: str,
    loss_scale: float = 1,
    dump_all_tensors: bool = False,
) -> None:
    """Compare the logs of two runs, tensor by tensor, and write a table.

    Each log file `worker_*` of `dump_path` becomes a sheet; its rows are the tensors of the file of
    the same name in `another_dump_path`, each beside the tensor of the first run with the same op,
    name and position. Overflows and unequal values are colored.

    Parameters
    ----------
    dump_path, another_dump_path : str
        `output_dir` of the two runs' `TensorCheckerConfig`; usually float32 and float16.
    output_filename : str
        The spreadsheet (`.xlsx`, written by the package XlsxWriter), or a `.csv` file.
    loss_scale : float, default 1
        The scale that the second run multiplied its loss, and so its gradients, with.
    dump_all_tensors : bool, default False
        Only False is supported, as in Paddle.

    Raises
    ------
    OarlockError
        If a folder or its logs are missing, a line of a log is malformed, or XlsxWriter is not
        installed.
    """
    if dump_all_tensors:
        raise OarlockError(append_user_line("compare_accuracy: dump_all_tensors is not supported"))
    if not isinstance(loss_scale, int | float) or not loss_scale > 0:
        raise OarlockError(
            append_user_line(f"compare_accuracy: loss_scale is {loss_scale!r}, not > 0")
        )
    sheets = {}
    for name in _list_log_files_or_raise(dump_path):
        fp32 = _read_log(dump_path, name)
        fp16 = _read_log(another_dump_path, name)
        sheets[name] = pair_tensor_statistics(fp32, fp16, float(loss_scale))
    if os.fspath(output_filename).endswith(".csv"):
        _write_csv(output_filename, sheets)
    else:
        _write_xlsx(output_filename, sheets, float(loss_scale))


def _list_log_files_or_raise(folder: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if "worker_" in name)
    except OSError as error:
        raise OarlockError(
            append_user_line(f"compare_accuracy: {folder}: {error.strerror}")
        ) from None
    if not names:
        raise OarlockError(
            append_user_line(f"compare_accuracy: {folder} has no log worker_cpu or worker_gpu.0")
        )
    return names


def _read_log(folder: str, name: str) -> list[TensorStatistics]:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as log:
            return parse_log(log)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not a text file"
        raise OarlockError(append_user_line(f"compare_accuracy: {path}: {reason}")) from None
