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
    """Return the scores and the tags of the best tag sequences (Viterbi 1967).

    The score of a sequence is the sum of potentials[b, t, tag_t] over t and of
    transition_params[tag_t, tag_t+1] over its transitions.

    Parameters
    ----------
    potentials : Tensor [B, T, N], float32 | float64
        The scores of the N tags at each position.
    transition_params : Tensor [N, N], dtype of potentials
        The scores of the transitions from a tag (row) to a tag (column).
    lengths : Tensor [B], int32 | int64
        The lengths of the sequences.
    include_bos_eos_tag : bool, default True
        Whether the last two tags mark the start and the end of sequences: the scores
        transition[N - 1, first tag] and transition[N - 2, last tag] are added.
    name : str, optional
        Not used.

    Returns
    -------
    scores : Tensor [B], dtype of potentials
    paths : Tensor [B, max(lengths)], int64
        0 after the end of a sequence.

    Examples
    --------
    >>> potentials = paddle.to_tensor([[[1.0, 0.0], [0.0, 0.5], [2.0, 0.0]]])
    >>> transitions = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])  # staying costs nothing
    >>> scores, paths = paddle.text.viterbi_decode(
    ...     potentials, transitions, paddle.to_tensor([3]), include_bos_eos_tag=False
    ... )
    >>> scores.tolist(), paths.tolist()
    ([5.0], [[0, 0, 0]])
    """
    outs = OPS["viterbi_decode"](
        potentials, transition_params, lengths, include_bos_eos_tag=include_bos_eos_tag
    )
    return outs[0], outs[1]


class ViterbiDecoder(Layer):
    """Layer that finds the best tag sequences with the Viterbi algorithm (Viterbi 1967).

    Parameters
    ----------
    transitions : Tensor [N, N], float32 | float64
        The scores of the transitions from a tag (row) to a tag (column).
    include_bos_eos_tag : bool, default True
        Whether the last two tags mark the start and the end of sequences: the scores
        transition[N - 1, first tag] and transition[N - 2, last tag] are added.
    name : str, optional
        Not used.

    Shape
    -----
    potentials : [B, T, N], dtype of `transitions`
    lengths : [B], int32 | int64
    returns : (scores, paths)
        scores : [B], dtype of `transitions`
        paths : [B, max(lengths)], int64

    See Also
    --------
    viterbi_decode : the function, with the formula.

    Examples
    --------
    >>> decoder = paddle.text.ViterbiDecoder(paddle.eye(2), include_bos_eos_tag=False)
    >>> potentials = paddle.to_tensor([[[1.0, 0.0], [0.0, 0.5], [2.0, 0.0]]])
    >>> scores, paths = decoder(potentials, paddle.to_tensor([3]))
    >>> paths.tolist()
    [[0, 0, 0]]
    """

    def __init__(
        self, transitions: Tensor, include_bos_eos_tag: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the scores and the tags of the best sequences.

        Parameters
        ----------
        potentials : Tensor [B, T, N], dtype of the transitions
        lengths : Tensor [B], int32 | int64

        Returns
        -------
        scores : Tensor [B], dtype of potentials
        paths : Tensor [B, max(lengths)], int64

        Examples
        --------
        >>> decoder = paddle.text.ViterbiDecoder(paddle.eye(2), include_bos_eos_tag=False)
        >>> decoder(paddle.ones([1, 3, 2]), paddle.to_tensor([2]))[0].tolist()
        [3.0]
        """
        return viterbi_decode(potentials, self.transitions, lengths, self.include_bos_eos_tag)
