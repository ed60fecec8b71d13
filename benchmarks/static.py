"""Compare training steps as programs with the same steps run eagerly, and with real Paddle's
`to_static`.

    python benchmarks/static.py [--rounds N] [--only TEXT] [--markdown]

All run alternately, so that changes of the machine's speed affect all of them; medians of the
rounds are compared.  Real PaddlePaddle 2.6.2 is used if it is installed ($OARLOCK_PADDLE, or the
environment that ./check creates).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from run import HERE, Worker, can_import, peer_python

OURS = "oarlock static"
# The smallest acceptable speed-up of a case over each peer.
MIN_SPEEDUPS: dict[str, dict[str, float]] = {
    "60 small ops": {"oarlock eager": 3.0},
    "training step: tiny mlp": {"oarlock eager": 3.0},
    "training step: rnn cell, 10 steps": {"oarlock eager": 3.0},
    "training step: lenet": {"oarlock eager": 1.0},
    "training step: transformer layer": {"oarlock eager": 1.0},
}


def workers() -> list[Worker]:
    """Start a worker for each mode of each installed package."""
    script = str(HERE / "workers" / "to_static_cases.py")
    pythons = {"oarlock": sys.executable}
    paddle = peer_python("OARLOCK_PADDLE", "paddle-2.6.2")
    if can_import(paddle, "paddle"):
        pythons["paddle"] = paddle
    return [
        Worker([python, script, package, mode])
        for package, python in pythons.items()
        for mode in ("eager", "static")
    ]


def format_row(case: str, times: dict[str, float], markdown: bool) -> str:
    """Return a line with our time and the speed-up over each peer."""
    ours = times[OURS]
    ratios = []
    for peer, theirs in times.items():
        if peer != OURS:
            target = MIN_SPEEDUPS[case].get(peer)
            mark = (
                ""
                if target is None
                else (f" (target {target:g}, {'met' if theirs >= target * ours else 'MISSED'})")
            )
            ratios.append(f"{theirs / ours:.2f}x {peer}{mark}")
    unit = f"{1e6 * ours:.1f} us" if ours < 1e-3 else f"{1e3 * ours:.2f} ms"
    return (
        (f"| {case} | {unit} | {', '.join(ratios)} |")
        if markdown
        else (f"{case:36} {unit:>10}   {', '.join(ratios)}")
    )


def main() -> None:
    """Run the selected cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    peers = workers()
    print(
        f"{', '.join(w.peer for w in peers)}; {os.cpu_count()} cores; medians of "
        f"{args.rounds} rounds"
    )
    for case in MIN_SPEEDUPS:
        if args.only in case:
            times: dict[str, list[float]] = {w.peer: [] for w in peers}
            for _ in range(args.rounds):
                for worker in peers:
                    times[worker.peer].append(worker.run(case)["seconds"])
            medians = {peer: statistics.median(values) for peer, values in times.items()}
            print(format_row(case, medians, args.markdown), flush=True)
    for worker in peers:
        worker.close()


if __name__ == "__main__":
    main()
