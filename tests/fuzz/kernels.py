"""The cases of `tests.fuzz.worker` for all ops, in the kernels of compiled programs.

python -m tests.fuzz.kernels SEED FIRST [OP]
"""

from __future__ import annotations

import resource
import sys
from contextlib import redirect_stdout
from io import StringIO

import numpy as np

from oarlock.compiler import CompiledProgram
from oarlock.core.errors import OarlockError
from oarlock.export.pdmodel import to_bytes
from oarlock.loader.pdmodel import parse_program

from ..ops.table import ROWS
from .model_files import PATIENCE, Stopped, stopped_after
from .mutate import Case, make_case

MEMORY = 4 << 30


def run(case: Case) -> str:
    """Return `ran`, `stopped` after Ctrl-C, or the first words of the error.

    Whatever else happens is a finding.
    """
    try:
        # ops print
        with np.errstate(all="ignore"), stopped_after(PATIENCE), redirect_stdout(StringIO()):
            CompiledProgram(parse_program(to_bytes(case.program))).run({}, case.feeds)
    except Stopped:
        return "stopped"
    except (OarlockError, NotImplementedError) as error:
        return str(error)
    return "ran"


def main(seed: int, first: int, only: str = "") -> None:
    """Run the cases `first`, `first + 1`, ...; prints a line before and after each."""
    rows = [n for n, row in enumerate(ROWS) if only in ("", row.type)]
    for number in range(first, 1 << 62):
        case = make_case(seed, number, rows)
        if case is not None:
            print("case", number, repr(str(case)), flush=True)
            print("end", repr(run(case)[:300]), flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
