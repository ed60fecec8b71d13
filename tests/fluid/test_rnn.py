"""Cells and decoders without recorded results of 1.8.5: in dygraph mode, and `lstm`, which 1.8.5
has only on GPUs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import fluid
from oarlock.fluid.contrib.decoder.states import InitState, StateCell
from oarlock.nn import LSTM

from .cases.common import fill_parameters, integers, numbers

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("two", [False, True])
def test_lstm_equals_2_x_lstm(two: bool) -> None:
    ways = 2 if two else 1
    feed = {
        "x": numbers(4, 2, 3),
        "h": numbers(2 * ways, 2, 5, seed=8),
        "c": numbers(2 * ways, 2, 5, seed=9),
    }
    main, startup = fluid.Program(), fluid.Program()
    with (
        fluid.program_guard(main, startup),
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
    ):
        inputs = [fluid.data(n, list(a.shape), "float32") for n, a in feed.items()]
        found = fluid.layers.lstm(*inputs, 4, 5, 2, is_bidirec=two)
        assert [p.name for p in main.all_parameters()] == ["cudnn_lstm_0.w_0"]
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        flat = np.array(fluid.global_scope().find_var("cudnn_lstm_0.w_0").get_tensor())
        made = executor.run(main, feed=feed, fetch_list=list(found))
    layer = LSTM(3, 5, 2, "bidirect" if two else "forward", time_major=True)
    cells = layer._cells
    weights = [w for c in cells for w in (c.weight_ih, c.weight_hh)] + [
        b for c in cells for b in (c.bias_ih, c.bias_hh)
    ]
    assert sum(w.numpy().size for w in weights) == flat.size
    for weight in weights:
        size = weight.numpy().size
        weight.set_value(flat[:size].reshape(weight.shape))
        flat = flat[size:]
    out, (h, c) = layer(
        paddle.to_tensor(feed["x"]), (paddle.to_tensor(feed["h"]), paddle.to_tensor(feed["c"]))
    )
    for one, other in zip(made, (out, h, c), strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-5, atol=1e-6)


def _program(build: Any, feed: dict[str, Any], values: dict[str, Any]) -> list[Any]:
    main, startup = fluid.Program(), fluid.Program()
    with (
        fluid.program_guard(main, startup),
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
    ):
        found = build({n: fluid.data(n, list(a.shape), str(a.dtype)) for n, a in feed.items()})
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        for name, value in values.items():
            fluid.global_scope().find_var(name).get_tensor().set(value, fluid.CPUPlace())
        return list(executor.run(main, feed=feed, fetch_list=found))


@pytest.mark.parametrize("reverse", [False, True])
def test_rnn_in_dygraph_equals_program(reverse: bool) -> None:
    feed = {"x": numbers(2, 4, 3), "n": np.array([2, 4])}

    def build(v: dict[str, Any]) -> list[Any]:
        out, (h, c) = fluid.layers.rnn(
            fluid.layers.LSTMCell(5), v["x"], sequence_length=v["n"], is_reverse=reverse
        )
        return [out, h, c]

    with fluid.dygraph.guard(), fluid.unique_name.guard():
        cell = fluid.layers.LSTMCell(5)
        eager = [fluid.dygraph.to_variable(a) for a in feed.values()]
        out, (h, c) = fluid.layers.rnn(cell, eager[0], sequence_length=eager[1], is_reverse=reverse)
        values = {p.name: p.numpy() for p in cell.lstm_unit.parameters()}
        found = [a.numpy() for a in (out, h, c)]
    for one, other in zip(found, _program(build, feed, values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_decoder_in_dygraph_equals_program() -> None:
    table, matrix = numbers(7, 4, seed=3), numbers(4, 7, seed=4, low=-4, high=4)
    feed = {"h": numbers(3, 4)}

    def run(h: Any, cell: Any) -> list[Any]:
        rows, columns = (fluid.layers.assign(a) for a in (table, matrix))

        def words(ids: Any) -> Any:
            return fluid.layers.reshape(
                fluid.layers.gather(rows, fluid.layers.reshape(ids, [-1])), [-1, 2, 4]
            )

        decoder = fluid.layers.BeamSearchDecoder(
            cell, 1, 2, 2, words, lambda x: fluid.layers.matmul(x, columns)
        )
        tokens, state, lengths = fluid.layers.dynamic_decode(decoder, h, 5, return_length=True)
        return [tokens, state.cell_states, lengths]

    with fluid.dygraph.guard(), fluid.unique_name.guard():
        cell = fluid.layers.GRUCell(4)
        found = [a.numpy() for a in run(fluid.dygraph.to_variable(feed["h"]), cell)]
        values = {p.name: p.numpy() for p in cell.gru_unit.parameters()}
    again = _program(lambda v: run(v["h"], fluid.layers.GRUCell(4)), feed, values)
    for one, other in zip(found, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_sampled_softmax_shares_samples() -> None:
    feed = {"x": numbers(4, 50), "y": integers(4, 1, below=50)}
    found = _program(
        lambda v: [fluid.layers.sampled_softmax_with_cross_entropy(v["x"], v["y"], 8)], feed, {}
    )[0]
    assert found.shape == (4, 1)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_hash() -> None:
    with fluid.dygraph.guard():
        found = fluid.layers.hash(fluid.dygraph.to_variable(np.array([[1, 2], [3, 4]])), 1000, 3)
    assert found.shape == [2, 3, 1]
    assert found.stop_gradient
    assert (found.numpy() < 1000).all()


def test_op_freq_statistic() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.layers.fc(fluid.layers.fc(fluid.data("x", [2, 3], "float32"), 3), 3, act="relu")
        ops, pairs = fluid.contrib.op_freq_statistic(fluid.default_main_program())
    assert dict(ops) == {"mul": 2, "elementwise_add": 2, "relu": 1}
    assert dict(pairs) == {
        "mul->elementwise_add": 2,
        "elementwise_add->mul": 1,
        "elementwise_add->relu": 1,
    }
    with pytest.raises(TypeError, match="Porgram"):
        fluid.contrib.op_freq_statistic(None)


def test_array_without_lod_is_rejected() -> None:
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [2, 1], "int64")
        zero = fluid.layers.fill_constant([1], "int64", 0)
        ids = fluid.layers.array_write(x, zero)
        scores = fluid.layers.array_write(fluid.layers.cast(x, "float32"), zero)
        found = fluid.layers.beam_search_decode(ids, scores, 2, 1)
        executor = fluid.Executor(fluid.CPUPlace())
        with pytest.raises(
            fluid.core.EnforceNotMet,
            match="beam_search_decode: a step holds no sequences of two levels",
        ):
            executor.run(main, feed={"x": np.zeros((2, 1), "int64")}, fetch_list=list(found))


def test_tree_conv_of_1_5() -> None:
    edges = np.array([[[1, 2], [1, 3]]], "int32")
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        layer = fluid.dygraph.TreeConv("trees", output_size=4, num_filters=2, max_depth=3)
        found = layer(fluid.dygraph.to_variable(numbers(1, 3, 5)), fluid.dygraph.to_variable(edges))
        assert layer.weight.shape == [5, 3, 4, 2]
    assert found.shape == [1, 3, 4, 2]


class CountdownDecoder(fluid.layers.Decoder):
    """Counts numbers down to zero, without `finalize`."""

    def initialize(self, inits: Any) -> Any:
        return inits, {"left": inits}, fluid.layers.equal(inits, fluid.layers.zeros_like(inits))

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> Any:
        left = fluid.layers.elementwise_sub(states["left"], fluid.layers.ones_like(inputs))
        return left, {"left": left}, left, fluid.layers.equal(left, fluid.layers.zeros_like(left))


@pytest.mark.parametrize("is_test", [False, True])
def test_custom_decoder(is_test: bool) -> None:
    def build(v: dict[str, Any]) -> list[Any]:
        made, states, lengths = fluid.layers.dynamic_decode(
            CountdownDecoder(), v["x"], impute_finished=True, is_test=is_test, return_length=True
        )
        return [made, states["left"], lengths]

    made, left, lengths = _program(build, {"x": np.array([2.0, 3.0], "float32")}, {})
    np.testing.assert_array_equal(made, [[1, 0, -1], [2, 1, 0]])
    np.testing.assert_array_equal(left, [0, 0])
    np.testing.assert_array_equal(lengths, [2, 3])


class StateStorage:
    """A decoder that stores the states of a cell outside of a program."""

    def create_state(self, initial: Any) -> Any:
        return self

    def get_state(self) -> Any:
        return self


def test_state_cell_creates_states_for_each_decoder() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        initial = InitState(init=fluid.data("h", [2, 3], "float32"))
    cell = StateCell({}, {"h": initial}, "h")
    for _ in range(3):  # a later decoder may have the address of an earlier one
        decoder = StateStorage()
        cell.attach(decoder)
        assert cell.get_state("h") is decoder
        cell.detach()
        cell.set_state("h", None)
        del decoder
