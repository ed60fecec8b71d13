"""Ops on sequences with LoD: `static.nn.sequence_*`.

A tensor [R, *] holds the rows of n sequences one after the other; its LoD holds the row at which
each begins, and R.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...capture.variable import Variable
from ...core.errors import OperandError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper, require_static_size


def sequence_pool(
    input: Tensor, pool_type: str, is_test: bool = False, pad_value: float = 0.0
) -> Variable:
    """Reduce each sequence to one row.

    Parameters
    ----------
    input : Variable [R, *] with LoD of n sequences
    pool_type : "average", "sum", "sqrt", "max", "last" or "first"
        "sqrt": sum / sqrt(length).
    is_test : bool, default False
        Has no effect.
    pad_value : float, default 0.0
        The result for empty sequences.

    Returns
    -------
    Variable [n, *], dtype of input

    Raises
    ------
    OpError
        If `input` has no LoD, or `pool_type` is unknown.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_pool(x, "sum")
    >>> paddle.static.Executor().run(main, fetch_list=[y])[0].tolist()
    [[3.0], [5.0]]
    >>> paddle.disable_static()
    """
    if not isinstance(pool_type, str):
        raise OperandError(
            append_user_line(f"sequence_pool: pool_type is {type(pool_type).__name__}, not a str")
        )
    return OPS["sequence_pool"](input, pooltype=pool_type.upper(), pad_value=float(pad_value))[0]


def sequence_first_step(input: Tensor) -> Variable:
    """Return the first row of each sequence; 0 for empty sequences.

    Parameters
    ----------
    input : Variable [R, *] with LoD of n sequences

    Returns
    -------
    Variable [n, *], dtype of input

    Raises
    ------
    OpError
        If `input` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_first_step(x)
    >>> paddle.static.Executor().run(main, fetch_list=[y])[0].tolist()
    [[1.0], [5.0]]
    >>> paddle.disable_static()
    """
    return sequence_pool(input, "first")


def sequence_last_step(input: Tensor) -> Variable:
    """Return the last row of each sequence; 0 for empty sequences.

    Parameters
    ----------
    input : Variable [R, *] with LoD of n sequences

    Returns
    -------
    Variable [n, *], dtype of input

    Raises
    ------
    OpError
        If `input` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_last_step(x)
    >>> paddle.static.Executor().run(main, fetch_list=[y])[0].tolist()
    [[2.0], [5.0]]
    >>> paddle.disable_static()
    """
    return sequence_pool(input, "last")


def sequence_softmax(input: Tensor, use_cudnn: bool = False, name: str | None = None) -> Variable:
    """Softmax over each sequence.

    Parameters
    ----------
    input : Variable [R, 1] or [R] with LoD, float32 | float64
    use_cudnn : bool, default False
        Has no effect.
    name : str, optional
        Not used.

    Returns
    -------
    Variable, shape, dtype and LoD of input

    Raises
    ------
    OpError
        If `input` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_softmax(x)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> print(np.asarray(result).ravel().round(2), result.lod())
    [0.27 0.73 1.  ] [[0, 2, 3]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_softmax"](input)


def sequence_conv(
    input: Tensor,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: bool = True,
    padding_start: int | None = None,
    bias_attr: ParamAttrLike | None = None,
    param_attr: ParamAttrLike | None = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    """Convolution over the rows of each sequence; the function creates the parameters.

    out[t] = act(concat(input[t + padding_start], ..., input[t + padding_start + filter_size - 1]) @
    W + b)

    Rows outside of a sequence are zeros. W is [filter_size * D, num_filters], b is [num_filters].

    Parameters
    ----------
    input : Variable [R, D] with LoD, float32 | float64
    num_filters : int
    filter_size : int, default 3
        Number of rows in a window.
    filter_stride : 1, default 1
        Only 1 is supported.
    padding : bool, default True
        Has no effect.
    padding_start : int, optional
        Position of the first row of a window, relative to t; by default ``-(filter_size // 2)``.
    bias_attr, param_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of bias and weight. ``bias_attr=False``: no bias.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable [R, num_filters], dtype and LoD of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `input` has no LoD, D is dynamic, or `filter_stride` is not 1.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_conv(x, num_filters=4)
    >>> y.shape
    (-1, 4)
    >>> paddle.disable_static()
    """
    helper = LayerHelper("sequence_conv", name, input)
    shape = [filter_size * require_static_size(helper.layer_type, input, 1), num_filters]
    start = -int(filter_size // 2) if padding_start is None else padding_start
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, shape, input.dtype)
        attrs = {
            "contextLength": filter_size,
            "contextStart": start,
            "contextStride": filter_stride,
        }
        out = OPS["sequence_conv"](input, None, None, weight, **attrs)
        return helper.activate(helper.add_bias(out, bias_attr, 1, num_filters), act)


def sequence_expand(x: Tensor, y: Tensor, ref_level: int = -1, name: str | None = None) -> Variable:
    """Repeat each sequence of x as often as a level of the LoD of y says.

    Sequence i of x (row i if x has no LoD) is repeated as often as sequence i in level `ref_level`
    of y has items.

    Parameters
    ----------
    x : Variable [R, *], float | int32 | int64
    y : Variable with LoD
    ref_level : int, default -1
        A level of the LoD of y; -1 for the last.
    name : str, optional
        Not used.

    Returns
    -------
    Variable [S, *], dtype of x

    Raises
    ------
    OpError
        If `y` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     rows = paddle.to_tensor([[7.0], [8.0]])
    ...     y = paddle.static.nn.sequence_expand(rows, x)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist()
    [[7.0], [7.0], [8.0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_expand"](x, None, y, ref_level=ref_level)


def sequence_expand_as(x: Tensor, y: Tensor, name: str | None = None) -> Variable:
    """Repeat row i of x as often as sequence i of y is long.

    Parameters
    ----------
    x : Variable [n, *], float | int32 | int64
    y : Variable [R, *] with LoD of n sequences
    name : str, optional
        Not used.

    Returns
    -------
    Variable [R, *], dtype of x, LoD of y

    Raises
    ------
    OpError
        If `y` has no LoD, or another number of sequences than `x` has rows.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     rows = paddle.to_tensor([[7.0], [8.0]])
    ...     y = paddle.static.nn.sequence_expand_as(rows, x)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist()
    [[7.0], [7.0], [8.0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_expand_as"](x, y)


def sequence_concat(input: Sequence[Tensor], name: str | None = None) -> Variable:
    """Join sequence i of all inputs to one sequence, for each i.

    Parameters
    ----------
    input : list of Variable [R_k, *] with LoD of n sequences
    name : str, optional
        Not used.

    Returns
    -------
    Variable [sum of R_k, *], with LoD of n sequences

    Raises
    ------
    OpError
        If an input has no LoD, or the numbers of sequences differ.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_concat([x, x * 10])
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).ravel().tolist(), result.lod()
    ([1.0, 2.0, 10.0, 20.0, 5.0, 50.0], [[0, 4, 6]])
    >>> paddle.disable_static()
    """
    return OPS["sequence_concat"](list(input))


def sequence_reverse(x: Tensor, name: str | None = None) -> Variable:
    """Reverse the rows of each sequence.

    Parameters
    ----------
    x : Variable [R, *] with LoD
    name : str, optional
        Not used.

    Returns
    -------
    Variable [R, *], dtype and LoD of x

    Raises
    ------
    OpError
        If `x` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_reverse(x)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist()
    [[2.0], [1.0], [5.0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_reverse"](x)


def sequence_pad(
    x: Tensor, pad_value: Tensor, maxlen: int | None = None, name: str | None = None
) -> tuple[Variable, Variable]:
    """Pad all sequences to one length, so that a plain tensor holds them.

    Parameters
    ----------
    x : Variable [R, *] with LoD of n sequences
    pad_value : Variable [1] or shape of a row, dtype of x
    maxlen : int, optional
        The length T; by default that of the longest sequence.
    name : str, optional
        Not used.

    Returns
    -------
    out : Variable [n, T, *], dtype of x
    length : Variable [n], int64
        The lengths of the sequences.

    Raises
    ------
    OpError
        If `x` has no LoD, or a sequence is longer than `maxlen`.

    See Also
    --------
    static.nn.sequence_unpad : the inverse.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y, length = paddle.static.nn.sequence_pad(x, paddle.to_tensor([-1.0]))
    >>> results = paddle.static.Executor().run(main, fetch_list=[y, length])
    >>> [array.tolist() for array in results]
    [[[[1.0], [2.0]], [[5.0], [-1.0]]], [2, 1]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_pad"](x, None, pad_value, padded_length=-1 if maxlen is None else maxlen)


def sequence_unpad(x: Tensor, length: Tensor, name: str | None = None) -> Variable:
    """Remove the padding of sequences, and return them as one tensor with LoD.

    The first length[i] rows of each x[i] are concatenated.

    Parameters
    ----------
    x : Variable [n, T, *]
    length : Variable [n], int64
    name : str, optional
        Not used.

    Returns
    -------
    Variable [R, *], dtype of x, with LoD of n sequences
        R is the sum of the lengths.

    Raises
    ------
    OpError
        If a length is not in [0, T].

    See Also
    --------
    static.nn.sequence_pad : the inverse.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]])
    ...     y = paddle.static.nn.sequence_unpad(x, paddle.to_tensor([2, 1]))
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist(), result.lod()
    ([[1.0], [2.0], [5.0]], [[0, 2, 3]])
    >>> paddle.disable_static()
    """
    return OPS["sequence_unpad"](x, length)


def sequence_reshape(input: Tensor, new_dim: int) -> Variable:
    """Reshape each sequence to rows with another number of elements.

    Parameters
    ----------
    input : Variable [R, D] with LoD
    new_dim : int
        Divides the number of elements of each sequence.

    Returns
    -------
    Variable [R * D / new_dim, new_dim], dtype of input, with LoD

    Raises
    ------
    OpError
        If `input` has no LoD, or `new_dim` does not divide the elements of a sequence.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [6.0]]]), paddle.to_tensor([2, 2])
    ...     )
    ...     y = paddle.static.nn.sequence_reshape(x, 2)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist(), result.lod()
    ([[1.0, 2.0], [5.0, 6.0]], [[0, 1, 2]])
    >>> paddle.disable_static()
    """
    return OPS["sequence_reshape"](input, new_dim=new_dim)


def sequence_enumerate(
    input: Tensor, win_size: int, pad_value: int = 0, name: str | None = None
) -> Variable:
    """Return the window of elements that starts at each element of the sequences.

    Windows are padded at the end of a sequence.

    Parameters
    ----------
    input : Variable [R, 1], int32 | int64, with LoD
    win_size : int
    pad_value : int, default 0
    name : str, optional
        Not used.

    Returns
    -------
    Variable [R, win_size], dtype and LoD of input

    Raises
    ------
    OpError
        If `input` has no LoD.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     y = paddle.static.nn.sequence_enumerate(paddle.cast(x, "int64"), win_size=2)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist()
    [[1, 2], [2, 0], [5, 0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_enumerate"](input, win_size=win_size, pad_value=pad_value)


def sequence_slice(
    input: Tensor, offset: Tensor, length: Tensor, name: str | None = None
) -> Variable:
    """Return part of each sequence.

    The result has the length[i] rows of sequence i that start at row offset[i].

    Parameters
    ----------
    input : Variable [R, *] with LoD of n sequences
    offset, length : Variable [n, 1], int64
    name : str, optional
        Not used.

    Returns
    -------
    Variable [sum of length, *], dtype of input, with LoD

    Raises
    ------
    OpError
        If `input` has no LoD, or a slice is not inside of its sequence.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[1.0], [2.0]], [[5.0], [0.0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     offset, length = paddle.to_tensor([[1], [0]]), paddle.to_tensor([[1], [1]])
    ...     y = paddle.static.nn.sequence_slice(x, offset, length)
    >>> result = paddle.static.Executor().run(main, fetch_list=[y], return_numpy=False)[0]
    >>> np.asarray(result).tolist()
    [[2.0], [5.0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_slice"](input, None, offset, length)


def sequence_scatter(
    input: Tensor, index: Tensor, updates: Tensor, name: str | None = None
) -> Variable:
    """Add updates to elements of each row, at the columns that sequences hold.

    The elements of sequence i of `updates` are added to row i of a copy of `input`, at the columns
    that sequence i of `index` contains.

    Parameters
    ----------
    input : Variable [n, D]
    index : Variable [R, 1], int32 | int64, with LoD of n sequences
    updates : Variable [R, 1], dtype of input, with LoD of n sequences
    name : str, optional
        Not used.

    Returns
    -------
    Variable [n, D], dtype of input

    Raises
    ------
    OpError
        If `index` has no LoD, or an index is out of range.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     index = paddle.static.nn.sequence_unpad(
    ...         paddle.to_tensor([[[0], [2]], [[1], [0]]]), paddle.to_tensor([2, 1])
    ...     )
    ...     updates = paddle.cast(index, "float32") + 5
    ...     y = paddle.static.nn.sequence_scatter(paddle.zeros([2, 3]), index, updates)
    >>> paddle.static.Executor().run(main, fetch_list=[y])[0].tolist()
    [[5.0, 0.0, 7.0], [0.0, 6.0, 0.0]]
    >>> paddle.disable_static()
    """
    return OPS["sequence_scatter"](input, index, None, updates)
