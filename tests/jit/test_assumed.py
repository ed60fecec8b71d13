"""What a program took from Python: where that changes, another program is made; what the function changes itself is repeated."""

from __future__ import annotations

import ast
import linecache
import warnings
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.jit.place import Place

SCALE = 2.0
COUNT = 0


class Settings:
    """Settings that functions read."""

    scale = 2.0


def x() -> Any:
    return paddle.to_tensor([1.0, 2.0, 3.0])


def check(value: Any, *wanted: float) -> None:
    np.testing.assert_allclose(value.numpy(), wanted, rtol=1e-6)


def assert_said_at(warning: warnings.WarningMessage, line: str) -> None:
    assert warning.filename == __file__
    assert linecache.getline(__file__, warning.lineno).strip() == line


def scaled(x: Any) -> Any:
    return x * SCALE


def constant_linear(value: float) -> nn.Linear:
    return nn.Linear(3, 3, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(value)))


def test_names_that_an_inner_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    static = paddle.jit.to_static(lambda x: scaled(x))
    check(static(x()), 2, 4, 6)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    check(static(x()), 3, 6, 9)
    monkeypatch.setitem(globals(), "scaled", lambda x: x + 1)
    check(static(x()), 2, 3, 4)


def test_containers_arrays_and_tensors_in_a_closure() -> None:
    numbers, table = [1.0], {"a": 1.0}
    array, tensors = np.ones(3, "float32"), [x()]

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x * numbers[0] + table["a"] + paddle.to_tensor(array) + tensors[0] + len(numbers)

    check(function(x()), 5, 7, 9)
    numbers[0] = 2.0
    check(function(x()), 6, 9, 12)
    numbers.append(0.0)
    check(function(x()), 7, 10, 13)
    table["a"] = 0.0
    check(function(x()), 6, 9, 12)
    array[0] = 11.0
    check(function(x()), 16, 9, 12)
    tensors[0] = -x()
    check(function(x()), 14, 5, 6)


@dataclass
class Factor:
    k: float


def test_attributes_of_objects_outside_and_given() -> None:
    held = Factor(2.0)
    outside = paddle.jit.to_static(lambda x: x * held.k)
    given = paddle.jit.to_static(lambda x, f: x * f.k)
    check(outside(x()), 2, 4, 6)
    check(given(x(), held), 2, 4, 6)
    held.k = 3.0
    check(outside(x()), 3, 6, 9)
    check(given(x(), held), 3, 6, 9)
    check(given(x(), Factor(4.0)), 4, 8, 12)


def test_settings_of_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    static = paddle.jit.to_static(lambda x: x * Settings.scale)
    check(static(x()), 2, 4, 6)
    monkeypatch.setattr(Settings, "scale", 3.0)
    check(static(x()), 3, 6, 9)


def test_sets_that_are_given() -> None:
    static = paddle.jit.to_static(lambda x, s: x * sum(s))
    held = {1, 2}
    check(static(x(), held), 3, 6, 9)
    held.add(3)
    check(static(x(), held), 6, 12, 18)


def test_a_layer_of_the_closure_in_train_and_eval() -> None:
    dropout = nn.Dropout(1.0)
    static = paddle.jit.to_static(lambda x: dropout(x))
    check(static(x()), 0, 0, 0)
    dropout.eval()
    check(static(x()), 1, 2, 3)
    dropout.train()
    check(static(x()), 0, 0, 0)
    assert static.get_traced_count() == 2


class Stack(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList([constant_linear(1.0)])

    def last(self, x: Any) -> Any:
        return x

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return self.last(x)


def test_layers_added_and_replaced_parameters_and_methods() -> None:
    net = paddle.jit.to_static(Stack())
    check(net(x()), 6, 6, 6)
    net.layers.append(constant_linear(2.0))
    check(net(x()), 36, 36, 36)
    net.layers[0] = constant_linear(0.5)
    check(net(x()), 18, 18, 18)
    net.layers[0].weight = constant_linear(1.0).weight
    check(net(x()), 36, 36, 36)
    net.last = lambda x: -x
    check(net(x()), -36, -36, -36)


def test_hooks_of_sublayers() -> None:
    net = paddle.jit.to_static(Stack())
    check(net(x()), 6, 6, 6)
    hook = net.layers[0].register_forward_post_hook(lambda layer, inputs, outputs: outputs * 2)
    check(net(x()), 12, 12, 12)
    hook.remove()
    check(net(x()), 6, 6, 6)
    assert net.forward.get_traced_count() == 2


class Toggle(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.flip = False
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.flip = not self.flip
        self.seen = [1, 2]
        return x if self.flip else -x


def test_what_forward_sets_is_set_by_its_program_too() -> None:
    net = paddle.jit.to_static(Toggle())
    for sign in (1, -1, 1, -1, 1):
        check(net(x()), sign, 2 * sign, 3 * sign)
    assert net.flip is True
    assert net.seen == [1, 2]
    assert net.forward.get_traced_count() <= 3


def counted(x: Any) -> Any:
    global COUNT  # noqa: PLW0603 - the point of the test
    COUNT += 1
    return x + COUNT


def test_a_counter_makes_programs_up_to_a_bound_and_then_runs_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "COUNT", 0)
    static = paddle.jit.to_static(counted)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for call in range(1, 21):
            check(static(x()), 1 + call, 2 + call, 3 + call)
    assert COUNT == 20
    assert static.get_traced_count() == 16
    (warning,) = [str(w.message) for w in told]
    assert warning.startswith("counted: 'COUNT' is another at each call")


def test_a_nonlocal_counter() -> None:
    count = 0

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * count

    for call in (1, 2, 3):
        check(function(x()), call, 2 * call, 3 * call)
    assert count == 3


class Lazy(nn.Layer):
    def forward(self, x: Any) -> Any:
        if not hasattr(self, "inner"):
            self.inner = constant_linear(1.0)
        return self.inner(x)


def test_a_layer_that_forward_makes_the_first_time() -> None:
    net = paddle.jit.to_static(Lazy())
    for _ in range(3):
        check(net(x()), 6, 6, 6)
    assert len(net.parameters()) == 2
    assert net.forward.get_traced_count() == 2


def test_values_put_into_a_list_from_outside_are_refused_and_taken_out() -> None:
    seen: list[Any] = []

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        seen.append(x * 2)
        return x

    with pytest.raises(RuntimeError, match="'seen' is from outside"):
        function(x())
    assert seen == []


def test_lists_of_the_caller_that_are_changed_are_told_of() -> None:
    @paddle.jit.to_static
    def function(x: Any, kept: Any) -> Any:
        kept.append(1)
        return x * len(kept)

    kept: list[int] = []
    with pytest.warns(UserWarning, match=r"it changes what \['kept'\] hold") as said:
        check(function(x(), kept), 1, 2, 3)
    assert_said_at(said[0], "check(function(x(), kept), 1, 2, 3)")
    assert kept == []


@pytest.mark.parametrize("sign", [1, -1])
def test_inputs_changed_in_place_are_changed(sign: int) -> None:
    @paddle.jit.to_static
    def function(x: Any, y: Any) -> Any:
        if x.sum() > 0:
            x[0] = 5.0
        else:
            x.multiply_(y)
        return x + 1

    given = x() * sign
    found = function(given, x())
    wanted = (5, 2, 3) if sign > 0 else (-1, -4, -9)
    check(given, *wanted)
    check(found, *(w + 1 for w in wanted))


def test_gradients_through_an_input_changed_in_place() -> None:
    def function(x: Any, w: Any) -> Any:
        x[0] = 3.0
        x.multiply_(w)
        return (x * w).sum()

    gradients = []
    for run in (function, paddle.jit.to_static(function)):
        w, given = x(), x() * 1
        w.stop_gradient = False
        (run(given, w) + given.sum()).backward()
        gradients.append(w.grad.numpy())
    np.testing.assert_allclose(*gradients)


@paddle.jit.to_static
@paddle.no_grad()
def without_gradients(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x * 3


def test_functions_under_no_grad_are_converted() -> None:
    given = x()
    given.stop_gradient = False
    check(without_gradients(given), 2, 4, 6)
    check(without_gradients(-given), -3, -6, -9)
    assert without_gradients(given).stop_gradient


def hooked(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda gradient: gradient * 10)
    return y * 3


def endless(x: Any) -> Any:
    return x if x.sum() > 50 else endless(x * 2)


def named(_ol_x: Any) -> Any:
    return _ol_x + 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (endless, "write it as a loop"),
        (named, "the name '_ol_x' in line"),
    ],
)
def test_what_cannot_be_in_a_program_is_refused(function: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        paddle.jit.to_static(function)(x())
    check(x() * 2, 2, 4, 6)  # nothing is left of the recording


class Tenfold(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 10


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (hooked, "values of a program have no hooks"),
        (lambda x: Tenfold.apply(x) * 3 + x - x, "Tenfold: a program has no place for the backward"),
    ],
)
def test_gradients_that_a_program_cannot_give_are_refused(function: Any, message: str) -> None:
    static = paddle.jit.to_static(function)
    check(static(x()), 6, 12, 18)
    wants = x()
    wants.stop_gradient = False
    with pytest.raises(RuntimeError, match=message):
        static(wants)
    with paddle.no_grad():
        check(static(wants), 6, 12, 18)


class Masked(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, Any] = {}

    def forward(self, x: Any) -> Any:
        if 3 not in self.kept:
            self.kept[3] = paddle.ones([3]) * 2
        return x * self.kept[3]


def test_a_layer_that_keeps_what_it_computes_keeps_nothing_of_the_program() -> None:
    net = paddle.jit.to_static(Masked())
    with pytest.warns(UserWarning, match="'Masked.kept' holds none of the values") as said:
        check(net(x()), 2, 4, 6)
    assert_said_at(said[0], "check(net(x()), 2, 4, 6)")
    check(net(x()), 2, 4, 6)
    assert net.kept == {}
    assert net.forward.get_traced_count() == 1


def scaling(k: float) -> Any:
    def scale(x: Any) -> Any:
        return x * k

    def change(value: float) -> None:
        nonlocal k
        k = value

    scale.change = change  # type: ignore[attr-defined]
    return scale


def test_each_function_that_a_factory_made() -> None:
    a, b = scaling(2.0), scaling(3.0)
    static = paddle.jit.to_static(lambda x: a(x) + b(x))
    check(static(x()), 5, 10, 15)
    b.change(4.0)
    check(static(x()), 6, 12, 18)
    a.change(1.0)
    check(static(x()), 5, 10, 15)


def test_a_factory_that_the_program_calls_too() -> None:
    a = scaling(2.0)
    static = paddle.jit.to_static(lambda x: scaling(2.0)(x) + a(x))
    check(static(x()), 4, 8, 12)
    a.change(3.0)
    check(static(x()), 5, 10, 15)


class Activation(nn.Layer):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


def test_activations_of_a_sequential_from_one_factory() -> None:
    functions = [scaling(2.0), scaling(3.0)]
    net = paddle.jit.to_static(nn.Sequential(*map(Activation, functions)))
    check(net(x()), 6, 12, 18)
    functions[1].change(0.5)
    check(net(x()), 1, 2, 3)


@dataclass(frozen=True)
class Fixed:
    k: float


@pytest.mark.parametrize("wrap", [lambda k: k, Fixed, lambda k: frozenset([k]), np.float64])
def test_the_sign_of_a_zero_that_is_given(wrap: Any) -> None:
    @paddle.jit.to_static
    def function(x: Any, k: Any) -> Any:
        return x / (k.k if isinstance(k, Fixed) else list(k)[0] if isinstance(k, frozenset) else k)

    check(function(x(), wrap(0.0)), np.inf, np.inf, np.inf)
    check(function(x(), wrap(-0.0)), -np.inf, -np.inf, -np.inf)
    check(function(x(), wrap(0.0)), np.inf, np.inf, np.inf)
    assert function.get_traced_count() == 2


def test_all_nan_are_one() -> None:
    function = paddle.jit.to_static(lambda x, k: x * k)
    check(function(x(), float("nan")), np.nan, np.nan, np.nan)
    check(function(x(), float("nan")), np.nan, np.nan, np.nan)
    assert function.get_traced_count() == 1


def test_the_sign_of_a_zero_outside() -> None:
    settings, numbers, members = Factor(0.0), [0.0], {0.0}

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x / settings.k + x / numbers[0] + x / next(iter(members))

    check(function(x()), np.inf, np.inf, np.inf)
    settings.k = -0.0
    check(function(x()), np.nan, np.nan, np.nan)
    numbers[0] = -0.0
    members.clear()
    members.add(-0.0)
    check(function(x()), -np.inf, -np.inf, -np.inf)


def test_the_sign_of_a_zero_in_branches() -> None:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        if x.sum() > 0:
            k = 0.0
        else:
            k = -0.0
        return x / k

    check(function(x()), np.inf, np.inf, np.inf)
    check(function(-x()), np.inf, np.inf, np.inf)


class Config(dict[str, Any]):
    """What many libraries call a config."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class Outputs(OrderedDict[str, Any]):
    """What many models give."""

    @property
    def logits(self) -> Any:
        return self["logits"]


def test_a_config_is_given_as_it_is_and_looked_at_again() -> None:
    config = Config(scale=2.0, sizes=[1])
    static = paddle.jit.to_static(lambda x, config: x * config.scale + len(config.sizes))
    check(static(x(), config), 3, 5, 7)
    check(static(x(), config), 3, 5, 7)
    assert static.get_traced_count() == 1
    config["scale"] = 3.0
    check(static(x(), config), 4, 7, 10)
    config.sizes.append(2)
    check(static(x(), config), 5, 8, 11)


def test_a_config_outside() -> None:
    config = Config(scale=2.0)
    static = paddle.jit.to_static(lambda x: x * config.scale)
    check(static(x()), 2, 4, 6)
    config["scale"] = 3.0
    check(static(x()), 3, 6, 9)


@pytest.mark.parametrize("kind", [dict, OrderedDict, Outputs, lambda items: defaultdict(list, items)])
def test_dicts_keep_their_type(kind: Any) -> None:
    @paddle.jit.to_static
    def function(given: Any) -> Any:
        if given["logits"].sum() > 0:
            found = kind({"logits": given["logits"] * 2})
        else:
            found = kind({"logits": given["logits"] * 3})
        return type(given).__name__, found

    given = kind({"logits": x()})
    name, found = function(given)
    assert (name, type(found)) == (type(given).__name__, type(given))
    check(found["logits"], 2, 4, 6)
    if kind is Outputs:
        check(found.logits, 2, 4, 6)
    if isinstance(found, defaultdict):
        assert found["more"] == []
    assert function.concrete_program.inputs[0].name == "logits"


def test_objects_that_hold_values_of_the_program_are_no_results() -> None:
    function = paddle.jit.to_static(lambda x: Factor(x * 2))
    with pytest.raises(TraceError, match="'Factor' holds values of the program and is no result"):
        function(x())


def test_an_argument_with_fields_that_is_no_tuple() -> None:
    static = paddle.jit.to_static(lambda x, node: x * node.value)
    check(static(x(), ast.Constant(2.0)), 2, 4, 6)
    check(static(x(), ast.Constant(3.0)), 3, 6, 9)


def test_only_layers_that_changed_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    net, other = paddle.jit.to_static(Stack()), Stack()
    check(net(x()), 6, 6, 6)
    compared = []
    holds = Place.holds
    monkeypatch.setattr(Place, "holds", lambda place: compared.append(place.holder) or holds(place))
    other.scale = 3.0
    check(net(x()), 6, 6, 6)
    assert not [found for found in compared if isinstance(found, nn.Layer)]
    net.layers.note = "new"
    check(net(x()), 6, 6, 6)
    assert {id(found) for found in compared if isinstance(found, nn.Layer)} == {id(net.layers)}


class Kept(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", paddle.ones([3]))

    def forward(self, x: Any) -> Any:
        return x * self.mask


def test_buffers_that_are_registered_anew() -> None:
    net = paddle.jit.to_static(Kept())
    check(net(x()), 1, 2, 3)
    net.register_buffer("mask", paddle.zeros([3]))
    check(net(x()), 0, 0, 0)
