"""What is read off sequences of labels: CTC, distances, chunks; and pictures cut into sequences."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.op import OPS

__all__ = ["chunk_eval", "ctc_greedy_decoder", "edit_distance", "im2sequence", "warpctc"]


def _padded(x: Any, dtype: Any) -> tuple[Any, Any]:
    """Sequences side by side, and how long each is: [R,*] -> [n,T,*], int64 [n]."""
    zero = OPS["fill_constant"](shape=[1], value=0.0, dtype=dtype.proto)
    padded, lengths = OPS["sequence_pad"](x, None, zero)
    return padded, lengths


def _labels(x: Any) -> tuple[Any, Any]:
    """Sequences of labels [R,1] side by side: [n,T]."""
    padded, lengths = _padded(x, x.dtype)
    return OPS["squeeze2"](padded, axes=[2]), lengths


def warpctc(
    input: Any,
    label: Any,
    blank: int = 0,
    norm_by_times: bool = False,
    input_length: Any = None,
    label_length: Any = None,
) -> Any:
    """The loss of connectionist temporal classification.

    input [R,C], label int [L,1], sequences; with lengths padded: [T,n,C], [n,S] -> [n,1]
    """
    attrs = {"blank": blank, "norm_by_times": norm_by_times}
    if input_length is not None:
        return OPS["warpctc"](input, label, input_length, label_length, **attrs)[0]
    logits, times = _padded(input, input.dtype)
    labels, counts = _labels(label)
    return OPS["warpctc"](
        OPS["transpose2"](logits, axis=[1, 0, 2]), labels, times, counts, **attrs
    )[0]


def ctc_greedy_decoder(
    input: Any,
    blank: int,
    input_length: Any = None,
    padding_value: int = 0,
    name: str | None = None,
) -> Any:
    """The likeliest label of each step, without repetitions and blanks.

    input [R,C] -> int64 [S,1]; padded, with lengths: [n,T,C] -> [n,T], [n,1]
    """
    _, best = OPS["top_k"](input, k=1)
    if input_length is None:
        return OPS["ctc_align"](best, blank=blank, merge_repeated=True)[0]
    flat = OPS["squeeze2"](best, axes=[2])
    return OPS["ctc_align"](
        flat, None, input_length, blank=blank, merge_repeated=True, padding_value=padding_value
    )


def edit_distance(
    input: Any,
    label: Any,
    normalized: bool = True,
    ignored_tokens: Any = None,
    input_length: Any = None,
    label_length: Any = None,
) -> tuple[Any, Any]:
    """How many tokens to change to make `input` `label`, and how many sequences there are.

    int64 [R,1], or [n,T] with lengths -> [n,1], [1]
    """
    if ignored_tokens:
        input, label = (
            OPS["sequence_erase"](each, tokens=list(ignored_tokens)) for each in (input, label)
        )
    if input_length is None and isinstance(input, Variable) and input.lod_level:
        (input, input_length), (label, label_length) = _labels(input), _labels(label)
    count, found = OPS["edit_distance"](
        input, label, input_length, label_length, normalized=normalized
    )
    return found, count


def chunk_eval(
    input: Any,
    label: Any,
    chunk_scheme: str,
    num_chunk_types: int,
    excluded_chunk_types: Any = None,
    seq_length: Any = None,
) -> tuple[Any, ...]:
    """Precision, recall and F1 of chunks, and how many were found, are there, and agree.

    int64 [R,1], or [n,T] with lengths -> [1] each
    """
    attrs = {
        "num_chunk_types": num_chunk_types,
        "chunk_scheme": chunk_scheme,
        "excluded_chunk_types": list(excluded_chunk_types or []),
    }
    found: tuple[Any, ...] = OPS["chunk_eval"](input, None, label, None, seq_length, **attrs)
    return found


def _four(value: Any) -> list[int]:
    if isinstance(value, int):
        return [value] * 4
    return list(value) * 2 if len(value) == 2 else list(value)


def im2sequence(
    input: Any,
    filter_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    input_image_size: Any = None,
    out_stride: Any = 1,
    name: str | None = None,
) -> Any:
    """What a window sees at each of its places, a row each, a sequence per picture.

    input [N,C,H,W] -> [N L, C KH KW]
    """
    two = [[v, v] if isinstance(v, int) else list(v) for v in (filter_size, stride, out_stride)]
    attrs = {"kernels": two[0], "strides": two[1], "paddings": _four(padding), "out_stride": two[2]}
    return OPS["im2sequence"](input, input_image_size, **attrs)
