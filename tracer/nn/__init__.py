"""Layers, initializers, gradient clipping and the functions of neural networks."""

from ..core.lazy_import import make_lazy_getattr as _make_lazy_getattr
from . import functional, initializer, utils
from .activation import *
from .clip import *
from .common import *
from .container import *
from .conv import *
from .decode import *
from .internals import _convert_attention_mask, _convert_param_attr_to_list, in_declarative_mode
from .layer import *
from .loss import *
from .norm import *
from .param_attr import *
from .pooling import *
from .rnn import *
from .transformer import *
from .vision import *

# few programs quantize
__getattr__ = _make_lazy_getattr(globals(), {"quant": ".quant"})
