"""What a network consists of: layers with the shapes that go through them, and numbers of
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import nn
from ..core.autograd import no_grad
from ..core.errors import OpError
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec
from ..tensor.convert import cast
from ..tensor.creation import rand

__all__ = ["summary"]

_TITLES = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
_WIDTHS = (15, 20, 20, 15)


class Row(NamedTuple):
    """One layer."""

    name: str
    input_shape: Any
    output_shape: Any
    params: int
    trainable: int


def summary(
    net: nn.Layer, input_size: Any = None, dtypes: Any = None, input: Any = None
) -> dict[str, int]:
    """Print the layers of a network with their shapes; gives {'total_params': ...,
    'trainable_params': ...}.

    input_size: a shape, an InputSpec, or a list of them, None or -1 for the batch; or `input`: a
    tensor, or what forward takes.
    dtypes: of the inputs, float32 if None.   The network is run once, in eval mode.
    """
    if input_size is None and input is None:
        raise OpError("summary: input_size or input is needed")
    sizes = _sizes(_shapes_of(input) if input_size is None else input_size)
    args = (
        [input]
        if input is not None
        else [_made(s, d) for s, d in zip(sizes, _dtypes(sizes, dtypes), strict=True)]
    )
    rows = _run(net, args)
    total, trainable = sum(r.params for r in rows), sum(r.trainable for r in rows)
    print(_text(rows, _megabytes(sizes)))
    return {"total_params": total, "trainable_params": trainable}


# -- inputs
# ------------------------------------------------------------------------------


def _is_shape(size: Any) -> bool:
    return all(d is None or isinstance(d, int) for d in size)


def _sizes(size: Any) -> list[Any]:
    """A list with the size of each argument: a tuple, or a list of them."""
    if isinstance(size, int | InputSpec) or (isinstance(size, tuple) and _is_shape(size)):
        return [_size(size)]
    return [_size(s) for s in size]


def _size(size: Any) -> Any:
    """One size: unknown is 1; only one may be."""
    shape = (
        (size,) if isinstance(size, int) else size.shape if isinstance(size, InputSpec) else size
    )
    if not _is_shape(shape):
        return [_size(s) for s in shape]
    if sum(d in (None, -1) for d in shape) > 1:
        raise OpError(f"summary: only the batch of an input may be unknown, not {tuple(shape)}")
    known = tuple(1 if d in (None, -1) else d for d in shape)
    if any(d <= 0 for d in known):
        raise OpError(f"summary: sizes are above 0, not {tuple(shape)}")
    return known


def _dtypes(sizes: list[Any], dtypes: Any) -> list[Any]:
    given = dtypes if isinstance(dtypes, list | tuple) else [dtypes or "float32"] * len(sizes)
    if len(given) != len(sizes):
        raise OpError(f"summary: {len(given)} dtypes for {len(sizes)} inputs")
    return list(given)


def _made(size: Any, dtype: Any) -> Any:
    """Random numbers of a size, or a list of them."""
    if isinstance(size, tuple):
        return cast(rand(list(size)), dtype)
    inner = dtype if isinstance(dtype, list | tuple) else [dtype] * len(size)
    return [_made(s, d) for s, d in zip(size, inner, strict=True)]


def _shapes_of(value: Any) -> Any:
    """The size of a tensor, or those of several."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    return [tuple(v.shape) for v in (value.values() if isinstance(value, dict) else value)]


# -- the run
# ------------------------------------------------------------------------------


@contextmanager
def watched(
    net: nn.Layer, hook: Callable[..., Any], wanted: Callable[[nn.Layer], bool]
) -> Iterator[None]:
    """The network in eval mode without gradients, `hook(layer, inputs, outputs)` called behind the
    wanted layers.
    """
    layers = net.sublayers(include_self=True)
    modes = [layer.training for layer in layers]
    hooks = [layer.register_forward_post_hook(hook) for layer in layers if wanted(layer)]
    try:
        net.eval()
        with no_grad():
            yield
    finally:
        for handle in hooks:
            handle.remove()
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode


def _run(net: nn.Layer, args: list[Any]) -> list[Row]:
    """A row for every layer that is no container, in the order of the calls; a later call of one
    replaces its shapes.
    """
    rows: dict[str, Row] = {}
    alone = not net.sublayers()

    def note(layer: nn.Layer, inputs: Any, outputs: Any) -> None:
        name = f"{type(layer).__name__}-{int(layer.full_name().rsplit('_', 1)[1]) + 1}"
        own = [p for p in layer._parameters.values() if p is not None]
        count, free = (
            sum(math.prod(p.shape) for p in ps)
            for ps in (own, [p for p in own if not p.stop_gradient])
        )
        rows[name] = Row(name, _nested(inputs), _nested(outputs), count, free)

    def wanted(layer: nn.Layer) -> bool:
        return not isinstance(layer, nn.Sequential | nn.LayerList) and (alone or layer is not net)

    with watched(net, note, wanted):
        net(*args)
    return list(rows.values())


def _nested(value: Any) -> Any:
    """Shapes, nested as the values are."""
    if isinstance(value, list | tuple):
        return [_nested(v) for v in value]
    if isinstance(value, dict):
        return [_nested(v) for v in value.values()]
    return list(value.shape) if isinstance(value, Tensor) else []


# -- the text
# ------------------------------------------------------------------------------


def _elements(shape: Any) -> int:
    """How many numbers shapes hold, nested or not."""
    if shape and isinstance(shape[0], list):
        return sum(map(_elements, shape))
    return math.prod(shape)


def _megabytes(sizes: Any) -> float:
    if isinstance(sizes, tuple):
        return math.prod(sizes) * 4 / 1024**2
    return sum(map(_megabytes, sizes))


def _text(rows: list[Row], inputs: float) -> str:
    """The table, and what it adds up to, in Paddle's words."""
    cells = [(r.name, str(r.input_shape), str(r.output_shape), f"{r.params:,}") for r in rows]
    widths = [max([least, *(len(c[i]) for c in cells)]) for i, least in enumerate(_WIDTHS)]
    width = sum(widths) + 5
    lines = [
        " ".join(f"{c:^{w}}" for c, w in zip(row, widths, strict=True)) for row in (_TITLES, *cells)
    ]
    total, trainable = sum(r.params for r in rows), sum(r.trainable for r in rows)
    passing = 2 * 4 * sum(_elements(r.output_shape) for r in rows) / 1024**2
    values = total * 4 / 1024**2
    return "\n".join(
        [
            "-" * width,
            lines[0],
            "=" * width,
            *lines[1:],
            "=" * width,
            f"Total params: {total:,}",
            f"Trainable params: {trainable:,}",
            f"Non-trainable params: {total - trainable:,}",
            "-" * width,
            f"Input size (MB): {inputs:.2f}",
            f"Forward/backward pass size (MB): {passing:.2f}",
            f"Params size (MB): {values:.2f}",
            f"Estimated Total Size (MB): {inputs + passing + values:.2f}",
            "-" * width,
            "",
        ]
    )
