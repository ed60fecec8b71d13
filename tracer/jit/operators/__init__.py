"""The run-time functions that converted code calls in place of Python's statements and operators.
Each file holds the functions for one construct.
"""
