"""How a program is run, and what is recorded: values, dtypes, structure, gradients, and the builtin
class of an error.

Runs in Oarlock's environment and in real Paddle's, so it imports nothing but NumPy and the one of
the two that is there.
"""

import contextlib
import copy
import functools
import importlib
import importlib.util
import inspect
import tempfile
import warnings
from pathlib import Path

import numpy as np

NAME = "oarlock" if importlib.util.find_spec("oarlock") else "paddle"
paddle = importlib.import_module(NAME)

FAMILIES = {
    "to_static": "2.6.2",
    "core": "2.6.2",
    "legacy": "2.6.2",
    "op_cases": "2.6.2",
    "layer_cases": "2.6.2",
    "fluid_1_8": "1.8.5",
}
TENSOR = getattr(paddle, "Tensor", ())  # Paddle 1.8 has none: its programs return arrays
RUN_ONCE = set()  # (family, name) of programs that `full_graph` does not concern
PROGRAMS = {
    family: {} for family in FAMILIES
}  # name -> function of `full_graph` that runs the program and returns what is compared


def f32(*values):
    """A float32 array."""
    return np.asarray(values[0] if len(values) == 1 else values, np.float32)


POSITIVE = f32([[0.5, 0.25, 0.75], [1.0, -0.5, 2.0]])
NEGATIVE = f32([[-0.5, 0.25, -0.75], [-1.0, 0.5, -2.0]])
BOTH = ((POSITIVE,), (NEGATIVE,))


def fill(layer):
    """Set reproducible values in every parameter, in the order of their names."""
    for i, (_, value) in enumerate(sorted(layer.named_parameters())):
        numbers = np.cos(np.arange(int(np.prod(value.shape))) * 0.7 + i) * 0.5
        value.set_value(numbers.reshape(tuple(value.shape)).astype("float32"))
    return layer


def describe(value):  # noqa: PLR0911 - one for each kind of value
    """A value as plain data: tensors with dtype, shape and numbers."""
    if isinstance(value, TENSOR):
        array = (
            value.astype("float32").numpy()
            if str(value.dtype).endswith(("bfloat16", "float16"))
            else value.numpy()
        )
        numbers = (
            [str(n) for n in array.ravel()] if array.dtype.kind == "c" else array.ravel().tolist()
        )
        return ["Tensor", str(value.dtype), list(value.shape), numbers]
    if isinstance(value, np.ndarray):
        return ["ndarray", str(value.dtype), list(value.shape), value.ravel().tolist()]
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, dict):
        return {str(key): describe(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(describe, value)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value) is type(getattr(paddle, "float32", None)):
        return str(value)
    return f"<{type(value).__name__}>"


def error_of(error):
    """Return the builtin base classes of an error, the most derived one first."""
    return [
        c.__name__
        for c in type(error).__mro__
        if c.__module__ == "builtins" and c not in (object, BaseException)
    ]


def leaves(value):
    """The tensors of a nested value."""
    if isinstance(value, TENSOR):
        return [value]
    if isinstance(value, dict):
        return [t for _, inner in sorted(value.items()) for t in leaves(inner)]
    return [t for inner in value for t in leaves(inner)] if isinstance(value, (list, tuple)) else []


def is_float(tensor):
    """Whether gradients can arrive at a tensor."""
    return str(tensor.dtype).endswith(("float32", "float64"))


def call_with_gradients(function, arguments, parameters=()):
    """What a call returns, and the gradients of the sum of squares of all its floats."""
    tensors = [paddle.to_tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    for tensor in tensors:
        if isinstance(tensor, paddle.Tensor):
            tensor.stop_gradient = not is_float(tensor)
    result = function(*tensors)
    described = describe(result)
    total = [t.square().sum() for t in leaves(result) if is_float(t) and not t.stop_gradient]
    if total:
        paddle.add_n([t.astype("float64") for t in total]).backward()
    wanted = [t for t in tensors if isinstance(t, paddle.Tensor)] + list(parameters)
    grads = [None if t.grad is None else describe(t.grad) for t in wanted]
    for tensor in parameters:
        tensor.clear_gradient(False)
    return {"result": described, "grads": grads if total else None}


def program(function, *calls, spec=None, grads=True, count=True):
    """Register a function or Layer that `to_static` converts and that is called with each of
    `calls`.

    No decorator: real Paddle runs the decorators of what it converts once more.
    spec: its input_spec; grads: whether gradients are compared; count: whether the number of
    programs is compared.
    """
    is_layer = inspect.isclass(function)

    def run(full_graph):
        called = fill(function()) if is_layer else function
        specs = spec(paddle.static.InputSpec) if spec else None
        converted = paddle.jit.to_static(called, input_spec=specs, full_graph=full_graph)
        parameters = called.parameters() if is_layer else []
        found = []
        for call in calls or BOTH:
            arguments = copy.deepcopy(call if isinstance(call, tuple) else (call,))
            try:
                if grads:
                    found.append(call_with_gradients(converted, arguments, parameters))
                else:
                    given = [
                        paddle.to_tensor(a) if isinstance(a, np.ndarray) else a for a in arguments
                    ]
                    found.append({"result": describe(converted(*given))})
            except Exception as error:
                found.append({"error": error_of(error), "text": str(error)[-300:]})
        static = converted.forward if is_layer else converted
        if full_graph and count and found and not any("error" in call for call in found):
            found.append({"programs": len(static.program_cache)})
        if is_layer:
            found.append({n: describe(b) for n, b in sorted(called.named_buffers())})
        return found

    register(function, run)


def scenario(function):
    """Decorator: a function of `to_static` (with `full_graph` set) and a folder, whose result is
    compared.

    A function that does not take `to_static` is run once, not once for each setting of
    `full_graph`.
    """

    def run(full_graph):
        def to_static(*args, **kwargs):
            return paddle.jit.to_static(*args, **{"full_graph": full_graph, **kwargs})

        with tempfile.TemporaryDirectory() as folder:
            given = {"to_static": to_static, "folder": Path(folder)}
            return describe(
                function(*[given[name] for name in inspect.signature(function).parameters])
            )

    register(function, run, once="to_static" not in inspect.signature(function).parameters)
    return function


def static_scenario(function):
    """Decorator: a scenario of paddle.static, with its own programs and scope."""

    @functools.wraps(function)
    def run(*given):
        paddle.enable_static()
        try:
            with new_programs(paddle.static):
                return describe(function(*given))
        finally:
            paddle.disable_static()

    return scenario(run)


def raised(function, *args, **kwargs):
    """The builtin classes of the error that a call raises, or 'no error'."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        return {"error": error_of(error), "text": str(error)[-300:]}
    return "no error"


def each(*calls):
    """Return the result of each call.

    A call that real Paddle rejects may return a value here; what has to be rejected is asked with
    `raised`.
    """
    return [attempt(call) for call in calls]


def attempt(call):
    """What a call returns, or that it is rejected."""
    try:
        return call()
    except Exception as error:
        return {"rejected": [type(error).__name__, str(error)[-300:]]}


def name_of(function):
    """The family and the name of a program."""
    _, family, module = function.__module__.rsplit(".", 2)
    return family, f"{module}.{function.__name__}"


def register(function, run, once=False):
    """Add a program under the name of a function. once: `full_graph` does not concern it."""
    family, name = name_of(function)
    assert name not in PROGRAMS[family], name
    PROGRAMS[family][name] = run
    if once:
        RUN_ONCE.add((family, name))


WAYS = ("whole", "fallback", "eager")  # full_graph=True, full_graph=False, enable_to_static(False)


def load(family):
    """The programs of a family."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(f"{__package__}.{family}")
    return PROGRAMS[family]


def ways_of(family, name):
    """How a program is run."""
    return WAYS[:1] if (family, name) in RUN_ONCE else WAYS


def run_program(family, name, way):
    """Return the results of a program; an error outside of its calls as its classes."""
    run = PROGRAMS[family][name]
    if FAMILIES[family] == "1.8.5":
        with new_programs(importlib.import_module(NAME + ".fluid")):
            return _run_program(run, True)
    paddle.jit.enable_to_static(way != "eager")
    try:
        return _run_program(run, way == "whole")
    finally:
        paddle.jit.enable_to_static(True)


@contextlib.contextmanager
def new_programs(module):
    """Use new programs, a scope and unique names; `module`: paddle.static or fluid."""
    names = module.unique_name if hasattr(module, "unique_name") else paddle.utils.unique_name
    scope = module.Scope() if hasattr(module, "Scope") else paddle.static.global_scope().__class__()
    main, startup = module.Program(), module.Program()
    with module.program_guard(main, startup), module.scope_guard(scope), names.guard():
        yield


def _run_program(run, full_graph):
    getattr(paddle, "seed", np.random.seed)(7)
    np.random.seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return {"ok": run(full_graph)}
        except Exception as error:
            return {"error": error_of(error), "text": str(error)[-300:]}
