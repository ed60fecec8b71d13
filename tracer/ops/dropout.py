"""Dropout."""

from __future__ import annotations

from ..core import rng
from ..core.arrays import np
from ..core.op import Meta, check, op
from .elementwise import scale
from .shared_op_rules import check_float, make_meta_rule_like_input_at

MODES = ("downgrade_in_infer", "upscale_in_train")


def _require_scale_of_dropout_mode(
    dropout_prob: float, implementation: str, is_test: bool
) -> float:
    """The factor by which dropout scales the elements that it keeps in training, or with is_test
    all elements. Raises OpError for an unknown implementation.
    """
    check(
        implementation in MODES,
        f"dropout_implementation={implementation} is not one of {', '.join(MODES)}",
    )
    if is_test:
        return 1.0 if implementation == "upscale_in_train" else 1.0 - dropout_prob
    if implementation == "upscale_in_train":
        return 1.0 / (1.0 - dropout_prob) if dropout_prob < 1.0 else 0.0
    return 1.0


@op("dropout", "X, Seed? -> Out, Mask~", floating="X")
def dropout(
    x,
    given=None,
    *,
    dropout_prob: float = 0.5,
    is_test: bool = False,
    dropout_implementation: str = "downgrade_in_infer",
    fix_seed: bool = False,
    seed: int = 0,
):
    """Out = X with elements dropped at random, with probability dropout_prob. Mask is 1 where an
    element is kept.

    X [*] -> Out [*], Mask uint8 [*]

    seed: with fix_seed, each call draws from a new generator with this seed. The input Seed does
    the same.
    """
    check_float(x)
    check(0.0 <= dropout_prob <= 1.0, f"dropout_prob={dropout_prob} is not a probability")
    factor = x.dtype.type(
        _require_scale_of_dropout_mode(dropout_prob, dropout_implementation, is_test)
    )
    if is_test:
        return (x if factor == 1 else x * factor), np.broadcast_to(
            np.ones_like(x, dtype=np.uint8, shape=()), x.shape
        )
    own = seed if fix_seed else 0
    source = rng.generator(own if given is None else int(given.reshape(()).item()))
    mask = np.asarray(source.random(x.shape, dtype=np.float32) >= np.float32(dropout_prob))
    return x * (mask * factor), mask.view(np.uint8)


@dropout.meta
def _(x, given, *, dropout_prob, is_test, dropout_implementation, fix_seed, seed):
    check_float(x)
    check(0.0 <= dropout_prob <= 1.0, f"dropout_prob={dropout_prob} is not a probability")
    _require_scale_of_dropout_mode(dropout_prob, dropout_implementation, is_test)
    return x, Meta(x.shape, np.dtype(np.uint8))


@dropout.vjp
def _(g, x, given, *, dropout_prob, is_test, dropout_implementation, fix_seed, seed, Mask):
    factor = _require_scale_of_dropout_mode(dropout_prob, dropout_implementation, is_test)
    return scale(g, scale=factor) if is_test else apply_scaled_mask(g, Mask, scale=factor), None


@op("masked", "X, Mask -> Out", meta=make_meta_rule_like_input_at(0), internal=True)
def apply_scaled_mask(x, mask, *, scale: float = 1.0):
    """Out = X * Mask * scale. X [*], Mask uint8 [*] -> Out [*]"""
    return x * (mask * x.dtype.type(scale))


@apply_scaled_mask.vjp
def _(g, x, mask, *, scale):
    return apply_scaled_mask(g, mask, scale=scale), None
