"""Complex numbers, Fourier transforms and frames for `lowering_cases.py`."""

from lowering_cases import f, op


def c(*shape):
    """Complex numbers, both parts normal."""
    return f(*shape).astype("complex64") + 1j * f(*shape, seed=8).astype("complex64")


def fft(kind, x, axes, normalization="backward", forward=True, **more):
    """One transform."""
    return op(f"fft_{kind}", x, axes=axes, normalization=normalization, forward=forward, **more)


OPS = [
    op("complex", f(3, 4), Y=f(3, 4, seed=9)),
    op("complex", f(3, 1), Y=f(4)),
    op("as_complex", f(3, 4, 2), declared="complex64"),
    *[op(name, c(3, 4)) for name in ("as_real", "real", "imag", "conj", "abs", "angle", "exp")],
    op("shape", c(3, 4), slot="Input", declared="int32"),
    op("pad", c(3, 4), paddings=[1, 0, 0, 2], pad_value=0.0),
    op("pad", c(3, 4), paddings=[1, 0, 0, 2], pad_value=1.0, rejected="pads complex numbers with zeros only"),
    op("elementwise_mul", c(3, 4), Y=c(4)),
    op("elementwise_add", c(3, 4), Y=c(3, 4)),
    op("elementwise_div", c(3, 4), Y=c(3, 4) + 2),
    op("matmul_v2", c(3, 4), Y=c(5, 4), trans_y=True),
    op("transpose2", c(2, 3, 4), unread="XShape", axis=[2, 0, 1]),
    op("reshape2", c(2, 3, 4), unread="XShape", shape=[0, -1]),
    *[fft("c2c", c(4, 6), [0, 1], how, forward) for how in ("backward", "ortho", "forward") for forward in (True, False)],
    *[fft("r2c", f(4, 6), [0, 1], how, forward, onesided=True) for how in ("backward", "ortho") for forward in (True, False)],
    fft("r2c", f(3, 5), [1], onesided=True),
    fft("r2c", f(3, 5), [1], onesided=False),
    fft("c2r", c(4, 4), [0, 1], forward=False),
    fft("c2r", c(4, 4), [1], "ortho", forward=False, last_dim_size=7),
    fft("c2r", c(4, 4), [1], forward=True),
    fft("c2r", c(4, 5), [1], forward=False, last_dim_size=5),
    op("frame", f(2, 20), frame_length=6, hop_length=4, axis=-1),
    op("frame", f(20, 3), frame_length=5, hop_length=2, axis=0),
    op("overlap_add", f(2, 6, 5), hop_length=4, axis=-1),
    op("overlap_add", f(5, 6, 3), hop_length=2, axis=0),
    op("overlap_add", f(6, 5), hop_length=6, axis=-1),
]  # fmt: skip
