"""Inspect, verify, export, run, time and serve models, and run scripts that import paddle."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import OarlockError
from ..core.version import VERSION
from ..loader.escape_control_characters import escape_control_characters
from .command_line import (
    FAILURE,
    INVALID_COMMAND_LINE,
    CommandLineError,
    OneLineErrorGroup,
    choice_option,
    exit_after_closed_pipe,
    exit_with_command_line_error,
    print_error,
)

app = typer.Typer(
    name="oarlock",
    cls=OneLineErrorGroup,
    help=__doc__,
    epilog="Exit codes: 0 success; 1 an error, or a check failed; 2 invalid command line; 3 "
    "quantize: the new model has no advantage; 130 interrupted. OARLOCK_LOG=info or "
    "OARLOCK_LOG=info,json shows log messages.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # "rich" keeps the line breaks of docstrings
)

Prefix = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="path without suffix of m.pdmodel or m.json, a directory with inference.json, "
        "inference.pdmodel, model.json or model.pdmodel, or a model folder of Paddle 1.x",
    ),
]
Device = Annotated[str, choice_option(("cpu", "cuda", "tensorrt"), "where the model runs")]
Threads = Annotated[int, typer.Option(min=0, help="threads per op; 0: the engine's default")]
CacheDir = Annotated[
    str, typer.Option(help="folder for optimized graphs; default $OARLOCK_CACHE_DIR")
]
Memory = Annotated[
    str,
    choice_option(
        ("steady", "changing", "smallest"),
        "steady: for inputs of a few sizes; changing: of many sizes; smallest: as changing, and "
        "return free memory to the system after each run",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="show no progress")]


def _print_version_and_exit(value: bool) -> None:
    if value:
        print(f"oarlock {VERSION}")
        raise typer.Exit


@app.callback()
def options_of_all_commands(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version_and_exit,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Inspect, verify, export, run, time and serve models, and run scripts that import paddle."""


def wrap_to_print_error_and_exit(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that it prints an error as one message and exits with code 1, or with
    code 2 if its arguments do not fit together.
    """
    return _wrap_to_print_error(command, FAILURE)


def _wrap_to_print_error(command: Callable[..., None], exit_code: int) -> Callable[..., None]:
    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except CommandLineError as error:
            exit_with_command_line_error(
                f"oarlock {command.__name__.replace('_', '-')}", str(error)
            )
        except BrokenPipeError:
            exit_after_closed_pipe()
        except (OarlockError, OSError, ValueError) as error:
            print_error("oarlock", _format_error(error))
            sys.exit(exit_code)

    return wrapper


def _wrap_to_exit_with_2_after_error(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command whose exit code 1 has another meaning than an error."""
    return _wrap_to_print_error(command, INVALID_COMMAND_LINE)


def _format_error(error: Exception) -> str:
    """Return the message of an error. The message of an OSError becomes `file: what was wrong`."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return escape_control_characters(f"{os.fspath(error.filename)}: {error.strerror}")
    if isinstance(error, OSError) and error.filename is None and error.strerror:
        return error.strerror
    return escape_control_characters(str(error), keep_line_breaks=True)


@app.command()
@wrap_to_print_error_and_exit
def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="folder for the model and the plots")
    ] = Path("oarlock-demo"),
    epochs: Annotated[int, typer.Option(min=1, help="epochs of training")] = 12,
    seed: Annotated[int, typer.Option(help="seed of weights, batches and the test split")] = 7,
) -> None:
    """Train LeNet on digits, save it, and run it with five backends.

    Example: `oarlock demo --output demo --epochs 3`
    """
    from .demo import run_demo  # noqa: PLC0415 - a command imports its modules when it runs

    run_demo(output, epochs, seed)


@app.command()
@wrap_to_print_error_and_exit
def inspect(
    prefix: Prefix,
    program: Annotated[
        bool, typer.Option("--program", help="print the program as text instead of tables")
    ] = False,
    all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="print all parameters, and each op with its attributes and source line",
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="print one JSON object; schema: docs/inspect.schema.json")
    ] = False,
) -> None:
    """Print inputs, outputs, parameters, ops and guards of a model, or of an .onnx or .ort file.

    Example: `oarlock inspect net --json --all`
    """
    if program and json:
        raise CommandLineError("give --program or --json, not both")
    if program and prefix.endswith((".onnx", ".ort")):
        raise CommandLineError("--program requires a model of Paddle")
    if json:
        from .inspect_json import print_as_json  # noqa: PLC0415

        print_as_json(prefix, all)
        return
    from .inspect import show_model  # noqa: PLC0415

    show_model(prefix, program, all)


@app.command()
@wrap_to_print_error_and_exit
def view(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="path without suffix of m.pdmodel or m.json, or path of an .onnx file",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="page to write; default: NAME.html in the current folder, for a model NAME",
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option("--profile", help="run the model, and show time and memory of each op"),
    ] = False,
    input: Annotated[
        Path | None,
        typer.Option(
            "--input",
            "-i",
            help="with --profile: .npz file with the inputs; default: generated inputs",
        ),
    ] = None,
    shape: Annotated[
        list[str],
        typer.Option(help="with --profile: shape of a generated input, as NAME=1,3,224,224"),
    ] = [],  # noqa: B006
    repeat: Annotated[int, typer.Option(min=1, help="with --profile: measured runs")] = 10,
) -> None:
    """Write a page that shows the graph of a model by layer, with shapes, parameters, source lines
    and guards.

    Example: `oarlock view net -o net.html --profile`
    """
    from .view import write_page  # noqa: PLC0415

    write_page(model, output, profile, input, shape, repeat)


@app.command()
@_wrap_to_exit_with_2_after_error
def diff(
    a: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="path without suffix of m.pdmodel or m.json, or path of an .onnx file",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="NEW", help="the other model")],
    html: Annotated[Path | None, typer.Option(help="also write the differences as a page")] = None,
) -> None:
    """Print the differences of two models: inputs and outputs, ops, attributes, weights, guards.

    Names of variables are ignored. The exit code is 0 if the models are equal, 1 if they differ,
    2 after an error.

    Example: `oarlock diff old new`
    """
    from .diff import print_differences  # noqa: PLC0415

    sys.exit(print_differences(a, b, html))


@app.command()
@wrap_to_print_error_and_exit
def explain(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="SCRIPT.py:NAME; NAME is a Layer class without required arguments, a function, or "
            "a variable with a Layer or function",
        ),
    ],
    input: Annotated[
        list[str],
        typer.Option(
            help="name, dtype and shape of an argument, as x:float32[None,4]; repeat it for each "
            "argument. The code is then also captured, not only read"
        ),
    ] = [],  # noqa: B006
) -> None:
    """List the problems that prevent the capture of a Layer or function, with cause and fix.

    The exit code is 1 if there are problems.

    Example: `oarlock explain net.py:Net --input 'x:float32[None,4]'`
    """
    from .explain import explain_script  # noqa: PLC0415

    if explain_script(target, input):
        sys.exit(1)


@app.command()
@wrap_to_print_error_and_exit
def verify(prefix: Prefix, quiet: Quiet = False) -> None:
    """Validate a model's files, and compare the results of the engine (ONNX Runtime) with those of
    the interpreter (Oarlock's own kernels) for two sizes of each dynamic dimension.

    The exit code is 1 if the files are invalid or the results differ.

    Example: `oarlock verify net`
    """
    from .model import verify_saved_model  # noqa: PLC0415

    verify_saved_model(prefix, quiet)


@app.command()
@wrap_to_print_error_and_exit
def export(
    prefix: Prefix,
    repository: Annotated[
        Path | None,
        typer.Argument(
            metavar="REPOSITORY", help="with --to triton: the model repository to write into"
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="the file to write")] = None,
    to: Annotated[
        str,
        choice_option(
            ("onnx", "ort", "triton", "paddle2", "paddle3"),
            "onnx; ort (ONNX Runtime's format for minimal builds); triton (a folder for "
            "Triton Inference Server); paddle3 (a .json of Paddle 3) or paddle2 (a .pdmodel)",
        ),
    ] = "onnx",
    inline: Annotated[
        bool,
        typer.Option("--inline", help="store the weights in the file, not in the .pdiparams file"),
    ] = False,
    opset: Annotated[
        int | None,
        typer.Option(help="ONNX opset; default: the lowest >= 17 that has all operators"),
    ] = None,
    target: Annotated[
        str,
        typer.Option(help="engines that must read the file, as 'ort>=1.15,trt>=8.6,openvino'"),
    ] = "",
    precision: Annotated[
        str,
        choice_option(
            ("fp16", "bf16"),
            "fp16: weights and products in float16, sensitive ops in float32; bf16: weights "
            "stored in bfloat16, cast to float32 before use. ONNX and ORT files then contain the "
            "weights",
        ),
    ] = "",
    quiet: Quiet = False,
) -> None:
    """Export a model to ONNX (the file references the weights in the .pdiparams file), ORT format,
    a Triton model repository, or the program format of another Paddle version; check the file and
    compare its results with the model's.

    Example: `oarlock export net -o net.onnx`
    """
    from ..onnx.writer import ExportOptions  # noqa: PLC0415
    from .model import export_model  # noqa: PLC0415

    destination = output if output is not None else repository
    if destination is None:
        raise CommandLineError("no destination; give -o FILE, or a folder for --to triton")
    export_model(prefix, destination, to, ExportOptions(opset, target, inline), precision, quiet)


@app.command()
@wrap_to_print_error_and_exit
def quantize(
    prefix: Prefix,
    data: Annotated[
        Path | None,
        typer.Option(
            help="sample inputs, required for ptq and dynamic: an .npz file, or a folder of them; "
            "arrays named as the inputs, or in0, in1, ..."
        ),
    ] = None,
    method: Annotated[
        str,
        choice_option(
            ("ptq", "dynamic", "weight-only", "fp16", "bf16"),
            "ptq: static post-training quantization, int8 weights and activations with "
            "thresholds from --data; dynamic: int8 matrix multiplications whose input is scaled in "
            "each run; weight-only: int8 weights, float32 arithmetic; fp16: float16 weights and "
            "arithmetic; bf16: bfloat16 weights, float32 arithmetic",
        ),
    ] = "ptq",
    out: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="path prefix of the new model; default: MODEL_int8, _fp16 or _bf16",
        ),
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            help="keep layers in float32 whose name, output or op type matches this regular "
            "expression; quote it, as 'head|rnn'"
        ),
    ] = "",
    max_drop: Annotated[
        float | None,
        typer.Option(
            help="largest loss: with --labels, of accuracy in percentage points, default 1; "
            "without, the error of the outputs in percent of their root mean square, default: no "
            "limit. Int8 layers return to float32, the one with the largest error first, until the "
            "loss is at most this; with fp16 and bf16, no model is written if it is larger"
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="name of the array in --data with the class index of each sample"),
    ] = None,
    calibration: Annotated[
        str,
        choice_option(
            ("absmax", "percentile", "kl"),
            "with ptq, the value at which activations are clipped: absmax (the largest "
            "absolute value), percentile (99.99 % of the absolute values are smaller) or kl (least "
            "Kullback-Leibler divergence)",
        ),
    ] = "absmax",
    weight_storage: Annotated[
        str,
        choice_option(
            ("int8", "float32"),
            "type in which the file stores the integer levels of weights: int8, or float32 "
            "as Paddle's own tools do",
        ),
    ] = "int8",
    symmetric_activations: Annotated[
        bool,
        typer.Option(
            "--symmetric-activations",
            help="with ptq, use the levels -128 to 127 for all activations, as TensorRT and oneDNN "
            "in Paddle require; default: 0 to 255 for activations that are never negative",
        ),
    ] = False,
    ignore_speed: Annotated[
        bool,
        typer.Option(
            "--ignore-speed",
            help="compute layers with integers even if that is slower on this machine",
        ),
    ] = False,
    run_timeout: Annotated[
        float,
        typer.Option(
            metavar="<seconds>",
            help="seconds after which one run of a model with loops is an error, because a loop "
            "may never end for some inputs",
        ),
    ] = 300,
    plot: Annotated[
        Path | None,
        typer.Option(help="write a plot of the error per layer to this .png or .html file"),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Convert a saved model to int8, float16 or bfloat16, verify it, and report error, size, time
    and, with --labels, accuracy.

    Layers that would lose too much accuracy remain float32; layers that would be slower compute in
    float32. No model is written, and the exit code is 3, if it would have no advantage: with ptq
    and dynamic, if no layer computes with integers, the model is more than 2 % slower, or it is
    neither faster nor smaller; with the other methods, if its weights are not smaller. See
    docs/quantization.md.

    Example: `oarlock quantize net --data calibration.npz --labels y`
    """
    from ..quantization.programs.quantize import QuantizationSettings  # noqa: PLC0415
    from .quantize import quantize_report_and_write_if_gain  # noqa: PLC0415

    settings = QuantizationSettings(
        method,
        calibration,
        keep,
        max_drop,
        weight_storage,
        symmetric_activations,
        not ignore_speed,
        run_timeout,
    )
    code = quantize_report_and_write_if_gain(prefix, data, out, labels, plot, settings, quiet)
    if code:
        sys.exit(code)


@app.command()
@wrap_to_print_error_and_exit
def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="models: MODEL or NAME=MODEL")
    ],
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="port to listen on; 0: a free one")
    ] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="requests that run at once")] = 2,
    queue: Annotated[
        int,
        typer.Option(min=0, help="requests that may wait; more are rejected with status 503"),
    ] = 64,
    max_request_mb: Annotated[
        float,
        typer.Option(min=0.001, help="limit of one request body, also after decompression"),
    ] = 64,
    max_memory_mb: Annotated[
        float,
        typer.Option(
            min=0.001,
            help="limit of all request bodies and responses in memory together, in MB; more "
            "requests are rejected with status 503",
        ),
    ] = 512,
    request_timeout: Annotated[
        float, typer.Option(min=0.1, help="seconds in which a request body must arrive")
    ] = 30,
    idle_timeout: Annotated[
        float, typer.Option(min=0.1, help="seconds between two chunks of a request body")
    ] = 5,
    allow_remote: Annotated[
        bool,
        typer.Option("--allow-remote", help="allow an address that other machines can reach"),
    ] = False,
    locate_guards: Annotated[
        bool,
        typer.Option("--locate-guards", help="after a failed run, report the violated guard"),
    ] = False,
    access_log: Annotated[
        bool,
        typer.Option(help="write one line per request to standard error, see docs/serving.md"),
    ] = True,
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
    memory: Memory = "steady",
) -> None:
    """Serve models over HTTP with the Open Inference Protocol v2 (KServe, Triton clients).

    The server describes itself at /docs and /openapi.json; Prometheus metrics are at /metrics.

    Example: `oarlock serve classifier=models/net --port 8000 --workers 4`
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
        "memory": memory,
        "locate_guards": locate_guards,
    }
    sys.exit(serve_models(models, host, port, allow_remote, access_log, limits, **options))


@app.command()
@wrap_to_print_error_and_exit
def run(
    prefix: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="path without suffix of m.pdmodel or m.json; with images: a model directory with "
            "inference.yml or infer_cfg.yml",
        ),
    ],
    images: Annotated[
        list[str],
        typer.Argument(
            metavar="IMAGES...", help="image files for the pipeline of the model directory"
        ),
    ] = [],  # noqa: B006
    input: Annotated[
        Path | None,
        typer.Option("--input", "-i", help=".npz file; arrays named as inputs, or in0, in1, ..."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=".npz file to write; arrays named as outputs; images: folder for results as .json "
            "and as annotated images",
        ),
    ] = None,
    rec: Annotated[
        str | None,
        typer.Option(help="images: directory for text recognition after text detection"),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="images: print one JSON object per image")
    ] = False,
    batch_size: Annotated[
        int | None,
        typer.Option(min=1, help="images, or lines of text with --rec, per run of the network"),
    ] = None,
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
    memory: Memory = "steady",
) -> None:
    """Run a model on the arrays of an .npz file, or run a model directory of PaddleX, PaddleOCR or
    PaddleDetection on images.

    Example: `oarlock run net --input in.npz --output out.npz`
    """
    options = {"device": device, "threads": threads, "cache_dir": cache_dir, "memory": memory}
    if images:
        if input is not None:
            raise CommandLineError("give images or --input, not both")
        from .pipeline import run_pipeline  # noqa: PLC0415

        run_pipeline(prefix, images, rec, output, json, batch_size, **options)
        return
    if input is None or output is None:
        raise CommandLineError(
            "give --input IN.npz and --output OUT.npz, or images for a model directory"
        )
    from .model import run_model  # noqa: PLC0415

    run_model(prefix, input, output, **options)


@app.command(name="pipeline-config")
@wrap_to_print_error_and_exit
def pipeline_config(
    directory: Annotated[
        str,
        typer.Argument(
            metavar="DIRECTORY", help="a model directory with inference.yml or infer_cfg.yml"
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="file to write; default: inference.yml.config.json or infer_cfg.yml.config.json "
            "in the directory",
        ),
    ] = None,
) -> None:
    """Write the settings of a model directory as JSON, for pipelines in C++.

    Example: `oarlock pipeline-config PP-OCRv5_mobile_det_infer`
    """
    from .pipeline import write_pipeline_config  # noqa: PLC0415

    write_pipeline_config(directory, output)


@app.command()
@wrap_to_print_error_and_exit
def bench(
    prefix: Prefix,
    shape: Annotated[
        list[str],
        typer.Option(
            help="shape of an input, as NAME=1,3,224,224; dynamic dimensions are 1 by default, or "
            "larger where 1 is not valid"
        ),
    ] = [],  # noqa: B006
    warmup: Annotated[int, typer.Option(min=0, help="runs that are not measured")] = 3,
    repeat: Annotated[int, typer.Option(min=1, help="measured runs")] = 50,
    device: Device = "cpu",
    threads: Threads = 0,
    cache_dir: CacheDir = "",
    memory: Memory = "steady",
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Time a model: load, first run, and percentiles of further runs.

    `oarlock-runner bench` has more options.

    Example: `oarlock bench net --shape x=64,4 --threads 1`
    """
    from .bench import measure_and_print_model_times  # noqa: PLC0415

    measure_and_print_model_times(
        prefix,
        shape,
        warmup,
        repeat,
        json,
        device=device,
        threads=threads,
        cache_dir=cache_dir,
        memory=memory,
    )


@app.command()
@wrap_to_print_error_and_exit
def doctor() -> None:
    """Print the installed versions, and run a small model on each device. The exit code is 1 if a
    device, the cache folder or the installation of ONNX Runtime does not work.

    Example: `oarlock doctor`
    """
    from .doctor import print_installation_and_check_devices  # noqa: PLC0415

    print_installation_and_check_devices()


@app.command(
    name="run-script",
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
@wrap_to_print_error_and_exit
def run_script(
    context: typer.Context,
    api: Annotated[
        str | None,
        typer.Option(
            help="the Paddle version to emulate: 1.8, 2.4 or 2.6; default: detected from the script"
        ),
    ] = None,
) -> None:
    """Run an unchanged script that imports paddle: `oarlock run-script train.py ARGUMENTS` or
    `oarlock run-script -m module ARGUMENTS`. The exit code is that of the script.

    Example: `oarlock run-script --api 2.4 train.py --epochs 3`
    """
    from ..compat.run_script import exec_script_with_oarlock_as_paddle  # noqa: PLC0415

    if not context.args:
        raise CommandLineError("no script; give a path, or -m MODULE")
    sys.exit(exec_script_with_oarlock_as_paddle(context.args, api))
