"""Distributions: samples against mean, variance and density; differences from Paddle; saved
programs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import distribution as d

PAIR = paddle.to_tensor([0.4, -0.3]), paddle.to_tensor([1.5, 0.6])
CHANCES = paddle.to_tensor([0.3, 0.8])
WEIGHTS = paddle.to_tensor([[0.5, 1.5, 2.0], [1.2, 0.4, 0.3]])
SPREAD = {
    "normal": lambda: d.Normal(*PAIR),
    "normal_numbers": lambda: d.Normal(1.0, 2.0),
    "lognormal": lambda: d.LogNormal(paddle.to_tensor([0.1, -0.3]), paddle.to_tensor([0.3, 0.2])),
    "uniform": lambda: d.Uniform(PAIR[0], paddle.to_tensor([2.5, 1.6])),
    "laplace": lambda: d.Laplace(*PAIR),
    "gumbel": lambda: d.Gumbel(*PAIR),
    "geometric": lambda: d.Geometric(CHANCES),
    "bernoulli": lambda: d.Bernoulli(CHANCES),
    "beta": lambda: d.Beta(paddle.to_tensor([0.7, 2.0]), paddle.to_tensor([1.5, 3.0])),
    "dirichlet": lambda: d.Dirichlet(WEIGHTS),
    "multinomial": lambda: d.Multinomial(5, WEIGHTS),
    "independent": lambda: d.Independent(d.Normal(*PAIR), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SPREAD))
def test_sample_mean_and_variance(name: str) -> None:
    paddle.seed(11)
    made = SPREAD[name]()
    drawn = made.sample((20000,)).numpy().astype("float64")
    assert drawn.shape == (20000, *made.batch_shape, *made.event_shape)
    mean, variance = made.mean.numpy(), made.variance.numpy()
    np.testing.assert_allclose(drawn.mean(0), mean, atol=5 * np.sqrt(variance.max() / 20000))
    np.testing.assert_allclose(drawn.var(0), variance, rtol=0.1)


def test_cauchy_samples_follow_the_cdf() -> None:
    paddle.seed(5)
    made = d.Cauchy(*PAIR)
    drawn = made.sample((20000,))
    for share in (0.1, 0.5, 0.9):
        at = np.quantile(drawn.numpy(), share, axis=0).astype("float32")
        np.testing.assert_allclose(made.cdf(at).numpy(), share, atol=0.02)


def test_categorical_frequencies() -> None:
    paddle.seed(5)
    logits = np.array([[0.1, 1.2, -3.0], [0.0, 0.0, 0.0]], "float32")
    drawn = d.Categorical(logits).sample([10000, 2]).numpy()
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    found = np.stack([(drawn == kind).mean((0, 1)) for kind in range(3)], -1)
    assert (drawn.shape, drawn.dtype) == ((10000, 2, 2), np.int64)
    np.testing.assert_allclose(found, chances, atol=0.015)


def test_relaxed_bernoulli_sign_frequency() -> None:
    paddle.seed(5)
    drawn = d.Bernoulli(CHANCES).rsample((20000,), 0.3).numpy()
    np.testing.assert_allclose((drawn > 0).mean(0), CHANCES.numpy(), atol=0.015)


DENSITIES = {
    "normal": (lambda: d.Normal(0.4, 1.5), -15, 15), "lognormal": (lambda: d.LogNormal(0.1, 0.5), 1e-6, 30), "laplace": (lambda: d.Laplace(0.4, 1.5), -30, 30),
    "gumbel": (lambda: d.Gumbel(0.4, 1.5), -10, 40), "uniform": (lambda: d.Uniform(0.4, 1.5), 0, 2), "beta": (lambda: d.Beta(1.7, 2.5), 1e-6, 1 - 1e-6),
    "tanh": (lambda: d.TransformedDistribution(d.Normal(0.1, 0.5), [d.TanhTransform()]), 1e-6 - 1, 1 - 1e-6),
}  # fmt: skip


@pytest.mark.parametrize("name", list(DENSITIES))
def test_density_integral_and_entropy(name: str) -> None:
    make, low, high = DENSITIES[name]
    at = np.linspace(low, high, 20001)
    density = make().prob(at.astype("float32")).numpy().astype("float64")
    width = (high - low) / 20000
    assert abs(density.sum() * width - 1) < 2e-3
    if name != "tanh":
        logs = np.where(density > 0, np.log(np.maximum(density, 1e-300)), 0)
        assert abs(-(density * logs).sum() * width - make().entropy().item()) < 5e-3


def test_multinomial_entropy() -> None:
    counts = [c for c in itertools.product(range(5), repeat=3) if sum(c) == 4]
    made = d.Multinomial(4, paddle.to_tensor([0.2, 0.5, 0.3]))
    logs = made.log_prob(np.array(counts, "float32")).numpy().astype("float64")
    assert abs(np.exp(logs).sum() - 1) < 1e-5
    assert abs(-(np.exp(logs) * logs).sum() - made.entropy().item()) < 1e-4
    assert d.Multinomial(2, paddle.to_tensor([0.5, 0.5, 0.0])).log_prob(
        [1.0, 1.0, 0.0]
    ).item() == pytest.approx(math.log(0.5))


def geometric_by_sum(p: float, q: float) -> float:
    k = np.arange(400)
    return float(((1 - p) ** k * p * (k * math.log((1 - p) / (1 - q)) + math.log(p / q))).sum())


def test_kl_divergences_missing_or_wrong_in_paddle() -> None:
    p, q = d.Geometric(0.3), d.Geometric(0.5)
    assert d.kl_divergence(p, q).item() == pytest.approx(geometric_by_sum(0.3, 0.5), rel=1e-5)
    assert d.Uniform(0.0, 1.0).kl_divergence(d.Uniform(-1.0, 3.0)).item() == pytest.approx(
        math.log(4)
    )
    assert d.Uniform(0.0, 1.0).kl_divergence(d.Uniform(0.5, 3.0)).item() == math.inf
    normals = [d.Independent(d.Normal(paddle.zeros([2]) + k, paddle.ones([2])), 1) for k in (0, 1)]
    assert normals[0].kl_divergence(normals[1]).item() == pytest.approx(1)


GRADIENTS = {
    "laplace": (lambda t: d.Laplace(t, 1.5), 0.7), "cauchy": (lambda t: d.Cauchy(0.2, t), 0.7), "bernoulli": (d.Bernoulli, 1.0),
    "multinomial": (lambda t: d.Multinomial(4, paddle.stack([t, 1 - t])), [1.0, 3.0]), "gumbel": (lambda t: d.Gumbel(t, 2 * t), 0.7),
    "uniform": (lambda t: d.Uniform(-t, t), 0.1), "geometric": (d.Geometric, 3.0), "beta": (lambda t: d.Beta(t, t + 1), 0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", list(GRADIENTS))
def test_gradients_equal_finite_differences(name: str) -> None:
    make, at = GRADIENTS[name]

    def value(t: Any) -> Any:
        made = make(t)
        return made.log_prob(paddle.to_tensor(at, "float64")).sum() + 2 * made.entropy().sum()

    t = paddle.to_tensor(0.4, "float64", stop_gradient=False)
    value(t).backward()
    step = 1e-6
    slope = (value(t.detach() + step) - value(t.detach() - step)) / (2 * step)
    assert t.grad is not None
    assert t.grad.item() == pytest.approx(slope.item(), rel=1e-5)


def test_stack_transform_event_rank() -> None:
    parts = [d.ExpTransform(), d.SigmoidTransform()]
    ranks = {axis: d.StackTransform(parts, axis)._domain.event_rank for axis in (-2, -1, 0, 1)}
    assert ranks == {-2: 1, -1: 1, 0: 0, 1: 0}
    with pytest.raises(paddle.OpError, match="2 transforms, 3 slices"):
        d.StackTransform(parts).forward(paddle.ones([3]))


def error_message(attempt: Callable[[], Any]) -> str:
    with pytest.raises(paddle.OpError) as caught:
        attempt()
    return str(caught.value).split("\n")[0]


def test_error_messages() -> None:
    assert (
        error_message(lambda: d.Bernoulli(1.5))
        == "Bernoulli: probs is not in [0, 1] (probs=float32[])"
    )
    assert (
        error_message(lambda: d.Geometric(0.0))
        == "Geometric: probs is not in (0, 1] (probs=float32[])"
    )
    assert "not a positive int" in error_message(lambda: d.Multinomial(0, WEIGHTS))
    assert "the value must have rank 1 or more" in error_message(
        lambda: d.Categorical(paddle.ones([2, 3])).probs(0)
    )
    assert "parameters must be numbers" in error_message(lambda: d.Normal("a", 1.0))
    assert "the rank must be at least 1" in error_message(
        lambda: d.SoftmaxTransform().forward(paddle.ones([]))
    )


class Scores(paddle.nn.Layer):
    """Densities of its input."""

    def forward(self, x: Any) -> Any:
        normal = d.Normal(x.mean(1, keepdim=True), paddle.ones([1]))
        chances = paddle.nn.functional.softmax(x)
        return (
            normal.log_prob(x),
            d.Bernoulli(chances).entropy(),
            d.kl_divergence(normal, d.Normal(0.0, 2.0)),
        )


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_log_prob_can_be_saved(tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")
    spec = paddle.static.InputSpec([None, 4], "float32")
    paddle.jit.save(Scores(), tmp_path / "scores", input_spec=[spec])
    for got, wanted in zip(
        paddle.jit.load(tmp_path / "scores")(x), Scores()(paddle.to_tensor(x)), strict=True
    ):
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)
