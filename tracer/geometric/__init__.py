"""Graph functions: segment reductions, and messages along edges."""

from .message import *
from .segment import *
