"""Short-time Fourier transforms, as `paddle.signal` has them; the functions live in `oarlock.tensor`."""

from ..tensor.signal import istft, stft

__all__ = ["istft", "stft"]
