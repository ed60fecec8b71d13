"""Print the time and the memory that a build of the wheel from scratch takes:
`python benchmarks/wheel.py`. The build uses no compiler cache.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Build the wheel in a temporary folder and print what that took."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_COMPILER_LAUNCHER")}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation"]
        build = f"--config-settings=build-dir={folder}/build"
        subprocess.run([*command, build, "-w", folder, ROOT], env=environment, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        size = wheel.stat().st_size
    elapsed = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"wheel of {size / 1e6:.1f} MB: {elapsed:.0f} s on {os.cpu_count()} cores, "
        f"{used.ru_utime + used.ru_stime:.0f} s of CPU, at most {used.ru_maxrss / 1024:.0f} MB "
        "in one process"
    )


if __name__ == "__main__":
    main()
