"""Run cases until the process ends; prints each case before it runs, so that a crash can be
attributed.

python -m tests.fuzz.worker SEED FIRST [OP]
python -m tests.fuzz.worker findings
"""

from __future__ import annotations

import resource
import sys

from .findings import FINDINGS
from .mutate import lowered_rows, make_case

MEMORY = 2 << 30  # a case that asks for more must be rejected, not granted


def main(seed: int, first: int, only: str = "") -> None:
    """Run the cases `first`, `first + 1`, ...; prints a line before and after each."""
    rows = lowered_rows(only)
    for number in range(first, 1 << 62):
        case = make_case(seed, number, rows)
        if case is not None:
            print("case", number, repr(str(case)), flush=True)
            print("end", repr(case.run()[:300]), flush=True)


def findings() -> None:
    """Print the outcome of each earlier finding."""
    for finding in FINDINGS:
        print(repr(finding.case().run()), flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    findings() if sys.argv[1] == "findings" else main(
        int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
    )
