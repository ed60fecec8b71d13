"""Vision models and transforms."""

import numpy as np

import oarlock as paddle
from oarlock.vision import transforms
from oarlock.vision.models import mobilenet_v2, resnet18

transform = transforms.Compose([transforms.Resize(32), transforms.ToTensor()])
image = np.zeros((40, 40, 3), "uint8")
net = resnet18(num_classes=10)
print(transform(image).shape, net(paddle.zeros([1, 3, 32, 32])).shape, mobilenet_v2(scale=0.25))
