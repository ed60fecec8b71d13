"""PaddleSlim's functions for the quantization of saved models: `quant_post_static` and
`quant_post_dynamic`.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ...core import cuda
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...jit.verify import describe_loops
from ...loader.model_files import MODEL, ModelFileContents, read_model
from ...loader.program_engine import create_engine_of_files
from .calibration_data import (
    CalibrationData,
    check_engine_accepts_batch,
    check_is_finite,
    synthetic_calibration_data,
)
from .fold_batch_norm import fold_batch_norms
from .layers import CONV_OPS, MATMUL_OPS, find_layers_with_constant_weights
from .model import ProgramWithValues
from .quantize import QuantizationSettings, quantize_model
from .write import write_and_verify_model

PathLike = str | os.PathLike[str]
Batches = Callable[[], Iterable[Any]] | Iterable[Any]

DEFAULT_OP_TYPES = ("conv2d", "depthwise_conv2d", "conv2d_transpose", "mul", "matmul", "matmul_v2")
HIST_PERCENT = 0.9999
_ALGORITHMS = {"hist": "percentile", "KL": "kl", "abs_max": "absmax"}
_ACTIVATION_TYPES = ("range_abs_max", "moving_average_abs_max")
_BACKENDS = ("tensorrt", "mkldnn", "arm")


def quant_post_static(
    executor: Any,
    model_dir: PathLike,
    quantize_model_path: PathLike,
    batch_generator: Callable[[], Iterable[Any]] | None = None,
    sample_generator: Callable[[], Iterable[Any]] | None = None,
    data_loader: Batches | None = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    save_model_filename: str = "model.pdmodel",
    save_params_filename: str | None = "model.pdiparams",
    batch_size: int = 1,
    batch_nums: int | None = None,
    scope: Any = None,
    algo: str = "hist",
    round_type: str = "round",
    hist_percent: float = HIST_PERCENT,
    bias_correction: bool = False,
    quantizable_op_type: Sequence[str] = DEFAULT_OP_TYPES,
    is_full_quantize: bool = False,
    weight_bits: int = 8,
    activation_bits: int = 8,
    activation_quantize_type: str = "range_abs_max",
    weight_quantize_type: str = "channel_wise_abs_max",
    optimize_model: bool = False,
    onnx_format: bool = True,
    skip_tensor_list: Sequence[str] | None = None,
    deploy_backend: str | None = None,
) -> None:
    """Quantize the weights and activations of a saved model to eight bits, with thresholds of
    activations from calibration data; `paddleslim.quant.quant_post_static`.

    With s = max|w| of an output channel and threshold t of an activation:
    w' = round(w / s * 127) * s / 127, x' = clip(round(x / t * 127), -128, 127) * t / 127

    It is ``oarlock quantize --method ptq --calibration percentile --symmetric-activations
    --ignore-speed``, with the calibration of `algo`, so batch normalization is always folded. A
    layer that cannot be quantized, or whose signal-to-noise ratio falls below 10 dB, remains
    float32, with a warning that names it.

    Parameters
    ----------
    executor, scope : any
        Not used: calibration runs in the engine.
    model_dir : str or path
        Folder of the float model, or its path prefix.
    quantize_model_path : str or path
        Folder of the quantized model.
    batch_generator : callable, optional
        Called without arguments, it returns an iterable of batches: dicts from the names of inputs
        to arrays or tensors [N, *], or lists of these in the order of the inputs.
    sample_generator : callable, optional
        The same with samples [*] instead of batches, as lists. Every `batch_size` samples become
        a batch; the rest is not used.
    data_loader : DataLoader, iterable or callable, optional
        Batches, as those of `batch_generator`. One of the three sources of data must be given.
    model_filename, params_filename : str, optional
        Files in `model_dir`; by default `model.*`, `inference.*` or `__model__`.
    save_model_filename : str, default "model.pdmodel"
        File of the quantized program. The parameters are in a file of the same stem:
        `save_params_filename` is not used, as in Paddle 2.6.
    batch_size : int, default 1
        Of `sample_generator`.
    batch_nums : int, optional
        The largest number of batches; by default all.
    algo : "hist", "KL" or "abs_max", default "hist"
        Threshold of an activation: 99.99 % of the absolute values are smaller; the least
        Kullback-Leibler divergence; the largest value.
    quantizable_op_type : list of str
        Op types of layers to quantize: `conv2d`, `depthwise_conv2d`, `conv2d_transpose`, `mul`,
        `matmul`, `matmul_v2`, `fc`.
    is_full_quantize : bool, default False
        Quantize layers of all these types.
    skip_tensor_list : list of str, optional
        Layers that read one of these variables remain float32.
    activation_quantize_type : "range_abs_max" or "moving_average_abs_max"
        Without effect, like `optimize_model` and `deploy_backend` (None, "TensorRT", "MKLDNN" or
        "ARM"): the files suit all of them.
    round_type, hist_percent, bias_correction, weight_bits, activation_bits, weight_quantize_type, \
onnx_format
        Only the defaults are supported.

    Raises
    ------
    OpError
        For an unsupported argument, data that the model rejects or that contains NaN or infinity,
        unknown names in `skip_tensor_list`, or if no layer can be quantized. No file is written.
    FileError
        If the model cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> net = nn.Sequential(nn.Conv2D(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10))
    >>> spec = [paddle.static.InputSpec([None, 1, 8, 8], "float32", "x")]
    >>> paddle.jit.save(net, f"{folder}/float/model", input_spec=spec)
    >>> x = np.random.default_rng(0).standard_normal((64, 1, 8, 8)).astype("float32")
    >>> paddle.quantization.quant_post_static(
    ...     None, f"{folder}/float", f"{folder}/int8", data_loader=[{"x": x}]
    ... )
    >>> quantized = paddle.jit.load(f"{folder}/int8/model")
    >>> bool((quantized(x) - net(paddle.to_tensor(x))).abs().max() < 0.1)
    True
    """
    del executor, scope, save_params_filename, optimize_model
    _require_allowed_value("algo", algo, _ALGORITHMS)
    _require_allowed_value("round_type", round_type, ["round"])
    _require_allowed_value("hist_percent", hist_percent, [HIST_PERCENT])
    _require_allowed_value("bias_correction", bias_correction, [False])
    _require_allowed_value("weight_bits", weight_bits, [8])
    _require_allowed_value("activation_bits", activation_bits, [8])
    _require_allowed_value("activation_quantize_type", activation_quantize_type, _ACTIVATION_TYPES)
    _require_allowed_value("weight_quantize_type", weight_quantize_type, ["channel_wise_abs_max"])
    _require_allowed_value("onnx_format", onnx_format, [True])
    if deploy_backend is not None:
        _require_allowed_value("deploy_backend", deploy_backend.lower(), _BACKENDS)
    types = (*CONV_OPS, *MATMUL_OPS) if is_full_quantize else quantizable_op_type
    batches = _batches_of_only_given_source(
        batch_generator, sample_generator, data_loader, batch_size
    )
    files = read_model(model_dir, model_filename, params_filename)
    keep = _pattern_of_float_layers(files, types, skip_tensor_list or ())
    data = _checked_calibration_data_of_batches(batches, batch_nums, files)
    settings = QuantizationSettings(
        calibration=_ALGORITHMS[algo],
        keep=keep,
        has_symmetric_activations=True,
        selects_by_speed=False,
    )
    _quantize_and_write(files, data, settings, [quantize_model_path], save_model_filename)


def quant_post_dynamic(
    model_dir: PathLike,
    save_model_dir: PathLike,
    model_filename: str | None,
    params_filename: str | None,
    save_model_filename: str = "model.pdmodel",
    save_params_filename: str | None = "model.pdiparams",
    quantizable_op_type: Sequence[str] = ("conv2d", "mul"),
    weight_bits: int = 8,
    generate_test_model: bool = False,
) -> None:
    """Quantize the weights of a saved model to eight bits, with arithmetic in float32;
    `paddleslim.quant.quant_post_dynamic`.

    With s = max|w| of an output channel: w' = round(w / s * 127) * s / 127

    It is ``oarlock quantize --method weight-only``: despite the name, activations are not
    quantized. The model is written to the folder `quantized_model` in `save_model_dir`. Unlike
    PaddleSlim's, it also runs in Paddle itself.

    Parameters
    ----------
    model_dir, model_filename, params_filename, save_model_filename, save_params_filename
        As in `quant_post_static`.
    save_model_dir : str or path
        Folder of `quantized_model`.
    quantizable_op_type : list of str, default ["conv2d", "mul"]
        Op types of layers to quantize, as in `quant_post_static`. A Linear of Paddle 2 is a
        `matmul_v2`.
    weight_bits : int, default 8
        Only 8 is supported.
    generate_test_model : bool, default False
        Write the same model to `test_model`, too.

    Raises
    ------
    OpError
        For an unsupported argument, or if no layer can be quantized. No file is written.
    FileError
        If the model cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    >>> spec = [paddle.static.InputSpec([None, 64], "float32", "x")]
    >>> paddle.jit.save(net, f"{folder}/net", input_spec=spec)
    >>> paddle.quantization.quant_post_dynamic(
    ...     folder, folder, "net.pdmodel", "net.pdiparams", quantizable_op_type=["matmul_v2"]
    ... )
    >>> quantized = paddle.jit.load(f"{folder}/quantized_model/model")
    >>> x = paddle.ones([2, 64])
    >>> bool((quantized(x) - net(x)).abs().max() < 0.1)
    True
    """
    del save_params_filename
    _require_allowed_value("weight_bits", weight_bits, [8], "quant_post_dynamic")
    files = read_model(model_dir, model_filename, params_filename)
    keep = _pattern_of_float_layers(files, quantizable_op_type, (), "quant_post_dynamic")
    try:
        engine = create_engine_of_files(files, cache_dir="none")
        data = synthetic_calibration_data(engine, files)
    except OpError as error:
        raise OpError(
            append_user_line(
                "quant_post_dynamic: the model rejects generated inputs; use `oarlock quantize "
                "--method weight-only --data`"
            )
        ) from error
    settings = QuantizationSettings("weight-only", keep=keep)
    folders = ["quantized_model", *(["test_model"] if generate_test_model else [])]
    targets = [os.path.join(save_model_dir, folder) for folder in folders]
    _quantize_and_write(files, data, settings, targets, save_model_filename, "quant_post_dynamic")


def _require_allowed_value(
    argument: str, value: Any, allowed: Collection[Any], caller: str = "quant_post_static"
) -> None:
    if value not in allowed:
        names = " or ".join(map(repr, allowed))
        raise OpError(append_user_line(f"{caller}: {argument} must be {names}, not {value!r}"))


def _pattern_of_float_layers(
    files: ModelFileContents,
    types: Sequence[str],
    skipped: Sequence[str],
    caller: str = "quant_post_static",
) -> str:
    """Return a regular expression for the layers of other op types, and for those that read a
    skipped variable.

    Raises OpError for unknown types and variables.
    """
    for type in types:
        _require_allowed_value("quantizable_op_type", type, (*CONV_OPS, *MATMUL_OPS), caller)
    unknown = sorted(set(skipped) - files.program.block.vars.keys())
    if unknown:
        raise OpError(
            append_user_line(
                f"{caller}: skip_tensor_list: the program lacks the variables {unknown}"
            )
        )
    outputs_of_skipped_ops = {
        name
        for op in files.program.block.ops
        if not set(skipped).isdisjoint(op.input_names())
        for name in op.output_names()
    }
    folded = fold_batch_norms(ProgramWithValues(files.program, dict(files.values)))
    outputs = [
        layer.output
        for layer in find_layers_with_constant_weights(folded, files.info)
        if layer.type not in types or layer.op_output in outputs_of_skipped_ops
    ]
    return "|".join(f"^{re.escape(name)}$" for name in outputs)


def _batches_of_only_given_source(
    batch_generator: Callable[[], Iterable[Any]] | None,
    sample_generator: Callable[[], Iterable[Any]] | None,
    data_loader: Batches | None,
    batch_size: int,
) -> Iterable[Any]:
    """Return the batches of the source of calibration data that is given (batch_generator,
    sample_generator or data_loader); raise OpError unless exactly one is given.
    """
    sources = {
        "batch_generator": batch_generator,
        "sample_generator": sample_generator,
        "data_loader": data_loader,
    }
    given = [name for name, source in sources.items() if source is not None]
    if len(given) != 1:
        raise OpError(
            append_user_line(
                "quant_post_static: one of batch_generator, sample_generator and data_loader must "
                f"be given, not {given or 'none'}"
            )
        )
    source: Any = sources[given[0]]
    items = source() if callable(source) else source
    if given == ["sample_generator"]:
        if batch_size < 1:
            raise OpError(
                append_user_line(
                    f"quant_post_static: batch_size must be positive, not {batch_size}"
                )
            )
        return _iter_batches_of_samples(items, batch_size)
    return items


def _iter_batches_of_samples(samples: Iterable[Any], batch_size: int) -> Iterator[Any]:
    iterator = iter(samples)
    while len(rows := list(islice(iterator, batch_size))) == batch_size:
        fields = [row if isinstance(row, list | tuple) else [row] for row in rows]
        yield [np.stack([_to_array(x) for x in column]) for column in zip(*fields, strict=True)]


def _checked_calibration_data_of_batches(
    batches: Iterable[Any], limit: int | None, files: ModelFileContents
) -> CalibrationData:
    engine = create_engine_of_files(files, cache_dir="none")
    names = [name for name, _, _ in engine.inputs]
    if limit is not None and limit < 0:
        raise OpError(append_user_line(f"quant_post_static: batch_nums={limit} is negative"))
    data, loops = CalibrationData({}), describe_loops(files.program)
    for i, batch in enumerate(islice(batches, limit or None)):
        origin = f"batch {i}"
        feeds = _arrays_by_input_name(batch, names, origin)
        check_is_finite(origin, feeds)
        check_engine_accepts_batch(origin, feeds, engine, loops)
        data.batches.append(feeds)
    if not data.batches:
        raise OpError(append_user_line("quant_post_static: the data contains no batch"))
    data.sample = data.batches[0]
    return data


def _arrays_by_input_name(batch: Any, names: list[str], origin: str) -> dict[str, Any]:
    """Return a batch as arrays by the names of the inputs."""
    if isinstance(batch, list | tuple) and len(batch) == 1 and isinstance(batch[0], Mapping):
        batch = batch[0]
    if isinstance(batch, Mapping):
        missing = sorted(set(names) - batch.keys())
        if missing:
            raise OpError(
                append_user_line(
                    f"quant_post_static: {origin} lacks the inputs {missing} (it has "
                    f"{sorted(batch)})"
                )
            )
        return {name: _to_array(batch[name]) for name in names}
    values = batch if isinstance(batch, list | tuple) else [batch]
    if len(values) != len(names):
        raise OpError(
            append_user_line(
                f"quant_post_static: {origin} has {len(values)} arrays for the inputs {names}"
            )
        )
    return {name: _to_array(value) for name, value in zip(names, values, strict=True)}


def _to_array(value: Any) -> Any:
    return cuda.to_host(value.array) if isinstance(value, Tensor) else np.asarray(value)


def _quantize_and_write(
    files: ModelFileContents,
    data: CalibrationData,
    settings: QuantizationSettings,
    folders: Sequence[PathLike],
    file_name: str,
    caller: str = "quant_post_static",
) -> None:
    """Quantize a model, warn of layers that remain float32, and write it to each folder."""
    result = quantize_model(files, data, settings, lambda *_: None)
    if result.no_gain_reason:
        raise OpError(append_user_line(f"{caller}: no model was written: {result.no_gain_reason}"))
    problems = [
        f"{layer.name} ({layer.type}): {layer.reason}"
        for layer in result.report.layers
        if layer.reason and "--keep" not in layer.reason
    ]
    if problems:
        warnings.warn(
            f"{caller}: layers that are not fully quantized: {'; '.join(problems)}", stacklevel=3
        )
    stem = file_name.removesuffix(MODEL)
    for folder in folders:
        write_and_verify_model(
            files, result.model, os.path.join(folder, stem), data.sample, "paddle2"
        )
