"""What the command is given, and what it prints before it starts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ...core.errors import OarlockError
from .start import Plan, start
from .watch import watch

_RULE = "-" * 48
_TAKEN = (
    "nnodes",
    "master",
    "rank",
    "job_id",
    "run_mode",
    "log_level",
    "backend",
    "log_overwrite",
    "sort_ip",
    "enable_gpu_log",
    "legacy",
    "max_restart",
    "elastic_level",
    "elastic_timeout",
    "with_gloo",
    "gloo_port",
    "http_port",
)


# Variables that take precedence over options, as in Paddle, and the options that they set.
_VARIABLES = {
    "POD_IP": "node_ip",
    "PADDLE_IPS": "ips",
    "PADDLE_DEVICES": "devices",
    "PADDLE_NPROC_PER_NODE": "nproc_per_node",
    "PADDLE_LOG_DIR": "log_dir",
    "PADDLE_START_PORT": "started_port",
    "PADDLE_NNODES": "nnodes",
    "PADDLE_MASTER": "master",
    "PADDLE_RANK": "rank",
    "PADDLE_RUN_MODE": "run_mode",
    "PADDLE_LOG_LEVEL": "log_level",
    "PADDLE_LOG_OVERWRITE": "log_overwrite",
    "PADDLE_SORT_IP": "sort_ip",
    "PADDLE_JOB_ID": "job_id",
    "PADDLE_MAX_RESTART": "max_restart",
    "PADDLE_ELASTIC_LEVEL": "elastic_level",
    "PADDLE_ELASTIC_TIMEOUT": "elastic_timeout",
    "PADDLE_GLOO_PORT": "gloo_port",
    "PADDLE_WITH_GLOO": "with_gloo",
}
_NUMBERS = ("nproc_per_node", "started_port")
_HERE = "127.0.0.1"
_MOST_RANKS, _LAST_PORT = 1024, 65535


def set_by_variables(given: argparse.Namespace) -> None:
    """Change options to what the environment says, and say so.

    Raises OarlockError for a variable that is no number and has to be.
    """
    for variable, name in _VARIABLES.items():
        text = os.environ.get(variable)
        if text is None:
            continue
        if name in _NUMBERS and not text.isdecimal():
            raise OarlockError(f"launch: {variable}={text!r} is not a number")
        setattr(given, name, int(text) if name in _NUMBERS else text)
        print(f"launch: {variable}={text} goes before --{name}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """The options: those of Paddle 1.x and 2.x for one machine."""
    made = argparse.ArgumentParser(
        prog="oarlock.distributed.launch",
        description="Start a program in several processes on this machine. For several machines "
        "use mpiexec itself; see docs/scaling.md.",
    )
    made.add_argument(
        "--nproc_per_node", type=int, help="how many processes; as many as devices are named, or 1"
    )
    made.add_argument("--log_dir", default="log", help="where workerlog.N are written (log)")
    made.add_argument(
        "--devices",
        "--gpus",
        "--xpus",
        "--npus",
        "--selected_gpus",
        dest="devices",
        default="",
        help="cards, one per process: 0,1",
    )
    made.add_argument(
        "--started_port",
        "--start_port",
        type=int,
        default=6170,
        help="the first port of the addresses that ranks are listed by",
    )
    made.add_argument(
        "--ips", "--cluster_node_ips", dest="ips", default=_HERE, help="this machine's address"
    )
    made.add_argument("--node_ip", "--host", default=_HERE, help="the same, in Paddle 1.x")
    made.add_argument("--print_config", type=_truth, default=True, help="print these options first")
    made.add_argument(
        "--use_paddlecloud", action="store_true", help="taken, as Paddle 1.x takes it"
    )
    for name in _TAKEN:
        made.add_argument(
            f"--{name}", help="taken, as Paddle takes it; one machine has no use for it"
        )
    made.add_argument("training_script", help="the program")
    made.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return made


def _truth(text: str) -> bool:
    return text.lower() in ("true", "1", "yes")


def plan_of(given: argparse.Namespace) -> Plan:
    """How the processes are started.   Raises OarlockError for options that do not fit together."""
    devices = [d for d in given.devices.split(",") if d]
    count = given.nproc_per_node if given.nproc_per_node is not None else max(1, len(devices))
    hosts = [h for h in (given.node_ip if given.ips == _HERE else given.ips).split(",") if h] or [
        _HERE
    ]
    if len(hosts) > 1 or (given.nnodes or "1") != "1":
        raise OarlockError(
            "launch: several machines are started by MPI's own launcher, from one of them: "
            f"mpiexec -hosts {','.join(hosts)} -n {count * len(hosts)} python "
            f"{given.training_script}"
        )
    if not 1 <= count <= _MOST_RANKS:
        raise OarlockError(f"launch: --nproc_per_node {count}; one machine has 1 to {_MOST_RANKS}")
    if not 1 <= given.started_port <= _LAST_PORT - count + 1:
        raise OarlockError(
            f"launch: --started_port {given.started_port}; ports end at {_LAST_PORT}"
        )
    if devices and len(devices) % count:
        raise OarlockError(
            f"launch: {len(devices)} devices ({given.devices}) for {count} processes"
        )
    script = [given.training_script, *given.training_script_args]
    return Plan(
        count,
        hosts[0],
        given.started_port,
        devices,
        Path(given.log_dir),
        [sys.executable, "-u", *script],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.   Gives the exit code: 0, or that of the rank that failed first."""
    given = parser().parse_args(arguments)
    try:
        set_by_variables(given)
        plan = plan_of(given)
        if not os.path.exists(given.training_script):
            raise OarlockError(f"launch: there is no program {given.training_script}")
        if given.print_config:
            _print(given, plan)
        with start(plan) as world:
            return watch(world)
    except OarlockError as error:
        print(error, file=sys.stderr)
        return 2


def _print(given: argparse.Namespace, plan: Plan) -> None:
    print("-----------  Configuration Arguments -----------")
    for name, value in sorted(vars(given).items()):
        print(f"{name}: {value}")
    print(_RULE)
    print(
        f"trainers_endpoints: {','.join(plan.endpoints)} , node_id: 0 , current_node_ip: "
        f"{plan.host} , num_nodes: 1 , "
        f"node_ips: {[plan.host]} , nranks: {plan.count}",
        flush=True,
    )
