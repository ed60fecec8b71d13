"""TranslatedLayer: a saved model as a Layer."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from ..core import unique_name
from ..core.errors import FileError, OpError, append_user_line
from ..core.garbage_collection import without_full_collections
from ..core.html import html_table
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..export.pdiparams_info import VarInfo
from ..ir.input_spec import InputSpec
from ..ir.program import Guard, Program
from ..nn.layer import Layer
from .engine import check_engine_options
from .model_files import (
    ModelFileContents,
    has_forward_program_or_is_folder,
    read_model,
    read_non_forward_methods,
)
from .saved_method import SavedMethod


def load(path: str | os.PathLike[str], **configs: Any) -> TranslatedLayer:
    """Load a model saved at `path` by Oarlock or PaddlePaddle as a Layer in eval mode.

    Parameters
    ----------
    path : str or os.PathLike
        The prefix of `.pdmodel` (or `.json`) and `.pdiparams`, or a folder of Paddle 1.x.
    **configs
        - model_filename, params_filename : str. Names of the files in a folder of Paddle 1.x.
        - guards : "check" or "drop", default "check". "check" raises GuardError for a call that
          violates a guard; "drop" only lists the guards.
        - The session options of the engine, such as device, threads and cache_dir; see
          docs/options.md. `offsets` is only supported by `oarlock.inference`.

    Returns
    -------
    TranslatedLayer

    Raises
    ------
    FileError
        If a file is missing or invalid.
    OpError
        If a config is unknown, or if `offsets` is given.
    ValueError
        If `guards` is neither "check" nor "drop".

    Notes
    -----
    The weights are memory-mapped: do not overwrite the files in place while the layer is in use.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> net = paddle.jit.load("net", threads=1)
    >>> net(np.ones([4, 2], "float32")).shape
    [4, 3]
    """
    if configs.get("offsets"):
        raise OpError(
            "jit.load: offsets=True is not supported; use lod() of the output handles of "
            "oarlock.inference"
        )
    names = {
        key: configs.pop(key) for key in ("model_filename", "params_filename") if key in configs
    }
    enforced = _parse_should_check_guards(configs.pop("guards", "check"))
    check_engine_options(configs)
    with without_full_collections():
        methods = read_non_forward_methods(path)
        forward = (
            None
            if methods and not has_forward_program_or_is_folder(path)
            else read_model(path, **names)
        )
        return TranslatedLayer(forward, configs, methods, enforced)


def _parse_should_check_guards(guards: Any) -> bool:
    if guards not in ("check", "drop"):
        raise ValueError(f"jit.load: guards should be 'check' or 'drop', not {guards!r}")
    return bool(guards == "check")


class TranslatedLayer(Layer):
    """A saved model as a Layer. Created by `paddle.jit.load`.

    Its parameters and buffers have their names in the saved layer. In eval mode the engine runs it.
    In train mode, or if an input requires a gradient, Oarlock's kernels run it, and its parameters
    get gradients. Other saved methods are methods of the layer.

    Parameters
    ----------
    files : ModelFileContents or None
        The forward method, read from its files.
    options : dict, optional
        The session options of the engine.
    others : dict, optional
        The other methods, by name.
    enforces_guards : bool, default True
        Whether a call that violates a guard raises GuardError.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> net = paddle.jit.load("net")
    >>> net
    TranslatedLayer(inputs=['x'], outputs=['out'])
    >>> net.train()(paddle.ones([4, 2])).sum().backward()
    >>> net.weight.grad.shape
    [2, 3]
    """

    create_program_view: ClassVar[
        Callable[[Program], Any]
    ]  # the public view of a program, set by jit: a model runs without the static API

    if TYPE_CHECKING:  # parameters, buffers, sublayers and methods that the file contains

        def __getattr__(self, name: str) -> Any: ...

    def __init__(
        self,
        files: ModelFileContents | None,
        options: Mapping[str, Any] | None = None,
        others: Mapping[str, ModelFileContents] | None = None,
        enforces_guards: bool = True,
    ) -> None:
        super().__init__("translated_layer")
        self._scope: dict[str, Tensor] = {}
        self._saved_methods: dict[str, SavedMethod] = {}
        for name, method_files in {
            **({"forward": files} if files else {}),
            **(others or {}),
        }.items():
            self._create_parameters_and_buffers(method_files, method_files.info or {})
            self._saved_methods[name] = SavedMethod(
                method_files, self._scope, options, enforces_guards
            )
            if not hasattr(Layer, name):
                self.__dict__[name] = functools.partial(self._call_method, name)
        self.eval()

    def _create_parameters_and_buffers(
        self, files: ModelFileContents, info: Mapping[str, VarInfo]
    ) -> None:
        """Create a parameter or buffer for every value whose name the layer does not have yet;
        check that a repeated value is equal.
        """
        for name, array in files.values.items():
            if name in self._scope:
                _check_same_value(files.name, name, self._scope[name].array, array)
                continue
            row = info.get(name) or _default_var_info(files.program, name)
            structured, tensor_name = row.structured_name or name, _unique_tensor_name(name)
            if row.trainable is None:
                self._scope[name] = Tensor(array, name=tensor_name)
                self.register_buffer(structured, self._scope[name])
            else:
                result = self._scope[name] = Parameter(
                    array, trainable=row.trainable and not row.stop_gradient, name=tensor_name
                )
                self.add_parameter(structured, result)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Run the saved forward.

        Parameters
        ----------
        *inputs : Tensor or ndarray
            The inputs in order, followed by the row splits of packed sequences.
        **named : Tensor or ndarray
            Inputs by name.

        Returns
        -------
        object
            Tensors, nested as the results of the saved forward.

        Raises
        ------
        OpError
            If number, shapes or dtypes of the inputs do not fit.
        GuardError
            If a guard of the model does not hold.
        NotImplementedError
            If the model was saved without forward.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> paddle.jit.load("net")(x=paddle.ones([4, 2])).shape
        [4, 3]
        """
        if "forward" not in self._saved_methods:
            model, others = (
                next(iter(self._saved_methods.values())).name.split(".")[0],
                ", ".join(self._saved_methods),
            )
            raise NotImplementedError(
                append_user_line(f"{model}: it was saved without forward; there is {others}")
            )
        return self._call_method("forward", *inputs, **named)

    def _call_method(self, method: str, *inputs: Any, **named: Any) -> Any:
        return self._saved_methods[method].call(self.training, inputs, named)

    # -- properties
    # ---------------------------------------------------------------------------------------------

    def methods(self) -> list[str]:
        """Return the names of the saved methods.

        Returns
        -------
        list of str

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> paddle.jit.load("net").methods()
        ['forward']
        """
        return list(self._saved_methods)

    def _repr_html_(self) -> str:
        """Return tables for notebooks, one per saved method."""
        return "".join(
            html_table(method.program.summary_rows(), caption=f"TranslatedLayer, method {name}")
            for name, method in self._saved_methods.items()
        )

    def _saved_method(self, name: str) -> SavedMethod:
        if name not in self._saved_methods:
            raise ValueError(f"The method `{name}` does not exist in loaded TranslatedLayer.")
        return self._saved_methods[name]

    def program(self, method_name: str = "forward") -> Any:
        """Return a copy of the program of a method.

        Parameters
        ----------
        method_name : str, default "forward"

        Returns
        -------
        Program

        Raises
        ------
        ValueError
            If there is no method of this name.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> [op.type for op in paddle.jit.load("net").program().global_block().ops]
        ['feed', 'matmul_v2', 'elementwise_add', 'fetch']
        """
        return TranslatedLayer.create_program_view(
            deepcopy(self._saved_method(method_name).program)
        )

    @property
    def guards(self) -> list[Guard]:
        """The guards of all methods of the model, a list of Guard as in `TracedLayer.guards`.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> paddle.jit.load("net").guards
        []
        """
        return [guard for method in self._saved_methods.values() for guard in method.guards]

    def _input_spec(self, method_name: str = "forward") -> list[InputSpec]:
        return self._saved_method(method_name).input_spec()

    def _output_spec(self, method_name: str = "forward") -> list[InputSpec]:
        return self._saved_method(method_name).output_spec()

    def extra_repr(self) -> str:
        """Return the names of inputs, outputs and, if there are several, of methods, for `repr`.

        Returns
        -------
        str

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> paddle.jit.load("net").extra_repr()
        "inputs=['x'], outputs=['out']"
        """
        method = next(iter(self._saved_methods.values()))
        others = f", methods={sorted(self._saved_methods)}" if len(self._saved_methods) > 1 else ""
        return f"inputs={method.input_names()}, outputs={[a.name for a in method.outputs]}{others}"


def _unique_tensor_name(name: str) -> str:
    """Return a generated name that no other tensor has: the name in the file, in which a new number
    replaces the number at the end. The name must be unique, because optimizers identify parameters
    by name.
    """
    return unique_name.generate(re.sub(r"_\d+$", "", name))


NUM_COMPARED_ELEMENTS = 16  # elements at either end of a value that are compared between two files


def _check_same_value(file: str, name: str, first: Any, second: Any) -> None:
    """Raise FileError if two files of one model hold different values under one name. The values
    differ in shape or dtype, or in one of the first or last NUM_COMPARED_ELEMENTS elements.
    """
    same = first.shape == second.shape and first.dtype == second.dtype
    if same:
        a, b = first.reshape(-1), second.reshape(-1)
        same = all(
            x.tobytes() == y.tobytes()
            for x, y in (
                (a[:NUM_COMPARED_ELEMENTS], b[:NUM_COMPARED_ELEMENTS]),
                (a[-NUM_COMPARED_ELEMENTS:], b[-NUM_COMPARED_ELEMENTS:]),
            )
        )
    if not same:
        raise FileError(
            f"{file}: the value of '{name}' differs from that of forward; the files are not of one "
            "save"
        )


def _default_var_info(program: Program, name: str) -> VarInfo:
    """Return default properties of a variable, for a model without a `.pdiparams.info`. A
    persistable variable that no op of the program writes counts as a parameter, as in Paddle.
    """
    written = name in program.written_names()
    return VarInfo(name, "", written, None if written else True)
