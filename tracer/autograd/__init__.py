"""paddle.autograd: PyLayer, jacobian, hessian, vjp, jvp and gradient settings."""

from ..core.autograd import enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from .functional import Hessian, Jacobian, backward, hessian, jacobian, jvp, vjp
from .py_layer import PyLayer, PyLayerContext

__all__ = [
    "Hessian",
    "Jacobian",
    "PyLayer",
    "PyLayerContext",
    "backward",
    "enable_grad",
    "grad",
    "hessian",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "no_grad",
    "set_grad_enabled",
    "vjp",
]
