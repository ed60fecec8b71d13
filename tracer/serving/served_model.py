"""One model that is served: its inputs and outputs, what it was asked so far, and how it
answers.
"""

from __future__ import annotations

import threading
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import GuardError, OpError
from ..loader.engine import Engine
from ..loader.model_files import read_model
from .datatypes import datatype_of
from .protocol import Request, RequestError, answer
from .triton import config_of


class Counts:
    """How many requests there were, and how long they took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.success = self.fail = self.success_ns = self.fail_ns = self.rows = self.last_ms = 0

    def add(self, ok: bool, seconds: float, rows: int) -> None:
        """One more."""
        took = int(seconds * 1e9)
        with self._lock:
            if ok:
                self.success, self.success_ns, self.rows = (
                    self.success + 1,
                    self.success_ns + took,
                    self.rows + rows,
                )
            else:
                self.fail, self.fail_ns = self.fail + 1, self.fail_ns + took
            self.last_ms = int(time.time() * 1000)


class Served:
    """A model behind a name.   Any number of threads may ask it at once."""

    def __init__(self, prefix: str, name: str = "", **options: Any) -> None:
        files = read_model(prefix)
        self.name = name or Path(prefix).name.removesuffix(".pdmodel")
        self.engine = Engine(files.pdmodel, files.params_path, files.name, **options)
        self.inputs = {n: datatype_of(dtype, n) for n, dtype, _ in self.engine.inputs}
        self.outputs = {n: datatype_of(dtype, n) for n, dtype, _ in self.engine.outputs}
        self.counts = Counts()

    @cached_property
    def config(self) -> dict[str, Any]:
        """What Triton would be told of it."""
        return config_of(self.name, self.engine)

    def metadata(self) -> dict[str, Any]:
        """Names, dtypes and shapes, as the protocol describes them."""

        def described(tensors: list[tuple[str, str, list[int | str]]]) -> list[dict[str, Any]]:
            return [
                {
                    "name": n,
                    "datatype": datatype_of(dtype, n).protocol,
                    "shape": [d if isinstance(d, int) else -1 for d in shape],
                }
                for n, dtype, shape in tensors
            ]

        return {
            "name": self.name,
            "versions": ["1"],
            "platform": "oarlock_paddle",
            "inputs": described(self.engine.inputs),
            "outputs": described(self.engine.outputs),
        }

    def infer(self, request: Request) -> tuple[bytes, int | None]:
        """The answer to a request: a body, and how long its JSON is.   Raises RequestError."""
        wanted = list(request.outputs) or list(self.outputs)
        unknown = [name for name in wanted if name not in self.outputs]
        if unknown:
            raise RequestError(f"outputs {unknown} are none of {list(self.outputs)}")
        try:
            arrays = self.engine.run(request.feeds, wanted)
        except (OpError, GuardError) as error:
            # the line behind it would be one of this server
            raise RequestError(str(error).splitlines()[0]) from None
        results = [(n, self.outputs[n], a) for n, a in zip(wanted, arrays, strict=True)]
        return answer(self.name, request, results)

    def warm_up(self) -> None:
        """Run once on made-up inputs, so that the first client does not wait for what is
        done once.
        """
        for feeds in self.engine.made_up_inputs():
            try:
                self.engine.run(feeds)
                return
            except (OpError, GuardError):
                continue


def rows_of(request: Request) -> int:
    """How many samples a request has: the first size of its first input."""
    first: np.ndarray[Any, Any] | None = next(iter(request.feeds.values()), None)
    return 1 if first is None or first.ndim == 0 else int(first.shape[0])
