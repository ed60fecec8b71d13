"""A stand-in for CuPy where there is no GPU: arrays of NumPy behind the real one's interface, and
its rejections.

It has the names of the real CuPy (`cupy_names.json`), their parameters and, of its ufuncs, the
dtypes.  As the real one it converts
nothing silently: `np.asarray(array)` raises, an operand in the processor's memory raises, an array
of another device raises.  What it cannot show is what a GPU computes.
"""

from __future__ import annotations

import functools
import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from . import stand_in_nccl

NAMES: dict[str, Any] = json.loads(Path(__file__).with_name("cupy_names.json").read_text())
DEVICES = 2
USES_REAL_CUPY = os.environ.get("OARLOCK_TEST_CUPY") == "real"
needs_two_devices = pytest.mark.skipif(USES_REAL_CUPY, reason="needs two devices")
# What `ufunc.at` adds with: the atomic operations of CUDA.
ATOMIC = {
    "add": "iIQefdFD",
    "subtract": "iI",
    "maximum": "iIqlQLfd",
    "minimum": "iIqlQLfd",
}
METHODS = {
    "reduce": ("add", "multiply"),
    "accumulate": ("add", "multiply"),
    "reduceat": ("add",),
    "at": tuple(ATOMIC),
}
HELD = ("T", "imag", "mT", "real")  # attributes that are arrays
PLAIN = ("dtype", "itemsize", "nbytes", "ndim", "shape", "size", "strides")
OWN = {
    "get",
    "item",
    "tolist",
    "device",
    "data",
    "base",
    "flags",
    "flat",
    "set",
    "view",
    "toDlpack",
    "cstruct",
    "mdspan",
}
INTO_HOST = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    np.dtype,
    type,
    slice,
    type(Ellipsis),
    np.generic,
)


class Counts:
    """How often something went between the processor and the device."""

    up = 0
    down = 0


class _Now:
    device = 0


def reject(what: Any) -> None:
    raise TypeError(f"Unsupported type {type(what)}")


class ndarray:
    """An array on a device; only the stand-in may read `_a`."""

    __array_priority__ = 100
    __slots__ = ("__weakref__", "_a", "_device")
    __cuda_array_interface__: dict[str, Any] = {}

    def __init__(self, shape: Any, dtype: Any = float) -> None:
        self._a = np.empty(shape, dtype)
        self._device = _Now.device

    # -- what it is
    # ----------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES["methods"] or name in OWN:
            raise AttributeError(f"'cupy.ndarray' has no attribute {name!r}")
        if name in PLAIN:
            return getattr(self._a, name)
        if name in HELD:
            return made(getattr(self._a, name))
        return lambda *args, **how: self._method(name, args, how)

    def _method(self, name: str, args: Any, how: Any) -> Any:
        if {"where", "initial"} & set(how):
            raise TypeError(f"{name}() got an unexpected keyword argument")
        return made(getattr(self._a, name)(*given(args), **given(how)))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._a.shape

    @shape.setter
    def shape(self, value: Any) -> None:
        self._a.shape = value

    @property
    def real(self) -> Any:
        return made(self._a.real)

    @real.setter
    def real(self, value: Any) -> None:
        self._a.real = given(value)

    @property
    def imag(self) -> Any:
        return made(self._a.imag)

    @imag.setter
    def imag(self, value: Any) -> None:
        self._a.imag = given(value)

    @property
    def device(self) -> Any:
        return Device(self._device)

    @property
    def flags(self) -> Any:
        return Flags(self._a.flags)

    @property
    def data(self) -> Any:
        return Memory(self)

    @property
    def base(self) -> Any:
        return None if self._a.base is None else self

    def view(self, dtype: Any = None) -> Any:
        return made(self._a.view() if dtype is None else self._a.view(dtype))

    # -- to the processor
    # ----------------------------------------------------------------------------------------

    def get(self) -> Any:
        Counts.down += 1
        return np.array(self._a)

    def item(self, *index: int) -> Any:
        Counts.down += 1
        return self._a.item(*index)

    def tolist(self) -> Any:
        Counts.down += 1
        return self._a.tolist()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __bool__(self) -> bool:
        return bool(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __float__(self) -> float:
        return float(self.get())

    def __complex__(self) -> complex:
        return complex(self.get())

    def __index__(self) -> int:
        return self.get().__index__()

    def __len__(self) -> int:
        return len(self._a)

    def __repr__(self) -> str:
        return repr(self.get())

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        if not self._a.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self._a)))

    # -- elements
    # --------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        return made(self._a[place(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._a[place(index)] = given(value)

    # -- NumPy's protocols
    # ---------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        name = ufunc.__name__
        if (
            name not in NAMES["ufuncs"]
            and name not in NAMES["functions"][""]
            and name not in {"matmul", "vecdot"}
        ):
            return NotImplemented
        if method == "at" and isinstance(inputs[1], tuple):
            return NotImplemented
        if method not in {"__call__", "outer"} and name not in METHODS.get(method, ()):
            return NotImplemented
        compared = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
        if name in compared:
            inputs = tuple(
                x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs
            )
        outs = how.pop("out", None)
        if outs is not None and len(outs) != 1:
            raise ValueError("The 'out' parameter must have exactly one array value")
        plain = given(inputs)
        check_kinds(ufunc, method, plain)
        if outs is None:
            return made(getattr(ufunc, method)(*plain, **given(how)))
        getattr(ufunc, method)(*plain, **given(how), out=given(outs))
        return outs[0]

    def __array_function__(self, function: Any, types: Any, args: Any, how: Any) -> Any:
        module = function.__module__.partition(".")[2]
        names = NAMES["functions"].get(module)
        if names is None or function.__name__ not in names:
            return NotImplemented
        if function.__name__.endswith("_like") and how.get("shape") == ():
            how = how | {"shape": None}  # CuPy ignores an empty shape
        if (
            function is np.linalg.solve
            and args[1].ndim > 1
            and args[0].shape[:-1] != args[1].shape[:-1]
        ):
            raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
        result = called(names[function.__name__], function, args, how)
        return made(np.asarray(result) if function is np.array_equal else result)


def check_kinds(ufunc: Any, method: str, inputs: Any) -> None:
    """Reject dtypes that the real ufunc does not take."""
    name = ufunc.__name__
    if method == "at":
        if inputs[0].dtype.char not in ATOMIC[name]:
            raise TypeError(f"{name}.at: there is no atomic operation on {inputs[0].dtype}")
        return
    types = NAMES["ufuncs"].get(name)
    arrays = [x for x in inputs if isinstance(x, np.ndarray | np.generic)]
    if types and arrays and method == "__call__":
        kinds = [x.dtype.char if isinstance(x, np.ndarray | np.generic) else None for x in inputs]
        if not any(
            all(
                k is None or np.can_cast(np.dtype(k), np.dtype(t))
                for k, t in zip(kinds, row.split("->")[0], strict=False)
            )
            for row in types
        ):
            raise TypeError(f"Wrong type ({kinds}) of arguments for cupy_{name}")


def _operator(name: str, ufunc: Any, swapped: bool = False) -> Callable[..., Any]:
    def run(x: Any, y: Any) -> Any:
        if isinstance(y, np.ndarray) and y.ndim:
            reject(y)
        if not isinstance(y, INTO_HOST) and not isinstance(y, ndarray | np.ndarray):
            return NotImplemented
        pair = (y, x) if swapped else (x, y)
        found = x.__array_ufunc__(ufunc, "__call__", *pair)
        if found is NotImplemented:
            raise TypeError(f"cupy.{ufunc.__name__} is not there")
        return found

    run.__name__ = name
    return run


_OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide, "mod": np.remainder,
    "pow": np.power, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    "matmul": np.matmul,
}  # fmt: skip
for _name, _ufunc in _OPERATORS.items():
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__", _ufunc))
    setattr(ndarray, f"__r{_name}__", _operator(f"__r{_name}__", _ufunc, swapped=True))

    def _in_place(x: Any, y: Any, ufunc: Any = _ufunc) -> Any:
        found = x.__array_ufunc__(ufunc, "__call__", x, y, out=(x,))
        return reject(y) if found is NotImplemented else found

    if _name != "matmul":
        setattr(ndarray, f"__i{_name}__", _in_place)
for _name, _ufunc in {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}.items():
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__", _ufunc))
for _name, _ufunc in {
    "neg": np.negative,
    "invert": np.invert,
    "abs": np.absolute,
    "pos": np.positive,
}.items():
    setattr(
        ndarray, f"__{_name}__", lambda x, ufunc=_ufunc: x.__array_ufunc__(ufunc, "__call__", x)
    )


# -- between the two
# -----------------------------------------------------------------------------------------------


def made(value: Any) -> Any:
    """Wrap the result of a NumPy function as an array on the current device."""
    if isinstance(value, np.ndarray | np.generic):
        array = ndarray.__new__(ndarray)
        array._a, array._device = np.asarray(value), _Now.device
        if array._a.dtype == object:
            raise TypeError("Unsupported dtype object")
        return array
    if isinstance(value, tuple) and type(value) is not tuple:  # NumPy's named ones
        return type(value)(*map(made, value))
    return type(value)(map(made, value)) if isinstance(value, list | tuple) else value


def given(value: Any) -> Any:
    """Unwrap an argument for a NumPy function.

    Raises TypeError for an array in the processor's memory, ValueError for one of another device.
    """
    if isinstance(value, ndarray):
        if value._device != _Now.device:
            raise ValueError(
                f"Array device must be same as the current device: {value._device} != {_Now.device}"
            )
        return value._a
    if isinstance(value, np.ndarray):
        reject(value)
    if isinstance(value, dict):
        return {key: given(v) for key, v in value.items()}
    if isinstance(value, tuple) and type(value) is not tuple:
        return tuple(map(given, value))
    if isinstance(value, list | tuple):
        return type(value)(map(given, value))
    return value


def place(index: Any) -> Any:
    """Convert an index, which may contain arrays of the CPU or of the device."""
    if isinstance(index, tuple):
        return tuple(map(place, index))
    return given(index) if isinstance(index, ndarray) else index


def called(names: list[str] | None, function: Any, args: Any, how: Any) -> Any:
    """Call a function after checking that the real one has the given keywords."""
    if names is not None and "**" not in names and (unknown := set(how) - set(names)):
        raise TypeError(
            f"cupy.{function.__name__}() got an unexpected keyword argument {sorted(unknown)}"
        )
    if names is not None and "*" not in names and len(args) > len(names):
        raise TypeError(f"cupy.{function.__name__}() takes {len(names)} arguments")
    return function(*given(args), **given(how))


def _kinds(value: Any) -> Iterator[type]:
    if isinstance(value, list | tuple):
        for v in value:
            yield from _kinds(v)
    else:
        yield ndarray if isinstance(value, ndarray) else object


def array(obj: Any, dtype: Any = None, copy: bool = True, order: str = "K", ndmin: int = 0) -> Any:
    """Of anything; of nested lists where all or none of the elements are arrays of a device."""
    if isinstance(obj, ndarray):
        moved = ndarray.__new__(ndarray)
        moved._a, moved._device = (
            np.array(obj._a, dtype, copy=copy or None, ndmin=ndmin),
            _Now.device,
        )
        return moved
    kinds = set(_kinds(obj))
    if len(kinds) > 1:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")
    if ndarray in kinds:
        return made(np.array([np.asarray(array(o, dtype)._a) for o in obj], dtype))
    Counts.up += 1
    return made(np.array(obj, dtype, ndmin=ndmin))


def asarray(a: Any, dtype: Any = None, order: Any = None) -> Any:
    return array(a, dtype, copy=not isinstance(a, ndarray))


def _free(name: str) -> Callable[..., Any]:
    """A function of the module itself."""
    own = getattr(np, name)
    return lambda *args, **how: made(called(NAMES["functions"][""][name], own, args, how))


def _accumulate_at(ufunc: Any, out: ndarray, index: Any, values: Any) -> None:
    """`cupy.add.at` and the like."""
    check_kinds(ufunc, "at", (out._a,))
    ufunc.at(given(out), place(index), given(values))


class Flags:
    def __init__(self, flags: Any) -> None:
        self.c_contiguous, self.f_contiguous, self.owndata = (
            flags.c_contiguous,
            flags.f_contiguous,
            flags.owndata,
        )


class Memory:
    """The address of an array, which only the NCCL stand-in may dereference."""

    held: dict[int, ndarray] = {}

    def __init__(self, of: ndarray) -> None:
        self.ptr = of._a.ctypes.data
        Memory.held[self.ptr] = of


class Device:
    """One of DEVICES devices."""

    def __init__(self, id: int | None = None) -> None:
        self.id = _Now.device if id is None else id
        self._before: list[int] = []

    def use(self) -> None:
        _Now.device = self.id

    def synchronize(self) -> None:
        pass

    def __enter__(self) -> Device:
        self._before.append(_Now.device)
        _Now.device = self.id
        return self

    def __exit__(self, *_: Any) -> None:
        _Now.device = self._before.pop()


class Stream:
    """A queue of work; waits and records are appended to `log`."""

    log: list[tuple[str, int]] = []

    def __init__(self, non_blocking: bool = False) -> None:
        self.ptr = 1234 if non_blocking else 0

    def synchronize(self) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        Stream.log.append((f"waits for {event.of}", self.ptr))


class Event:
    def __init__(self, disable_timing: bool = False) -> None:
        self.of: int | None = None

    def record(self, stream: Any) -> None:
        self.of = stream.ptr
        Stream.log.append(("recorded", stream.ptr))

    @property
    def done(self) -> bool:
        return self.of is not None


def module() -> ModuleType:
    """The whole of it."""
    cupy = ModuleType("cupy")
    cupy.__version__ = NAMES["version"]  # type: ignore[attr-defined]
    for name in NAMES["functions"][""]:
        if hasattr(np, name):
            setattr(cupy, name, _free(name))
    for name in ATOMIC:
        ufunc = SimpleNamespace(at=functools.partial(_accumulate_at, getattr(np, name)))
        setattr(cupy, name, ufunc)
    vars(cupy).update(ndarray=ndarray, array=array, asarray=asarray, ascontiguousarray=asarray)
    runtime = ModuleType("cupy.cuda.runtime")
    runtime.getDeviceCount = lambda: DEVICES  # type: ignore[attr-defined]
    runtime.getDevice = lambda: _Now.device  # type: ignore[attr-defined]
    runtime.getDeviceProperties = lambda index: {  # type: ignore[attr-defined]
        "name": b"Stand-in 1",
        "major": 9,
        "minor": 0,
        "totalGlobalMem": 1 << 30,
        "multiProcessorCount": 8,
    }
    cuda = ModuleType("cupy.cuda")
    vars(cuda).update(
        runtime=runtime,
        Device=Device,
        Stream=Stream,
        Event=Event,
        get_current_stream=Stream,
        device=ModuleType("cupy.cuda.device"),
    )
    lib, tricks = ModuleType("cupy.lib"), ModuleType("cupy.lib.stride_tricks")
    for name, names in NAMES["functions"]["lib.stride_tricks"].items():
        own = getattr(np.lib.stride_tricks, name)
        setattr(
            tricks, name, lambda *a, own=own, names=names, **how: made(called(names, own, a, how))
        )
    lib.stride_tricks = tricks  # type: ignore[attr-defined]
    vars(cupy).update(cuda=cuda, lib=lib)
    return cupy


def special() -> ModuleType:
    """`cupyx.scipy.special`, of which erf is used."""
    made_of = ModuleType("cupyx.scipy.special")
    made_of.erf = lambda x: made(np.asarray(np.vectorize(math.erf, otypes="d")(given(x))))  # type: ignore[attr-defined]
    return made_of


@contextmanager
def installed() -> Iterator[ModuleType]:
    """Make `import cupy` return the stand-in in the body, with no GPU selected; restores
    everything.

    With the environment variable OARLOCK_TEST_CUPY=real, the real CuPy is used, which needs a GPU.
    """
    from oarlock.core import arrays, cuda, native

    held = dict(vars(arrays.np))
    if USES_REAL_CUPY:
        modules = {"cupy": importlib.import_module("cupy")}
    else:
        modules = {
            "cupy": module(),
            "cupyx.scipy.special": special(),
            "cupy.cuda.nccl": stand_in_nccl.module(),
        }
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield modules["cupy"]
    finally:
        state = cuda.cupy_state
        state.cupy, state.array_type, state.default_index = None, (), None
        vars(arrays.np).update(held)
        native.set_kernel_wrapper(None)
        _Now.device = 0
        for name, module_before in before.items():
            del sys.modules[name]
            if module_before is not None:
                sys.modules[name] = module_before
