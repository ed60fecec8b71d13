"""auto_cast and decorate: the user interface of mixed precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core.dtype import is_inexact, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import WrapperMode, mode_without_wrappers_of_class, state, use_mode
from ..core.tensor import Tensor
from ..nn import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D, LayerNorm
from ..nn.layer import Layer, NoHalfPrecisionLayer
from ..tensor.convert import cast
from .amp_lists import AmpOpLists, op_lists_with_custom_ops
from .mode import AmpMode, AmpSettings

DTYPES = ("float16", "bfloat16")
LEVELS = ("O0", "OD", "O1", "O2")
FLOAT32_IN_FLOAT16_MODELS = (LayerNorm, InstanceNorm1D, InstanceNorm2D, InstanceNorm3D)


def _make_op_error_with_user_line(message: str) -> OpError:
    return OpError(append_user_line(message))


def amp_settings_or_none(
    white: Iterable[str] | None,
    black: Iterable[str] | None,
    level: str,
    dtype: str,
    use_promote: bool,
) -> AmpSettings | None:
    """Convert the arguments of auto_cast to settings; return None if they disable casting."""
    level, dtype = level.upper(), dtype.lower()
    if level not in LEVELS:
        raise _make_op_error_with_user_line(
            f"auto_cast: level={level!r} is not one of {', '.join(LEVELS)}"
        )
    if dtype not in DTYPES:
        raise _make_op_error_with_user_line(
            f"auto_cast: dtype={dtype!r} is neither float16 nor bfloat16"
        )
    if level == "O0":
        return None
    lists: AmpOpLists = op_lists_with_custom_ops(level, dtype, white, black)
    return AmpSettings(level, parse_dtype(dtype), lists, use_promote or level != "O2")


@contextmanager
def auto_cast(
    enable: bool = True,
    custom_white_list: Iterable[str] | None = None,
    custom_black_list: Iterable[str] | None = None,
    level: str = "O1",
    dtype: str = "float16",
    use_promote: bool = True,
) -> Iterator[None]:
    """Context manager that runs the ops in its body in `dtype` or float32, as lists of op types
    select.

    level O1: ops of the white list in `dtype`, those of the black list in float32, others in
    float32 if any input is float32; O2: as O1 with a short black list (use_promote=False: others in
    `dtype`); OD: all ops except the white list in float32; O0: no casts
    """
    settings = (
        amp_settings_or_none(custom_white_list, custom_black_list, level, dtype, use_promote)
        if enable
        else None
    )
    inner = mode_without_wrappers_of_class(state.mode, AmpMode)
    with use_mode(inner if settings is None else AmpMode(inner, settings)):
        yield


def amp_state() -> dict[str, Any] | None:
    """Return the arguments of the active auto_cast; None if no auto_cast is active."""
    mode = state.mode
    while not isinstance(mode, AmpMode):
        if not isinstance(mode, WrapperMode):
            return None
        mode = mode.inner
    level, dtype, lists, promote = mode.settings
    return {
        "enable": True,
        "custom_white_list": set(lists.white),
        "custom_black_list": set(lists.black),
        "level": level,
        "dtype": dtype.name,
        "use_promote": promote,
    }


def is_float16_supported(device: str | None = None) -> bool:
    """Return True: float16 is always supported; sensitive ops compute in float32."""
    return True


def is_bfloat16_supported(device: str | None = None) -> bool:
    """Return True: bfloat16 is always supported; sensitive ops compute in float32."""
    return True


def _to_list(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]


def _excluded_types_and_layer_ids(excluded_layers: Any) -> tuple[tuple[type, ...], set[int]]:
    """Split `excluded_layers`: return the excluded layer classes, and the ids of the excluded
    layers and of their sublayers.
    """
    types: list[type] = []
    ids: set[int] = set()
    for item in _to_list(excluded_layers):
        if isinstance(item, Layer):
            ids |= {id(layer) for layer in item.sublayers(include_self=True)}
        elif isinstance(item, type) and issubclass(item, Layer):
            types.append(item)
        else:
            raise _make_op_error_with_user_line(
                f"decorate: excluded_layers contains {item!r}, which is neither a layer nor "
                "a layer class"
            )
    return tuple(types), ids


def _cast_model(model: Layer, dtype: str, excluded_layers: Any) -> None:
    """Cast parameters and buffers to `dtype`, except in normalization layers that need float32."""
    types, excluded_ids = _excluded_types_and_layer_ids(excluded_layers)
    excluded_types = (NoHalfPrecisionLayer, *types) + (
        FLOAT32_IN_FLOAT16_MODELS if dtype == "float16" else ()
    )
    for layer in model.sublayers(include_self=True):
        if not isinstance(layer, excluded_types) and id(layer) not in excluded_ids:
            layer._cast_own_tensors(dtype)


def _make_save_dtype_hook(dtype: str) -> Any:
    """Return a hook for `state_dict` that casts the returned values to `dtype`, while the
    parameters keep their dtype.
    """

    def hook(state: dict[str, Tensor]) -> None:
        for key, tensor in state.items():
            if is_inexact(tensor.meta.dtype):
                saved = cast(tensor.detach(), dtype)
                saved.name = tensor.name
                state[key] = saved

    return hook


def _register_float32_gradient_hooks(model: Layer) -> None:
    for parameter in model.parameters():
        if not parameter.stop_gradient:
            parameter.register_hook(lambda g: cast(g, "float32"))


def _check_decorate_arguments(
    models: list[Any], optimizers: list[Any], level: str, dtype: str, save_dtype: Any
) -> None:
    if level not in ("O1", "O2"):
        raise _make_op_error_with_user_line(f"decorate: level={level!r} is neither O1 nor O2")
    if dtype not in DTYPES:
        raise _make_op_error_with_user_line(
            f"decorate: dtype={dtype!r} is neither float16 nor bfloat16"
        )
    if save_dtype not in (None, *DTYPES, "float32", "float64"):
        raise _make_op_error_with_user_line(
            f"decorate: save_dtype={save_dtype!r} is not one of float16, bfloat16, float32, float64"
        )
    for model in models:
        if not isinstance(model, Layer):
            raise _make_op_error_with_user_line(
                f"decorate: expected a Layer, got {type(model).__name__}"
            )
    for optimizer in optimizers:
        if not hasattr(optimizer, "_parameter_list"):
            raise _make_op_error_with_user_line(
                f"decorate: {type(optimizer).__name__} is not an optimizer"
            )


def decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:
    """Prepare models and optimizers for auto_cast, in place, and return them.

    O1: nothing to do. O2: parameters are cast to `dtype`, except in batch normalizations and, for
    float16, layer and instance normalizations; optimizers hold float32 copies unless master_weight
    is False.
    save_dtype: dtype of state_dict().
    master_grad: compute gradients of parameters in float32.
    """
    _check_decorate_arguments(_to_list(models), _to_list(optimizers), level, dtype, save_dtype)
    if level == "O2":
        for model in _to_list(models):
            _cast_model(model, dtype, excluded_layers)
            if save_dtype is not None:
                model.register_state_dict_hook(_make_save_dtype_hook(save_dtype))
            if master_grad:
                _register_float32_gradient_hooks(model)
        for optimizer in _to_list(optimizers):
            optimizer._multi_precision = master_weight is not False
    return models if optimizers is None else (models, optimizers)


amp_guard, amp_decorate = auto_cast, decorate
