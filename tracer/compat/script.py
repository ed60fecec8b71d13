"""`oarlock run-script train.py`: a Python that starts as `python train.py` does, and has Oarlock in
Paddle's place.
"""

from __future__ import annotations

import os
import subprocess
import sys

from . import age as ages
from .install import environment


def run_script(arguments: list[str], version: str | None = None) -> int:
    """Run what `python ARGUMENTS` would; on systems that can replace a process this does not
    return, else it gives the exit code.
    """
    asked = ages.parsed(version)
    command = [sys.executable, *arguments]
    os.environ.update(environment("auto" if asked is None else asked.version))
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform != "win32":
        os.execv(command[0], command)  # signals, exit codes and tracebacks are Python's own
    return subprocess.call(command)
