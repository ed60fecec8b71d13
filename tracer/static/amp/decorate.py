"""Optimizers for mixed precision, which cast ops of the program to half precision and scale its
loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...capture.control.with_blocks import ConditionalBlock
from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.errors import OarlockError, OpError, append_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...core.unique_name import generate
from ...ir.op_role import OpRole
from ..graph.declared_variables import create_global_var
from ..graph.default_programs import program_guard
from ..graph.gradients import require_program_of_variable
from ..graph.mode import StaticGraphMode
from ..graph.program import Program
from .lists import HALF_DTYPES, AutoMixedPrecisionLists
from .rewrite import cast_model_to_fp16

AMP_LEVELS = ("O0", "OD", "O1", "O2")
ParameterGradients = list[tuple[Any, Any]]


class OptimizerWithMixedPrecision:
    """An optimizer that casts ops of the program to half precision, multiplies the loss by a scale,
    and divides the gradients by the scale.

    A step is skipped if a gradient is not finite. Dynamic loss scaling decreases the scale after
    such steps and increases it after a number of steps with finite gradients.
    """

    def __init__(
        self,
        optimizer: Any,
        amp_lists: AutoMixedPrecisionLists,
        level: str,
        dtype: str,
        init_loss_scaling: float,
        use_dynamic_loss_scaling: bool,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int,
        incr_ratio: float,
        decr_ratio: float,
        use_amp_guard: bool | None = None,
        use_master_grad: bool = False,
        use_promote: bool = False,
    ) -> None:
        is_bfloat16 = dtype == "bfloat16"
        self._optimizer, self._amp_lists, self._level, self._dtype = (
            optimizer,
            amp_lists,
            level,
            dtype,
        )
        self._uses_dynamic_scaling = use_dynamic_loss_scaling and not is_bfloat16
        self._initial_scale = (
            1.0 if is_bfloat16 and use_dynamic_loss_scaling else float(init_loss_scaling)
        )
        self._increase_limit_and_ratio = (incr_every_n_steps, incr_ratio)
        self._decrease_limit_and_ratio = (decr_every_n_nan_or_inf, decr_ratio)
        self._use_guard, self._promote = bool(use_amp_guard) and level == "O2", use_promote
        self._scale_variable: Variable | None = None
        self._scaled_loss: Any = None
        self._step_counts: dict[str, Variable] = {}
        self._program: Program | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)

    def get_loss_scaling(self) -> Variable:
        """Return the variable of the loss scale, float32[1]. Raises OarlockError before
        minimize().
        """
        if self._scale_variable is None:
            raise OarlockError(append_user_line("get_loss_scaling: call minimize() first"))
        return self._scale_variable

    def get_scaled_loss(self) -> Variable | None:
        """Return the variable of the scaled loss; None before minimize() was called."""
        return self._scaled_loss

    def amp_init(
        self,
        place: Any,
        scope: Any = None,
        test_program: Any = None,
        use_fp16_test: bool = False,
        rewrite_master_weight: bool = False,
    ) -> None:
        """Cast the ops of `test_program` to half precision too, if the level is O2 or use_fp16_test
        is True.

        Parameters stay float32.
        """
        if self._program is None:
            raise OarlockError(append_user_line("amp_init: call minimize() first"))
        if test_program is not None and (self._level == "O2" or use_fp16_test):
            self._cast_program(test_program)

    def _cast_program(self, program: Program) -> None:
        if self._level != "O0":
            config = (self._use_guard, parse_dtype(self._dtype), self._level, self._promote)
            cast_model_to_fp16(program, self._amp_lists, *config)

    @property
    def _uses_loss_scaling(self) -> bool:
        return self._uses_dynamic_scaling or self._initial_scale != 1.0

    def backward(
        self,
        loss: Variable,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> ParameterGradients:
        """Cast ops of the program to half precision, and append the ops that compute the gradients
        of the scaled loss.

        Returns pairs of a parameter and its gradient.
        """
        self._program = program = require_program_of_variable("decorate: backward", loss)
        with program_guard(program, startup_program), use_mode(StaticGraphMode(program)):
            self._scale_variable = self._create_persistable(
                "loss_scaling", self._initial_scale, "float32"
            )
            if self._uses_dynamic_scaling:
                self._step_counts = {
                    name: self._create_persistable(f"num_{name}_steps", 0, "int32")
                    for name in ("good", "bad")
                }
            self._cast_program(program)
            with program.recorder.setting_op_role(OpRole.BACKWARD):
                self._scaled_loss = loss * self._scale_variable if self._uses_loss_scaling else loss
            pairs: ParameterGradients = self._optimizer.backward(
                self._scaled_loss, startup_program, parameter_list, no_grad_set, callbacks
            )
        return pairs

    @staticmethod
    def _create_persistable(name: str, value: float, dtype: str) -> Variable:
        return create_global_var([1], value, dtype, persistable=True, name=generate(name))

    def apply_gradients(self, params_grads: Sequence[tuple[Any, Any]]) -> Any:
        """Append the ops that unscale the given gradients of the scaled loss and update the
        parameters.
        """
        pairs = [(p, g) for p, g in params_grads if g is not None]
        if not self._uses_loss_scaling:
            return self._optimizer.apply_gradients(pairs)
        assert self._program is not None
        with (
            use_mode(StaticGraphMode(self._program)),
            self._program.recorder.setting_op_role(OpRole.OPTIMIZE),
        ):
            grads, is_bad = OPS["check_finite_and_unscale"](
                [g for _, g in pairs], self.get_loss_scaling()
            )
            if self._uses_dynamic_scaling:
                self._emit_loss_scale_and_step_count_update(is_bad)
            with ConditionalBlock([OPS["logical_not"](is_bad)], is_scalar_condition=True).block():
                return self._optimizer.apply_gradients(
                    [(p, g) for (p, _), g in zip(pairs, grads, strict=True)]
                )

    def _emit_loss_scale_and_step_count_update(self, is_bad: Variable) -> None:
        """Append the ops that update the loss scale, as Paddle's op `update_loss_scaling`. The ops
        count consecutive finite and non-finite steps. When a count reaches its limit, the scale is
        increased (if it stays finite) or decreased (to at least 1).
        """
        is_good = OPS["logical_not"](is_bad)
        scale: Any = self.get_loss_scaling()
        (increase_limit, increase_ratio), (decrease_limit, decrease_ratio) = (
            self._increase_limit_and_ratio,
            self._decrease_limit_and_ratio,
        )
        increased, decreased = scale * increase_ratio, scale * decrease_ratio
        increased = OPS["where"](OPS["isfinite_v2"](increased), increased, scale)
        one = OPS["fill_constant"](shape=[1], value=1.0, dtype=parse_dtype("float32").proto)
        for name, is_kind, limit, changed in (
            ("good", is_good, increase_limit, increased),
            ("bad", is_bad, decrease_limit, OPS["elementwise_max"](decreased, one)),
        ):
            count = self._step_counts[name]
            # a step of the other kind resets the count
            incremented: Any = (count + 1) * is_kind.astype("int32")
            is_due = OPS["equal"](
                incremented,
                OPS["fill_constant"](
                    shape=[1], value=float(limit), dtype=parse_dtype("int32").proto
                ),
            )
            scale = OPS["where"](is_due, changed, scale)
            StaticGraphMode(self._program).redirect_last_output_or_assign(
                incremented * OPS["logical_not"](is_due).astype("int32"), count
            )
        StaticGraphMode(self._program).redirect_last_output_or_assign(
            scale * 1.0, self.get_loss_scaling()
        )

    def apply_optimize(
        self, loss: Variable, startup_program: Any, params_grads: ParameterGradients
    ) -> Any:
        """Append the optimizer ops that update the parameters by the given gradients."""
        with program_guard(
            require_program_of_variable("decorate: apply_optimize", loss), startup_program
        ):
            return self.apply_gradients(params_grads)

    def minimize(
        self,
        loss: Variable,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[Any, ParameterGradients]:
        """Cast ops of the program to half precision, and append the ops for gradients and updates.

        Returns the optimizer ops, and pairs of a parameter and its gradient.
        """
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs


# The parameters after init_loss_scaling in the signature of
# `fluid.contrib.mixed_precision.decorate`. The value for a parameter of the older signature is the
# default of that parameter of today's signature which has the same position.
LEGACY_PARAMETER_DEFAULTS = {
    "incr_every_n_steps": "float16",
    "decr_every_n_nan_or_inf": None,
    "incr_ratio": False,
    "decr_ratio": None,
    "use_dynamic_loss_scaling": None,
}


def _legacy_args_to_non_default_kwargs(*args: Any) -> dict[str, Any]:
    """Return the positional arguments of the older signature as a dict by name, without those that
    have their default value.
    """
    pairs = zip(LEGACY_PARAMETER_DEFAULTS.items(), args, strict=True)
    return {
        name: value for (name, default), value in pairs if value is not default and value != default
    }


def decorate(
    optimizer: Any,
    amp_lists: AutoMixedPrecisionLists | None = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    master_grad: bool = False,
    init_loss_scaling: float | None = None,
    incr_every_n_steps: int | None = None,
    decr_every_n_nan_or_inf: int | None = None,
    incr_ratio: float = 2.0,
    decr_ratio: float | None = None,
    use_dynamic_loss_scaling: bool | None = None,
    use_amp_guard: bool | None = None,
    use_promote: bool = False,
    use_pure_fp16: bool | None = None,
    use_fp16_guard: bool | None = None,
    use_bf16: bool | None = None,
) -> OptimizerWithMixedPrecision:
    """Wrap an optimizer so that it trains in mixed precision.

    level: as in `paddle.amp.auto_cast`

    Accepts the arguments of both of Paddle's signatures. With use_pure_fp16, use_fp16_guard or
    use_bf16, or if `level` is a number (the older init_loss_scaling), defaults are those of the
    older signature. In the latter case the following positional arguments are also in its order.
    """
    if not isinstance(level, str):
        # In the older signature, use_dynamic_loss_scaling has the position that
        # `incr_every_n_steps` has today. A bool as `incr_every_n_steps` is therefore a
        # use_dynamic_loss_scaling that was passed by position.
        is_position = isinstance(incr_every_n_steps, bool)
        positional = _legacy_args_to_non_default_kwargs(
            dtype,
            master_weight,
            master_grad,
            init_loss_scaling,
            incr_every_n_steps if is_position else None,
        )
        named = {
            "incr_every_n_steps": None if is_position else incr_every_n_steps,
            "decr_every_n_nan_or_inf": decr_every_n_nan_or_inf,
            "incr_ratio": None if incr_ratio == 2.0 else incr_ratio,
            "decr_ratio": decr_ratio,
            "use_dynamic_loss_scaling": use_dynamic_loss_scaling,
        }
        return decorate(
            optimizer,
            amp_lists,
            init_loss_scaling=level,
            **positional | {name: value for name, value in named.items() if value is not None},
            use_pure_fp16=bool(use_pure_fp16),
            use_fp16_guard=use_fp16_guard,
            use_bf16=bool(use_bf16),
        )
    is_legacy = not (use_pure_fp16 is None and use_fp16_guard is None and use_bf16 is None)
    if is_legacy:
        dtype, level = ("bfloat16" if use_bf16 else "float16"), ("O2" if use_pure_fp16 else "O1")
        use_amp_guard = bool(use_pure_fp16) if use_fp16_guard is None else use_fp16_guard
    level = level.upper()
    if level not in AMP_LEVELS or dtype not in HALF_DTYPES:
        raise OpError(
            append_user_line(
                f"decorate: level={level!r}, dtype={dtype!r}; level is one of "
                f"{', '.join(AMP_LEVELS)}, "
                f"dtype one of {', '.join(HALF_DTYPES)}"
            )
        )
    defaults = (2.0**15, 1000, 2, 0.8) if is_legacy else (2.0**16, 2000, 1, 0.5)
    args = (init_loss_scaling, incr_every_n_steps, decr_every_n_nan_or_inf, decr_ratio)
    scale, num_good, num_bad, shrink = (
        default if arg is None else arg for arg, default in zip(args, defaults, strict=True)
    )
    dynamic = (
        (is_legacy or dtype == "float16")
        if use_dynamic_loss_scaling is None
        else use_dynamic_loss_scaling
    )
    lists = amp_lists or AutoMixedPrecisionLists(dtype=dtype)
    return OptimizerWithMixedPrecision(
        optimizer,
        lists,
        level,
        dtype,
        scale,
        dynamic,
        int(num_good),
        int(num_bad),
        incr_ratio,
        shrink,
        use_amp_guard,
        master_grad,
        use_promote,
    )
