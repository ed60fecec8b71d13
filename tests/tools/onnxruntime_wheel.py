"""Download ONNX Runtime's library of another version or processor."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path


def downloaded_library(folder: Path, version: str, platforms: Sequence[str] = ()) -> Path:
    """Return the library in the wheel of a version, downloaded to `folder` if needed.

    platforms: platform tags that pip accepts; by default those of this machine.
    """
    if not list(folder.glob("onnxruntime/capi/libonnxruntime.so.*")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(folder), f"onnxruntime=={version}"]
        for platform in platforms:
            command += ["--platform", platform]
        subprocess.run(command, check=True)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        wheel.unlink()
    (library,) = folder.glob("onnxruntime/capi/libonnxruntime.so.*")
    return library
