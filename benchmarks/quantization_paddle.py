"""Quantize with PaddlePaddle's own tools, and run models in its Predictor, for quantization.py.

    $OARLOCK_PADDLE benchmarks/quantization_paddle.py quantize PREFIX CALIBRATION.npz OUT
    $OARLOCK_PADDLE benchmarks/quantization_paddle.py measure REQUEST.json

REQUEST.json: {"samples": TEST.npz, "input": NAME, "rounds": N, "models": {NAME: PREFIX},
"outputs": SCORES.npz, "answer": ANSWER.json}. SCORES.npz gets the first output of each model for
all samples, ANSWER.json {NAME: {"times": [SECONDS, ...], "kernels": "oneDNN int8" | "oneDNN" |
"plain", "reason": WHY}}. Times are those of alternating runs with one sample and one thread.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import paddle
from paddle import inference
from paddle.static.quantization import PostTrainingQuantization

BATCH_SIZE = 32
MAX_SAMPLES = 5000  # for accuracies
WARMUP_ROUNDS = 10
WEIGHTED_OPS = ["conv2d", "depthwise_conv2d", "conv2d_transpose", "mul", "matmul", "matmul_v2"]


class Samples(paddle.io.Dataset):
    """The calibration samples."""

    def __init__(self, samples: Any) -> None:
        super().__init__()
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return (self._samples[index],)


def quantize(prefix: Path, calibration: Path, out: Path) -> None:
    """Write `out`.pdmodel and .pdiparams: per-channel weights, thresholds of activations from the
    largest absolute values.
    """
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, names, fetches = paddle.static.load_inference_model(str(prefix), executor)
    inputs = [program.global_block().var(name) for name in names]
    for block in program.blocks:
        for op in block.ops:  # the passes need the attribute, which Oarlock does not write
            op._set_attr("op_role", 0)
    prepared = out.with_name(out.name + ".prepared")
    paddle.static.save_inference_model(
        str(prepared), inputs, fetches, executor, program=program, clip_extra=False
    )
    with np.load(calibration) as arrays:
        samples = arrays[names[0]]
    loader = paddle.io.DataLoader(
        Samples(samples),
        feed_list=inputs,
        batch_size=BATCH_SIZE,
        return_list=False,
        places=paddle.CPUPlace(),
    )
    ptq = PostTrainingQuantization(
        executor,
        str(out.parent),
        model_filename=f"{prepared.name}.pdmodel",
        params_filename=f"{prepared.name}.pdiparams",
        data_loader=loader,
        batch_size=BATCH_SIZE,
        algo="abs_max",
        weight_quantize_type="channel_wise_abs_max",
        quantizable_op_type=WEIGHTED_OPS,
        onnx_format=True,  # int8 weights; the older form has float ones
        optimize_model=True,  # folds batch normalization
    )
    ptq.quantize()
    ptq.save_quantized_model(str(out.parent), f"{out.name}.pdmodel", f"{out.name}.pdiparams")


class Model:
    """A model in the Predictor, with the fastest kernels that accept it."""

    def __init__(self, prefix: str, sample: Any, is_float: bool) -> None:
        self.times: list[float] = []
        self.reason = ""
        for kernels in ["oneDNN" if is_float else "oneDNN int8", "plain"]:
            try:
                self._predictor = _create_predictor(prefix, kernels)
                self.run(sample)
            except (RuntimeError, ValueError, NotImplementedError, OSError) as error:
                self.reason = f"{kernels}: {_first_sentence(str(error))}"
            else:
                self.kernels = kernels
                return
        raise RuntimeError(self.reason)

    def run(self, sample: Any) -> Any:
        """Return the first output."""
        predictor = self._predictor
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(sample)
        predictor.run()
        return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()


def _create_predictor(prefix: str, kernels: str) -> Any:
    config = inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams")
    config.disable_glog_info()
    config.disable_gpu()
    config.set_cpu_math_library_num_threads(1)
    if kernels.startswith("oneDNN"):
        config.enable_mkldnn()
    if kernels == "oneDNN int8":
        config.enable_mkldnn_int8()
    return inference.create_predictor(config)


def _first_sentence(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("(")]  # Paddle's line "(Kind) message"
    return (errors or lines or ["unknown error"])[0]


def measure(request: dict[str, Any]) -> None:
    """Run the models of a request."""
    with np.load(request["samples"]) as arrays:
        samples = arrays[request["input"]][:MAX_SAMPLES]
    models: dict[str, Model] = {}
    answer: dict[str, Any] = {}
    for name, prefix in request["models"].items():
        try:
            models[name] = Model(prefix, samples[:1], name == "float")
        except RuntimeError as error:
            answer[name] = {"times": [], "kernels": "", "reason": str(error)}
    names = list(models)
    for i in range(WARMUP_ROUNDS + request["rounds"]):
        sample = samples[i % len(samples)][None]
        first = i % len(names)
        for name in names[first:] + names[:first]:
            start = perf_counter()
            models[name].run(sample)
            if i >= WARMUP_ROUNDS:
                models[name].times.append(perf_counter() - start)
    for name, model in models.items():
        answer[name] = {"times": model.times, "kernels": model.kernels, "reason": model.reason}
    batches = [samples[i : i + BATCH_SIZE] for i in range(0, len(samples), BATCH_SIZE)]
    outputs = {name: np.concatenate([*map(model.run, batches)]) for name, model in models.items()}
    np.savez(request["outputs"], **outputs)
    Path(request["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def main() -> None:
    """Run the command."""
    command, *words = sys.argv[1:]
    if command == "quantize":
        quantize(*map(Path, words))
    else:
        measure(json.loads(Path(words[0]).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
