"""Reparameterization of weights, gradient clipping and parameter vectors."""

from .clip_grad import *
from .reparameterize import *
from .vector import *
