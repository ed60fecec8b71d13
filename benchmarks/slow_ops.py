"""Compare single ops on arrays of a million elements with PaddlePaddle 2.6.2.

    python benchmarks/slow_ops.py [--rounds N] [--only TEXT]

Paddle is $OARLOCK_PADDLE, or the environment that ./check creates. In each round, Oarlock and
Paddle run a case alternately. The table has medians of the rounds, their ratio, and the smallest
and largest ratio of a round. A case whose name ends in
"backward" measures only the backward pass.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from run import HERE, Worker, can_import, peer_python

MAX_RATIO = 1.5  # the target: the largest acceptable ratio to Paddle


def format_median(times: list[float]) -> str:
    """Format the median of times in seconds."""
    return f"{1e3 * statistics.median(times):.3g} ms"


def main() -> None:
    """Run the selected cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="run cases whose name contains this text")
    args = parser.parse_args()
    python = peer_python("OARLOCK_PADDLE", "paddle-2.6.2")
    if not can_import(python, "paddle"):
        sys.exit(f"{python} cannot import paddle; set OARLOCK_PADDLE to a Python with Paddle 2.6.2")
    script = str(HERE / "workers" / "op_cases.py")
    oarlock = Worker([sys.executable, script, "oarlock"])
    paddle = Worker([python, script, "paddle"])
    print(f"{os.cpu_count()} cores; medians of {args.rounds} rounds\n")
    print("| op | Oarlock | Paddle | ratio | ratios of the rounds | |\n|---|---|---|---|---|---|")
    missed = []
    for case in oarlock.cases:
        if args.only not in case:
            continue
        times = [
            (oarlock.run(case)["seconds"], paddle.run(case)["seconds"]) for _ in range(args.rounds)
        ]
        ratios = [a / b for a, b in times]
        our_times, paddle_times = (list(column) for column in zip(*times, strict=True))
        ratio = statistics.median(our_times) / statistics.median(paddle_times)
        if ratio > MAX_RATIO:
            missed.append(case)
        mark = "MISSED" if ratio > MAX_RATIO else ""
        print(
            f"| {case} | {format_median(our_times)} | {format_median(paddle_times)} | "
            f"{ratio:.2f} | {min(ratios):.2f} to {max(ratios):.2f} | {mark} |",
            flush=True,
        )
    print(f"\nabove {MAX_RATIO:g}: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
