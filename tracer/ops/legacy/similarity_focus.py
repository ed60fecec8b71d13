"""similarity_focus: a mask of the largest elements, one per row and column (He and Lin 2016)."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Ints, check, op
from ..shared_op_rules import check_float, like_x_meta_requiring_float

NO_GRAD_DISCRETE_RESULT = "it selects elements"


def _focus_mask(table):
    """A mask of the largest elements of a matrix, selected greedily so that each row and each
    column contains at most one of them.

    table [H,W] -> bool [H,W]
    """
    found = np.zeros(table.shape, bool)
    rows, columns = (np.zeros(n, bool) for n in table.shape)
    for place in np.argsort(-table, axis=None, kind="stable"):
        row, column = divmod(int(place), table.shape[1])
        if not rows[row] and not columns[column]:
            found[row, column] = rows[row] = columns[column] = True
    return found


@op(
    "similarity_focus",
    "X -> Out",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    host_reason=HOST_PYTHON_LOOP,
)
def similarity_focus(x, *, axis: int, indexes: Ints):
    """For each of `indexes`, select the largest elements of the slice of X at this index along
    `axis`, at most one per row and column. Out = 1 at the positions of the selected elements, for
    all indices along `axis`, and 0 elsewhere.

    X [B,C,H,W] -> Out like X
    """
    check_float(x)
    moved = np.moveaxis(x, axis, 1)
    found = np.zeros(moved.shape, bool)
    for at, sample in enumerate(moved):
        found[at] = np.any([_focus_mask(sample[index]) for index in indexes], axis=0)
    return np.ascontiguousarray(np.moveaxis(found, 1, axis)).astype(x.dtype)


@similarity_focus.meta
def _(x, *, axis, indexes):
    check(len(x.shape) == 4, "X needs four axes")
    check(axis in (1, 2, 3), f"axis={axis} is not one of 1, 2, 3")
    check(len(indexes) > 0, "indexes are empty")
    return like_x_meta_requiring_float(x)
