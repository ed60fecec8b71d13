"""The Viterbi algorithm (Viterbi 1967)."""

from __future__ import annotations

from ..core.op import OPS
from ..core.tensor import Tensor
from ..nn.layer import Layer

__all__ = ["ViterbiDecoder", "viterbi_decode"]


def viterbi_decode(
    potentials: Tensor,
    transition_params: Tensor,
    lengths: Tensor,
    include_bos_eos_tag: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the scores and the tags of the best tag sequences.

    potentials [B, T, N], transition_params [N, N], lengths int64 [B] -> [B], int64 [B, max length]

    include_bos_eos_tag: the last tag starts every sequence, the second last tag ends it
    """
    outs = OPS["viterbi_decode"](
        potentials, transition_params, lengths, include_bos_eos_tag=include_bos_eos_tag
    )
    return outs[0], outs[1]


class ViterbiDecoder(Layer):
    """Layer that holds transition scores and decodes tag sequences with `viterbi_decode`.

    potentials [B, T, N], lengths int64 [B] -> [B], int64 [B, max length]
    """

    def __init__(
        self, transitions: Tensor, include_bos_eos_tag: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the output of the layer; the docstring of the class describes the shapes."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)
