"""Nested loops are recorded in a number of steps that does not grow exponentially."""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle
from oarlock.capture.aliasing import Aliases


def nest(x: Any, n: Any) -> Any:
    a, b, c, d = x, x * 2, x + 1, x - 1
    for _ in range(n):
        if a.sum() > 0:
            a, b, c, d = b, c, d, a
        for _ in range(n):
            if b.sum() > 0:
                a, b, c, d = b, c, d, a
            a = a * 0.5 + d
            for _ in range(n):
                if c.sum() > 1:
                    a, b, c, d = b, c, d, a
                b = b * 0.5 + d
                for _ in range(n):
                    if d.sum() > 2:
                        a, b, c, d = b, c, d, a
                    c = c * 0.5 + d
    return a + b + c + d


def test_number_of_recording_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    link = Aliases.record_may_alias

    def counted(*args: Any) -> None:
        nonlocal asked
        asked += 1
        link(*args)

    monkeypatch.setattr(Aliases, "record_may_alias", counted)
    function, x, two = (
        paddle.jit.to_static(nest),
        paddle.to_tensor([0.5, -0.25]),
        paddle.to_tensor(2),
    )
    assert function(x, two).tolist() == pytest.approx(nest(x, two).tolist())
    assert 0 < asked < 200_000


def test_alias_links_of_a_failed_try() -> None:
    aliases = Aliases()
    paddle.enable_static()
    old, other, made = (paddle.static.data(name, [2]) for name in ("old", "other", "made"))
    paddle.disable_static()
    aliases.record_creation_time(old)
    aliases.record_creation_time(other)
    since, moment = aliases.num_tensor_links(), aliases.timestamp()
    aliases.record_creation_time(made)
    aliases.record_may_alias(old, made, "")
    aliases.record_may_alias(old, other, "")
    aliases.discard_tensor_links_to_newer_values(since, moment)
    assert aliases.tensor_and_aliases(old) == [old, other]
    assert aliases.num_tensor_links() == since + 1
