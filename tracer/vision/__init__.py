"""Networks, data and transforms for pictures."""

from . import models, ops, transforms
