"""`oarlock run-script train.py`: run `python train.py` with Oarlock installed as `paddle`."""

from __future__ import annotations

import os
import subprocess
import sys

from . import api_version as api_versions
from .install import child_environment


def exec_script_with_oarlock_as_paddle(arguments: list[str], version: str | None = None) -> int:
    """Run the command `python ARGUMENTS` so that `import paddle` in it imports Oarlock.

    On POSIX systems this replaces the process and does not return; on Windows it returns the exit
    code.
    """
    requested = api_versions.parse_version_unless_auto(version)
    command = [sys.executable, *arguments]
    os.environ.update(child_environment("auto" if requested is None else requested.version))
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform != "win32":
        os.execv(command[0], command)  # keeps the behavior of signals, exit codes and tracebacks
    return subprocess.call(command)
