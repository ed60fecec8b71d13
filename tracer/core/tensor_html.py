"""Show a tensor as HTML, for notebooks: type, statistics and some elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .dtype import is_half
from .html import html_table

MAX_ROWS, MAX_COLUMNS = 6, 8  # of the table of elements


def format_tensor_html(kind: str, array: Any, facts: list[tuple[str, object]]) -> str:
    """Return tables of the facts about a tensor, of its statistics, and of the first elements of
    its last two axes.
    """
    array = np.asarray(array)
    shown = array.astype(np.float32) if is_half(array.dtype) or array.dtype.kind == "V" else array
    rows = [*facts, *_iter_statistics(shown)]
    return html_table(rows, caption=kind) + _table_of_elements(shown)


def _iter_statistics(array: Any) -> Iterator[tuple[str, object]]:
    if not array.size or array.dtype.kind not in "fiu":
        return
    with np.errstate(all="ignore"):
        yield "min, max", f"{array.min():.6g}, {array.max():.6g}"
        yield "mean", f"{array.mean(dtype=np.float64):.6g}"


def _table_of_elements(array: Any) -> str:
    if not array.size:
        return ""
    matrix = array.reshape((-1, *array.shape[-2:]))[0] if array.ndim > 2 else np.atleast_2d(array)
    more_columns = matrix.shape[1] > MAX_COLUMNS
    rows = [
        [*(_format_element(value) for value in row), *(["..."] if more_columns else [])]
        for row in matrix[:MAX_ROWS, :MAX_COLUMNS]
    ]
    if matrix.shape[0] > MAX_ROWS:
        rows.append(["..."] * len(rows[0]))
    caption = f"[{', '.join(['0'] * (array.ndim - 2))}, :, :]" if array.ndim > 2 else ""
    return html_table(rows, caption=caption, has_row_headings=False)


def _format_element(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, np.floating) else str(value)
