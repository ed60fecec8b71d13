"""Write docs/ops.md from the op table, the ops themselves and the lowering table.

Run at the root: python -m tests.ops.ops_page
"""

from __future__ import annotations

import json
from pathlib import Path

from oarlock.core.op import OPS, Op
from oarlock.loader.runtime import runtime_module

from .rows import Row
from .table import INTERNAL, ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ops.md"
# The ops that exports of PaddlePaddle 2.6.2 held, in a survey of some 450 calls of its functions.
EMITTED: list[str] = json.loads(Path(__file__).with_name("emitted.json").read_text())
CONTROL = "control flow of programs"
EDGE = "marks inputs and outputs in a file: written and read, never run"
# Those of them that Oarlock has no kernel for, by reason.
REASONS = {
    CONTROL: "conditional_block lod_array_length read_from_array select_input tensor_array_to_tensor while write_to_array",
    EDGE: "feed fetch",
}  # fmt: skip
MISSING = {type: reason for reason, types in REASONS.items() for type in types.split()}
HEAD = """# Ops

The abilities of each op. `python -m tests.ops.ops_page` writes this page from the op definitions,
their test rows and the table of ONNX conversions; a test fails if it is out of date. {there} of the
{emitted} op types that exports of PaddlePaddle 2.6.2 contain are supported.

- **rows**: number of calls in the test tables. Each is compared with a reference and with the meta
  rule.
- **gradient**, **second**: whether the first and second derivatives are tested, against finite
  differences in float64. `-` for the first: the op has [no gradient](#no-gradient). `-` for the
  second: it is zero, or not supported.
- **recorded**: whether programs of `jit.save` and traces can contain the op. `by value`: they can,
  but the size of the result depends on values and is unknown in the program.
- **ONNX**: whether it is converted to ONNX. Other ops run eagerly and in the interpreter.
- **Paddle**: in how many rows the results agree with PaddlePaddle 2.6.2, and in how many the
  gradients do. The others [are not compared](#rows-that-differ).
"""


def rows_of(op: Op) -> list[Row]:
    """The rows of an op."""
    return [row for row in ROWS if row.type == op.type]


def differentiated(op: Op) -> list[Row]:
    """The rows in which the gradient is tested."""
    return [row for row in rows_of(op) if op.has_vjp and row.grad and not row.random]


def cells(op: Op, lowered: set[str]) -> list[str]:
    """The row of an op in the page."""
    rows, slopes = rows_of(op), differentiated(op)
    same = sum(not row.paddle for row in rows)
    same_slopes = sum(not row.paddle and not row.paddle_grad for row in slopes)
    return [
        f"`{op.type}`",
        str(len(rows)),
        "yes" if slopes else "-",
        "yes" if any(row.second for row in slopes) else "-",
        "by value" if op.traits.value_dependent_shape else "yes",
        "yes" if op.type in lowered else "-",
        f"{same}, {same_slopes}" if slopes else f"{same}",
    ]


def table(heads: list[str], body: list[list[str]]) -> str:
    """A table in Markdown."""
    return "".join("| " + " | ".join(row) + " |\n" for row in [heads, ["---"] * len(heads), *body])


def by_reason(pairs: list[tuple[str, str]]) -> str:
    """Types under their reason, as a list in Markdown."""
    reasons: dict[str, list[str]] = {}
    for type, reason in pairs:
        reasons.setdefault(reason, [])
        if f"`{type}`" not in reasons[reason]:
            reasons[reason].append(f"`{type}`")
    return "".join(f"- {reason}: {', '.join(types)}\n" for reason, types in sorted(reasons.items()))


def page() -> str:
    """The whole page."""
    public = [OPS[type] for type in sorted(OPS.keys() - INTERNAL)]
    lowered = set(runtime_module().convertible_op_types())
    there = len(set(EMITTED) & OPS.keys())
    heads = ["op", "rows", "gradient", "second", "recorded", "ONNX", "Paddle"]
    parts = [
        HEAD.format(there=there, emitted=len(EMITTED)),
        table(heads, [cells(op, lowered) for op in public]),
        "## No gradient\n\n"
        + by_reason(
            [(op.type, op.traits.no_grad_reason) for op in public if op.traits.no_grad_reason]
        ),
        "## On the CPU for GPU inputs\n\nOps whose kernel runs on the CPU when its inputs are on a GPU:\n\n"
        + by_reason([(op.type, op.traits.host_reason) for op in public if op.traits.host_reason]),
        "## Rows that differ\n\nRows whose results are not compared with those of Paddle, by reason:\n\n"
        + by_reason(
            [(row.type, row.paddle) for row in ROWS if row.paddle and row.type not in INTERNAL]
        ),
        "Rows whose gradients are not compared:\n\n"
        + by_reason([(row.type, row.paddle_grad) for row in ROWS if row.paddle_grad]),
        "## Missing\n\nOps in exports of Paddle that have no kernel; the engine runs some of them:\n\n"
        + by_reason(list(MISSING.items())),
        "Ops in models of real Paddle that only the engine runs:\n\n"
        + ", ".join(f"`{type}`" for type in sorted(lowered - OPS.keys()))
        + "\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
