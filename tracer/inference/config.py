"""`inference.Config`: the model files and the options of the engine."""

from __future__ import annotations

import os
from typing import Any

from ..core.errors import OpError
from ..loader.model_files import PARAMS, existing_program_suffix, model_prefix
from .enums import PrecisionType
from .option_table import format_option_table

_UNSUPPORTED_DEVICES = {
    "dlnne",
    "ipu",
    "lite_engine",
    "opencl",
    "xpu",
    "custom_device",
    "nnadapter",
    "mkldnn_int8",
    "quantizer",
    "tensorrt_dla",
}


class Config:
    """The model and the engine options of a Predictor.

    Config(prog_file, params_file), Config(prefix), Config(model_dir) or, as in Paddle 3,
    Config(model_dir, file_prefix) for the files of that prefix in a folder. Options of Paddle's own
    engine (IR passes, memory reuse, oneDNN, log levels) are accepted and have no effect. Devices
    other than CPU, CUDA and TensorRT raise OpError.
    """

    Precision = PrecisionType

    def __init__(self, model: str | None = None, params: str | None = None) -> None:
        self._prog, self._params, self._dir = "", "", ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._options: dict[str, Any] = {"threads": 1}
        self._provider: dict[str, str] = {}
        self._flags = {
            "ir_optim": True,
            "mkldnn": True,
            "glog_info_disabled": False,
            "memory_optim": False,
        }
        self._pool_mb = 0
        if model is not None:
            self.set_model(model, params)

    # -- model files
    # ----------------------------------------------------------------------------------------------

    def set_model(self, model: str, params: str | None = None) -> None:
        """Set the files of the model: program and parameter file; or only a folder or a path
        prefix, without `params`; or a folder and the prefix of the files in it.
        """
        model = os.fspath(model)
        self._dir = ""
        if params and os.path.isdir(model):
            model, params = os.path.join(model, params), None
        if params is None and os.path.isdir(model):
            self._dir, self._prog, self._params = model, "", ""
        elif params is None:
            prefix = model_prefix(model)
            self._prog = prefix + existing_program_suffix(model, prefix)
            self._params = prefix + PARAMS
        else:
            self._prog, self._params = model, os.fspath(params)
        self._buffers = None

    def set_prog_file(self, path: str) -> None:
        """Set the path of the program file."""
        self._prog, self._dir, self._buffers = os.fspath(path), "", None

    def set_params_file(self, path: str) -> None:
        """Set the path of the parameter file."""
        self._params, self._dir, self._buffers = os.fspath(path), "", None

    def set_model_buffer(
        self, prog: bytes, prog_size: int, params: bytes, params_size: int
    ) -> None:
        """Set the contents of the program file and of the parameter file, as bytes."""
        self._buffers = (bytes(prog[:prog_size]), bytes(params[:params_size]))

    def model_dir(self) -> str:
        """Return the folder given to the last `set_model`; '' if files or a prefix were set."""
        return self._dir

    def prog_file(self) -> str:
        """Return the path of the program file."""
        return self._prog

    def params_file(self) -> str:
        """Return the path of the parameter file."""
        return self._params

    def model_from_memory(self) -> bool:
        """Return whether the model was set as bytes by `set_model_buffer`."""
        return self._buffers is not None

    # -- device
    # ---------------------------------------------------------------------------------------------

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int,
        device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:
        """Run on a GPU.

        memory_pool_init_size_mb: stored without effect; the engine allocates memory on demand
        """
        _require_float32(precision_mode, "enable_use_gpu")
        self._pool_mb = memory_pool_init_size_mb
        self._options |= {"device": "cuda", "device_id": device_id}

    def disable_gpu(self) -> None:
        """Run on the CPU."""
        self._options.pop("device", None)

    def use_gpu(self) -> bool:
        """Return whether the model runs on a GPU."""
        return self._options.get("device", "cpu") != "cpu"

    def gpu_device_id(self) -> int:
        """Return the index of the GPU."""
        return self._options.get("device_id", 0)

    def memory_pool_init_size_mb(self) -> int:
        """Return the `memory_pool_init_size_mb` of `enable_use_gpu`."""
        return self._pool_mb

    def enable_tensorrt_engine(
        self,
        workspace_size: int = 1 << 30,
        max_batch_size: int = 1,
        min_subgraph_size: int = 3,
        precision_mode: PrecisionType = PrecisionType.Float32,
        use_static: bool = False,
        use_calib_mode: bool = False,
        use_cuda_graph: bool = False,
    ) -> None:
        """Run on a GPU through TensorRT.

        use_static: cache the built engines, in the folder of `set_optim_cache_dir` or else in the
        model's folder
        """
        if precision_mode in (PrecisionType.Int8, PrecisionType.Bfloat16):
            raise OpError(
                f"enable_tensorrt_engine: precision_mode must be Float32 or Half, not "
                f"{precision_mode.name}"
            )
        self._options |= {"device": "tensorrt", "fp16": precision_mode == PrecisionType.Half}
        self._provider |= {
            "trt_max_workspace_size": str(workspace_size),
            "trt_min_subgraph_size": str(min_subgraph_size),
            "trt_cuda_graph_enable": str(int(use_cuda_graph)),
        }
        if use_static:
            self._options.setdefault("cache_dir", self._dir or os.path.dirname(self._prog) or ".")

    def tensorrt_engine_enabled(self) -> bool:
        """Return whether the model runs with TensorRT."""
        return self._options.get("device") == "tensorrt"

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: dict[str, list[int]],
        max_input_shape: dict[str, list[int]],
        optim_input_shape: dict[str, list[int]],
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Set the shape ranges for which TensorRT builds engines, as dicts from input to shape."""
        if not min_input_shape.keys() == max_input_shape.keys() == optim_input_shape.keys():
            raise OpError("set_trt_dynamic_shape_info: the three dicts have different keys")
        for kind, shapes in (
            ("min", min_input_shape),
            ("max", max_input_shape),
            ("opt", optim_input_shape),
        ):
            text = ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in shapes.items())
            self._provider[f"trt_profile_{kind}_shapes"] = text

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Whether `set_trt_dynamic_shape_info` was called."""
        return "trt_profile_opt_shapes" in self._provider

    # -- options
    # --------------------------------------------------------------------------

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        """Set the number of threads per op. The default number is 1; 0 leaves the choice to the
        engine.
        """
        if count < 0:
            raise OpError(f"set_cpu_math_library_num_threads: count must be >= 0, not {count}")
        self._options["threads"] = count

    def cpu_math_library_num_threads(self) -> int:
        """Return the number of threads per op; 0 stands for the choice of the engine."""
        return self._options["threads"]

    def switch_ir_optim(self, x: bool = True) -> None:
        """Enable or disable the engine's graph optimizations."""
        self._flags["ir_optim"] = bool(x)
        self._options["optimize"] = 99 if x else 0

    def ir_optim(self) -> bool:
        """Return whether the engine's graph optimizations are enabled."""
        return self._flags["ir_optim"]

    def set_optim_cache_dir(self, path: str) -> None:
        """Set the folder in which optimized graphs and TensorRT engines are cached."""
        self._options["cache_dir"] = os.fspath(path)

    def enable_profile(self) -> None:
        """Write a Chrome trace of every run to `oarlock_profile_*.json` in the current folder."""
        self._options["profile"] = "oarlock_profile"

    def disable_glog_info(self) -> None:
        """Accepted without effect, because the engine does not write logs."""
        self._flags["glog_info_disabled"] = True

    def glog_info_disabled(self) -> bool:
        """Whether disable_glog_info was called."""
        return self._flags["glog_info_disabled"]

    def enable_memory_optim(self, x: bool = True) -> None:
        """Accepted without effect, because the engine always reuses the memory of intermediate
        tensors.
        """
        self._flags["memory_optim"] = bool(x)

    def enable_mkldnn(self) -> None:
        """Accepted without effect, because the engine has its own kernels for the CPU."""
        self._flags["mkldnn"] = True

    def disable_mkldnn(self) -> None:
        """Accepted without effect, like `enable_mkldnn`, except that `mkldnn_enabled` returns
        False.
        """
        self._flags["mkldnn"] = False

    def mkldnn_enabled(self) -> bool:
        """Return False if `disable_mkldnn` was called, else True. MKLDNN is not used in any
        case.
        """
        return self._flags["mkldnn"]

    def onnxruntime_enabled(self) -> bool:
        """Return True: ONNX Runtime always runs the model."""
        return True

    def summary(self) -> str:
        """Return a text table of the options."""
        return format_option_table(self._summary_rows())

    def _summary_rows(self) -> list[tuple[str, Any]]:
        """Return pairs of option and value, the rows of the table that `summary` returns."""
        model = (
            [("model_dir", self.model_dir())]
            if self.model_dir()
            else [("model_file", self.prog_file()), ("params_file", self.params_file())]
        )
        device: list[tuple[str, Any]] = [("use_gpu", self.use_gpu())]
        if self.use_gpu():
            device += [
                ("gpu_device_id", self.gpu_device_id()),
                ("use_tensorrt", self.tensorrt_engine_enabled()),
            ]
        options = [
            ("cpu_math_thread", self.cpu_math_library_num_threads()),
            ("ir_optim", self.ir_optim()),
        ]
        return [*model, *device, *options]

    def __getattr__(self, name: str) -> Any:
        """Return a function without effect for a method of Paddle's Config that Oarlock ignores.
        Raise OpError for a method that selects an unsupported device.
        """
        if name.startswith("enable_") and name.removeprefix("enable_") in _UNSUPPORTED_DEVICES:
            raise OpError(
                f"{name}: this device or mode is not supported; use the CPU, CUDA or TensorRT"
            )
        if name in _IGNORED_METHODS:
            return _ignore_call
        raise AttributeError(f"'Config' has no attribute {name!r}")


# Methods of Paddle's Config that are accepted without effect, because they configure Paddle's
# passes, logs and executors.
_IGNORED_METHODS = frozenset(
    (
        "delete_pass",
        "disable_mkldnn_fc_passes",
        "disable_onnxruntime",
        "enable_mkldnn_bfloat16",
        "enable_new_executor",
        "enable_onnxruntime",
        "enable_ort_optimization",
        "enable_save_optim_model",
        "enable_tensorrt_memory_optim",
        "enable_tensorrt_varseqlen",
        "exp_disable_tensorrt_ops",
        "set_mkldnn_cache_capacity",
        "set_mkldnn_op",
        "switch_ir_debug",
        "switch_specify_input_names",
        "switch_use_feed_fetch_ops",
    )
)


def _ignore_call(*args: Any, **kwargs: Any) -> None:
    """Do nothing. The function is returned in place of methods of Paddle's Config that have no
    effect in Oarlock.
    """


def _require_float32(precision: PrecisionType, function: str) -> None:
    if precision != PrecisionType.Float32:
        raise OpError(
            f"{function}: precision_mode must be Float32, not {precision.name}; models run in the "
            f"precision in which they were saved"
        )
