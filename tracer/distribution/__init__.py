"""Probability distributions, Kullback-Leibler divergences and transforms."""

from .beta import Beta
from .categorical import Categorical
from .cauchy import Cauchy
from .composite_transforms import (
    ChainTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
)
from .dirichlet import Dirichlet
from .discrete import Bernoulli, Geometric, Multinomial
from .distribution import Distribution
from .exponential_family import ExponentialFamily
from .gumbel import Gumbel
from .independent import Independent
from .kl import kl_divergence, register_kl
from .laplace import Laplace
from .lognormal import LogNormal
from .normal import Normal
from .transform import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
)
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "ChainTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "ExponentialFamily",
    "Geometric",
    "Gumbel",
    "Independent",
    "IndependentTransform",
    "Laplace",
    "LogNormal",
    "Multinomial",
    "Normal",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "kl_divergence",
    "register_kl",
]
