"""Programs of Paddle 1.8, in words that Python 3.7 reads."""

from . import dygraph, programs
