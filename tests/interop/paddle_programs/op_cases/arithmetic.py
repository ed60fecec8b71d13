"""Elementwise ops and activations."""

# fmt: off
# ruff: noqa - one row a call

import numpy as np

from ..table import paddle
from .cases import cases, numbers

P, F = paddle, paddle.nn.functional
A, B, V, CUBE = numbers(3, 4), numbers(3, 4, low=-1.5, high=2.5), numbers(4), numbers(2, 3, 4)
POS, UNIT, EMPTY, ONE = numbers(3, 4, low=0.3, high=3.0), numbers(3, 4, low=0.05, high=0.95), np.zeros((0, 4), "float32"), np.float32(1.5).reshape(())
INT, I32, BOOL, F64 = np.arange(12).reshape(3, 4), np.arange(12, dtype="int32").reshape(3, 4), np.arange(12).reshape(3, 4) % 3 == 0, numbers(3, 4,
    dtype="float64")
IMAGE, SOUND, VOLUME = numbers(1, 2, 5, 6), numbers(1, 2, 7), numbers(1, 1, 3, 4, 3)


cases(
    __name__, "add",
    plain=(P.add, A, POS),
    row=(P.add, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.add, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.add, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.add, POS, ONE),
    other_side=(P.add, ONE, POS),
    float64=(P.add, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.add, INT, INT % 5 + 1),
    int32=(P.add, I32, I32 % 4 + np.int32(1)),
    empty=(P.add, EMPTY, EMPTY),
)


cases(
    __name__, "subtract",
    plain=(P.subtract, A, POS),
    row=(P.subtract, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.subtract, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.subtract, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.subtract, POS, ONE),
    other_side=(P.subtract, ONE, POS),
    float64=(P.subtract, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.subtract, INT, INT % 5 + 1),
    int32=(P.subtract, I32, I32 % 4 + np.int32(1)),
    empty=(P.subtract, EMPTY, EMPTY),
)


cases(
    __name__, "multiply",
    plain=(P.multiply, A, POS),
    row=(P.multiply, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.multiply, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.multiply, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.multiply, POS, ONE),
    other_side=(P.multiply, ONE, POS),
    float64=(P.multiply, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.multiply, INT, INT % 5 + 1),
    int32=(P.multiply, I32, I32 % 4 + np.int32(1)),
    empty=(P.multiply, EMPTY, EMPTY),
)


cases(
    __name__, "divide",
    plain=(P.divide, A, POS),
    row=(P.divide, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.divide, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.divide, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.divide, POS, ONE),
    other_side=(P.divide, ONE, POS),
    float64=(P.divide, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.divide, INT, INT % 5 + 1),
    int32=(P.divide, I32, I32 % 4 + np.int32(1)),
    empty=(P.divide, EMPTY, EMPTY),
)


cases(
    __name__, "maximum",
    plain=(P.maximum, A, POS),
    row=(P.maximum, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.maximum, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.maximum, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.maximum, POS, ONE),
    other_side=(P.maximum, ONE, POS),
    float64=(P.maximum, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.maximum, INT, INT % 5 + 1),
    int32=(P.maximum, I32, I32 % 4 + np.int32(1)),
    empty=(P.maximum, EMPTY, EMPTY),
)


cases(
    __name__, "minimum",
    plain=(P.minimum, A, POS),
    row=(P.minimum, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.minimum, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.minimum, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.minimum, POS, ONE),
    other_side=(P.minimum, ONE, POS),
    float64=(P.minimum, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.minimum, INT, INT % 5 + 1),
    int32=(P.minimum, I32, I32 % 4 + np.int32(1)),
    empty=(P.minimum, EMPTY, EMPTY),
)


cases(
    __name__, "fmax",
    plain=(P.fmax, A, POS),
    row=(P.fmax, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.fmax, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.fmax, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.fmax, POS, ONE),
    other_side=(P.fmax, ONE, POS),
    float64=(P.fmax, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.fmax, INT, INT % 5 + 1),
    int32=(P.fmax, I32, I32 % 4 + np.int32(1)),
    empty=(P.fmax, EMPTY, EMPTY),
)


cases(
    __name__, "fmin",
    plain=(P.fmin, A, POS),
    row=(P.fmin, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.fmin, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.fmin, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.fmin, POS, ONE),
    other_side=(P.fmin, ONE, POS),
    float64=(P.fmin, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.fmin, INT, INT % 5 + 1),
    int32=(P.fmin, I32, I32 % 4 + np.int32(1)),
    empty=(P.fmin, EMPTY, EMPTY),
)


cases(
    __name__, "pow",
    plain=(P.pow, POS, UNIT),
    row=(P.pow, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.pow, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.pow, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.pow, POS, ONE),
    other_side=(P.pow, ONE, POS),
    float64=(P.pow, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.pow, INT, INT % 5 + 1),
    int32=(P.pow, I32, I32 % 4 + np.int32(1)),
    empty=(P.pow, EMPTY, EMPTY),
)


cases(
    __name__, "remainder",
    plain=(P.remainder, A, POS),
    row=(P.remainder, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.remainder, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.remainder, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.remainder, POS, ONE),
    other_side=(P.remainder, ONE, POS),
    float64=(P.remainder, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.remainder, INT, INT % 5 + 1),
    int32=(P.remainder, I32, I32 % 4 + np.int32(1)),
    empty=(P.remainder, EMPTY, EMPTY),
)


cases(
    __name__, "floor_divide",
    plain=(P.floor_divide, A, POS),
    row=(P.floor_divide, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.floor_divide, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.floor_divide, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.floor_divide, POS, ONE),
    other_side=(P.floor_divide, ONE, POS),
    float64=(P.floor_divide, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.floor_divide, INT, INT % 5 + 1),
    int32=(P.floor_divide, I32, I32 % 4 + np.int32(1)),
    empty=(P.floor_divide, EMPTY, EMPTY),
)


cases(
    __name__, "atan2",
    plain=(P.atan2, A, POS),
    row=(P.atan2, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.atan2, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.atan2, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.atan2, POS, ONE),
    other_side=(P.atan2, ONE, POS),
    float64=(P.atan2, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.atan2, INT, INT % 5 + 1),
    int32=(P.atan2, I32, I32 % 4 + np.int32(1)),
    empty=(P.atan2, EMPTY, EMPTY),
)


cases(
    __name__, "heaviside",
    plain=(P.heaviside, A, POS),
    row=(P.heaviside, POS, numbers(4, low=0.4, high=2.0)),
    column=(P.heaviside, POS, numbers(3, 1, low=0.4, high=2.0)),
    cube=(P.heaviside, numbers(2, 3, 4, low=0.3, high=2.0), numbers(3, 1, low=0.4, high=2.0)),
    scalar=(P.heaviside, POS, ONE),
    other_side=(P.heaviside, ONE, POS),
    float64=(P.heaviside, numbers(2, 2, low=0.3, high=2.0, dtype='float64'), numbers(2, 2, low=0.5, high=1.5, dtype='float64')),
    int64=(P.heaviside, INT, INT % 5 + 1),
    int32=(P.heaviside, I32, I32 % 4 + np.int32(1)),
    empty=(P.heaviside, EMPTY, EMPTY),
)


cases(
    __name__, "unary_smooth",
    exp=(P.exp, A),
    expm1=(P.expm1, A),
    sin=(P.sin, A),
    cos=(P.cos, A),
    tan=(P.tan, A),
    sinh=(P.sinh, A),
    cosh=(P.cosh, A),
    tanh=(P.tanh, A),
    asinh=(P.asinh, A),
    atan=(P.atan, A),
    erf=(P.erf, A),
    square=(P.square, A),
    sigmoid=(F.sigmoid, A),
    sign=(P.sign, A),
    abs=(P.abs, A),
)


cases(
    __name__, "unary_smooth_edges",
    exp_0d=(P.exp, np.float32(0.5).reshape(())),
    exp_64=(P.exp, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    exp_empty=(P.exp, EMPTY),
    expm1_0d=(P.expm1, np.float32(0.5).reshape(())),
    expm1_64=(P.expm1, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    expm1_empty=(P.expm1, EMPTY),
    sin_0d=(P.sin, np.float32(0.5).reshape(())),
    sin_64=(P.sin, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    sin_empty=(P.sin, EMPTY),
    cos_0d=(P.cos, np.float32(0.5).reshape(())),
    cos_64=(P.cos, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    cos_empty=(P.cos, EMPTY),
    tan_0d=(P.tan, np.float32(0.5).reshape(())),
    tan_64=(P.tan, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    tan_empty=(P.tan, EMPTY),
    sinh_0d=(P.sinh, np.float32(0.5).reshape(())),
    sinh_64=(P.sinh, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    sinh_empty=(P.sinh, EMPTY),
    cosh_0d=(P.cosh, np.float32(0.5).reshape(())),
    cosh_64=(P.cosh, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    cosh_empty=(P.cosh, EMPTY),
    tanh_0d=(P.tanh, np.float32(0.5).reshape(())),
    tanh_64=(P.tanh, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    tanh_empty=(P.tanh, EMPTY),
    asinh_0d=(P.asinh, np.float32(0.5).reshape(())),
    asinh_64=(P.asinh, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    asinh_empty=(P.asinh, EMPTY),
    atan_0d=(P.atan, np.float32(0.5).reshape(())),
    atan_64=(P.atan, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    atan_empty=(P.atan, EMPTY),
    erf_0d=(P.erf, np.float32(0.5).reshape(())),
    erf_64=(P.erf, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    erf_empty=(P.erf, EMPTY),
    square_0d=(P.square, np.float32(0.5).reshape(())),
    square_64=(P.square, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    square_empty=(P.square, EMPTY),
    sigmoid_0d=(F.sigmoid, np.float32(0.5).reshape(())),
    sigmoid_64=(F.sigmoid, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    sigmoid_empty=(F.sigmoid, EMPTY),
    sign_0d=(P.sign, np.float32(0.5).reshape(())),
    sign_64=(P.sign, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    sign_empty=(P.sign, EMPTY),
    abs_0d=(P.abs, np.float32(0.5).reshape(())),
    abs_64=(P.abs, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    abs_empty=(P.abs, EMPTY),
)


cases(
    __name__, "unary_positive",
    log=(P.log, POS),
    log2=(P.log2, POS),
    log10=(P.log10, POS),
    log1p=(P.log1p, POS),
    sqrt=(P.sqrt, POS),
    rsqrt=(P.rsqrt, POS),
    reciprocal=(P.reciprocal, POS),
    lgamma=(P.lgamma, POS),
    digamma=(P.digamma, POS),
    i0=(P.i0, POS),
    i0e=(P.i0e, POS),
    i1=(P.i1, POS),
    i1e=(P.i1e, POS),
)


cases(
    __name__, "unary_positive_edges",
    log_0d=(P.log, np.float32(0.5).reshape(())),
    log_64=(P.log, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    log_empty=(P.log, EMPTY),
    log2_0d=(P.log2, np.float32(0.5).reshape(())),
    log2_64=(P.log2, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    log2_empty=(P.log2, EMPTY),
    log10_0d=(P.log10, np.float32(0.5).reshape(())),
    log10_64=(P.log10, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    log10_empty=(P.log10, EMPTY),
    log1p_0d=(P.log1p, np.float32(0.5).reshape(())),
    log1p_64=(P.log1p, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    log1p_empty=(P.log1p, EMPTY),
    sqrt_0d=(P.sqrt, np.float32(0.5).reshape(())),
    sqrt_64=(P.sqrt, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    sqrt_empty=(P.sqrt, EMPTY),
    rsqrt_0d=(P.rsqrt, np.float32(0.5).reshape(())),
    rsqrt_64=(P.rsqrt, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    rsqrt_empty=(P.rsqrt, EMPTY),
    reciprocal_0d=(P.reciprocal, np.float32(0.5).reshape(())),
    reciprocal_64=(P.reciprocal, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    reciprocal_empty=(P.reciprocal, EMPTY),
    lgamma_0d=(P.lgamma, np.float32(0.5).reshape(())),
    lgamma_64=(P.lgamma, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    lgamma_empty=(P.lgamma, EMPTY),
    digamma_0d=(P.digamma, np.float32(0.5).reshape(())),
    digamma_64=(P.digamma, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    digamma_empty=(P.digamma, EMPTY),
    i0_0d=(P.i0, np.float32(0.5).reshape(())),
    i0_64=(P.i0, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    i0_empty=(P.i0, EMPTY),
    i0e_0d=(P.i0e, np.float32(0.5).reshape(())),
    i0e_64=(P.i0e, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    i0e_empty=(P.i0e, EMPTY),
    i1_0d=(P.i1, np.float32(0.5).reshape(())),
    i1_64=(P.i1, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    i1_empty=(P.i1, EMPTY),
    i1e_0d=(P.i1e, np.float32(0.5).reshape(())),
    i1e_64=(P.i1e, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    i1e_empty=(P.i1e, EMPTY),
)


cases(
    __name__, "unary_bounded",
    asin=(P.asin, UNIT),
    acos=(P.acos, UNIT),
    atanh=(P.atanh, UNIT),
    erfinv=(P.erfinv, UNIT),
    logit=(P.logit, UNIT),
)


cases(
    __name__, "unary_bounded_edges",
    asin_0d=(P.asin, np.float32(0.5).reshape(())),
    asin_64=(P.asin, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    asin_empty=(P.asin, EMPTY),
    acos_0d=(P.acos, np.float32(0.5).reshape(())),
    acos_64=(P.acos, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    acos_empty=(P.acos, EMPTY),
    atanh_0d=(P.atanh, np.float32(0.5).reshape(())),
    atanh_64=(P.atanh, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    atanh_empty=(P.atanh, EMPTY),
    erfinv_0d=(P.erfinv, np.float32(0.5).reshape(())),
    erfinv_64=(P.erfinv, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    erfinv_empty=(P.erfinv, EMPTY),
    logit_0d=(P.logit, np.float32(0.5).reshape(())),
    logit_64=(P.logit, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    logit_empty=(P.logit, EMPTY),
)


cases(
    __name__, "unary_stepped",
    floor=(P.floor, A * 1.7),
    ceil=(P.ceil, A * 1.7),
    round=(P.round, A * 1.7),
    trunc=(P.trunc, A * 1.7),
    frac=(P.frac, A * 1.7),
)


cases(
    __name__, "unary_stepped_edges",
    floor_0d=(P.floor, np.float32(0.5).reshape(())),
    floor_64=(P.floor, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    floor_empty=(P.floor, EMPTY),
    ceil_0d=(P.ceil, np.float32(0.5).reshape(())),
    ceil_64=(P.ceil, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    ceil_empty=(P.ceil, EMPTY),
    round_0d=(P.round, np.float32(0.5).reshape(())),
    round_64=(P.round, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    round_empty=(P.round, EMPTY),
    trunc_0d=(P.trunc, np.float32(0.5).reshape(())),
    trunc_64=(P.trunc, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    trunc_empty=(P.trunc, EMPTY),
    frac_0d=(P.frac, np.float32(0.5).reshape(())),
    frac_64=(P.frac, numbers(2, 2, low=0.2, high=0.8, dtype='float64')),
    frac_empty=(P.frac, EMPTY),
)


cases(
    __name__, "activations",
    relu=(F.relu, A),
    relu6=(F.relu6, A),
    elu=(F.elu, A),
    selu=(F.selu, A),
    celu=(F.celu, A),
    gelu=(F.gelu, A),
    silu=(F.silu, A),
    mish=(F.mish, A),
    softplus=(F.softplus, A),
    softsign=(F.softsign, A),
    hardswish=(F.hardswish, A),
    hardsigmoid=(F.hardsigmoid, A),
    hardtanh=(F.hardtanh, A),
    leaky_relu=(F.leaky_relu, A),
    log_sigmoid=(F.log_sigmoid, A),
    tanhshrink=(F.tanhshrink, A),
    softshrink=(F.softshrink, A),
    hardshrink=(F.hardshrink, A),
    thresholded_relu=(F.thresholded_relu, A),
    swish=(F.swish, A),
)


cases(
    __name__, "activations_edges",
    relu_64=(F.relu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    relu6_64=(F.relu6, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    elu_64=(F.elu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    selu_64=(F.selu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    celu_64=(F.celu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    gelu_64=(F.gelu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    silu_64=(F.silu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    mish_64=(F.mish, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    softplus_64=(F.softplus, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    softsign_64=(F.softsign, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    hardswish_64=(F.hardswish, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    hardsigmoid_64=(F.hardsigmoid, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    hardtanh_64=(F.hardtanh, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    leaky_relu_64=(F.leaky_relu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    log_sigmoid_64=(F.log_sigmoid, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    tanhshrink_64=(F.tanhshrink, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    softshrink_64=(F.softshrink, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    hardshrink_64=(F.hardshrink, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    thresholded_relu_64=(F.thresholded_relu, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
    swish_64=(F.swish, numbers(2, 2, low=-5.0, high=5.0, dtype='float64')),
)


cases(
    __name__, "activation_attributes",
    elu=(lambda x: F.elu(x, 0.3), A),
    celu=(lambda x: F.celu(x, 2.0), A),
    selu=(lambda x: F.selu(x, 1.5, 0.5), A),
    leaky=(lambda x: F.leaky_relu(x, 0.4), A),
    softplus=(lambda x: F.softplus(x, 2.0, 1.0), A),
    hardtanh=(lambda x: F.hardtanh(x, -0.3, 0.8), A),
    hardsigmoid=(lambda x: F.hardsigmoid(x, 0.3, 0.4), A),
    gelu=(lambda x: F.gelu(x, approximate=True), A),
    softshrink=(lambda x: F.softshrink(x, 0.2), A),
    hardshrink=(lambda x: F.hardshrink(x, 1.2), A),
    prelu=(F.prelu, CUBE, numbers(3)),
    prelu_one=(F.prelu, CUBE, numbers(1)),
    softmax0=(lambda x: F.softmax(x, 0), A),
    softmax64=(lambda x: F.softmax(x, dtype='float64'), A),
    log_softmax=(lambda x: F.log_softmax(x, 0), A),
    maxout=(lambda x: F.maxout(x, 2), numbers(1, 4, 2, 2)),
    glu=(lambda x: F.glu(x, 1), A),
    clip=(lambda x: P.clip(x, -0.5, 1.0), A),
    clip_tensor=(lambda x, y: P.clip(x, y), A, np.float32(0.25).reshape(())),
    scale=(lambda x: P.scale(x, 2.0, 3.0, False), A),
    scale_act=(lambda x: P.scale(x, 2.0, 1.0, act='relu'), A),
    stanh=(lambda x: P.stanh(x, 0.5, 1.5), A),
    logit_eps=(lambda x: P.logit(x, 0.3), UNIT),
    lerp=(lambda x, y: P.lerp(x, y, 0.3), A, B),
    nan_to_num=(lambda x: P.nan_to_num(x / 0, 1.0, 2.0, 3.0), A),
)
