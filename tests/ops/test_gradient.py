"""Every row of a differentiable op: first and second derivative in a random direction, in float64."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oarlock.core.autograd import grad
from oarlock.core.eager import EagerMode
from oarlock.core.mode import use_mode
from oarlock.core.op import OPS, Op
from oarlock.core.tensor import Tensor

from .rows import Row
from .table import IDS, INTERNAL, ROWS, arrays_of, constant_of, op_of
from .test_forward import flat_results, meta_admits, result_metas

STEP = 1e-6


class MetaCheckingMode(EagerMode):
    """The eager mode, asserting that every op that is run agrees with its meta rule; `seen` are
    their types.
    """

    allows_bare_arrays = False
    seen: set[str] = set()

    def mode_with_tape_set(self, tape: bool) -> MetaCheckingMode:
        return MetaCheckingMode(tape)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        made = super().run(op, args, attrs)
        self.seen.add(op.type)
        arrays = tuple(
            None if a is None else a.meta if isinstance(a, Tensor) else [t.meta for t in a]
            for a in args
        )
        nested = lambda v: [t.array for t in v] if isinstance(v, list) else v.array
        outs = nested(made) if len(op.outs) == 1 else tuple(map(nested, made))
        for said, got in zip(
            flat_results(op, op.infer(arrays, attrs)),
            flat_results(op, result_metas(op, outs)),
            strict=True,
        ):
            assert said.dtype == got.dtype and meta_admits(said, got), (
                f"{op.type}: kernel gave {got}, meta said {said}"
            )
        return made


WIDE = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}


def to_float64(array: Any) -> Any:
    return array.astype(WIDE.get(array.dtype, array.dtype), copy=False)


class Call:
    """A row as a function of its differentiable operands, in float64."""

    def __init__(self, row: Row) -> None:
        self.op = op_of(row)
        self.hermitian = row.hermitian
        self.through = row.through
        self.attrs = {
            k: 6 if k in ("dtype", "out_dtype", "in_dtype") and v == 5 else v
            for k, v in row.attrs.items()
        }
        self.args = [
            [to_float64(t) for t in a] if isinstance(a, list) else a if a is None else to_float64(a)
            for a in row.args
        ]
        constant = constant_of(row)
        self.places = [
            (i, k)
            for i, (s, a) in enumerate(zip(self.op.ins, self.args, strict=False))
            for k, t in enumerate(arrays_of(a))
            if t.dtype in WIDE.values() and s.name not in constant
        ]
        self.point = [arrays_of(self.args[i])[k] for i, k in self.places]

    def directions(self, source: np.random.Generator) -> list[Any]:
        """Where to go from the point: Hermitian matrices stay Hermitian."""
        found = [random_like(source, p) for p in self.point]
        names = [self.op.ins[i].name for i, _ in self.places]
        return [
            d + np.conj(np.swapaxes(d, -1, -2)) if name in self.hermitian else d
            for d, name in zip(found, names, strict=True)
        ]

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        """The results that carry a gradient."""
        args = [
            [Tensor(t) for t in a] if isinstance(a, list) else a if a is None else Tensor(a)
            for a in self.args
        ]
        for (i, k), t in zip(self.places, tensors, strict=True):
            if isinstance(args[i], list):
                args[i][k] = t
            else:
                args[i] = t
        made = self.op(*args, **self.attrs)
        if self.through is not None:
            return self.through(*made)
        slots = [made] if len(self.op.outs) == 1 else list(made)
        found = [
            t
            for s, o in zip(self.op.outs, slots, strict=True)
            if not s.is_intermediate
            for t in (o if s.is_list else [o])
        ]
        return [t for t in found if t.array.dtype in WIDE.values()]


def tensors_with_gradient(arrays: list[Any]) -> list[Tensor]:
    return [Tensor(a, stop_gradient=False) for a in arrays]


def directional_derivative(
    function: Callable[[list[Any]], float], point: list[Any], direction: list[Any]
) -> float:
    """The derivative of a number in a direction, from both sides."""
    ends = [
        function([p + s * STEP * d for p, d in zip(point, direction, strict=True)]) for s in (1, -1)
    ]
    return (ends[0] - ends[1]) / (2 * STEP)


def inner_product(xs: list[Any], ys: list[Any]) -> float:
    """Return the sum of products; for complex numbers of Re(conj(x) * y), as a directional
    derivative needs.
    """
    return float(sum(np.sum(np.conj(x) * y).real for x, y in zip(xs, ys, strict=True)))


def random_like(source: np.random.Generator, like: Any) -> Any:
    """Normal numbers in the shape and of the kind of an array."""
    parts = source.standard_normal(like.shape)
    return parts + 1j * source.standard_normal(like.shape) if like.dtype.kind == "c" else parts


def assert_close(got: float, wanted: float, what: str) -> None:
    assert abs(got - wanted) <= 2e-5 * max(1.0, abs(wanted), abs(got)), (
        f"{what}: {got} is not {wanted}"
    )


def assert_bare_agrees(call: Call, weights: list[Any], found: list[Any]) -> None:
    """Check that the rules return the same on bare arrays."""
    tensors = tensors_with_gradient(call.point)
    again = grad(call(tensors), tensors, [Tensor(w) for w in weights], allow_unused=True)
    for a, b in zip(again, found, strict=True):
        assert (a is None) == (b is None)
        np.testing.assert_array_equal(*(0 if t is None else t.array for t in (a, b)))


@functools.cache
def check_first(number: int) -> None:
    """The gradient of the sum of w * results, in a random direction, is the slope of that sum."""
    row = ROWS[number]
    call = Call(row)
    source = np.random.default_rng(zlib.crc32(row.type.encode()) + number)
    with use_mode(MetaCheckingMode(True)):
        tensors = tensors_with_gradient(call.point)
        outs = call(tensors)
        weights = [random_like(source, o.array) for o in outs]
        found = grad(outs, tensors, [Tensor(w) for w in weights], allow_unused=True)
    assert_bare_agrees(call, weights, found)
    missing = [
        call.op.ins[i].name for (i, _), g in zip(call.places, found, strict=True) if g is None
    ]
    assert not missing, f"no gradient for {missing}"
    for g, p in zip(found, call.point, strict=True):
        assert g is not None and g.array.shape == p.shape and g.array.dtype == p.dtype
    direction = call.directions(source)

    def value(point: list[Any]) -> float:
        return inner_product(weights, [t.array for t in call([Tensor(p) for p in point])])

    assert_close(
        inner_product([g.array for g in found if g is not None], direction),
        directional_derivative(value, call.point, direction),
        "gradient",
    )


@functools.cache
def check_second(number: int) -> None:
    """The same of the gradient: of the sum of v * gradient, as a function of operands and
    weights.
    """
    row = ROWS[number]
    call = Call(row)
    source = np.random.default_rng(zlib.crc32(row.type.encode()) + number)
    with use_mode(MetaCheckingMode(True)):
        tensors = tensors_with_gradient(call.point)
        outs = call(tensors)
        weights = tensors_with_gradient([random_like(source, o.array) for o in outs])
        first = grad(outs, tensors, weights, create_graph=True, allow_unused=True)
        sources = [*tensors, *weights]
        along = [Tensor(random_like(source, p)) for p in call.point]
        lively = [
            (g, v)
            for g, v in zip(first, along, strict=True)
            if g is not None and not g.stop_gradient
        ]
        assert lively, "the gradient depends on nothing"
        second = grad([g for g, _ in lively], sources, [v for _, v in lively], allow_unused=True)
    direction = call.directions(source) + [random_like(source, w.array) for w in weights]

    def value(point: list[Any]) -> float:
        ts = tensors_with_gradient(point[: len(tensors)])
        found = grad(call(ts), ts, [Tensor(w) for w in point[len(tensors) :]], allow_unused=True)
        return inner_product(
            [v.array for v, g in zip(along, found, strict=True) if g is not None],
            [g.array for g in found if g is not None],
        )

    got = inner_product(
        [g.array for g in second if g is not None],
        [d for d, g in zip(direction, second, strict=True) if g is not None],
    )
    assert_close(
        got, directional_derivative(value, [t.array for t in sources], direction), "second gradient"
    )


def has_differentiable_operands(row: Row) -> bool:
    if not row.grad or row.random or not OPS[row.type].has_vjp:
        return False
    call = Call(row)
    return bool(call.point) and bool(call([Tensor(p) for p in call.point]))


FIRST = [n for n, row in enumerate(ROWS) if has_differentiable_operands(row)]
SECOND = [n for n in FIRST if ROWS[n].second]


@pytest.mark.parametrize("number", FIRST, ids=[IDS[n] for n in FIRST])
def test_gradient(number: int) -> None:
    check_first(number)


@pytest.mark.parametrize("number", SECOND, ids=[IDS[n] for n in SECOND])
def test_gradient_of_gradient(number: int) -> None:
    check_second(number)


@pytest.mark.slow
def test_every_internal_op_was_run() -> None:
    for n in FIRST:
        check_first(n)
    for n in SECOND:
        check_second(n)
    assert {t for t in INTERNAL if OPS[t].has_vjp} - MetaCheckingMode.seen == set()
