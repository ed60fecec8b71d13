"""The same code for Oarlock and for real Paddle: distributions and transforms of random variables;
see same_code.py.
"""

import numpy as np


def leaves(P, values):
    """Return tensors with stop_gradient=False; values that are no lists are unchanged."""
    return [
        P.to_tensor(np.array(v, "float32"), stop_gradient=False) if isinstance(v, list) else v
        for v in values
    ]


def distribution(name, *values, at=None, methods=(), gradients=True):
    """Return the properties of a distribution, its methods at `at`, and parameter gradients."""

    def run(P):
        given = leaves(P, values)
        made = getattr(P.distribution, name)(*given)
        found = {
            method: getattr(made, method)(P.to_tensor(at))
            for method in methods
            if method not in PLAIN
        }
        found.update(
            {
                m: getattr(made, m) if m in PROPERTIES else made.entropy()
                for m in methods
                if m in PLAIN
            }
        )
        arrays = {key: value.numpy() for key, value in found.items()}
        wanted = [t for t in given if hasattr(t, "numpy")]
        if gradients and wanted:
            sum((value * value).sum() for value in found.values()).backward()
            arrays.update({f"grad{i}": t.grad.numpy() for i, t in enumerate(wanted)})
        return arrays

    return run


PROPERTIES = {"mean", "variance", "stddev"}
PLAIN = PROPERTIES | {"entropy"}
NUMBERS = np.array([0.3, 1.2], "float32")
ROWS = np.array([[0.3, 1.2], [-0.4, 0.7], [2.5, -1.5]], "float32")
SHARES = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]], "float32")
COUNTS = np.array([[1.0, 3.0, 1.0], [0.0, 5.0, 0.0]], "float32")
INNER = np.array([[0.3, 0.9], [0.5, 0.1]], "float32")
LOC, SCALE, CHANCES = [0.4, -0.3], [1.5, 0.6], [0.3, 0.8]
WEIGHTS = [[0.5, 1.5, 2.0], [1.2, 0.4, 0.3]]
# gradients=False: real Paddle has none, or crashes where it broadcasts a value against parameters
# that want one
COMMON = ("mean", "variance", "entropy", "log_prob", "prob")

described = {
    "normal": distribution("Normal", LOC, SCALE, at=ROWS, methods=(*COMMON, "probs")),
    "normal_numbers": distribution("Normal", 0.4, 2, at=ROWS, methods=COMMON),
    "normal_arrays": distribution("Normal", np.array([0.4, 1.0]), np.array([1.5, 0.6]), at=ROWS.astype("float64"), methods=COMMON),
    "lognormal": distribution("LogNormal", LOC, SCALE, at=np.abs(ROWS), methods=(*COMMON, "probs")),
    "uniform": distribution("Uniform", LOC, [1.5, 2.6], at=ROWS, methods=("entropy", "probs", "prob"), gradients=False),
    "uniform_log": distribution("Uniform", [-3.0, -2.0], [4.0, 5.0], at=ROWS, methods=("log_prob", "entropy")),
    "uniform_outside": distribution("Uniform", 0.0, 1.0, at=ROWS, methods=("log_prob", "probs")),
    "laplace": distribution("Laplace", LOC, SCALE, at=ROWS, methods=(*COMMON, "stddev", "cdf"), gradients=False),
    "laplace_numbers": distribution("Laplace", 0.4, 2.0, at=ROWS, methods=(*COMMON, "stddev", "cdf"), gradients=False),
    "laplace_quantiles": distribution("Laplace", LOC, SCALE, at=INNER, methods=("icdf",), gradients=False),
    "cauchy": distribution("Cauchy", LOC, SCALE, at=ROWS, methods=("entropy", "log_prob", "prob", "cdf"), gradients=False),
    "gumbel": distribution("Gumbel", LOC, SCALE, at=ROWS, methods=(*COMMON, "stddev", "cdf")),
    "gumbel_numbers": distribution("Gumbel", 0.4, 2.0, at=ROWS, methods=(*COMMON, "stddev", "cdf")),
    "geometric": distribution("Geometric", CHANCES, at=np.array([2.0, 0.0], "float32"), methods=("mean", "cdf", "pmf", "log_pmf")),
    "geometric_spread": distribution("Geometric", CHANCES, methods=("variance", "stddev"), gradients=False),
    "geometric_entropy": distribution("Geometric", CHANCES, methods=("entropy",), gradients=False),
    "bernoulli": distribution("Bernoulli", CHANCES, at=np.array([[1.0, 0.0], [0.0, 0.0]], "float32"), methods=COMMON, gradients=False),
    "bernoulli_number": distribution("Bernoulli", 0.3, at=np.array([1.0, 0.0], "float32"), methods=COMMON),
    "bernoulli_cdf": distribution("Bernoulli", 0.3, at=np.array([-1.0, 0.0, 0.5, 1.0, 2.0], "float32"), methods=("cdf",)),
    "beta": distribution("Beta", [0.7, 2.0], [1.5, 3.0], at=INNER, methods=COMMON),
    "beta_numbers": distribution("Beta", 0.7, 1.5, at=INNER, methods=COMMON),
    "dirichlet": distribution("Dirichlet", WEIGHTS, at=SHARES, methods=COMMON),
    "dirichlet_flat": distribution("Dirichlet", WEIGHTS[0], at=SHARES[0], methods=COMMON),
    "multinomial": distribution("Multinomial", 5, WEIGHTS, at=COUNTS, methods=COMMON, gradients=False),
    "categorical": distribution("Categorical", WEIGHTS, at=np.array([[2, 0], [1, 1]]), methods=("entropy", "probs", "prob", "log_prob")),
    "categorical_flat": distribution("Categorical", WEIGHTS[0], at=np.array([2, 0, 1, 1]), methods=("entropy", "probs", "log_prob")),
    "categorical_shared": distribution("Categorical", WEIGHTS, at=np.array([2, 0]), methods=("probs", "log_prob")),
}  # fmt: skip


def divergence(name, first, second):
    """The divergence of two of a kind, by the function and by the method, and its gradients."""

    def run(P):
        p, q = leaves(P, first), leaves(P, second)
        kind = getattr(P.distribution, name)
        by_function = P.distribution.kl_divergence(kind(*p), kind(*q))
        (by_function * by_function).sum().backward()
        grads = {f"grad{i}": t.grad.numpy() for i, t in enumerate([*p, *q])}
        return {"kl": by_function.numpy(), **grads}

    return run


divergences = {
    "normal": divergence("Normal", (LOC, SCALE), ([0.1, 0.9], [0.7, 1.1])),
    "lognormal": divergence("LogNormal", (LOC, SCALE), ([0.1, 0.9], [0.7, 1.1])),
    "laplace": divergence("Laplace", (LOC, SCALE), ([0.1, 0.9], [0.7, 1.1])),
    "cauchy": divergence("Cauchy", (LOC, SCALE), ([0.1, 0.9], [0.7, 1.1])),
    "bernoulli": divergence("Bernoulli", (CHANCES,), ([0.6, 0.7],)),
    "beta": divergence("Beta", ([0.7, 2.0], [1.5, 3.0]), ([1.7, 0.6], [0.5, 2.0])),
    "dirichlet": divergence("Dirichlet", (WEIGHTS,), ([[1.5, 0.5, 1.0], [0.2, 1.4, 2.3]],)),
    "categorical": divergence("Categorical", (WEIGHTS,), ([[1.5, 0.5, 1.0], [0.2, 1.4, 2.3]],)),
}  # fmt: skip


def no_rule(P):
    """Pairs without a rule are rejected."""
    d = P.distribution
    rejected = []
    for q in (d.Beta(1.0, 1.0), d.Cauchy(0.0, 1.0)):
        try:
            d.kl_divergence(d.Normal(0.0, 1.0), q)
        except NotImplementedError:
            rejected.append(1)
    return {"rejected": np.array(rejected)}


def own_family(P):
    """Entropy and divergence of a custom ExponentialFamily, and a custom KL rule."""
    d = P.distribution

    class Exponential(d.ExponentialFamily):
        def __init__(self, rate):
            self.rate = rate
            super().__init__(tuple(rate.shape))

        @property
        def _natural_parameters(self):
            return (-self.rate,)

        def _log_normalizer(self, natural):
            return -P.log(-natural)

        @property
        def _mean_carrier_measure(self):
            return 0.0

    p, q = (
        Exponential(P.to_tensor(np.array(v, "float32"), stop_gradient=False))
        for v in ([0.3, 2.0], [0.5, 1.0])
    )
    found = {"entropy": p.entropy().numpy(), "kl": d.kl_divergence(p, q).numpy()}

    @d.register_kl(Exponential, Exponential)
    def rule(p, q):
        return p.rate * 100 + q.rate

    return found | {"own": d.kl_divergence(p, q).numpy()}


def draws(make, *shapes):
    """Return shapes and dtypes of samples, and whether they have gradients."""

    def run(P):
        made = make(P, P.distribution)
        found = {}
        for method in ("sample", "rsample"):
            for shape in shapes:
                try:
                    drawn = getattr(made, method)(shape)
                except NotImplementedError:
                    continue
                found[f"{method}{list(shape)}"] = np.array(
                    [str(list(drawn.shape)), str(drawn.dtype), str(drawn.stop_gradient)]
                )
        return found

    return run


def two(P):
    return leaves(P, (LOC, SCALE))


drawn = {
    "normal": draws(lambda P, d: d.Normal(*two(P)), (), (4,), [4, 2]),
    "lognormal": draws(lambda P, d: d.LogNormal(*two(P)), (), (4,), [4, 2]),
    "laplace": draws(lambda P, d: d.Laplace(*two(P)), (), (4,), [4, 2]),
    "cauchy": draws(lambda P, d: d.Cauchy(*two(P)), (), (4,), [4, 2]),
    "gumbel": draws(lambda P, d: d.Gumbel(*two(P)), [4, 2]),
    "geometric": draws(lambda P, d: d.Geometric(*leaves(P, (CHANCES,))), (), (4,), [4, 2]),
    "bernoulli": draws(lambda P, d: d.Bernoulli(*leaves(P, (CHANCES,))), (), (4,), [4, 2]),
    "beta": draws(lambda P, d: d.Beta(*leaves(P, ([0.7, 2.0], [1.5, 3.0]))), (), (4,), [4, 2]),
    "dirichlet": draws(lambda P, d: d.Dirichlet(*leaves(P, (WEIGHTS,))), (), (4,), [4, 2]),
    "multinomial": draws(lambda P, d: d.Multinomial(5, P.to_tensor(SHARES)), (), (4,), [4, 2]),
    "categorical": draws(lambda P, d: d.Categorical(P.to_tensor(SHARES)), [4], [4, 2]),
}  # fmt: skip


def transform(make, x=ROWS, y=None):
    """There and back, stretches and shapes of a transform."""

    def run(P):
        made, x_, y_ = make(P, P.distribution), P.to_tensor(x), P.to_tensor(x if y is None else y)
        found = {"forward": made.forward(x_), "inverse": made.inverse(y_), "call": made(x_)}
        if type(made).__name__ != "SoftmaxTransform":
            found["stretch"] = made.forward_log_det_jacobian(x_) + P.zeros(
                x_.shape[: x_.ndim - made._domain.event_rank]
            )
            found["shrink"] = made.inverse_log_det_jacobian(y_) + P.zeros(
                y_.shape[: y_.ndim - made._codomain.event_rank]
            )
        shapes = [made.forward_shape(tuple(x.shape)), made.inverse_shape(tuple(y_.shape))]
        ranks = [made._domain.event_rank, made._codomain.event_rank]
        return {k: v.numpy() for k, v in found.items()} | {
            "shapes": np.array(str(shapes)),
            "ranks": np.array(ranks),
        }

    return run


def affine(P, d, loc=1.0, scale=2.0):
    return d.AffineTransform(P.to_tensor(loc), P.to_tensor(scale))


transforms = {
    "affine": transform(lambda P, d: affine(P, d, [1.0, -1.0], [0.5, -2.0])),
    "exp": transform(lambda P, d: d.ExpTransform(), y=INNER),
    "power": transform(lambda P, d: d.PowerTransform(P.to_tensor(2.0)), y=INNER),
    "sigmoid": transform(lambda P, d: d.SigmoidTransform(), y=INNER),
    "tanh": transform(lambda P, d: d.TanhTransform(), y=INNER),
    "softmax": transform(lambda P, d: d.SoftmaxTransform(), y=SHARES),
    "stick": transform(lambda P, d: d.StickBreakingTransform(), y=SHARES),
    "reshape": transform(lambda P, d: d.ReshapeTransform((2,), (2, 1)), y=ROWS[:, :, None]),
    "chain": transform(lambda P, d: d.ChainTransform([affine(P, d), d.ExpTransform()]), y=INNER),
    "chain_of_events": transform(lambda P, d: d.ChainTransform([d.ExpTransform(), d.StickBreakingTransform()]), x=INNER, y=SHARES),
    "independent": transform(lambda P, d: d.IndependentTransform(d.ExpTransform(), 1), y=INNER),
    "stack": transform(lambda P, d: d.StackTransform([d.ExpTransform(), d.TanhTransform()], 1), y=INNER),
}  # fmt: skip


def absolute(P):
    made = P.distribution.AbsTransform()
    back = made.inverse(P.to_tensor(INNER))
    return {
        "forward": made.forward(P.to_tensor(ROWS)).numpy(),
        "low": back[0].numpy(),
        "high": back[1].numpy(),
    }


def kinds(P):
    """Return the types of a transform called with a distribution and with a transform."""
    d = P.distribution
    named = [type(d.ExpTransform()(x)).__name__ for x in (d.TanhTransform(), d.Normal(0.0, 1.0))]
    return {"kinds": np.array(named)}


def transformed(P):
    """A distribution with two transforms: density, gradients, sample shapes."""
    d = P.distribution
    loc, scale = two(P)
    made = d.TransformedDistribution(d.Normal(loc, scale), [affine(P, d), d.ExpTransform()])
    out = made.log_prob(P.to_tensor(np.abs(ROWS)))
    out.sum().backward()
    shapes = [
        list(made.batch_shape),
        list(made.event_shape),
        list(made.sample((5,)).shape),
        list(made.rsample((5,)).shape),
    ]
    return {
        "out": out.numpy(),
        "loc": loc.grad.numpy(),
        "scale": scale.grad.numpy(),
        "shapes": np.array(str(shapes)),
        "prob": made.prob(P.to_tensor(np.abs(ROWS))).numpy(),
    }


def independent(P):
    """Independent, also inside a transformed distribution."""
    d = P.distribution
    given = P.to_tensor(SHARES), P.to_tensor(SHARES + 1)
    made = d.Independent(d.Normal(*given), 1)
    simplex = d.TransformedDistribution(made, [d.StickBreakingTransform()])
    at = P.to_tensor(np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.1, 0.4]], "float32"))
    shapes = [
        list(x)
        for m in (made, simplex)
        for x in (m.batch_shape, m.event_shape, m.sample((5,)).shape)
    ]
    found = {
        "mean": made.mean,
        "variance": made.variance,
        "entropy": made.entropy(),
        "log_prob": made.log_prob(P.to_tensor(SHARES)),
        "simplex": simplex.log_prob(at),
    }
    return {k: v.numpy() for k, v in found.items()} | {"shapes": np.array(str(shapes))}


def rejected(P):
    """Invalid parameters of distributions."""
    d = P.distribution
    one = P.ones([2])
    tries = [
        lambda: d.Bernoulli(1.5), lambda: d.Geometric(0.0), lambda: d.Multinomial(0, one), lambda: d.Multinomial(2, P.to_tensor(0.5)),
        lambda: d.Dirichlet(P.to_tensor(1.0)), lambda: d.Independent(d.Normal(one, one), 2), lambda: d.Independent(one, 1),
        lambda: d.ReshapeTransform((2,), (3,)), lambda: d.AffineTransform(1.0, 2.0), lambda: d.PowerTransform(2.0), lambda: d.StackTransform([]),
        lambda: d.ChainTransform([1]), lambda: d.IndependentTransform(d.ExpTransform(), 0), lambda: d.Normal("a", 1.0), lambda: d.Cauchy(0.0, 1.0).mean,
        lambda: d.TransformedDistribution(d.Normal(0.0, 1.0), [1]), lambda: d.ExpTransform().forward(1.0), lambda: d.StickBreakingTransform().forward(one.sum()),
    ]  # fmt: skip
    found = []
    for number, attempt in enumerate(tries):
        try:
            attempt()
        except (ValueError, TypeError):
            found.append(number)
    return {"rejected": np.array(found)}


CASES = {
    **{f"distribution.{k}": v for k, v in described.items()},
    **{f"divergence.{k}": v for k, v in divergences.items()},
    **{f"draws.{k}": v for k, v in drawn.items()},
    **{f"transform.{k}": v for k, v in transforms.items()},
    **{
        f"distribution.{f.__name__}": f
        for f in (no_rule, own_family, absolute, kinds, transformed, independent, rejected)
    },
}
