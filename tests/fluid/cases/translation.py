"""Translation by beam search as Paddle 1.x programs write it: a loop, TensorArrays, two LoD levels."""

import numpy as np

from .common import fill_parameters, fresh_programs, integers, numbers
from .sequence import run

WORDS, WIDTH, BEAMS, END, LONGEST = 12, 8, 3, 7, 6


def encoder(layers, source):
    table = layers.embedding(source, [WORDS, WIDTH], param_attr="table")
    hidden, _ = layers.dynamic_lstm(layers.fc(table, WIDTH * 4, act="tanh"), WIDTH * 4)
    return layers.sequence_last_step(hidden)


def decoder(fluid, context, accumulated=True, with_parents=False):
    layers = fluid.layers
    length = layers.fill_constant([1], "int64", LONGEST)
    counter = layers.zeros([1], "int64", force_cpu=True)
    states = layers.create_array("float32")
    layers.array_write(context, array=states, i=counter)
    ids, scores = layers.create_array("int64"), layers.create_array("float32")
    layers.array_write(
        layers.data("init_ids", [1], dtype="int64", lod_level=2), array=ids, i=counter
    )
    layers.array_write(
        layers.data("init_scores", [1], dtype="float32", lod_level=2), array=scores, i=counter
    )
    cond = layers.less_than(counter, length)
    loop = layers.While(cond)
    with loop.block():
        before, state, score = (
            layers.array_read(array=a, i=counter) for a in (ids, states, scores)
        )
        expanded = layers.sequence_expand(state, score)
        word = layers.embedding(before, [WORDS, WIDTH], param_attr="table")
        now = layers.fc([expanded, word], WIDTH, act="tanh")
        likely = layers.fc(layers.lod_reset(now, score), WORDS, act="softmax")
        best, which = layers.topk(likely, k=BEAMS)
        if accumulated:
            best = layers.elementwise_add(layers.log(best), layers.reshape(score, [-1]), axis=0)
        chosen = layers.beam_search(
            before,
            score,
            which,
            best,
            BEAMS,
            END,
            level=0,
            is_accumulated=accumulated,
            return_parent_idx=with_parents,
        )
        layers.increment(counter, value=1, in_place=True)
        layers.array_write(now, array=states, i=counter)
        layers.array_write(chosen[0], array=ids, i=counter)
        layers.array_write(chosen[1], array=scores, i=counter)
        going = layers.logical_not(layers.is_empty(chosen[0]))
        layers.logical_and(layers.less_than(counter, length), going, out=cond)
    return layers.beam_search_decode(ids, scores, BEAMS, END)


def first(fluid, count, start=1):
    """Return the start of the search: one beam per sentence."""
    one = [[1] * count, [1] * count]
    place = fluid.CPUPlace()
    ids, scores = np.full((count, 1), start, "int64"), np.zeros((count, 1), "float32")
    return {
        "init_ids": fluid.create_lod_tensor(ids, one, place),
        "init_scores": fluid.create_lod_tensor(scores, one, place),
    }


def kept(tensors):
    """Arrays of LoDTensors, and the lengths in them."""
    found = {}
    for i, tensor in enumerate(tensors):
        found[str(i)] = np.array(tensor)
        for k, level in enumerate(
            tensor.recursive_sequence_lengths() if hasattr(tensor, "lod") else []
        ):
            found[f"{i}.lengths{k}"] = np.array(level)
    return found


def words(fluid):
    return fluid.create_lod_tensor(integers(9, 1, below=WORDS), [[4, 2, 3]], fluid.CPUPlace())


def translate(fluid, folder=None, **how):
    """The translations of three sentences.

    folder: where the program and its values are saved besides
    """
    with fresh_programs(fluid) as (main, startup):
        source = fluid.layers.data("source", [1], dtype="int64", lod_level=1)
        found = list(decoder(fluid, encoder(fluid.layers, source), **how))
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        # words are far apart, so that there are sentences that end
        for parameter in main.all_parameters():
            held = fluid.global_scope().find_var(parameter.name).get_tensor()
            held.set(np.array(held) * 6, fluid.CPUPlace())
        if folder is not None:
            inputs = ["source", "init_ids", "init_scores"]
            fluid.io.save_inference_model(
                folder, inputs, found, executor, main, params_filename="params"
            )
        feed = dict(first(fluid, 3), source=words(fluid))
        return kept(executor.run(main, feed=feed, fetch_list=found, return_numpy=False))


def translate_by(fluid, folder):
    """The same by a program that was saved."""
    with fluid.scope_guard(fluid.Scope()):
        executor = fluid.Executor(fluid.CPUPlace())
        program, _, found = fluid.io.load_inference_model(
            folder, executor, params_filename="params"
        )
        feed = dict(first(fluid, 3), source=words(fluid))
        return kept(executor.run(program, feed=feed, fetch_list=found, return_numpy=False))


def case_translation(fluid):
    return translate(fluid)


def case_translation_by_probabilities(fluid):
    return translate(fluid, accumulated=False, with_parents=True)


def cell_of(fluid, context):
    """Return a state cell with one state, and the inputs that all steps read."""
    from_contrib = fluid.contrib.decoder.beam_search_decoder
    state = from_contrib.InitState(init=context, need_reorder=True)
    cell = from_contrib.StateCell(
        inputs={"word": None, "context": None}, states={"h": state}, out_state="h"
    )

    @cell.state_updater
    def updater(cell):
        operands = [cell.get_state("h"), cell.get_input("word"), cell.get_input("context")]
        attrs = [fluid.ParamAttr(name=f"cell.w{i}") for i in range(3)]
        cell.set_state(
            "h", fluid.layers.fc(operands, WIDTH, act="tanh", param_attr=attrs, bias_attr="cell.b")
        )

    return from_contrib, cell


def case_training_decoder(fluid):
    def build(v):
        context = fluid.layers.sequence_last_step(v["x"])
        from_contrib, cell = cell_of(fluid, context)
        decoder = from_contrib.TrainingDecoder(cell)
        with decoder.block():
            word = decoder.step_input(v["y"])
            seen = decoder.static_input(context)
            decoder.state_cell.compute_state(inputs={"word": word, "context": seen})
            decoder.state_cell.update_states()
            decoder.output(fluid.layers.fc(decoder.state_cell.get_state("h"), 5, act="softmax"))
        return decoder()

    feed = {"x": numbers(8, WIDTH), "y": numbers(6, WIDTH, seed=8)}
    return run(fluid, build, feed, {"y": [[3, 2, 1]]}, ("x", "y"))


def case_beam_search_decoder(fluid):
    with fresh_programs(fluid) as (main, startup):
        layers = fluid.layers
        context = encoder(layers, layers.data("source", [1], dtype="int64", lod_level=1))
        from_contrib, cell = cell_of(fluid, context)
        ids = layers.data("init_ids", [1], dtype="int64", lod_level=2)
        scores = layers.data("init_scores", [1], dtype="float32", lod_level=2)
        decoder = from_contrib.BeamSearchDecoder(
            cell,
            ids,
            scores,
            WORDS,
            WIDTH,
            {"context": context},
            topk_size=6,
            max_len=LONGEST,
            beam_size=BEAMS,
            end_id=1,
        )
        decoder.decode()
        found = decoder()
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        for parameter in main.all_parameters():
            held = fluid.global_scope().find_var(parameter.name).get_tensor()
            held.set(np.array(held) * 4, fluid.CPUPlace())
        feed = dict(first(fluid, 3, start=0), source=words(fluid))
        return kept(executor.run(main, feed=feed, fetch_list=list(found), return_numpy=False))
