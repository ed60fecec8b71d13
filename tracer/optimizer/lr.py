"""Learning rate schedulers. `step()` moves to the next epoch; `scheduler()` returns the current
rate.
"""

from . import lr_base, lr_cycles, lr_formula_schedulers, lr_plateau
from .lr_base import *
from .lr_cycles import *
from .lr_formula_schedulers import *
from .lr_plateau import *

__all__ = lr_base.__all__ + lr_cycles.__all__ + lr_formula_schedulers.__all__ + lr_plateau.__all__
