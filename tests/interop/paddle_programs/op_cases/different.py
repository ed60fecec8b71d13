"""Where Oarlock differs on purpose from real Paddle 2.6.2."""

DIFFERENT = {
    "arithmetic.remainder": "the remainder has a gradient; real Paddle's operator has none",
    "losses.values": "gaussian_nll_loss has a gradient for the variance",
    "reductions.amax": "real Paddle reads memory that was not written in the gradient along an axis of one element",
    "reductions.amin": "real Paddle reads memory that was not written in the gradient along an axis of one element",
}
VARYING = {
    ("reductions.amax", "whole"): "memory that was not written",
    ("reductions.amin", "whole"): "memory that was not written",
}
