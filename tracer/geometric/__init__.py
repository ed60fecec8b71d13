"""Graphs: rows joined by segments, and messages along edges."""

from .message import *
from .segment import *
