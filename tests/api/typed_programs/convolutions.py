"""A network of convolutions."""

import oarlock as paddle
from oarlock import nn

net = nn.Sequential(
    nn.Conv2D(3, 8, kernel_size=3, stride=2, padding=1, bias_attr=False),
    nn.BatchNorm2D(8, momentum=0.9),
    nn.ReLU(),
    nn.MaxPool2D(2, stride=2),
    nn.Conv2D(8, 8, (3, 1), padding="SAME", groups=8),
    nn.Dropout(0.1),
    nn.AdaptiveAvgPool2D((1, 1)),
    nn.Flatten(),
    nn.Linear(8, 2),
)
print(net(paddle.zeros([1, 3, 16, 16])).shape)
x = nn.functional.pad(paddle.zeros([1, 3, 4, 4]), [1, 1, 0, 0], mode="reflect")
print(nn.functional.interpolate(x, scale_factor=2, mode="bilinear").shape)
print(nn.functional.max_pool2d(x, 2).shape, nn.functional.softmax(x, axis=1).shape)
