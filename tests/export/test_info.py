"""`.pdiparams.info`: equal rows have equal bytes, and rows are read back."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from oarlock.core.errors import FileError
from oarlock.export.pdiparams_info import VarInfo, to_bytes
from oarlock.loader.pdiparams_info import parse_info

ROWS = [
    VarInfo("linear_0.w_0", "l.weight", False, True),
    VarInfo("bn_0.w_1", "bn._mean", True, False),
    VarInfo("eager_tmp_0", "table", True),
    VarInfo("nameless"),
]


def test_file_contents() -> None:
    assert pickle.loads(to_bytes(ROWS)) == {
        "bn_0.w_1": {"structured_name": "bn._mean", "stop_gradient": True, "trainable": False},
        "eager_tmp_0": {"structured_name": "table", "stop_gradient": True},
        "linear_0.w_0": {"structured_name": "l.weight", "stop_gradient": False, "trainable": True},
        "nameless": {"stop_gradient": False},
    }
    assert to_bytes(ROWS)[:2] == b"\x80\x02"


def test_row_order_is_irrelevant() -> None:
    assert to_bytes(ROWS) == to_bytes(ROWS[::-1])
    assert parse_info(to_bytes(ROWS)) == {row.name: row for row in ROWS}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1], "m: holds a list, not a dict of variables"),
        ({1: {}}, "m: the row of an int is not a dict"),
        ({1 << 99999: {}}, "m: the row of an int is not a dict"),
        ({"a": 3}, "m: the row of 'a' is not a dict"),
        ({"a": {"structured_name": 3}}, "m: structured_name of 'a' is not a str"),
        ({"a": {"stop_gradient": 1}}, "m: stop_gradient of 'a' is not a bool"),
        ({"a": {"trainable": "yes"}}, "m: trainable of 'a' is not a bool"),
    ],
)
def test_invalid_files_are_rejected(data: Any, message: str) -> None:
    with pytest.raises(FileError) as error:
        parse_info(pickle.dumps(data, 2), "m")
    assert str(error.value) == message
