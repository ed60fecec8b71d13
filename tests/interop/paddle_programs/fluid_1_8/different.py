"""Where Oarlock differs on purpose from real Paddle 1.8.5."""

DIFFERENT = {}
VARYING = {}
