"""Train an image model: transforms, datasets, and options of models."""

from typing import Any

import numpy as np
from PIL import Image

import oarlock as paddle
from oarlock.vision import transforms as T
from oarlock.vision.datasets import MNIST, DatasetFolder
from oarlock.vision.models import ResNet, densenet121, mobilenet_v2, resnet18


class Invert(T.BaseTransform):
    """Invert the pixels of an image."""

    def _apply_image(self, image: Image.Image) -> np.ndarray[Any, Any]:
        return 255 - np.asarray(image)


def transform() -> T.Compose:
    return T.Compose(
        [
            T.Resize(64),
            T.RandomResizedCrop((48, 48), scale=(0.5, 1.0)),
            T.RandomHorizontalFlip(0.3),
            T.ColorJitter(0.2, (0.8, 1.2)),
            T.RandomRotation([-10, 10], fill=0),
            T.Pad([1, 2]),
            Invert(),
            T.ToTensor(),
            T.Normalize(mean=[0.5, 0.5, 0.5], std=0.5),
        ]
    )


def batch_of(images: list[np.ndarray[Any, Any]]) -> paddle.Tensor:
    flipped = [T.hflip(T.center_crop(image, 32)) for image in images]
    heights: list[int] = [image.shape[0] for image in flipped]
    assert heights
    tensors = [T.normalize(T.to_tensor(image), [0.0], [1.0]) for image in flipped]
    return paddle.stack([T.resize(tensor, (24, 24)) for tensor in tensors])


def train(folder: str) -> ResNet:
    data = DatasetFolder(folder, transform=transform(), extensions=[".png"])
    net = resnet18(num_classes=len(data.classes), width=32)
    sgd = paddle.optimizer.Momentum(0.1, parameters=net.parameters(), weight_decay=1e-4)
    loss_function = paddle.nn.CrossEntropyLoss()
    for images, labels in paddle.io.DataLoader(data, batch_size=8, shuffle=True, num_workers=2):
        loss = loss_function(net(images), labels)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
    return net


def other_models() -> list[paddle.nn.Layer]:
    digits = MNIST(mode="test", download=False, image_path="images", label_path="labels")
    assert len(digits) > 0
    boxes, scores = paddle.rand([10, 4]), paddle.rand([10])
    kept = paddle.vision.ops.nms(boxes, 0.5, scores)
    pooled = paddle.vision.ops.roi_align(
        paddle.rand([1, 8, 16, 16]), boxes[kept], paddle.to_tensor([3], "int32"), output_size=7
    )
    pooled.mean().item()
    return [densenet121(dropout=0.1), mobilenet_v2(scale=0.5, with_pool=True)]
