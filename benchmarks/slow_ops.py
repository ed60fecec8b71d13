"""Compare single ops on arrays of a million elements with PaddlePaddle 2.6.2.

    python benchmarks/slow_ops.py [--rounds N] [--only TEXT]

Paddle is $OARLOCK_PADDLE, or the environment that ./check creates. In each round, Oarlock and
Paddle run a case alternately. The table has medians of the rounds, their ratio, and the smallest
and largest ratio of a round. A backward case measures only the backward pass.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from run import CACHE, HERE, Worker, has

LIMIT = 1.5  # largest acceptable ratio to Paddle


def milliseconds(times: list[float]) -> str:
    """Return the median of times in seconds as a text."""
    return f"{1e3 * statistics.median(times):.3g} ms"


def main() -> None:
    """Run the selected cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="run cases whose name contains this text")
    args = parser.parse_args()
    python = os.environ.get("OARLOCK_PADDLE", str(CACHE / "paddle-2.6.2" / "bin" / "python"))
    if not has(python, "paddle"):
        sys.exit(f"{python} cannot import paddle; set OARLOCK_PADDLE to a Python with Paddle 2.6.2")
    script = str(HERE / "workers" / "ops_like.py")
    ours = Worker([sys.executable, script, "oarlock"])
    paddle = Worker([python, script, "paddle"])
    print(f"{os.cpu_count()} cores; medians of {args.rounds} rounds\n")
    print("| op | Oarlock | Paddle | ratio | ratios of the rounds | |\n|---|---|---|---|---|---|")
    missed = []
    for case in ours.cases:
        if args.only not in case:
            continue
        times = [
            (ours.run(case)["seconds"], paddle.run(case)["seconds"]) for _ in range(args.rounds)
        ]
        ratios = [a / b for a, b in times]
        mine, theirs = (list(column) for column in zip(*times, strict=True))
        ratio = statistics.median(mine) / statistics.median(theirs)
        if ratio > LIMIT:
            missed.append(case)
        print(
            f"| {case} | {milliseconds(mine)} | {milliseconds(theirs)} | {ratio:.2f} | "
            f"{min(ratios):.2f} to {max(ratios):.2f} | {'MISSED' if ratio > LIMIT else ''} |",
            flush=True,
        )
    print(f"\nabove {LIMIT:g}: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
