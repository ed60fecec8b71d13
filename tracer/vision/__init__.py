"""Networks, data and transforms for pictures."""

from . import datasets, image, models, ops, transforms
from .image import *
