"""`oarlock.autograd` under its older name."""

from ..autograd import Hessian, Jacobian, jvp, vjp

__all__ = ["Hessian", "Jacobian", "jvp", "vjp"]
