"""Saved and loaded states of layers, optimizers and programs."""

# ruff: noqa - Python as its users write it

import io
import os
import pickle

import numpy as np

from ..table import each, f32, fill, paddle, raised, scenario, static_scenario

nn = paddle.nn
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])


def net():
    return fill(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))


def trained(steps=2, **kind):
    layer = net()
    opt = paddle.optimizer.Adam(kind.get("lr", 0.1), parameters=layer.parameters())
    for _ in range(steps):
        layer(paddle.to_tensor(X)).square().mean().backward()
        opt.step()
        opt.clear_grad()
    return layer, opt


@scenario
def a_state_dict(folder):
    layer = net()
    path = str(folder / "net.pdparams")
    paddle.save(layer.state_dict(), path)
    state = paddle.load(path)
    other = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    result = other.set_state_dict(state)
    return (
        list(state),
        [type(v).__name__ == type(paddle.ones([1])).__name__ for v in state.values()],
        result,
        other(paddle.to_tensor(X)),
    )


@scenario
def a_state_dict_as_numpy(folder):
    path = str(folder / "net.pdparams")
    paddle.save(net().state_dict(), path)
    state = paddle.load(path, return_numpy=True)
    return {key: [type(v).__name__, v] for key, v in state.items()}


@scenario
def nested_objects(folder):
    path = str(folder / "nested.pdparams")
    value = {
        "a": paddle.ones([2]),
        "b": [paddle.zeros([1], "int64"), 3, "text", None, 2.5],
        "c": {"d": (paddle.to_tensor(True), np.arange(3))},
    }
    paddle.save(value, path)
    return (
        paddle.load(path),
        raised(paddle.load, str(folder / "nothing")),
        raised(paddle.save, value, str(folder)),
    )


@scenario
def single_tensors_and_protocols(folder):
    found = []
    for protocol in (2, 3, 4):
        path = str(folder / f"t{protocol}")
        paddle.save(paddle.to_tensor(X), path, protocol=protocol)
        found.append(paddle.load(path))
    return found, raised(paddle.save, paddle.ones([1]), str(folder / "p"), protocol=9)


@scenario
def to_and_from_bytes():
    buffer = io.BytesIO()
    paddle.save({"x": paddle.to_tensor(X)}, buffer)
    buffer.seek(0)
    return paddle.load(buffer)


@scenario
def dtypes_that_are_kept(folder):
    state = {
        d: paddle.to_tensor([1, 0, 1]).astype(d)
        for d in (
            "bool",
            "uint8",
            "int8",
            "int16",
            "int32",
            "int64",
            "float16",
            "float32",
            "float64",
            "complex64",
        )
    }
    paddle.save(state, str(folder / "t"))
    return paddle.load(str(folder / "t"))


@scenario
def parameters_stay_parameters(folder):
    layer = nn.Linear(3, 2)
    layer.weight.stop_gradient = True
    paddle.save(layer.state_dict(), str(folder / "p"))
    state = paddle.load(str(folder / "p"))
    return {k: [v.stop_gradient, v.shape] for k, v in state.items()}


@scenario
def an_optimizer_goes_on(folder):
    layer, opt = trained()
    paddle.save(layer.state_dict(), str(folder / "n"))
    paddle.save(opt.state_dict(), str(folder / "o"))
    other = net()
    rule = paddle.optimizer.Adam(0.1, parameters=other.parameters())
    other.set_state_dict(paddle.load(str(folder / "n")))
    state = paddle.load(str(folder / "o"))
    for a, b in zip(layer.parameters(), other.parameters()):
        for key in [k for k in state if isinstance(k, str) and k.startswith(a.name)]:
            state[b.name + key[len(a.name) :]] = state.pop(key)
    rule.set_state_dict(state)
    for l, o in ((layer, opt), (other, rule)):
        l(paddle.to_tensor(X)).square().mean().backward()
        o.step()
    return [p for p in layer.parameters()], [
        bool((a == b).all()) for a, b in zip(layer.parameters(), other.parameters())
    ]


@scenario
def the_keys_of_optimizers():
    layer, opt = trained()
    first = layer[0].weight.name
    return (
        sorted(k.replace(first, "w") for k in opt.state_dict() if k.startswith(first)),
        "LR_Scheduler" in opt.state_dict(),
        "master_weights" in opt.state_dict(),
    )


@scenario
def a_scheduler_within_the_state():
    layer = net()
    sched = paddle.optimizer.lr.StepDecay(0.5, 2)
    opt = paddle.optimizer.SGD(sched, parameters=layer.parameters())
    for _ in range(3):
        sched.step()
    state = opt.state_dict()
    other = paddle.optimizer.SGD(
        paddle.optimizer.lr.StepDecay(0.5, 2), parameters=layer.parameters()
    )
    other.set_state_dict(state)
    return state["LR_Scheduler"]["last_epoch"], state["LR_Scheduler"]["last_lr"], other.get_lr()


@scenario
def states_that_do_not_fit():
    layer = net()
    state = layer.state_dict()
    missing = {k: v for k, v in state.items() if k != "0.bias"}
    extra = dict(state, other=paddle.ones([1]))
    shape = dict(state, **{"0.bias": paddle.ones([9])})
    return each(
        lambda: layer.set_state_dict(missing),
        lambda: layer.set_state_dict(extra),
        lambda: layer.set_state_dict(dict(shape)),
        lambda: layer.set_state_dict({}),
        lambda: layer.load_dict(state),
        lambda: layer.set_dict({k: v.numpy() for k, v in state.items()}),
    )


@scenario
def forms_of_state_dicts():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(2, 2)
            self.bn = nn.BatchNorm1D(2)
            self.register_buffer("kept", paddle.ones([1]))
            self.register_buffer("dropped", paddle.ones([1]), persistable=False)
            self.p = self.create_parameter([1])

    n = Net()
    return each(
        lambda: list(n.state_dict()),
        lambda: list(n.state_dict(include_sublayers=False)),
        lambda: list(n.state_dict(structured_name_prefix="x.")),
        lambda: list(n.to_static_state_dict()),
        lambda: [k for k, _ in n.named_buffers()],
        lambda: [k for k, _ in n.named_parameters()],
        lambda: list(n.bn.state_dict()),
        lambda: n.state_dict(use_hook=False).keys() == n.state_dict().keys(),
    )


@scenario
def shared_parameters(folder):
    a = nn.Linear(3, 3)
    layer = fill(nn.Sequential(a, nn.Tanh(), a))
    paddle.save(layer.state_dict(), str(folder / "p"))
    other = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
    other.set_state_dict(paddle.load(str(folder / "p")))
    return list(layer.state_dict()), len(layer.parameters()), other(paddle.to_tensor(X))


@scenario
def jit_saved_and_loaded(folder):
    layer = net()
    layer.eval()
    path = str(folder / "m")
    paddle.jit.save(layer, path, input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")])
    loaded = paddle.jit.load(path)
    return each(
        lambda: loaded(paddle.to_tensor(X)),
        lambda: sorted(os.listdir(folder)),
        lambda: len(loaded.parameters()),
        lambda: loaded.training,
        lambda: (
            [s.shape for s in loaded._input_spec()]
            if hasattr(loaded, "_input_spec") and False
            else None
        ),
    )


@scenario
def weights_of_a_saved_program(folder):
    layer = net()
    paddle.jit.save(
        layer, str(folder / "m"), input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")]
    )
    state = paddle.load(str(folder / "m"))
    other = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    return sorted(v.shape for v in state.values()), sorted(state) == sorted(layer.state_dict())


def build():
    x = paddle.static.data("x", [None, 3])
    out = paddle.static.nn.fc(
        x,
        2,
        weight_attr=paddle.ParamAttr(name="w", initializer=nn.initializer.Constant(0.5)),
        bias_attr=paddle.ParamAttr(name="b", initializer=nn.initializer.Constant(0.1)),
    )
    loss = paddle.mean(out * out)
    return x, out, loss


def started():
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    return exe


@static_scenario
def static_save_and_load(folder):
    x, out, loss = build()
    paddle.optimizer.Adam(0.1).minimize(loss)
    exe, main = started(), paddle.static.default_main_program()
    for _ in range(2):
        exe.run(main, {"x": X}, [loss])
    paddle.static.save(main, str(folder / "m"))
    before = exe.run(main, {"x": X}, [loss])
    exe.run(paddle.static.default_startup_program())
    paddle.static.load(main, str(folder / "m"), exe)
    after = exe.run(main, {"x": X}, [loss])
    return before, after, sorted(os.listdir(folder))


@static_scenario
def program_states(folder):
    x, out, loss = build()
    exe, main = started(), paddle.static.default_main_program()
    paddle.static.save(main, str(folder / "m"))
    state = paddle.static.load_program_state(str(folder / "m"))
    state["w"] = state["w"] * 2
    paddle.static.set_program_state(main, state)
    return each(
        lambda: sorted(state),
        lambda: exe.run(main, {"x": X}, [out]),
        lambda: {k: np.array(v) for k, v in main.state_dict().items()},
        lambda: sorted(main.state_dict("param")),
        lambda: raised(main.state_dict, "nothing"),
    )


@static_scenario
def inference_models(folder):
    x, out, loss = build()
    exe = started()
    path = str(folder / "m")
    paddle.static.save_inference_model(path, [x], [out], exe)
    program, feeds, fetches = paddle.static.load_inference_model(path, exe)
    return each(
        lambda: feeds,
        lambda: [list(f.shape) for f in fetches],
        lambda: exe.run(program, {feeds[0]: X}, fetches),
        lambda: sorted(os.listdir(folder)),
        lambda: [
            op.type
            for op in program.global_block().ops
            if op.type not in ("feed", "fetch", "scale")
        ],
    )


@static_scenario
def inference_models_with_a_program_and_file_names(folder):
    x, out, loss = build()
    exe = started()
    main = paddle.static.default_main_program()
    paddle.static.save_inference_model(str(folder / "m"), [x], [out, loss], exe, program=main)
    program, feeds, fetches = paddle.static.load_inference_model(str(folder / "m"), exe)
    return (
        feeds,
        exe.run(program, {"x": X}, fetches),
        len(fetches),
        raised(paddle.static.load_inference_model, str(folder / "none"), exe),
    )


@static_scenario
def serialized_programs():
    x, out, loss = build()
    exe = started()
    data = paddle.static.serialize_program([x], [out])
    params = paddle.static.serialize_persistables([x], [out], exe)
    program = paddle.static.deserialize_program(data)
    paddle.static.deserialize_persistables(program, params, exe)
    return (
        type(data).__name__,
        type(params).__name__,
        [op.type for op in program.global_block().ops if op.type not in ("feed", "fetch", "scale")],
    )


@static_scenario
def normalized_programs():
    x, out, loss = build()
    paddle.optimizer.SGD(0.1).minimize(loss)
    program = paddle.static.normalize_program(paddle.static.default_main_program(), [x], [out])
    return [
        op.type for op in program.global_block().ops if op.type not in ("feed", "fetch", "scale")
    ], raised(paddle.static.normalize_program, 3, [x], [out])


@static_scenario
def files_of_bytes(folder):
    path = str(folder / "raw")
    paddle.static.save_to_file(path, b"abc")
    return paddle.static.load_from_file(path), raised(
        paddle.static.load_from_file, str(folder / "none")
    )


@static_scenario
def dygraph_weights_in_a_program(folder):
    x, out, loss = build()
    exe, main = started(), paddle.static.default_main_program()
    paddle.disable_static()
    layer = nn.Linear(3, 2)
    layer.weight.set_value(f32([[1, 2], [3, 4], [5, 6]]))
    paddle.save({"w": layer.weight, "b": layer.bias}, str(folder / "p"))
    paddle.enable_static()
    main.set_state_dict(paddle.load(str(folder / "p")))
    return exe.run(main, {"x": X}, [out])


@static_scenario
def saved_program_and_tensors_of_static_mode(folder):
    x, out, loss = build()
    exe, main = started(), paddle.static.default_main_program()
    paddle.save(main, str(folder / "m.pdmodel"))
    paddle.save(main.state_dict(), str(folder / "m.pdparams"))
    program = paddle.load(str(folder / "m.pdmodel"))
    state = paddle.load(str(folder / "m.pdparams"))
    program.set_state_dict(state)
    return (
        [op.type for op in program.global_block().ops],
        sorted(state),
        exe.run(program, {"x": X}, [out.name]),
    )
