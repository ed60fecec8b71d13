"""Reparameterization of weights, gradient clipping and parameter vectors."""

from .clip_grad import *
from .parameter_vector_conversion import *
from .reparameterize import *
