"""`oarlock`: look at models, verify, convert, run and time them; and a demonstration of it all."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import OarlockError
from ..utils.terminal import console

app = typer.Typer(
    help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)

Prefix = Annotated[
    str, typer.Argument(help="m for m.pdmodel and m.pdiparams, or a folder of Paddle 1.x")
]
Device = Annotated[str, typer.Option(help="cpu, cuda or tensorrt")]
Threads = Annotated[int, typer.Option(help="threads inside one op; 0 leaves it to the engine")]
CacheDir = Annotated[str, typer.Option(help="folder for optimised graphs; else $OARLOCK_CACHE_DIR")]


def refusing(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with what Oarlock refuses as one red message and exit code 1."""

    @wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except (OarlockError, OSError, ValueError) as error:
            console(stderr=True, soft_wrap=True).print(
                f"[bold red]oarlock:[/] {_escaped(str(error))}", highlight=False
            )
            sys.exit(1)

    return guarded


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


@app.command()
@refusing
def demo(
    out: Annotated[Path, typer.Option(help="folder for the model and the pictures")] = Path(
        "oarlock-demo"
    ),
    epochs: Annotated[int, typer.Option(min=1)] = 12,
    seed: Annotated[int, typer.Option(help="of weights, batches and the held-out split")] = 7,
) -> None:
    """Train LeNet on real digits, save it, and run it in five ways."""
    from .demo import run_demo  # noqa: PLC0415 - each command imports what it needs

    run_demo(out, epochs, seed)


@app.command()
@refusing
def inspect(
    prefix: Prefix,
    program: Annotated[
        bool, typer.Option("--program", help="print the whole program as text")
    ] = False,
) -> None:
    """Show inputs, outputs, parameters, ops and assumptions of a model."""
    from .inspect import show  # noqa: PLC0415

    show(prefix, program)


@app.command()
@refusing
def explain(
    target: Annotated[
        str,
        typer.Argument(
            help="script.py:Net, a Layer that needs no arguments, a function, or a variable"
        ),
    ],
    input: Annotated[
        list[str],
        typer.Option(help="x:float32[None,4], one for each argument: then it is recorded"),
    ] = [],  # noqa: B006
) -> None:
    """List all that keeps a Layer or function from becoming a program, with cause and fix; exit
    code 1 if there is anything.
    """
    from .explain import explain_script  # noqa: PLC0415

    if explain_script(target, input):
        sys.exit(1)


@app.command()
@refusing
def verify(prefix: Prefix) -> None:
    """Check a model's files, and compare engine and interpreter at two sizes of every free
    dimension.
    """
    from .model import verify_files  # noqa: PLC0415

    verify_files(prefix)


@app.command()
@refusing
def export(
    prefix: Prefix,
    repository: Annotated[
        Path | None, typer.Argument(help="for --to triton: the folder of models")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="the file to write")] = None,
    to: Annotated[
        str,
        typer.Option(
            help="onnx, ort: FlatBuffers for minimal builds, or triton: a folder for Triton "
            "Inference Server"
        ),
    ] = "onnx",
    inline: Annotated[
        bool,
        typer.Option("--inline", help="weights inside the file, not in the .pdiparams beside it"),
    ] = False,
    opset: Annotated[
        int | None, typer.Option(help="ONNX opset; the lowest from 17 on that serves")
    ] = None,
    target: Annotated[
        str, typer.Option(help="what shall run it: 'ort>=1.15,trt>=8.6,openvino'")
    ] = "",
) -> None:
    """Write a model as ONNX that shares its .pdiparams, in ORT format, or for Triton; judge it and
    run it.
    """
    from ..onnx.writer import Wanted  # noqa: PLC0415
    from .model import export_model  # noqa: PLC0415

    where = output if output is not None else repository
    if where is None:
        raise ValueError("export: where to? Give -o FILE, or a folder for --to triton")
    export_model(prefix, where, to, Wanted(opset, target, inline))


@app.command()
@refusing
def serve(
    models: Annotated[list[str], typer.Argument(help="models: prefixes, or NAME=PREFIX")],
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="requests that run at once")] = 2,
    queue: Annotated[
        int, typer.Option(min=0, help="requests that may wait for them; more are refused with 503")
    ] = 64,
    max_request_mb: Annotated[
        float, typer.Option(min=0.001, help="the largest request, also unpacked")
    ] = 64,
    max_memory_mb: Annotated[
        float, typer.Option(min=0.001, help="all requests in memory; more are refused with 503")
    ] = 512,
    request_timeout: Annotated[
        float, typer.Option(min=0.1, help="seconds that a client has to send a request")
    ] = 30,
    idle_timeout: Annotated[
        float, typer.Option(min=0.1, help="seconds between two pieces of a request")
    ] = 5,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="listen where other machines can reach it")
    ] = False,
    locate_guards: Annotated[
        bool,
        typer.Option(
            "--locate-guards", help="after a failed run, find the guard that its inputs violate"
        ),
    ] = False,
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
) -> None:
    """Answer the Open Inference Protocol v2 (KServe, Triton's clients) over HTTP.

    Metrics are at /metrics.
    """
    from .serving import serve_models  # noqa: PLC0415

    limits = {
        "bytes": int(max_request_mb * (1 << 20)),
        "memory": int(max_memory_mb * (1 << 20)),
        "seconds": request_timeout,
        "idle": idle_timeout,
        "workers": workers,
        "queue": queue,
    }
    options = {
        "device": device,
        "threads": threads,
        "cache_dir": cache_dir,
        "locate_guards": locate_guards,
    }
    sys.exit(serve_models(models, host, port, allow_remote, limits, **options))


@app.command()
@refusing
def run(
    prefix: Prefix,
    input: Annotated[
        Path, typer.Option("--input", "-i", help=".npz with arrays by input name, or in0, in1, ...")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help=".npz to write, arrays by output name")
    ],
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
) -> None:
    """Run a model on arrays."""
    from .model import run_model  # noqa: PLC0415

    run_model(prefix, input, output, device=device, threads=threads, cache_dir=cache_dir)


@app.command()
@refusing
def bench(
    prefix: Prefix,
    shape: Annotated[
        list[str], typer.Option(help="NAME=1,3,224,224; free dimensions are 1 otherwise")
    ] = [],  # noqa: B006
    warmup: int = 5,
    repeat: int = 100,
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
    json: Annotated[bool, typer.Option("--json", help="one JSON object")] = False,
) -> None:
    """Time a model: load, first run, and percentiles of the runs after that.

    `oarlock-runner bench` can do more.
    """
    from .bench import bench_model  # noqa: PLC0415

    bench_model(
        prefix, shape, warmup, repeat, json, device=device, threads=threads, cache_dir=cache_dir
    )


@app.command()
@refusing
def doctor() -> None:
    """Say which engine would be used, and what it can run on."""
    from .model import show_engine  # noqa: PLC0415

    show_engine()


@app.command(
    name="run-script",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
@refusing
def script(
    context: typer.Context,
    api: Annotated[
        str | None,
        typer.Option(help="how Paddle behaved: 1.8, 2.4, 2.6; else by what the script says"),
    ] = None,
) -> None:
    """Run a script that imports paddle, as it is: `oarlock run-script train.py --its-own
    arguments`; or `-m module`.
    """
    from ..compat.script import run_script  # noqa: PLC0415

    if not context.args:
        raise ValueError("run-script: which script?")
    sys.exit(run_script(context.args, api))
