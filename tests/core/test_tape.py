"""The C++ objects of the tape: references, release of memory, and errors."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import _tape
from oarlock.core._tape import Node
from oarlock.core.mode import state
from oarlock.core.op import OPS


def leaf(*values: float) -> paddle.Tensor:
    return paddle.to_tensor(list(values), stop_gradient=False)


def test_long_chain_needs_no_recursion() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + x
    y.backward(retain_graph=True)
    assert x.gradient() == [100_001.0]
    del y


def test_backward_frees_the_graph() -> None:
    x = leaf(1.0, 2.0)
    middle = paddle.exp(x)
    alive = weakref.ref(middle)
    y = (middle * middle).sum()
    del middle
    assert alive() is not None
    y.backward()
    assert alive() is None


def test_unneeded_results_are_not_saved() -> None:
    x = leaf(1.0, 2.0)
    assert (x + x).node.outs is None
    assert paddle.exp(x).node.outs is not None


def test_cycles_through_a_hook_are_collected() -> None:
    x = leaf(1.0)
    y = x * 2
    held = [y]
    y.register_hook(held.append)
    alive = weakref.ref(y)
    del y, held
    gc.collect()
    assert alive() is None


def test_grad_mode_is_per_thread() -> None:
    seen: list[bool] = []
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: seen.append((leaf(1.0) * 2).stop_gradient))
        thread.start()
        thread.join()
        assert (leaf(1.0) * 2).stop_gradient
    assert seen == [False]


def test_keyboard_interrupt_in_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(x: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(OPS["exp"], "kernel", interrupted)
    with pytest.raises(KeyboardInterrupt):
        paddle.exp(leaf(1.0))


def test_non_tensor_operands_are_rejected() -> None:
    with pytest.raises(paddle.OpError, match="add: Y must be a Tensor, not int"):
        OPS["elementwise_add"](leaf(1.0), 3)
    with pytest.raises(paddle.OpError, match="exp"):
        OPS["exp"]()
    with pytest.raises(paddle.OpError, match="takes 1 operands"):
        OPS["exp"](leaf(1.0), leaf(1.0))
    with pytest.raises(paddle.OpError, match="exp"):
        OPS["exp"](leaf(1.0), axis=1)


def test_wrong_number_of_gradients_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(OPS["sum"], "vjp_rule", lambda g, xs: [g])
    with pytest.raises(ValueError, match="number of gradients"):
        paddle.add_n([leaf(1.0), leaf(2.0)]).backward()


def test_mode_cannot_be_deleted() -> None:
    with pytest.raises(AttributeError):
        del state.mode


def test_attribute_types_are_checked() -> None:
    x = leaf(1.0)
    with pytest.raises(TypeError):
        x.index = "zero"
    x.stop_gradient = 1
    assert x.stop_gradient is True
    del x.grad
    assert x.grad is None
    del x.array
    with pytest.raises(AttributeError):
        x.numpy()


def test_failed_backward_leaves_no_gradients() -> None:
    x = leaf(1.0)
    y = paddle.exp(x)
    z = y * 2
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        z.backward()
    assert x.grad is None


def test_accumulation_does_not_modify_shared_arrays() -> None:
    x, given = leaf(1.0, 2.0), paddle.to_tensor([1.0, 1.0])
    y = x + x + x
    y.backward(given)
    np.testing.assert_array_equal(given.numpy(), [1.0, 1.0])
    np.testing.assert_array_equal(x.gradient(), [3.0, 3.0])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64"])
def test_pickle(dtype: str) -> None:
    x = paddle.to_tensor([[1, 2], [3, 4]]).astype(dtype)
    x.stop_gradient, x.name = dtype == "int64", "kept"
    back = pickle.loads(pickle.dumps(x))
    assert (back.name, back.dtype, back.stop_gradient) == ("kept", x.dtype, x.stop_gradient)
    np.testing.assert_array_equal(back.numpy(), x.numpy())


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"]
)
@pytest.mark.parametrize("number", [2, -3, 1.5, 0, True, 2**40])
def test_operators_with_numbers(dtype: str, number: float) -> None:
    x = paddle.to_tensor([3, 0, 7]).astype(dtype)
    for operator, function in (
        (lambda: x + number, lambda: paddle.add(x, number)),
        (lambda: x * number, lambda: paddle.multiply(x, number)),
        (lambda: x > number, lambda: paddle.greater_than(x, number)),
    ):
        try:
            wanted = function()
        except paddle.OarlockError as error:
            with pytest.raises(type(error)):
                operator()
            continue
        found = operator()
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_reflected_operators() -> None:
    x = leaf(1.0, 2.0)
    y = 3 - x + 1.5 / x + 2 * (1 + x)
    np.testing.assert_allclose(
        y.numpy(), 3 - np.array([1, 2]) + 1.5 / np.array([1, 2]) + 2 * (1 + np.array([1, 2]))
    )
    y.sum().backward()
    np.testing.assert_allclose(x.gradient(), -1 - 1.5 / np.array([1, 4]) + 2)


def test_node_arguments_are_checked() -> None:
    x = leaf(1.0)
    for args in ((1, (), {}, None), (OPS["exp"], [], {}, None), (OPS["exp"], (), (), None)):
        with pytest.raises(TypeError):
            Node(*args)
    with pytest.raises(AttributeError):
        (x * 2).node.op = 3


# -- attributes that C++ reads without a check
# --------------------------------------------------------------------------

# Owner, attribute, a value of a wrong type (None: any object is accepted).
ATTRIBUTES = [
    ("tensor", "node", 3),
    ("tensor", "grad", None),
    ("tensor", "_hooks", 3),
    ("tensor", "_history", [1]),
    ("tensor", "_origin", 3),
    ("tensor", "_zeros", None),
    ("node", "attrs", 3),
    ("node", "outs", None),
    ("node", "hooks", 3),
    ("node", "grads", 3),
    ("op", "kernel", None),
    ("op", "vjp_rule", None),
    ("op", "vjp_keyword_names", [1]),
    ("op", "vjp_attr_defaults", 3),
    ("op", "vjp_output_indices", None),
    ("engine", "active_tensors", None),
    ("engine", "nodes", 3),
    ("engine", "watched", [1]),
    ("engine", "last_uses", 3),
    ("engine", "sum", None),
]


def object_of_each_type() -> dict[str, object]:
    """Return a new object of each type of the module."""
    result = leaf(1.0, 2.0) * 2
    return {
        "tensor": result,
        "node": result.node,
        "op": _tape.OpBase(),
        "engine": _tape.BackwardEngine(),
    }


def test_every_writable_attribute_is_listed() -> None:
    listed = {(owner, name) for owner, name, _ in ATTRIBUTES}
    for owner, value in object_of_each_type().items():
        base = next(c for c in type(value).__mro__ if c.__module__ == "oarlock.core._tape")
        descriptors = {
            name for name, d in vars(base).items() if type(d).__name__ == "getset_descriptor"
        }
        assert descriptors - {"stop_gradient"} == {name for o, name in listed if o == owner}


@pytest.mark.parametrize(("owner", "name", "wrong"), ATTRIBUTES)
def test_deleting_an_attribute_restores_its_default(owner: str, name: str, wrong: object) -> None:
    value = object_of_each_type()[owner]
    delattr(value, name)
    delattr(value, name)
    assert getattr(value, name) in (None, (), {}, frozenset())
    if wrong is not None:
        with pytest.raises(TypeError, match="expected a"):
            setattr(value, name, wrong)


@pytest.mark.parametrize(
    "name", ["node", "grad", "_hooks", "_history", "_origin", "_zeros", "stop_gradient", "array"]
)
def test_backward_after_deleting_an_attribute_of_a_tensor(name: str) -> None:
    for chosen in ("leaf", "result"):
        x = leaf(1.0, 2.0)
        y = x * 3
        loss = (y * y).sum()
        delattr({"leaf": x, "result": y}[chosen], name)
        try:
            loss.backward()
        except (AttributeError, paddle.core.errors.OarlockError) as error:
            assert name == "array", error


@pytest.mark.parametrize("name", ["attrs", "outs", "hooks", "grads"])
def test_backward_after_deleting_an_attribute_of_a_node(name: str) -> None:
    x = leaf(1.0, 2.0)
    y = paddle.exp(x)
    z = y.sum(axis=0)
    delattr(y.node, name)
    delattr(z.node, name)
    if name == "outs":
        with pytest.raises(paddle.core.errors.OpError):
            z.backward()
    else:
        z.backward()
        np.testing.assert_allclose(x.gradient(), np.exp([1.0, 2.0]), rtol=1e-6)
