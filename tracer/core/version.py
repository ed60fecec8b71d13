"""The version of Oarlock."""

VERSION = "0.1.0"
