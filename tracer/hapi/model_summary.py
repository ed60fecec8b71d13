"""Summary of a network: layers with input and output shapes and numbers of parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import nn
from ..core.autograd import no_grad
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec
from ..tensor.convert import cast
from ..tensor.creation import rand
from .type_aliases import InputSizes

__all__ = ["summary"]

_TITLES = ("Layer (type)", "Input Shape", "Output Shape", "Param #")
_WIDTHS = (15, 20, 20, 15)


class SummaryRow(NamedTuple):
    """One row of the printed table: the data of one layer."""

    name: str
    input_shape: Any
    output_shape: Any
    params: int
    trainable: int


def summary(
    net: nn.Layer,
    input_size: InputSizes | None = None,
    dtypes: str | Sequence[str] | None = None,
    input: Tensor | Sequence[Tensor] | Mapping[str, Tensor] | None = None,
) -> dict[str, int]:
    """Print the layers of a network with their shapes and numbers of parameters.

    Parameters
    ----------
    net : Layer
        It runs once, in eval mode.
    input_size : tuple of int or InputSpec, or list of them, optional
        One shape per argument of forward; a list of shapes in it for an argument that is a list.
        None or -1 stands for the batch size, which is 1 then.
    dtypes : str, or list of str, default "float32"
        The dtypes of the inputs.
    input : Tensor, list or dict of Tensor, optional
        The only argument of forward, instead of `input_size`.

    Returns
    -------
    dict
        "total_params" and "trainable_params", numbers of elements.

    Raises
    ------
    OpError
        If neither `input_size` nor `input` is given, if a shape has several dynamic sizes, or if
        the numbers of shapes and dtypes differ.

    Examples
    --------
    >>> counts = paddle.summary(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), (None, 2))
    ---...
    Total params: 9
    ...
    >>> counts
    {'total_params': 9, 'trainable_params': 9}
    """
    if input_size is None and input is None:
        raise OpError(append_user_line("summary: input_size or input is required"))
    sizes = _shapes_per_argument(_shape_or_shapes(input) if input_size is None else input_size)
    args = (
        [input]
        if input is not None
        else [
            _random_inputs(s, d) for s, d in zip(sizes, _input_dtypes(sizes, dtypes), strict=True)
        ]
    )
    rows = _run_and_collect_rows(net, args)
    total, trainable = sum(r.params for r in rows), sum(r.trainable for r in rows)
    print(_format_table(rows, _float32_megabytes_of_shapes(sizes)))
    return {"total_params": total, "trainable_params": trainable}


# -- inputs
# ------------------------------------------------------------------------------


def _is_shape(size: Any) -> bool:
    return all(d is None or isinstance(d, int) for d in size)


def _shapes_per_argument(size: Any) -> list[Any]:
    """Return a list with the shape of each argument of the network; a shape is a tuple, or a list
    of tuples for a list of tensors.
    """
    if isinstance(size, int | InputSpec) or (isinstance(size, tuple) and _is_shape(size)):
        return [_shape_with_dynamic_axis_as_one(size)]
    return [_shape_with_dynamic_axis_as_one(s) for s in size]


def _shape_with_dynamic_axis_as_one(size: Any) -> Any:
    """Return a shape in which 1 replaces the dynamic axis. At most one axis of the shape may be
    dynamic.
    """
    shape = (
        (size,) if isinstance(size, int) else size.shape if isinstance(size, InputSpec) else size
    )
    if not _is_shape(shape):
        return [_shape_with_dynamic_axis_as_one(s) for s in shape]
    if sum(d in (None, -1) for d in shape) > 1:
        raise OpError(
            append_user_line(
                f"summary: only the batch size of an input may be dynamic, not {tuple(shape)}"
            )
        )
    static_shape = tuple(1 if d in (None, -1) else d for d in shape)
    if any(d <= 0 for d in static_shape):
        raise OpError(append_user_line(f"summary: sizes must be positive, not {tuple(shape)}"))
    return static_shape


def _input_dtypes(sizes: list[Any], dtypes: Any) -> list[Any]:
    dtype_list = dtypes if isinstance(dtypes, list | tuple) else [dtypes or "float32"] * len(sizes)
    if len(dtype_list) != len(sizes):
        raise OpError(
            append_user_line(f"summary: {len(dtype_list)} dtypes for {len(sizes)} inputs")
        )
    return list(dtype_list)


def _random_inputs(size: Any, dtype: Any) -> Any:
    """Create random inputs of the given sizes."""
    if isinstance(size, tuple):
        return cast(rand(list(size)), dtype)
    inner = dtype if isinstance(dtype, list | tuple) else [dtype] * len(size)
    return [_random_inputs(s, d) for s, d in zip(size, inner, strict=True)]


def _shape_or_shapes(value: Any) -> Any:
    """Return the shape of a tensor, or the shapes of several."""
    if isinstance(value, Tensor):
        return tuple(value.shape)
    return [tuple(v.shape) for v in (value.values() if isinstance(value, dict) else value)]


# -- the run
# ------------------------------------------------------------------------------


@contextmanager
def eval_mode_with_forward_hooks(
    net: nn.Layer, hook: Callable[..., Any], predicate: Callable[[nn.Layer], bool]
) -> Iterator[None]:
    """Context manager: run the body with the network in eval mode without gradients. After each
    call of a layer that `predicate` accepts, `hook(layer, inputs, outputs)` is called.
    """
    layers = net.sublayers(include_self=True)
    modes = [layer.training for layer in layers]
    hooks = [layer.register_forward_post_hook(hook) for layer in layers if predicate(layer)]
    try:
        net.eval()
        with no_grad():
            yield
    finally:
        for handle in hooks:
            handle.remove()
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode


def _run_and_collect_rows(net: nn.Layer, args: list[Any]) -> list[SummaryRow]:
    """Run the network and return a row for each layer except containers, in the order of their
    first calls. If a layer is called several times, its row has the shapes of the last call.
    """
    rows: dict[str, SummaryRow] = {}
    has_no_sublayers = not net.sublayers()

    def record_shapes(layer: nn.Layer, inputs: Any, outputs: Any) -> None:
        name = f"{type(layer).__name__}-{int(layer.full_name().rsplit('_', 1)[1]) + 1}"
        params = [p for p in layer._parameters.values() if p is not None]
        num_params, num_trainable = (
            sum(math.prod(p.shape) for p in ps)
            for ps in (params, [p for p in params if not p.stop_gradient])
        )
        rows[name] = SummaryRow(
            name, _nested_shapes(inputs), _nested_shapes(outputs), num_params, num_trainable
        )

    def has_row(layer: nn.Layer) -> bool:
        return not isinstance(layer, nn.Sequential | nn.LayerList) and (
            has_no_sublayers or layer is not net
        )

    with eval_mode_with_forward_hooks(net, record_shapes, has_row):
        net(*args)
    return list(rows.values())


def _nested_shapes(value: Any) -> Any:
    """Return the shapes of nested values in the same structure."""
    if isinstance(value, list | tuple):
        return [_nested_shapes(v) for v in value]
    if isinstance(value, dict):
        return [_nested_shapes(v) for v in value.values()]
    return list(value.shape) if isinstance(value, Tensor) else []


# -- the text
# ------------------------------------------------------------------------------


def _num_elements(shape: Any) -> int:
    """Return the total number of elements of arrays with these shapes, which may be nested."""
    if shape and isinstance(shape[0], list):
        return sum(map(_num_elements, shape))
    return math.prod(shape)


def _float32_megabytes_of_shapes(sizes: Any) -> float:
    if isinstance(sizes, tuple):
        return math.prod(sizes) * 4 / 1024**2
    return sum(map(_float32_megabytes_of_shapes, sizes))


def _format_table(rows: list[SummaryRow], inputs: float) -> str:
    """Format the table and the totals as Paddle does."""
    cells = [(r.name, str(r.input_shape), str(r.output_shape), f"{r.params:,}") for r in rows]
    widths = [max([min_width, *(len(c[i]) for c in cells)]) for i, min_width in enumerate(_WIDTHS)]
    width = sum(widths) + 5
    lines = [
        " ".join(f"{c:^{w}}" for c, w in zip(row, widths, strict=True)) for row in (_TITLES, *cells)
    ]
    total, trainable = sum(r.params for r in rows), sum(r.trainable for r in rows)
    activations = 2 * 4 * sum(_num_elements(r.output_shape) for r in rows) / 1024**2
    params = total * 4 / 1024**2
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
            f"Forward/backward pass size (MB): {activations:.2f}",
            f"Params size (MB): {params:.2f}",
            f"Estimated Total Size (MB): {inputs + activations + params:.2f}",
            "-" * width,
            "",
        ]
    )
