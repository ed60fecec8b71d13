"""Let programs that import `paddle` run on Oarlock, as they are.

oarlock.compat.install()            # from here on, in this process and in those that it starts
with oarlock.compat.as_paddle():    # in the body
oarlock run-script train.py         # `python train.py`, unchanged
"""

from .install import as_paddle, install, uninstall

__all__ = ["as_paddle", "install", "uninstall"]
