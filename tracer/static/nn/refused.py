"""What static.nn has in Paddle and not here, with the reason: each may be named, and says why when it is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from ...core.errors import OarlockError, with_user_line

LENGTHS = "works on sequences of different lengths packed in one tensor, which only loaded models have here; pad them, and mask"
SERVERS = "belongs to training with parameter servers"
SAMPLED = "draws its classes anew in each run; use cross_entropy, or hsigmoid_loss for many classes"


def _refused(name: str, signature: str, why: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise OarlockError(with_user_line(f"{name}: is not there: it {why}"))

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not there: it {why}."
    refuse.__signature__ = inspect.signature(eval(f"lambda {signature}: None"))  # type: ignore[attr-defined]
    return refuse


data_norm = _refused(
    "data_norm",
    "input, act=None, epsilon=1e-05, param_attr=None, data_layout='NCHW', in_place=False, name=None, moving_mean_name=None, "
    "moving_variance_name=None, do_model_average_for_mean_and_var=True, slot_dim=-1, sync_stats=False, "
    "summary_decay_rate=0.9999999, enable_scale_and_shift=False",
    SERVERS,
)
sparse_embedding = _refused(
    "sparse_embedding",
    "input, size, padding_idx=None, is_test=False, entry=None, table_class='MemorySparseTable', param_attr=None, dtype='float32', slot=None",
    SERVERS,
)
nce = _refused(
    "nce",
    "input, label, num_total_classes, sample_weight=None, param_attr=None, bias_attr=None, num_neg_samples=None, name=None, "
    "sampler='uniform', custom_dist=None, seed=0, is_sparse=False",
    SAMPLED,
)
sequence_concat = _refused("sequence_concat", "input, name=None", LENGTHS)
sequence_conv = _refused(
    "sequence_conv",
    "input, num_filters, filter_size=3, filter_stride=1, padding=True, padding_start=None, bias_attr=None, param_attr=None, act=None, name=None",
    LENGTHS,
)
sequence_enumerate = _refused("sequence_enumerate", "input, win_size, pad_value=0, name=None", LENGTHS)
sequence_expand = _refused("sequence_expand", "x, y, ref_level=-1, name=None", LENGTHS)
sequence_expand_as = _refused("sequence_expand_as", "x, y, name=None", LENGTHS)
sequence_first_step = _refused("sequence_first_step", "input", LENGTHS)
sequence_last_step = _refused("sequence_last_step", "input", LENGTHS)
sequence_pad = _refused("sequence_pad", "x, pad_value, maxlen=None, name=None", LENGTHS)
sequence_pool = _refused("sequence_pool", "input, pool_type, is_test=False, pad_value=0.0", LENGTHS)
sequence_reshape = _refused("sequence_reshape", "input, new_dim", LENGTHS)
sequence_reverse = _refused("sequence_reverse", "x, name=None", LENGTHS)
sequence_scatter = _refused("sequence_scatter", "input, index, updates, name=None", LENGTHS)
sequence_slice = _refused("sequence_slice", "input, offset, length, name=None", LENGTHS)
sequence_softmax = _refused("sequence_softmax", "input, use_cudnn=False, name=None", LENGTHS)
sequence_unpad = _refused("sequence_unpad", "x, length, name=None", LENGTHS)
