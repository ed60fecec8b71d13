"""Let real Paddle 1.8.5 run the programs with gradients that Oarlock wrote: those of each case,
with what they were fed and gave.

    python tests/fluid/train_in_1_8_5.py keep FOLDER              # Oarlock
    PYTHON_OF_PADDLE_1_8_5 tests/fluid/train_in_1_8_5.py run FOLDER

The second, of Python 3.7, names the cases that fail there.
"""

import importlib
import os
import sys

import numpy as np
from load_in_1_8_5 import HERE, cases_of, each_apart, lengths_in, lengths_of, runs_by


def keep(fluid, module, folder):
    """Save the first program with gradients that each case runs, with the values of its scope
    before.
    """
    run = fluid.Executor.run
    done = set()

    def spying(self, program=None, feed=None, fetch_list=None, **more):
        if (
            not (isinstance(program, fluid.Program) and fetch_list and trains(program))
            or case in done
        ):
            return run(self, program, feed=feed, fetch_list=fetch_list, **more)
        done.add(case)
        before = held(fluid, program, more.get("scope") or fluid.global_scope())
        found = run(self, program, feed=feed, fetch_list=fetch_list, **more)
        arrays = {f"before.{n}": a for n, a in before.items()} | {
            f"in.{n}": np.asarray(a) for n, a in feed.items()
        }
        arrays |= lengths_of(feed)
        names = [f if isinstance(f, str) else f.name for f in fetch_list]
        arrays |= {
            f"out.{n}": np.asarray(found[i]) for i, n in enumerate(names) if found[i] is not None
        }
        os.makedirs(os.path.join(folder, case))
        np.savez(os.path.join(folder, case, "given.npz"), **arrays)
        with open(os.path.join(folder, case, "program"), "wb") as file:
            file.write(program.desc.serialize_to_string())
        return found

    with runs_by(fluid, spying):
        for case in cases_of(module):
            getattr(module, case)(fluid)


def trains(program):
    """Whether a program has gradient ops."""
    return any(
        op.attr("op_role") & 1 for op in program.global_block().ops if op.has_attr("op_role")
    )


def held(fluid, program, scope):
    """What a program keeps from run to run."""
    names = [
        v.name for v in program.list_vars() if v.persistable and scope.find_var(v.name) is not None
    ]
    return {n: np.array(scope.find_var(n).get_tensor()) for n in names}


def judged(fluid, path):
    """What is wrong with a folder, '' for nothing."""
    given = dict(np.load(os.path.join(path, "given.npz")))
    with open(os.path.join(path, "program"), "rb") as file:
        program = fluid.Program.parse_from_string(file.read())
    executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.global_scope()
    parts = {
        kind: {n[len(kind) + 1 :]: a for n, a in given.items() if n.startswith(kind + ".")}
        for kind in KINDS
    }
    for name, value in parts["before"].items():
        scope.var(name).get_tensor().set(value, fluid.CPUPlace())
    levels = {n: lengths_in(given, n) for n in parts["in"]}
    feed = {
        n: fluid.create_lod_tensor(a, levels[n], fluid.CPUPlace()) if levels[n] else a
        for n, a in parts["in"].items()
    }
    found = executor.run(program, feed=feed, fetch_list=list(parts["out"]), return_numpy=False)
    wrong = [n for i, n in enumerate(parts["out"]) if not same(np.array(found[i]), parts["out"][n])]
    return f"values of {wrong}" if wrong else ""


def same(found, wanted):
    """Whether two arrays are equal up to rounding."""
    return found.shape == wanted.shape and np.allclose(
        found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True
    )


KINDS = ("before", "in", "out")


def main(what, folder):
    """Save or run the programs, each in a process of its own because some crash it."""
    sys.path.insert(0, HERE)
    if what == "run":
        from paddle import fluid

        each_apart(folder, lambda path: judged(fluid, path))
        return
    from oarlock import fluid

    for topic in sorted(
        f[:-3] for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".py") and f[0] != "_"
    ):
        keep(fluid, importlib.import_module("cases." + topic), os.path.join(folder, topic))


if __name__ == "__main__":
    main(*sys.argv[1:])
