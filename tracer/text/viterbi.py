"""The best way through a lattice of tags (Viterbi 1967)."""

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
    """The scores and tags of the best ways.

    potentials [B, T, N], transition_params [N, N], lengths int64 [B] -> [B], int64 [B, longest]

    include_bos_eos_tag: the last tag starts every sequence, the last but one ends it.
    """
    found = OPS["viterbi_decode"](
        potentials, transition_params, lengths, include_bos_eos_tag=include_bos_eos_tag
    )
    return found[0], found[1]


class ViterbiDecoder(Layer):
    """viterbi_decode with its transitions.

    potentials [B, T, N], lengths int64 [B] -> [B], int64 [B, longest]
    """

    def __init__(
        self, transitions: Tensor, include_bos_eos_tag: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the output; the class describes shapes."""
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)
