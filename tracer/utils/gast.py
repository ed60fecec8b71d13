"""The syntax trees of Python's `ast`, for programs that take them from here."""

from ast import *  # noqa: F403 - all of it
