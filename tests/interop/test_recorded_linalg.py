"""Functions of linear algebra, complex numbers and transforms, recorded without values: real Paddle
runs the files, with the same results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.static import InputSpec

sys.path.insert(0, str(Path(__file__).parent))
from same_fourier import LONG
from same_linalg import ORDERS, M, R, S

sys.path.pop(0)
pytestmark = pytest.mark.paddle

CASES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "solving": (lambda x: [oar.linalg.inv(x), oar.linalg.solve(x, x[:, :1]), oar.linalg.triangular_solve(x, x), oar.linalg.matrix_power(x, 3)], M),
    "determinants": (lambda x: [oar.linalg.det(x), oar.linalg.slogdet(x), oar.linalg.matrix_rank(x)], M),
    "pinv": (oar.linalg.pinv, R),
    "pinv_hermitian": (lambda x: oar.linalg.pinv(x, hermitian=True), S),
    "cond": (lambda x: [oar.linalg.cond(x, p) for p in (None, "fro", "nuc", 1, -1, -2, float("inf"))], M),
    "statistics": (lambda x: [oar.linalg.cov(x), oar.linalg.corrcoef(x)], R),
    "norms": (lambda x: [oar.linalg.norm(x, p, a) for p, a in ORDERS], R),
    "factors": (lambda x: [*oar.linalg.qr(x), oar.linalg.svd(x)[1], *oar.linalg.lu_unpack(*oar.linalg.lu(x))], M),
    "hermitian": (lambda x: [oar.linalg.cholesky(x), oar.linalg.eigh(x)[0], oar.linalg.eigvalsh(x)], S),
    "products": (lambda x: [oar.kron(x, x), oar.dist(x, x * 2), oar.cdist(x, x * 2), oar.tensordot(x, x, 1), oar.inner(x, x), oar.outer(x, x)], M),
    "einsum": (lambda x: [oar.einsum("ij,jk,kl->il", x, x, x), oar.einsum("...ij,jk->...ik", x, x), oar.linalg.multi_dot([x, x, x])], M),
    "complex": (lambda x: [oar.as_real(oar.complex(x, x) * 2j), oar.as_real(oar.sgn(oar.complex(x, x))), oar.angle(oar.polar(x, x))], M),
    "fft": (lambda x: [oar.abs(oar.fft.fft(x)), oar.as_real(oar.fft.rfft(x)), oar.fft.irfft(oar.fft.rfft(x))], M),
    "stft": (lambda x: [oar.as_real(oar.signal.stft(x, 8)), oar.signal.istft(oar.signal.stft(x, 8), 8)], LONG),
}  # fmt: skip


class Net(nn.Layer):
    """A function of the input times a parameter."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.factor = self.create_parameter([1], default_initializer=nn.initializer.Constant(1.0))
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x * self.factor)


@pytest.mark.parametrize("free", [False, True], ids=["known", "free"])
@pytest.mark.parametrize("name", list(CASES))
def test_paddle_runs_recorded_function(name: str, free: bool, paddle: Any, tmp_path: Path) -> None:
    function, x = CASES[name]
    net = Net(function).eval()
    shape = [None, *x.shape[1:]] if free else list(x.shape)
    oar.jit.save(
        net, str(tmp_path / "net"), input_spec=[InputSpec(shape, "float32", "x")], verify=False
    )
    wanted = net(oar.to_tensor(x))
    np.savez(tmp_path / "in.npz", x)
    paddle.ask(
        "run",
        prefix=str(tmp_path / "net"),
        inputs=str(tmp_path / "in.npz"),
        outputs=str(tmp_path / "out"),
        loaders=["jit"],
    )
    with np.load(tmp_path / "out.jit.npz") as found:
        arrays = [found[k] for k in found.files]
    for ours, theirs in zip(
        wanted if isinstance(wanted, list | tuple) else [wanted], arrays, strict=True
    ):
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-4, atol=1e-4)
