"""LayerHelper: the API with which user-defined layers of Paddle 1.x add ops one by one. In dygraph
mode, a LayerHelper runs the ops immediately.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..capture.modes import find_static_base_mode
from ..core import unique_name
from ..core.dtype import get_default_dtype, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..nn.create_parameter import create_parameter_from_param_attr
from ..static import Program, default_main_program, default_startup_program
from .framework import enter_paddle1_static_mode_unless_active_or_recording, in_dygraph_mode
from .layers.layer_utils import to_list
from .param_attr import ParamAttr

__all__ = ["LayerHelper"]


class LayerHelper:
    """The helper of one call of a layer.

    layer_type: prefix of generated names
    kwargs: arguments of the layer; input, param_attr, bias_attr, act and name are used
    """

    def __init__(self, layer_type: str, **kwargs: Any) -> None:
        if not self._is_eager():
            enter_paddle1_static_mode_unless_active_or_recording()
        self.kwargs, self.layer_type = kwargs, layer_type
        self.name = kwargs.get("name") or unique_name.generate(layer_type)
        kwargs["name"] = self.name

    def _is_eager(self) -> bool:
        """Return whether ops run when they are added (dygraph mode)."""
        return in_dygraph_mode()

    @property
    def main_program(self) -> Program:
        """The program that ops are added to."""
        return default_main_program()

    @property
    def startup_program(self) -> Program:
        """The program that initializes the parameters."""
        return default_startup_program()

    def get_default_dtype(self) -> str:
        """Return the default floating-point dtype."""
        return get_default_dtype()

    # -- the layer's arguments
    # ----------------------------------------------------------------------------------

    def multiple_input(self, input_param_name: str = "input") -> list[Any]:
        """Return the inputs as a list."""
        return [self.to_variable(x) for x in to_list(self.kwargs.get(input_param_name, []))]

    def input(self, input_param_name: str = "input") -> Any:
        """Return the only input of the layer. Raises OpError if the layer has no input or
        several.
        """
        inputs = self.multiple_input(input_param_name)
        if len(inputs) != 1:
            raise OpError(
                append_user_line(f"{self.layer_type}: takes one input, got {len(inputs)}")
            )
        return inputs[0]

    def input_dtype(self, input_param_name: str = "input") -> Any:
        """Return the dtype that all inputs have. Raises ValueError if the inputs have different
        dtypes.
        """
        dtypes = list(dict.fromkeys(x.dtype for x in self.multiple_input(input_param_name)))
        if len(dtypes) > 1:
            raise ValueError(
                append_user_line(f"{self.layer_type}: the inputs have different dtypes {dtypes}")
            )
        return dtypes[0] if dtypes else None

    @property
    def param_attr(self) -> Any:
        """The param_attr of the layer; False if the layer has no weight."""
        return ParamAttr.of(self.kwargs.get("param_attr")) or False

    @property
    def bias_attr(self) -> Any:
        """The bias_attr of the layer; False if the layer has no bias."""
        return ParamAttr.of(self.kwargs.get("bias_attr")) or False

    def multiple_param_attr(self, length: int) -> list[Any]:
        """Return a param_attr for each input. Raises ValueError if the number of param_attrs is
        neither 1 nor the number of inputs.
        """
        attrs = to_list(self.param_attr)
        if len(attrs) not in (1, length):
            raise ValueError(
                append_user_line(f"{self.layer_type}: {len(attrs)} param_attr for {length} inputs")
            )
        return attrs * length if len(attrs) == 1 else attrs

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Return pairs of an input and its param_attr."""
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    def is_instance(self, param_name: str, cls: type) -> None:
        """Raise TypeError unless an argument is an instance of a class."""
        if not isinstance(self.kwargs.get(param_name), cls):
            raise TypeError(
                append_user_line(f"{self.layer_type}: {param_name} must be a {cls.__name__}")
            )

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def to_variable(self, value: Any, name: str | None = None) -> Any:
        """Convert an ndarray to a tensor; return other objects unchanged."""
        return Tensor(value, name=name) if isinstance(value, np.ndarray) else value

    def create_parameter(
        self,
        attr: Any,
        shape: Any,
        dtype: Any,
        is_bias: bool = False,
        default_initializer: Any = None,
        stop_gradient: bool = False,
        type: Any = None,
    ) -> Any:
        """Create a parameter with the shape `shape`; returns None if `attr` is False."""
        spec = ParamAttr.of(attr)
        if not spec:
            return None
        parameter = create_parameter_from_param_attr(
            spec, shape, parse_dtype(dtype).np, is_bias, default_initializer, self.name
        )
        parameter.stop_gradient = parameter.stop_gradient or stop_gradient
        return parameter

    def get_parameter(self, name: str) -> Any:
        """Return the parameter with this name."""
        return self.main_program.global_block().var(name)

    def create_variable_for_type_inference(
        self, dtype: Any, stop_gradient: bool = False, shape: Any = None
    ) -> Any:
        """Create the variable for an output of an op."""
        name = unique_name.generate(f"{self.name}.tmp")
        if self._is_eager():
            # In a function that is being captured, an empty variable is returned, which
            # _run_op_and_assign_outputs replaces.
            if find_static_base_mode(state.mode) is not None:
                return OPS["fill_constant"](shape=[0], value=0.0, dtype=parse_dtype(dtype).proto)
            return Tensor(None, name=name)
        return self.main_program.current_block().create_var(
            name=name, dtype=dtype, persistable=False, stop_gradient=stop_gradient
        )

    create_tmp_variable = create_variable_for_type_inference

    def create_variable(self, **kwargs: Any) -> Any:
        """Create a variable in the current block; in dygraph mode, an empty tensor."""
        return (
            _create_zero_filled_eager_variable(kwargs)
            if self._is_eager()
            else self.main_program.current_block().create_var(**kwargs)
        )

    def create_global_variable(self, persistable: bool = False, **kwargs: Any) -> Any:
        """Create a variable in the global block; in dygraph mode, an empty tensor."""
        if self._is_eager():
            return _create_zero_filled_eager_variable({**kwargs, "persistable": persistable})
        return self.main_program.global_block().create_var(persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name: str, **kwargs: Any) -> tuple[Any, bool]:
        """Return the variable with the name `name`, and whether it was created by this call."""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(name=name, **kwargs), True

    def set_variable_initializer(self, var: Any, initializer: Any) -> None:
        """Initialize a variable by an op of the startup program; in dygraph mode, immediately."""
        if self._is_eager():
            initializer(var)
            return
        block = self.startup_program.global_block()
        initializer(
            block.create_var(name=var.name, dtype=var.dtype, shape=var.shape, persistable=True),
            block,
        )

    # -- ops
    # --------------------------------------------------------------------------

    def append_op(
        self, type: str, inputs: Any = None, outputs: Any = None, attrs: Any = None, **others: Any
    ) -> Any:
        """Append an op to the program; in dygraph mode, run the op. inputs, outputs: variables by
        slot
        """
        if not self._is_eager():
            return self.main_program.current_block().append_op(
                type=type, inputs=inputs, outputs=outputs, attrs=attrs
            )
        return _run_op_and_assign_outputs(type, inputs or {}, outputs or {}, attrs or {})

    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None) -> Any:
        """Create a bias with the sizes of the axes dim_start to dim_end, and add it to the
        variable; if the layer has no bias, return the variable.
        """
        bias = self.create_parameter(
            self.bias_attr, input_var.shape[dim_start:dim_end], input_var.dtype, is_bias=True
        )
        if bias is None:
            return input_var
        return self._append_op_with_new_output(
            "elementwise_add", {"X": input_var, "Y": bias}, {"axis": dim_start}
        )

    def append_activation(self, input_var: Any) -> Any:
        """Apply the activation `act` of the layer to a variable; if there is none, return the
        variable.

        Raises TypeError unless act is a str.
        """
        act = self.kwargs.get("act")
        if act is not None and not isinstance(act, str):
            raise TypeError(
                append_user_line(f"{self.layer_type}: act is {act.__class__.__name__}, not a str")
            )
        return (
            input_var if act is None else self._append_op_with_new_output(act, {"X": input_var}, {})
        )

    def _append_op_with_new_output(
        self, type: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any]
    ) -> Any:
        out = self.create_variable_for_type_inference(inputs["X"].dtype)
        self.append_op(type=type, inputs=inputs, outputs={"Out": out}, attrs=attrs)
        return out


LayerHelperBase = LayerHelper


def _create_zero_filled_eager_variable(kwargs: Mapping[str, Any]) -> Tensor:
    """Return a tensor of zeros with the shape and dtype given to create_variable; later ops assign
    a value to it.
    """
    shape = [max(int(size), 0) for size in kwargs.get("shape") or (0,)]
    tensor = Tensor(
        np.zeros(shape, parse_dtype(kwargs.get("dtype") or "float32").np), name=kwargs.get("name")
    )
    tensor.persistable = bool(kwargs.get("persistable"))
    return tensor


def _run_op_and_assign_outputs(
    type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any]
) -> None:
    """Run an op in dygraph mode, and assign its results to the output variables.

    Raises OpError for an unknown op or slot.
    """
    op = OPS.get(type)
    if op is None:
        raise OpError(append_user_line(f"{type}: unknown op"))
    unknown = {*inputs} - {s.name for s in op.ins} or {*outputs} - {s.name for s in op.outs}
    if unknown:
        raise OpError(append_user_line(f"{type}: unknown slots {sorted(unknown)}"))
    operands = [_to_slot_operand(slot, inputs.get(slot.name)) for slot in op.ins]
    results = op(*operands, **{k: v for k, v in attrs.items() if k in op.attrs})
    for slot, result in zip(op.outs, (results,) if len(op.outs) == 1 else results, strict=True):
        targets = to_list(outputs.get(slot.name, []))
        for target, value in zip(targets, result if slot.is_list else [result], strict=False):
            state.mode.assign_inplace(target, value)


def _to_slot_operand(slot: Any, value: Any) -> Any:
    variables = [] if value is None else to_list(value)
    if slot.is_list:
        return variables or None
    return variables[0] if variables else None
