"""Programs for `to_static`, `jit.save` and `jit.load` that run on Oarlock and on real Paddle; `table.py` says how they are run and described."""

from . import api, branches, containers, functions, layers, loops, returns, saving, steps, tensors, training
from .compare import differences, problems
from .table import PROGRAMS, WAYS, run_program, ways_of
