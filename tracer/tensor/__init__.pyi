"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from collections.abc import Sequence
from typing import Any

from oarlock.core.tensor import Tensor
from oarlock.core.type_aliases import Axes, DTypeLike, Operand, Scalar, Shape, TensorLike
from oarlock.tensor import (
    axis_arithmetic,
    complex_numbers,
    convert,
    covariance,
    creation,
    decompositions,
    in_place_docstrings,
    indexing,
    linalg,
    logic,
    manipulation,
    math,
    methods,
    order_statistics,
    patch,
    sampling,
    scans,
    search,
    signal,
    solvers_and_matrix_functions,
    special,
    views_diagonals_and_index_updates,
)
from oarlock.tensor.complex_numbers import (
    angle,
    as_complex,
    as_real,
    complex,
    conj,
    imag,
    is_complex,
    is_floating_point,
    is_integer,
    polar,
    real,
    sgn,
)
from oarlock.tensor.convert import to_tensor
from oarlock.tensor.creation import (
    arange,
    assign,
    bernoulli,
    clone,
    diag,
    empty,
    empty_like,
    eye,
    fill_constant,
    full,
    full_like,
    linspace,
    logspace,
    meshgrid,
    normal,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    randperm,
    seed,
    tril,
    tril_indices,
    triu,
    triu_indices,
    uniform,
    zeros,
    zeros_like,
)
from oarlock.tensor.creation import randn as standard_normal
from oarlock.tensor.decompositions import cholesky, eigvalsh
from oarlock.tensor.einsum import einsum
from oarlock.tensor.linalg import (
    addmm,
    bmm,
    cdist,
    cross,
    dist,
    dot,
    inner,
    kron,
    matmul,
    mm,
    mv,
    norm,
    outer,
    tensordot,
)
from oarlock.tensor.logic import (
    allclose,
    bitwise_not,
    equal_all,
    is_empty,
    is_tensor,
    isclose,
    logical_not,
)
from oarlock.tensor.manipulation import (
    broadcast_tensors,
    cast,
    chunk,
    concat,
    expand,
    expand_as,
    flatten,
    flip,
    gather,
    gather_nd,
    index_sample,
    index_select,
    masked_select,
    moveaxis,
    numel,
    put_along_axis,
    rank,
    repeat_interleave,
    reshape,
    roll,
    scatter,
    scatter_nd_add,
    shape,
    slice,
    split,
    squeeze,
    stack,
    strided_slice,
    t,
    take_along_axis,
    tile,
    tolist,
    transpose,
    unbind,
    unsqueeze,
    unstack,
    where,
)
from oarlock.tensor.manipulation import expand as broadcast_to
from oarlock.tensor.math import (
    add,
    add_n,
    all,
    any,
    clip,
    cumsum,
    divide,
    floor_divide,
    increment,
    logsumexp,
    max,
    maximum,
    mean,
    min,
    minimum,
    mod,
    multiply,
    neg,
    pow,
    prod,
    scale,
    std,
    subtract,
    sum,
    var,
)
from oarlock.tensor.math import mod as floor_mod
from oarlock.tensor.math import mod as remainder
from oarlock.tensor.order_statistics import (
    amax,
    amin,
    bincount,
    bucketize,
    count_nonzero,
    histogram,
    kthvalue,
    median,
    mode,
    multiplex,
    nanmean,
    nanmedian,
    nanquantile,
    nansum,
    quantile,
    searchsorted,
    unique,
    unique_consecutive,
)
from oarlock.tensor.sampling import (
    cauchy_,
    exponential_,
    geometric_,
    multinomial,
    normal_,
    poisson,
    randint_like,
    uniform_,
)
from oarlock.tensor.scans import (
    cummax,
    cummin,
    cumprod,
    cumulative_trapezoid,
    diff,
    logcumsumexp,
    trapezoid,
)
from oarlock.tensor.search import argmax, argmin, argsort, nonzero, sort, topk
from oarlock.tensor.solvers_and_matrix_functions import inverse
from oarlock.tensor.special import (
    deg2rad,
    frac,
    frexp,
    gcd,
    hypot,
    lcm,
    ldexp,
    lerp,
    logaddexp,
    logit,
    multigammaln,
    nan_to_num,
    polygamma,
    rad2deg,
    stanh,
    trunc,
)
from oarlock.tensor.views_diagonals_and_index_updates import (
    as_strided,
    broadcast_shape,
    combinations,
    crop,
    diag_embed,
    diagflat,
    diagonal,
    diagonal_scatter,
    index_add,
    index_fill,
    index_put,
    masked_fill,
    renorm,
    reverse,
    rot90,
    scatter_nd,
    select_scatter,
    shard_index,
    take,
    trace,
    unflatten,
    unfold,
    vander,
    view,
    view_as,
    vsplit,
)

__all__ = [
    "abs",
    "abs_",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "add",
    "add_",
    "add_n",
    "addmm",
    "addmm_",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "as_complex",
    "as_real",
    "as_strided",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "assign",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "axis_arithmetic",
    "bernoulli",
    "bincount",
    "bitwise_and",
    "bitwise_and_",
    "bitwise_not",
    "bitwise_not_",
    "bitwise_or",
    "bitwise_or_",
    "bitwise_xor",
    "bitwise_xor_",
    "bmm",
    "broadcast_shape",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cast",
    "cast_",
    "cauchy_",
    "cdist",
    "ceil",
    "ceil_",
    "cholesky",
    "chunk",
    "clip",
    "clip_",
    "clone",
    "combinations",
    "complex",
    "complex_numbers",
    "concat",
    "conj",
    "convert",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "count_nonzero",
    "covariance",
    "creation",
    "crop",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumprod_",
    "cumsum",
    "cumsum_",
    "cumulative_trapezoid",
    "decompositions",
    "deg2rad",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "digamma_",
    "dist",
    "divide",
    "divide_",
    "dot",
    "eigvalsh",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "equal_",
    "equal_all",
    "erf",
    "erf_",
    "erfinv",
    "erfinv_",
    "exp",
    "exp_",
    "expand",
    "expand_as",
    "expm1",
    "expm1_",
    "exponential_",
    "eye",
    "fill_constant",
    "flatten",
    "flatten_",
    "flip",
    "floor",
    "floor_",
    "floor_divide",
    "floor_divide_",
    "floor_mod",
    "floor_mod_",
    "fmax",
    "fmin",
    "frac",
    "frac_",
    "frexp",
    "full",
    "full_like",
    "gather",
    "gather_nd",
    "gcd",
    "gcd_",
    "geometric_",
    "greater_equal",
    "greater_equal_",
    "greater_than",
    "greater_than_",
    "heaviside",
    "histogram",
    "hypot",
    "hypot_",
    "i0",
    "i0_",
    "i0e",
    "i1",
    "i1e",
    "imag",
    "in_place_docstrings",
    "increment",
    "index_add",
    "index_add_",
    "index_fill",
    "index_fill_",
    "index_put",
    "index_put_",
    "index_sample",
    "index_select",
    "indexing",
    "inner",
    "inverse",
    "is_complex",
    "is_empty",
    "is_floating_point",
    "is_integer",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "kron",
    "kthvalue",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "lerp",
    "lerp_",
    "less_equal",
    "less_equal_",
    "less_than",
    "less_than_",
    "lgamma",
    "lgamma_",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log10",
    "log10_",
    "log_",
    "logaddexp",
    "logcumsumexp",
    "logic",
    "logical_and",
    "logical_and_",
    "logical_not",
    "logical_not_",
    "logical_or",
    "logical_or_",
    "logical_xor",
    "logical_xor_",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "manipulation",
    "masked_fill",
    "masked_fill_",
    "masked_select",
    "math",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "methods",
    "min",
    "minimum",
    "mm",
    "mod",
    "mod_",
    "mode",
    "moveaxis",
    "multigammaln",
    "multigammaln_",
    "multinomial",
    "multiplex",
    "multiply",
    "multiply_",
    "mv",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "neg",
    "neg_",
    "nextafter",
    "nonzero",
    "norm",
    "normal",
    "normal_",
    "not_equal",
    "not_equal_",
    "numel",
    "ones",
    "ones_like",
    "order_statistics",
    "outer",
    "patch",
    "poisson",
    "polar",
    "polygamma",
    "polygamma_",
    "pow",
    "pow_",
    "prod",
    "put_along_axis",
    "put_along_axis_",
    "quantile",
    "rad2deg",
    "rand",
    "randint",
    "randint_like",
    "randn",
    "randperm",
    "rank",
    "real",
    "reciprocal",
    "reciprocal_",
    "remainder",
    "remainder_",
    "renorm",
    "renorm_",
    "repeat_interleave",
    "reshape",
    "reshape_",
    "reverse",
    "roll",
    "rot90",
    "round",
    "round_",
    "rsqrt",
    "rsqrt_",
    "sampling",
    "scale",
    "scale_",
    "scans",
    "scatter",
    "scatter_",
    "scatter_nd",
    "scatter_nd_add",
    "search",
    "searchsorted",
    "seed",
    "select_scatter",
    "sgn",
    "shape",
    "shard_index",
    "sign",
    "signal",
    "sin",
    "sin_",
    "sinh",
    "sinh_",
    "slice",
    "solvers_and_matrix_functions",
    "sort",
    "special",
    "split",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "squeeze_",
    "stack",
    "standard_normal",
    "stanh",
    "std",
    "strided_slice",
    "subtract",
    "subtract_",
    "sum",
    "t",
    "t_",
    "take",
    "take_along_axis",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensordot",
    "tile",
    "to_tensor",
    "tolist",
    "topk",
    "trace",
    "transpose",
    "transpose_",
    "trapezoid",
    "tril",
    "tril_",
    "tril_indices",
    "triu",
    "triu_",
    "triu_indices",
    "trunc",
    "trunc_",
    "unbind",
    "unflatten",
    "unfold",
    "uniform",
    "uniform_",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "unsqueeze_",
    "unstack",
    "vander",
    "var",
    "view",
    "view_as",
    "views_diagonals_and_index_updates",
    "vsplit",
    "where",
    "zeros",
    "zeros_like",
]

def abs(x: Tensor, name: str | None = None) -> Tensor:
    """Absolute value."""

def abs_(x: Tensor, name: str | None = None) -> Tensor:
    """Absolute value, in place."""

def acos(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse cosine, an angle in radians."""

def acos_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse cosine, an angle in radians, in place."""

def acosh(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def acosh_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine, in place."""

def add_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Add elementwise, with broadcasting, in place."""

def addmm_(
    input: Tensor,
    x: Tensor,
    y: Tensor,
    beta: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Add a matrix and the product of two matrices, in place."""

def asin(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse sine, an angle in radians."""

def asin_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse sine, an angle in radians, in place."""

def asinh(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def asinh_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine, in place."""

def atan(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse tangent, an angle in radians."""

def atan2(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Angle of the points (y, x), in radians."""

def atan_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse tangent, an angle in radians, in place."""

def atanh(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""

def atanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent, in place."""

def atleast_1d(*inputs: TensorLike, name: str | None = None) -> Any:
    """Insert axes of size 1 until each tensor has at least 1 axes."""

def atleast_2d(*inputs: TensorLike, name: str | None = None) -> Any:
    """Insert axes of size 1 until each tensor has at least 2 axes."""

def atleast_3d(*inputs: TensorLike, name: str | None = None) -> Any:
    """Insert axes of size 1 until each tensor has at least 3 axes."""

def bitwise_and(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise and of two elements."""

def bitwise_and_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise and of two elements, in place."""

def bitwise_not_(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Bitwise complement of each element, in place."""

def bitwise_or(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise or of two elements."""

def bitwise_or_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise or of two elements, in place."""

def bitwise_xor(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise exclusive or of two elements."""

def bitwise_xor_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Bitwise exclusive or of two elements, in place."""

def cast_(x: Tensor, dtype: DTypeLike) -> Tensor:
    """Convert the elements to another dtype, in place."""

def ceil(x: Tensor, name: str | None = None) -> Tensor:
    """Round up to an integer."""

def ceil_(x: Tensor, name: str | None = None) -> Tensor:
    """Round up to an integer, in place."""

def clip_(
    x: Tensor, min: Scalar | None = None, max: Scalar | None = None, name: str | None = None
) -> Tensor:
    """Limit the elements to an interval, in place."""

def cos(x: Tensor, name: str | None = None) -> Tensor:
    """Cosine of angles in radians."""

def cos_(x: Tensor, name: str | None = None) -> Tensor:
    """Cosine of angles in radians, in place."""

def cosh(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic cosine."""

def cosh_(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic cosine, in place."""

def cumprod_(
    x: Tensor, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Cumulative product along one axis, in place."""

def cumsum_(
    x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Cumulative sum along one axis, in place."""

def digamma(x: Tensor, name: str | None = None) -> Tensor:
    """Digamma function: the derivative of the logarithm of the gamma function."""

def digamma_(x: Tensor, name: str | None = None) -> Tensor:
    """Digamma function: the derivative of the logarithm of the gamma function, in place."""

def divide_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Divide elementwise, with broadcasting, in place."""

def equal(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether two elements are equal."""

def equal_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether two elements are equal, in place."""

def erf(x: Tensor, name: str | None = None) -> Tensor:
    """Error function."""

def erf_(x: Tensor, name: str | None = None) -> Tensor:
    """Error function, in place."""

def erfinv(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse of the error function."""

def erfinv_(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse of the error function, in place."""

def exp(x: Tensor, name: str | None = None) -> Tensor:
    """Exponential function."""

def exp_(x: Tensor, name: str | None = None) -> Tensor:
    """Exponential function, in place."""

def expm1(x: Tensor, name: str | None = None) -> Tensor:
    """Exponential function minus 1, accurate for small x."""

def expm1_(x: Tensor, name: str | None = None) -> Tensor:
    """Exponential function minus 1, accurate for small x, in place."""

def flatten_(
    x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None
) -> Tensor:
    """Merge neighboring axes into one, in place."""

def floor(x: Tensor, name: str | None = None) -> Tensor:
    """Round down to an integer."""

def floor_(x: Tensor, name: str | None = None) -> Tensor:
    """Round down to an integer, in place."""

def floor_divide_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Divide elementwise and round the quotient down, in place."""

def floor_mod_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Remainder of a division, with the sign of the divisor, in place."""

def fmax(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Larger of two elements, ignoring NaN."""

def fmin(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Smaller of two elements, ignoring NaN."""

def frac_(x: Tensor, name: str | None = None) -> Tensor:
    """Fractional part of each element, with its sign, in place."""

def gcd_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Greatest common divisor of integers, in place."""

def greater_equal(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is greater than or equal to the second."""

def greater_equal_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is greater than or equal to the second, in place."""

def greater_than(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is greater than the second."""

def greater_than_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is greater than the second, in place."""

def heaviside(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Heaviside step function."""

def hypot_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Length of the hypotenuse of right triangles, in place."""

def i0(x: Tensor, name: str | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 0."""

def i0_(x: Tensor, name: str | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 0, in place."""

def i0e(x: Tensor, name: str | None = None) -> Tensor:
    """Exponentially scaled modified Bessel function of the first kind of order 0."""

def i1(x: Tensor, name: str | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 1."""

def i1e(x: Tensor, name: str | None = None) -> Tensor:
    """Exponentially scaled modified Bessel function of the first kind of order 1."""

def index_add_(
    x: Tensor, index: Tensor, axis: int, value: Tensor, name: str | None = None
) -> Tensor:
    """Add values to slices along one axis, in place."""

def index_fill_(
    x: Tensor, index: Tensor, axis: int, value: Scalar, name: str | None = None
) -> Tensor:
    """Set slices along one axis to one value, in place."""

def index_put_(
    x: Tensor,
    indices: Sequence[Tensor],
    value: Tensor,
    accumulate: bool = False,
    name: str | None = None,
) -> Tensor:
    """Assign values at indices, or add them, in place."""

def isfinite(x: Tensor, name: str | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN."""

def isinf(x: Tensor, name: str | None = None) -> Tensor:
    """Whether each element is infinite."""

def isnan(x: Tensor, name: str | None = None) -> Tensor:
    """Whether each element is NaN."""

def lcm_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Least common multiple of integers, in place."""

def ldexp_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Multiply by a power of 2, in place."""

def lerp_(x: Tensor, y: Tensor, weight: float | Tensor, name: str | None = None) -> Tensor:
    """Linear interpolation between two tensors, in place."""

def less_equal(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is less than or equal to the second."""

def less_equal_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is less than or equal to the second, in place."""

def less_than(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is less than the second."""

def less_than_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether the first element is less than the second, in place."""

def lgamma(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""

def lgamma_(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function, in place."""

def log(x: Tensor, name: str | None = None) -> Tensor:
    """Natural logarithm."""

def log10(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm to base 10."""

def log10_(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm to base 10, in place."""

def log1p(x: Tensor, name: str | None = None) -> Tensor:
    """Natural logarithm of 1 + x, accurate for small x."""

def log1p_(x: Tensor, name: str | None = None) -> Tensor:
    """Natural logarithm of 1 + x, accurate for small x, in place."""

def log2(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm to base 2."""

def log2_(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm to base 2, in place."""

def log_(x: Tensor, name: str | None = None) -> Tensor:
    """Natural logarithm, in place."""

def logical_and(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical and of two elements."""

def logical_and_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical and of two elements, in place."""

def logical_not_(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Logical not of each element, in place."""

def logical_or(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical or of two elements."""

def logical_or_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical or of two elements, in place."""

def logical_xor(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical exclusive or: whether exactly one of two elements is True."""

def logical_xor_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Logical exclusive or: whether exactly one of two elements is True, in place."""

def logit_(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """Inverse of the sigmoid function: the logarithm of the odds, in place."""

def masked_fill_(x: Tensor, mask: Tensor, value: Scalar, name: str | None = None) -> Tensor:
    """Replace elements at which a mask is True by one value, in place."""

def mod_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Remainder of a division, with the sign of the divisor, in place."""

def multigammaln_(x: Tensor, p: int, name: str | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function, in place."""

def multiply_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Multiply elementwise, with broadcasting, in place."""

def nan_to_num_(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: str | None = None,
) -> Tensor:
    """Replace NaN and infinities by finite numbers, in place."""

def neg_(x: Tensor, name: str | None = None) -> Tensor:
    """Negate elementwise, in place."""

def nextafter(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Next floating-point number after x in the direction of y."""

def not_equal(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether two elements are different."""

def not_equal_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Whether two elements are different, in place."""

def polygamma_(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """Derivative of order n of the digamma function, in place."""

def pow_(x: Tensor, y: Operand, name: str | None = None) -> Tensor:
    """Raise to a power elementwise, in place."""

def put_along_axis_(
    arr: Tensor,
    indices: Tensor,
    values: Scalar,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Write values at positions along one axis, with different positions per row, in place."""

def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    """Reciprocal of each element."""

def reciprocal_(x: Tensor, name: str | None = None) -> Tensor:
    """Reciprocal of each element, in place."""

def remainder_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Remainder of a division, with the sign of the divisor, in place."""

def renorm_(x: Tensor, p: float, axis: int, max_norm: float) -> Tensor:
    """Scale slices along one axis so that their p-norm is at most a limit, in place."""

def reshape_(x: Tensor, shape: Shape, name: str | None = None) -> Tensor:
    """Return a tensor with the same elements in another shape, in place."""

def round(x: Tensor, name: str | None = None) -> Tensor:
    """Round to the nearest integer, halves away from zero."""

def round_(x: Tensor, name: str | None = None) -> Tensor:
    """Round to the nearest integer, halves away from zero, in place."""

def rsqrt(x: Tensor, name: str | None = None) -> Tensor:
    """Reciprocal of the square root."""

def rsqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """Reciprocal of the square root, in place."""

def scale_(
    x: Tensor,
    scale: float | Tensor = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Multiply by a number and add a number, in place."""

def scatter_(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """Replace rows of a tensor, or add to rows that are set to zero first, in place."""

def sign(x: Tensor, name: str | None = None) -> Tensor:
    """Sign of each element."""

def sin(x: Tensor, name: str | None = None) -> Tensor:
    """Sine of angles in radians."""

def sin_(x: Tensor, name: str | None = None) -> Tensor:
    """Sine of angles in radians, in place."""

def sinh(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic sine."""

def sinh_(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic sine, in place."""

def sqrt(x: Tensor, name: str | None = None) -> Tensor:
    """Square root."""

def sqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """Square root, in place."""

def square(x: Tensor, name: str | None = None) -> Tensor:
    """Square of each element."""

def square_(x: Tensor, name: str | None = None) -> Tensor:
    """Square of each element, in place."""

def squeeze_(x: Tensor, axis: Axes | Tensor | None = None, name: str | None = None) -> Tensor:
    """Remove axes of size 1, in place."""

def subtract_(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Subtract elementwise, with broadcasting, in place."""

def t_(input: Tensor, name: str | None = None) -> Tensor:
    """Transpose a matrix; return vectors and scalars as they are, in place."""

def tan(x: Tensor, name: str | None = None) -> Tensor:
    """Tangent of angles in radians."""

def tan_(x: Tensor, name: str | None = None) -> Tensor:
    """Tangent of angles in radians, in place."""

def tanh(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic tangent."""

def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic tangent, in place."""

def transpose_(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Permute the axes of a tensor, in place."""

def tril_(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Lower triangle of matrices; the elements above a diagonal are set to zero, in place."""

def triu_(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Upper triangle of matrices; the elements below a diagonal are set to zero, in place."""

def trunc_(input: Tensor, name: str | None = None) -> Tensor:
    """Round towards zero to an integer, in place."""

def unsqueeze_(x: Tensor, axis: Axes | Tensor, name: str | None = None) -> Tensor:
    """Insert axes of size 1, in place."""
