"""benchmarks/gpu.sh, as far as it runs without a GPU."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from oarlock.loader.engine import ort_library_info

ROOT = Path(__file__).parents[2]


def test_gpu_script_runs_or_reports_missing_cuda(tmp_path: Path) -> None:
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


def test_shell_syntax() -> None:
    subprocess.run(["bash", "-n", ROOT / "benchmarks" / "gpu.sh"], check=True)
