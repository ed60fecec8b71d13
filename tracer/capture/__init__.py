"""Capture: op calls become ops of a program, tensors become its variables, control flow becomes its
blocks.
"""
