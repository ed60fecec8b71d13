"""What a process that `spawn` started does: make the parent's modules its own, then call the
function.
"""

import multiprocessing.spawn
import pickle
import sys
from pathlib import Path

if __name__ == "__main__":
    preparation, call = pickle.loads(Path(sys.argv[1]).read_bytes())
    preparation.pop("dir", None)
    multiprocessing.spawn.prepare(preparation)
    function, given = pickle.loads(call)
    function(*given)
