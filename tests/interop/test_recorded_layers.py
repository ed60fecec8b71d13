"""Recorded recurrent, resizing and attention layers run in real Paddle, also if the engine lacks
the ops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.nn import functional as F
from oarlock.static import InputSpec

pytestmark = pytest.mark.paddle
rng = np.random.default_rng(1)


class Recurrent(nn.Layer):
    """Two networks of one op each, and an unrolled cell."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LSTM(4, 6, 2, "bidirect"), nn.GRU(12, 3)
        self.third, self.head = nn.RNN(nn.GRUCell(3, 3)), nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        y, (h, _) = self.first(x)
        return self.head(self.third(self.second(y)[0])[0]), h


class Pictures(nn.Layer):
    """Resizing, rearrangement and sampling of images."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.large, self.pixels = (
            nn.Conv2DTranspose(3, 4, 3, 2),
            nn.Upsample(scale_factor=2, mode="bilinear"),
            nn.PixelShuffle(2),
        )
        self.between = nn.Bilinear(4, 4, 3)

    def forward(self, x: Any) -> Any:
        y = F.interpolate(self.pixels(self.large(self.wide(x))), size=[5, 6])
        columns = F.unfold(y, 2)
        grid = F.affine_grid(y.reshape([0, -1])[:, :6].reshape([-1, 2, 3]), [2, 1, 3, 4])
        shrunk = F.celu(F.softshrink(F.grid_sample(y, grid)))
        mixed = F.maxout(F.channel_shuffle(self.wide(x), 2), 2)
        return (
            columns,
            shrunk,
            F.local_response_norm(x, 3),
            mixed,
            self.between(columns[:, :, 0], columns[:, :, 1]),
        )


class Volumes(nn.Layer):
    """Convolution, pooling and unpooling of volumes."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Conv3D(2, 4, 3, padding=1), nn.Conv3DTranspose(4, 2, 2, 2)

    def forward(self, x: Any) -> Any:
        y, where = F.max_pool3d(self.a(x), 2, 2, return_mask=True)
        return self.b(y), F.max_unpool3d(y, where, 2), F.adaptive_avg_pool3d(x, 2)


CASES: dict[str, tuple[Any, list[Any], list[list[Any]]]] = {
    "recurrent": (Recurrent, [(3, 5, 4)], [[None, 5, 4]]),
    "pictures": (Pictures, [(2, 3, 6, 7)], [[2, 3, 6, 7]]),
    "volumes": (Volumes, [(2, 2, 4, 6, 4)], [[None, 2, 4, 6, 4]]),
    "transformer": (lambda: nn.Transformer(8, 2, 1, 1, 16, 0.0), [(2, 3, 8), (2, 4, 8)], [[None, None, 8], [None, None, 8]]),
}  # fmt: skip


@pytest.mark.parametrize("case", list(CASES))
def test_real_paddle_runs_recorded_layer(case: str, paddle: Any, tmp_path: Path) -> None:
    make, sizes, shapes = CASES[case]
    layer = make()
    layer.eval()
    inputs = [rng.standard_normal(s).astype("float32") for s in sizes]
    wanted = layer(*map(oar.to_tensor, inputs))
    oar.jit.save(
        layer, tmp_path / "m", input_spec=[InputSpec(s, "float32") for s in shapes], verify=False
    )
    np.savez(tmp_path / "in.npz", *inputs)
    found = paddle.run(tmp_path / "m", tmp_path / "in.npz", "out", ("static",))["static"]
    for got, want in zip(found, wanted if isinstance(wanted, tuple) else [wanted], strict=True):
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-5)
