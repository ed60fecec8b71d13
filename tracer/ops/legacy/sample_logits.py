"""sample_logits: logits of the true classes and of sampled classes."""

from __future__ import annotations

from ...core import rng
from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    make_vjp_rule_rejecting_second_order,
    pick_known_dim,
)


def _log_uniform_probability(classes, of):
    """The probability of a class under the log-uniform distribution. of: number of classes"""
    return np.log((classes + 2.0) / (classes + 1.0)) / np.log(of + 1.0)


def _append_sampled_classes_with_probs(labels, count, of, seed):
    """Return the labels followed by distinct sampled classes, which are the same for every row, and
    the sampling probability of each of these classes.

    -> int64, float [N,T+S]
    """
    source, num_draws = rng.generator(seed), 0
    found: list[int] = []
    while len(found) < count:
        num_draws += 1
        one = int(np.exp(source.random() * np.log(of + 1.0)) - 1) % of
        if one not in found:
            found.append(one)
    samples = np.concatenate(
        [labels, np.broadcast_to(np.array(found, np.int64), (len(labels), count))], axis=1
    )
    chance = _log_uniform_probability(samples, of)
    return samples, chance * count if num_draws == count else -np.expm1(
        num_draws * np.log1p(-chance)
    )


@op(
    "sample_logits",
    "Logits, Labels!, CustomizedSamples?!, CustomizedProbabilities?! -> SampledLogits, "
    "SampledLabels~, Samples~, Probabilities~",
    random=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def sample_logits(
    x,
    labels,
    samples=None,
    chance=None,
    *,
    use_customized_samples: bool = False,
    uniq: bool = True,
    remove_accidental_hits: bool = True,
    num_samples: int,
    seed: int = 0,
):
    """SampledLogits = the logits of Labels and of S = num_samples sampled classes, minus the log of
    each class's sampling probability.

    Logits [N,C], Labels int64 [N,T] -> [N,T+S]

    remove_accidental_hits: subtract 1e20 from the logits of sampled classes that are labels of the
    row.
    SampledLabels [N,T]: the columns of the labels, 0 ... T - 1.
    Samples, Probabilities [N,T+S]: the classes and their sampling probabilities. With
    use_customized_samples, they are the inputs CustomizedSamples and CustomizedProbabilities.
    """
    if not use_customized_samples:
        check(
            num_samples <= x.shape[1],
            f"num_samples={num_samples} is larger than the number of classes",
        )
        samples, chance = _append_sampled_classes_with_probs(labels, num_samples, x.shape[1], seed)
    chance = chance.astype(x.dtype)
    found = np.take_along_axis(x, samples, axis=1)
    right = labels.shape[1]
    if remove_accidental_hits:
        hits = (samples[:, right:, None] == labels[:, None, :]).any(axis=2)
        found[:, right:] -= hits * x.dtype.type(1e20)
    with np.errstate(divide="ignore"):
        found = found - np.clip(np.log(chance), -1e20, 1e20).astype(x.dtype)
    return (
        found,
        np.broadcast_to(np.arange(right), labels.shape).copy(),
        np.asarray(samples),
        chance,
    )


@sample_logits.meta
def _(x, labels, samples, chance, *, num_samples, use_customized_samples, **_):
    check_float(x)
    check(len(x.shape) == len(labels.shape) == 2, "Logits and Labels need two axes")
    check(dims_match(x.shape[0], labels.shape[0]), "Logits and Labels differ in rows")
    check(labels.dtype == np.int64, "Labels are not int64")
    given = samples is not None and chance is not None
    check(
        given or not use_customized_samples,
        "use_customized_samples needs CustomizedSamples and CustomizedProbabilities",
    )
    rows, right = pick_known_dim(x.shape[0], labels.shape[0]), labels.shape[1]
    wide = (rows, right + num_samples if right >= 0 else -1)
    return (
        Meta(wide, x.dtype),
        Meta((rows, right), labels.dtype),
        Meta(wide, labels.dtype),
        Meta(wide, x.dtype),
    )


@sample_logits.vjp
def _(g, x, labels, samples, chance, *, Samples):
    return sample_logits_grad(x, Samples, g), None, None, None


@op(
    "sample_logits_grad",
    "Logits, Samples, SampledLogits@GRAD -> Logits@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sample_logits_grad(x, samples, g):
    """The gradient of sample_logits with respect to Logits: the gradient of each sampled logit is
    added at its class. [N,T+S] -> [N,C]
    """
    back = np.zeros_like(x)
    np.add.at(back, (np.arange(len(x))[:, None], samples), g)
    return back


sample_logits_grad.vjp(make_vjp_rule_rejecting_second_order("sample_logits"))
