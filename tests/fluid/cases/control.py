"""Branches, loops, StaticRNN and DynamicRNN."""

import tempfile

import numpy as np

from .common import fill_parameters, fresh_programs, numbers, static
from .sequence import run


def case_if_else(fluid):
    def build(v):
        layers = fluid.layers
        ie = layers.IfElse(
            layers.less_than(
                v["x"], layers.fill_constant_batch_size_like(v["x"], [-1, 1], "float32", 0.0)
            )
        )
        with ie.true_block():
            ie.output(layers.scale(ie.input(v["x"]), -3.0))
        with ie.false_block():
            ie.output(layers.elementwise_mul(ie.input(v["x"]), ie.input(v["y"])))
        return ie()

    return static(fluid, build, {"x": numbers(6, 1), "y": numbers(6, 1, seed=8)})


def case_while(fluid):
    def build(v):
        layers = fluid.layers
        i, n = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 5)
        total = layers.fill_constant([2, 3], "float32", 0.0)
        array = layers.array_write(v["x"], i)
        cond = layers.less_than(i, n)
        loop = layers.While(cond)
        with loop.block():
            one = layers.array_read(array, i)
            layers.assign(layers.elementwise_add(total, one), total)
            i = layers.increment(i, in_place=True)
            layers.array_write(layers.scale(one, 0.5), i, array)
            layers.less_than(i, n, cond=cond)
        return [total, i, layers.array_length(array)]

    return static(fluid, build, {"x": numbers(2, 3)})


def case_switch(fluid):
    def build(v):
        layers = fluid.layers
        step, out = (
            layers.fill_constant([1], "float32", 2.0),
            layers.create_global_var([1], 0.0, "float32", persistable=True),
        )
        one, three = (
            layers.fill_constant([1], "float32", 1.0),
            layers.fill_constant([1], "float32", 3.0),
        )
        with layers.Switch() as switch:
            with switch.case(layers.less_than(step, one)):
                layers.assign(one, out)
            with switch.case(layers.less_than(step, three)):
                layers.assign(three, out)
            with switch.default():
                layers.assign(step, out)
        return out

    return static(fluid, build)


def case_static_rnn(fluid):
    def build(v):
        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            word = rnn.step_input(v["x"])
            prev = rnn.memory(shape=[-1, 4], batch_ref=word)
            hidden = fluid.layers.fc([word, prev], 4, act="relu")
            rnn.update_memory(prev, hidden)
            rnn.step_output(hidden)
        return rnn()

    return static(fluid, build, {"x": numbers(5, 2, 3)})


def case_dynamic_rnn(fluid):
    def build(v):
        rnn = fluid.layers.DynamicRNN()
        with rnn.block():
            word = rnn.step_input(v["x"])
            prev = rnn.memory(shape=[4], value=0.25)
            hidden = fluid.layers.fc([word, prev], 4, act="tanh")
            rnn.update_memory(prev, hidden)
            rnn.output(hidden)
        return [rnn(), fluid.layers.sequence_last_step(rnn())]

    return run(fluid, build, {"x": numbers(8, 3)}, gradients_of=("x",))


def case_dynamic_rnn_with_attention(fluid):
    def build(v):
        layers = fluid.layers
        rnn = layers.DynamicRNN()
        with rnn.block():
            word = rnn.step_input(v["x"])
            seen = rnn.static_input(v["e"])
            prev = rnn.memory(init=v["b"], need_reorder=True)
            weights = layers.sequence_softmax(
                layers.fc(
                    layers.elementwise_add(seen, layers.sequence_expand(prev, seen)),
                    1,
                    bias_attr=False,
                )
            )
            context = layers.sequence_pool(
                layers.elementwise_mul(seen, layers.reshape(weights, [-1]), axis=0), "sum"
            )
            hidden = layers.fc([word, context], 4, act="tanh")
            rnn.update_memory(prev, hidden)
            rnn.output(hidden)
        return rnn()

    feed = {"x": numbers(8, 3), "e": numbers(6, 4, seed=8), "b": numbers(3, 4, seed=9)}
    return run(fluid, build, feed, {"e": [[2, 3, 1]], "b": []}, ("x", "e", "b"))


def case_functions(fluid):
    def build(v):
        layers = fluid.layers
        one = layers.fill_constant([1], "int32", 1)
        chosen = layers.switch_case(
            one, {0: lambda: layers.scale(v["x"], 2.0), 1: lambda: layers.scale(v["x"], 3.0)}
        )
        less = layers.less_than(one, layers.fill_constant([1], "int32", 3))
        either = layers.cond(less, lambda: layers.scale(v["x"], 5.0), lambda: v["x"])
        last = layers.while_loop(
            lambda i, x: layers.less_than(i, layers.fill_constant([1], "int32", 4)),
            lambda i, x: [i + 1, x + x],
            [one, v["x"]],
        )
        return [chosen, either, *last]

    return static(fluid, build, {"x": numbers(2, 3)})


def case_mask_of_nothing(fluid):
    return static(fluid, lambda v: fluid.layers.is_empty(v["x"]), {"x": np.ones((2, 2), "float32")})


def case_dynamic_rnn_that_starts_in_the_order_of_lengths(fluid):
    def build(v):
        rnn = fluid.layers.DynamicRNN()
        with rnn.block():
            word = rnn.step_input(v["x"])
            prev = rnn.memory(init=v["b"])
            hidden = fluid.layers.elementwise_add(fluid.layers.scale(prev, 0.5), word, act="tanh")
            rnn.update_memory(prev, hidden)
            rnn.output(hidden)
        return rnn()

    feed = {"x": numbers(10, 3), "b": numbers(4, 3, seed=8)}
    return run(fluid, build, feed, {"x": [[2, 4, 2, 2]], "b": []}, ("x", "b"))


def case_in_the_order_of_lengths(fluid):
    from_control_flow = fluid.layers.control_flow

    def build(v):
        table = from_control_flow.lod_rank_table(v["x"])
        return [fluid.layers.reorder_lod_tensor_by_rank(v[name], table) for name in "yz"]

    feed = {"x": numbers(10, 3), "y": numbers(4, 3, seed=8), "z": numbers(12, 2, seed=9)}
    return run(fluid, build, feed, {"x": [[2, 4, 2, 2]], "y": [], "z": [[1, 5, 2, 4]]}, ("y",))


def case_two_levels_in_the_order_of_lengths(fluid):
    def build(v):
        table = fluid.layers.control_flow.lod_rank_table(v["x"])
        return fluid.layers.reorder_lod_tensor_by_rank(v["x"], table)

    return run(fluid, build, {"x": numbers(8, 2)}, {"x": [[1, 2], [3, 1, 4]]}, ("x",))


STEPS = {"x": numbers(8, 3), "e": numbers(6, 4, seed=8), "b": numbers(3, 4, seed=9)}
STEP_LENGTHS = {"x": [[2, 4, 2]], "e": [[2, 3, 1]]}


def save_steps(fluid, folder):
    """Save a DynamicRNN whose steps see sequences, with memories that begin with a variable and
    with a number.
    """
    with fresh_programs(fluid) as (main, startup):
        layers, shapes = fluid.layers, [("x", 3, 1), ("e", 4, 1), ("b", 4, 0)]
        x, e, b = (
            fluid.data(name, [None, width], "float32", level) for name, width, level in shapes
        )
        rnn = layers.DynamicRNN()
        with rnn.block():
            word, seen = rnn.step_input(x), rnn.static_input(e)
            one, two = rnn.memory(init=b, need_reorder=True), rnn.memory(shape=[4], value=0.1)
            hidden = layers.fc([word, one, two, layers.sequence_pool(seen, "sum")], 4, act="tanh")
            rnn.update_memory(one, hidden)
            rnn.update_memory(two, layers.scale(hidden, 0.5))
            rnn.output(hidden)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        fluid.io.save_inference_model(
            folder, ["x", "e", "b"], [rnn()], executor, main, params_filename="params"
        )


def run_steps(fluid, folder):
    """Return the results of such a program."""
    place = fluid.CPUPlace()
    with fluid.scope_guard(fluid.Scope()):
        executor = fluid.Executor(place)
        program, _, found = fluid.io.load_inference_model(
            folder, executor, params_filename="params"
        )
        feed = {k: fluid.create_lod_tensor(STEPS[k], STEP_LENGTHS[k], place) for k in "xe"}
        (made,) = executor.run(
            program, feed=dict(feed, b=STEPS["b"]), fetch_list=found, return_numpy=False
        )
    return {"0": np.array(made), "0.lengths0": np.array(made.recursive_sequence_lengths()[0])}


def case_saved_steps(fluid):
    with tempfile.TemporaryDirectory() as folder:
        save_steps(fluid, folder)
        return run_steps(fluid, folder)
