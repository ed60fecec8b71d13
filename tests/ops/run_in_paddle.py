"""Run rows of the op table through real PaddlePaddle 2.6; started by `paddle_peer.py` in Paddle's
own environment.

    python run_in_paddle.py rows.npz results.npz

rows.npz holds `rows` (JSON: type, ins, outs, attrs, wanted gradients) and the arrays they name;
results.npz the arrays `<row>/<slot>/<k>`, gradients as `<row>/<slot>@GRAD/<k>`, and `errors` (JSON:
row -> what Paddle said).
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import paddle
from paddle import static


def variable(block: Any, name: str, array: Any) -> Any:
    """Return an input variable with the shape and dtype of the array."""
    var = block.create_var(
        name=name,
        shape=list(array.shape),
        dtype=str(array.dtype),
        stop_gradient=array.dtype.kind not in "fc",
    )
    var.desc.set_need_check_feed(False)
    return var


def run_row(executor: Any, row: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the results of one op: slot/k -> array."""
    program = static.Program()
    with static.program_guard(program, static.Program()):
        block = program.global_block()
        ins = {s: [variable(block, n, arrays[n]) for n in names] for s, names in row["ins"].items()}
        outs = {
            s: [block.create_var(name=f"{s}.{k}") for k in range(n)] for s, n in row["outs"].items()
        }
        outs.update({out: ins[of] for out, of in row["over"].items()})
        block.append_op(type=row["type"], inputs=ins, outputs=outs, attrs=row["attrs"])
        wanted = {f"{s}/{k}": v for s, vs in outs.items() for k, v in enumerate(vs)}
        feed = {n: arrays[n] for names in row["ins"].values() for n in names}
        if row["grads"]:
            wanted.update(gradients(block, row, ins, outs, arrays, feed))
        values = executor.run(
            program, feed=feed, fetch_list=list(wanted.values()), return_numpy=False
        )
    return {
        name: np.array(value) if value._is_initialized() else None
        for name, value in zip(wanted, values, strict=True)
    }


def gradients(
    block: Any, row: dict[str, Any], ins: Any, outs: Any, arrays: Any, feed: Any
) -> dict[str, Any]:
    """Return the gradient variables of the requested slots for given output gradients."""
    targets, given = [], []
    for key, name in row["out_grads"].items():
        slot, k = key.split("/")
        targets.append(outs[slot][int(k)])
        given.append(variable(block, name, arrays[name]))
        # Paddle compares what it knows of both, which may be -1
        given[-1].desc.set_shape(targets[-1].shape)
        feed[name] = arrays[name]
    sources = {
        f"{s}@GRAD/{k}": v
        for s in row["grads"]
        for k, v in enumerate(ins[s])
        if not v.stop_gradient
    }
    found = static.gradients(targets, list(sources.values()), target_gradients=given)
    return {k: v for k, v in zip(sources, found, strict=True) if v is not None}


def main(source: str, target: str) -> None:
    """Run every row; a row that Paddle rejects is noted, not fatal."""
    paddle.enable_static()
    executor = static.Executor(paddle.CPUPlace())
    stored = dict(np.load(source))
    results: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for number, row in enumerate(json.loads(str(stored.pop("rows")))):
        # the last one, should Paddle crash
        print(f"row {number}: {row['type']} {row['attrs']}", flush=True)
        try:
            found = run_row(executor, row, stored)
            results.update(
                {
                    f"{number}/{key}": np.asarray(value)
                    for key, value in found.items()
                    if value is not None
                }
            )
        except Exception as error:
            errors[str(number)] = f"{type(error).__name__}: {error}"[-600:]
    np.savez(target, errors=np.array(json.dumps(errors)), **results)


if __name__ == "__main__":
    main(*sys.argv[1:])
