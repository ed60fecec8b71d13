"""Window geometry of convolution and pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import check
from ..core.result_size_limit import MAX_WINDOW
from .shared_op_rules import Shape

PadPair = tuple[int, int]
IntPerAxis = tuple[int, ...]  # a tuple with one number per spatial axis
CHANNELS_LAST = ("NHWC", "NDHWC")
CHANNELS_FIRST = ("NCHW", "NCDHW", "AnyLayout")


class Window(NamedTuple):
    """A kernel of `size` that moves by `stride` over images padded by `pads`, one (before, after)
    pair per axis.
    """

    size: IntPerAxis
    stride: IntPerAxis
    dilation: IntPerAxis
    pads: tuple[PadPair, ...]

    @property
    def kernel_indices(self) -> Iterator[IntPerAxis]:
        """The index tuples of all kernel elements in C order, not multiplied by the dilation."""
        return product(*map(range, self.size))

    def dilated_size(self, axis: int) -> int:
        """The size of the kernel along an axis, including the gaps of the dilation."""
        return self.dilation[axis] * (self.size[axis] - 1) + 1

    def with_end_pads_extended_to_kernel_size(self, sizes: Sequence[int]) -> Window:
        """The window with additional padding at the end if the kernel is larger than the
        padded image by less than a stride. If the kernel is larger than the padded image by less
        than a stride, Paddle's integer division, which truncates towards 0, computes one output
        position.
        """
        pads = []
        for axis, (size, (before, after)) in enumerate(zip(sizes, self.pads, strict=True)):
            missing = (
                self.dilated_size(axis) - size - before - after
                if min(size, self.size[axis]) >= 0
                else 0
            )
            pads.append((before, after + (missing if 0 < missing < self.stride[axis] else 0)))
        return self._replace(pads=tuple(pads))

    def output_sizes(self, sizes: Sequence[int]) -> IntPerAxis:
        """The number of window positions along each axis.

        sizes: the image sizes, -1 for dynamic dimensions.
        """
        return tuple(self._output_size(s, axis) for axis, s in enumerate(sizes))

    def _output_size(self, size: int, axis: int) -> int:
        if size < 0 or self.size[axis] < 0:
            return -1
        room = size + sum(self.pads[axis]) - self.dilated_size(axis)
        check(
            room >= 0,
            f"a kernel of {self.dilated_size(axis)} does not fit into {size} padded by "
            f"{list(self.pads[axis])}",
        )
        return room // self.stride[axis] + 1


NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def _check_window_limit_except_strides(values: Sequence[int], what: str) -> None:
    if what != "strides":
        check(
            all(abs(v) <= MAX_WINDOW for v in values),
            f"{what}={list(values)} is larger than {MAX_WINDOW}",
        )


def require_ints_per_axis(values: Sequence[int], rank: int, what: str) -> IntPerAxis:
    """Return the elements of an attribute as a tuple of one integer per axis. Raises OpError if the
    number of elements differs from the rank, or if an element is too large.
    """
    check(len(values) == rank, f"{what}={list(values)} are not {NUMBER_WORDS[rank]} numbers")
    _check_window_limit_except_strides(values, what)
    return tuple(values)


def normalize_pads(paddings: Sequence[int], rank: int = 2) -> tuple[PadPair, ...]:
    """Return the padding of each axis as a pair (before, after). paddings: one width per axis, or
    two per axis.
    """
    known = len(paddings) in (rank, 2 * rank)
    check(
        known,
        f"paddings={list(paddings)} are neither {NUMBER_WORDS[rank]} nor "
        f"{NUMBER_WORDS[2 * rank]} numbers",
    )
    _check_window_limit_except_strides(paddings, "paddings")
    if len(paddings) == rank:
        return tuple((p, p) for p in paddings)
    return tuple(zip(paddings[::2], paddings[1::2], strict=True))


def make_window(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    algorithm: str,
    dilations: Sequence[int],
) -> Window:
    """Return the Window with the given attributes.

    sizes: the image sizes, -1 for dynamic dimensions.
    """
    rank = len(sizes)
    stride, dilation = (
        require_ints_per_axis(strides, rank, "strides"),
        require_ints_per_axis(dilations, rank, "dilations"),
    )
    positive = min(stride) > 0 and min(dilation) > 0
    check(positive, f"strides={list(strides)}, dilations={list(dilations)} are not positive")
    size = require_ints_per_axis(kernel, rank, "the kernel sizes")
    if algorithm == "SAME":
        dilation = (1,) * rank  # Paddle ignores dilations with SAME
    return Window(
        size, stride, dilation, pad_pairs_for_algorithm(sizes, size, stride, paddings, algorithm)
    )


def pad_pairs_for_algorithm(
    sizes: Sequence[int],
    kernel: IntPerAxis,
    stride: IntPerAxis,
    paddings: Sequence[int],
    algorithm: str,
) -> tuple[PadPair, ...]:
    """Return the padding of each axis as a pair, for the padding algorithm SAME, VALID or
    EXPLICIT.
    """
    check(
        algorithm in ("EXPLICIT", "SAME", "VALID"),
        f"padding_algorithm={algorithm} is not one of EXPLICIT, SAME, VALID",
    )
    explicit = normalize_pads(paddings, len(sizes))
    if algorithm == "VALID":
        return tuple((0, 0) for _ in sizes)
    return tuple(map(same_pads, sizes, kernel, stride)) if algorithm == "SAME" else explicit


def same_pads(size: int, kernel: int, stride: int) -> PadPair:
    """The padding (before, after) of an axis for an output size of ceil(size / stride). If the
    total padding is odd, the end gets one element more.
    """
    total = (
        max((-(-size // stride) - 1) * stride + kernel - size, 0) if min(size, kernel) >= 0 else 0
    )
    return total // 2, total - total // 2


def to_channels_first(x: Any, data_format: str) -> Any:
    """Return a view [N,C,*S] of images in the format channels first or channels last."""
    return np.moveaxis(x, -1, 1) if data_format in CHANNELS_LAST else x


def from_channels_first(x: Any, data_format: str) -> Any:
    """The inverse of `to_channels_first`."""
    return np.moveaxis(x, 1, -1) if data_format in CHANNELS_LAST else x


def check_image_rank(shape: Shape, rank: int, data_format: str = "") -> None:
    """Raise OpError unless `shape` is that of a batch of images with `rank` spatial axes."""
    names = data_format if data_format in CHANNELS_LAST else CHANNELS_FIRST[rank - 2]
    hint = "; add the batch axis with unsqueeze(0)" if len(shape) == rank + 1 else ""
    check(
        len(shape) == rank + 2,
        f"the input needs {rank + 2} axes [{', '.join(names)}], and has {len(shape)}{hint}",
    )


def shape_to_channels_first(shape: Shape, data_format: str, rank: int = 2) -> Shape:
    """Convert the shape of images in the format channels first or channels last to [N,C,*S].

    Raises OpError for other ranks and formats.
    """
    check_image_rank(shape, rank, data_format)
    known = data_format in CHANNELS_FIRST or data_format in CHANNELS_LAST
    check(
        known,
        f"data format {data_format} is neither {CHANNELS_FIRST[rank - 2]} nor "
        f"{CHANNELS_LAST[rank - 2]}",
    )
    return (shape[0], shape[-1], *shape[1:-1]) if data_format in CHANNELS_LAST else tuple(shape)


def shape_from_channels_first(shape: Shape, data_format: str) -> Shape:
    """The inverse of `shape_to_channels_first`."""
    return (shape[0], *shape[2:], shape[1]) if data_format in CHANNELS_LAST else shape


def move_batch_last(x: Any) -> Any:
    """Return images [N,C,*S] as a contiguous array [C,*S,N], without a copy if the memory order
    fits.
    """
    x = np.transpose(x, (*range(1, x.ndim), 0))
    return x if x.flags.c_contiguous else x.copy()


def move_batch_first(x: Any) -> Any:
    """The inverse of `move_batch_last`; returns a view."""
    return np.transpose(x, (x.ndim - 1, *range(x.ndim - 1)))


def _unpadded_slices(x: Any, pads: tuple[PadPair, ...]) -> tuple[slice, ...]:
    """The index that selects the part of x [*,*S,*] without the padding."""
    return tuple(
        slice(before, x.shape[axis] - after) for axis, (before, after) in enumerate(pads, 1)
    )


def pad_and_move_batch_last(x: Any, window: Window, value: Any = 0) -> Any:
    """Pad images [N,C,*S] and return them as a contiguous array [C,*S,N]."""
    if not any(map(any, window.pads)):
        return move_batch_last(x)
    x = np.transpose(x, (*range(1, x.ndim), 0))
    wide = [s + sum(p) for s, p in zip(x.shape[1:-1], window.pads, strict=True)]
    full = np.full_like(x, value, shape=(x.shape[0], *wide, x.shape[-1]), order="C")
    full[(slice(None), *_unpadded_slices(full, window.pads))] = x
    return full


def crop_and_move_batch_first(x: Any, window: Window) -> Any:
    """The inverse of `pad_and_move_batch_last`."""
    return move_batch_first(x[(slice(None), *_unpadded_slices(x, window.pads))])


def view_at_kernel_offset(
    x: Any, window: Window, at: IntPerAxis, rows: PadPair, rest: Sequence[int]
) -> Any:
    """Return a view of x [C,*S,N] with the elements at one kernel offset of all windows in a range
    of output rows.
    """
    spans = [rows, *((0, count) for count in rest)]
    index = [
        slice(i * d + start * s, i * d + (end - 1) * s + 1, s)
        for i, d, s, (start, end) in zip(at, window.dilation, window.stride, spans, strict=True)
    ]
    return x[(slice(None), *index)]
