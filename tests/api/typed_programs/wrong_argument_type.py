"""Arguments of wrong types."""

import oarlock as paddle
from oarlock import nn

paddle.zeros("2, 3")  # error
paddle.tanh("x")  # error
nn.Linear("4", 2)  # error
nn.functional.relu(3)  # error
paddle.ones([2], dtype=32)  # error
