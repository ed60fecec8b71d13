"""Programs with readers."""

import numpy as np

from .common import fresh_programs, numbers


def passes(fluid, build, told, count=2):
    """The sums of all batches of some passes, and how many batches there were.

    build gives a reader; told: where its batches come from
    """
    with fresh_programs(fluid) as (main, startup):
        reader = build()
        x, y = fluid.layers.read_file(reader)
        made = fluid.layers.elementwise_add(
            fluid.layers.fc(x, 3, param_attr=fluid.initializer.Constant(0.5)), y
        )
        total = fluid.layers.reduce_sum(made, dim=[0])
        told(reader)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        found = []
        for _ in range(count):
            reader.start()
            while True:
                try:
                    found.append(executor.run(main, fetch_list=[total])[0])
                except fluid.core.EOFException:
                    reader.reset()
                    break
    return [np.stack(found)]


X, Y = numbers(6, 4), numbers(6, 3, seed=8)


def batches():
    for i in range(0, 6, 2):
        yield X[i : i + 2], Y[i : i + 2]


def rows():
    for i in range(0, 6, 2):
        yield [(X[k], Y[k]) for k in range(i, i + 2)]


def by_shapes(fluid):
    return lambda: fluid.layers.py_reader(4, [[-1, 4], [-1, 3]], ["float32", "float32"], name="r")


def case_of_arrays(fluid):
    return passes(fluid, by_shapes(fluid), lambda reader: reader.decorate_tensor_provider(batches))


def case_of_rows(fluid):
    return passes(fluid, by_shapes(fluid), lambda reader: reader.decorate_paddle_reader(rows))


def case_by_variables(fluid):
    def build():
        given = [fluid.data("x", [None, 4], "float32"), fluid.data("y", [None, 3], "float32")]
        return fluid.layers.create_py_reader_by_data(4, given)

    return passes(fluid, build, lambda reader: reader.decorate_batch_generator(batches), 1)


def case_of_sequences(fluid):
    with fresh_programs(fluid) as (main, startup):
        reader = fluid.layers.py_reader(4, [[-1, 1], [-1, 1]], ["float32", "int64"], [1, 0])
        words, label = fluid.layers.read_file(reader)
        made = [fluid.layers.sequence_pool(words, "sum"), label]
        reader.decorate_paddle_reader(lambda: iter([[([[1.0], [2.0]], 3), ([[5.0]], 4)]]))
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        reader.start()
        return [np.asarray(a) for a in executor.run(main, fetch_list=made)]


def case_of_a_test(fluid):
    """The reader belongs to the copy of the program as well."""
    with fresh_programs(fluid) as (main, startup):
        reader = fluid.layers.py_reader(4, [[-1, 4]], ["float32"])
        total = fluid.layers.reduce_sum(fluid.layers.read_file(reader))
        reader.decorate_tensor_provider(lambda: iter([[X]]))
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        reader.start()
        return executor.run(main.clone(for_test=True), fetch_list=[total])
