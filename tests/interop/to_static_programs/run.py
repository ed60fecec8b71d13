"""Run every program in a process of its own and write what it gave, as JSON: `python -m to_static_programs.run out.json`."""

import json
import os
import sys

from . import PROGRAMS, run_program, ways_of


def in_a_child(name, way):
    """What a program gives in a forked process, which a crash cannot take along."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        with os.fdopen(write, "w") as file:
            json.dump(run_program(name, way), file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": ["crash"], "text": "the process ended"}


def run_all(names):
    """What the programs give in each way."""
    return {name: {way: in_a_child(name, way) for way in ways_of(name)} for name in names}


def recorded(value):
    """A result without the texts of errors, floats to seven digits."""
    if isinstance(value, dict):
        return {key: "" if key == "text" else recorded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [recorded(inner) for inner in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


if __name__ == "__main__":
    names = sys.argv[2:] or list(PROGRAMS)
    with open(sys.argv[1], "w") as file:
        lines = [f"{json.dumps(n)}:{json.dumps(v, separators=(',', ':'))}" for n, v in recorded(run_all(names)).items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
