"""Pooling layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import functional as F
from .layer_with_argument_attributes import LayerWithArgumentAttributes
from .type_aliases import Ints, OutputSize, Padding

__all__ = [
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
]


class _Pool(LayerWithArgumentAttributes):
    """Base of the pooling layers: calls a function of `nn.functional`."""

    _function = ""
    _attribute_format = "{}"  # the attribute of an argument, as Paddle's layers name it
    _attribute_names: ClassVar[dict[str, str]] = {
        "kernel_size": "ksize",
        "divisor_override": "divisor",
    }

    def __init__(self, name: str | None = None, **config: Any) -> None:
        super().__init__()
        self._set_argument_attributes(
            {**config, "name": name}, self._attribute_format, **self._attribute_names
        )

    def forward(self, x: Tensor) -> Any:
        return getattr(F, self._function)(x, **self._read_argument_attributes())

    def extra_repr(self) -> str:
        config = self._read_argument_attributes()
        return ", ".join(f"{name}={config[name]}" for name in ("kernel_size", "stride", "padding"))


class _AdaptivePool(_Pool):
    """Base of the adaptive pooling layers: pool to `output_size`."""

    _attribute_format = "_{}"

    def extra_repr(self) -> str:
        config = self._read_argument_attributes()
        return ", ".join(
            f"{name}={config[name]}" for name in ("output_size", "return_mask") if name in config
        )


class _UnPool(_Pool):
    """Base of the inverses of max pooling."""

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None,
        padding: Padding,
        data_format: str,
        output_size: Sequence[int] | None,
        name: str | None,
    ) -> None:
        super().__init__(
            name,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            data_format=data_format,
            output_size=output_size,
        )

    def forward(self, x: Tensor, indices: Tensor) -> Tensor:  # type: ignore[override]
        out: Tensor = getattr(F, self._function)(x, indices, **self._read_argument_attributes())
        return out

    def extra_repr(self) -> str:
        return f"output_size={self._read_argument_attributes()['output_size']}"


class MaxPool1D(_Pool):
    """Max pooling of a batch of sequences: the maximum of each window.

    Parameters
    ----------
    kernel_size : int or [int]
        Size of the window.
    stride : int or [int], optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(L / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, L], float16 | bfloat16 | float32 | float64
    returns : [N, C, L'], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, L'], of the maxima in their channel

    L' = floor((L + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive, or `return_mask` is combined with
        padding "SAME".

    See Also
    --------
    paddle.nn.functional.max_pool1d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> nn.MaxPool1D(2)(x).tolist()
    [[[4.0, 3.0]]]
    >>> y, positions = nn.MaxPool1D(2, return_mask=True)(x)
    >>> positions.tolist()
    [[[1, 3]]]
    """

    _function = "max_pool1d"
    _attribute_names: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            name=name,
        )

    def forward(self, input: Tensor) -> Any:
        return super().forward(input)


class AvgPool1D(_Pool):
    """Average pooling of a batch of sequences: the mean of each window.

    Parameters
    ----------
    kernel_size : int or [int]
        Size of the window.
    stride : int or [int], optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(L / stride) results per axis; the end gets
        the odd element.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, L], float16 | bfloat16 | float32 | float64
    returns : [N, C, L'], dtype of x

    L' = floor((L + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive.

    See Also
    --------
    paddle.nn.functional.avg_pool1d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> nn.AvgPool1D(2)(x).tolist()
    [[[2.5, 2.5]]]
    >>> nn.AvgPool1D(2, padding=1, exclusive=False)(x).tolist()
    [[[0.5, 3.0, 1.5]]]
    """

    _function = "avg_pool1d"
    _attribute_names: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            exclusive=exclusive,
            ceil_mode=ceil_mode,
            name=name,
        )


class MaxPool2D(_Pool):
    """Max pooling of a batch of images: the maximum of each window.

    Parameters
    ----------
    kernel_size : int or (int, int)
        Size of the window.
    stride : int or (int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(H / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, H', W'], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, H', W'], of the maxima in their flattened channel

    H' = floor((H + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
    W' likewise

    With ``data_format="NHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive, or `return_mask` is combined with
        padding "SAME" or channels last.

    See Also
    --------
    paddle.nn.functional.max_pool2d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> nn.MaxPool2D(2)(x).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> nn.MaxPool2D(3, stride=2, padding=1)(x).shape
    [1, 1, 2, 2]
    >>> y, positions = nn.MaxPool2D(2, return_mask=True)(x)
    >>> positions.tolist()
    [[[[5, 7], [13, 15]]]]
    """

    _function = "max_pool2d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            data_format=data_format,
            name=name,
        )


class AvgPool2D(_Pool):
    """Average pooling of a batch of images: the mean of each window.

    Parameters
    ----------
    kernel_size : int or (int, int)
        Size of the window.
    stride : int or (int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(H / stride) results per axis; the end gets
        the odd element.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    divisor_override : float, optional
        The mean is multiplied by window size / divisor_override. So it is the sum of the window
        divided by `divisor_override`, unless `exclusive` and the window contains padding.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, H', W'], dtype of x

    H' = floor((H + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
    W' likewise

    With ``data_format="NHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive.

    See Also
    --------
    paddle.nn.functional.avg_pool2d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> nn.AvgPool2D(2)(x).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    >>> nn.AvgPool2D(2, divisor_override=1)(x).tolist()
    [[[[10.0, 18.0], [42.0, 50.0]]]]
    """

    _function = "avg_pool2d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            divisor_override=divisor_override,
            data_format=data_format,
            name=name,
        )


class MaxPool3D(_Pool):
    """Max pooling of a batch of volumes: the maximum of each window.

    Parameters
    ----------
    kernel_size : int or (int, int, int)
        Size of the window.
    stride : int or (int, int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(D / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, D', H', W'], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, D', H', W'], of the maxima in their flattened channel

    D' = floor((D + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
    H' and W' likewise

    With ``data_format="NDHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive, or `return_mask` is combined with
        padding "SAME" or channels last.

    See Also
    --------
    paddle.nn.functional.max_pool3d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> nn.MaxPool3D(2)(x).tolist()
    [[[[[7.0]]]]]
    >>> nn.MaxPool3D((1, 2, 2))(x).shape
    [1, 1, 2, 1, 1]
    """

    _function = "max_pool3d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            data_format=data_format,
            name=name,
        )


class AvgPool3D(_Pool):
    """Average pooling of a batch of volumes: the mean of each window.

    Parameters
    ----------
    kernel_size : int or (int, int, int)
        Size of the window.
    stride : int or (int, int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(D / stride) results per axis; the end gets
        the odd element.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    divisor_override : float, optional
        The mean is multiplied by window size / divisor_override. So it is the sum of the window
        divided by `divisor_override`, unless `exclusive` and the window contains padding.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, D', H', W'], dtype of x

    D' = floor((D + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
    H' and W' likewise

    With ``data_format="NDHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        In a call, if the rank does not fit, the window is larger than the padded input, a list has
        a wrong length, or a size or stride is not positive.

    See Also
    --------
    paddle.nn.functional.avg_pool3d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> nn.AvgPool3D(2)(x).tolist()
    [[[[[3.5]]]]]
    >>> nn.AvgPool3D((1, 2, 2))(x).shape
    [1, 1, 2, 1, 1]
    """

    _function = "avg_pool3d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            divisor_override=divisor_override,
            data_format=data_format,
            name=name,
        )


class AdaptiveAvgPool1D(_AdaptivePool):
    """Adaptive average pooling of a batch of sequences, to a given output size.

    Result i of an axis covers the elements floor(i * L / out) to ceil((i + 1) * L / out) - 1, where
    L and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or [int]
        Length of the result.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, L], float16 | bfloat16 | float32 | float64
    returns : [N, C, output_size], dtype of x

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_avg_pool1d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> nn.AdaptiveAvgPool1D(2)(x).tolist()
    [[[2.5, 2.5]]]
    >>> nn.AdaptiveAvgPool1D(3)(x).tolist()  # overlapping windows
    [[[2.5, 3.0, 2.5]]]
    """

    _function = "adaptive_avg_pool1d"
    _attribute_format = "{}"

    def __init__(self, output_size: OutputSize, name: str | None = None) -> None:
        super().__init__(output_size=output_size, name=name)

    def forward(self, input: Tensor) -> Any:
        return super().forward(input)


class AdaptiveMaxPool1D(_AdaptivePool):
    """Adaptive max pooling of a batch of sequences, to a given output size.

    Result i of an axis covers the elements floor(i * L / out) to ceil((i + 1) * L / out) - 1, where
    L and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or [int]
        Length of the result.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, L], float16 | bfloat16 | float32 | float64
    returns : [N, C, output_size], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, output_size], of the maxima in their channel

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_max_pool1d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> nn.AdaptiveMaxPool1D(2)(x).tolist()
    [[[4.0, 3.0]]]
    >>> y, positions = nn.AdaptiveMaxPool1D(2, return_mask=True)(x)
    >>> positions.tolist()
    [[[1, 3]]]
    """

    _function = "adaptive_max_pool1d"
    _attribute_format = "{}"

    def __init__(
        self, output_size: OutputSize, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)

    def forward(self, input: Tensor) -> Any:
        return super().forward(input)


class AdaptiveAvgPool2D(_AdaptivePool):
    """Adaptive average pooling of a batch of images, to a given output size.

    Result i of an axis covers the elements floor(i * H / out) to ceil((i + 1) * H / out) - 1, where
    H and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or list of 2 int or None
        Height and width of the result. None keeps the size of the input.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, *output_size], dtype of x

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_avg_pool2d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> nn.AdaptiveAvgPool2D(2)(x).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    >>> nn.AdaptiveAvgPool2D((1, None))(x).tolist()
    [[[[6.0, 7.0, 8.0, 9.0]]]]
    """

    _function = "adaptive_avg_pool2d"

    def __init__(
        self, output_size: OutputSize, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool2D(_AdaptivePool):
    """Adaptive max pooling of a batch of images, to a given output size.

    Result i of an axis covers the elements floor(i * H / out) to ceil((i + 1) * H / out) - 1, where
    H and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or list of 2 int or None
        Height and width of the result. None keeps the size of the input.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, *output_size], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, *output_size], of the maxima in their flattened channel

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_max_pool2d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> nn.AdaptiveMaxPool2D(2)(x).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> y, positions = nn.AdaptiveMaxPool2D((1, None), return_mask=True)(x)
    >>> positions.tolist()
    [[[[12, 13, 14, 15]]]]
    """

    _function = "adaptive_max_pool2d"

    def __init__(
        self, output_size: OutputSize, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class AdaptiveAvgPool3D(_AdaptivePool):
    """Adaptive average pooling of a batch of volumes, to a given output size.

    Result i of an axis covers the elements floor(i * D / out) to ceil((i + 1) * D / out) - 1, where
    D and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or list of 3 int or None
        Depth, height and width of the result. None keeps the size of the input.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, *output_size], dtype of x

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_avg_pool3d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> nn.AdaptiveAvgPool3D(1)(x).tolist()
    [[[[[3.5]]]]]
    >>> nn.AdaptiveAvgPool3D((2, 1, None))(x).shape
    [1, 1, 2, 1, 2]
    """

    _function = "adaptive_avg_pool3d"

    def __init__(
        self, output_size: OutputSize, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool3D(_AdaptivePool):
    """Adaptive max pooling of a batch of volumes, to a given output size.

    Result i of an axis covers the elements floor(i * D / out) to ceil((i + 1) * D / out) - 1, where
    D and out are its sizes before and after.

    Parameters
    ----------
    output_size : int or list of 3 int or None
        Depth, height and width of the result. None keeps the size of the input.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, C, *output_size], dtype of x; with `return_mask` a tuple of it and the positions,
        int32 [N, C, *output_size], of the maxima in their flattened channel

    Raises
    ------
    OpError
        In a call, if the rank or the length of `output_size` does not fit, or a size is not
        positive.

    See Also
    --------
    paddle.nn.functional.adaptive_max_pool3d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> nn.AdaptiveMaxPool3D(1)(x).tolist()
    [[[[[7.0]]]]]
    >>> nn.AdaptiveMaxPool3D((2, 1, None))(x).shape
    [1, 1, 2, 1, 2]
    """

    _function = "adaptive_max_pool3d"

    def __init__(
        self, output_size: OutputSize, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class MaxUnPool1D(_UnPool):
    """Inverse of MaxPool1D: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    kernel_size : int or [int]
        Size of the window of the max pooling.
    stride : int or [int], optional
        Distance between its windows; by default `kernel_size`.
    padding : int or [int], default 0
        Its padding.
    data_format : "NCL"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, L], float16 | bfloat16 | float32 | float64
    indices : [N, C, L], int32 | int64; the positions that MaxPool1D(return_mask=True) returns
    returns : [N, C, L'], dtype of x, with
        L' = (L - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        In a call, if shapes do not fit, a position is out of range or not an integer, `output_size`
        is not possible, or the channels are last.

    See Also
    --------
    paddle.nn.functional.max_unpool1d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> y, positions = F.max_pool1d(x, 2, return_mask=True)
    >>> nn.MaxUnPool1D(2)(y, positions).tolist()
    [[[0.0, 4.0, 0.0, 3.0]]]
    """

    _function = "max_unpool1d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        data_format: str = "NCL",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool2D(_UnPool):
    """Inverse of MaxPool2D: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    kernel_size : int or (int, int)
        Size of the window of the max pooling.
    stride : int or (int, int), optional
        Distance between its windows; by default `kernel_size`.
    padding : int or (int, int), default 0
        Its padding.
    data_format : "NCHW"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, H, W], float16 | bfloat16 | float32 | float64
    indices : [N, C, H, W], int32 | int64; the positions that MaxPool2D(return_mask=True) returns
    returns : [N, C, H', W'], dtype of x, with
        H' = (H - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        In a call, if shapes do not fit, a position is out of range or not an integer, `output_size`
        is not possible, or the channels are last.

    See Also
    --------
    paddle.nn.functional.max_unpool2d : The same as a function.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 4.0], [2.0, 3.0]]]])
    >>> y, positions = F.max_pool2d(x, 2, return_mask=True)
    >>> nn.MaxUnPool2D(2)(y, positions).tolist()
    [[[[0.0, 4.0], [0.0, 0.0]]]]
    """

    _function = "max_unpool2d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        data_format: str = "NCHW",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool3D(_UnPool):
    """Inverse of MaxPool3D: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    kernel_size : int or (int, int, int)
        Size of the window of the max pooling.
    stride : int or (int, int, int), optional
        Distance between its windows; by default `kernel_size`.
    padding : int or (int, int, int), default 0
        Its padding.
    data_format : "NCDHW"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Shape
    -----
    x : [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    indices : [N, C, D, H, W], int32 | int64; the positions that MaxPool3D(return_mask=True) returns
    returns : [N, C, D', H', W'], dtype of x, with
        D' = (D - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        In a call, if shapes do not fit, a position is out of range or not an integer, `output_size`
        is not possible, or the channels are last.

    See Also
    --------
    paddle.nn.functional.max_unpool3d : The same as a function.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> y, positions = F.max_pool3d(x, 2, return_mask=True)
    >>> nn.MaxUnPool3D(2)(y, positions).tolist()
    [[[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 7.0]]]]]
    """

    _function = "max_unpool3d"

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Padding = 0,
        data_format: str = "NCDHW",
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)
