"""Record the names and signatures of the real CuPy, and the dtypes of its ufuncs. Needs no GPU.

    pip install cupy-cuda12x && python tests/gpu/make_cupy_names.py > tests/gpu/cupy_names.json

The stand-in beside it (`stand_in.py`) has these and nothing else.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import cupy


def parameters_of(function: Any) -> list[str] | None:
    """Return the keyword names that a call accepts, `**` for any, or None if unknown."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        "**" if p.kind is p.VAR_KEYWORD else "*" if p.kind is p.VAR_POSITIONAL else p.name
        for p in found
    ]


def functions_of(module: Any) -> dict[str, list[str] | None]:
    """Return the functions of a module that are no ufuncs, with their parameters."""
    found = {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}
    ufuncs = (cupy.ufunc, type(cupy.matmul))
    kept = {n: f for n, f in found.items() if callable(f) and not isinstance(f, (*ufuncs, type))}
    return {n: parameters_of(f) for n, f in kept.items()}


def ufuncs_of(module: Any) -> dict[str, list[str]]:
    """The ufuncs of a module and the dtypes of their operands and results."""
    found = {n: getattr(module, n) for n in dir(module)}
    return {
        n: list(getattr(f, "types", None) or [])
        for n, f in found.items()
        if isinstance(f, cupy.ufunc)
    }


def main() -> None:
    """Print it."""
    modules = {
        n: functions_of(m) for n, m in (("", cupy), ("linalg", cupy.linalg), ("fft", cupy.fft))
    }
    methods = [n for n in dir(cupy.ndarray) if not n.startswith("_")]
    found = {
        "version": cupy.__version__,
        "functions": modules,
        "ufuncs": ufuncs_of(cupy),
        "methods": methods,
    }
    found["functions"]["lib.stride_tricks"] = functions_of(cupy.lib.stride_tricks)
    print(json.dumps(found, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
