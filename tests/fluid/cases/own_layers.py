"""Custom layers with LayerHelper, gradients of intermediate tensors, printed LoDTensors."""

import numpy as np

from .common import fill_parameters, fresh_programs, numbers, static
from .printing import letters


def scaled(fluid, x, size, **kwargs):
    """act(x @ W * 2 + b), op by op."""
    from importlib import import_module

    LayerHelper = import_module(fluid.__name__ + ".layer_helper").LayerHelper
    helper = LayerHelper("scaled", input=x, size=size, **kwargs)
    w = helper.create_parameter(
        attr=helper.param_attr, shape=[x.shape[1], size], dtype=helper.input_dtype()
    )
    product = helper.create_variable_for_type_inference(x.dtype)
    helper.append_op(
        type="mul",
        inputs={"X": x, "Y": w},
        outputs={"Out": product},
        attrs={"x_num_col_dims": 1, "y_num_col_dims": 1},
    )
    twice = helper.create_variable_for_type_inference(x.dtype)
    helper.append_op(
        type="scale", inputs={"X": product}, outputs={"Out": twice}, attrs={"scale": 2.0}
    )
    return helper.append_activation(helper.append_bias_op(twice))


def case_helper(fluid):
    feed = {"x": numbers(3, 4)}
    return static(fluid, lambda v: scaled(fluid, v["x"], 5, act="tanh"), feed, gradients_of=("x",))


def case_helper_without_bias(fluid):
    return static(
        fluid, lambda v: scaled(fluid, v["x"], 5, bias_attr=False, act=None), {"x": numbers(3, 4)}
    )


def case_helper_names(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        made = scaled(fluid, fluid.data("x", [3, 4]), 5, act="relu")
        return [letters(p.name) for p in main.all_parameters()] + [
            letters(made.name),
            letters(" ".join(op.type for op in main.global_block().ops)),
        ]


def case_gradients_of_what_ops_made(fluid):
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(numbers(2, 3))
        x.stop_gradient = False
        h = fluid.layers.relu(x)
        square = fluid.layers.elementwise_mul(h, h)
        parts = fluid.layers.split(square, 3, dim=1)
        loss = fluid.layers.reduce_sum(parts[0] * 2.0 + parts[1])
        loss.backward()
        found = [v.gradient() for v in (x, h, square, parts[0], parts[1], loss)]
        h.clear_gradient()
        return [*found, h.gradient()]


def case_fc_in_dygraph(fluid):
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(numbers(2, 3))
        return fluid.layers.fc(x, 2, param_attr=fluid.initializer.Constant(0.1), act="tanh").numpy()


def case_values_with_offsets(fluid):
    with fluid.program_guard(fluid.Program()):
        return list(_values_with_offsets(fluid))


def _values_with_offsets(fluid):
    for array, lengths in (
        (np.arange(6).reshape(3, 2).astype("float32"), [[1, 2]]),
        (np.arange(3).reshape(3, 1), [[1, 1], [1, 2]]),
        (np.arange(2).astype("int32"), []),
    ):
        value = fluid.create_lod_tensor(array, lengths, fluid.CPUPlace())
        yield letters(str(value))
        yield letters(str(value._dtype()))
        yield np.array(value.shape())


def case_fetched_without_numpy(fluid):
    with fresh_programs(fluid) as (main, startup):
        out = fluid.layers.fc(fluid.data("x", [2, 3]), 2)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        found = executor.run(main, feed={"x": numbers(2, 3)}, fetch_list=[out], return_numpy=False)[
            0
        ]
    return [
        np.array(found),
        letters(type(found).__name__),
        np.array(found.shape()),
        np.array(len(found.lod())),
    ]
