"""Before Paddle 2.5 there were no tensors without axes: what gives one today gave one of shape [1].

Names of functions as data; each result without axes gets one axis, which changes neither numbers
nor gradients.
"""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..static import Executor

_REDUCTIONS = (
    "sum mean max min prod all any amax amin nansum nanmean logsumexp std var median "
    "nanmedian quantile nanquantile norm dist numel "
    "count_nonzero argmax argmin trace mode kthvalue"
)
_OTHERS = "dot inner allclose isclose equal_all is_empty rank squeeze tensordot"
# Modules and their names.   `Tensor`: its methods
NAMES: dict[str, str] = {
    "": f"{_REDUCTIONS} {_OTHERS} to_tensor einsum assign",
    ".tensor": f"{_REDUCTIONS} {_OTHERS} to_tensor einsum assign",
    ".linalg": "norm cond det multi_dot matrix_rank",
    ".metric": "accuracy",
    ".static": "accuracy auc",
    ".nn.functional": (
        "cross_entropy softmax_with_cross_entropy binary_cross_entropy "
        "binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss "
        "nll_loss kl_div margin_ranking_loss ctc_loss hinge_embedding_loss "
        "cosine_embedding_loss triplet_margin_loss "
        "triplet_margin_with_distance_loss sigmoid_focal_loss dice_loss npair_loss "
        "soft_margin_loss multi_label_soft_margin_loss "
        "multi_margin_loss poisson_nll_loss gaussian_nll_loss log_loss square_error_cost "
        "cosine_similarity pairwise_distance"
    ),
    "Tensor": f"{_REDUCTIONS} {_OTHERS} cond __getitem__ unbind",
}


class OneNumber(np.ndarray[Any, Any]):
    """An array of one number, which `float()`, `int()` and `"%f" %` take for it, as NumPy did until
    2.4.
    """

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def as_number(array: Any) -> Any:
    """An array of shape [1], or another one of one element with axes, as a OneNumber; anything else
    itself.
    """
    return (
        array.view(OneNumber)
        if type(array) is np.ndarray and array.ndim and array.size == 1
        else array
    )


def _numbers_from(owner: Any, name: str) -> Callable[[], None]:
    """Let a function give OneNumbers; what is returned takes that back."""
    function = getattr(owner, name)

    @functools.wraps(function)
    def giving(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return [as_number(a) for a in found] if isinstance(found, list) else as_number(found)

    setattr(owner, name, giving)
    return functools.partial(setattr, owner, name, function)


def wrapped() -> Callable[[], None]:
    """Give results of shape [1] from now on; what is returned takes that back."""
    undo: list[Callable[[], None]] = [
        _numbers_from(Tensor, "numpy"),
        _numbers_from(Executor, "run"),
    ]
    for where, names in NAMES.items():
        owner = Tensor if where == "Tensor" else importlib.import_module(f"oarlock{where}")
        for name in names.split():
            function = getattr(owner, name, None)
            if callable(function):
                own = name in vars(owner)
                setattr(owner, name, _with_an_axis(function))
                undo.append(functools.partial(_restore, owner, name, function, own))

    def back() -> None:
        for step in reversed(undo):
            step()

    return back


def _restore(owner: Any, name: str, function: Any, own: bool) -> None:
    if own:
        setattr(owner, name, function)
    else:
        delattr(owner, name)


def _with_an_axis(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def with_an_axis(*args: Any, **kwargs: Any) -> Any:
        return _one(function(*args, **kwargs))

    return with_an_axis


def _one(result: Any) -> Any:
    if isinstance(result, Tensor):
        return result if result.meta.shape else OPS["reshape2"](result, shape=[1])
    if isinstance(result, list | tuple) and any(isinstance(r, Tensor) for r in result):
        made = [_one(r) for r in result]
        return made if isinstance(result, list) else tuple(made)
    return result
