"""Layers with many parameters: eager, converted, and saved and loaded."""

from . import layers
