"""What everything stands on: tensors, ops, modes, the gradient tape, dtypes, places, errors, random
numbers.
"""
