"""Where Oarlock differs on purpose from real Paddle 2.6.2."""

DIFFERENT = {
    "layers.losses": "soft labels that do not sum to 1: real Paddle's gradient is not that of the loss"
}
VARYING = {}
