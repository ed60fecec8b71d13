"""Weights seen differently, and gradients bounded."""

from .clip_grad import *
from .reparameterize import *
from .vector import *
