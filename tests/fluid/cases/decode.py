"""Decoders that run until all sequences have ended."""

import numpy as np

from .common import numbers, static
from .sequence import run

WORDS, WIDTH = 9, 4


def network(fluid):
    """Return a cell, a function from words to its inputs, and one from its outputs to word scores."""
    layers = fluid.layers
    cell = layers.GRUCell(WIDTH)

    def words(ids):
        return fluid.embedding(ids, [WORDS, WIDTH], param_attr=fluid.ParamAttr(name="table"))

    def scores(hidden):
        flat = len(hidden.shape) - 1
        attrs = {
            "param_attr": fluid.ParamAttr(name="out.w"),
            "bias_attr": fluid.ParamAttr(name="out.b"),
        }
        return layers.scale(layers.fc(hidden, WORDS, num_flatten_dims=flat, **attrs), 8.0)

    return cell, words, scores


H = {"h": numbers(3, WIDTH, seed=8)}


def case_beam_search(fluid):
    def build(v):
        cell, words, scores = network(fluid)
        decoder = fluid.layers.BeamSearchDecoder(
            cell, 1, 7, beam_size=3, embedding_fn=words, output_fn=scores
        )
        tokens, state, lengths = fluid.layers.dynamic_decode(
            decoder, inits=v["h"], max_step_num=6, is_test=True, return_length=True
        )
        return [tokens, state.cell_states, state.log_probs, state.finished, state.lengths, lengths]

    return run(fluid, build, H, {"h": []})


def case_beam_search_time_first(fluid):
    def build(v):
        cell, words, scores = network(fluid)
        decoder = fluid.layers.BeamSearchDecoder(
            cell, 1, 7, beam_size=2, embedding_fn=words, output_fn=scores
        )
        tokens, state = fluid.layers.dynamic_decode(
            decoder, inits=v["h"], max_step_num=5, output_time_major=True
        )
        return [tokens, state.cell_states]

    return run(fluid, build, H, {"h": []})


def case_training(fluid):
    feed = {"x": numbers(3, 5, WIDTH), "n": np.array([3, 5, 2]), "h": numbers(3, WIDTH, seed=8)}

    def build(v):
        cell, _, scores = network(fluid)
        helper = fluid.layers.TrainingHelper(v["x"], v["n"])
        decoder = fluid.layers.BasicDecoder(cell, helper, scores)
        outputs, state, lengths = fluid.layers.dynamic_decode(
            decoder, inits=v["h"], impute_finished=True, return_length=True
        )
        return [outputs.cell_outputs, outputs.sample_ids, state, lengths]

    return static(fluid, build, feed, gradients_of=("x", "h"))


def case_greedy(fluid):
    def build(v):
        cell, words, scores = network(fluid)
        start = fluid.layers.fill_constant_batch_size_like(v["h"], [-1], "int64", 1)
        decoder = fluid.layers.BasicDecoder(
            cell, fluid.layers.GreedyEmbeddingHelper(words, start, 7), scores
        )
        outputs, state, lengths = fluid.layers.dynamic_decode(
            decoder, inits=v["h"], max_step_num=7, is_test=True, return_length=True
        )
        return [outputs.cell_outputs, outputs.sample_ids, state, lengths]

    return run(fluid, build, H, {"h": []})


def case_drawn(fluid):
    """The samples differ between packages, but not their shapes."""

    def build(v):
        cell, words, scores = network(fluid)
        start = fluid.layers.fill_constant_batch_size_like(v["h"], [-1], "int64", 1)
        helper = fluid.layers.SampleEmbeddingHelper(
            words, start, -1, softmax_temperature=0.5, seed=3
        )
        outputs, _ = fluid.layers.dynamic_decode(
            fluid.layers.BasicDecoder(cell, helper, scores), inits=v["h"], max_step_num=4
        )
        return [fluid.layers.shape(outputs.cell_outputs), fluid.layers.shape(outputs.sample_ids)]

    return run(fluid, build, H, {"h": []})


def case_tensors_of_a_list(fluid):
    feed = {"x": numbers(2, 3), "y": numbers(2, 3, seed=8)}

    def build(v):
        layers = fluid.layers
        array = layers.create_array("float32")
        layers.array_write(v["x"], layers.fill_constant([1], "int64", 0), array)
        layers.array_write(v["y"], layers.fill_constant([1], "int64", 1), array)
        joined, sizes = layers.tensor_array_to_tensor(array, axis=1)
        stacked, ones = layers.tensor_array_to_tensor(array, axis=0, use_stack=True)
        return [joined, sizes, stacked, ones]

    return static(fluid, build, feed)
