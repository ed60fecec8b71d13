"""Monitor a job until it ends: copy the output of rank 0, and report which rank failed and what the
others waited for.
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

from .start import Job

_POLL_SECONDS = 0.05
_ENDLESS_WAIT_SECONDS = 5.0  # seconds after which waiting for an exited rank is an error
# seconds after which waiting of all ranks at different lines is a deadlock
_DEADLOCK_SECONDS = 30.0
_MAX_LOG_LINES = 60
_EXIT_STATUS = "exit"  # the status of a rank that has reached the end of its program


@dataclass(frozen=True)
class AwaitedOperation:
    """The collective or receive operation that a rank waits for.

    operation: a collective and its ranks.
    line: the user's line that called it.
    since: a time.
    """

    operation: str
    line: str
    since: float

    @property
    def ranks(self) -> set[int]:
        """The ranks that take part in the operation for which the rank waits."""
        ranks = self.operation.partition(" of ranks ")[2].split(", ")
        return {int(n) for n in ranks if n.isdecimal()}


class LogFollower:
    """Copies a growing file to the terminal."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset = path, 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def copy(self) -> None:
        """Print the text that was appended to the file since the last call."""
        with contextlib.suppress(FileNotFoundError), open(self._path, "rb") as file:
            file.seek(self._offset)
            new = file.read()
            self._offset += len(new)
            sys.stdout.write(self._decoder.decode(new))
            sys.stdout.flush()


def log_path(job: Job, rank: int) -> Path:
    """Return the path of a rank's log."""
    return job.config.logs / f"workerlog.{rank}"


def exit_code(job: Job, rank: int) -> int | None:
    """Return the exit code of a rank, or minus the number of the signal that ended it; None while
    the rank runs.
    """
    try:
        return int((job.folder / f"rank.{rank}.exit").read_text())
    except FileNotFoundError:
        return None


def read_awaited_operation(job: Job, rank: int) -> AwaitedOperation | None:
    """Read from a rank's status file which operation the rank waits for; None if it does not
    wait.
    """
    path = job.folder / f"rank.{rank}.status"
    try:
        text = path.read_bytes().split(b"\0")[0].decode(errors="replace")
        since = os.stat(path).st_mtime
    except FileNotFoundError:
        return None
    operation, _, line = text.partition("\n")
    return AwaitedOperation(operation, line, since) if operation else None


def monitor(job: Job) -> int:
    """Wait until the job has ended. Returns the exit code of the job: 0, or the exit code of the
    rank that failed first.
    """
    tail = LogFollower(log_path(job, 0))
    started = time.monotonic()
    try:
        while True:
            has_ended = job.process.poll() is not None
            tail.copy()
            codes = {rank: exit_code(job, rank) for rank in range(job.config.count)}
            failed = next((rank for rank, code in codes.items() if code), None)
            if failed is not None:
                return _terminate_and_report_failure(
                    job, failed, codes[failed] or 1, time.monotonic() - started
                )
            if (exited := _find_rank_exited_before_program_end(job, codes)) is not None:
                return _abort_deadlocked_job(
                    job,
                    f"rank {exited} ended with exit code 0 before the end of its program "
                    f"(os._exit?)",
                    exited,
                )
            if has_ended:
                return _report_ranks_without_exit_code_and_get_job_code(job, codes)
            if (endless_wait := _find_waiting_and_exited_rank(job)) is not None:
                rank, exited = endless_wait
                return _abort_deadlocked_job(
                    job,
                    f"rank {exited} has reached the end of its program, but rank {rank} waits for "
                    f"it",
                    exited,
                )
            if _is_deadlocked(job):
                return _abort_deadlocked_job(
                    job, "deadlock: all ranks wait for each other, at different lines"
                )
            time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        job.terminate(signal.SIGINT)
        tail.copy()
        print("launch: stopped", file=sys.stderr)
        return 130


def _report_ranks_without_exit_code_and_get_job_code(job: Job, codes: dict[int, int | None]) -> int:
    """Report the ranks that have no exit code although MPI's launcher has ended, and return the
    exit code of the job.
    """
    missing = [rank for rank, code in codes.items() if code is None]
    if not missing:
        return 0
    head = (
        f"launch: MPI's launcher ended with exit code {job.process.returncode}, but the ranks "
        f"{missing} have no exit code"
    )
    print(
        "\n".join(
            [
                head,
                *_describe_waiting_ranks(job, None),
                *_describe_ranks_not_in_collective(job, None),
            ]
        ),
        file=sys.stderr,
    )
    return job.process.returncode or 1


def _find_rank_exited_before_program_end(job: Job, codes: dict[int, int | None]) -> int | None:
    """Find a rank that joined the process group and then exited with code 0 without reporting its
    exit, as os._exit(0) does.
    """
    for rank, code in codes.items():
        if code == 0 and (job.folder / f"rank.{rank}.status").exists():
            state = read_awaited_operation(job, rank)
            if state is None or state.operation != _EXIT_STATUS:
                return rank
    return None


def _terminate_and_report_failure(job: Job, rank: int, code: int, seconds: float) -> int:
    """Terminate the job. Print how the rank ended, its traceback and what the other ranks wait for.
    Return the exit code of the job.
    """
    others = _describe_waiting_ranks(job, rank) + _describe_ranks_not_in_collective(job, rank)
    end = (
        f"was killed by {signal.Signals(-code).name}"
        if code < 0
        else f"ended with exit code {code}"
    )
    lines = [f"launch: rank {rank} {end} after {seconds:.1f} s; its log is {log_path(job, rank)}"]
    lines += [*_last_traceback_or_last_lines(log_path(job, rank)), *others]
    job.terminate()
    print("\n".join(lines), file=sys.stderr)
    return code if code > 0 else 128 - code


def _describe_waiting_ranks(job: Job, exited: int | None) -> list[str]:
    """Describe what the ranks other than `exited` wait for."""
    lines = []
    for rank in range(job.config.count):
        state = read_awaited_operation(job, rank)
        if rank != exited and state is not None and state.operation != _EXIT_STATUS:
            lines.append(f"rank {rank} was waiting in {state.operation}, {state.line}")
    return lines


def _describe_ranks_not_in_collective(job: Job, exited: int | None) -> list[str]:
    """List the ranks that did not enter a collective in which others wait.

    exited: a rank that is reported already
    """
    states = {rank: read_awaited_operation(job, rank) for rank in range(job.config.count)}
    waiting = {
        rank: state
        for rank, state in states.items()
        if state is not None and state.operation != _EXIT_STATUS
    }
    lines = []
    for operation in dict.fromkeys(state.operation for state in waiting.values()):
        present = {rank for rank, state in waiting.items() if state.operation == operation}
        expected = set[int]().union(*(waiting[rank].ranks for rank in present))
        lines += [
            f"rank {rank} did not take part in {operation}; its log is {log_path(job, rank)}"
            for rank in sorted(expected - present - {exited})
        ]
    return lines


def _find_waiting_and_exited_rank(job: Job) -> tuple[int, int] | None:
    """Find a rank that waits for a rank which has exited; return the two ranks."""
    states = {rank: read_awaited_operation(job, rank) for rank in range(job.config.count)}
    exited = {
        rank
        for rank, state in states.items()
        if state is not None and state.operation == _EXIT_STATUS
    }
    exited |= {rank for rank in states if exit_code(job, rank) == 0}
    for rank, state in states.items():
        if rank in exited or state is None or time.time() - state.since < _ENDLESS_WAIT_SECONDS:
            continue
        if state.ranks & exited:
            return rank, min(state.ranks & exited)
    return None


def _is_deadlocked(job: Job) -> bool:
    """Whether all ranks wait in collectives of the group of all ranks, but at different source
    lines.

    Messages between two ranks do not count: sender and receiver are at different lines.
    """
    states = [read_awaited_operation(job, rank) for rank in range(job.config.count)]
    waiting = [
        state
        for state in states
        if state is not None and time.time() - state.since > _DEADLOCK_SECONDS
    ]
    all_wait = len(waiting) == job.config.count and all(
        len(state.ranks) == job.config.count for state in waiting
    )
    return all_wait and len({state.line for state in waiting}) > 1


def _abort_deadlocked_job(job: Job, reason: str, exited: int | None = None) -> int:
    """Terminate a job in which ranks would wait forever.  exited: a rank that has ended, if any"""
    lines = _describe_waiting_ranks(job, exited) + _describe_ranks_not_in_collective(job, exited)
    job.terminate()
    print("\n".join([f"launch: {reason}", *lines]), file=sys.stderr)
    return 1


def _last_traceback_or_last_lines(log: Path) -> list[str]:
    """Return the last traceback in a log, or the last lines of the log if there is no traceback."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return []
    starts = [
        n for n, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")
    ]
    return lines[starts[-1] :][:_MAX_LOG_LINES] if starts else lines[-5:]
