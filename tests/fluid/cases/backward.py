"""Ops, slots and roles of programs after `minimize` and `gradients`."""

import numpy as np


def described(program):
    """Return a line per op: its type, slots and role."""
    return np.array([line(op) for op in program.global_block().ops])


def line(op):
    """One op; names of variables that are no gradients of others are left out."""
    ins = " ".join(slot for slot in sorted(op.input_names) if op.input(slot))
    outs = " ".join(slot for slot in sorted(op.output_names) if op.output(slot))
    about = ",".join(op.attr("op_role_var") if op.has_attr("op_role_var") else [])
    return f"{op.type} {ins} -> {outs} {op.attr('op_role')} {about} {' '.join(gradients(op))}"


def gradients(op):
    """Return the parameter gradients that an op outputs."""
    given = [n for slot in sorted(op.output_names) for n in op.output(slot)]
    return [n for n in given if n.endswith("@GRAD") and (".w_" in n or ".b_" in n)]


def built(fluid, build):
    """Return a program and the result of `build`."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        return main, build()


def case_classifier(fluid):
    """Convolution to Adam, with a decay of weights."""
    layers = fluid.layers

    def build():
        image, label = layers.data("image", [1, 28, 28]), layers.data("label", [1], dtype="int64")
        h = fluid.nets.simple_img_conv_pool(image, 3, 4, 2, 2, act="relu")
        h = layers.fc(layers.reshape(h, [-1, 676]), 16, act="tanh")
        one, _ = layers.split(layers.dropout(h, 0.3), 2, dim=1)
        scores = layers.fc(layers.concat([one, h + 1.0], axis=1), 10, act="softmax")
        loss = layers.mean(layers.cross_entropy(scores, label))
        fluid.optimizer.Adam(0.1, regularization=fluid.regularizer.L2Decay(0.1)).minimize(loss)

    return described(built(fluid, build)[0])


def case_words(fluid):
    """Sequences of words, embedded and averaged."""
    layers = fluid.layers

    def build():
        words = layers.data("words", [1], dtype="int64", lod_level=1)
        label = layers.data("label", [1], dtype="int64")
        pooled = layers.sequence_pool(layers.embedding(words, [20, 8]), "sum")
        scores = layers.fc(layers.fc(pooled, 8, act="relu"), 3)
        loss = layers.reduce_mean(layers.softmax_with_cross_entropy(scores, label))
        fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)

    return described(built(fluid, build)[0])


def case_recurrent_words(fluid):
    """A GRU over sequences."""
    layers = fluid.layers

    def build():
        words = layers.data("words", [1], dtype="int64", lod_level=1)
        hidden = layers.dynamic_gru(layers.fc(layers.embedding(words, [20, 8]), 12), 4)
        loss = layers.mean(layers.square(layers.sequence_last_step(hidden)))
        fluid.optimizer.SGD(0.1).minimize(loss)

    return described(built(fluid, build)[0])


def case_normalized(fluid):
    """Batch and layer normalization."""
    layers = fluid.layers

    def build():
        x = layers.data("x", [3, 8, 8])
        h = layers.batch_norm(layers.conv2d(x, 4, 3), act="relu")
        h = layers.layer_norm(layers.pool2d(h, 2, "avg", 2), begin_norm_axis=1)
        loss = layers.reduce_sum(layers.elementwise_mul(h, h))
        fluid.optimizer.Adagrad(0.1).minimize(loss)

    return described(built(fluid, build)[0])


def case_parameters_and_gradients(fluid):
    """append_backward returns pairs of parameter and gradient."""

    def build():
        x = fluid.layers.data("x", [4])
        return fluid.backward.append_backward(
            fluid.layers.mean(fluid.layers.fc(x, 2, act="sigmoid"))
        )

    main, pairs = built(fluid, build)
    return [described(main), np.array([f"{p.name} {g.name} {tuple(g.shape)}" for p, g in pairs])]
