"""Files of programs written by hand, by the same code for Oarlock and for real Paddle: each writes,
and each reads what either wrote.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import functools

import numpy as np

DRAW = np.random.default_rng(0)
X = DRAW.standard_normal((6, 1, 8, 8)).astype("float32")
LABELS = DRAW.integers(0, 5, (6, 1))
FEED = {"x": X, "labels": LABELS}


def build(P):
    """Build and train a small network; returns main and startup program, input, output and loss."""
    S = P.static
    main, start = S.Program(), S.Program()
    with P.utils.unique_name.guard(), S.program_guard(main, start):
        x, labels = S.data("x", [None, 1, 8, 8]), S.data("labels", [None, 1], "int64")
        h = S.nn.batch_norm(S.nn.conv2d(x, 4, 3, padding=1, act="relu"))
        h = S.nn.fc(P.nn.functional.dropout(h, 0.5), 5)
        y = P.nn.functional.softmax(h)
        loss = P.mean(P.nn.functional.cross_entropy(h, labels))
        P.optimizer.Adam(0.01).minimize(loss)
    return main, start, x, y, loss


def lasts(variable):
    """Whether the value of a variable outlives a run."""
    return variable.persistable


def within(run):
    """A function of the package, run in static mode with an empty scope."""

    @functools.wraps(run)
    def inside(P, folder):
        P.enable_static()
        try:
            with P.static.scope_guard(P.static.Scope()):
                return run(P, folder)
        finally:
            P.disable_static()

    return inside


@within
def save(P, folder):
    """Train three steps and write all kinds of files; `folder`/wanted.npz gets the results."""
    S = P.static
    main, start, x, y, loss = build(P)
    exe = S.Executor(P.CPUPlace())
    exe.run(start)
    for _ in range(3):
        exe.run(main, feed=FEED, fetch_list=[loss])
    wanted = exe.run(main.clone(for_test=True), feed=FEED, fetch_list=[y])[0]
    np.savez(f"{folder}/wanted.npz", wanted)
    S.save_inference_model(f"{folder}/model", [x], [y], exe, program=main)
    S.save(main, f"{folder}/state")
    S.io.save_vars(exe, f"{folder}/each", main, predicate=lasts)
    S.io.save_vars(
        exe, f"{folder}/all", main, filename="together", predicate=lambda v: v.is_parameter
    )
    S.save_to_file(f"{folder}/bytes.pdmodel", S.serialize_program([x], [y], program=main))
    S.save_to_file(
        f"{folder}/bytes.pdiparams", S.serialize_persistables([x], [y], exe, program=main)
    )


@within
def by_model(P, folder):
    """load_inference_model"""
    exe = P.static.Executor(P.CPUPlace())
    program, names, outs = P.static.load_inference_model(f"{folder}/model", exe)
    return exe.run(program, feed={names[0]: X}, fetch_list=outs)[0]


@within
def by_bytes(P, folder):
    """deserialize_program, deserialize_persistables"""
    S = P.static
    exe = S.Executor(P.CPUPlace())
    program = S.deserialize_program(S.load_from_file(f"{folder}/bytes.pdmodel"))
    S.deserialize_persistables(program, S.load_from_file(f"{folder}/bytes.pdiparams"), exe)
    out = next(op.input("X")[0] for op in program.global_block().ops if op.type == "fetch")
    return exe.run(program, feed={"x": X}, fetch_list=[out])[0]


@within
def by_state(P, folder):
    """static.load"""
    main, start, _, y, _ = build(P)
    exe = P.static.Executor(P.CPUPlace())
    exe.run(start)
    P.static.load(main, f"{folder}/state", exe)
    return exe.run(main.clone(for_test=True), feed=FEED, fetch_list=[y])[0]


@within
def by_program_state(P, folder):
    """load_program_state and set_program_state, including optimizer state."""
    main, start, _, y, _ = build(P)
    exe = P.static.Executor(P.CPUPlace())
    exe.run(start)
    state = P.static.load_program_state(f"{folder}/state")
    P.static.set_program_state(main, state)
    kept = {name: np.array(value) for name, value in main.state_dict().items()}
    assert sorted(kept) == sorted(state)
    assert all((kept[name] == state[name]).all() for name in state)
    return exe.run(main.clone(for_test=True), feed=FEED, fetch_list=[y])[0]


@within
def by_vars(P, folder):
    """load_vars from one file per variable, then the parameters from one file."""
    main, start, _, y, _ = build(P)
    exe = P.static.Executor(P.CPUPlace())
    exe.run(start)
    P.static.io.load_vars(exe, f"{folder}/each", main, predicate=lasts)
    P.static.io.load_vars(
        exe, f"{folder}/all", main, filename="together", predicate=lambda v: v.is_parameter
    )
    return exe.run(main.clone(for_test=True), feed=FEED, fetch_list=[y])[0]


@within
def by_old_folder(P, folder):
    """static.load of a folder with a file for each variable"""
    main, start, _, y, _ = build(P)
    exe = P.static.Executor(P.CPUPlace())
    exe.run(start)
    P.static.load(main, f"{folder}/each", exe)
    return exe.run(main.clone(for_test=True), feed=FEED, fetch_list=[y])[0]


LOADERS = {
    f.__name__: f for f in (by_model, by_bytes, by_state, by_program_state, by_vars, by_old_folder)
}


def load(P, folder, outputs):
    """Write the results of every loader to `outputs`."""
    np.savez(outputs, **{name: loader(P, folder) for name, loader in LOADERS.items()})
