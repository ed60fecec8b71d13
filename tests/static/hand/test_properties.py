"""Random programs: clones, pruned parts, text and bytes are equivalent."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oarlock as paddle
from oarlock import static
from oarlock.export import pdmodel

FEED = {
    "x": np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3),
    "w": np.linspace(0.5, 2, 6, dtype="float32").reshape(2, 3),
}
UNARY = [
    paddle.tanh,
    paddle.nn.functional.relu,
    lambda v: v * 0.5,
    lambda v: v.transpose([1, 0]).transpose([1, 0]),
    paddle.exp,
]
BINARY = [lambda a, b: a + b, lambda a, b: a * b, paddle.maximum, lambda a, b: a - b.mean()]
steps = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12
)


def choose(a: Any, b: Any) -> Any:
    return static.nn.cond(a.sum() > b.sum(), lambda: a * 2.0, lambda: b + a)


def record_moves(moves: list[tuple[int, int, int]]) -> list[Any]:
    """Record variables, each computed from earlier ones."""
    made: list[Any] = [static.data(name, [None, 3]) for name in FEED]
    made[0].stop_gradient = False
    for kind, i, j in moves:
        a, b = made[i % len(made)], made[j % len(made)]
        if kind < len(UNARY):
            made.append(UNARY[kind](a))
        else:
            made.append(
                [*BINARY, choose][kind - len(UNARY)](a, b)
                if kind - len(UNARY) < len(BINARY)
                else choose(a, b)
            )
    return made


def in_static_mode(check: Any) -> Any:
    def run(moves: list[tuple[int, int, int]]) -> None:
        paddle.enable_static()
        try:
            with (
                static.scope_guard(static.Scope()),
                static.program_guard(static.Program(), static.Program()),
            ):
                check(static.default_main_program(), record_moves(moves))
        finally:
            paddle.disable_static()

    return run


def results(program: Any, made: list[Any], **how: Any) -> list[Any]:
    return [
        a.tolist()
        for a in static.Executor().run(program, feed=FEED, fetch_list=[v.name for v in made], **how)
    ]


@settings(max_examples=40, deadline=None)
@given(steps)
def test_clone_text_and_bytes_are_equivalent(moves: list[tuple[int, int, int]]) -> None:
    def check(main: Any, made: list[Any]) -> None:
        wanted = results(main, made)
        read = static.Program.parse_from_text(main.to_string())
        loaded = static.Program.parse_from_string(pdmodel.to_bytes(main.raw))
        assert read.to_string() == main.to_string()
        for other in (main.clone(), main.clone(for_test=True), read, loaded):
            assert results(other, made) == wanted

    in_static_mode(check)(moves)


@settings(max_examples=40, deadline=None)
@given(steps, st.integers(0, 30))
def test_pruned_program_equals_whole_program(moves: list[tuple[int, int, int]], pick: int) -> None:
    def check(main: Any, made: list[Any]) -> None:
        one = [made[pick % len(made)]]
        wanted = results(main, one)
        assert results(main, one, use_prune=True) == wanted
        inputs = [main.global_block().var(name) for name in FEED]
        try:
            normal = static.normalize_program(main, inputs, one)
        except ValueError as error:  # names the first input that the part does not need
            assert "doesn't exist in pruned inference program" in str(error)
            return
        assert results(normal, one) == wanted
        assert len(normal.raw.block.ops) <= len(main.raw.block.ops) + 3

    in_static_mode(check)(moves)


@settings(max_examples=40, deadline=None)
@given(steps)
def test_append_backward_changes_no_results(moves: list[tuple[int, int, int]]) -> None:
    def check(main: Any, made: list[Any]) -> None:
        wanted, before = results(main, made), main.clone(for_test=True).to_string()
        (gradient,) = static.gradients(made[-1].sum(), made[0])
        assert results(main, made) == wanted
        names = [op.type for op in main.clone(for_test=True).global_block().ops]
        assert names[:-1] == [
            op.type for op in static.Program.parse_from_text(before).global_block().ops
        ]  # and the sum
        if gradient is not None:
            assert np.shape(results(main, [gradient])[0]) == (2, 3)

    in_static_mode(check)(moves)
