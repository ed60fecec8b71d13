"""check_numerics: count NaN and infinity in a tensor."""

from __future__ import annotations

from ..core.arrays import np
from ..core.numerics_check import ABORT, LEVELS, array_statistics
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, Meta, check, op
from .shared_op_rules import check_float


@op("check_numerics", "tensor -> stats, values", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def check_numerics(
    x,
    *,
    op_type: str = "",
    var_name: str = "",
    check_nan_inf_level: int = 0,
    stack_height_limit: int = -1,
    output_dir: str = "",
):
    """stats = the counts of NaN, infinity and zero in tensor; values = its maximum, minimum and
    mean.

    tensor [*] -> stats int64 [3], values float32 [3]

    If tensor contains NaN or infinity, check_nan_inf_level 0 raises an error; other levels print a
    line.
    """
    check_float(x)
    counts, values = array_statistics(x)
    if counts[0] or counts[1]:
        found = f"{counts[0]} NaNs, {counts[1]} infinities, {counts[2]} zeros"
        check(
            check_nan_inf_level != ABORT,
            f"{found} in {var_name or 'the tensor'} of {op_type or 'an op'}",
        )
        numbers = ", ".join(
            f"{name}={value:e}" for name, value in zip(("max", "min", "mean"), values, strict=True)
        )
        print(
            f"check_numerics: [op={op_type}, tensor={var_name}, dtype={x.dtype.name}] "
            f"{found}, {numbers}"
        )
    return np.asarray(counts, np.int64), np.asarray(values, np.float32)


@check_numerics.meta
def _(x, *, check_nan_inf_level, **_):
    check_float(x)
    check(
        check_nan_inf_level in LEVELS,
        f"check_nan_inf_level={check_nan_inf_level} is not in 0 ... 3",
    )
    return Meta((3,), np.dtype(np.int64)), Meta((3,), np.dtype(np.float32))
