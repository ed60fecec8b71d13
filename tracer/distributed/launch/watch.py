"""Looks at a world until it ends: passes on what rank 0 prints, and says which rank failed and
where the others were.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .start import World

_LOOK = 0.05
_STUCK = 5.0  # seconds after which a rank that waits for one that has ended waits for ever
# seconds after which ranks that all wait, and not at one place, wait for each other
_CROSSED = 30.0
_LAST_LINES = 60
_LEAVING = "exit"  # what a rank notes that has come to the end of its program


@dataclass(frozen=True)
class Waiting:
    """What a rank waits for: a collective of some ranks, and the line that called it; since when it
    has.
    """

    what: str
    where: str
    since: float

    @property
    def ranks(self) -> set[int]:
        """Whom it waits for."""
        return {int(n) for n in self.what.partition(" of ranks ")[2].split(", ") if n.isdecimal()}


class Tail:
    """A file that grows, copied to the terminal."""

    def __init__(self, path: Path) -> None:
        self._path, self._at = path, 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def copy(self) -> None:
        """Print what is new."""
        with contextlib.suppress(FileNotFoundError), open(self._path, "rb") as file:
            file.seek(self._at)
            new = file.read()
            self._at += len(new)
            sys.stdout.write(self._decoder.decode(new))
            sys.stdout.flush()


def log_of(world: World, rank: int) -> Path:
    """The file with what a rank prints."""
    return world.plan.logs / f"workerlog.{rank}"


def code_of(world: World, rank: int) -> int | None:
    """How a rank ended: 0, an exit code, minus a signal; None while it runs."""
    try:
        return int((world.folder / f"rank.{rank}.end").read_text())
    except FileNotFoundError:
        return None


def waiting_of(world: World, rank: int) -> Waiting | None:
    """What a rank waits for, None where it does not."""
    path = world.folder / f"rank.{rank}.now"
    try:
        text = path.read_bytes().split(b"\0")[0].decode(errors="replace")
        since = os.stat(path).st_mtime
    except FileNotFoundError:
        return None
    what, _, where = text.partition("\n")
    return Waiting(what, where, since) if what else None


def watch(world: World) -> int:
    """Come back when the world has ended.

    Gives 0, or the exit code of the rank that failed first.
    """
    tail = Tail(log_of(world, 0))
    started = time.monotonic()
    try:
        while True:
            over = world.process.poll() is not None
            tail.copy()
            codes = {rank: code_of(world, rank) for rank in range(world.plan.count)}
            failed = next((rank for rank, code in codes.items() if code), None)
            if failed is not None:
                return _failed(world, failed, codes[failed] or 1, time.monotonic() - started)
            if (left := _find_early_exit(world, codes)) is not None:
                return _given_up(
                    world,
                    f"rank {left} ended with exit code 0 before the end of its program (os._exit?)",
                    left,
                )
            if over:
                return _ended(world, codes)
            if (stuck := _stuck(world)) is not None:
                rank, gone = stuck
                return _given_up(
                    world,
                    f"rank {gone} has come to the end of its program, and rank {rank} waits for it",
                    gone,
                )
            if _crossed(world):
                return _given_up(
                    world, "all ranks wait for each other, at different places of the program"
                )
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        world.end(signal.SIGINT)
        tail.copy()
        print("launch: stopped", file=sys.stderr)
        return 130


def _ended(world: World, codes: dict[int, int | None]) -> int:
    """The world is over, and no rank says that it failed."""
    missing = [rank for rank, code in codes.items() if code is None]
    if not missing:
        return 0
    head = (
        f"launch: MPI's launcher ended with {world.process.returncode} and left ranks "
        f"{missing} without an exit code"
    )
    print("\n".join([head, *_waiting(world, None), *_missing_ranks(world, None)]), file=sys.stderr)
    return world.process.returncode or 1


def _find_early_exit(world: World, codes: dict[int, int | None]) -> int | None:
    """Find a rank that joined the group and then exited with code 0 without notice, as os._exit(0)
    does.
    """
    for rank, code in codes.items():
        if code == 0 and (world.folder / f"rank.{rank}.now").exists():
            state = waiting_of(world, rank)
            if state is None or state.what != _LEAVING:
                return rank
    return None


def _failed(world: World, rank: int, code: int, seconds: float) -> int:
    others = _waiting(world, rank) + _missing_ranks(world, rank)
    how = (
        f"was ended by {signal.Signals(-code).name}"
        if code < 0
        else (f"ended with exit code {code}")
    )
    lines = [f"launch: rank {rank} {how} after {seconds:.1f} s; its log is {log_of(world, rank)}"]
    lines += [*_last_traceback(log_of(world, rank)), *others]
    world.end()
    print("\n".join(lines), file=sys.stderr)
    return code if code > 0 else 128 - code


def _waiting(world: World, gone: int | None) -> list[str]:
    """Where the other ranks are."""
    lines = []
    for rank in range(world.plan.count):
        waiting = waiting_of(world, rank)
        if rank != gone and waiting is not None and waiting.what != _LEAVING:
            lines.append(f"rank {rank} was waiting in {waiting.what}, {waiting.where}")
    return lines


def _missing_ranks(world: World, gone: int | None) -> list[str]:
    """List the ranks that did not enter a collective in which others wait.

    gone: a rank to leave out, because it is reported already
    """
    states = {rank: waiting_of(world, rank) for rank in range(world.plan.count)}
    waiting = {
        rank: state
        for rank, state in states.items()
        if state is not None and state.what != _LEAVING
    }
    lines = []
    for what in dict.fromkeys(state.what for state in waiting.values()):
        present = {rank for rank, state in waiting.items() if state.what == what}
        expected = set[int]().union(*(waiting[rank].ranks for rank in present))
        lines += [
            f"rank {rank} did not take part in {what}; its log is {log_of(world, rank)}"
            for rank in sorted(expected - present - {gone})
        ]
    return lines


def _stuck(world: World) -> tuple[int, int] | None:
    """A rank that waits for one that has come to its end, and that one."""
    states = {rank: waiting_of(world, rank) for rank in range(world.plan.count)}
    gone = {rank for rank, state in states.items() if state is not None and state.what == _LEAVING}
    gone |= {rank for rank in states if code_of(world, rank) == 0}
    for rank, state in states.items():
        if rank in gone or state is None or time.time() - state.since < _STUCK:
            continue
        if state.ranks & gone:
            return rank, min(state.ranks & gone)
    return None


def _crossed(world: World) -> bool:
    """Whether all ranks wait for each other, at different lines: then nothing more will come of it.

    Messages between two ranks, which take as long as they are large, are at two lines anyway.
    """
    states = [waiting_of(world, rank) for rank in range(world.plan.count)]
    found = [
        state for state in states if state is not None and time.time() - state.since > _CROSSED
    ]
    everybody = len(found) == world.plan.count and all(
        len(state.ranks) == world.plan.count for state in found
    )
    return everybody and len({state.where for state in found}) > 1


def _given_up(world: World, why: str, gone: int | None = None) -> int:
    """End a world in which ranks wait for ever.   gone: the one that has come to its end, if any"""
    lines = _waiting(world, gone) + _missing_ranks(world, gone)
    world.end()
    print("\n".join([f"launch: {why}", *lines]), file=sys.stderr)
    return 1


def _last_traceback(log: Path) -> list[str]:
    """The last traceback in a log, or its last lines."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return []
    starts = [
        n for n, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")
    ]
    return lines[starts[-1] :][:_LAST_LINES] if starts else lines[-5:]
