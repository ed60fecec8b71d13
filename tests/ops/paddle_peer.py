"""Real Paddle's results for rows of the op table."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .rows import Array, Row
from .table import REGISTRY, arrays_of, op_of

PYTHON = Path(
    os.environ.get("OARLOCK_PADDLE", Path.home() / ".cache/oarlock/paddle-2.6.2/bin/python")
)
REQUIRED = os.environ.get("OARLOCK_REQUIRE_PADDLE") == "1"


def attr(value: Any) -> Any:
    """An attribute as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def result_counts(row: Row) -> dict[str, int]:
    """Return the number of results per slot of Paddle's op, including slots that only Paddle has."""
    op = op_of(row)
    outs = op.kernel(*row.args, **row.attrs)
    slots = [outs] if len(op.outs) == 1 else outs
    entry = REGISTRY[row.type]
    more = {
        name: 1
        for name in ("XShape", "ReserveSpace")
        if name in entry["extra"] or f"{name}~" in entry["outs"]
    }
    return more | {
        s.name: len(o) if s.is_list else 1
        for s, o in zip(op.outs, slots, strict=True)
        if not s.values_slot_of_lod_slot
    }


class Questions:
    """Rows to be run in one batch; `add` returns the number of each."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.arrays: dict[str, Array] = {}

    def add(
        self, row: Row, grads: Collection[str] = (), weights: Mapping[str, Array] | None = None
    ) -> int:
        """Add a row. grads: slots to differentiate with `weights`, the gradients of its results."""
        n, op = len(self.rows), op_of(row)
        ins = {}
        for s, a in zip(op.ins, row.args, strict=False):
            if a is not None:
                ins[s.name] = names = [f"r{n}.{s.name}.{k}" for k in range(len(arrays_of(a)))]
                self.arrays.update(zip(names, arrays_of(a), strict=True))
        given = {k: f"r{n}.given.{k}" for k in weights or {}}
        self.arrays.update({given[k]: w for k, w in (weights or {}).items()})
        self.rows.append(
            {
                "type": row.type,
                "ins": ins,
                "outs": result_counts(row),
                "attrs": {k: attr(v) for k, v in row.attrs.items()},
                "grads": sorted(grads),
                "out_grads": given,
                "over": {s.name: s.overwrites for s in op.outs if s.overwrites},
            }
        )
        return n

    def ask(self, folder: Path) -> tuple[dict[str, Array], dict[int, str]]:
        """Return Paddle's results as `<number>/<slot>/<k>`, and its errors."""
        np.savez(folder / "rows.npz", rows=np.array(json.dumps(self.rows)), **self.arrays)
        script = Path(__file__).with_name("run_in_paddle.py")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        command = [PYTHON, script, folder / "rows.npz", folder / "results.npz"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        last = [line for line in done.stdout.splitlines() if line.startswith("row ")][-1:]
        assert done.returncode == 0, f"at {last}: {done.stderr[-3000:]}"
        with np.load(folder / "results.npz") as held:
            results = dict(held)
        errors = json.loads(str(results.pop("errors")))
        return results, {int(n): text for n, text in errors.items()}
