"""What to run and how."""

from __future__ import annotations

import os
from typing import Any

from ..core.errors import OpError
from .enums import PrecisionType
from .summary import table

_ELSEWHERE = {
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
    """A model and how to run it.

    Config(prog_file, params_file), Config(prefix) or Config(model_dir).  What other engines need
    and this one does not - IR passes, memory reuse, oneDNN, log levels - is accepted and changes
    nothing; devices that the engine does not have are refused.
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
        self._shapes: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self._pool_mb = 0
        if model is not None:
            self.set_model(model, params)

    # -- the model
    # ----------------------------------------------------------------------------------------------

    def set_model(self, model: str, params: str | None = None) -> None:
        """The program and its values; or a folder, or a prefix."""
        model = os.fspath(model)
        if params is None and os.path.isdir(model):
            self._dir, self._prog, self._params = model, "", ""
        elif params is None:
            self._prog, self._params = (
                f"{model.removesuffix('.pdmodel')}.pdmodel",
                f"{model.removesuffix('.pdmodel')}.pdiparams",
            )
        else:
            self._prog, self._params = model, os.fspath(params)
        self._buffers = None

    def set_prog_file(self, path: str) -> None:
        """The program."""
        self._prog = os.fspath(path)

    def set_params_file(self, path: str) -> None:
        """The values of its parameters, in one file."""
        self._params = os.fspath(path)

    def set_model_buffer(
        self, prog: bytes, prog_size: int, params: bytes, params_size: int
    ) -> None:
        """Both files as bytes."""
        self._buffers = (bytes(prog[:prog_size]), bytes(params[:params_size]))

    def model_dir(self) -> str:
        """The folder, '' where two files were given."""
        return self._dir

    def prog_file(self) -> str:
        """The program."""
        return self._prog

    def params_file(self) -> str:
        """The values."""
        return self._params

    def model_from_memory(self) -> bool:
        """Whether the files are bytes."""
        return self._buffers is not None

    # -- the device
    # ---------------------------------------------------------------------------------------------

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int,
        device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:
        """Run on a GPU.

        memory_pool_init_size_mb: kept, and changes nothing: the engine's memory grows as it is
        needed
        """
        _no_half(precision_mode, "enable_use_gpu")
        self._pool_mb = memory_pool_init_size_mb
        self._options |= {"device": "cuda", "device_id": device_id}

    def disable_gpu(self) -> None:
        """Run on the CPU."""
        self._options.pop("device", None)

    def use_gpu(self) -> bool:
        """Whether a GPU was asked for."""
        return self._options.get("device", "cpu") != "cpu"

    def gpu_device_id(self) -> int:
        """The number of the GPU."""
        return self._options.get("device_id", 0)

    def memory_pool_init_size_mb(self) -> int:
        """What enable_use_gpu was given."""
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

        use_static: keep the built engines, in the folder of set_optim_cache_dir or beside the
        model.
        """
        if precision_mode in (PrecisionType.Int8, PrecisionType.Bfloat16):
            raise OpError(
                f"enable_tensorrt_engine: {precision_mode.name} is not there; Float32 and Half are"
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
        """Whether TensorRT was asked for."""
        return self._options.get("device") == "tensorrt"

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: dict[str, list[int]],
        max_input_shape: dict[str, list[int]],
        optim_input_shape: dict[str, list[int]],
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Between which sizes TensorRT builds its engines.   input -> sizes"""
        if not min_input_shape.keys() == max_input_shape.keys() == optim_input_shape.keys():
            raise OpError("set_trt_dynamic_shape_info: the three dicts name different inputs")
        for kind, shapes in (
            ("min", min_input_shape),
            ("max", max_input_shape),
            ("opt", optim_input_shape),
        ):
            text = ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in shapes.items())
            self._provider[f"trt_profile_{kind}_shapes"] = text

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Whether sizes were given."""
        return "trt_profile_opt_shapes" in self._provider

    # -- how
    # --------------------------------------------------------------------------

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        """How many threads compute one op.   Paddle's default, 1, is the default here too"""
        if count < 0:
            raise OpError(f"set_cpu_math_library_num_threads: {count} threads")
        self._options["threads"] = count

    def cpu_math_library_num_threads(self) -> int:
        """How many threads compute one op; 0: the engine's choice."""
        return self._options["threads"]

    def switch_ir_optim(self, x: bool = True) -> None:
        """Whether the graph is optimised before it runs."""
        self._flags["ir_optim"] = bool(x)
        self._options["optimize"] = 99 if x else 0

    def ir_optim(self) -> bool:
        """Whether it is."""
        return self._flags["ir_optim"]

    def set_optim_cache_dir(self, path: str) -> None:
        """Where optimised graphs, and TensorRT's engines, are kept between starts."""
        self._options["cache_dir"] = os.fspath(path)

    def enable_profile(self) -> None:
        """Write a Chrome trace of every run to `oarlock_profile_*.json` in the current folder."""
        self._options["profile"] = "oarlock_profile"

    def disable_glog_info(self) -> None:
        """Nothing is logged in any case."""
        self._flags["glog_info_disabled"] = True

    def glog_info_disabled(self) -> bool:
        """Whether disable_glog_info was called."""
        return self._flags["glog_info_disabled"]

    def enable_memory_optim(self, x: bool = True) -> None:
        """The engine always reuses memory."""
        self._flags["memory_optim"] = bool(x)

    def enable_mkldnn(self) -> None:
        """The engine has CPU kernels of its own."""
        self._flags["mkldnn"] = True

    def disable_mkldnn(self) -> None:
        """As above."""
        self._flags["mkldnn"] = False

    def mkldnn_enabled(self) -> bool:
        """Whether it was left enabled."""
        return self._flags["mkldnn"]

    def onnxruntime_enabled(self) -> bool:
        """Always: that is the engine."""
        return True

    def summary(self) -> str:
        """What is set, as a table."""
        return table(self._summary_rows())

    def _summary_rows(self) -> list[tuple[str, Any]]:
        """The options and values that `summary` lists."""
        where = (
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
        how = [
            ("cpu_math_thread", self.cpu_math_library_num_threads()),
            ("ir_optim", self.ir_optim()),
        ]
        return [*where, *device, *how]

    def __getattr__(self, name: str) -> Any:
        """What changes nothing here, and what is refused."""
        if name.startswith("enable_") and name.removeprefix("enable_") in _ELSEWHERE:
            raise OpError(
                f"{name}: the engine has no such device; it runs on the CPU, CUDA and TensorRT"
            )
        if name in _NOTHING:
            return _nothing
        raise AttributeError(f"'Config' has no attribute {name!r}")


# What Paddle's users call and what changes nothing here: passes, logs and executors of Paddle's
# own.
_NOTHING = frozenset(
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


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What changes nothing here."""


def _no_half(precision: PrecisionType, who: str) -> None:
    if precision != PrecisionType.Float32:
        raise OpError(
            f"{who}: {precision.name} is not there; models run in the precision they were saved in"
        )
