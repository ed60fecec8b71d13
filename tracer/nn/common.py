"""Linear, Embedding, Dropout, Flatten and Identity."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.tensor import Tensor
from ..tensor.manipulation import flatten
from . import functional as F
from .layer import Layer
from .type_aliases import Ints, ParamAttrLike

__all__ = ["Dropout", "Embedding", "Flatten", "Identity", "Linear"]


class Identity(Layer):
    """Return the input unchanged; a placeholder for another layer.

    Parameters
    ----------
    *args : Any
        Not used.
    **kwargs : Any
        Not used.

    Shape
    -----
    input : [*], any dtype
    returns : `input` itself

    Examples
    --------
    >>> nn.Identity()(paddle.to_tensor([1, 2])).tolist()
    [1, 2]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Layer):
    """Fully connected layer: x @ weight + bias.

    Parameters
    ----------
    in_features, out_features : int
        Sizes of the last axis of the input and of the result.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Xavier uniform, the bias from 0.
    name : str, optional
        Shown by `repr`; it names no parameter.

    Attributes
    ----------
    weight : Parameter [in_features, out_features]
    bias : Parameter [out_features], or None

    Shape
    -----
    input : [*, in_features], dtype of the weight
    returns : [*, out_features], dtype of the weight

    Raises
    ------
    OpError
        In a call, if the last axis or the dtype of the input does not fit.

    See Also
    --------
    paddle.nn.functional.linear : The same with given weights.

    Examples
    --------
    >>> fc = nn.Linear(4, 2)
    >>> fc(paddle.zeros([8, 3, 4])).shape
    [8, 3, 2]
    >>> fc.weight.shape, fc.bias.shape
    ([4, 2], [2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight: Any = self.create_parameter([in_features, out_features], weight_attr)
        self.bias: Any = self.create_parameter([out_features], bias_attr, is_bias=True)
        self._weight_attr, self._bias_attr, self.name = weight_attr, bias_attr, name

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        rows, columns = self.weight.meta.shape
        text = f"in_features={rows}, out_features={columns}, dtype={self._dtype.name}"
        return text + (f", name={self.name}" if self.name else "")


class Embedding(Layer):
    """Table of trained vectors: look up a row for each index.

    Parameters
    ----------
    num_embeddings : int
        Number of rows.
    embedding_dim : int
        Length of a row.
    padding_idx : int, optional
        In [-num_embeddings, num_embeddings). Its result is zeros, and it gets no gradient. In eager
        mode it is set to zeros in the weight, too.
    sparse : bool, default False
        Not used: gradients are dense.
    weight_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the weight, by default Xavier uniform; a str is a
        name.
    name : str, optional
        Shown by `repr`; it names no parameter.

    Attributes
    ----------
    weight : Parameter [num_embeddings, embedding_dim]

    Shape
    -----
    x : [*], an integer dtype, values in [0, num_embeddings)
    returns : [*, embedding_dim], dtype of the weight

    Raises
    ------
    OpError
        If `padding_idx` is out of range; in a call, if an index is out of range or not of integers.

    Examples
    --------
    >>> embedding = nn.Embedding(10, 4, padding_idx=0)
    >>> vectors = embedding(paddle.to_tensor([[1, 2, 0]]))
    >>> vectors.shape, vectors[0, 2].tolist()
    ([1, 3, 4], [0.0, 0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        sparse: bool = False,
        weight_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise OpError(
                append_user_line(
                    f"Embedding: padding_idx={padding_idx} is not a row "
                    f"(num_embeddings={num_embeddings})"
                )
            )
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._size, self._weight_attr = [num_embeddings, embedding_dim], weight_attr
        self._padding_idx, self._sparse, self._name = padding_idx, sparse, name
        self.weight: Any = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        # In eager mode, the row padding_idx of the weight is set to zeros at once; in a program,
        # the op returns zeros for padding_idx.
        if padding_idx is not None and state.mode.program_builder is None:
            table: Any = self.weight.array
            table[padding_idx] = 0.0

    def forward(self, x: Tensor) -> Tensor:
        return F.embedding(x, self.weight, self._padding_idx)

    def extra_repr(self) -> str:
        rows, columns = self.weight.meta.shape
        padding = "" if self._padding_idx is None else f", padding_idx={self._padding_idx}"
        return (f"{rows}, {columns}{padding}, sparse={self._sparse}") + (
            f", name={self._name}" if self._name else ""
        )


class Dropout(Layer):
    """In training, set each element to 0 with probability `p` (Srivastava et al. 2014).

    Parameters
    ----------
    p : float, default 0.5
        Probability in [0, 1].
    axis : int or list of int, optional
        Elements that differ only along other axes share one decision; by default each element has
        its own. For images [N, C, H, W], ``[0, 1]`` drops whole channels.
    mode : "upscale_in_train" or "downscale_in_infer", default "upscale_in_train"
        The first divides kept elements by 1 - p in training; in evaluation it returns the input.
        The second keeps them in training; in evaluation it multiplies all elements by 1 - p.
    name : str, optional
        Shown by `repr`.

    Shape
    -----
    input : [*], float16 | bfloat16 | float32 | float64
    returns : like input

    Raises
    ------
    OpError
        In a call, if `p`, `axis`, `mode` or the dtype of the input is not valid.

    See Also
    --------
    paddle.nn.functional.dropout : The same as a function.

    Examples
    --------
    >>> dropout = nn.Dropout(0.5)
    >>> y = dropout(paddle.ones([1000]))
    >>> sorted(set(y.tolist()))
    [0.0, 2.0]
    >>> dropout.eval()(paddle.ones([3])).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: Ints | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.p = p
        self.axis = axis
        self.mode = mode
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        text = f"p={self.p}, axis={self.axis}, mode={self.mode}"
        return text + (f", name={self.name}" if self.name else "")


class Flatten(Layer):
    """Merge the axes `start_axis` to `stop_axis` (inclusive) into one.

    Parameters
    ----------
    start_axis : int, default 1
    stop_axis : int, default -1
        Negative axes count from the end.

    Shape
    -----
    input : [a, ..., b, c, ..., d, e, ...], any dtype, where c to d are the axes to merge
    returns : [a, ..., b, c * ... * d, e, ...], dtype of the input

    Raises
    ------
    OpError
        In a call, if an axis does not exist, or `stop_axis` comes before `start_axis`.

    Examples
    --------
    >>> nn.Flatten()(paddle.zeros([2, 3, 4, 5])).shape
    [2, 60]
    >>> nn.Flatten(0, 1)(paddle.zeros([2, 3, 4, 5])).shape
    [6, 4, 5]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input: Tensor) -> Tensor:
        return flatten(input, self.start_axis, self.stop_axis)
