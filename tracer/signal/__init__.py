"""Short-time Fourier transforms under the names of `paddle.signal`; `oarlock.tensor` defines
them.
"""

from ..tensor.signal import frame, istft, overlap_add, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
