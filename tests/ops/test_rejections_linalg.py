"""Errors of complex numbers, linear algebra, Fourier transforms and frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oarlock.core.errors import OpError
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor

from .rejected_calls import assert_rejected, f

# Warnings are not errors here: an op must reject invalid operands also where NumPy only warns.
pytestmark = pytest.mark.filterwarnings("ignore")


def c(*shape: int) -> Any:
    return f(*shape, dtype="complex64")


FFT = {"axes": [0], "normalization": "backward", "forward": True}
INFINITE = np.array([[np.inf, 2, 3], [4, 5, 6], [7, -np.inf, 1]], "f")  # LAPACK does not end for it
ZERO = np.zeros((2, 2), "float32")
# fmt: off
REJECTED: list[tuple[str, list[Any], dict[str, Any], str]] = [
    ("complex", [f(2), f(3)], {}, "the shapes do not broadcast"),
    ("complex", [f(2, dtype="float16"), f(2, dtype="float16")], {}, "half precision"),
    ("complex", [f(2, dtype="int64"), f(2, dtype="int64")], {}, "needs a floating dtype"),
    ("real", [f(2)], {}, "needs a complex dtype (X=float32[2])"),
    ("imag", [f(2)], {}, "needs a complex dtype"),
    ("angle", [f(2, dtype="int64")], {}, "needs a floating dtype"),
    ("as_complex", [f(2, 3)], {}, "the last axis does not hold two parts (X=float32[2,3])"),
    ("as_real", [f(2)], {}, "needs a complex dtype"),
    ("floor", [c(2)], {}, "needs a floating dtype (X=complex64[2])"),
    ("erf", [c(2)], {}, "needs a floating dtype"),
    ("sign", [c(2)], {}, "needs a real dtype"),
    ("p_norm", [c(2)], {}, "needs a floating dtype"),
    ("frobenius_norm", [c(2)], {}, "needs a floating dtype"),
    ("inverse", [ZERO], {}, "inverse: Singular matrix (Input=float32[2,2])"),
    ("inverse", [f(2, 3)], {}, "the matrices of Input are not square"),
    ("inverse", [f(2)], {}, "Input needs at least two axes"),
    ("inverse", [f(2, 2, dtype="int64")], {}, "needs a floating dtype"),
    ("solve", [ZERO, f(2, 1)], {}, "Singular matrix"),
    ("solve", [f(2, 2), f(3, 1)], {}, "X has 2 columns, and Y 3 rows"),
    ("triangular_solve", [ZERO, f(2, 1)], {}, "Singular matrix"),
    ("triangular_solve", [f(2, 2), f(2)], {}, "Y needs at least two axes"),
    ("cholesky", [-np.eye(2, dtype="f")], {}, "Matrix is not positive definite (X=float32[2,2])"),
    ("cholesky_solve", [f(2, 1), f(2, 3)], {}, "not square"),
    ("determinant", [f(2, 3)], {}, "the matrices of Input are not square"),
    ("slogdeterminant", [c(2, 2)], {}, "needs a floating dtype"),
    ("lu", [f(2, 2)], {"pivots": False}, "pivots=False is not supported"),
    ("lu_unpack", [f(3, 3), f(2, dtype="int32")], {}, "Pivots does not fit X"),
    ("qr", [f(2, 2)], {"mode": "full"}, "mode=full is not one of reduced, complete, r"),
    ("svd", [f(2)], {}, "X needs at least two axes"),
    ("svd", [INFINITE], {"full_matrices": False}, "svd: X contains infinity or NaN (X=float32[3,3])"),
    ("matrix_rank", [INFINITE], {}, "X contains infinity or NaN"),
    ("lstsq", [INFINITE, f(3, 1)], {}, "X contains infinity or NaN"),
    ("pseudo_inverse", [INFINITE], {}, "X contains infinity or NaN"),
    ("cofactors", [INFINITE], {}, "X contains infinity or NaN"),
    ("eigh", [f(2, 2)], {"UPLO": "M"}, "UPLO=M is neither L nor U"),
    ("eig", [f(2, 3)], {}, "not square"),
    ("lstsq", [f(3, 2), f(2, 1)], {}, "X has 3 rows, and Y 2"),
    ("lstsq", [f(3, 2), f(3, 1)], {"driver": "qr"}, "driver=qr is not one of gels, gelsy, gelsd, gelss"),
    ("matrix_power", [ZERO], {"n": -1}, "Singular matrix"),
    ("matrix_rank", [f(2, 3)], {"hermitian": True}, "not square"),
    ("multi_dot", [[f(2, 3)]], {}, "X needs two factors"),
    ("multi_dot", [[f(2, 3), f(4, 2)]], {}, "the inner axes differ"),
    ("multi_dot", [[f(2, 3), f(3), f(3)]], {}, "only the first and the last X may have one axis"),
    ("cross", [f(2, 2), f(2, 2)], {}, "no axis has 3 elements"),
    ("cross", [f(2, 3), f(2, 3)], {"dim": 0}, "dim=0 has 2 elements, not 3"),
    ("cross", [f(2, 3), f(3)], {}, "the shapes differ"),
    ("dist", [f(2), f(3)], {}, "the shapes do not broadcast"),
    ("einsum", [[f(2, 3), f(4, 2)]], {"equation": "ij,jk->ik"}, "the axes j have sizes 3 and 4"),
    ("einsum", [[f(2, 3)]], {"equation": "ij,jk->ik"}, "is for 2 operands, not 1"),
    ("einsum", [[f(2, 3)]], {"equation": "ijk->i"}, "has 3 labels for 2 axes"),
    ("einsum", [[f(2, 3)]], {"equation": "ij->k"}, "contains a label in the output that no operand has"),
    ("einsum", [[f(2, 3)]], {"equation": "ij"}, "has no ->"),
    ("fft_c2c", [f(2)], FFT, "needs a complex dtype"),
    ("fft_c2r", [f(3)], FFT, "needs a complex dtype"),
    ("fft_c2c", [c(2)], {**FFT, "normalization": "none"}, "normalization=none is not one of backward, forward, ortho"),
    ("fft_c2c", [c(2)], {**FFT, "axes": [1]}, "axes=1 is outside of [-1, 0]"),
    ("fft_c2c", [c(2, 2)], {**FFT, "axes": [0, 0]}, "names an axis twice"),
    ("fft_r2c", [c(2)], {**FFT, "onesided": True}, "needs a floating dtype"),
    ("fft_r2c", [f(0)], {**FFT, "onesided": True}, "an axis to transform has no elements"),
    ("fft_c2r", [c(1)], FFT, "the result has no elements"),
    ("fft_c2r", [c(3)], {**FFT, "last_dim_size": 7}, "last_dim_size=7 is not possible with 3 elements in the last axis of X"),
    ("frame", [f(4)], {"frame_length": 5, "hop_length": 1}, "frame_length=5 is more than the 4 elements"),
    ("frame", [f(4, 4)], {"frame_length": 2, "hop_length": 0}, "hop_length=0 is not positive"),
    ("overlap_add", [f(4)], {"hop_length": 1}, "needs at least 2 axes"),
    ("overlap_add", [f(4, 4, 4)], {"hop_length": 1, "axis": 1}, "axis=1 is neither 0 nor -1"),
]
# fmt: on


@pytest.mark.parametrize(("type", "args", "attrs", "words"), REJECTED)
def test_rejected(type: str, args: list[Any], attrs: dict[str, Any], words: str) -> None:
    assert_rejected(type, args, attrs, words)


def test_programs_reject_complex_operands_of_real_ops() -> None:
    for type in ("gelu", "layer_norm", "logsumexp", "softmax", "digamma"):
        with pytest.raises(OpError, match="needs a floating dtype"):
            OPS[type].infer((Tensor(c(2, 2)).meta,), {})
