"""Control flow in programs: branches, loops, lists of tensors. In eager mode, Python's own control
flow runs.
"""

from . import (
    extend_tensor_array_with_other,
)  # imported because the module sets TensorArray.append_all_elements
from .branch import cond
from .switch_case import case, switch_case
from .tensor_arrays import (
    TensorArray,
    array_length,
    array_read,
    array_write,
    create_array,
    tensor_array_to_tensor,
)
from .while_loop import while_loop

__all__ = [
    "TensorArray",
    "array_length",
    "array_read",
    "array_write",
    "case",
    "cond",
    "create_array",
    "switch_case",
    "tensor_array_to_tensor",
    "while_loop",
]
