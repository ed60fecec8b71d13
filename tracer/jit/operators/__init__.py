"""The run-time functions that converted code calls instead of Python's statements and operators,
one construct per file.
"""
