"""Short-time Fourier transforms, as `paddle.signal` has them; the functions live in
`oarlock.tensor`.
"""

from ..tensor.signal import frame, istft, overlap_add, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
