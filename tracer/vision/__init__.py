"""Models, datasets, transforms and ops for images."""

from . import datasets, image, models, ops, transforms
from .datasets import *
from .image import *
from .models import *
from .transforms import *
