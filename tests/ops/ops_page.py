"""Write docs/ops.md from the op table, the ops themselves and the lowering table.

Run at the root: python -m tests.ops.ops_page
"""

from __future__ import annotations

import json
from pathlib import Path

from oarlock.core.op import OPS, Op
from oarlock.loader.engine import runtime

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

What each op can do, written by `python -m tests.ops.ops_page` from the ops, the rows of their tests and the table of lowerings;
a test fails when this page is not what that gives. {there} of the {emitted} op types that exports of PaddlePaddle 2.6.2 hold are there.

- **rows**: calls in the op table; each is compared with a reference and with the rule for its shape and dtype.
- **gradient**, **second**: tested in float64 against slopes, and the gradient of the gradient likewise. `-`: there is no gradient, and
  [below](#no-gradient) is why; or that of the gradient is zero, or refused.
- **recorded**: in programs of `jit.save` and traces; `by value`: the size of the result depends on values, and is unknown there.
- **ONNX**: lowered for the engine. An op without runs eagerly and in the interpreter.
- **Paddle**: how many of the rows give what PaddlePaddle 2.6.2 gives: results, and their gradients. [Below](#rows-that-differ) is why the others
  are not compared.
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
    lowered = set(runtime().lowered_ops())
    there = len(set(EMITTED) & OPS.keys())
    heads = ["op", "rows", "gradient", "second", "recorded", "ONNX", "Paddle"]
    parts = [
        HEAD.format(there=there, emitted=len(EMITTED)),
        table(heads, [cells(op, lowered) for op in public]),
        "## No gradient\n\n"
        + by_reason([(op.type, op.traits.no_grad) for op in public if op.traits.no_grad]),
        "## On a GPU over the processor\n\nOps whose kernel runs on the processor when operands are on a GPU:\n\n"
        + by_reason([(op.type, op.traits.host) for op in public if op.traits.host]),
        "## Rows that differ\n\nResults that are not compared with Paddle's:\n\n"
        + by_reason(
            [(row.type, row.paddle) for row in ROWS if row.paddle and row.type not in INTERNAL]
        ),
        "Gradients that are not:\n\n"
        + by_reason([(row.type, row.paddle_grad) for row in ROWS if row.paddle_grad]),
        "## Missing\n\nOps in exports of Paddle that have no kernel here; some of them the engine runs:\n\n"
        + by_reason(list(MISSING.items())),
        "Ops that only the engine runs, in models of real Paddle:\n\n"
        + ", ".join(f"`{type}`" for type in sorted(lowered - OPS.keys()))
        + "\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
