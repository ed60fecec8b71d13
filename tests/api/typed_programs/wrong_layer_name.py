"""Names that the packages do not have."""

import oarlock as paddle
from oarlock import nn

nn.Conv2d(3, 8, 3)  # error
paddle.optimizer.AdamWW(0.1)  # error
nn.functional.relu7(paddle.ones([1]))  # error
