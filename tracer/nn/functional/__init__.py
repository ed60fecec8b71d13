"""Functions of neural networks under Paddle's names.

Tensors are [N, C, *] unless `data_format` specifies another layout.
"""

from ...core.lazy_import import make_lazy_getattr as _make_lazy_getattr
from ...tensor.views_diagonals_and_index_updates import diag_embed
from .activation import *
from .common import *
from .conv import *
from .loss import *
from .margin_and_likelihood_losses import *
from .norm import *
from .pooling import *
from .sequence import *
from .vision import *

__getattr__ = _make_lazy_getattr(globals(), {})  # for its error messages
