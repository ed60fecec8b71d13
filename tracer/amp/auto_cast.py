"""auto_cast and decorate: the user interface of mixed precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from ..core.dtype import is_inexact, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import WrapperMode, mode_without_wrappers_of_class, state, use_mode
from ..core.tensor import Tensor
from ..nn import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D, LayerNorm
from ..nn.layer import ExcludedLayers, Layer, NoHalfPrecisionLayer
from ..optimizer.optimizer import Optimizer
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
    """Context manager: run ops in half precision or float32, as lists of op types select.

    Parameters
    ----------
    enable : bool, default True
        False: the body runs without casts.
    custom_white_list, custom_black_list : set of str, optional
        Op types, such as "matmul_v2", to add to the white list (half precision) or to the black
        list (float32), and to remove from the other one.
    level : "O0", "OD", "O1" or "O2", default "O1"
        - "O1": ops of the white list run in `dtype`, those of the black list in float32, others in
          float32 if any input is float32, else in `dtype`.
        - "O2": as "O1" with a short black list; for models that `decorate` cast.
        - "OD": all ops except those of the white list run in float32.
        - "O0": no casts.
    dtype : "float16" or "bfloat16", default "float16"
    use_promote : bool, default True
        False with "O2": ops in neither list run in `dtype` also if an input is float32.

    Yields
    ------
    None

    Raises
    ------
    OpError
        If `level` or `dtype` is unknown, or if an op is in both custom lists.

    Notes
    -----
    Only inputs of dtype float16, bfloat16 and float32 are cast. It works on CPU and GPU; in Paddle,
    it warns and does nothing on the CPU.

    See Also
    --------
    decorate : Prepare models and optimizers for "O2".
    GradScaler : Loss scaling, so that float16 gradients do not underflow.

    Examples
    --------
    >>> x = paddle.ones([2, 2])
    >>> with paddle.amp.auto_cast(dtype="bfloat16"):
    ...     y = paddle.matmul(x, x)
    ...     z = paddle.exp(y)
    >>> y.dtype, z.dtype
    (paddle.bfloat16, paddle.float32)
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
    """Return whether float16 is supported, which it always is; sensitive ops compute in float32.

    Parameters
    ----------
    device : str, optional
        Not used.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> paddle.amp.is_float16_supported()
    True
    """
    return True


def is_bfloat16_supported(device: str | None = None) -> bool:
    """Return whether bfloat16 is supported, which it always is; sensitive ops compute in float32.

    Parameters
    ----------
    device : str, optional
        Not used.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> paddle.amp.is_bfloat16_supported()
    True
    """
    return True


Models = TypeVar("Models", bound="Layer | Sequence[Layer]")
Optimizers = TypeVar("Optimizers", bound="Optimizer | Sequence[Optimizer]")


def _to_list(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list | tuple) else [value]


def _excluded_types_and_layer_ids(
    excluded_layers: ExcludedLayers,
) -> tuple[tuple[type, ...], set[int]]:
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


def _cast_model(model: Layer, dtype: str, excluded_layers: ExcludedLayers) -> None:
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


@overload
def decorate(
    models: Models,
    optimizers: None = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: ExcludedLayers = None,
) -> Models: ...
@overload
def decorate(
    models: Models,
    optimizers: Optimizers,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: ExcludedLayers = None,
) -> tuple[Models, Optimizers]: ...
def decorate(
    models: Layer | Sequence[Layer],
    optimizers: Optimizer | Sequence[Optimizer] | None = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: ExcludedLayers = None,
) -> Any:
    """Prepare models and optimizers for auto_cast, in place.

    Parameters
    ----------
    models : Layer, or list of Layer
    optimizers : Optimizer, or list of Optimizer, optional
    level : "O1" or "O2", default "O1"
        "O1": nothing changes. "O2": parameters and buffers are cast to `dtype`, except in batch
        normalizations and, for float16, layer and instance normalizations.
    dtype : "float16" or "bfloat16", default "float16"
    master_weight : bool, optional
        False: the optimizers update the half-precision parameters; else float32 copies of them.
    save_dtype : "float16", "bfloat16", "float32" or "float64", optional
        Dtype of the values of ``state_dict()`` of the models. Default: that of the parameters.
    master_grad : bool, default False
        Gradients of parameters are float32.
    excluded_layers : Layer or layer class, or list of them, optional
        Layers that keep their dtype, with the sublayers of the given objects.

    Returns
    -------
    models, or (models, optimizers) if optimizers are given
        The same objects.

    Raises
    ------
    OpError
        If `level`, a dtype or the type of another argument is invalid.

    Notes
    -----
    The arguments after `level` have an effect only at "O2".

    Examples
    --------
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
    >>> adam = paddle.optimizer.Adam(parameters=net.parameters())
    >>> net, adam = paddle.amp.decorate(net, adam, level="O2")
    >>> net[0].weight.dtype, net[1].weight.dtype
    (paddle.float16, paddle.float32)
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
