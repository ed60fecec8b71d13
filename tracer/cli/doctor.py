"""`oarlock doctor`: what is installed, and whether a model runs on each device."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import typer

from .. import jit, nn
from ..core.cuda import load_driver
from ..core.errors import OarlockError
from ..ir.input_spec import InputSpec
from ..loader.engine import Engine, ort_library_info
from ..tensor.convert import to_tensor
from ..utils.terminal import make_console

_print = make_console(highlight=False, soft_wrap=True, markup=False).print

# Instruction sets that kernels of ONNX Runtime or of Oarlock use, with their names in
# /proc/cpuinfo.
INSTRUCTION_SETS = (
    *("avx2", "fma", "f16c", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_int8"),
    *("asimd", "asimddp", "asimdhp", "bf16", "i8mm", "sve", "sve2"),
)
# Beginnings of the names of the Python distributions whose versions are printed.
PACKAGES = ("numpy", "onnx", "cupy-cuda", "nvidia-cuda-runtime", "nvidia-cublas", "nvidia-cudnn")
DEVICE_PROVIDERS = {"cuda": "CUDAExecutionProvider", "tensorrt": "TensorrtExecutionProvider"}


def _print_row(name: str, text: str) -> None:
    _print(f"{name:<12} {text}")


def _cpuinfo() -> dict[str, str]:
    """Return the fields of the first processor in /proc/cpuinfo; an empty dict if that file does
    not exist.
    """
    try:
        first = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0]
    except OSError:
        return {}
    fields = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in fields}


def _print_packages_and_report_no_conflict() -> bool:
    """Print the versions of the packages whose names begin with an entry of PACKAGES. Return False
    if several packages of ONNX Runtime are installed, which overwrite each other's files.
    """
    versions = {
        str(found.name).lower(): found.version
        for found in importlib.metadata.distributions()
        if str(found.name).lower().startswith(PACKAGES)
    }
    _print_row(
        "packages", ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    )
    engines = [name for name in versions if name.startswith("onnxruntime")]
    if len(engines) > 1:
        _print_row(
            "",
            f"{' and '.join(sorted(engines))} overwrite each other's files: uninstall all of them, "
            f"then install one",
        )
    return len(engines) <= 1


def _print_processor() -> None:
    fields = _cpuinfo()
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    used = [name for name in INSTRUCTION_SETS if name in flags]
    name = fields.get("model name") or platform.machine()
    _print_row("processor", f"{name}, {len(os.sched_getaffinity(0))} cores; {' '.join(used)}")


def _describe_driver() -> str:
    """Return a sentence with the newest CUDA version that the driver supports, or with the reason
    why it is unknown.
    """
    driver = load_driver()
    if driver is None:
        return "no NVIDIA driver on this machine (libcuda.so.1 cannot be opened)"
    version = ctypes.c_int()
    status = driver.cuDriverGetVersion(ctypes.byref(version))
    if status:
        return f"the NVIDIA driver does not answer (cuDriverGetVersion returned {status})"
    supported = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return f"the NVIDIA driver supports CUDA up to {supported}"


def _cache_problem(folder: str) -> str:
    """Return the reason why optimized graphs cannot be cached in `folder`; an empty string if they
    can. A folder that does not exist yet is created in its nearest existing parent.
    """
    existing = Path(folder).absolute()
    try:
        while not existing.exists():
            existing = existing.parent
        with tempfile.TemporaryFile(dir=existing):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _print_cache_folder_and_report_usable() -> bool:
    """Print the folder in which optimized graphs are cached, and return whether the folder can be
    used.
    """
    folder = os.environ.get("OARLOCK_CACHE_DIR", "")
    if folder in ("", "none"):
        reason = "is none" if folder else "is not set"
        _print_row(
            "cache", f"none: OARLOCK_CACHE_DIR {reason}, so each session optimizes its graph"
        )
        return True
    problem = _cache_problem(folder)
    _print_row("cache", f"{folder}: {problem or 'optimized graphs of sessions'}")
    return not problem


def _save_small_model_and_get_expected_output(prefix: str) -> tuple[Any, Any]:
    """Save a linear layer. Return an input, and the output that the eager kernels compute for
    it.
    """
    layer = nn.Linear(64, 32)
    x = np.random.default_rng(0).standard_normal((8, 64)).astype("float32")
    jit.save(layer, prefix, input_spec=[InputSpec([None, 64], "float32", "x")], verify=False)
    return x, np.asarray(layer(to_tensor(x)))


def _device_problem(device: str, prefix: str, x: Any, wanted: Any) -> str:
    """Return the reason why the saved model does not run on `device`, or that its result is wrong;
    an empty string if it runs with the right result.
    """
    program = Path(f"{prefix}.pdmodel").read_bytes()
    try:
        engine = Engine(program, f"{prefix}.pdiparams", device=device, tf32=False, cache_dir="none")
        result = engine.run([x])[0]
    except OarlockError as error:
        return str(error)
    difference = float(np.abs(result - wanted).max())
    return (
        ""
        if difference < 1e-4
        else f"a small model returns results that differ by {difference:.1e}"
    )


def _test_devices_and_print_results(providers: list[str]) -> bool:
    """Run a small model on each device of the engine, and return whether all of them work."""
    works = True
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "model")
        x, wanted = _save_small_model_and_get_expected_output(prefix)
        for device in ("cpu", *DEVICE_PROVIDERS):
            if device != "cpu" and DEVICE_PROVIDERS[device] not in providers:
                _print_row(device, "not in this ONNX Runtime; install onnxruntime-gpu to use it")
                continue
            problem = _device_problem(device, prefix, x, wanted)
            _print_row(device, problem or "a small model returns the right results")
            works = works and not problem
    return works


def print_installation_and_check_devices() -> None:
    """Print versions, processor, engine, cache folder and driver, and run a small model on each
    device.

    Raises typer.Exit(1) if something that is installed does not work.
    """
    _print_row("Oarlock", f"{importlib.metadata.version('oarlock')}, {Path(__file__).parents[1]}")
    _print_row("Python", f"{platform.python_version()}, {platform.platform()}")
    packages_fit = _print_packages_and_report_no_conflict()
    _print_processor()
    cache_works = _print_cache_folder_and_report_usable()
    try:
        info = ort_library_info()
    except OarlockError as error:
        _print_row("engine", str(error))
        raise typer.Exit(1) from None
    _print_row("engine", f"ONNX Runtime {info['version']}, {info['path']}")
    _print_row("providers", ", ".join(info["providers"]))
    _print_row("GPU", _describe_driver())
    devices_work = _test_devices_and_print_results(info["providers"])
    if not (packages_fit and cache_works and devices_work):
        raise typer.Exit(1)
