"""Python features: lambdas, closures, decorators, generators, recursion, print, assert, isinstance,
casts, classes.
"""

# ruff: noqa - Python as its users write it

import functools
import math
from collections import OrderedDict, namedtuple

import numpy as np

from ..table import POSITIVE, f32, paddle, program, raised, scenario

SCALE = 3.0
TABLE = {"gain": 2.0}
Pair = namedtuple("Pair", ["first", "second"])


def lambdas(x):
    double = lambda v: v * 2
    pick = lambda v: v if v.sum() > 0 else -v
    return double(x), pick(x)


program(lambdas)


def closures(x):
    bias = x.mean()

    def add(v):
        return v + bias

    def twice(f):
        def inner(v):
            return f(f(v))

        return inner

    return twice(add)(x)


program(closures)


def nonlocal_variable(x):
    total = x * 0

    def add(v):
        nonlocal total
        total = total + v

    add(x)
    add(x * 2)
    return total


program(nonlocal_variable)


def globals_are_read(x):
    return x * SCALE + TABLE["gain"]


program(globals_are_read)


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs) + 1

    return inner


def scaled_by(factor):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args) * factor

        return inner

    return decorate


@logged
@scaled_by(3.0)
def decorated_helper(x):
    if x.sum() > 0:
        return x
    return -x


def calls_a_decorated_function(x):
    return decorated_helper(x)


program(calls_a_decorated_function)


@logged
def is_decorated_itself(x):
    return x * 2


program(is_decorated_itself)


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


def a_generator(x):
    for i in evens(5):
        x = x + i
    return x


program(a_generator)


def generator_expression(x):
    return sum(v * 2 for v in [x, x + 1]), max(i for i in range(3))


program(generator_expression)


def factorial(x, n):
    return x if n <= 1 else factorial(x, n - 1) * n


def recursion_on_a_number(x):
    return factorial(x, 4)


program(recursion_on_a_number)


def print_of_tensors(x):
    print(x, "and", x.shape)
    print("text")
    print(f"{x.shape}")
    return x


program(print_of_tensors)


def assert_of_tensors(x):
    assert x.shape[1] == 3, "columns"
    assert (x < 100).all(), "too large"
    return x * 2


program(assert_of_tensors)


def assert_that_fails(x):
    assert (x < 100).all(), "too large"
    return x * 2


program(assert_that_fails, (f32([200.0]),), grads=False)


def python_assert_that_fails(x):
    assert x.shape[0] == 3
    return x


program(python_assert_that_fails, (POSITIVE,), grads=False)


def raise_in_python(x):
    if x.shape[0] == 2:
        raise ValueError("two rows")
    return x


program(raise_in_python, (POSITIVE,), grads=False)


def an_error_of_python(x):
    return x + {}["missing"]


program(an_error_of_python, (POSITIVE,), grads=False)


def a_name_that_does_not_exist(x):
    return x + undefined_name  # noqa: F821


program(a_name_that_does_not_exist, (POSITIVE,), grads=False)


def an_attribute_that_does_not_exist(x):
    return x.no_such_attribute


program(an_attribute_that_does_not_exist, (POSITIVE,), grads=False)


def shapes_that_do_not_fit(x):
    return x + paddle.ones([5])


program(shapes_that_do_not_fit, (POSITIVE,), grads=False)


def a_call_with_too_many_arguments(x):
    return lambda_of_one(x, x)


program(a_call_with_too_many_arguments, (POSITIVE,), grads=False)


def lambda_of_one(x):
    return x


def try_except(x):
    try:
        y = x + 1
        value = {}["missing"]
    except KeyError:
        y = x + 2
    finally:
        z = x * 2
    return y, z


program(try_except)


def isinstance_of_values(x):
    found = 0
    if isinstance(x, paddle.Tensor):
        found += 1
    if isinstance(found, int):
        found += 2
    if isinstance([x], (list, tuple)):
        found += 4
    return x + found


program(isinstance_of_values)


def type_names(x):
    return x * 1, int.__name__, callable(len), hasattr(x, "shape"), getattr(x, "nothing", 5)


program(type_names)


def casts(x):
    return (
        paddle.cast(x, "int32"),
        x.astype("float64"),
        x.astype(paddle.bool),
        x.cast("int64"),
        (x > 0).astype("float32"),
        x.astype("int32") + 1,
    )


program(casts)


def casts_of_python(x):
    i = int(x)
    b = bool(x)
    f = float(i)
    return x * i, x * f, b


program(casts_of_python, (f32([2.7]),), grads=False)


def defaults(x, a=1, b=2):
    return x * a + b


program(defaults, (POSITIVE,), (POSITIVE, 2), (POSITIVE, 2, 3), count=False)


def with_arguments(*args, **kwargs):
    return args[0] * kwargs.get("scale", 1) + len(args)


def star_arguments(x):
    return with_arguments(x, x, scale=2), with_arguments(*[x, x], **{"scale": 3})


program(star_arguments)


def keyword_only(x):
    def inner(v, *, by=2):
        return v * by

    return inner(x), inner(x, by=3)


program(keyword_only)


def with_statement(x):
    with paddle.no_grad():
        y = x * 2
    with paddle.amp.auto_cast(enable=False):
        z = x * 3
    return y + z


program(with_statement)


def mapped_and_filtered(x):
    out = list(map(lambda v: v + 1, [x, x * 2]))
    kept = [v for v in filter(lambda n: n > 1, [1, 2, 3])]
    return out, kept


program(mapped_and_filtered)


def functools_partial_and_reduce(x):
    add = functools.partial(paddle.add, x)
    return add(x), functools.reduce(lambda a, b: a + b, [x, x, x])


program(functools_partial_and_reduce)


def python_math(x):
    return (
        x * math.sqrt(4) + math.pi * 0,
        x / max(1, 2) + min(3, 4),
        abs(-3) * x,
        round(2.6) + x,
        pow(2, 3) * x,
    )


program(python_math)


def builtins_on_tensors(x):
    return sum([x, x]), abs(x), x**2, -x, x @ x.t(), x // 2, x % 2, divmod(7, 2)[0] * x


program(builtins_on_tensors)


class Config:
    scale = 2.0

    def __init__(self, bias):
        self.bias = bias

    def apply(self, x):
        if x.sum() > 0:
            return x * self.scale + self.bias
        return x * self.scale - self.bias

    @staticmethod
    def shift(x):
        return x + 100

    @classmethod
    def make(cls):
        return cls(7.0)

    @property
    def twice(self):
        return self.bias * 2


CONFIG = Config(1.0)


def methods_of_a_plain_class(x):
    return CONFIG.apply(x), Config.shift(x), Config.make().apply(x), x * CONFIG.twice


program(methods_of_a_plain_class)


def a_named_tuple_inside(x):
    pair = Pair(x, x * 2)
    return pair.first + pair.second, pair[1]


program(a_named_tuple_inside)


def an_ordered_dict_inside(x):
    d = OrderedDict()
    d["b"] = x
    d["a"] = x * 2
    return [v for v in d.values()], list(d)


program(an_ordered_dict_inside)


def walrus_and_star(x):
    if (n := x.shape[0]) > 1:
        x = x * n
    return x


program(walrus_and_star)


def a_class_defined_inside(x):
    class Local:
        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v * 2

    return Local(x).get()


program(a_class_defined_inside)


def a_docstring_and_annotations(x: paddle.Tensor) -> paddle.Tensor:
    """It has a docstring."""
    y: paddle.Tensor = x * 2
    n: int = 3
    return y * n


program(a_docstring_and_annotations)


def np_dtype_names(x):
    return (
        x.astype(np.float64),
        x.astype("bool"),
        paddle.ones([2], np.int32),
        x.astype(x.dtype),
        paddle.zeros([2], x.dtype),
    )


program(np_dtype_names)


def tensor_attributes(x):
    return (
        x.ndim,
        x.dim(),
        x.shape,
        x.size if isinstance(x.size, int) else 6,
        x.T,
        str(x.dtype),
        x.ndimension(),
        x.numel(),
    )


program(tensor_attributes)


def tensor_methods(x):
    return (
        x.sum(axis=-1, keepdim=True),
        x.mean(0),
        x.reshape([-1]),
        x.transpose([1, 0]),
        x.unsqueeze(0).squeeze(0),
        x.tile([2, 1]),
        x.expand([2, 3]),
        x.clip(-1, 1),
        x.abs().sqrt(),
        x.exp(),
        x.max(axis=1),
        x.argmax(-1),
        x.flatten(),
        x.matmul(x.t()),
        x.clone(),
        x.norm(),
        x.topk(2),
        x.cumsum(1),
    )


program(tensor_methods)


@scenario
def a_function_that_is_not_converted(to_static):
    @paddle.jit.not_to_static
    def plain(x):
        return x * 2

    @to_static
    def outer(x):
        return plain(x) + 1

    return outer(paddle.ones([2]))


@scenario
def to_static_of_a_lambda(to_static):
    f = to_static(lambda x: x * 2 + 1)
    return f(paddle.ones([2]))


@scenario
def to_static_calls_another_to_static(to_static):
    @to_static
    def inner(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    @to_static
    def outer(x):
        return inner(x) * 2

    return outer(paddle.ones([2])), outer(-paddle.ones([2]))


@scenario
def errors_of_wrong_calls(to_static):
    f = to_static(lambda_of_one)
    return [
        raised(f),
        raised(f, paddle.ones([2]), paddle.ones([2])),
        raised(f, paddle.ones([2]), y=1),
    ]


@scenario
def errors_of_wrong_decorations(to_static):
    return [
        raised(to_static, 3),
        raised(to_static, lambda_of_one, input_spec=3),
        raised(to_static, lambda_of_one, build_strategy=3),
        raised(to_static(lambda_of_one), "x"),
    ]


@scenario
def a_method_is_decorated(to_static):
    class Model:
        def __init__(self):
            self.scale = 2.0

        @to_static
        def run(self, x):
            if x.sum() > 0:
                return x * self.scale
            return x

    model = Model()
    return model.run(paddle.ones([2])), model.run(-paddle.ones([2]))


@scenario
def static_and_class_methods(to_static):
    class Tools:
        @staticmethod
        @to_static
        def double(x):
            return x * 2

    return Tools.double(paddle.ones([2])), Tools().double(paddle.ones([2]))
