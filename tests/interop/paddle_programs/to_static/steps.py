"""Training steps: functions of a state and a batch, whose side effects are compared."""

import functools
import random

import numpy as np

from ..table import describe, fill, paddle, register

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


class State:
    """A network with everything that a training step may use."""

    def __init__(self, dropout=0.5, noise=1.0):
        paddle.seed(3)
        with paddle.utils.unique_name.guard():
            self.net = paddle.nn.Sequential(
                paddle.nn.Linear(3, 4),
                paddle.nn.BatchNorm1D(4),
                paddle.nn.Dropout(dropout),
                paddle.nn.Linear(4, 2),
            )
        self.scheduler = paddle.optimizer.lr.StepDecay(0.1, step_size=2, gamma=0.5)
        clip = paddle.nn.ClipGradByGlobalNorm(0.1)
        # Adam would enlarge the rounding errors of what precedes a normalization: gradients there
        # are nearly zero.
        normalization = self.net[1].parameters()
        others = self.net[0].parameters() + self.net[3].parameters()
        self.first = paddle.optimizer.Adam(
            self.scheduler, parameters=normalization, grad_clip=clip, weight_decay=0.01
        )
        self.second = paddle.optimizer.Momentum(0.05, parameters=others)
        self.scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)
        self.losses = []
        self.calls = 0
        self.noise = noise

    def values(self):
        """Everything that a step may change, by name."""
        found = {f"net.{n}": t.numpy() for n, t in self.net.state_dict().items()}
        for which, optimizer in (("first", self.first), ("second", self.second)):
            state = optimizer.state_dict()
            found |= {
                f"{which}.{n}": v.numpy() for n, v in state.items() if isinstance(v, paddle.Tensor)
            }
        for n, p in self.net.named_parameters():
            found[f"grad.{n}"] = None if p.grad is None else p.grad.numpy()
        # real Paddle's scaler is off on a CPU
        found["scale"] = self.scaler.state_dict().get("scale")
        return {
            **found,
            "rate": self.scheduler.last_lr,
            "losses": list(self.losses),
            "calls": self.calls,
        }


def step(s, x):
    loss = s.net(x).pow(2).mean()
    loss.backward()
    s.first.step()
    s.second.step()
    s.first.clear_grad()
    s.second.clear_grad()
    s.scheduler.step()
    return loss


def minimized(s, x):
    loss = s.net(x).pow(2).mean()
    loss.backward()
    s.first.minimize(loss)
    s.net.clear_gradients()
    return loss


def scaled(s, x):
    with paddle.amp.auto_cast(enable=False):
        loss = s.net(x).pow(2).mean()
    s.scaler.scale(loss).backward()
    s.scaler.step(s.second)
    s.scaler.update()
    s.first.clear_grad()
    s.second.clear_grad()
    return loss


def accumulated(s, x):
    s.calls += 1
    loss = s.net(x).mean() / 2
    loss.backward()
    if s.calls % 2 == 0:
        s.second.step()
        s.second.clear_grad()
    return loss


def with_python_state(s, x):
    s.calls += 1
    s.losses.append(random.random() + float(np.random.rand()))
    noise = paddle.randn([4, 3]) * s.noise
    loss = s.net(x + noise).mean()
    loss.backward()
    s.losses.append(float(loss))
    s.second.step()
    s.second.clear_grad()
    return loss


def partly_without_gradients(s, x):
    with paddle.no_grad():
        target = s.net(x) * 2
    loss = (s.net(x) - target).abs().mean()
    loss.backward()
    s.second.step()
    s.second.clear_grad()
    return loss


def by_hand(s, x):
    loss = s.net(x).mean()
    parameters = [p for p in s.net.parameters() if not p.stop_gradient]
    gradients = paddle.grad(loss, parameters)
    with paddle.no_grad():
        for p, g in zip(parameters, gradients, strict=True):
            p.set_value(p - 0.1 * g)
    return loss


def in_place(s, x):
    with paddle.no_grad():
        for p in s.net.parameters():
            p.add_(paddle.full_like(p, 0.5))
    return s.net(x).mean()


def frozen(s, x):
    s.net[0].weight.stop_gradient = s.calls % 2 == 0
    s.calls += 1
    loss = s.net(x).mean()
    loss.backward()
    s.second.step()
    return loss


def reads_a_gradient(s, x):
    loss = s.net(x).mean()
    size = 0.0 if s.net[0].weight.grad is None else s.net[0].weight.grad.abs().sum()
    return loss + size


def only_zeroes_gradients(s, x):
    s.net[0].weight.clear_gradient()
    return s.net(x).mean()


def reads_the_rate(s, x):
    s.scheduler.step()
    return s.net(x).mean() * s.first.get_lr() * s.scheduler.last_lr


def in_a_branch(s, x):
    loss = s.net(x).mean()
    if loss < 100:
        loss.backward()
        s.second.step()
        s.second.clear_grad()
    return loss


def in_a_loop(s, x):
    total = 0.0
    for i in range(3):
        loss = s.net(x * (i + 1)).mean()
        loss.backward()
        s.second.step()
        s.second.clear_grad()
        total = total + loss
    return total


def behind_an_except(s, x):
    loss = s.net(x).mean()
    try:
        loss.backward()
        s.second.step()
    except Exception:
        s.calls += 100
    return loss


def through_another_function(s, x):
    return step(s, x) + minimized(s, x)


STEPS = [
    step, minimized, scaled, accumulated, with_python_state, partly_without_gradients, by_hand, in_place, frozen, reads_a_gradient,
    only_zeroes_gradients, reads_the_rate, in_a_branch, in_a_loop, behind_an_except, through_another_function,
]  # fmt: skip


def filled(state):
    """A state whose parameters have reproducible values."""
    fill(state.net)
    return state


def run_step(function, full_graph):
    """Losses of five calls of a converted step, and the state after them."""
    state = filled(State(dropout=0.0, noise=0.0))
    random.seed(1)
    np.random.seed(1)
    converted = paddle.jit.to_static(function, full_graph=full_graph)
    losses = [float(converted(state, paddle.to_tensor(X))) for _ in range(5)]
    values = state.values()
    del values["scale"]
    return describe({"losses of calls": losses, **values})


for _step in STEPS:
    register(_step, functools.partial(run_step, _step))
