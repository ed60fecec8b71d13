"""Functions that `test_system_failures.py` runs in a child process, which may crash or run out of
memory.

python -m tests.loader.system_failures WHAT [WORDS]
"""

from __future__ import annotations

import ctypes
import locale
import os
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock.core.errors import OarlockError
from oarlock.export.pdmodel import to_bytes
from oarlock.loader.engine import Engine

from ..ops.rows import Row
from ..ops.test_recorded import recorded

LIMIT = 3 << 30


def model_of(row: Row, hide: bool = True) -> bytes:
    """A `.pdmodel` of one op."""
    recorder, _, names = recorded(row, hide=hide)
    recorder.fetch(names[0])
    return to_bytes(recorder.program)


def endless() -> bytes:
    """A model that runs for half a minute with `endless_feeds`, in small steps."""
    weight, u, v = np.ones((64, 64), "f"), np.ones(64, "f"), np.ones(64, "f")
    return model_of(Row("spectral_norm", [weight, u, v], {"power_iters": 4096}))


def endless_feeds() -> list[Any]:
    """Inputs for it that make a step slow."""
    rows = np.random.default_rng(0).standard_normal((3000, 3000), "f")
    return [rows, np.ones(3000, "f"), np.ones(3000, "f")]


def told(error: Exception) -> None:
    """Print the class and the first line of an error."""
    print(type(error).__name__, str(error).splitlines()[0])


def ctrl_c() -> None:
    """Send Ctrl-C during a long run; prints the outcome, and that the engine still works."""
    engine = Engine(endless(), None, threads=1)
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        engine.run(endless_feeds())
    except KeyboardInterrupt:
        print("interrupted")
    relu = Engine(model_of(Row("relu", [np.ones(2, "f")])), None)
    print(relu.run([np.array([-1, 2], "f")])[0].tolist())


def stop() -> None:
    """Stop a long run from another thread; prints the outcome."""
    engine = Engine(endless(), None, threads=1)
    threading.Timer(1, engine.stop).start()
    for _ in range(2):
        try:
            engine.run(endless_feeds())
        except OarlockError as error:
            told(error)


def small_memory(preset: str) -> None:
    """Run a model that needs more memory than available; prints the error, and that the engine
    still works.
    """
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    engine = Engine(
        model_of(Row("expand_v2", [np.ones((1, 1), "f")], {"shape": [40000, 40000]})),
        None,
        threads=1,
        memory=preset,
    )
    for _ in range(2):
        try:
            engine.run([np.ones((1, 1), "f")])
        except (OarlockError, MemoryError) as error:
            told(error)
    relu = Engine(model_of(Row("relu", [np.ones(2, "f")])), None, threads=1)
    print(relu.run([np.array([-1, 2], "f")])[0].tolist())


def large_weights(path: str) -> None:
    """Open weights that do not fit into memory."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    try:
        Engine(Path(path).with_suffix(".pdmodel").read_bytes(), path)
    except (OarlockError, MemoryError) as error:
        told(error)


def chained_handlers(library: str) -> None:
    """Send Ctrl-C after a library installed signal handlers that call the previous handler.

    Sessions made between and after them install the engine's handler again: each handler is called
    once.
    """
    handlers = ctypes.CDLL(library)
    relu = model_of(Row("relu", [np.ones(2, "f")]))
    for index in range(2):
        Engine(relu, None)
        handlers.install(index)
    engine = Engine(endless(), None, threads=1)
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        engine.run(endless_feeds())
    except KeyboardInterrupt:
        print("interrupted", handlers.calls_of(0), handlers.calls_of(1))


def other_threads() -> None:
    """Send many Ctrl-C to other threads while the first one creates, runs and deletes sessions."""
    relu = model_of(Row("relu", [np.ones(2, "f")]))
    received, ended = 0, threading.Event()

    def count(number: int, frame: Any) -> None:
        nonlocal received
        received += 1

    signal.signal(signal.SIGINT, count)
    Engine(relu, None)

    def send() -> None:
        while not ended.is_set():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    for _ in range(150):
        assert Engine(relu, None, threads=1).run([np.array([-1, 2], "f")])[0].tolist() == [0, 2]
    ended.set()
    sender.join()
    print(received > 0)


def comma(prefix: str) -> None:
    """Run a saved model in the user's locale; prints 1.5 in that locale."""
    locale.setlocale(locale.LC_ALL, "")
    print(locale.str(1.5))
    layer = paddle.jit.load(prefix)
    print(layer(paddle.full([2], 1.25)).numpy().tolist())
    try:
        layer(paddle.full([2], 1.5))
    except OarlockError as error:
        told(error)
    print(paddle.jit.load(prefix)(paddle.full([2], 1.25)).numpy().tolist())


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
