"""What converted code calls at run time in place of Python's own statements and operators, one construct per file."""
