"""Capture: record op calls as ops of a program, tensors as its variables, and control flow as its
blocks.

Terms used in this package: a "symbolic value" is a Variable, a symbolic tensor that has a value
only when the program runs. An "external" tensor is an eager tensor that the program reads: a
parameter, a buffer or a constant.
"""
