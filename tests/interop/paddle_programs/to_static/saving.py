"""`jit.save` and `jit.load`: methods, properties, specs, outputs, parameters, training
on, errors.
"""

# ruff: noqa - Python as its users write it

import os

import numpy as np

from ..table import NEGATIVE, POSITIVE, call_with_gradients, fill, paddle, raised, scenario

nn = paddle.nn
InputSpec = paddle.static.InputSpec
X = POSITIVE


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.register_buffer("scale", paddle.full([1], 2.0))

    def forward(self, x):
        y = self.fc(x) * self.scale
        if y.sum() > 0:
            return y
        return -y


def loaded(layer, folder, **kwargs):
    paddle.jit.save(layer, str(folder / "m"), **kwargs)
    return paddle.jit.load(str(folder / "m"))


@scenario
def a_layer_with_a_spec(folder):
    net = fill(Net())
    layer = loaded(net, folder, input_spec=[InputSpec([None, 3], "float32", "x")])
    return (
        layer(paddle.to_tensor(X)),
        layer(paddle.to_tensor(NEGATIVE)),
        sorted(layer.state_dict()),
        sorted(n for n, _ in layer.named_parameters()),
    )


@scenario
def files_that_are_written(folder):
    loaded(fill(Net()), folder, input_spec=[InputSpec([None, 3])])
    return sorted(os.listdir(folder))


@scenario
def saved_after_a_call(to_static, folder):
    net = to_static(fill(nn.Linear(3, 2)))
    net(paddle.to_tensor(X))
    layer = loaded(net, folder)
    return layer(paddle.to_tensor(X))


@scenario
def saved_without_spec_or_call_is_an_error(folder):
    return raised(paddle.jit.save, fill(Net()), str(folder / "m")), raised(
        paddle.jit.save, 3, str(folder / "m")
    )


@scenario
def the_class_of_a_loaded_layer(folder):
    layer = loaded(fill(nn.Linear(3, 2)), folder, input_spec=[InputSpec([None, 3])])
    return type(layer).__name__, isinstance(layer, nn.Layer), layer.training


@scenario
def several_methods(folder):
    class Several(Net):
        @paddle.jit.to_static(input_spec=[InputSpec([None, 3])])
        def forward(self, x):
            return self.fc(x)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 3])])
        def double(self, x):
            return self.fc(x) * 2

        @paddle.jit.to_static(input_spec=[InputSpec([None, 3]), InputSpec([None, 3])])
        def both(self, x, y):
            return self.fc(x + y)

    layer = loaded(fill(Several()), folder)
    x = paddle.to_tensor(X)
    return layer(x), layer.double(x), layer.both(x, x), sorted(os.listdir(folder))


@scenario
def a_function(folder):
    @paddle.jit.to_static(input_spec=[InputSpec([None, 3])])
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x

    paddle.jit.save(f, str(folder / "m"))
    layer = paddle.jit.load(str(folder / "m"))
    return layer(paddle.to_tensor(X)), sorted(os.listdir(folder))


@scenario
def a_function_with_parameters(folder):
    fc = fill(nn.Linear(3, 2))

    def function(x):
        return fc(x) * 2

    f = paddle.jit.to_static(function, input_spec=[InputSpec([None, 3])], full_graph=True)
    paddle.jit.save(f, str(folder / "m"))
    layer = paddle.jit.load(str(folder / "m"))
    return layer(paddle.to_tensor(X)), len(layer.parameters())


@scenario
def nested_results_come_back_flat_or_nested(folder):
    class Nested(nn.Layer):
        def forward(self, x):
            return {"a": x + 1, "b": [x * 2, x * 3]}

    layer = loaded(Nested(), folder, input_spec=[InputSpec([None, 3])])
    found = layer(paddle.to_tensor(X))
    flat = found if isinstance(found, (list, tuple)) else [found["a"], *found["b"]]
    return list(flat)


@scenario
def dict_arguments_by_position(folder):
    class Takes(nn.Layer):
        def forward(self, d, z):
            return d["b"] - d["a"] * 2 + z * 10

    spec = [
        {"b": InputSpec([None], "float32", "bb"), "a": InputSpec([None], "float32", "aa")},
        InputSpec([None], "float32", "z"),
    ]
    layer = loaded(Takes(), folder, input_spec=spec)
    a, b, z = (paddle.full([1], v) for v in (1.0, 2.0, 3.0))
    return [s.name for s in layer._input_spec()], layer(a, b, z)


@scenario
def some_outputs_by_name(folder):
    class Two(nn.Layer):
        def forward(self, x):
            return x + 1, x * 2

    net = paddle.jit.to_static(Two(), input_spec=[InputSpec([None, 3])], full_graph=True)
    outs = net.forward.outputs
    layer = loaded(net, folder, output_spec=outs[:1])
    return layer(paddle.to_tensor(X))


@scenario
def trained_on_after_loading(folder):
    layer = loaded(
        fill(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))),
        folder,
        input_spec=[InputSpec([None, 3])],
    )
    layer.train()
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    losses = []
    for _ in range(3):
        loss = layer(paddle.to_tensor(X)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


@scenario
def saved_again_after_loading(folder):
    layer = loaded(fill(Net()), folder, input_spec=[InputSpec([None, 3])])
    paddle.jit.save(layer, str(folder / "again"), input_spec=[InputSpec([None, 3])])
    return paddle.jit.load(str(folder / "again"))(paddle.to_tensor(X))


@scenario
def loaded_as_a_state_dict(folder):
    net = fill(Net())
    loaded(net, folder, input_spec=[InputSpec([None, 3])])
    state = (
        paddle.load(str(folder / "m.pdparams"))
        if (folder / "m.pdparams").exists()
        else paddle.load(str(folder / "m"))
    )
    return sorted(list(np.shape(v)) for v in state.values())


@scenario
def loaded_by_load_inference_model(folder):
    loaded(fill(Net()), folder, input_spec=[InputSpec([None, 3], "float32", "image")])
    paddle.enable_static()
    try:
        exe = paddle.static.Executor(paddle.CPUPlace())
        program, feeds, fetches = paddle.static.load_inference_model(str(folder / "m"), exe)
        (out,) = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
    finally:
        paddle.disable_static()
    return feeds, out


@scenario
def the_program_of_a_loaded_layer(folder):
    layer = loaded(fill(nn.Linear(3, 2)), folder, input_spec=[InputSpec([None, 3])])
    return type(layer.program()).__name__, [
        op.type
        for op in layer.program().global_block().ops
        if op.type not in ("feed", "fetch", "scale")
    ]


@scenario
def evaluation_mode_is_saved(folder):
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.BatchNorm1D(4))
    layer = loaded(fill(net), folder, input_spec=[InputSpec([None, 3])])
    return layer(paddle.to_tensor(X)), net.training


@scenario
def a_frozen_parameter_stays_frozen(folder):
    net = fill(nn.Linear(3, 2))
    net.bias.stop_gradient = True
    layer = loaded(net, folder, input_spec=[InputSpec([None, 3])])
    return sorted((list(p.shape), p.stop_gradient) for p in layer.parameters())


@scenario
def properties_are_saved(folder):
    class WithProperties(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 3])])
        def forward(self, x):
            return self.fc(x)

        @paddle.jit.to_static(property=True)
        def classes(self):
            return 7

    layer = loaded(fill(WithProperties()), folder)
    return layer(paddle.to_tensor(X)), sorted(os.listdir(folder))


@scenario
def names_of_parameters_after_loading(folder):
    layer = loaded(
        fill(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))),
        folder,
        input_spec=[InputSpec([None, 3])],
    )
    return sorted(layer.state_dict()), [
        list(p.shape) for _, p in sorted(layer.state_dict().items())
    ]


@scenario
def set_state_dict_of_a_loaded_layer(folder):
    net = fill(nn.Linear(3, 2))
    layer = loaded(net, folder, input_spec=[InputSpec([None, 3])])
    net.set_state_dict({k: v * 0 for k, v in layer.state_dict().items()})
    layer.set_state_dict({k: v * 2 for k, v in layer.state_dict().items()})
    return net(paddle.to_tensor(X)), layer(paddle.to_tensor(X))


@scenario
def loading_what_is_not_there(folder):
    return raised(paddle.jit.load, str(folder / "nothing"))


@scenario
def saving_to_a_folder_name(folder):
    return raised(
        paddle.jit.save, fill(nn.Linear(3, 2)), str(folder) + "/", input_spec=[InputSpec([None, 3])]
    )


@scenario
def a_wrong_call_of_a_loaded_layer(folder):
    layer = loaded(fill(nn.Linear(3, 2)), folder, input_spec=[InputSpec([None, 3])])
    return raised(layer), raised(layer, paddle.ones([2, 3]), paddle.ones([2, 3]))


@scenario
def a_loop_with_a_list_is_saved(folder):
    class Loops(nn.Layer):
        def forward(self, x):
            parts = []
            for i in range(x.shape[0]):
                parts.append(x[i] * 2)
            return paddle.stack(parts)

    layer = loaded(Loops(), folder, input_spec=[InputSpec([None, 3])])
    return layer(paddle.to_tensor(X)), layer(paddle.to_tensor(np.concatenate([X, X])))


@scenario
def gradients_through_a_loaded_layer(folder):
    layer = loaded(fill(Net()), folder, input_spec=[InputSpec([None, 3])])
    layer.train()
    return call_with_gradients(layer, (X,))


@scenario
def clip_extra_and_other_options(folder):
    paddle.jit.save(
        fill(nn.Linear(3, 2)),
        str(folder / "m"),
        input_spec=[InputSpec([None, 3])],
        clip_extra=False,
        skip_prune_program=False,
    )
    return paddle.jit.load(str(folder / "m"))(paddle.to_tensor(X))


@scenario
def loaded_inside_another_layer(folder):
    inner = loaded(fill(nn.Linear(3, 2)), folder, input_spec=[InputSpec([None, 3])])

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(x) + 1

    net = Outer()
    paddle.jit.save(net, str(folder / "outer"), input_spec=[InputSpec([None, 3])])
    return net(paddle.to_tensor(X)), paddle.jit.load(str(folder / "outer"))(paddle.to_tensor(X))


@scenario
def an_example_as_the_spec(folder):
    layer = loaded(fill(nn.Linear(3, 2)), folder, input_spec=[paddle.to_tensor(X)])
    return layer(paddle.to_tensor(X)), len(layer._input_spec())


@scenario
def a_number_in_the_spec(folder):
    class Takes(nn.Layer):
        def forward(self, x, n, flag=True):
            return x * n if flag else x

    layer = loaded(Takes(), folder, input_spec=[InputSpec([None, 3]), 3])
    return layer(paddle.to_tensor(X))


@scenario
def int_inputs_and_bool_outputs(folder):
    class Compares(nn.Layer):
        def forward(self, ids):
            return ids > 1, ids.astype("float32").mean()

    layer = loaded(Compares(), folder, input_spec=[InputSpec([None], "int64")])
    return list(layer(paddle.to_tensor([1, 2, 3])))
