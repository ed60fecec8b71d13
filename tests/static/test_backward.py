"""Gradients of programs: every row of the op table, differentiated by append_backward, equals the
tape.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from oarlock.autodiff import append_gradient_ops
from oarlock.capture.modes import Static
from oarlock.capture.recorder import Recorder
from oarlock.capture.variable import Variable
from oarlock.compiler import CompiledProgram
from oarlock.core.autograd import grad
from oarlock.core.errors import OpError, TraceError
from oarlock.core.mode import use_base_mode
from oarlock.core.op import Meta
from oarlock.core.tensor import Tensor

from ..ops.table import IDS, ROWS
from ..ops.test_gradient import FIRST, Call, random_like, tensors_with_gradient


class RecordedRow:
    """A row as a program: `point` are the names of the differentiated variables. hide: declare no
    sizes.
    """

    def __init__(self, call: Call, hide: bool) -> None:
        self.recorder, self.feed = Recorder(), dict[str, Any]()
        self.hide = hide
        places = dict(zip(call.places, call.point, strict=True))
        args = [
            [self.variable(places.get((i, k), t)) for k, t in enumerate(a)] if isinstance(a, list)
            else a if a is None else self.variable(places.get((i, 0), a))
            for i, a in enumerate(call.args)
        ]  # fmt: skip
        self.point = [
            (args[i][k] if isinstance(args[i], list) else args[i]) for i, k in call.places
        ]
        with use_base_mode(Static(self.recorder)):
            made = call.op(*args, **call.attrs)
            slots = [made] if len(call.op.outs) == 1 else list(made)
            if call.through is not None:
                slots = call.through(*slots)
                self.outs = [t for t in slots if t.meta.dtype.kind in "fc"]
                return
        found = [
            t
            for s, o in zip(call.op.outs, slots, strict=True)
            if not s.is_intermediate
            for t in (o if s.is_list else [o])
        ]
        self.outs = [t for t in found if t.meta.dtype.kind in "fc"]

    def variable(self, array: Any) -> Variable:
        shape = (-1,) * array.ndim if self.hide else array.shape
        desc = self.recorder.feed(f"x{len(self.feed)}", Meta(shape, array.dtype))
        self.feed[desc.name] = array
        made = Variable(desc)
        self.recorder.bind(made, desc.name)
        return made


def eager_gradients(call: Call, weights: list[Any]) -> list[Tensor | None]:
    tensors = tensors_with_gradient(call.point)
    return grad(call(tensors), tensors, [Tensor(w) for w in weights], allow_unused=True)


def compiled_gradients(call: Call, weights: list[Any], hide: bool) -> list[Any]:
    row = RecordedRow(call, hide)
    given = [row.variable(w) for w in weights]
    with use_base_mode(Static(row.recorder)):
        names = [v.name for v in row.point]
        pairs = {o.name: g for o, g in zip(row.outs, given, strict=True)}
        found = append_gradient_ops(row.recorder, pairs, names)
    fetches = [found[n].name for n in names if n in found]
    arrays = iter(CompiledProgram(row.recorder.program, list(row.feed), fetches).run({}, row.feed))
    return [next(arrays) if n in found else None for n in names]


def weights_of(number: int, call: Call) -> list[Any]:
    source = np.random.default_rng(zlib.crc32(ROWS[number].type.encode()) + number)
    return [random_like(source, o.array) for o in call(tensors_with_gradient(call.point))]


@pytest.mark.parametrize("number", FIRST, ids=[IDS[n] for n in FIRST])
def test_program_gradient_equals_tape(number: int) -> None:
    call = Call(ROWS[number])
    weights = weights_of(number, call)
    for got, want in zip(
        compiled_gradients(call, weights, hide=False), eager_gradients(call, weights), strict=True
    ):
        assert (got is None) == (want is None)
        if want is not None:
            assert got.dtype == want.array.dtype
            np.testing.assert_array_equal(got, want.array)


@pytest.mark.parametrize("number", FIRST, ids=[IDS[n] for n in FIRST])
def test_program_gradient_with_unknown_sizes(number: int) -> None:
    call = Call(ROWS[number])
    weights = weights_of(number, call)
    try:
        found = compiled_gradients(call, weights, hide=True)
    except (OpError, TraceError) as error:
        assert "known" in str(error), error
        return
    for got, want in zip(found, eager_gradients(call, weights), strict=True):
        if want is not None:
            assert got.dtype == want.array.dtype
            np.testing.assert_allclose(got, want.array, rtol=1e-12, atol=1e-14)
