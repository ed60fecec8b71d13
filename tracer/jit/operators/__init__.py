"""The run-time functions that converted code calls in place of Python's statements and operators.
Each file holds the functions for one construct of Python. "Operator for X" in a docstring:
converted code calls this function in place of X.
"""
