"""Covariance and correlation of variables."""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..ops.shared_op_rules import dims_match
from .convert import cast, guard_and_get_size_or_minus_one
from .linalg import matmul, transpose
from .manipulation import reshape, slice, squeeze, unsqueeze
from .math import clip

__all__: list[str] = []
METHODS = ["corrcoef", "cov"]


def _variables_as_rows(x: Tensor, rowvar: bool, op: str) -> Tensor:
    """Return x with a row per variable and a column per observation."""
    check_tensors(x)
    if x.ndim not in (1, 2):
        raise OpError(append_user_line(f"{op}: the rank must be 1 or 2 (X={x.meta})"))
    x = reshape(x, [1, -1]) if x.ndim == 1 else x
    return x if rowvar or guard_and_get_size_or_minus_one(x, 0) == 1 else transpose(x, [1, 0])


def _observation_weights_or_none(
    x: Tensor, fweights: Tensor | None, aweights: Tensor | None
) -> Tensor | None:
    """Return the weight of each observation; None if all are equal."""
    check_tensors(x)
    weights = None
    for name, tensor in (("fweights", fweights), ("aweights", aweights)):
        if tensor is None:
            continue
        if tensor.ndim != 1 or not dims_match(tensor.meta.shape[0], x.meta.shape[1]):
            raise OpError(
                append_user_line(
                    f"cov: {name} must have one element per observation "
                    f"(X={x.meta}, {name}={tensor.meta})"
                )
            )
        weight = cast(tensor, x.dtype)
        weights = weight if weights is None else weights * weight
    return weights


def cov(
    x: Tensor,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Covariance matrix of variables.

    out[i, j] = sum over observations o of w[o] * (x[i, o] - mean[i]) * (x[j, o] - mean[j]) / norm,
    with the weighted means, w = fweights * aweights and norm = sum(w) - ddof * sum(w * aweights) /
    sum(w)

    Parameters
    ----------
    x : Tensor [variables, observations] or [observations], float32 | float64
    rowvar : bool, default True
        False: x is [observations, variables].
    ddof : bool, default True
        True: the unbiased estimate, without weights divided by the number of observations minus 1.
        False: divided by the sum of weights.
    fweights : Tensor [observations], integer, optional
        How often each observation occurs; default 1.
    aweights : Tensor [observations], optional
        Weights of the observations; default 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [variables, variables], or [] for one variable, dtype of x

    Raises
    ------
    OpError
        If x does not have one or two axes, or weights are not one per observation.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> paddle.linalg.cov(x).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = _variables_as_rows(x, rowvar, "cov")
    weight = _observation_weights_or_none(x, fweights, aweights)
    if weight is None:
        total = OPS["reduce_sum"](
            OPS["fill_any_like"](slice(x, [0], [0], [1]), value=1.0), reduce_all=True
        )
        weighted, norm = x, total - float(ddof)
    else:
        total = OPS["reduce_sum"](weight, reduce_all=True)
        weighted, norm = x * weight, total - float(ddof)
        if aweights is not None and ddof:
            norm = (
                total - OPS["reduce_sum"](weight * cast(aweights, x.dtype), reduce_all=True) / total
            )
    mean = OPS["reduce_sum"](weighted, dim=[1]) / total
    centered = x - unsqueeze(mean, 1)
    covariance = matmul(centered, weighted, transpose_y=True) / clip(norm, min=0.0)
    return squeeze(covariance, [0, 1]) if guard_and_get_size_or_minus_one(x, 0) == 1 else covariance


def corrcoef(x: Tensor, rowvar: bool = True, name: str | None = None) -> Tensor:
    """Matrix of the correlation coefficients of variables (Pearson).

    out[i, j] = cov[i, j] / sqrt(cov[i, i] * cov[j, j]), clipped to [-1, 1]

    Parameters
    ----------
    x : Tensor [variables, observations] or [observations], float32 | float64
    rowvar : bool, default True
        False: x is [observations, variables].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [variables, variables], or [] for one variable, dtype of x
        NaN for a constant variable.

    Raises
    ------
    OpError
        If x does not have one or two axes.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> paddle.linalg.corrcoef(x).numpy().round(3)
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    covariance = cov(x, rowvar)
    if covariance.ndim == 0:
        return covariance / covariance
    std = OPS["sqrt"](OPS["diagonal"](covariance))
    return clip(covariance / unsqueeze(std, 1) / unsqueeze(std, 0), -1.0, 1.0)
