"""Values of a program's variables in a scope, all at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import cuda
from ...core.errors import MisfitError, warn, with_user_line
from ...core.tensor import Tensor
from ..scope import Scope
from .program import Program


def set_values(program: Program, values: dict[str, Any], scope: Scope) -> None:
    """Put values of persistable variables into a scope; names that the program does not have are warned about.

    Raises MisfitError, listing all that have another shape or dtype, before anything changes.
    """
    if not isinstance(values, dict):
        raise TypeError(with_user_line(f"set_state_dict: state_dict should be a dict, not {type(values).__name__}"))
    known = {v.name: v for v in program.persistables()}
    arrays = {
        n: np.asarray(cuda.host(v.array if isinstance(v, Tensor) else v)) for n, v in values.items() if n in known
    }
    problems = [
        f"'{n}' is {known[n].meta}, the value {a.dtype.name}{list(a.shape)}"
        for n, a in arrays.items()
        if tuple(a.shape) != known[n].raw.shape or a.dtype != known[n].meta.dtype
    ]
    if problems:
        raise MisfitError(with_user_line(f"set_state_dict: {'; '.join(problems)}"))
    for name, array in arrays.items():
        scope.assign(name, array, known[name].meta)
    unused = [n for n in values if n not in known and n != "StructuredToParameterName@@"]
    if unused:
        warn(f"the program has no variables {unused}; their values are not used")
