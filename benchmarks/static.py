"""Time training steps as programs beside the same steps run eagerly, and beside real Paddle's
`to_static`.

    python benchmarks/static.py [--rounds N] [--only TEXT] [--markdown]

All take turns, so that a machine that slows down slows down all of them; medians of the rounds are
compared.
Real PaddlePaddle 2.6.2 is used where it is ($OARLOCK_PADDLE, or the environment that ./check made).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from run import CACHE, HERE, Worker, has

OURS = "oarlock static"
# The least ratio to the peer that we want: how many times as fast a program is.
BARS: dict[str, dict[str, float]] = {
    "60 small ops": {"oarlock eager": 3.0},
    "training step: tiny mlp": {"oarlock eager": 3.0},
    "training step: rnn cell, 10 steps": {"oarlock eager": 3.0},
    "training step: lenet": {"oarlock eager": 1.0},
    "training step: transformer layer": {"oarlock eager": 1.0},
}


def workers() -> list[Worker]:
    """A worker for each way of each package that is installed."""
    script = str(HERE / "workers" / "static_like.py")
    pythons = {"oarlock": sys.executable}
    paddle = os.environ.get("OARLOCK_PADDLE", str(CACHE / "paddle-2.6.2" / "bin" / "python"))
    if has(paddle, "paddle"):
        pythons["paddle"] = paddle
    return [
        Worker([python, script, package, way])
        for package, python in pythons.items()
        for way in ("eager", "static")
    ]


def row(case: str, times: dict[str, float], markdown: bool) -> str:
    """One line: our time, and how many times as long each peer takes."""
    ours = times[OURS]
    ratios = []
    for peer, theirs in times.items():
        if peer != OURS:
            bar = BARS[case].get(peer)
            mark = (
                ""
                if bar is None
                else (f" (bar {bar:g}, {'met' if theirs >= bar * ours else 'MISSED'})")
            )
            ratios.append(f"{theirs / ours:.2f}x {peer}{mark}")
    shown = f"{1e6 * ours:.1f} us" if ours < 1e-3 else f"{1e3 * ours:.2f} ms"
    return (
        (f"| {case} | {shown} | {', '.join(ratios)} |")
        if markdown
        else (f"{case:36} {shown:>10}   {', '.join(ratios)}")
    )


def main() -> None:
    """Run what is asked for."""
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
    for case in BARS:
        if args.only in case:
            times: dict[str, list[float]] = {w.peer: [] for w in peers}
            for _ in range(args.rounds):
                for worker in peers:
                    times[worker.peer].append(worker.run(case)["seconds"])
            medians = {peer: statistics.median(found) for peer, found in times.items()}
            print(row(case, medians, args.markdown), flush=True)
    for worker in peers:
        worker.close()


if __name__ == "__main__":
    main()
