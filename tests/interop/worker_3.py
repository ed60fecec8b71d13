"""Real Paddle 3 as a process that answers requests over a pipe, as worker.py with Paddle 2."""

import json
import os
import sys
import traceback

import numpy as np
import paddle
import paddle_3_functions
from paddle import inference
from paddle.static import InputSpec


def _arrays(found):
    found = found if isinstance(found, (list, tuple)) else [found]
    return [np.asarray(x.numpy() if isinstance(x, paddle.Tensor) else x) for x in found]


def _load(prefix):
    layer = paddle.jit.load(prefix)
    layer.eval()
    return layer


def by_jit(prefix, inputs):
    return _arrays(_load(prefix)(*[paddle.to_tensor(x) for x in inputs]))


def _inputs(path):
    with np.load(path) as held:
        return [held[name] for name in held.files]


def by_predictor(prefix, inputs):
    """A `.json`, or else a `.pdmodel`."""
    program = next(p for s in (".json", ".pdmodel") if os.path.exists(p := prefix + s))
    params = prefix + ".pdiparams"
    config = inference.Config(program, params if os.path.exists(params) else "")
    config.disable_glog_info()
    config.disable_mkldnn()
    predictor = inference.create_predictor(config)
    for name, x in zip(predictor.get_input_names(), inputs, strict=True):
        predictor.get_input_handle(name).copy_from_cpu(x)
    predictor.run()
    return _arrays(
        [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]
    )


LOADERS = {"jit": by_jit, "predictor": by_predictor}


def run(prefix, inputs, outputs, loaders):
    """Run a model by each loader; `<outputs>.<loader>.npz` gets the results."""
    given = _inputs(inputs)
    for loader in loaders:
        np.savez(f"{outputs}.{loader}.npz", *LOADERS[loader](prefix, given))


def call(prefix, calls):
    """Load a model once, and run it on `PREFIX.N.in.npz`; `PREFIX.N.out.npz` gets the results."""
    layer = _load(prefix)
    for i in range(calls):
        given = [paddle.to_tensor(x) for x in _inputs(f"{prefix}.{i}.in.npz")]
        np.savez(f"{prefix}.{i}.out.npz", *_arrays(layer(*given)))


class OneInput(paddle.nn.Layer):
    """A function as a layer; the number of its arguments must be known to Paddle."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, a):
        return self.function(paddle, a)


class TwoInputs(OneInput):
    def forward(self, a, b):
        return self.function(paddle, a, b)


class ThreeInputs(OneInput):
    def forward(self, a, b, c):
        return self.function(paddle, a, b, c)


def export_functions(folder):
    """Save the cases of paddle_3_functions.py, with static sizes and with a dynamic first dimension
    (`NAME_dynamic`), and what the saved programs compute.
    """
    for name, (function, inputs) in paddle_3_functions.CASES.items():
        for dynamic in (False, True):
            if dynamic and name in paddle_3_functions.STATIC_ONLY:
                continue
            layer = (OneInput, TwoInputs, ThreeInputs)[len(inputs) - 1](function)
            layer.eval()
            specs = [
                InputSpec([None, *x.shape[1:]] if dynamic else list(x.shape), str(x.dtype), f"x{i}")
                for i, x in enumerate(inputs)
            ]
            prefix = os.path.join(folder, name + ("_dynamic" if dynamic else ""))
            paddle.jit.save(layer, prefix, input_spec=specs)
            np.savez(prefix + ".out.npz", *by_jit(prefix, inputs))


FUNCTIONS = {"run": run, "call": call, "export_functions": export_functions}


def answer(line):
    asked = json.loads(line)
    try:
        return {"ok": FUNCTIONS[asked.pop("do")](**asked)}
    except Exception:
        return {"error": traceback.format_exc()}


def main():
    # Paddle writes to stdout too
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"ok": "ready"}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(line)), file=out, flush=True)


if __name__ == "__main__":
    main()
