"""Names of `paddle.incubate.autograd`: aliases of `oarlock.autograd`."""

from ..autograd import Hessian, Jacobian, jvp, vjp

__all__ = ["Hessian", "Jacobian", "jvp", "vjp"]
