"""LeNet-5 (LeCun et al. 1998)."""

from __future__ import annotations

from ... import nn
from ...core.tensor import Tensor

__all__ = ["LeNet"]


class LeNet(nn.Layer):
    """LeNet-5 for images of digits.

    x [N, 1, 28, 28] -> [N, num_classes], or [N, 16, 5, 5] without classes
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
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        x = self.features(inputs)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x
