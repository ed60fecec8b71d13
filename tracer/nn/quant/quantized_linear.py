"""Matrix multiplications with weights of 8 or 4 bits."""

from __future__ import annotations

from typing import Any

from ...core.dtype import parse_dtype
from ...core.errors import OperandError, OpError, append_user_line
from ...core.operand_checks import not_a_tensor_error
from ...core.tensor import Tensor
from ...core.type_aliases import DTypeLike
from ...tensor.creation import full_like
from ...tensor.linalg import matmul
from ...tensor.logic import greater_than
from ...tensor.manipulation import cast, reshape, stack, transpose, where
from ...tensor.math import abs, add, clip, floor_divide, max, maximum, multiply, round

# The largest level of each quantization method `algo`.
MAX_LEVELS = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}
WEIGHT_DTYPES = ("int8", "int4")
ARCHITECTURES = (70, 75, 80, 86)
# Replaces the scale 0 of a column of zeros, so that it is not divided by 0.
MIN_SCALE = 1e-8


def _make_op_error(function: str, why: str) -> OpError:
    return OpError(append_user_line(f"{function}: {why}"))


def _require_algo(function: str, algo: str) -> None:
    if algo not in MAX_LEVELS:
        raise _make_op_error(function, f"algo={algo!r} is none of {sorted(MAX_LEVELS)}")


def _require_arch(function: str, arch: int | None) -> None:
    """Raise OpError unless `arch` is None or a GPU architecture that Paddle knows; it has no effect
    otherwise.
    """
    if arch is not None and arch not in ARCHITECTURES:
        raise _make_op_error(function, f"arch={arch} is none of {list(ARCHITECTURES)}")


def _require_matrix(function: str, name: str, x: Any, dtype: str = "") -> None:
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x, function)
    kinds = (dtype,) if dtype else ("float16", "bfloat16", "float32", "float64")
    if x.meta.dtype.name not in kinds:
        raise OperandError(
            append_user_line(f"{function}: {name} is not of {' or '.join(kinds)} ({name}={x.meta})")
        )
    if len(x.meta.shape) != 2:
        raise _make_op_error(function, f"{name} is not a matrix ({name}={x.meta})")


def _require_scale(function: str, scale: Any, columns: int) -> None:
    if scale is None:
        raise _make_op_error(function, "weight_scale is missing; weight_quantize returns it")
    if not isinstance(scale, Tensor):
        raise not_a_tensor_error(scale, function)
    if tuple(scale.meta.shape) not in ((columns,), (-1,)):
        raise _make_op_error(
            function, f"the scale is not one number per column (scale={scale.meta})"
        )


def weight_quantize(
    x: Tensor, algo: str = "weight_only_int8", arch: int | None = None
) -> tuple[Tensor, Tensor]:
    """Quantize a matrix with one scale per column, symmetrically.

    scale[j] = max |x[:, j]| / L, out[j, i] = round(x[i, j] / scale[j]); L is 127, or 7 for 4 bits

    Parameters
    ----------
    x : Tensor [rows, columns], float16 | bfloat16 | float32 | float64
    algo : "weight_only_int8", "weight_only_int4" or "llm.int8", default "weight_only_int8"
    arch : 70, 75, 80 or 86, optional
        The GPU generation whose layout Paddle writes; has no effect here.

    Returns
    -------
    out : Tensor, int8
        [columns, rows]; for 4 bits [columns / 2, rows] with the columns 2j in the lower and
        2j + 1 in the upper 4 bits.
    scale : Tensor [columns], dtype of x

    Raises
    ------
    OpError
        If x is not a matrix of floats, `algo` or `arch` is unknown, or the number of columns is odd
        for 4 bits.

    Notes
    -----
    Paddle permutes the values of "weight_only_int8" and "weight_only_int4" for its GPU kernels;
    Oarlock does not. "llm.int8" is the same in both, except that Paddle truncates scales to float16
    instead of rounding them. Rows need not be a multiple of 64.

    Examples
    --------
    >>> out, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0, -4.0], [0.5, 2.0]]))
    >>> out.tolist()
    [[127, 64], [-127, 64]]
    """
    _require_algo("weight_quantize", algo)
    _require_arch("weight_quantize", arch)
    _require_matrix("weight_quantize", "x", x)
    most = float(MAX_LEVELS[algo])
    wide = cast(x, "float32")
    scale = cast(max(abs(wide), axis=0) / most, x.dtype)
    safe = maximum(cast(scale, "float32"), full_like(scale, MIN_SCALE, "float32"))
    levels = transpose(cast(clip(round(wide / safe), -most, most), "int32"), [1, 0])
    if algo != "weight_only_int4":
        return cast(levels, "int8"), scale
    columns, rows = levels.meta.shape
    if columns % 2:
        raise _make_op_error(
            "weight_quantize", f"{columns} columns cannot be packed in pairs (x={x.meta})"
        )
    low, high = (reshape(levels, [columns // 2, 2, rows])[:, k] for k in (0, 1))
    # Each byte is a number from -128 to 127: `high` is its upper half, and its lower half is `low`
    # in two's complement.
    return cast(high * 16 + where(low < 0, low + 16, low), "int8"), scale


def _unpack_int4(packed: Tensor) -> Tensor:
    """Return the levels [columns, rows], int32, of pairs packed in bytes [columns / 2, rows]."""
    pairs, rows = packed.meta.shape
    wide = cast(packed, "int32")
    high = floor_divide(wide, full_like(wide, 16))
    low = wide - high * 16
    low = where(low > 7, low - 16, low)
    return reshape(stack([low, high], axis=1), [2 * pairs, rows])


def _dequantize_transposed_weight(weight: Tensor, scale: Tensor, is_int4: bool) -> Tensor:
    """Dequantize a weight that is stored transposed: levels [columns, rows], or int4 pairs, to
    float32 [columns, rows].
    """
    levels = _unpack_int4(weight) if is_int4 else weight
    return multiply(cast(levels, "float32"), reshape(cast(scale, "float32"), [-1, 1]))


def weight_dequantize(
    x: Tensor, scale: Tensor, algo: str = "weight_only_int8", out_dtype: DTypeLike = "float16"
) -> Tensor:
    """Return the matrix that `weight_quantize` quantized: out[i, j] = x[j, i] * scale[j].

    Parameters
    ----------
    x : Tensor, int8, [columns, rows], or [columns / 2, rows] for 4 bits
    scale : Tensor [columns]
    algo : "weight_only_int8", "weight_only_int4" or "llm.int8", default "weight_only_int8"
    out_dtype : "float16", "bfloat16" or "float32", default "float16"
        Paddle lacks float32.

    Returns
    -------
    Tensor [rows, columns], `out_dtype`

    Raises
    ------
    OpError
        If x is not an int8 matrix, the scale has another length, or `algo` or `out_dtype` is
        unknown.

    Examples
    --------
    >>> out, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor([[1.0, -4.0], [0.5, 2.0]]))
    >>> paddle.nn.quant.weight_dequantize(out, scale, out_dtype="float32").shape
    [2, 2]
    """
    _require_algo("weight_dequantize", algo)
    _require_matrix("weight_dequantize", "x", x, "int8")
    is_int4 = algo == "weight_only_int4"
    _require_scale("weight_dequantize", scale, x.meta.shape[0] * (2 if is_int4 else 1))
    dtype = parse_dtype(out_dtype).name
    if dtype not in ("float16", "bfloat16", "float32"):
        raise _make_op_error(
            "weight_dequantize", f"out_dtype={dtype} is not float16, bfloat16 or float32"
        )
    return cast(transpose(_dequantize_transposed_weight(x, scale, is_int4), [1, 0]), dtype)


def _require_linear_operands(function: str, x: Any, weight: Any, scale: Any, pack: int) -> None:
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x, function)
    _require_matrix(function, "weight", weight, "int8")
    _require_scale(function, scale, weight.meta.shape[0] * pack)
    if x.meta.shape[-1:] not in ((weight.meta.shape[1],), (-1,)):
        raise _make_op_error(
            function, f"the last axis of x does not match (x={x.meta}, weight={weight.meta})"
        )


def weight_only_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    weight_dtype: str = "int8",
    arch: int | None = None,
) -> Tensor:
    """x @ W + bias with W = `weight_dequantize(weight, weight_scale)`.

    Parameters
    ----------
    x : Tensor [*, rows], float16 | bfloat16 | float32
    weight : Tensor, int8, [columns, rows], or [columns / 2, rows] for "int4"
        Result of `weight_quantize`.
    bias : Tensor [columns], optional
    weight_scale : Tensor [columns]
    weight_dtype : "int8" or "int4", default "int8"
    arch : 70, 75, 80 or 86, optional
        Has no effect here.

    Returns
    -------
    Tensor [*, columns], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not match, or `weight_dtype` or `arch` is unknown.

    Examples
    --------
    >>> weight, scale = paddle.nn.quant.weight_quantize(paddle.eye(3) * 2)
    >>> paddle.nn.quant.weight_only_linear(paddle.ones([1, 3]), weight, None, scale).tolist()
    [[2.0, 2.0, 2.0]]
    """
    function = "weight_only_linear"
    if weight_dtype not in WEIGHT_DTYPES:
        raise _make_op_error(
            function, f"weight_dtype={weight_dtype!r} is none of {list(WEIGHT_DTYPES)}"
        )
    _require_arch(function, arch)
    is_int4 = weight_dtype == "int4"
    _require_linear_operands(function, x, weight, weight_scale, 2 if is_int4 else 1)
    assert weight_scale is not None
    floats = cast(_dequantize_transposed_weight(weight, weight_scale, is_int4), x.dtype)
    out = matmul(x, floats, transpose_y=True)
    return out if bias is None else add(out, bias)


def llm_int8_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    weight_scale: Tensor | None = None,
    threshold: float = 6.0,
) -> Tensor:
    """x @ W + bias, in 8 bits except for columns of x with outliers (Dettmers et al. 2022).

    A column of x with an absolute value above `threshold` is multiplied in float32. The other
    values of each row are quantized with their largest absolute value:
    out = (round(x / s) @ weight.T) * s * weight_scale with s = max |x| / 127.

    Parameters
    ----------
    x : Tensor [*, rows], float16 | bfloat16 | float32
    weight : Tensor [columns, rows], int8
        Result of `weight_quantize(..., algo="llm.int8")`.
    bias : Tensor [columns], optional
    weight_scale : Tensor [columns]
    threshold : float, default 6.0

    Returns
    -------
    Tensor [*, columns], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not match.

    Examples
    --------
    >>> weight, scale = paddle.nn.quant.weight_quantize(paddle.eye(3) * 2, "llm.int8")
    >>> x = paddle.to_tensor([[1.0, 9.0, 1.0]])
    >>> paddle.nn.quant.llm_int8_linear(x, weight, None, scale).tolist()
    [[2.0, 18.0, 2.0]]
    """
    _require_linear_operands("llm_int8_linear", x, weight, weight_scale, 1)
    assert weight_scale is not None
    wide = cast(x, "float32")
    size = abs(wide)
    other_axes = list(range(len(x.meta.shape) - 1))
    largest = max(size, axis=other_axes, keepdim=True) if other_axes else size
    has_outlier = greater_than(largest, full_like(largest, float(threshold)))
    zeros = full_like(wide, 0.0)
    regular, outliers = where(has_outlier, zeros, wide), where(has_outlier, wide, zeros)
    row_scale = max(abs(regular), axis=-1, keepdim=True) / 127.0
    row_scale = maximum(row_scale, full_like(row_scale, MIN_SCALE))
    levels = round(regular / row_scale)
    products = matmul(levels, cast(weight, "float32"), transpose_y=True)
    exact = matmul(
        outliers,
        _dequantize_transposed_weight(weight, weight_scale, is_int4=False),
        transpose_y=True,
    )
    out = cast(products * row_scale * cast(weight_scale, "float32") + exact, x.dtype)
    return out if bias is None else add(out, bias)
