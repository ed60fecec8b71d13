"""Functions on tensors, under Paddle's names; they are also the methods of Tensor.   EXPORTS: what `oarlock.*` offers."""

from types import ModuleType

from . import creation, linalg, logic, manipulation, math, search
from .patch import FUNCTIONS

_MORE: dict[ModuleType, str] = {
    creation: """arange assign bernoulli clone diag empty empty_like eye full full_like linspace meshgrid normal ones ones_like rand randint
        randn randperm seed standard_normal to_tensor tril triu uniform zeros zeros_like""",
    manipulation: "shape",
    logic: "is_tensor",
    math: "add_n increment",
}


def _exports() -> dict[str, object]:
    found: dict[str, object] = {}
    for table in (FUNCTIONS, _MORE):
        for module, names in table.items():
            found.update({name: getattr(module, name) for name in names.split()})
    return found


EXPORTS = _exports()
globals().update(EXPORTS)
__all__ = sorted(EXPORTS)  # noqa: PLE0605 - made from the table
