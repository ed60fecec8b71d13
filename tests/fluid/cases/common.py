"""Helpers that build and run the programs of the cases in both packages."""

import contextlib

import numpy as np


@contextlib.contextmanager
def fresh_programs(fluid):
    """Use new programs, a scope and unique names; yields the programs."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        yield main, startup


def numbers(*shape, **more):
    """The same floats at every call: small, of both signs, none zero.   seed, dtype, low, high"""
    state = np.random.RandomState(more.get("seed", 7))
    return state.uniform(more.get("low", -1.0), more.get("high", 1.0), shape).astype(
        more.get("dtype", "float32")
    )


def integers(*shape, **more):
    """The same whole numbers at every call.   below, seed, dtype"""
    state = np.random.RandomState(more.get("seed", 7))
    return state.randint(0, more.get("below", 10), shape).astype(more.get("dtype", "int64"))


def fill_parameters(fluid, program, scope=None):
    """Set every parameter of a program to numbers that are equal in both packages, in order of
    creation.
    """
    scope = scope or fluid.global_scope()
    for i, parameter in enumerate(program.all_parameters()):
        value = numbers(*parameter.shape, seed=100 + i, low=-0.5, high=0.5)
        scope.find_var(parameter.name).get_tensor().set(value, fluid.CPUPlace())


def static(fluid, build, feed=None, steps=1, gradients_of=()):
    """What `build(variables by name)` gives when run: the program is made of data layers like
    `feed`, parameters are filled.

    steps: how often it is run; the last run counts.
    gradients_of: names of inputs whose gradients by the sum of the first result come last.
    """
    feed = feed or {}
    with fresh_programs(fluid) as (main, startup):
        inputs = {}
        for name, array in feed.items():
            inputs[name] = fluid.data(name, list(array.shape), str(array.dtype))
            inputs[name].stop_gradient = name not in gradients_of
        fetches = build(inputs)
        fetches = list(fetches) if isinstance(fetches, (list, tuple)) else [fetches]
        if gradients_of:
            fetches += fluid.gradients(
                fluid.layers.reduce_sum(fetches[0]), [inputs[n] for n in gradients_of]
            )
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        for _ in range(steps):
            found = executor.run(main, feed=feed, fetch_list=fetches)
    return [np.asarray(a) for a in found]


def eager(fluid, build, *arrays):
    """Return the results of `build(variables)` in dygraph mode, and the gradients of the first
    result's sum.
    """
    with fluid.dygraph.guard(fluid.CPUPlace()):
        inputs = [fluid.dygraph.to_variable(a) for a in arrays]
        for x in inputs:
            x.stop_gradient = False
        found = build(*inputs)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        fluid.layers.reduce_sum(found[0]).backward()
        return [f.numpy() for f in found] + [
            x.gradient() for x in inputs if x.gradient() is not None
        ]


def family(here, rows, feed, gradients_of=("x",)):
    """Add a case to a module for each row: its name, and `build(layers, inputs)`, whose first
    result's gradients come last.

    They are in BUILDS of the module as well, for who wants to run them elsewhere.
    A row may have a third and fourth entry: its own feed, and the inputs that get gradients.
    """
    for row in rows:
        name, build = row[:2]
        here.setdefault("BUILDS", {})["case_" + name] = (build, row[2] if len(row) > 2 else feed)
        given = row[2] if len(row) > 2 else feed
        wanted = row[3] if len(row) > 3 else gradients_of

        def case(fluid, build=build, given=given, wanted=wanted):
            return static(fluid, lambda v: build(fluid.layers, v), given, gradients_of=wanted)

        here["case_" + name] = case
