"""Networks, data and transforms for pictures."""

from . import datasets, image, models, transforms
from .image import *
