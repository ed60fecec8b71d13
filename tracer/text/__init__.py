"""Sequences of tags."""

from .viterbi import *
