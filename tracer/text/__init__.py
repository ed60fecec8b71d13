"""Decoding of tag sequences."""

from .viterbi import *
