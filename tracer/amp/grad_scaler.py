"""Loss scaling: multiply the loss by a factor so that float16 gradients do not underflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OarlockError, OpError, append_user_line
from ..core.tensor import Tensor
from ..optimizer.optimizer import Optimizer
from ..tensor.convert import cast
from ..tensor.math import multiply

UNSCALED, STEPPED = "unscale_()", "step()"


def _raise_ratio_error_unless(name: str, ok: bool, value: float, relation: str) -> None:
    if not ok:
        raise OpError(append_user_line(f"GradScaler: {name}={value} is not {relation} 1"))


class AmpScaler:
    """Loss scaling for training with auto_cast: scale the loss, unscale the gradients, and skip
    optimizer steps whose gradients are not finite.

    The factor starts at `init_loss_scaling`. Unless `use_dynamic_loss_scaling` is False, it is
    multiplied by `incr_ratio` after `incr_every_n_steps` finite steps in a row, and by `decr_ratio`
    after `decr_every_n_nan_or_inf` steps with NaN or infinity in a row. With ``enable=False``
    nothing is scaled.
    """

    is_training_state = True  # converted code must not use it while a program is recorded

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**15,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 1000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        self._enable = enable
        self._scale = float(init_loss_scaling)
        self._use_dynamic_loss_scaling = use_dynamic_loss_scaling and enable
        self.set_init_loss_scaling(init_loss_scaling)
        self.set_incr_ratio(incr_ratio)
        self.set_decr_ratio(decr_ratio)
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_count = self._decr_count = 0
        self._last_call_by_optimizer: dict[
            int, str
        ] = {}  # the last call for each optimizer (by id) since the last update()
        self._found_inf: dict[int, bool] = {}

    # -- one step
    # --------------------------------------------------------------------------

    def scale(self, var: Tensor) -> Tensor:
        """Return the loss times the loss scaling factor, in float32.

        With ``enable=False``, return the loss unchanged.

        Parameters
        ----------
        var : Tensor [*], float

        Returns
        -------
        Tensor [*], float32

        Raises
        ------
        OpError
            If `var` is not a Tensor.

        Examples
        --------
        >>> paddle.amp.GradScaler(init_loss_scaling=4.0).scale(paddle.to_tensor(2.0)).item()
        8.0
        """
        if not isinstance(var, Tensor):
            raise OpError(
                append_user_line(f"GradScaler.scale: {type(var).__name__} is not a tensor")
            )
        return multiply(cast(var, "float32"), self._scale) if self._enable else var

    def _unscale(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the loss scaling factor, in place,
        and record whether all gradients are finite.
        """
        if not self._enable:
            return
        last_call = self._last_call_by_optimizer.get(id(optimizer))
        if last_call is not None:
            raise OarlockError(
                append_user_line(
                    f"GradScaler.unscale_: {last_call} was called since the last update()"
                )
            )
        found_inf = False
        for parameter in optimizer._parameter_list:
            if parameter.grad is not None:
                array = parameter.grad.array
                unscaled = array * np.float32(1 / self._scale)
                found_inf = found_inf or not bool(np.isfinite(unscaled).all())
                parameter.grad.array = unscaled.astype(array.dtype, copy=False)
        self._found_inf[id(optimizer)] = found_inf
        self._last_call_by_optimizer[id(optimizer)] = UNSCALED

    def _unscale_and_step_if_finite(self, optimizer: Optimizer, step: Any) -> Any:
        """Unscale the gradients and call `step` if all gradients are finite. Return the result of
        `step`, or None if the step is skipped.
        """
        if self._last_call_by_optimizer.get(id(optimizer)) == STEPPED:
            raise OarlockError(
                append_user_line("GradScaler.step: step() was called since the last update()")
            )
        if id(optimizer) not in self._last_call_by_optimizer:
            self._unscale(optimizer)
        result = None if self._found_inf[id(optimizer)] else step()
        self._last_call_by_optimizer[id(optimizer)] = STEPPED
        return result

    def minimize(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Unscale the gradients and call `optimizer.minimize` if all gradients are finite; then
        update the loss scaling factor.
        """
        if not self._enable:
            result: tuple[Any, Any] = optimizer.minimize(*args, **kwargs)
            return result
        result = self._unscale_and_step_if_finite(
            optimizer, lambda: optimizer.minimize(*args, **kwargs)
        )
        self._adjust_scale_and_clear_step_records()
        return result or (None, None)

    def _adjust_scale_and_clear_step_records(self) -> None:
        if self._use_dynamic_loss_scaling:
            self._adjust_loss_scale(any(self._found_inf.values()))
        self._last_call_by_optimizer.clear()
        self._found_inf.clear()

    def _adjust_loss_scale(self, found_inf: bool) -> None:
        """Update the loss scaling factor; `found_inf`: a gradient of the step was not finite."""
        if found_inf:
            self._incr_count, self._decr_count = 0, self._decr_count + 1
            if self._decr_count == self._decr_every_n_nan_or_inf:
                self._scale, self._decr_count = self._scale * self._decr_ratio, 0
        else:
            self._incr_count, self._decr_count = self._incr_count + 1, 0
            if self._incr_count == self._incr_every_n_steps:
                self._scale, self._incr_count = self._scale * self._incr_ratio, 0

    # -- settings
    # --------------------------------------------------------------------------

    def is_enable(self) -> bool:
        """Return whether losses are scaled, that is, the argument `enable`."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Return whether the loss scaling factor changes during training."""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self) -> float:
        """Return the initial factor."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Set the initial and the current loss scaling factor."""
        self._init_loss_scaling = new_init_loss_scaling
        self._scale = float(new_init_loss_scaling)

    def get_incr_ratio(self) -> float:
        """Return the number by which the loss scaling factor is multiplied after enough finite
        steps.
        """
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Set the number by which the loss scaling factor is multiplied after enough finite steps
        (> 1).
        """
        _raise_ratio_error_unless("incr_ratio", new_incr_ratio > 1.0, new_incr_ratio, "above")
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self) -> float:
        """Return the number by which the loss scaling factor is multiplied after steps with NaN or
        infinity.
        """
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Set the number by which the loss scaling factor is multiplied after steps with NaN or
        infinity (< 1).
        """
        _raise_ratio_error_unless("decr_ratio", new_decr_ratio < 1.0, new_decr_ratio, "below")
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self) -> int:
        """Return the number of consecutive finite steps after which the loss scaling factor
        increases.
        """
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Set the number of consecutive finite steps after which the loss scaling factor
        increases.
        """
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self) -> int:
        """Return the number of consecutive steps with NaN or infinity after which the loss scaling
        factor decreases.
        """
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Set the number of consecutive steps with NaN or infinity after which the loss scaling
        factor decreases.
        """
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    _STATE_TYPES = {  # noqa: RUF012 - a constant
        "incr_ratio": float,
        "decr_ratio": float,
        "incr_every_n_steps": int,
        "decr_every_n_nan_or_inf": int,
        "incr_count": int,
        "decr_count": int,
        "use_dynamic_loss_scaling": bool,
    }

    def state_dict(self) -> dict[str, Any]:
        """Return the loss scaling factor and the settings of the scaler; an empty dict if the
        scaler is disabled.
        """
        if not self._enable:
            return {}
        return {
            "scale": np.array([self._scale], np.float32),
            **{name: getattr(self, f"_{name}") for name in self._STATE_TYPES},
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned.

        Raises
        ------
        OarlockError
            If the dict is empty, which is the state of a disabled GradScaler, or a value is missing
            or malformed; the scaler then stays as it was.
        """
        if not self._enable:
            return
        if not state_dict:
            raise _make_load_state_dict_error(
                "the dict is empty, which is the state of a disabled GradScaler"
            )
        if not isinstance(state_dict, dict):
            raise _make_load_state_dict_error(
                f"the state is a {type(state_dict).__name__}, not a dict"
            )
        missing = [name for name in ("scale", *self._STATE_TYPES) if name not in state_dict]
        if missing:
            raise _make_load_state_dict_error(f"it lacks {missing}")
        values = {}
        for name, type_ in {"scale": float, **self._STATE_TYPES}.items():
            try:
                values[name] = type_(np.asarray(state_dict[name]).reshape(-1)[0])
            except (TypeError, ValueError, IndexError):
                raise _make_load_state_dict_error(f"{name} is {state_dict[name]!r}") from None
        self.set_init_loss_scaling(values.pop("scale"))
        for name, value in values.items():
            setattr(self, f"_{name}", value)


def _make_load_state_dict_error(reason: str) -> OarlockError:
    return OarlockError(append_user_line(f"GradScaler.load_state_dict: {reason}"))


class GradScaler(AmpScaler):
    """Loss scaling for training with auto_cast, so that float16 gradients do not underflow.

    It scales the loss, unscales the gradients, and skips optimizer steps whose gradients are not
    finite. Unless `use_dynamic_loss_scaling` is False, the factor is multiplied by `incr_ratio`
    after `incr_every_n_steps` finite steps in a row, and by `decr_ratio` after
    `decr_every_n_nan_or_inf` steps with NaN or infinity in a row.

    Parameters
    ----------
    enable : bool, default True
        False: nothing is scaled, and no step is skipped.
    init_loss_scaling : float, default 65536.0
        The initial factor.
    incr_ratio : float, default 2.0
        Above 1.
    decr_ratio : float, default 0.5
        Below 1.
    incr_every_n_steps : int, default 2000
    decr_every_n_nan_or_inf : int, default 1
    use_dynamic_loss_scaling : bool, default True

    Raises
    ------
    OpError
        If a ratio is out of range.

    Examples
    --------
    >>> net = nn.Linear(2, 3)
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    >>> with paddle.amp.auto_cast():
    ...     loss = net(paddle.ones([4, 2])).mean()
    >>> scaler.scale(loss).backward()
    >>> scaler.step(sgd)
    >>> scaler.update()
    >>> sgd.clear_grad()
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**16,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        super().__init__(
            enable,
            init_loss_scaling,
            incr_ratio,
            decr_ratio,
            incr_every_n_steps,
            decr_every_n_nan_or_inf,
            use_dynamic_loss_scaling,
        )

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients by the loss scaling factor now, in order to clip them before `step`.

        Parameters
        ----------
        optimizer : Optimizer
            The gradients of its parameters are changed in place.

        Raises
        ------
        OarlockError
            If `unscale_` or `step` was called for this optimizer since the last `update`.

        Examples
        --------
        >>> net = nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> scaler.scale(net(paddle.ones([1, 2])).sum()).backward()
        >>> scaler.unscale_(sgd)
        >>> net.bias.grad.tolist()
        [1.0, 1.0, 1.0]
        """
        self._unscale(optimizer)

    def step(self, optimizer: Optimizer) -> None:
        """Unscale the gradients and call ``optimizer.step()`` if all are finite.

        If `unscale_` was called, the gradients are not unscaled again.

        Parameters
        ----------
        optimizer : Optimizer

        Raises
        ------
        OarlockError
            If `step` was called for this optimizer since the last `update`, and the factor is
            dynamic.

        Examples
        --------
        >>> net = nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> scaler.scale(net(paddle.ones([1, 2])).sum()).backward()
        >>> scaler.step(sgd)
        >>> net.bias.tolist() == np.float32([-0.1, -0.1, -0.1]).tolist()
        True
        """
        if not self._enable:
            optimizer.step()
            return
        self._unscale_and_step_if_finite(optimizer, optimizer.step)
        if not self._use_dynamic_loss_scaling:
            self._adjust_scale_and_clear_step_records()

    def update(self) -> None:
        """Adjust the loss scaling factor after an optimizer step, if it is dynamic.

        Call it once per step, after `step` of all optimizers.

        Examples
        --------
        >>> net = nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> scaler.scale(net(paddle.full([1, 2], np.inf)).sum()).backward()
        >>> scaler.step(sgd)
        >>> scaler.update()
        >>> scaler.state_dict()["scale"]
        array([512.], dtype=float32)
        """
        if self._enable and self._use_dynamic_loss_scaling:
            self._adjust_scale_and_clear_step_records()
