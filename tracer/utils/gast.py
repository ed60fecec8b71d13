"""`ast` of Python under the name of the package that Paddle uses."""

from ast import *  # noqa: F403 - re-export of the module
