"""LayerHelper: what layers of one's own were written with in Paddle 1.x, ops added one by one; in
dygraph mode they run at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..capture.modes import static_mode
from ..core import unique_name
from ..core.dtype import dtype_of, get_default_dtype
from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..nn.create_parameter import parameter_from_attr
from ..static import Program, default_main_program, default_startup_program
from .framework import begin_program, in_dygraph_mode
from .layers.helper import listed
from .param_attr import ParamAttr

__all__ = ["LayerHelper"]


class LayerHelper:
    """Of one call of a layer.

    layer_type: its kind; kwargs: the layer's own arguments, of which input, param_attr, bias_attr,
    act, name are used
    """

    def __init__(self, layer_type: str, **kwargs: Any) -> None:
        if not self._runs():
            begin_program()
        self.kwargs, self.layer_type = kwargs, layer_type
        self.name = kwargs.get("name") or unique_name.generate(layer_type)
        kwargs["name"] = self.name

    def _runs(self) -> bool:
        """Whether ops run when they are added."""
        return in_dygraph_mode()

    @property
    def main_program(self) -> Program:
        """The program that is written to."""
        return default_main_program()

    @property
    def startup_program(self) -> Program:
        """The program that makes the parameters."""
        return default_startup_program()

    def get_default_dtype(self) -> str:
        """The dtype that floating tensors get where nobody says one."""
        return get_default_dtype()

    # -- the layer's arguments
    # ----------------------------------------------------------------------------------

    def multiple_input(self, input_param_name: str = "input") -> list[Any]:
        """One input or several, as a list."""
        return [self.to_variable(x) for x in listed(self.kwargs.get(input_param_name, []))]

    def input(self, input_param_name: str = "input") -> Any:
        """The only input.   Raises OpError for several."""
        found = self.multiple_input(input_param_name)
        if len(found) != 1:
            raise OpError(with_user_line(f"{self.layer_type}: takes one input, got {len(found)}"))
        return found[0]

    def input_dtype(self, input_param_name: str = "input") -> Any:
        """The dtype of all inputs.   Raises ValueError where they differ."""
        found = list(dict.fromkeys(x.dtype for x in self.multiple_input(input_param_name)))
        if len(found) > 1:
            raise ValueError(
                with_user_line(f"{self.layer_type}: the inputs have the dtypes {found}")
            )
        return found[0] if found else None

    @property
    def param_attr(self) -> Any:
        """That of the layer, False for none."""
        return ParamAttr.of(self.kwargs.get("param_attr")) or False

    @property
    def bias_attr(self) -> Any:
        """That of the layer, False for none."""
        return ParamAttr.of(self.kwargs.get("bias_attr")) or False

    def multiple_param_attr(self, length: int) -> list[Any]:
        """One for each of `length` inputs.   Raises ValueError for another number of them."""
        found = listed(self.param_attr)
        if len(found) not in (1, length):
            raise ValueError(
                with_user_line(f"{self.layer_type}: {len(found)} param_attr for {length} inputs")
            )
        return found * length if len(found) == 1 else found

    def iter_inputs_and_params(self, input_param_name: str = "input") -> Iterator[tuple[Any, Any]]:
        """Each input with its param_attr."""
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)), strict=True)

    def is_instance(self, param_name: str, cls: type) -> None:
        """Raise TypeError unless an argument is of a class."""
        if not isinstance(self.kwargs.get(param_name), cls):
            raise TypeError(
                with_user_line(f"{self.layer_type}: {param_name} should be {cls.__name__}")
            )

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def to_variable(self, value: Any, name: str | None = None) -> Any:
        """An array as a tensor; a variable as it is."""
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
        """A new parameter [*shape], None where attr is False."""
        spec = ParamAttr.of(attr)
        if not spec:
            return None
        made = parameter_from_attr(
            spec, shape, dtype_of(dtype).np, is_bias, default_initializer, self.name
        )
        made.stop_gradient = made.stop_gradient or stop_gradient
        return made

    def get_parameter(self, name: str) -> Any:
        """The parameter of that name."""
        return self.main_program.global_block().var(name)

    def create_variable_for_type_inference(
        self, dtype: Any, stop_gradient: bool = False, shape: Any = None
    ) -> Any:
        """What an op will write."""
        name = unique_name.generate(f"{self.name}.tmp")
        if self._runs():
            # a function that becomes a program: nothing, which `_run` replaces
            if static_mode(state.mode) is not None:
                return OPS["fill_constant"](shape=[0], value=0.0, dtype=dtype_of(dtype).proto)
            return Tensor(None, name=name)
        return self.main_program.current_block().create_var(
            name=name, dtype=dtype, persistable=False, stop_gradient=stop_gradient
        )

    create_tmp_variable = create_variable_for_type_inference

    def create_variable(self, **kwargs: Any) -> Any:
        """Create a variable in the block, or an empty tensor in dygraph mode."""
        return (
            _empty(kwargs)
            if self._runs()
            else self.main_program.current_block().create_var(**kwargs)
        )

    def create_global_variable(self, persistable: bool = False, **kwargs: Any) -> Any:
        """Create a variable in the block, or an empty tensor in dygraph mode."""
        if self._runs():
            return _empty({**kwargs, "persistable": persistable})
        return self.main_program.global_block().create_var(persistable=persistable, **kwargs)

    def create_or_get_global_variable(self, name: str, **kwargs: Any) -> tuple[Any, bool]:
        """The variable of that name, and whether it is a new one."""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(name=name, **kwargs), True

    def set_variable_initializer(self, var: Any, initializer: Any) -> None:
        """Let the startup program give a variable its first value, or give it."""
        if self._runs():
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
        """Add an op to the program, or run it.   inputs, outputs: variables by slot"""
        if not self._runs():
            return self.main_program.current_block().append_op(
                type=type, inputs=inputs, outputs=outputs, attrs=attrs
            )
        return _run(type, inputs or {}, outputs or {}, attrs or {})

    def append_bias_op(self, input_var: Any, dim_start: int = 1, dim_end: int | None = None) -> Any:
        """The variable plus a bias as large as its axes from dim_start to dim_end; itself where
        bias_attr is False.
        """
        bias = self.create_parameter(
            self.bias_attr, input_var.shape[dim_start:dim_end], input_var.dtype, is_bias=True
        )
        return (
            input_var
            if bias is None
            else self._result("elementwise_add", {"X": input_var, "Y": bias}, {"axis": dim_start})
        )

    def append_activation(self, input_var: Any) -> Any:
        """`act` of the variable; itself without one.

        Raises TypeError for an act that is no text.
        """
        act = self.kwargs.get("act")
        if act is not None and not isinstance(act, str):
            raise TypeError(
                with_user_line(f"{self.layer_type}: act is {act.__class__.__name__}, not a str")
            )
        return input_var if act is None else self._result(act, {"X": input_var}, {})

    def _result(self, type: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any]) -> Any:
        made = self.create_variable_for_type_inference(inputs["X"].dtype)
        self.append_op(type=type, inputs=inputs, outputs={"Out": made}, attrs=attrs)
        return made


LayerHelperBase = LayerHelper  # the part that layer objects share


def _empty(said: Mapping[str, Any]) -> Tensor:
    """A tensor that gets its value later."""
    shape = [max(int(size), 0) for size in said.get("shape") or (0,)]
    made = Tensor(
        np.zeros(shape, dtype_of(said.get("dtype") or "float32").np), name=said.get("name")
    )
    made.persistable = bool(said.get("persistable"))
    return made


def _run(
    type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any]
) -> None:
    """Run an op and let the variables of its results be what it gives.

    Raises OpError for an op or a slot that there is none of.
    """
    op = OPS.get(type)
    unknown = (
        None
        if op is None
        else {*inputs} - {s.name for s in op.ins} or {*outputs} - {s.name for s in op.outs}
    )
    if op is None or unknown:
        raise OpError(
            with_user_line(
                f"{type}: there is no such op"
                if op is None
                else f"{type}: has no slots {sorted(unknown or ())}"
            )
        )
    given = [_operand(slot, inputs.get(slot.name)) for slot in op.ins]
    made = op(*given, **{k: v for k, v in attrs.items() if k in op.attrs})
    for slot, found in zip(op.outs, (made,) if len(op.outs) == 1 else made, strict=True):
        targets = listed(outputs.get(slot.name, []))
        for target, value in zip(targets, found if slot.many else [found], strict=False):
            state.mode.assign_inplace(target, value)


def _operand(slot: Any, given: Any) -> Any:
    found = [] if given is None else listed(given)
    if slot.many:
        return found or None
    return found[0] if found else None
