"""Let real Paddle 1.8.5 run what Oarlock saved: the program of each case, with what it was fed and
gave.

    python tests/fluid/load_in_1_8_5.py keep FOLDER              # Oarlock
    PYTHON_OF_PADDLE_1_8_5 tests/fluid/load_in_1_8_5.py run FOLDER
    PYTHON_OF_PADDLE_1_8_5 tests/fluid/load_in_1_8_5.py ops tests/fluid/ops_1_8_5.json

The second, of Python 3.7, names the cases that fail there; test_in_1_8_5.py does both, and compares
with
otherwise_in_1_8_5.json, which says why.   The third keeps the slots of all ops of 1.8.5.
"""

import importlib
import json
import os
import signal
import sys
from contextlib import contextmanager

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
GIVEN = "given.npz"


def of_forward(program, fetches):
    """The variables that are fetched and are no gradients or steps."""
    names = [f if isinstance(f, str) else f.name for f in fetches if f is not None]
    writes = {n: op for op in program.global_block().raw.ops for n in op.output_names()}
    return [n for n in names if n in writes and not int(writes[n].attr("op_role", 0)) & 3]


def is_fed(program, feed):
    """Whether all data that a program does not compute are fed, and come from no reader."""
    block = program.global_block().raw
    made = {n for op in block.ops for n in op.output_names()} | {
        n for n, v in block.vars.items() if v.persistable
    }
    return {n for op in block.ops for n in op.input_names() if n in block.vars} <= made | set(feed)


@contextmanager
def runs_by(fluid, spying):
    """Replace `Executor.run` in the body."""
    run, fluid.Executor.run = fluid.Executor.run, spying
    try:
        yield
    finally:
        fluid.Executor.run = run


def cases_of(module):
    """The names of the cases of a module."""
    return sorted(n for n in dir(module) if n.startswith("case_"))


def keep(fluid, module, folder):
    """Save the first program of each case that is fetched from; returns the folders."""
    made = []
    run = fluid.Executor.run

    def spying(self, program=None, feed=None, fetch_list=None, **more):
        found = run(self, program, feed=feed, fetch_list=fetch_list, **more)
        path = os.path.join(folder, case)
        known = (
            isinstance(program, fluid.Program)
            and isinstance(fetch_list, list)
            and is_fed(program, feed or {})
        )
        names = of_forward(program, fetch_list) if known else []
        if names and not os.path.exists(path):
            tested = program.clone(for_test=True)
            targets = [tested.global_block().var(n) for n in names]
            fluid.io.save_inference_model(path, list(feed or {}), targets, self, tested)
            # may count on
            given = run(self, tested, feed=feed, fetch_list=names, return_numpy=False)
            arrays = {f"out.{i}": np.asarray(a) for i, a in enumerate(given)}
            for name, value in (feed or {}).items():
                arrays["in." + name] = np.asarray(value)
            arrays.update(lengths_of(feed or {}))
            np.savez(os.path.join(path, GIVEN), **arrays)
            made.append(path)
        return found

    with runs_by(fluid, spying):
        for case in cases_of(module):
            getattr(module, case)(fluid)
    return made


def lengths_of(feed):
    """The lengths of the sequences that are fed, as arrays."""
    return {
        f"lengths.{level}.{name}": np.array(lengths)
        for name, value in feed.items()
        for level, lengths in enumerate(getattr(value, "recursive_sequence_lengths", list)())
    }


def lengths_in(given, name):
    """Return the lengths of one input."""
    keys = sorted(k for k in given if k.startswith("lengths.") and k.split(".", 2)[2] == name)
    return [given[k].tolist() for k in keys]


def judged(fluid, path):
    """What is wrong with a folder, '' for nothing."""
    given = dict(np.load(os.path.join(path, GIVEN)))
    executor = fluid.Executor(fluid.CPUPlace())
    program, names, outs = fluid.io.load_inference_model(path, executor)
    feed = {}
    for name in names:
        levels, array = lengths_in(given, name), given["in." + name]
        feed[name] = fluid.create_lod_tensor(array, levels, fluid.CPUPlace()) if levels else array
    for i, found in enumerate(
        executor.run(program, feed=feed, fetch_list=outs, return_numpy=False)
    ):
        want = given[f"out.{i}"]
        if np.array(found).shape != want.shape:
            return f"shape {np.array(found).shape}, not {want.shape}"
        if not np.allclose(np.array(found), want, rtol=1e-4, atol=1e-5, equal_nan=True):
            return "values"
    return ""


def each_apart(folder, judge):
    """Report the failures of each case of each topic.

    judge: asked in a process of its own, as some end it
    """
    for topic, case in sorted(
        (t, c) for t in os.listdir(folder) for c in os.listdir(os.path.join(folder, t))
    ):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            # warnings, and the stack of what ends a process
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                wrong = judge(os.path.join(folder, topic, case))
            except Exception as error:
                wrong = reason(error)
            if wrong:
                print(topic, case, wrong, flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(topic, case, "ended with", status)


def reason(error):
    """Return the message of an error of 1.8.5, without its location."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line.split(" at (/paddle")[0] for line in lines if "Error:" in line or "Hint:" in line]
    return " ".join(dict.fromkeys(said + [lines[-1].split(" at (/paddle")[0]]))


def keep_all(folder):
    """The programs of all topics."""
    from oarlock import fluid

    for topic in sorted(
        f[:-3] for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".py") and f[0] != "_"
    ):
        keep(fluid, importlib.import_module("cases." + topic), os.path.join(folder, topic))


def write_ops(path):
    """The slots of each op that 1.8.5 has."""
    from paddle.fluid.framework import OpProtoHolder

    protos = OpProtoHolder.instance().op_proto_map
    slots = {
        n: [sorted(s.name for s in p.inputs), sorted(s.name for s in p.outputs)]
        for n, p in protos.items()
    }
    lines = [json.dumps(n) + ": " + json.dumps(slots[n]) for n in sorted(slots)]
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def run_all(folder):
    """Run each program in a process of its own, because some crash it."""
    from paddle import fluid

    each_apart(folder, lambda path: judged(fluid, path))


def main(what, where):
    """keep, run or ops."""
    sys.path.insert(0, HERE)
    {"keep": keep_all, "run": run_all, "ops": write_ops}[what](where)


if __name__ == "__main__":
    main(*sys.argv[1:])
