"""Optimizers that let a program run in half precision and scale its loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...capture.control.with_blocks import ConditionalBlock
from ...capture.variable import Variable
from ...core.dtype import dtype_of
from ...core.errors import OarlockError, OpError, with_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...core.unique_name import generate
from ...ir.op_role import Role
from ..graph.default_programs import program_guard
from ..graph.gradients import program_of
from ..graph.inputs import create_global_var
from ..graph.mode import StaticGraphMode
from ..graph.program import Program
from .lists import DTYPES, AutoMixedPrecisionLists
from .rewrite import cast_model_to_fp16

LEVELS = ("O0", "OD", "O1", "O2")
Pairs = list[tuple[Any, Any]]


class OptimizerWithMixedPrecision:
    """An optimizer that rewrites the program of a loss, multiplies the loss by a factor, and
    divides gradients by it.

    A step whose gradients are not all finite is left out.
    With a dynamic factor such steps shrink it, and good ones grow it.
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
        half = dtype == "bfloat16"
        self._optimizer, self._amp_lists, self._level, self._dtype = (
            optimizer,
            amp_lists,
            level,
            dtype,
        )
        self._dynamic = use_dynamic_loss_scaling and not half
        self._start = 1.0 if half and use_dynamic_loss_scaling else float(init_loss_scaling)
        self._grows = (incr_every_n_steps, incr_ratio)
        self._shrinks = (decr_every_n_nan_or_inf, decr_ratio)
        self._guarded, self._promote = bool(use_amp_guard) and level == "O2", use_promote
        self._factor: Variable | None = None
        self._scaled: Any = None
        self._counts: dict[str, Variable] = {}
        self._program: Program | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._optimizer, name)

    def get_loss_scaling(self) -> Variable:
        """The variable of the factor, float32[1].   Raises OarlockError before minimize()."""
        if self._factor is None:
            raise OarlockError(with_user_line("get_loss_scaling: call minimize() before"))
        return self._factor

    def get_scaled_loss(self) -> Variable | None:
        """The loss times the factor; None before minimize()."""
        return self._scaled

    def amp_init(
        self,
        place: Any,
        scope: Any = None,
        test_program: Any = None,
        use_fp16_test: bool = False,
        rewrite_master_weight: bool = False,
    ) -> None:
        """Let `test_program` run in half precision too, where that is asked for.

        Parameters stay float32.
        """
        if self._program is None:
            raise OarlockError(with_user_line("amp_init: call minimize() before"))
        if test_program is not None and (self._level == "O2" or use_fp16_test):
            self._rewrite(test_program)

    def _rewrite(self, program: Program) -> None:
        if self._level != "O0":
            settings = (self._guarded, dtype_of(self._dtype), self._level, self._promote)
            cast_model_to_fp16(program, self._amp_lists, *settings)

    @property
    def _scales(self) -> bool:
        return self._dynamic or self._start != 1.0

    def backward(
        self,
        loss: Variable,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Pairs:
        """Rewrite the program and append the gradients of the scaled loss; gives pairs of a
        parameter and its gradient.
        """
        self._program = program = program_of("decorate: backward", loss)
        with program_guard(program, startup_program), use_mode(StaticGraphMode(program)):
            self._factor = self._global("loss_scaling", self._start, "float32")
            if self._dynamic:
                self._counts = {
                    name: self._global(f"num_{name}_steps", 0, "int32") for name in ("good", "bad")
                }
            self._rewrite(program)
            with program.recorder.as_role(Role.BACKWARD):
                self._scaled = loss * self._factor if self._scales else loss
            found: Pairs = self._optimizer.backward(
                self._scaled, startup_program, parameter_list, no_grad_set, callbacks
            )
        return found

    @staticmethod
    def _global(name: str, value: float, dtype: str) -> Variable:
        return create_global_var([1], value, dtype, persistable=True, name=generate(name))

    def apply_gradients(self, params_grads: Sequence[tuple[Any, Any]]) -> Any:
        """Append the step with gradients of a scaled loss."""
        pairs = [(p, g) for p, g in params_grads if g is not None]
        if not self._scales:
            return self._optimizer.apply_gradients(pairs)
        assert self._program is not None
        with (
            use_mode(StaticGraphMode(self._program)),
            self._program.recorder.as_role(Role.OPTIMIZE),
        ):
            grads, bad = OPS["check_finite_and_unscale"](
                [g for _, g in pairs], self.get_loss_scaling()
            )
            if self._dynamic:
                self._change_factor(bad)
            with ConditionalBlock([OPS["logical_not"](bad)], is_scalar_condition=True).block():
                return self._optimizer.apply_gradients(
                    [(p, g) for (p, _), g in zip(pairs, grads, strict=True)]
                )

    def _change_factor(self, bad: Variable) -> None:
        """What GradScaler.update does: count steps of one kind in a row, and change the factor when
        there are enough.
        """
        good = OPS["logical_not"](bad)
        factor: Any = self.get_loss_scaling()
        for name, happened, (every, ratio) in (
            ("good", good, self._grows),
            ("bad", bad, self._shrinks),
        ):
            count = self._counts[name]
            more: Any = (count + 1) * happened.astype("int32")  # the other count restarts
            due = OPS["equal"](
                more,
                OPS["fill_constant"](shape=[1], value=float(every), dtype=dtype_of("int32").proto),
            )
            changed = factor * ratio
            factor = OPS["where"](due, changed, factor)
            StaticGraphMode(self._program).write(
                more * OPS["logical_not"](due).astype("int32"), count
            )
        StaticGraphMode(self._program).write(factor * 1.0, self.get_loss_scaling())

    def apply_optimize(self, loss: Variable, startup_program: Any, params_grads: Pairs) -> Any:
        """Apply the gradients with the optimizer."""
        with program_guard(program_of("decorate: apply_optimize", loss), startup_program):
            return self.apply_gradients(params_grads)

    def minimize(
        self,
        loss: Variable,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[Any, Pairs]:
        """Rewrite the program, append gradients and the step; gives the ops of the step, and pairs
        of a parameter and its gradient.
        """
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs


# The parameters after init_loss_scaling in the older order: their names, and today's defaults in
# these positions.
PLACES = {
    "incr_every_n_steps": "float16",
    "decr_every_n_nan_or_inf": None,
    "incr_ratio": False,
    "decr_ratio": None,
    "use_dynamic_loss_scaling": None,
}


def _older(*given: Any) -> dict[str, Any]:
    """Arguments by the names that the older order of places gives them."""
    pairs = zip(PLACES.items(), given, strict=True)
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
    """An optimizer like `optimizer` that trains in mixed precision.

    level: see paddle.amp.auto_cast

    Takes the arguments of both of Paddle's: with use_pure_fp16, use_fp16_guard or use_bf16 the
    defaults are those of the older one, as with a number for `level`: then the places of the
    arguments behind it are the older one's too.
    """
    if not isinstance(level, str):
        return decorate(
            optimizer,
            amp_lists,
            init_loss_scaling=level,
            **_older(dtype, master_weight, master_grad, init_loss_scaling, incr_every_n_steps),
            use_pure_fp16=bool(use_pure_fp16),
            use_fp16_guard=use_fp16_guard,
            use_bf16=bool(use_bf16),
        )
    older = not (use_pure_fp16 is None and use_fp16_guard is None and use_bf16 is None)
    if older:
        dtype, level = ("bfloat16" if use_bf16 else "float16"), ("O2" if use_pure_fp16 else "O1")
        use_amp_guard = bool(use_pure_fp16) if use_fp16_guard is None else use_fp16_guard
    level = level.upper()
    if level not in LEVELS or dtype not in DTYPES:
        why = (
            f"level={level!r}, dtype={dtype!r}; they are {', '.join(LEVELS)} and "
            f"{', '.join(DTYPES)}"
        )
        raise OpError(with_user_line(f"decorate: {why}"))
    defaults = (2.0**15, 1000, 2, 0.8) if older else (2.0**16, 2000, 1, 0.5)
    given = (init_loss_scaling, incr_every_n_steps, decr_every_n_nan_or_inf, decr_ratio)
    start, good, bad, less = (d if g is None else g for g, d in zip(given, defaults, strict=True))
    dynamic = (
        (older or dtype == "float16")
        if use_dynamic_loss_scaling is None
        else use_dynamic_loss_scaling
    )
    lists = amp_lists or AutoMixedPrecisionLists(dtype=dtype)
    return OptimizerWithMixedPrecision(
        optimizer,
        lists,
        level,
        dtype,
        start,
        dynamic,
        int(good),
        int(bad),
        incr_ratio,
        less,
        use_amp_guard,
        master_grad,
        use_promote,
    )
