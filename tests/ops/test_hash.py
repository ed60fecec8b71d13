"""The hash function of the op `hash` returns known values."""

from __future__ import annotations

import numpy as np
import pytest

from oarlock.ops.legacy.hash import xxh64_of_rows


@pytest.mark.parametrize(
    ("text", "wanted"), [(b"", 0xEF46DB3751D8E999), (b"abcd", 0xDE0327B0D25D92CC)]
)
def test_xxh64_of_text(text: bytes, wanted: int) -> None:
    rows = np.frombuffer(text, "<u4").reshape(1, -1)
    assert int(xxh64_of_rows(rows, 0)[0]) == wanted
    assert int(xxh64_of_rows(np.repeat(rows, 2, 0), 0)[1]) == wanted
