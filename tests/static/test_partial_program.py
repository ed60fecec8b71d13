"""Programs called from eager code: training equals eager training, bitwise where kernels are the
same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.capture.modes import Static
from oarlock.capture.recorder import Recorder
from oarlock.capture.variable import Variable
from oarlock.compiler.partial_program import PartialProgram
from oarlock.core.mode import use_base_mode
from oarlock.core.tensor import Tensor

F = nn.functional


def partial(function: Callable[..., Any], examples: list[Any]) -> PartialProgram:
    """A function of tensors as a program."""
    recorder, inputs = Recorder(), []
    for i, x in enumerate(examples):
        inputs.append(Variable(recorder.feed(f"x{i}", x.meta)))
        recorder.bind(inputs[-1], inputs[-1].name)
    with use_base_mode(Static(recorder, trains=True)):
        made = function(*inputs)
        for out in made if isinstance(made, tuple) else (made,):
            recorder.fetch(recorder.find_name_or_declare_persistable(out))
    return PartialProgram(recorder.program, recorder.scope)


def mlp():
    return nn.Sequential(
        nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4)
    )


def normed():
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Linear(36, 4),
    )


def dropping():
    return nn.Sequential(
        nn.Linear(6, 32),
        nn.Dropout(0.5),
        nn.GELU(),
        nn.Linear(32, 32),
        nn.Dropout(0.3),
        nn.Linear(32, 4),
    )


class Recurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Attending(nn.Layer):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1), 2)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


class Mixed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = mlp()

    def forward(self, x):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            return self.body(x)


class Chained(nn.Layer):
    """Many small ops."""

    def __init__(self):
        super().__init__()
        self.scale = self.create_parameter([6], default_initializer=nn.initializer.Constant(0.7))
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        y = x
        for _ in range(10):
            y = paddle.tanh(y * self.scale + x) - F.sigmoid(y) / 3
        return self.head(y)


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (mlp, (5, 6)),
    "normed": (normed, (5, 1, 6, 6)),
    "dropping": (dropping, (5, 6)),
    "recurrent": (Recurrent, (5, 7, 6)),
    "attending": (Attending, (5, 7, 8)),
    "mixed": (Mixed, (5, 6)),
    "chained": (Chained, (5, 6)),
}
STEPS = 20


def data(shape: tuple[int, ...]) -> list[tuple[Tensor, Tensor]]:
    source = np.random.default_rng(3)
    return [
        (
            Tensor(source.standard_normal(shape).astype(np.float32)),
            Tensor(source.integers(0, 4, (shape[0], 1))),
        )
        for _ in range(STEPS)
    ]


def train(
    model: Any, step: Callable[[Tensor, Tensor], Tensor], batches: list[tuple[Tensor, Tensor]]
) -> Any:
    """The losses, and all parameters and buffers in the end."""
    paddle.seed(11)
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    losses = []
    for x, y in batches:
        loss = step(x, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, {k: v.numpy() for k, v in model.state_dict().items()}


@pytest.mark.parametrize("whole", [True, False], ids=["with the loss", "without"])
@pytest.mark.parametrize("name", MODELS)
def test_training_equals_eager(name: str, whole: bool) -> None:
    make, shape = MODELS[name]
    batches = data(shape)
    model = make()
    twin = make()
    twin.set_state_dict({k: v.numpy() for k, v in model.state_dict().items()})
    loss_of = lambda x, y: F.cross_entropy(model(x), y)
    if whole:
        called = partial(lambda x, y: F.cross_entropy(twin(x), y), list(batches[0]))
        step = lambda x, y: called([x, y])[0]
    else:
        called = partial(twin, [batches[0][0]])
        step = lambda x, y: F.cross_entropy(called([x])[0], y)
    wanted, wanted_state = train(model, loss_of, batches)
    losses, found_state = train(twin, step, batches)
    np.testing.assert_allclose(losses, wanted, rtol=1e-6)
    for key, value in wanted_state.items():
        np.testing.assert_allclose(found_state[key], value, rtol=1e-5, atol=1e-6, err_msg=key)


# -- what a call is to the eager code around it
# ---------------------------------------------------------------------


def wanting(*shape: int) -> Tensor:
    source = np.random.default_rng(sum(shape))
    return Tensor(source.standard_normal(shape).astype(np.float32), stop_gradient=False)


def both(function: Callable[..., Any], use: Callable[..., Any], *shapes: tuple[int, ...]) -> None:
    """Check that `use(function, *tensors)` has equal gradients for the function and for its
    program.
    """
    found = []
    tensors = [wanting(*shape) for shape in shapes]
    program = partial(function, tensors)

    def called(*args: Any) -> Any:
        made = program(list(args))
        return made[0] if len(made) == 1 else tuple(made)

    for one in (function, called):
        mine = [wanting(*shape) for shape in shapes]
        value = use(one, *mine)
        found.append((value.numpy(), [t.gradient() for t in mine]))
    (wanted, wanted_grads), (got, grads) = found
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
    for g, w in zip(grads, wanted_grads, strict=True):
        assert (g is None) == (w is None)
        if w is not None:
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6)


def backwards(value: Any, **how: Any) -> Any:
    value.backward(**how)
    return value


def test_eager_ops_before_and_after() -> None:
    both(
        lambda x, y: paddle.tanh(x) * y,
        lambda f, x, y: backwards((f(x * 2, y + x) * y).sum()),
        (3, 4),
        (3, 4),
    )


def test_given_output_gradient() -> None:
    both(
        lambda x: paddle.tanh(x),
        lambda f, x: backwards(f(x), grad_tensor=Tensor(np.full((3, 4), 2.0, np.float32))),
        (3, 4),
    )


@pytest.mark.parametrize("used", [[0], [1], [0, 1], [2], [1, 2]])
def test_unused_outputs(used: list[int]) -> None:
    def several(x, y):
        z = paddle.tanh(x) * y
        return z.sum(), z * x, paddle.exp(y)

    def use(f, x, y):
        made = f(x, y)
        return backwards(sum(made[i].sum() for i in used))

    both(several, use, (3, 4), (3, 4))


def test_output_without_gradient() -> None:
    both(lambda x: (x * x, paddle.argmax(x, axis=1)), lambda f, x: backwards(f(x)[0].sum()), (3, 4))
    assert partial(lambda x: paddle.argmax(x, axis=1), [wanting(3, 4)])([wanting(3, 4)])[
        0
    ].stop_gradient


def test_gradients_accumulate_and_graph_is_freed() -> None:
    x = wanting(3)
    program = partial(lambda x: (x * x).sum(), [x])
    out = program([x])[0]
    out.backward(retain_graph=True)
    out.backward()
    np.testing.assert_allclose(x.gradient(), 4 * x.numpy(), rtol=1e-6)
    with pytest.raises(paddle.OarlockError, match="freed"):
        out.backward()


def test_hooks() -> None:
    x, seen = wanting(3), []
    x.register_hook(lambda g: seen.append(g.numpy()) or g * 2)
    partial(lambda x: (x * x).sum(), [x])([x])[0].backward()
    np.testing.assert_allclose(seen[0], 2 * x.numpy(), rtol=1e-6)
    np.testing.assert_allclose(x.gradient(), 4 * x.numpy(), rtol=1e-6)


def test_no_grad() -> None:
    x = wanting(3)
    program = partial(lambda x: x * x, [x])
    with paddle.no_grad():
        assert program([x])[0].stop_gradient
    assert program([x.detach()])[0].stop_gradient
    assert not program([x])[0].stop_gradient


def test_second_order_gradient() -> None:
    def use(f, x, y):
        first = paddle.grad(f(x, y).sum(), [x], create_graph=True)[0]
        return backwards((first * first).sum())

    both(lambda x, y: paddle.tanh(x * y) * x, use, (3, 4), (3, 4))


def test_no_grad_inside_the_program() -> None:
    def some(x, y):
        with paddle.no_grad():
            kept = paddle.exp(x)
        return kept * y + paddle.tanh(x).detach() * x

    both(some, lambda f, x, y: backwards(f(x, y).sum()), (3, 4), (3, 4))


def test_training_with_branches_and_loops() -> None:
    def f(x, y):
        s = paddle.capture.control.cond(x.sum() > 0, lambda: x * y, lambda: x - y)
        body = lambda i, s: (i + 1, paddle.tanh(s * y))
        return paddle.capture.control.while_loop(
            lambda i, s: i < 3, body, [paddle.full([1], 0, "int64"), s]
        )[1]

    both(f, lambda f, x, y: backwards(f(x, y).sum() + f(-x, y).sum()), (3, 4), (3, 4))


def test_wrong_number_of_inputs_is_rejected() -> None:
    program = partial(lambda x: x * x, [wanting(3)])
    with pytest.raises(paddle.OpError, match=r"takes 1 inputs \['x0'\], got 2"):
        program([wanting(3), wanting(3)])


def test_error_names_op_and_line() -> None:
    program = partial(lambda x, y: paddle.matmul(x, y), [wanting(3, 4), wanting(4, 2)])
    with pytest.raises(
        paddle.OpError,
        match=r"(?s)matmul: the inner axes differ.*recorded at .*paddle.matmul\(x, y\)",
    ):
        program([wanting(3, 4), wanting(5, 2)])


def test_overflow_in_gradient_accumulation_is_silent() -> None:
    x = paddle.to_tensor(np.float32([3e38]), stop_gradient=False)
    grow = paddle.jit.to_static(lambda x: (x * 3e38).sum())
    for _ in range(2):
        grow(x).backward()
    assert x.grad.numpy().tolist() == [np.inf]
