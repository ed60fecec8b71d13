"""The random generator of the process, which all random ops use and `seed` sets.

The module `numpy.random` is imported when the first random number is drawn.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias

import numpy as np

# The generator of the process, after its first use. A dict, because `setdefault` is atomic: the
# first draw in a thread must not undo a seed.
_generators: dict[str, np.random.Generator] = {}
_OF_PROCESS = "process"


GeneratorSource: TypeAlias = "np.random.Generator | Callable[[], np.random.Generator | None] | None"


class _ThreadGeneratorSource(threading.local):
    source: GeneratorSource = None


_generator_override = _ThreadGeneratorSource()


def no_program_seed_hook() -> int:
    """Default of main_program_seed_hook and startup_program_seed_hook: return 0, which means no
    seed.
    """
    return 0


# Hooks that return the `random_seed` of the default main program and of the default startup
# program.
main_program_seed_hook: Callable[[], int] = no_program_seed_hook
startup_program_seed_hook: Callable[[], int] = no_program_seed_hook


def use_program_seed_for_parameter() -> AbstractContextManager[None]:
    """Context manager in which the initial value of one parameter is drawn. If the `random_seed` of
    the default programs is set, the random generator is seeded with it at the start.

    As in Paddle, each parameter restarts from that seed, so parameters with the same shape and
    initializer are equal.
    """
    own = main_program_seed_hook() or startup_program_seed_hook()
    return use_generator(generator(own)) if own else nullcontext()


last_seed: int | None = None  # the argument of the last call of `seed`


def seed(value: int) -> np.random.Generator:
    """Restart the random number generator of the process from the seed `value`."""
    global last_seed  # noqa: PLW0603 - one process-wide source, as in Paddle
    last_seed = value
    result = _generators[_OF_PROCESS] = np.random.Generator(np.random.PCG64(value))
    return result


def _process_generator() -> np.random.Generator:
    found = _generators.get(_OF_PROCESS)
    if found is None:
        new = np.random.Generator(np.random.PCG64())
        found = _generators.setdefault(_OF_PROCESS, new)
    return found


def generator(own_seed: int = 0) -> np.random.Generator:
    """Return the random generator from which an op draws its numbers.

    own_seed: the seed of the op. If it is not 0, a new generator with this seed is returned;
    otherwise the generator set by `use_generator` in this thread, or that of the process.
    """
    if own_seed:
        return np.random.Generator(np.random.PCG64(own_seed))
    source = _generator_override.source
    return (source() if callable(source) else source) or _process_generator()


@contextmanager
def use_generator(source: GeneratorSource) -> Iterator[None]:
    """Context manager in which this thread draws random numbers from another generator.

    source: the generator, a function that is called for each draw and returns it, or None for the
    generator of the process.
    """
    before, _generator_override.source = _generator_override.source, source
    try:
        yield
    finally:
        _generator_override.source = before


def get_rng_state(device: str | None = None) -> list[Any]:
    """Return the state of the random generator of the process, which all devices share.

    Parameters
    ----------
    device : str, optional
        Not used.

    Returns
    -------
    list of one dict
        The argument of `set_rng_state`.

    Examples
    --------
    >>> state = paddle.get_rng_state()
    >>> x = paddle.rand([2])
    >>> paddle.set_rng_state(state)
    >>> paddle.equal_all(paddle.rand([2]), x).item()
    True
    """
    return [_process_generator().bit_generator.state]


def set_rng_state(state_list: list[Any], device: str | None = None) -> None:
    """Set the state of the random generator of the process, which all devices share.

    Parameters
    ----------
    state_list : list of one dict
        Result of `get_rng_state`.
    device : str, optional
        Not used.

    Examples
    --------
    >>> state = paddle.get_rng_state()
    >>> x = paddle.rand([2])
    >>> paddle.set_rng_state(state)
    >>> paddle.equal_all(paddle.rand([2]), x).item()
    True
    """
    _process_generator().bit_generator.state = state_list[0]
