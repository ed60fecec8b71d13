"""Run the programs of a family and write their results as JSON: `python -m paddle_programs.run
FAMILY out.json [NAME ...]`.

Each runs in a process of its own.
"""

import json
import os
import signal
import sys

from .table import load, run_program, ways_of


def in_a_child(family, name, way):
    """Return the results of a program in a forked process, which survives a crash or a hang."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(15)
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        with os.fdopen(write, "w") as file:
            json.dump(run_program(family, name, way), file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": ["crash"], "text": "the process ended"}


def run_all(family, names):
    """Return the results of the programs for each way of running them."""
    return {
        name: {way: in_a_child(family, name, way) for way in ways_of(family, name)}
        for name in names
    }


def recorded(value):
    """A result without the texts of errors, floats to six digits."""
    if isinstance(value, dict):
        return {
            key: "" if key in ("text", "rejected") else recorded(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [recorded(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    _family, _path, *_names = sys.argv[1:]
    _programs = load(_family)
    _found = recorded(run_all(_family, _names or list(_programs)))
    with open(_path, "w") as file:
        lines = [
            f"{json.dumps(n)}:{json.dumps(v, separators=(',', ':'))}" for n, v in _found.items()
        ]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
