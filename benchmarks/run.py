"""Compare the speed of Oarlock with its peers in one run, and print ratios.

    python benchmarks/run.py [--rounds N] [--only TEXT] [--markdown]

Peers are used if they are installed: real PaddlePaddle 2.6.2 ($OARLOCK_PADDLE, or the environment
that ./check creates), PyTorch ($OARLOCK_TORCH: a Python interpreter that has it) and ONNX Runtime's
Python package (this interpreter).  Every case is measured in rounds in which the peers run
alternately, so that changes of the machine's speed affect all of them; medians of the rounds are
compared.  Every peer uses its default number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from other_measurements import print_other_measurements

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("OARLOCK_CACHE", Path.home() / ".cache" / "oarlock"))


EAGER_PEER = "eager Oarlock"


class Comparison(NamedTuple):
    """A case, and the largest acceptable ratio to each peer.

    eager_case: a case of Oarlock that is measured as the peer EAGER_PEER; "" for none.
    """

    case: str
    targets: dict[str, float]
    eager_case: str = ""


MAX_TRAINING_RATIOS_TO_TORCH = {
    "mlp": 0.8,
    "lenet": 0.8,
    "resnet": 1.0,
    "lstm": 0.8,
    "transformer": 0.8,
    "resnet50": 1.0,
    "gpt": 0.95,
}
COMPARISONS = [
    Comparison("small op, no gradient", {"paddle": 0.6, "torch": 1.1}),
    Comparison("small op, with tape", {"paddle": 0.6, "torch": 1.1}),
    Comparison("60 small ops, forward and backward", {"paddle": 0.6}),
    *(
        Comparison(f"training step: {name}", {"paddle": 0.5, "torch": ratio})
        for name, ratio in MAX_TRAINING_RATIOS_TO_TORCH.items()
    ),
    # PyTorch's steps are compiled by torch.compile.
    *(
        Comparison(
            f"training step, to_static: {name}",
            {EAGER_PEER: 0.9, "torch": 0.7},
            f"training step: {name}",
        )
        for name in MAX_TRAINING_RATIOS_TO_TORCH
    ),
    Comparison("eager inference: transformer", {"torch": 0.9}),
    Comparison("eager inference: lstm", {"torch": 0.9}),
    Comparison("traced call of a small MLP", {"paddle": 0.15, "onnxruntime": 1.5}),
    Comparison("to_static call of an MLP", {"paddle": 0.5, "onnxruntime": 1.5}),
    Comparison("to_static call of an MLP, input_spec", {"paddle": 0.5, "onnxruntime": 1.5}),
    *(
        Comparison(f"inference: {name}", {"paddle": 1.1})
        for name in ("mlp", "lenet", "resnet", "transformer")
    ),
]


class CaseError(Exception):
    """A peer cannot run a case."""


class Worker:
    """A process that times cases of one peer."""

    def __init__(self, command: list[str]) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(HERE / "workers"),
            "GLOG_minloglevel": "3",
        }
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd="/",
        )
        hello = self._answer()
        self.peer: str = hello["peer"]
        self.cases: list[str] = hello["cases"]

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise RuntimeError(f"a worker ended: {self.process.args}")

    def run(self, case: str) -> dict[str, Any]:
        """Run a case and return the seconds per call and the peak memory of the process in MB."""
        assert self.process.stdin is not None
        print(json.dumps({"case": case}), file=self.process.stdin, flush=True)
        answer = self._answer()
        if "error" in answer:
            raise CaseError(f"{self.peer}: {answer['error']}")
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def peer_python(variable: str, folder: str) -> str:
    """Return the Python interpreter in an environment variable, else that of an environment in
    CACHE.
    """
    return os.environ.get(variable, str(CACHE / folder / "bin" / "python"))


def can_import(python: str | None, module: str) -> bool:
    """Return whether a Python interpreter exists and can import a module."""
    if not python or not Path(python).exists():
        return False
    return (
        subprocess.run(
            [python, "-c", f"import {module}"], capture_output=True, check=False, cwd="/"
        ).returncode
        == 0
    )


def worker_commands(folder: str) -> list[list[str]]:
    """Return the commands that start a worker for every installed peer."""
    workers = HERE / "workers"
    result = [[sys.executable, str(workers / "paddle_cases.py"), "oarlock", folder]]
    paddle = peer_python("OARLOCK_PADDLE", "paddle-2.6.2")
    torch = peer_python("OARLOCK_TORCH", "torch")
    if can_import(paddle, "paddle"):
        result.append([paddle, str(workers / "paddle_cases.py"), "paddle", folder])
    if can_import(torch, "torch"):
        result.append([torch, str(workers / "torch_cases.py")])
    if can_import(sys.executable, "onnxruntime"):
        result.append([sys.executable, str(workers / "raw_ort.py"), folder])
    return result


def prepare_models(folder: str) -> None:
    """Write the models of the inference and call cases in Paddle's format and as ONNX."""
    import oarlock as paddle  # noqa: PLC0415
    from oarlock.cli.model import export_model  # noqa: PLC0415
    from oarlock.onnx.writer import ExportOptions  # noqa: PLC0415

    worker = HERE / "workers" / "paddle_cases.py"
    environment = {**os.environ, "PYTHONPATH": str(HERE / "workers")}
    subprocess.run(
        [sys.executable, str(worker), "oarlock", folder, "save"],
        check=True,
        env=environment,
        cwd="/",
    )
    small = paddle.nn.Sequential(
        paddle.nn.Linear(64, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 10)
    )
    small.eval()
    paddle.jit.save(
        small, f"{folder}/small", input_spec=[paddle.static.InputSpec([None, 64], "float32", "x")]
    )
    for name in ("small", "wide_mlp", "mlp", "lenet", "resnet", "transformer"):
        export_model(
            f"{folder}/{name}",
            Path(folder, name + ".onnx"),
            "onnx",
            ExportOptions(opset=17, check=False),
        )


def measure(workers: list[Worker], comparison: Comparison, rounds: int) -> dict[str, float]:
    """Return the median over the rounds for every peer that has the case."""
    runs = [(w.peer, w, comparison.case) for w in workers if comparison.case in w.cases]
    if comparison.eager_case:
        runs.append((EAGER_PEER, workers[0], comparison.eager_case))
    times: dict[str, list[float]] = {peer: [] for peer, _, _ in runs}
    for _ in range(rounds):
        for peer, worker, case in runs:
            if peer in times:
                try:
                    times[peer].append(worker.run(case)["seconds"])
                except CaseError as error:
                    print(f"{peer} cannot run {case}: {error}", file=sys.stderr)
                    del times[peer]
    return {peer: statistics.median(values) for peer, values in times.items()}


def peak_memory(commands: list[list[str]], case: str) -> str:
    """Return a text with the peak memory of processes that run only this case."""
    peaks = {}
    for command in commands:
        worker = Worker(command)
        if case in worker.cases:
            peaks[worker.peer] = worker.run(case)["peak_mb"]
        worker.close()
    ours = peaks["oarlock"]
    ratios = [f"{ours / theirs:.2f}x {peer}" for peer, theirs in peaks.items() if peer != "oarlock"]
    return f"peak {ours:.0f} MB" + (f" ({', '.join(ratios)})" if ratios else "")


def format_row(comparison: Comparison, times: dict[str, float], markdown: bool) -> str:
    """Return a line with our time and the ratio to each peer with its target."""
    ours = times["oarlock"]
    ratios = []
    for peer, theirs in times.items():
        if peer != "oarlock":
            target = comparison.targets.get(peer)
            mark = (
                ""
                if target is None
                else (f" (target {target:g}, {'met' if ours <= target * theirs else 'MISSED'})")
            )
            ratios.append(f"{ours / theirs:.2f}x {peer}{mark}")
    unit = f"{1e6 * ours:.1f} us" if ours < 1e-3 else f"{1e3 * ours:.2f} ms"
    if markdown:
        return f"| {comparison.case} | {unit} | {', '.join(ratios)} |"
    return f"{comparison.case:36} {unit:>10}   {', '.join(ratios)}"


def main() -> None:
    """Run the selected cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument(
        "--memory",
        action="store_true",
        help="also measure the peak memory of training, each case in a separate process",
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare_models(folder)
        commands = worker_commands(folder)
        workers = [Worker(command) for command in commands]
        print(
            f"peers: {', '.join(w.peer for w in workers)}; {os.cpu_count()} cores; medians of "
            f"{args.rounds} rounds"
        )
        ratios = []
        for comparison in COMPARISONS:
            if args.only in comparison.case:
                times = measure(workers, comparison, args.rounds)
                print(format_row(comparison, times, args.markdown), flush=True)
                if args.memory and comparison.case.startswith("training"):
                    print(" " * 49 + peak_memory(commands, comparison.case), flush=True)
                if comparison.case.startswith("inference") and "paddle" in times:
                    ratios.append(times["oarlock"] / times["paddle"])
        if ratios:
            print(
                f"inference relative to Paddle Inference: geometric mean "
                f"{statistics.geometric_mean(ratios):.2f}x (target 0.5)"
            )
        if not args.only:
            print_other_measurements(Path(folder))


if __name__ == "__main__":
    main()
