"""Image transforms."""

from . import functional
from .base import *
from .color import *
from .functional import *
from .random_transforms import *
