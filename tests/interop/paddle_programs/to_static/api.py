"""What `StaticFunction` and the switches of `paddle.jit` offer: specs, caches, programs, roll back,
code, errors.
"""

# ruff: noqa - Python as its users write it

import inspect
import types

import numpy as np

from ..table import POSITIVE, fill, paddle, raised, scenario

nn = paddle.nn
InputSpec = paddle.static.InputSpec


def whole(function=None, **kwargs):
    """`to_static` without fallback."""
    if function is None:
        return lambda f: whole(f, **kwargs)
    return paddle.jit.to_static(function, full_graph=True, **kwargs)


def double(x):
    return x * 2


def scaled(x, n):
    return x * n


def scaled_by_default(x, n=3):
    return x * n


def scaled_with_name(x, n, name="a"):
    return x * n


def of_containers(xs, d):
    return xs[0] + xs[1] * d["k"]


def minus(x, y):
    return x - y


def with_mode(x):
    return x * 2, paddle.in_dynamic_mode()


def branched(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


@scenario
def forms_of_input_spec():
    found = []
    for spec in (
        InputSpec([None, 3], "float32", "img"),
        InputSpec([-1, 3]),
        InputSpec(shape=[2, 3], dtype=paddle.float64),
        InputSpec((4,), np.int64, name="n"),
        InputSpec.from_numpy(np.ones((2, 2), "int32")),
        InputSpec.from_tensor(paddle.ones([2]), "named"),
        InputSpec([]),
        InputSpec([3], "bool").batch(4),
        InputSpec([1, 3]).unbatch(),
    ):
        found.append(
            (
                list(spec.shape),
                str(spec.dtype),
                spec.name if spec.name in ("img", "n", "named") else "",
                str(spec)[:9],
            )
        )
    return found


@scenario
def input_specs_compare_and_hash():
    a, b = InputSpec([None, 3], "float32", "x"), InputSpec([None, 3], "float32", "x")
    return (
        a == b,
        a != b,
        hash(a) == hash(b),
        a == InputSpec([None, 4], "float32", "x"),
        a == InputSpec([None, 3], "int32", "x"),
    )


@scenario
def wrong_input_specs():
    return [
        raised(InputSpec, 4),
        raised(InputSpec, ["2 a"]),
        raised(InputSpec, [2], "float31"),
        raised(InputSpec.from_tensor, 3),
        raised(InputSpec.from_numpy, "x"),
        raised(InputSpec([2]).batch, [1, 2]),
        raised(InputSpec([]).unbatch),
        raised(InputSpec([2]).batch, 1.5),
    ]


@scenario
def one_program_for_a_spec():
    f = whole(double, input_spec=[InputSpec([None, 3])])
    f(paddle.ones([2, 3])), f(paddle.ones([5, 3]))
    return len(f.program_cache), list(
        f.concrete_program.main_program.block(0).var(f.concrete_program.inputs[0].name).shape
    )


@scenario
def one_program_for_each_shape():
    f = whole(double)
    (
        f(paddle.ones([2, 3])),
        f(paddle.ones([5, 3])),
        f(paddle.ones([2, 3])),
        f(paddle.ones([2, 3], "float64")),
    )
    return len(f.program_cache)


@scenario
def one_program_for_each_python_value():
    f = whole(scaled_with_name)
    x = paddle.ones([2])
    f(x, 1), f(x, 2), f(x, 1), f(x, 1, name="b"), f(x, 1.0), f(x, n=2)
    return len(f.program_cache)


@scenario
def spec_of_some_arguments_only():
    f = whole(scaled_by_default, input_spec=[InputSpec([None, 2])])
    return f(paddle.ones([1, 2])), f(paddle.ones([1, 2]), 4), len(f.program_cache)


@scenario
def specs_in_lists_and_dicts():
    f = whole(
        of_containers, input_spec=[[InputSpec([None]), InputSpec([None])], {"k": InputSpec([None])}]
    )
    one = paddle.ones([2])
    return f([one, one], {"k": one * 3}), len(f.program_cache)


@scenario
def a_spec_and_a_number_as_its_value():
    f = whole(scaled, input_spec=[InputSpec([None]), 3])
    return f(paddle.ones([2]), 3), len(f.program_cache)


@scenario
def a_call_that_does_not_fit_its_spec():
    f = whole(double, input_spec=[InputSpec([None, 3], "float32")])
    return (
        raised(lambda: f(paddle.ones([2, 4])).shape),
        raised(lambda: f(paddle.ones([2, 3], "int64")).shape),
        raised(lambda: f(3)),
    )


@scenario
def more_specs_than_arguments():
    f = whole(double, input_spec=[InputSpec([2]), InputSpec([2])])
    return raised(f, paddle.ones([2])), raised(lambda: f.concrete_program)


@scenario
def kwargs_with_a_spec():
    f = whole(minus, input_spec=[InputSpec([None]), InputSpec([None])])
    a, b = paddle.ones([2]), paddle.ones([2]) * 3
    return f(a, y=b), f(y=b, x=a)


@scenario
def the_concrete_program():
    f = whole(double, input_spec=[InputSpec([None, 3], "float32", "image")])
    program = f.concrete_program
    main = f.main_program
    return (
        [v.name for v in program.inputs],
        [list(v.shape) for v in program.outputs],
        [op.type for op in main.global_block().ops],
        len(program.parameters),
        [v.name for v in f.inputs],
        [list(v.shape) for v in f.outputs],
    )


@scenario
def the_concrete_program_of_a_layer():
    net = whole(fill(nn.Linear(3, 2)), input_spec=[InputSpec([None, 3], "float32", "image")])
    program = net.forward.concrete_program
    return (
        [list(p.shape) for p in program.parameters],
        [op.type for op in program.main_program.global_block().ops],
        [list(v.shape) for v in program.outputs],
        program.main_program.num_blocks,
        len(program.main_program.all_parameters()),
    )


@scenario
def blocks_of_a_branch():
    f = whole(branched, input_spec=[InputSpec([None])])
    program = f.concrete_program.main_program
    types_ = {op.type for block in program.blocks for op in block.ops}
    return program.num_blocks, "conditional_block" in types_


@scenario
def a_concrete_program_without_spec():
    f = whole(double)
    before = raised(lambda: f.concrete_program)
    f(paddle.ones([2]))
    return before, f.concrete_program is not None


@scenario
def get_concrete_program():
    f = whole(double)
    concrete, partial = f.get_concrete_program(InputSpec([None, 4], "float32", "x"))
    return [list(v.shape) for v in concrete.inputs if hasattr(v, "shape")], len(f.program_cache)


@scenario
def program_with_different_specs():
    f = whole(double)
    shapes = []
    for shape in ([None, 2], [3, None], [None, 2]):
        concrete, _ = f.get_concrete_program(InputSpec(shape))
        shapes.append(list(concrete.outputs[0].shape))
    return shapes, len(f.program_cache)


@scenario
def concrete_program_specify_input_spec():
    f = whole(double)
    found = f.concrete_program_specify_input_spec([InputSpec([None, 7])])
    return list(found.outputs[0].shape)


@scenario
def code_of_a_function():
    f = whole(branched)
    return (
        isinstance(f.code, str),
        "def branched" in f.code,
        callable(f.dygraph_function),
        f.dygraph_function is branched,
    )


@scenario
def names_of_a_function():
    f = whole(branched)
    return (
        f.__name__,
        f.__doc__,
        type(f).__name__.endswith("StaticFunction"),
        callable(f),
        inspect.signature(f.dygraph_function).parameters.keys() == {"x"},
    )


@scenario
def roll_back_of_a_function():
    f = whole(double)
    f(paddle.ones([2]))
    plain = f.rollback()
    return plain is double, plain(paddle.ones([2]))


@scenario
def roll_back_of_a_layer():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        def forward(self, x):
            return self.helper(self.fc(x))

        def helper(self, x):
            if x.sum() > 0:
                return x
            return -x

    net = fill(Net())
    net = whole(net)
    x = paddle.to_tensor(POSITIVE)
    one = net(x)
    converted = type(net.forward).__name__.endswith("StaticFunction")
    net.forward.rollback()
    return one, net(x), converted, isinstance(net.forward, types.MethodType)


@scenario
def enable_to_static_false():
    f = whole(with_mode)
    a = f(paddle.ones([2]))[1]
    paddle.jit.enable_to_static(False)
    try:
        b = f(paddle.ones([2]))[1]
    finally:
        paddle.jit.enable_to_static(True)
    return a, b, f(paddle.ones([2]))[1]


@scenario
def enable_to_static_wants_a_bool():
    return raised(paddle.jit.enable_to_static, "no"), raised(paddle.jit.enable_to_static, 1)


@scenario
def code_levels_and_verbosity():
    found = [raised(paddle.jit.set_verbosity, v) for v in (0, 1, "x", None, -1)]
    found += [raised(paddle.jit.set_code_level, v) for v in (0, 3, "x", None)]
    paddle.jit.set_verbosity(0)
    paddle.jit.set_code_level(0)
    return found


@scenario
def not_to_static_of_a_method():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        @paddle.jit.not_to_static
        def plain(self, x):
            return self.fc(x) * 2

        def forward(self, x):
            return self.plain(x) + 1

    return whole(fill(Net()))(paddle.to_tensor(POSITIVE))


@scenario
def ignore_module_leaves_modules_alone():
    import statistics

    paddle.jit.ignore_module([statistics])

    def f(x):
        return x * statistics.mean([1, 3])

    f = whole(f)
    return f(paddle.ones([2])), raised(paddle.jit.ignore_module, statistics)


@scenario
def decorator_with_and_without_arguments():
    @paddle.jit.to_static
    def one(x):
        return x + 1

    @paddle.jit.to_static()
    def two(x):
        return x + 2

    @paddle.jit.to_static(input_spec=[InputSpec([None])], full_graph=True)
    def three(x):
        return x + 3

    x = paddle.zeros([1])
    return one(x), two(x), three(x)


@scenario
def to_static_twice():
    f = whole(whole(double))
    return f(paddle.ones([2])), type(f).__name__.endswith("StaticFunction"), len(f.program_cache)


@scenario
def to_static_of_a_converted_layer_again():
    net = whole(whole(fill(nn.Linear(3, 2))))
    return net(paddle.to_tensor(POSITIVE))


@scenario
def build_strategy_is_taken():
    strategy = paddle.static.BuildStrategy()
    strategy.build_cinn_pass = False
    strategy.enable_inplace = True
    f = whole(double, build_strategy=strategy)
    return f(paddle.ones([2]))


@scenario
def a_bound_method_is_converted():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        def forward(self, x):
            return self.fc(x)

        def other(self, x):
            return self.fc(x) * 3

    net = fill(Net())
    other = whole(net.other)
    net.forward = whole(net.forward)
    return other(paddle.to_tensor(POSITIVE)), net(paddle.to_tensor(POSITIVE))


@scenario
def parameters_of_a_function_spec():
    f = whole(scaled_by_default, input_spec=[InputSpec([2])])
    spec = f.function_spec if hasattr(f, "function_spec") else f._function_spec
    return list(spec.args_name) if hasattr(spec, "args_name") else spec.arg_names


@scenario
def program_cache_items():
    f = whole(double)
    f(paddle.ones([2])), f(paddle.ones([3]))
    programs = f.program_cache.concrete_programs()
    return (
        len(programs),
        f.program_cache.last() is not None,
        [list(p.outputs[0].shape) for p in programs],
    )


@scenario
def the_program_translator():
    translator = paddle.jit.dy2static.program_translator.ProgramTranslator()
    same = translator is paddle.jit.dy2static.program_translator.ProgramTranslator()
    out = translator.get_output(branched, paddle.ones([2]))
    code = translator.get_code(branched)
    main, startup, inputs, outputs = translator.get_program(branched, paddle.ones([2]))
    return same, out, "def branched" in code, len(inputs), len(outputs), main.num_blocks


@scenario
def names_of_paddle_jit():
    return sorted(n for n in paddle.jit.__all__)


@scenario
def print_of_a_function():
    f = whole(double)
    return raised(lambda: str(f)), raised(lambda: repr(f))


@scenario
def an_input_spec_is_changed_by_a_new_to_static():
    net = fill(nn.Linear(3, 2))
    net = whole(net, input_spec=[InputSpec([None, 3])])
    net.forward(paddle.ones([1, 3]))
    count = len(net.forward.program_cache)
    net.forward = whole(net.forward, input_spec=[InputSpec([4, 3])])
    return count, list(net.forward.concrete_program.outputs[0].shape)


@scenario
def training_flag_makes_another_program():
    net = whole(nn.Dropout(0.5))
    x = paddle.ones([4])
    net(x)
    net.eval()
    net(x)
    return len(net.forward.program_cache), net(x)
