"""What benchmarks/gpu.sh does, as far as that goes on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from oarlock.loader.engine import ort_library_info

ROOT = Path(__file__).parents[2]


def test_it_compares_models_or_says_what_is_not_there(tmp_path: Path) -> None:
    for kind, given in (("pdmodel", "pdmodel"), ("pdiparams", "pdiparams"), ("npz", "in.npz")):
        shutil.copy(ROOT / "tests" / "fixtures" / f"mlp.{given}", tmp_path / f"mlp.{kind}")
    script = [sys.executable, ROOT / "benchmarks" / "gpu.py", tmp_path]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    if "CUDAExecutionProvider" in ort_library_info()["providers"]:
        assert done.returncode == 0, done.stderr
        assert "mlp" in done.stdout
    else:
        assert done.returncode == 1
        assert "was built without CUDAExecutionProvider; install onnxruntime-gpu" in done.stderr


def test_the_shell_reads_it() -> None:
    subprocess.run(["bash", "-n", ROOT / "benchmarks" / "gpu.sh"], check=True)
