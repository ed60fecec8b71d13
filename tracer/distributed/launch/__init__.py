"""`python -m oarlock.distributed.launch --nproc_per_node 2 train.py`: start the processes of a
world, watch them, and say why they ended.

main: the command. start.py starts them through MPI's own launcher, worker.py stands over each,
watch.py looks at all.
"""

from .command import main

__all__ = ["main"]
