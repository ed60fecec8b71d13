"""The base layer: tensors, ops, modes, autograd, dtypes, devices, errors, random numbers."""
