"""A model that the server runs: its inputs and outputs, statistics, and inference."""

from __future__ import annotations

import threading
import time
from functools import cached_property
from typing import Any

import numpy as np

from ..core.errors import GuardError, OpError
from ..loader.model_files import model_name, read_model
from ..loader.program_engine import create_engine_of_files
from ..loader.runtime import EngineError
from ..onnx.synthetic_inputs import iter_terminating_input_sets
from .datatypes import require_datatype
from .protocol import Request, RequestError, encode_response, first_line_of_error
from .triton import model_config


class InferenceStatistics:
    """Counts and total times of the inference requests for a model. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.success = self.fail = self.success_ns = self.fail_ns = self.rows = self.last_ms = 0

    def add(self, ok: bool, seconds: float, rows: int) -> None:
        """Count a request.  rows: its number of samples"""
        duration_ns = int(seconds * 1e9)
        with self._lock:
            if ok:
                self.success += 1
                self.success_ns += duration_ns
                self.rows += rows
            else:
                self.fail += 1
                self.fail_ns += duration_ns
            self.last_ms = int(time.time() * 1000)


class ServedModel:
    """A named model. Any number of threads may call the method `infer_and_encode_response` at the
    same time.
    """

    def __init__(self, prefix: str, name: str = "", **options: Any) -> None:
        self._files = files = read_model(prefix)
        self.name = name or model_name(prefix)
        self.engine = create_engine_of_files(files, **options)
        self.inputs = {n: require_datatype(dtype, n) for n, dtype, _ in self.engine.inputs}
        self.outputs = {n: require_datatype(dtype, n) for n, dtype, _ in self.engine.outputs}
        self.statistics = InferenceStatistics()

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration of the model in Triton's form, without `dynamic_batching`: this server
        does not combine requests.
        """
        config = model_config(self.name, self.engine, self._files)
        return {key: value for key, value in config.items() if key != "dynamic_batching"}

    def metadata(self) -> dict[str, Any]:
        """Return names, dtypes and shapes of inputs and outputs in the form of the protocol."""

        def describe_tensors(
            tensors: list[tuple[str, str, list[int | str]]],
        ) -> list[dict[str, Any]]:
            return [
                {
                    "name": n,
                    "datatype": require_datatype(dtype, n).protocol,
                    "shape": [d if isinstance(d, int) else -1 for d in shape],
                }
                for n, dtype, shape in tensors
            ]

        return {
            "name": self.name,
            "versions": ["1"],
            "platform": "oarlock_paddle",
            "inputs": describe_tensors(self.engine.inputs),
            "outputs": describe_tensors(self.engine.outputs),
        }

    def infer_and_encode_response(self, request: Request) -> tuple[bytes, int | None]:
        """Run the model on the inputs of a request, and encode the response. Returns the body of
        the response. If binary tensors follow the JSON of the response, also returns the length of
        the JSON, otherwise None. Raises RequestError.
        """
        names = list(request.outputs) or list(self.outputs)
        unknown = [name for name in names if name not in self.outputs]
        if unknown:
            raise RequestError(
                f"the outputs {unknown} do not exist (the model has {list(self.outputs)})"
            )
        try:
            arrays = self.engine.run(request.feeds, names)
        except (OpError, GuardError) as error:
            code = "guard_violated" if isinstance(error, GuardError) else "invalid_request"
            raise RequestError(first_line_of_error(error), code=code) from None
        results = [(n, self.outputs[n], a) for n, a in zip(names, arrays, strict=True)]
        return encode_response(self.name, request, results)

    def warm_up(self) -> None:
        """Run the model once on synthetic inputs, so that the first request does not wait for
        initialization.
        """
        for feeds in iter_terminating_input_sets(self.engine, self._files):
            try:
                self.engine.run(feeds)
                return
            except (OpError, GuardError, EngineError):
                continue


def num_samples(request: Request) -> int:
    """Return the number of samples of a request: the size of the first axis of its first input."""
    first: np.ndarray[Any, Any] | None = next(iter(request.feeds.values()), None)
    return 1 if first is None or first.ndim == 0 else int(first.shape[0])
