"""Real Paddle 3 as a process that answers requests over a pipe, as worker.py with Paddle 2."""

import json
import os
import sys
import traceback

import numpy as np
import paddle
from paddle import inference


def _arrays(found):
    found = found if isinstance(found, (list, tuple)) else [found]
    return [np.asarray(x.numpy() if isinstance(x, paddle.Tensor) else x) for x in found]


def by_jit(prefix, inputs):
    layer = paddle.jit.load(prefix)
    layer.eval()
    return _arrays(layer(*[paddle.to_tensor(x) for x in inputs]))


def by_predictor(prefix, inputs):
    params = prefix + ".pdiparams"
    config = inference.Config(prefix + ".json", params if os.path.exists(params) else "")
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
    with np.load(inputs) as held:
        given = [held[name] for name in held.files]
    for loader in loaders:
        np.savez(f"{outputs}.{loader}.npz", *LOADERS[loader](prefix, given))


FUNCTIONS = {"run": run}


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
