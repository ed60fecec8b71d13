"""The main program of a process that `spawn` starts: import the main module of the parent process,
then call the function.
"""

import multiprocessing.spawn
import pickle
import sys
from pathlib import Path

if __name__ == "__main__":
    preparation, call = pickle.loads(Path(sys.argv[1]).read_bytes())
    preparation.pop("dir", None)
    multiprocessing.spawn.prepare(preparation)
    function, args = pickle.loads(call)
    function(*args)
