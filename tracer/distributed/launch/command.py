"""The command line of the launcher."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ...core.errors import OarlockError
from .monitor import monitor
from .start import JobConfig, running_job

_SEPARATOR_LINE = "-" * 48
_IGNORED_OPTIONS = (
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


# Environment variables that take precedence over command-line options, as in Paddle, and the
# options that they override.
_OPTION_VARIABLES = {
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
_INT_OPTIONS = ("nproc_per_node", "started_port")
_LOCALHOST = "127.0.0.1"
_MAX_RANKS, _MAX_PORT = 1024, 65535


def override_options_from_environment(options: argparse.Namespace) -> None:
    """Override command-line options by environment variables, and print each overridden option.

    Raises OarlockError for a variable that must be a number and is not.
    """
    for variable, name in _OPTION_VARIABLES.items():
        text = os.environ.get(variable)
        if text is None:
            continue
        if name in _INT_OPTIONS and not text.isdecimal():
            raise OarlockError(f"launch: {variable}={text!r} is not a number")
        setattr(options, name, int(text) if name in _INT_OPTIONS else text)
        print(f"launch: {variable}={text} overrides --{name}", file=sys.stderr)


def build_parser() -> argparse.ArgumentParser:
    """Create the parser, with the options of Paddle 1.x and 2.x for one machine."""
    parser = argparse.ArgumentParser(
        prog="oarlock.distributed.launch",
        description="Start a program in several processes on this machine. For several machines "
        "use mpiexec itself; see docs/distributed.md.",
    )
    parser.add_argument(
        "--nproc_per_node",
        type=int,
        help="number of processes (default: the number of --devices, or 1)",
    )
    parser.add_argument(
        "--log_dir", default="log", help="folder for the files workerlog.N (default: log)"
    )
    parser.add_argument(
        "--devices",
        "--gpus",
        "--xpus",
        "--npus",
        "--selected_gpus",
        dest="devices",
        default="",
        help="GPU indices, as 0,1; the same number for each process",
    )
    parser.add_argument(
        "--started_port",
        "--start_port",
        type=int,
        default=6170,
        help="first port of the addresses in PADDLE_TRAINER_ENDPOINTS (default: 6170)",
    )
    parser.add_argument(
        "--ips",
        "--cluster_node_ips",
        dest="ips",
        default=_LOCALHOST,
        help="address of this machine",
    )
    parser.add_argument(
        "--node_ip", "--host", default=_LOCALHOST, help="address of this machine (Paddle 1.x)"
    )
    parser.add_argument(
        "--print_config", type=_parse_bool, default=True, help="print the options first"
    )
    parser.add_argument(
        "--use_paddlecloud", action="store_true", help="accepted without effect (Paddle 1.x)"
    )
    parser.add_argument("--nnodes", help="1; for several machines use mpiexec")
    for name in _IGNORED_OPTIONS:
        parser.add_argument(
            f"--{name}", help="accepted without effect: Paddle's option for several machines"
        )
    parser.add_argument("training_script", help="the program to start")
    parser.add_argument(
        "training_script_args", nargs=argparse.REMAINDER, help="arguments of the program"
    )
    return parser


def _parse_bool(text: str) -> bool:
    return text.lower() in ("true", "1", "yes")


def make_job_config(options: argparse.Namespace) -> JobConfig:
    """Create the job's configuration.  Raises OarlockError for inconsistent options."""
    devices = [d for d in options.devices.split(",") if d]
    count = options.nproc_per_node if options.nproc_per_node is not None else max(1, len(devices))
    hosts = [
        h for h in (options.node_ip if options.ips == _LOCALHOST else options.ips).split(",") if h
    ] or [_LOCALHOST]
    if len(hosts) > 1 or (options.nnodes or "1") != "1":
        raise OarlockError(
            "launch: for several machines, use MPI's launcher on one of them: "
            f"mpiexec -hosts {','.join(hosts)} -n {count * len(hosts)} python "
            f"{options.training_script}"
        )
    if not 1 <= count <= _MAX_RANKS:
        raise OarlockError(f"launch: --nproc_per_node must be in [1, {_MAX_RANKS}], not {count}")
    if not 1 <= options.started_port <= _MAX_PORT - count + 1:
        raise OarlockError(
            f"launch: --started_port must be in [1, {_MAX_PORT - count + 1}], not "
            f"{options.started_port}"
        )
    if devices and len(devices) % count:
        raise OarlockError(
            f"launch: the number of devices must be a multiple of the number of processes, not "
            f"{len(devices)} devices ({options.devices}) for {count} processes"
        )
    script = [options.training_script, *options.training_script_args]
    return JobConfig(
        count,
        hosts[0],
        options.started_port,
        devices,
        Path(options.log_dir),
        [sys.executable, "-u", *script],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the launcher. Returns the exit code of the job: 0, or the exit code of the rank that
    failed first.
    """
    options = build_parser().parse_args(arguments)
    try:
        override_options_from_environment(options)
        config = make_job_config(options)
        if not os.path.exists(options.training_script):
            raise OarlockError(f"launch: there is no file {options.training_script}")
        if options.print_config:
            _print_config(options, config)
        with running_job(config) as job:
            return monitor(job)
    except OarlockError as error:
        print(error, file=sys.stderr)
        return 2


def _print_config(options: argparse.Namespace, config: JobConfig) -> None:
    print("-----------  Configuration FlattenedArguments -----------")
    for name, value in sorted(vars(options).items()):
        print(f"{name}: {value}")
    print(_SEPARATOR_LINE)
    print(
        f"trainers_endpoints: {','.join(config.endpoints)} , node_id: 0 , current_node_ip: "
        f"{config.host} , num_nodes: 1 , "
        f"node_ips: {[config.host]} , nranks: {config.count}",
        flush=True,
    )
