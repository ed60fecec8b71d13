"""`python -m oarlock.distributed.launch --nproc_per_node 2 train.py`: start the processes of a job,
monitor them, and report why they failed.

command.py parses the options, start.py starts the processes with MPI's launcher,
rank_supervisor.py is the parent process of each rank, monitor.py detects failures and deadlocks.
"""

from .command import main

__all__ = ["main"]
