"""Arguments that layers do not have."""

from oarlock import nn

nn.Linear(4, 2, bias=False)  # error
nn.Conv2D(3, 8)  # error
nn.ReLU(inplace=True)  # error
nn.LeakyReLU(negative_slope=0.1)
