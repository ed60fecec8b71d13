"""The same code for Oarlock and for real Paddle: Fourier transforms and signals; see
same_code.py.
"""

import numpy as np
from same_linalg import C3, B, C, R, case, complex_data, data

NORMS = ("backward", "ortho", "forward")
fft = {
    **{
        f"{name}_{norm}": case(
            lambda P, x, f=name, m=norm: [
                getattr(P.fft, f)(x, norm=m),
                getattr(P.fft, f)(x, 5, norm=m),
                getattr(P.fft, f)(x, 2, axis=0, norm=m),
            ],
            C,
        )
        for name in ("fft", "ifft", "irfft", "hfft")
        for norm in NORMS
    },
    **{
        f"{name}_{norm}": case(
            lambda P, x, f=name, m=norm: [
                getattr(P.fft, f)(x, norm=m),
                getattr(P.fft, f)(x, 3, axis=0, norm=m),
                getattr(P.fft, f)(x, 7, norm=m),
            ],
            R,
        )
        for name in ("rfft", "ihfft", "fft")
        for norm in NORMS
    },
    **{
        f"{name}": case(
            lambda P, x, f=name: [
                getattr(P.fft, f)(x),
                getattr(P.fft, f)(x, s=[4, 2]),
                getattr(P.fft, f)(x, axes=[1, 0], norm="ortho"),
            ],
            C3,
        )
        for name in ("fft2", "ifft2", "irfft2", "hfft2", "fftn", "ifftn", "irfftn", "hfftn")
    },
    **{
        f"{name}": case(
            lambda P, x, f=name: [
                getattr(P.fft, f)(x),
                getattr(P.fft, f)(x, s=[4, 2]),
                getattr(P.fft, f)(x, axes=[1, 0], norm="forward"),
            ],
            B,
        )
        for name in ("rfft2", "ihfft2", "rfftn", "ihfftn")
    },
    "of_integers": lambda P: {
        "fft": P.fft.fft(P.arange(5)).numpy(),
        "rfft": P.fft.rfft(P.arange(6)).numpy(),
    },
    "of_real": case(lambda P, x: [P.fft.fft2(x), P.fft.ifftn(x), P.fft.hfft(x)], R),
    "double": case(
        lambda P, x: [P.fft.fft(x), P.fft.rfft(x), P.fft.irfft(x)],
        data(3, 6).astype("float64"),
        grads=False,
    ),
    "frequencies": lambda P: {
        str(i): t.numpy()
        for i, t in enumerate(
            [P.fft.fftfreq(5, 0.3), P.fft.fftfreq(6), P.fft.rfftfreq(5, 0.3), P.fft.rfftfreq(6)]
        )
    },
    "shift": case(
        lambda P, x: [
            P.fft.fftshift(x),
            P.fft.ifftshift(x),
            P.fft.fftshift(x, 1),
            P.fft.ifftshift(x, [0, 1]),
        ],
        R,
    ),
}
LONG, WINDOW = data(2, 40), np.abs(data(8)) + 0.1
signal = {
    "stft": case(
        lambda P, x: [P.signal.stft(x, 8), P.signal.stft(x[0], 8, 2), x.stft(8, 4, 6)], LONG
    ),
    "frames": case(
        lambda P, x: [
            P.signal.frame(x, 4, 3),
            P.signal.frame(x[0], 5, 2, axis=0),
            P.signal.overlap_add(x, 2),
            P.signal.overlap_add(P.signal.frame(x, 6, 2), 2),
            P.signal.overlap_add(x, 3, axis=0),
        ],
        LONG,
    ),
    "stft_window": case(
        lambda P, x, w: [
            P.signal.stft(x, 8, window=w),
            P.signal.stft(x, 12, 3, 8, w, center=False, normalized=True),
        ],
        LONG,
        WINDOW,
    ),
    "stft_two_sided": case(
        lambda P, x: [
            P.signal.stft(x, 8, onesided=False),
            P.signal.stft(x, 7, pad_mode="constant"),
        ],
        LONG,
    ),
    "istft": case(
        lambda P, x: [
            P.signal.istft(x, 8),
            P.signal.istft(x, 8, length=10),
            x.istft(8, normalized=True),
        ],
        complex_data(2, 5, 9),
    ),
    # real Paddle rejects the gradient, as it squeezes in place
    "istft_one": case(lambda P, x: P.signal.istft(x, 8, 2), complex_data(5, 9), grads=False),
    "istft_window": case(
        lambda P, x, w: [
            P.signal.istft(x, 8, window=w),
            P.signal.istft(x, 8, 2, window=w, center=False),
        ],
        complex_data(2, 5, 9),
        WINDOW,
    ),
    "istft_two_sided": case(
        lambda P, x: [
            P.signal.istft(x, 8, onesided=False),
            P.signal.istft(x, 8, onesided=False, return_complex=True),
        ],
        complex_data(2, 8, 9),
    ),
    "round": case(lambda P, x: P.signal.istft(P.signal.stft(x, 8), 8), LONG, grads=False),
}

CASES = {
    f"{group}.{name}": run
    for group, cases in {"fft": fft, "signal": signal}.items()
    for name, run in cases.items()
}
