"""auto_cast and decorate: where mixed precision begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core.dtype import dtype_of, is_float
from ..core.errors import OpError, with_user_line
from ..core.mode import WrapperMode, remove_wrapper, state, use_mode
from ..core.tensor import Tensor
from ..nn import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D, LayerNorm
from ..nn.layer import Float32Layer, Layer
from ..tensor.convert import cast
from .amp_lists import Lists, lists_for
from .mode import Amp, Settings

DTYPES = ("float16", "bfloat16")
LEVELS = ("O0", "OD", "O1", "O2")
WIDE_IN_FLOAT16 = (LayerNorm, InstanceNorm1D, InstanceNorm2D, InstanceNorm3D)


def _refuse(why: str) -> OpError:
    return OpError(with_user_line(why))


def settings_of(
    white: Iterable[str] | None,
    black: Iterable[str] | None,
    level: str,
    dtype: str,
    use_promote: bool,
) -> Settings | None:
    """The settings that the arguments of auto_cast say; None where nothing is to be cast."""
    level, dtype = level.upper(), dtype.lower()
    if level not in LEVELS:
        raise _refuse(f"auto_cast: level={level!r} is not one of {', '.join(LEVELS)}")
    if dtype not in DTYPES:
        raise _refuse(f"auto_cast: dtype={dtype!r} is neither float16 nor bfloat16")
    if level == "O0":
        return None
    lists: Lists = lists_for(level, dtype, white, black)
    return Settings(level, dtype_of(dtype), lists, use_promote or level != "O2")


@contextmanager
def auto_cast(
    enable: bool = True,
    custom_white_list: Iterable[str] | None = None,
    custom_black_list: Iterable[str] | None = None,
    level: str = "O1",
    dtype: str = "float16",
    use_promote: bool = True,
) -> Iterator[None]:
    """In the body ops run in `dtype` or in float32, as lists of op types say.

    level O1: ops of the white list in `dtype`, those of the black list in float32, others in
    float32 if any operand is; O2: as O1 with a short black list (use_promote=False: others in
    `dtype`); OD: all but the white list in float32; O0: nothing is cast.
    """
    settings = (
        settings_of(custom_white_list, custom_black_list, level, dtype, use_promote)
        if enable
        else None
    )
    bare = remove_wrapper(state.mode, Amp)
    with use_mode(bare if settings is None else Amp(bare, settings)):
        yield


def amp_state() -> dict[str, Any] | None:
    """What the auto_cast in force was asked for; None outside of one."""
    mode = state.mode
    while not isinstance(mode, Amp):
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
    """Whether float16 can be used: here it always can, computed in float32 where it matters."""
    return True


def is_bfloat16_supported(device: str | None = None) -> bool:
    """Whether bfloat16 can be used: here it always can, computed in float32 where it matters."""
    return True


def _listed(given: Any) -> list[Any]:
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]


def _excluded(excluded_layers: Any) -> tuple[tuple[type, ...], set[int]]:
    """Types, and ids of layers with all below them, that stay as they are."""
    types: list[type] = []
    own: set[int] = set()
    for item in _listed(excluded_layers):
        if isinstance(item, Layer):
            own |= {id(layer) for layer in item.sublayers(include_self=True)}
        elif isinstance(item, type) and issubclass(item, Layer):
            types.append(item)
        else:
            raise _refuse(
                f"decorate: excluded_layers holds {item!r}, which is neither a layer nor "
                "a type of layers"
            )
    return tuple(types), own


def _cast_model(model: Layer, dtype: str, excluded_layers: Any) -> None:
    """Parameters and buffers in `dtype`, but those of norms that need float32."""
    types, own = _excluded(excluded_layers)
    stay = (Float32Layer, *types) + (WIDE_IN_FLOAT16 if dtype == "float16" else ())
    for layer in model.sublayers(include_self=True):
        if not isinstance(layer, stay) and id(layer) not in own:
            layer._cast_own(dtype)


def _saved_as(dtype: str) -> Any:
    """A hook that has a state dict in `dtype`; the parameters stay as they are."""

    def hook(found: dict[str, Tensor]) -> None:
        for key, tensor in found.items():
            if is_float(tensor.meta.dtype):
                made = cast(tensor.detach(), dtype)
                made.name = tensor.name
                found[key] = made

    return hook


def _wide_gradients(model: Layer) -> None:
    for parameter in model.parameters():
        parameter.register_hook(lambda g: cast(g, "float32"))


def _check(
    models: list[Any], optimizers: list[Any], level: str, dtype: str, save_dtype: Any
) -> None:
    if level not in ("O1", "O2"):
        raise _refuse(f"decorate: level={level!r} is neither O1 nor O2")
    if dtype not in DTYPES:
        raise _refuse(f"decorate: dtype={dtype!r} is neither float16 nor bfloat16")
    if save_dtype not in (None, *DTYPES, "float32", "float64"):
        raise _refuse(
            f"decorate: save_dtype={save_dtype!r} is not one of float16, bfloat16, float32, float64"
        )
    for model in models:
        if not isinstance(model, Layer):
            raise _refuse(f"decorate: a model is {type(model).__name__}, not a Layer")
    for optimizer in optimizers:
        if not hasattr(optimizer, "_parameter_list"):
            raise _refuse(f"decorate: {type(optimizer).__name__} is not an optimizer")


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
    """Models and optimizers made ready for auto_cast; the same ones are given back.

    At O1 there is nothing to do.

    O2: parameters become `dtype`, but for batch norms, and layer and instance norms in float16;
    optimizers keep float32 copies unless
    master_weight is False.
    save_dtype: of what state_dict() gives; master_grad: gradients of parameters in float32.
    """
    _check(_listed(models), _listed(optimizers), level, dtype, save_dtype)
    if level == "O2":
        for model in _listed(models):
            _cast_model(model, dtype, excluded_layers)
            if save_dtype is not None:
                model.register_state_dict_hook(_saved_as(save_dtype))
            if master_grad:
                _wide_gradients(model)
        for optimizer in _listed(optimizers):
            optimizer._multi_precision = master_weight is not False
    return models if optimizers is None else (models, optimizers)


amp_guard, amp_decorate = auto_cast, decorate
