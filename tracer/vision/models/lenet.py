"""LeNet-5 (LeCun et al. 1998)."""

from __future__ import annotations

from ... import nn
from ...core.tensor import Tensor

__all__ = ["LeNet"]


class LeNet(nn.Layer):
    """LeNet-5 for images of digits: two convolutions and three linear layers (LeCun et al. 1998).

    Parameters
    ----------
    num_classes : int, default 10
        0 or less: leave out the linear layers.

    Shape
    -----
    x : [N, 1, 28, 28], float32 | float64
    returns : [N, num_classes]; without linear layers [N, 16, 5, 5]

    Notes
    -----
    The linear layers follow each other without activation, as in Paddle.

    Examples
    --------
    >>> net = paddle.vision.models.LeNet()
    >>> net(paddle.zeros([2, 1, 28, 28])).shape
    [2, 10]
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = nn.Sequential(
                nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes)
            )

    def forward(self, inputs: Tensor) -> Tensor:
        x = self.features(inputs)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x
