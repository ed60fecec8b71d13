"""Layers as functions, for programs and dygraph mode: `fluid.layers`."""

from . import (
    beam_search_ops,
    control_flow,
    conv,
    ctc_and_chunks,
    ctr,
    data_and_variables,
    decode,
    decode_helpers,
    detection,
    distributions,
    elementwise,
    image_ops,
    indexing,
    learning_rate,
    logic,
    losses,
    lstm_gru_units_and_crf,
    manipulation,
    many_class_losses,
    matrix_products_and_dense,
    metrics,
    normalization,
    random_ops,
    readers,
    reduce,
    region_proposals,
    rnn_cells,
    roi_and_boxes,
    sequence,
    tensors,
    unary,
)
from .argument_checks import wrap_with_argument_checks as _check_arguments
from .beam_search_ops import *
from .control_flow import *
from .conv import *
from .ctc_and_chunks import *
from .ctr import *
from .data_and_variables import *
from .decode import *
from .decode_helpers import *
from .detection import *
from .distributions import *
from .elementwise import *
from .image_ops import *
from .indexing import *
from .learning_rate import *
from .logic import *
from .losses import *
from .lstm_gru_units_and_crf import *
from .manipulation import *
from .many_class_losses import *
from .matrix_products_and_dense import *
from .metrics import *
from .normalization import *
from .random_ops import *
from .readers import *
from .reduce import *
from .region_proposals import *
from .rnn_cells import *
from .roi_and_boxes import *
from .sequence import *
from .tensors import *
from .unary import *

_FAMILIES = (
    beam_search_ops,
    many_class_losses,
    control_flow,
    conv,
    ctc_and_chunks,
    ctr,
    data_and_variables,
    decode,
    decode_helpers,
    matrix_products_and_dense,
    detection,
    distributions,
    elementwise,
    image_ops,
    indexing,
    learning_rate,
    logic,
    losses,
    metrics,
    normalization,
    random_ops,
    readers,
    reduce,
    region_proposals,
    rnn_cells,
    lstm_gru_units_and_crf,
    roi_and_boxes,
    sequence,
    manipulation,
    tensors,
    unary,
)
__all__ = [name for family in _FAMILIES for name in family.__all__]
globals().update(
    {name: _check_arguments(globals()[name], name) for name in __all__ if callable(globals()[name])}
)
