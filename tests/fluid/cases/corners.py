"""Corner cases: empty results, dynamic sizes, counts in arrays."""

import numpy as np

from .common import numbers, static


def case_rows_without_an_axis_of_their_own(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        words = fluid.data("words", [None], "int64", lod_level=1)
        columns = fluid.data("columns", [None, 1], "int64", lod_level=1)
        feed = fluid.DataFeeder([words, columns], fluid.CPUPlace()).feed(
            [([1, 2], [3]), ([3], [4, 5])]
        )
    return [np.array(feed["words"]), np.array(feed["columns"])]


def case_no_box_of_a_head(fluid):
    boxes = np.zeros((2, 3, 4), "float32")
    boxes[:, 0] = [0.5, 0.5, 0.1, 0.1]
    feed = {"x": numbers(2, 18, 2, 2), "b": boxes, "c": np.zeros((2, 3), "int32")}
    anchors = [10, 13, 16, 30, 33, 23, 116, 90, 156, 198, 373, 326]

    def build(v):
        return fluid.layers.yolov3_loss(v["x"], v["b"], v["c"], anchors, [3, 4, 5], 1, 0.7, 32)

    return static(fluid, build, feed, gradients_of=("x",))


def case_beams_of_free_sizes(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, None, 5], "float32")
        tiled = fluid.layers.BeamSearchDecoder.tile_beam_merge_with_batch(x, 3)
    return fluid.Executor(fluid.CPUPlace()).run(
        main, feed={"x": numbers(2, 4, 5)}, fetch_list=[tiled]
    )


def case_counts_in_arrays(fluid):
    chunks = fluid.metrics.ChunkEvaluator()
    chunks.update(np.array([3]), np.array([4]), np.array([2]))
    distance = fluid.metrics.EditDistance("d")
    distance.update(np.array([[1.0], [0.0]], "float32"), np.array([2]))
    return [np.asarray(v) for v in [*chunks.eval(), *distance.eval()]]


def case_lamb_without_decay(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        start = fluid.ParamAttr(name="w", initializer=fluid.initializer.Constant(0.5))
        made = fluid.layers.fc(fluid.data("x", [2, 4]), 3, param_attr=start, bias_attr=False)
        fluid.optimizer.Lamb(0.01, lamb_weight_decay=0.0).minimize(fluid.layers.mean(made))
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        for _ in range(3):
            executor.run(main, feed={"x": numbers(2, 4)}, fetch_list=[])
        return [np.array(fluid.global_scope().find_var("w").get_tensor())]


def case_places_in_sequences(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 4], "float32", lod_level=1)
        x.stop_gradient = False
        out = fluid.layers.add_position_encoding(x, 0.5, 2.0)
        slope = fluid.gradients(fluid.layers.reduce_sum(fluid.layers.square(out)), [x])[0]
        fed = fluid.create_lod_tensor(numbers(5, 4), [[2, 3]], fluid.CPUPlace())
        found = fluid.Executor(fluid.CPUPlace()).run(
            main, feed={"x": fed}, fetch_list=[out, slope], return_numpy=False
        )
    return [np.array(a) for a in found] + [np.array(found[0].lod()[0], "int64")]


def case_sizes_that_are_values(fluid):
    def build(v):
        layers = fluid.layers
        two = layers.fill_constant([1], "int32", 2)
        return [
            layers.expand(v["x"], [1, two, 1, 2]),
            layers.resize_bilinear(v["x"], [two, 7]),
            layers.resize_nearest(v["x"], scale=layers.fill_constant([1], "float32", 1.5)),
            layers.resize_bilinear(
                v["x"], actual_shape=layers.assign(np.array([3, 8], "int32")), out_shape=[4, 4]
            ),
            layers.expand_as(v["y"], v["x"]),
        ]

    feed = {"x": numbers(1, 2, 3, 4), "y": numbers(1, 1, 3, 2)}
    return static(fluid, build, feed, gradients_of=("x",))
