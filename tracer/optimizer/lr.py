"""Learning rates that change.   Each `step()` moves to the next; `scheduler()` is the rate now."""

from .lr_base import *
from .lr_cycles import *
from .lr_decay import *
