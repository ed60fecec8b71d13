"""Wrong arguments of models, transforms and datasets for images."""

import oarlock as paddle
from oarlock.vision import transforms as T
from oarlock.vision.models import alexnet, resnet18, vgg16

net = resnet18(num_class=10)  # error
small = alexnet(with_pool=False)  # error
deep = vgg16(num_classes="10")  # error
resize = T.Resize("large")  # error
crop = T.RandomCrop(32, padding="same")  # error
image = T.vflip([[0, 1], [2, 3]])  # error
folder = paddle.vision.datasets.ImageFolder(3)  # error
flipped = T.hflip(paddle.ones([3, 4, 4])).resize([2])  # error
maxima, positions = paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2, return_mask=True)
positions.upper()  # error
