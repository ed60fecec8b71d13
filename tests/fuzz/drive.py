"""Run hostile programs in worker processes for some time, and collect those that crash, hang or
raise an exception that is not Oarlock's.

python -m tests.fuzz.drive --seconds 600 [--seed 1] [--first 0] [--op relu]       programs of one op
python -m tests.fuzz.drive --seconds 600 --files                                  changed files
python -m tests.fuzz.drive --seconds 600 --kernels
programs of one op, compiled
"""

from __future__ import annotations

import argparse
import ast
import os
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 10.0  # seconds of the processor for one case
START = 120.0  # and for the imports
STUCK = 120.0  # seconds by the clock for a case that waits for something


@dataclass
class Report:
    """The result. findings: case number, description and failure."""

    ran: int = 0
    rejected: int = 0
    findings: list[tuple[int, str, str]] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def cases(self) -> int:
        """How many ended well."""
        return self.ran + self.rejected

    def ended(self, answer: str) -> None:
        """Count the outcome of a case."""
        if answer == "ran":
            self.ran += 1
        else:
            self.rejected += 1
            self.answers[answer] += 1


def started(seed: int, first: int, only: str, worker: str) -> Any:
    """A worker from case `first` on."""
    command = [
        sys.executable,
        "-m",
        f"tests.fuzz.{worker}",
        str(seed),
        str(first),
        *([only] if only else []),
    ]
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, bufsize=0
    )


def lines(worker: Any, until: float) -> Iterator[str]:
    """Iterate over the lines of a worker until it ends or is silent for too long.

    TimeoutError for a hang.
    """
    rest, patience = b"", START
    asked, spent = time.monotonic(), used(worker.pid)
    while time.monotonic() < until:
        ready, _, _ = select.select([worker.stdout], [], [], 1.0)
        if not ready:
            if used(worker.pid) - spent > patience or time.monotonic() - asked > STUCK:
                raise TimeoutError
            continue
        block = worker.stdout.read(1 << 16)
        if not block:
            return
        *whole, rest = (rest + block).split(b"\n")
        yield from (line.decode() for line in whole)
        patience, asked, spent = PATIENCE, time.monotonic(), used(worker.pid)


def used(process: int) -> float:
    """Return the CPU seconds that a process has used, or the elapsed time if the system does not
    report them.

    0 for one that is gone
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0 if Path("/proc/self/stat").exists() else time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def last_words(worker: Any) -> str:
    """How a dead worker ended."""
    said = worker.stderr.read().decode(errors="replace").strip().splitlines()
    return f"exit {worker.wait()}: {' | '.join(said[-3:])[-300:]}"


def drive(
    seconds: float, seed: int, first: int = 0, only: str = "", kind: str = "worker"
) -> Report:
    """Run cases for some seconds, restarting the worker after each crash.

    kind: the module of the worker
    """
    report, until = Report(), time.monotonic() + seconds
    while time.monotonic() < until:
        number, text, how = first, "no case", ""
        worker = started(seed, first, only, kind)
        try:
            for line in lines(worker, until):
                if line.startswith("case "):
                    _, at, told = line.split(" ", 2)
                    number, text = int(at), ast.literal_eval(told)
                else:
                    report.ended(ast.literal_eval(line.removeprefix("end ")))
        except TimeoutError:
            how = "hang"
        if how or time.monotonic() < until:
            report.findings.append((number, text, how or last_words(worker)))
            first = number + 1
        worker.kill()
        worker.communicate()
    return report


def main() -> int:
    """Print the findings; returns 1 if there are any."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--op", default="")
    parser.add_argument(
        "--files",
        action="store_const",
        const="model_files",
        default="worker",
        help="change real files",
    )
    parser.add_argument(
        "--kernels",
        action="store_const",
        const="kernels",
        dest="files",
        help="run compiled programs",
    )
    parser.add_argument(
        "--answers", type=int, default=0, help="how many of the most frequent errors to show"
    )
    options = parser.parse_args()
    report = drive(options.seconds, options.seed, options.first, options.op, options.files)
    for number, text, how in report.findings:
        print(f"case {number}: {text}\n    {how}")
    for answer, count in report.answers.most_common(options.answers):
        print(f"{count:6} {answer}")
    print(f"{report.ran} ran, {report.rejected} rejected, {len(report.findings)} findings")
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
