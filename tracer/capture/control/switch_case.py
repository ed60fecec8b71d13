"""Branches with more than two alternatives: `case` and `switch_case`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...core.type_aliases import Size
from ..modes import Static
from ..variable import Variable
from .branch import BranchFunction, cond, require_variable_in_static_graph
from .branch_values import cast_or_fill_like


def case(
    pred_fn_pairs: Sequence[tuple[Tensor | bool, BranchFunction]],
    default: BranchFunction | None = None,
    name: str | None = None,
) -> Any:
    """Return the result of the first function whose condition holds.

    Parameters
    ----------
    pred_fn_pairs : list of (Tensor, callable)
        Conditions, bool tensors of one element, and functions without parameters.
    default : callable, optional
        Called if no condition holds; by default the last function of `pred_fn_pairs`.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, nested structure of tensors or numbers, or None

    Raises
    ------
    TypeError
        If `pred_fn_pairs` is not a list of pairs of a tensor and a function.
    OpError
        If `pred_fn_pairs` is empty.
    BranchMergeError
        While a program is built, if the results have different structures.

    See Also
    --------
    static.nn.switch_case : selects a function by an index.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [1])
    ...     y = paddle.static.nn.case([(x < 0, lambda: -x), (x > 9, lambda: x * 2)], lambda: x)
    >>> feed = {"x": np.array([-3.0], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].tolist()
    [3.0]
    >>> paddle.disable_static()
    """
    if not isinstance(pred_fn_pairs, list | tuple):
        raise TypeError(
            append_user_line(
                f"case: the pairs should be a list or tuple, not {type(pred_fn_pairs).__name__}"
            )
        )
    if not pred_fn_pairs:
        raise OpError(append_user_line("case: pred_fn_pairs is empty"))
    pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and callable(pair[1])):
            raise TypeError(
                append_user_line(f"case: a pair should be (condition, function), not {pair!r:.80}")
            )
        if not isinstance(pair[0], Tensor):
            raise TypeError(
                append_user_line(
                    f"case: a condition should be a Tensor, not {type(pair[0]).__name__}"
                )
            )
    if default is None:
        *pairs, (_, default) = pairs
    remaining = default
    for pred, branch in reversed(pairs):
        remaining = _make_else_if_branch(pred, branch, remaining)
    return remaining()


def _make_else_if_branch(
    pred: Any, branch: BranchFunction, remaining: BranchFunction
) -> BranchFunction:
    return lambda: cond(pred, branch, remaining)


def switch_case(
    branch_index: Size,
    branch_fns: Mapping[int, BranchFunction]
    | Sequence[tuple[int, BranchFunction]]
    | Sequence[BranchFunction],
    default: BranchFunction | None = None,
    name: str | None = None,
) -> Any:
    """Return the result of the function with a given index.

    Parameters
    ----------
    branch_index : Tensor of one element, of integers
        In eager mode also an int.
    branch_fns : dict of int to callable, list of (int, callable), or list of callable
        Functions without parameters; those of a list of functions have the indices 0, 1, 2, ...
    default : callable, optional
        Called if no function has the index; by default the function with the largest index.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, nested structure of tensors or numbers, or None

    Raises
    ------
    TypeError
        If an argument has a wrong type.
    OpError
        If `branch_fns` is empty or has one index twice.
    BranchMergeError
        While a program is built, if the results have different structures.

    See Also
    --------
    static.nn.case : selects a function by conditions.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     i = paddle.static.data("i", [1], "int64")
    ...     y = paddle.static.nn.switch_case(
    ...         i, {1: lambda: paddle.full([1], 10.0), 2: lambda: paddle.full([1], 20.0)}
    ...     )
    >>> feed = {"i": np.array([1], np.int64)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].tolist()
    [10.0]
    >>> paddle.disable_static()
    """
    _check_switch_arguments(branch_index, branch_fns, default)
    items: Any = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    table = sorted(
        ((i, f) if callable(f) else f for i, f in enumerate(items)), key=lambda pair: pair[0]
    )
    keys = [key for key, _ in table]
    if not table or len(set(keys)) != len(keys):
        raise OpError(
            append_user_line(
                f"switch_case: the branches of branch_fns must have distinct indices, got {keys}"
            )
        )
    if default is None:
        default = table[-1][1]
    if not isinstance(branch_index, Variable):
        require_variable_in_static_graph("switch_case", "branch_index", branch_index)
        return dict(table).get(int(branch_index), default)()
    return case(
        [
            (OPS["equal"](*_index_comparison_operands(branch_index, key)), branch)
            for key, branch in table
        ],
        default,
    )


def _check_switch_arguments(index: Any, branches: Any, default: Any) -> None:
    """Raise TypeError unless the arguments of `switch_case` have the documented types."""
    if not isinstance(branches, list | tuple | dict):
        raise TypeError(
            append_user_line(
                f"switch_case: branch_fns should be a list or dict, not {type(branches).__name__}"
            )
        )
    for pair in branches.items() if isinstance(branches, dict) else branches:
        if not callable(pair) and not (
            isinstance(pair, tuple | list)
            and len(pair) == 2
            and isinstance(pair[0], int)
            and callable(pair[1])
        ):
            raise TypeError(
                append_user_line(
                    f"switch_case: a branch should be (int, function), not {pair!r:.80}"
                )
            )
    if default is not None and not callable(default):
        raise TypeError(
            append_user_line(
                f"switch_case: default should be a function, not {type(default).__name__}"
            )
        )
    if isinstance(index, Variable) and index.meta.dtype.kind not in "iu":
        raise TypeError(
            append_user_line(
                f"switch_case: branch_index should be an integer (branch_index={index.meta})"
            )
        )


def _index_comparison_operands(index: Variable, key: int) -> tuple[Tensor, Tensor]:
    return index, cast_or_fill_like(key, Meta((), index.meta.dtype))


Static.emit_switch_case = staticmethod(switch_case)
