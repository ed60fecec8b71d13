"""Emulate Paddle before 2.5, which has no 0-D tensors: functions return shape [1] instead of [].

`NAMES` lists the functions. Their 0-D results get one axis; values and gradients do not change.
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
_OTHER_FUNCTIONS = "dot inner allclose isclose equal_all is_empty rank squeeze tensordot"
# Module of oarlock -> names of its functions that are replaced; the key `Tensor` -> names of
# methods.
NAMES: dict[str, str] = {
    "": f"{_REDUCTIONS} {_OTHER_FUNCTIONS} to_tensor einsum assign",
    ".tensor": f"{_REDUCTIONS} {_OTHER_FUNCTIONS} to_tensor einsum assign",
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
    "Tensor": f"{_REDUCTIONS} {_OTHER_FUNCTIONS} cond __getitem__ unbind",
}


class SingleElementArray(np.ndarray[Any, Any]):
    """An array of one element that converts to float and int even if it has axes. NumPy 2.4 itself
    converts only 0-D arrays to float and int.
    """

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return operator.index(self.item())

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def view_as_single_element_array(array: Any) -> Any:
    """View an array with axes and one element as a SingleElementArray; return other values
    unchanged.
    """
    return (
        array.view(SingleElementArray)
        if type(array) is np.ndarray and array.ndim and array.size == 1
        else array
    )


def _patch_single_element_results_with_undo(owner: Any, name: str) -> Callable[[], None]:
    """Replace the function or method `name` of `owner` by one that returns SingleElementArray
    views. Returns a function that restores the original.
    """
    function = getattr(owner, name)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if isinstance(result, list):
            return [view_as_single_element_array(a) for a in result]
        return view_as_single_element_array(result)

    setattr(owner, name, wrapper)
    return functools.partial(setattr, owner, name, function)


def patch_zero_dim_results_with_undo() -> Callable[[], None]:
    """Make the functions in `NAMES` return tensors of shape [1] instead of [], and make
    Tensor.numpy and Executor.run return SingleElementArray views. Returns a function that restores
    all replaced functions.
    """
    undo: list[Callable[[], None]] = [
        _patch_single_element_results_with_undo(Tensor, "numpy"),
        _patch_single_element_results_with_undo(Executor, "run"),
    ]
    for module, names in NAMES.items():
        owner = Tensor if module == "Tensor" else importlib.import_module(f"oarlock{module}")
        for name in names.split():
            function = getattr(owner, name, None)
            if callable(function):
                is_own = name in vars(owner)
                setattr(owner, name, _wrap_to_add_axis_to_results(function))
                undo.append(functools.partial(_restore_attribute, owner, name, function, is_own))

    def restore() -> None:
        for step in reversed(undo):
            step()

    return restore


def _restore_attribute(owner: Any, name: str, function: Any, is_own: bool) -> None:
    if is_own:
        setattr(owner, name, function)
    else:
        delattr(owner, name)


def _wrap_to_add_axis_to_results(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return _add_axis_to_0d_tensors(function(*args, **kwargs))

    return wrapper


def _add_axis_to_0d_tensors(result: Any) -> Any:
    if isinstance(result, Tensor):
        return result if result.meta.shape else OPS["reshape2"](result, shape=[1])
    if isinstance(result, list | tuple) and any(isinstance(r, Tensor) for r in result):
        results = [_add_axis_to_0d_tensors(r) for r in result]
        return results if isinstance(result, list) else tuple(results)
    return result
