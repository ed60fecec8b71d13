"""`inference.Config`: the model files and the options of the engine."""

from __future__ import annotations

import os
from typing import Any

from ..core.errors import OpError, append_user_line
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
    """The files of a model and the options of the engine that runs it.

    Options of Paddle's own engine (IR passes, memory reuse, oneDNN, log levels) are accepted and
    have no effect. Methods that select devices other than CPU, CUDA and TensorRT, such as
    `enable_xpu`, raise OpError.

    Parameters
    ----------
    model : str, optional
        The program file, the prefix of the files, or a folder.
    params : str, optional
        The parameter file; or, if `model` is a folder, the prefix of the files in it. None if
        `model` is a prefix or a folder of Paddle 1.x.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> config = paddle.inference.Config("net.pdmodel", "net.pdiparams")
    >>> predictor = paddle.inference.create_predictor(config)
    >>> predictor.run([np.ones([4, 2], "float32")])[0].shape
    [4, 3]
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
        """Set the files of the model.

        Parameters
        ----------
        model : str
            The program file, the prefix of the files, or a folder.
        params : str, optional
            The parameter file; or, if `model` is a folder, the prefix of the files in it. None if
            `model` is a prefix or a folder of Paddle 1.x.

        Notes
        -----
        The files are read by `create_predictor`.

        Examples
        --------
        >>> config = paddle.inference.Config()
        >>> config.set_model("net")
        >>> config.prog_file(), config.params_file()
        ('net.pdmodel', 'net.pdiparams')
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
        """Set the path of the program file.

        Parameters
        ----------
        path : str

        Examples
        --------
        >>> config = paddle.inference.Config()
        >>> config.set_prog_file("net.pdmodel")
        >>> config.prog_file()
        'net.pdmodel'
        """
        self._prog, self._dir, self._buffers = os.fspath(path), "", None

    def set_params_file(self, path: str) -> None:
        """Set the path of the parameter file.

        Parameters
        ----------
        path : str

        Examples
        --------
        >>> config = paddle.inference.Config()
        >>> config.set_params_file("net.pdiparams")
        >>> config.params_file()
        'net.pdiparams'
        """
        self._params, self._dir, self._buffers = os.fspath(path), "", None

    def set_model_buffer(
        self, prog: bytes, prog_size: int, params: bytes, params_size: int
    ) -> None:
        """Set the contents of the program file and of the parameter file.

        Parameters
        ----------
        prog : bytes
        prog_size : int
            Number of bytes of `prog` that are used.
        params : bytes
        params_size : int
            Number of bytes of `params` that are used.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> from pathlib import Path
        >>> prog, params = Path("net.pdmodel").read_bytes(), Path("net.pdiparams").read_bytes()
        >>> config = paddle.inference.Config()
        >>> config.set_model_buffer(prog, len(prog), params, len(params))
        >>> paddle.inference.create_predictor(config).get_input_names()
        ['x']
        """
        self._buffers = (bytes(prog[:prog_size]), bytes(params[:params_size]))

    def model_dir(self) -> str:
        """Return the folder that was set as the model.

        Returns
        -------
        str
            Empty if files or a prefix were set.

        Examples
        --------
        >>> paddle.inference.Config("net").model_dir()
        ''
        """
        return self._dir

    def prog_file(self) -> str:
        """Return the path of the program file.

        Returns
        -------
        str
            Empty for a folder of Paddle 1.x.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.prog_file()
        'net.pdmodel'
        """
        return self._prog

    def params_file(self) -> str:
        """Return the path of the parameter file.

        Returns
        -------
        str
            Empty for a folder of Paddle 1.x.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.params_file()
        'net.pdiparams'
        """
        return self._params

    def model_from_memory(self) -> bool:
        """Return whether the model was set by `set_model_buffer`.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.model_from_memory()
        False
        """
        return self._buffers is not None

    # -- device
    # ---------------------------------------------------------------------------------------------

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int,
        device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:
        """Run on a GPU with CUDA.

        Parameters
        ----------
        memory_pool_init_size_mb : int
            Stored without effect; the engine allocates memory on demand.
        device_id : int, default 0
            Index of the GPU.
        precision_mode : PrecisionType, default PrecisionType.Float32
            Must be Float32: models run in the precision in which they were saved.

        Raises
        ------
        OpError
            If `precision_mode` is not Float32.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_use_gpu(100, device_id=1)
        >>> config.use_gpu(), config.gpu_device_id()
        (True, 1)
        """
        _require_float32(precision_mode, "enable_use_gpu")
        self._pool_mb = memory_pool_init_size_mb
        self._options |= {"device": "cuda", "device_id": device_id}

    def disable_gpu(self) -> None:
        """Run on the CPU, which is the default.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_use_gpu(100)
        >>> config.disable_gpu()
        >>> config.use_gpu()
        False
        """
        self._options.pop("device", None)

    def use_gpu(self) -> bool:
        """Return whether the model runs on a GPU, with CUDA or TensorRT.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.use_gpu()
        False
        """
        return self._options.get("device", "cpu") != "cpu"

    def gpu_device_id(self) -> int:
        """Return the index of the GPU.

        Returns
        -------
        int
            0 if `enable_use_gpu` was not called.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_use_gpu(100, device_id=1)
        >>> config.gpu_device_id()
        1
        """
        return self._options.get("device_id", 0)

    def memory_pool_init_size_mb(self) -> int:
        """Return the `memory_pool_init_size_mb` of `enable_use_gpu`.

        Returns
        -------
        int
            0 if it was not called.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_use_gpu(100)
        >>> config.memory_pool_init_size_mb()
        100
        """
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

        Parameters
        ----------
        workspace_size : int, default 2**30
            Bytes.
        max_batch_size : int, default 1
            Not used; see `set_trt_dynamic_shape_info`.
        min_subgraph_size : int, default 3
            Smaller subgraphs do not run in TensorRT.
        precision_mode : PrecisionType, default PrecisionType.Float32
            Float32, or Half to allow kernels of half precision.
        use_static : bool, default False
            Cache the built engines, in the folder of `set_optim_cache_dir` or else in that of the
            model.
        use_calib_mode : bool, default False
            Not used.
        use_cuda_graph : bool, default False
            Capture the runs of TensorRT as CUDA graphs.

        Raises
        ------
        OpError
            If `precision_mode` is Int8 or Bfloat16.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_tensorrt_engine(precision_mode=paddle.inference.PrecisionType.Half)
        >>> config.tensorrt_engine_enabled(), config.use_gpu()
        (True, True)
        """
        if precision_mode in (PrecisionType.Int8, PrecisionType.Bfloat16):
            raise OpError(
                append_user_line(
                    f"enable_tensorrt_engine: precision_mode must be Float32 or Half, not "
                    f"{precision_mode.name}"
                )
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
        """Return whether the model runs with TensorRT.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.tensorrt_engine_enabled()
        False
        """
        return self._options.get("device") == "tensorrt"

    def set_trt_dynamic_shape_info(
        self,
        min_input_shape: dict[str, list[int]],
        max_input_shape: dict[str, list[int]],
        optim_input_shape: dict[str, list[int]],
        disable_trt_plugin_fp16: bool = False,
    ) -> None:
        """Set the ranges of shapes for which TensorRT builds engines.

        Parameters
        ----------
        min_input_shape, max_input_shape, optim_input_shape : dict of str to list of int
            The smallest, the largest and the most frequent shape of each input, by name.
        disable_trt_plugin_fp16 : bool, default False
            Not used.

        Raises
        ------
        OpError
            If the dicts have different keys.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_tensorrt_engine()
        >>> config.set_trt_dynamic_shape_info({"x": [1, 2]}, {"x": [64, 2]}, {"x": [8, 2]})
        >>> config.tensorrt_dynamic_shape_enabled()
        True
        """
        if not min_input_shape.keys() == max_input_shape.keys() == optim_input_shape.keys():
            raise OpError(
                append_user_line("set_trt_dynamic_shape_info: the three dicts have different keys")
            )
        for kind, shapes in (
            ("min", min_input_shape),
            ("max", max_input_shape),
            ("opt", optim_input_shape),
        ):
            text = ",".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in shapes.items())
            self._provider[f"trt_profile_{kind}_shapes"] = text

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Return whether `set_trt_dynamic_shape_info` was called.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.tensorrt_dynamic_shape_enabled()
        False
        """
        return "trt_profile_opt_shapes" in self._provider

    # -- options
    # --------------------------------------------------------------------------

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        """Set the number of threads of an op.

        Parameters
        ----------
        count : int
            The initial value is 1; 0 leaves the choice to the engine.

        Raises
        ------
        OpError
            If `count` is negative.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.set_cpu_math_library_num_threads(4)
        >>> config.cpu_math_library_num_threads()
        4
        """
        if count < 0:
            raise OpError(
                append_user_line(
                    f"set_cpu_math_library_num_threads: count must be >= 0, not {count}"
                )
            )
        self._options["threads"] = count

    def cpu_math_library_num_threads(self) -> int:
        """Return the number of threads of an op.

        Returns
        -------
        int
            0 stands for the choice of the engine.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.cpu_math_library_num_threads()
        1
        """
        return self._options["threads"]

    def switch_ir_optim(self, x: bool = True) -> None:
        """Turn the graph optimizations of the engine on or off.

        Parameters
        ----------
        x : bool, default True

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.switch_ir_optim(False)
        >>> config.ir_optim()
        False
        """
        self._flags["ir_optim"] = bool(x)
        self._options["optimize"] = 99 if x else 0

    def ir_optim(self) -> bool:
        """Return whether the graph optimizations of the engine are on.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.ir_optim()
        True
        """
        return self._flags["ir_optim"]

    def set_optim_cache_dir(self, path: str) -> None:
        """Set the folder in which optimized graphs and TensorRT engines are cached.

        Parameters
        ----------
        path : str

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.set_optim_cache_dir("cache")
        """
        self._options["cache_dir"] = os.fspath(path)

    def enable_profile(self) -> None:
        """Write a Chrome trace of each run to `oarlock_profile_*.json` in the current folder.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_profile()
        """
        self._options["profile"] = "oarlock_profile"

    def disable_glog_info(self) -> None:
        """Accept Paddle's switch of logs without effect, because the engine does not write logs.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.disable_glog_info()
        >>> config.glog_info_disabled()
        True
        """
        self._flags["glog_info_disabled"] = True

    def glog_info_disabled(self) -> bool:
        """Return whether `disable_glog_info` was called.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.glog_info_disabled()
        False
        """
        return self._flags["glog_info_disabled"]

    def enable_memory_optim(self, x: bool = True) -> None:
        """Accept Paddle's switch of memory reuse without effect: the engine always reuses memory.

        Parameters
        ----------
        x : bool, default True

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_memory_optim()
        """
        self._flags["memory_optim"] = bool(x)

    def enable_mkldnn(self) -> None:
        """Accept Paddle's switch of oneDNN without effect: the engine has its own CPU kernels.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.enable_mkldnn()
        >>> config.mkldnn_enabled()
        True
        """
        self._flags["mkldnn"] = True

    def disable_mkldnn(self) -> None:
        """Make `mkldnn_enabled` return False. It has no other effect.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.disable_mkldnn()
        >>> config.mkldnn_enabled()
        False
        """
        self._flags["mkldnn"] = False

    def mkldnn_enabled(self) -> bool:
        """Return the state of the switch of oneDNN, which the engine does not use.

        Returns
        -------
        bool
            False if `disable_mkldnn` was called last.

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.mkldnn_enabled()
        True
        """
        return self._flags["mkldnn"]

    def onnxruntime_enabled(self) -> bool:
        """Return True: ONNX Runtime always runs the model.

        Returns
        -------
        bool

        Examples
        --------
        >>> config = paddle.inference.Config("net")
        >>> config.onnxruntime_enabled()
        True
        """
        return True

    def summary(self) -> str:
        """Return a table of the model and the options.

        Returns
        -------
        str

        Examples
        --------
        >>> print(paddle.inference.Config("net").summary())
        +-----------------+---------------+
        | Option          | Value         |
        +-----------------+---------------+
        | model_file      | net.pdmodel   |
        | params_file     | net.pdiparams |
        | use_gpu         | false         |
        | cpu_math_thread | 1             |
        | ir_optim        | true          |
        +-----------------+---------------+
        <BLANKLINE>
        """
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
                append_user_line(
                    f"{name}: this device or mode is not supported; use the CPU, CUDA or TensorRT"
                )
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
            append_user_line(
                f"{function}: precision_mode must be Float32, not {precision.name}; models run "
                "in the precision in which they were saved"
            )
        )
