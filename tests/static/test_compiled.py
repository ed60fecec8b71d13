"""Compiled programs: every row of the op table gives what its kernel gives; errors say which op of the program failed."""

from __future__ import annotations

import numpy as np

from oarlock.core.errors import OpError, TraceError
from oarlock.static.compiled import Compiled

from ..ops.rows import Row
from ..ops.table import op_of
from ..ops.test_forward import flat
from ..ops.test_recorded import exact, recorded


@exact
def test_a_row_gives_what_the_kernel_gives(row: Row) -> None:
    op = op_of(row)
    try:
        recorder, feeds, names = recorded(row)
    except (OpError, TraceError) as error:
        assert "known" in str(error) or "recorded" in str(error), error  # it says that it needs a value or a size
        return
    wanted = flat(op, op.kernel(*row.args, **row.attrs))
    compiled = Compiled(recorder.program, list(feeds), names)
    found = compiled.run(recorder.scope, {n: t.array for n, t in feeds.items()})
    for got, want in zip(found, wanted, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
