"""CTC, edit distance and chunk evaluation of label sequences, and conversion of images to
sequences.
"""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.op import OPS

__all__ = ["chunk_eval", "ctc_greedy_decoder", "edit_distance", "im2sequence", "warpctc"]


def _pad_to_batch_with_lengths(x: Any, dtype: Any) -> tuple[Any, Any]:
    """Pad sequences with zeros to the longest length T, [R, *] -> [n, T, *]; also return the
    lengths, int64 [n].
    """
    zero = OPS["fill_constant"](shape=[1], value=0.0, dtype=dtype.proto)
    padded, lengths = OPS["sequence_pad"](x, None, zero)
    return padded, lengths


def _pad_labels_with_lengths(x: Any) -> tuple[Any, Any]:
    """Pad sequences of labels with zeros to the longest length T, [R, 1] -> [n, T]; also return the
    lengths, int64 [n].
    """
    padded, lengths = _pad_to_batch_with_lengths(x, x.dtype)
    return OPS["squeeze2"](padded, axes=[2]), lengths


def warpctc(
    input: Any,
    label: Any,
    blank: int = 0,
    norm_by_times: bool = False,
    input_length: Any = None,
    label_length: Any = None,
) -> Any:
    """Loss of connectionist temporal classification, [n, 1].

    input: [R, C] with LoD, or [T, n, C] with input_length
    label: int [L, 1] with LoD, or [n, S] with label_length

    The newer name is `paddle.nn.functional.ctc_loss`.
    """
    attrs = {"blank": blank, "norm_by_times": norm_by_times}
    if input_length is not None:
        return OPS["warpctc"](input, label, input_length, label_length, **attrs)[0]
    logits, logit_lengths = _pad_to_batch_with_lengths(input, input.dtype)
    labels, label_lengths = _pad_labels_with_lengths(label)
    return OPS["warpctc"](
        OPS["transpose2"](logits, axis=[1, 0, 2]), labels, logit_lengths, label_lengths, **attrs
    )[0]


def ctc_greedy_decoder(
    input: Any,
    blank: int,
    input_length: Any = None,
    padding_value: int = 0,
    name: str | None = None,
) -> Any:
    """Return the most probable label of each step, without repetitions and blanks.

    input: [R, C] with LoD, for int64 [S, 1]; or [n, T, C] with input_length, for [n, T], [n, 1]
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
    """Return the edit distance of each sequence to its label, [n, 1], and the number of sequences,
    [1].

    input, label: int64 [R, 1] with LoD, or [n, T] with lengths
    """
    if ignored_tokens:
        input, label = (
            OPS["sequence_erase"](x, tokens=list(ignored_tokens)) for x in (input, label)
        )
    if input_length is None and isinstance(input, Variable) and input.lod_level:
        (input, input_length), (label, label_length) = (
            _pad_labels_with_lengths(input),
            _pad_labels_with_lengths(label),
        )
    count, distances = OPS["edit_distance"](
        input, label, input_length, label_length, normalized=normalized
    )
    return distances, count


def chunk_eval(
    input: Any,
    label: Any,
    chunk_scheme: str,
    num_chunk_types: int,
    excluded_chunk_types: Any = None,
    seq_length: Any = None,
) -> tuple[Any, ...]:
    """Return precision, recall and F1 of chunks, and the numbers of inferred, labeled and correct
    chunks, [1] each.

    input, label: int64 [R, 1] with LoD, or [n, T] with seq_length
    """
    attrs = {
        "num_chunk_types": num_chunk_types,
        "chunk_scheme": chunk_scheme,
        "excluded_chunk_types": list(excluded_chunk_types or []),
    }
    outputs: tuple[Any, ...] = OPS["chunk_eval"](input, None, label, None, seq_length, **attrs)
    return outputs


def _paddings_per_side(value: Any) -> list[int]:
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
    """Extract windows of images as rows, with LoD: one sequence per image.

    input: [N, C, H, W].
    Returns [N L, C KH KW].

    The newer name is `paddle.nn.functional.unfold`.
    """
    kernels, strides, out_stride = (
        [v, v] if isinstance(v, int) else list(v) for v in (filter_size, stride, out_stride)
    )
    attrs = {
        "kernels": kernels,
        "strides": strides,
        "paddings": _paddings_per_side(padding),
        "out_stride": out_stride,
    }
    return OPS["im2sequence"](input, input_image_size, **attrs)
