"""PaddleSlim's functions beside `oarlock quantize`: arguments, sources of data, files, errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OpError
from oarlock.io import DataLoader, Dataset
from oarlock.loader.model_files import read_model
from oarlock.quantization import quant_post_dynamic, quant_post_static
from oarlock.quantization.programs.calibration_data import CalibrationData
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_and_verify_model

from .networks import attention_model, images, residual_model, save, sequences

BATCHES = [images()[:8], images()[8:]]
CALIBRATION = {"hist": "percentile", "KL": "kl", "abs_max": "absmax"}


class Images(Dataset):  # type: ignore[type-arg]
    """One field: the image."""

    def __len__(self) -> int:
        return len(images())

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return (images()[index],)


def samples() -> Iterator[list[Any]]:
    for image in images():
        yield [image]


SOURCES: dict[str, Callable[[], dict[str, Any]]] = {
    "dicts": lambda: {"data_loader": [{"x": x} for x in BATCHES]},
    "lists": lambda: {"data_loader": [[x] for x in BATCHES]},
    "lists of dicts of tensors": lambda: {
        "data_loader": [[{"x": paddle.to_tensor(x)}] for x in BATCHES]
    },
    "iterator": lambda: {"data_loader": iter(BATCHES)},
    "callable": lambda: {"data_loader": lambda: iter(BATCHES)},
    "DataLoader": lambda: {"data_loader": DataLoader(Images(), batch_size=8)},
    "batch_generator": lambda: {"batch_generator": lambda: ([x] for x in BATCHES)},
    "sample_generator": lambda: {"sample_generator": samples, "batch_size": 8},
    "sample_generator with a rest": lambda: {
        "sample_generator": lambda: iter([*images(), images()[0] * 100]),
        "batch_size": 8,
    },
    "batch_nums": lambda: {
        "data_loader": [*([x] for x in BATCHES), [images() * 100]],
        "batch_nums": 2,
    },
}


def quantize_by_settings(prefix: str, target: Path, settings: QuantizationSettings) -> None:
    batches = [{"x": x} for x in BATCHES]
    files = read_model(prefix)
    result = quantize_model(files, CalibrationData(batches[0], batches), settings, lambda *_: None)
    write_and_verify_model(files, result.model, target, batches[0])


def program_and_parameters(prefix: Path) -> list[bytes]:
    return [Path(f"{prefix}{suffix}").read_bytes() for suffix in (".pdmodel", ".pdiparams")]


@pytest.mark.parametrize("source", SOURCES)
def test_all_sources_of_data_give_the_same_files(source: str, tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    settings = QuantizationSettings(
        calibration="percentile", has_symmetric_activations=True, selects_by_speed=False
    )
    quantize_by_settings(prefix, tmp_path / "wanted", settings)
    assert quant_post_static(None, prefix, tmp_path / "q", **SOURCES[source]()) is None
    assert program_and_parameters(tmp_path / "q" / "model") == program_and_parameters(
        tmp_path / "wanted"
    )


@pytest.mark.parametrize("algo", CALIBRATION)
def test_algorithms(algo: str, tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    settings = QuantizationSettings(
        calibration=CALIBRATION[algo], has_symmetric_activations=True, selects_by_speed=False
    )
    quantize_by_settings(prefix, tmp_path / "wanted", settings)
    quant_post_static(None, prefix, tmp_path / "q", data_loader=BATCHES, algo=algo)
    assert program_and_parameters(tmp_path / "q" / "model") == program_and_parameters(
        tmp_path / "wanted"
    )


def quantized_layers(prefix: Path) -> set[str]:
    """The inputs of `conv2d` and `matmul_v2` that are dequantized weights, without suffix."""
    return {
        name.removesuffix(".dequantized")
        for op in read_model(prefix).program.ops()
        if op.type in ("conv2d", "matmul_v2")
        for name in op.input_names()
        if name.endswith(".w_0.dequantized")
    }


ALL = {"conv2d_0.w_0", "conv2d_1.w_0", "conv2d_2.w_0", "linear_0.w_0"}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({}, ALL),
        ({"quantizable_op_type": ["matmul_v2"]}, {"linear_0.w_0"}),
        ({"quantizable_op_type": ["conv2d"], "is_full_quantize": True}, ALL),
        ({"quantizable_op_type": ["conv2d"]}, ALL - {"linear_0.w_0"}),
        ({"skip_tensor_list": ["x", "linear_0.w_0"]}, {"conv2d_1.w_0", "conv2d_2.w_0"}),
        ({"deploy_backend": "TensorRT", "optimize_model": True}, ALL),
        ({"activation_quantize_type": "moving_average_abs_max"}, ALL),
    ],
)
def test_selection_of_layers(arguments: dict[str, Any], wanted: set[str], tmp_path: Path) -> None:
    """`conv2d_0` reads x."""
    prefix = residual_model(tmp_path)
    quant_post_static(None, prefix, tmp_path / "q", data_loader=BATCHES, **arguments)
    assert quantized_layers(tmp_path / "q" / "model") == wanted


def test_names_of_files(tmp_path: Path) -> None:
    """As in Paddle 2.6, the suffix is added and the name of the parameter file is not used."""
    folder = tmp_path / "float"
    residual_model(folder)
    quant_post_static(
        None,
        folder,
        tmp_path / "q",
        data_loader=BATCHES,
        model_filename="m.pdmodel",
        params_filename="m.pdiparams",
        save_model_filename="__model__",
        save_params_filename="__params__",
    )
    assert {p.name for p in (tmp_path / "q").iterdir()} == {
        "__model__.pdmodel",
        "__model__.pdiparams",
        "__model__.pdiparams.info",
    }


def test_dynamic_equals_weight_only(tmp_path: Path) -> None:
    prefix = attention_model(tmp_path)
    quant_post_dynamic(
        tmp_path,
        tmp_path / "q",
        "m.pdmodel",
        "m.pdiparams",
        quantizable_op_type=["conv2d", "matmul_v2"],
        generate_test_model=True,
    )
    exact = paddle.jit.load(prefix)(sequences()).numpy()
    weights = {f"linear_{i}.w_0.quantized" for i in range(4)}
    for folder in ("quantized_model", "test_model"):
        files = read_model(tmp_path / "q" / folder / "model")
        assert {name for name, a in files.values.items() if a.dtype == np.int8} == weights
        found = paddle.jit.load(str(tmp_path / "q" / folder / "model"))(sequences()).numpy()
        assert 0 < np.abs(found - exact).max() < 0.02 * np.abs(exact).max()


def test_layers_that_remain_float_are_named(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            return self.a(nn.functional.relu(x - 10)), self.b(x)

    prefix = save(Net(), tmp_path, [None, 4])
    x = np.random.default_rng(0).standard_normal((8, 4)).astype("float32")
    with pytest.warns(
        UserWarning, match=r"layers that are not fully quantized: a \(matmul_v2\): .* is always 0"
    ):
        quant_post_static(None, prefix, tmp_path / "q", data_loader=[x])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algo": "mse"}, "algo must be 'hist' or 'KL' or 'abs_max', not 'mse'"),
        ({"round_type": "adaround"}, "round_type must be 'round', not 'adaround'"),
        ({"hist_percent": 0.99}, "hist_percent must be 0.9999, not 0.99"),
        ({"bias_correction": True}, "bias_correction must be False"),
        ({"weight_bits": 16}, "weight_bits must be 8"),
        ({"activation_bits": 4}, "activation_bits must be 8"),
        ({"activation_quantize_type": "abs_max"}, "activation_quantize_type must be"),
        ({"weight_quantize_type": "abs_max"}, "weight_quantize_type must be"),
        ({"onnx_format": False}, "onnx_format must be True"),
        ({"deploy_backend": "NPU"}, "deploy_backend must be"),
        ({"quantizable_op_type": ["lstm"]}, "quantizable_op_type must be"),
        ({"skip_tensor_list": ["y"]}, r"the program lacks the variables \['y'\]"),
        ({"skip_tensor_list": ["x"], "quantizable_op_type": []}, "all layers remain float32"),
        ({"data_loader": None}, "must be given, not none"),
        (
            {"sample_generator": samples},
            r"must be given, not \['sample_generator', 'data_loader'\]",
        ),
        ({"data_loader": None, "sample_generator": samples, "batch_size": 0}, "batch_size must be"),
        ({"data_loader": None, "sample_generator": samples, "batch_size": 99}, "contains no batch"),
        ({"batch_nums": -1}, "batch_nums=-1 is negative"),
        ({"data_loader": []}, "contains no batch"),
        ({"data_loader": [{"y": images()}]}, r"batch 0 lacks the inputs \['x'\]"),
        ({"data_loader": [[images(), images()]]}, r"batch 0 has 2 arrays for the inputs \['x'\]"),
        ({"data_loader": [images(), images()[0]]}, r"batch 1: input 'x' is float32\[3,16,16\]"),
        ({"data_loader": [images() * np.nan]}, "batch 0: input 'x' contains NaN"),
        ({"data_loader": [images(0)]}, "batch 0: the inputs have no elements"),
    ],
)
def test_invalid_arguments_write_nothing(
    arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    prefix = residual_model(tmp_path)
    with pytest.raises(OpError, match=message):
        quant_post_static(None, prefix, tmp_path / "q", **{"data_loader": BATCHES, **arguments})
    assert not (tmp_path / "q").exists()


def test_invalid_arguments_of_dynamic(tmp_path: Path) -> None:
    residual_model(tmp_path)
    files = ("m.pdmodel", "m.pdiparams")
    with pytest.raises(OpError, match="quant_post_dynamic: weight_bits must be 8, not 16"):
        quant_post_dynamic(tmp_path, tmp_path / "q", *files, weight_bits=16)
    with pytest.raises(OpError, match="quant_post_dynamic: quantizable_op_type must be"):
        quant_post_dynamic(tmp_path, tmp_path / "q", *files, quantizable_op_type=["lstm"])
    assert not (tmp_path / "q").exists()


def test_signatures_are_those_of_paddleslim() -> None:
    """Names and order of the parameters of PaddleSlim 2.6.0."""
    assert (
        list(inspect.signature(quant_post_static).parameters)
        == (
            "executor model_dir quantize_model_path batch_generator sample_generator data_loader "
            "model_filename params_filename save_model_filename save_params_filename batch_size "
            "batch_nums scope algo round_type hist_percent bias_correction quantizable_op_type "
            "is_full_quantize weight_bits activation_bits activation_quantize_type "
            "weight_quantize_type optimize_model onnx_format skip_tensor_list deploy_backend"
        ).split()
    )
    assert (
        list(inspect.signature(quant_post_dynamic).parameters)
        == (
            "model_dir save_model_dir model_filename params_filename save_model_filename "
            "save_params_filename quantizable_op_type weight_bits generate_test_model"
        ).split()
    )
