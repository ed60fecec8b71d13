"""Recurrent cells over sequences, and decoders."""

import numpy as np

from .common import numbers, static

X = {"x": numbers(2, 4, 3)}
LENGTHS = dict(X, n=np.array([2, 4]))


def case_gru_cell(fluid):
    def build(v):
        return list(fluid.layers.rnn(fluid.layers.GRUCell(5), v["x"]))

    return static(fluid, build, X, gradients_of=("x",))


def case_lstm_cell_with_lengths(fluid):
    def build(v):
        outputs, (hidden, cell) = fluid.layers.rnn(
            fluid.layers.LSTMCell(5, forget_bias=0.5), v["x"], sequence_length=v["n"]
        )
        return [outputs, hidden, cell]

    return static(fluid, build, LENGTHS, gradients_of=("x",))


def case_backwards_with_lengths(fluid):
    def build(v):
        cell = fluid.layers.GRUCell(
            5, activation=fluid.layers.relu, gate_activation=fluid.layers.tanh
        )
        return list(fluid.layers.rnn(cell, v["x"], sequence_length=v["n"], is_reverse=True))

    return static(fluid, build, LENGTHS, gradients_of=("x",))


def case_time_first_with_a_start(fluid):
    feed = {"x": numbers(4, 2, 3), "h": numbers(2, 5, seed=8)}

    def build(v):
        return list(fluid.layers.rnn(fluid.layers.GRUCell(5), v["x"], v["h"], time_major=True))

    return static(fluid, build, feed, gradients_of=("x", "h"))


def case_names(fluid):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [2, 4, 3])
        layers = fluid.layers
        layers.rnn(layers.GRUCell(5), x)
        layers.rnn(layers.LSTMCell(5), x)
        layers.rnn(
            layers.GRUCell(5, fluid.ParamAttr(name="w"), fluid.ParamAttr(name="b"), name="enc"), x
        )
        return [np.array([p.name for p in fluid.default_main_program().all_parameters()])]


def case_basic_gru(fluid):
    def build(v):
        return list(fluid.contrib.layers.basic_gru(v["x"], None, 5, 2, v["n"]))

    return static(fluid, build, LENGTHS, gradients_of=("x",))


def case_basic_gru_of_two_directions(fluid):
    feed = dict(LENGTHS, h=numbers(4, 2, 5, seed=8))

    def build(v):
        return list(
            fluid.contrib.layers.basic_gru(v["x"], v["h"], 5, 2, v["n"], bidirectional=True)
        )

    return static(fluid, build, feed, gradients_of=("x", "h"))


def case_basic_lstm(fluid):
    feed = {"x": numbers(4, 2, 3), "h": numbers(2, 2, 5, seed=8), "c": numbers(2, 2, 5, seed=9)}

    def build(v):
        return list(
            fluid.contrib.layers.basic_lstm(v["x"], v["h"], v["c"], 5, 2, batch_first=False)
        )

    return static(fluid, build, feed, gradients_of=("x", "c"))


def case_basic_lstm_of_two_directions(fluid):
    def build(v):
        return list(
            fluid.contrib.layers.basic_lstm(v["x"], None, None, 5, 2, v["n"], bidirectional=True)
        )

    return static(fluid, build, LENGTHS, gradients_of=("x",))


def case_names_of_networks(fluid):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x, layers = fluid.data("x", [2, 4, 3]), fluid.contrib.layers
        layers.basic_gru(
            x, None, 5, 2, param_attr=fluid.ParamAttr(name="w"), bias_attr=fluid.ParamAttr(name="b")
        )
        layers.basic_lstm(x, None, None, 5, 2, bidirectional=True)
        return [np.array([p.name for p in fluid.default_main_program().all_parameters()])]
