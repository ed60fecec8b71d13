"""Real Paddle as a process that answers requests over a pipe.

Runs in Paddle's own environment; one JSON line in, one JSON line out.

{"do": "run", "prefix": ..., "inputs": x.npz, "outputs": folder}
->
{"ok": ...} or {"error": ...}
"""

import importlib
import json
import os
import sys
import traceback

import lowering_cases
import make_exports
import numpy as np
import packed_models
import paddle
import quantized
import quantized_layers
import same_code
import static_files
import step_programs
import trained_programs
import training
import vision_signatures
from paddle import inference


def export(folder):
    return make_exports.export_all(folder)


def halve(prefix, to):
    """A model in float16 but for its inputs and outputs, as for a GPU."""
    params = prefix + ".pdiparams" if os.path.exists(prefix + ".pdiparams") else ""
    inference.convert_to_mixed_precision(
        prefix + ".pdmodel",
        params,
        to + ".pdmodel",
        to + ".pdiparams",
        inference.PrecisionType.Half,
        inference.PlaceType.GPU,
        True,
        set(),
    )


def _inputs(path):
    with np.load(path) as held:
        return [held[name] for name in held.files]


def _arrays(found):
    found = found if isinstance(found, (list, tuple)) else [found]
    return [np.asarray(x.numpy() if isinstance(x, paddle.Tensor) else x) for x in found]


def by_jit(prefix, inputs):
    return _arrays(paddle.jit.load(prefix)(*[paddle.to_tensor(x) for x in inputs]))


def by_static(prefix, inputs):
    paddle.enable_static()
    try:
        exe, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            program, names, fetches = paddle.static.load_inference_model(prefix, exe)
            return _arrays(
                exe.run(program, feed=dict(zip(names, inputs, strict=True)), fetch_list=fetches)
            )
    finally:
        paddle.disable_static()


def by_onednn_int8(prefix, inputs):
    """By the predictor, with the int8 kernels of oneDNN for quantized ops."""
    return by_predictor(prefix, inputs, uses_int8=True)


def by_predictor(prefix, inputs, uses_int8=False):
    if os.path.exists(prefix + ".pdiparams"):
        config = inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    else:  # 2.6 asks for values where there are none unless it gets the program as bytes
        with open(prefix + ".pdmodel", "rb") as file:
            data = file.read()
        config = inference.Config()
        config.set_model_buffer(data, len(data), b"", 0)
    config.disable_glog_info()
    if uses_int8:
        config.enable_mkldnn()
        config.enable_mkldnn_int8()
    predictor = inference.create_predictor(config)
    for name, x in zip(predictor.get_input_names(), inputs, strict=True):
        predictor.get_input_handle(name).copy_from_cpu(x)
    predictor.run()
    return _arrays(
        [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]
    )


LOADERS = {
    "jit": by_jit,
    "static": by_static,
    "predictor": by_predictor,
    "onednn_int8": by_onednn_int8,
}


def run(prefix, inputs, outputs, loaders):
    """Run a model by each loader; `<outputs>.<loader>.npz` gets the results."""
    for loader in loaders:
        np.savez(f"{outputs}.{loader}.npz", *LOADERS[loader](prefix, _inputs(inputs)))


def run_all_of(folder, count):
    """Run the models 0, 1, ... of a folder on their `.in.npz`, write the results to `.found.npz`,
    and return the errors.
    """
    errors = {}
    for number in range(count):
        prefix = os.path.join(folder, str(number))
        try:
            np.savez(f"{prefix}.found.npz", *by_jit(prefix, _inputs(f"{prefix}.in.npz")))
        except Exception as error:
            errors[number] = f"{type(error).__name__}: {error}"
    return errors


def save_state(path, protocol):
    """A state dict, an optimizer's state and nested data, all with known values."""
    paddle.seed(0)
    layer = paddle.nn.Linear(3, 2)
    layer.weight.set_value(np.arange(6, dtype="float32").reshape(3, 2))
    layer.register_buffer("half", paddle.to_tensor([1.5, -2.0]).astype("bfloat16"))
    adam = paddle.optimizer.Adam(
        paddle.optimizer.lr.StepDecay(0.1, 2), parameters=layer.parameters()
    )
    layer(paddle.ones([1, 3])).sum().backward()
    adam.step()
    paddle.save(layer.state_dict(), path + ".pdparams", protocol=protocol)
    paddle.save(adam.state_dict(), path + ".pdopt", protocol=protocol)
    paddle.save(
        {"epoch": 3, "best": [layer.weight, {"bias": layer.bias}]}, path + ".pd", protocol=protocol
    )
    np.savez(path + ".npz", weight=layer.weight.numpy(), bias=layer.bias.numpy())
    return {"weight": layer.weight.name, "bias": layer.bias.name}


def _described(value):
    if isinstance(value, paddle.Tensor):
        return [
            str(value.dtype),
            list(value.shape),
            value.name,
            value.astype("float32").numpy().tolist(),
        ]
    if isinstance(value, dict):
        return {key: _described(inner) for key, inner in value.items()}
    return [_described(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def load_state(path):
    """Return the content of a file: tensors as [dtype, shape, name, values]."""
    return _described(paddle.load(path))


def save_classifier(prefix):
    """A small convolutional net, by jit.save."""
    paddle.seed(0)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3, padding=1),
        paddle.nn.BatchNorm2D(4),
        paddle.nn.ReLU(),
        paddle.nn.MaxPool2D(2, 2),
        paddle.nn.Flatten(),
        paddle.nn.Dropout(0.1),
        paddle.nn.Linear(64, 3),
    )
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 1, 8, 8], "float32")])


def vision_model(name, settings, shape, path):
    """Return a network of paddle.vision.models with non-zero values: state, input, output, names
    and shapes.
    """
    paddle.seed(0)
    net = getattr(paddle.vision.models, name)(**settings)
    draw = np.random.default_rng(0)
    for value in net.state_dict().values():
        # biases and statistics start as zeros and ones, which would hide mistakes
        if len(value.shape) == 1:
            value.set_value(value.numpy() + draw.uniform(0, 0.2, value.shape).astype("float32"))
    net.eval()
    x = draw.standard_normal(shape).astype("float32")
    paddle.save(net.state_dict(), path + ".pdparams")
    np.savez(path + ".npz", x, *_arrays(net(paddle.to_tensor(x))))
    return [[key, list(value.shape), value.name] for key, value in net.state_dict().items()]


def signatures(module, names):
    """Names and defaults of the parameters of functions, classes and their methods, as {name:
    [[parameter, default], ...]}.
    """
    return vision_signatures.of(importlib.import_module(module), names)


def run_same_code(path):
    """Run the cases of every same_*.py; returns the errors."""
    return same_code.run_all(paddle, path, same_code.all_cases())


def train(case, folder):
    """Return the losses of a case of training.py; `folder`/end.npz gets the state."""
    losses, state = training.run(paddle, case, folder)
    np.savez(f"{folder}/end.npz", **state)
    return losses


def save_static(folder):
    """Files of a program written by hand; see static_files.py."""
    static_files.save(paddle, folder)


def load_static(folder, outputs):
    """Write the results of such files to `outputs`."""
    static_files.load(paddle, folder, outputs)


DO = {
    "lowering": lowering_cases.export_all,
    "packed_models": packed_models.export_all,
    "train": train,
    "trained_programs": trained_programs.save,
    "go_on": trained_programs.go_on,
    "save_static": save_static,
    "save_steps": step_programs.save,
    "load_static": load_static,
    "same_code": run_same_code,
    "vision_model": vision_model,
    "signatures": signatures,
    "save_classifier": save_classifier,
    "export": export,
    "quantize": quantized.write,
    "quantize_layers": lambda **asked: quantized_layers.run(paddle, **asked),
    "weight_quantize": lambda **asked: quantized_layers.quantize_weight(paddle, **asked),
    "restore_quantized": lambda **asked: quantized_layers.restore(paddle, **asked),
    "halve": halve,
    "run": run,
    "run_all_of": run_all_of,
    "save_state": save_state,
    "load_state": load_state,
}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Paddle prints is no answer
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"ok": DO[asked.pop("do")](**asked)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
