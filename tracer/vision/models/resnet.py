"""ResNet (He et al. 2015), ResNeXt (Xie et al. 2016) and Wide ResNet (Zagoruyko and Komodakis
2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from ... import nn
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ..type_aliases import ClassifierOptions, ResNetOptions, WideResNetOptions
from .blocks import load_weights_if_pretrained

__all__ = [
    "ResNet",
    "resnet18",
    "resnet34",
    "resnet50",
    "resnet101",
    "resnet152",
    "resnext50_32x4d",
    "resnext50_64x4d",
    "resnext101_32x4d",
    "resnext101_64x4d",
    "resnext152_32x4d",
    "resnext152_64x4d",
    "wide_resnet50_2",
    "wide_resnet101_2",
]

_MD5 = {
    "resnet18": "cf548f46534aa3560945be4b95cd11c4",
    "resnet34": "8d2275cf8706028345f78ac0e1d31969",
    "resnet50": "ca6f485ee1ab0492d38f323885b0ad80",
    "resnet101": "02f35f034ca3858e1e54d4036443c92d",
    "resnet152": "7ad16a2f1e7333859ff986138630fd7a",
    "resnext50_32x4d": "dc47483169be7d6f018fcbb7baf8775d",
    "resnext50_64x4d": "063d4b483e12b06388529450ad7576db",
    "resnext101_32x4d": "967b090039f9de2c8d06fe994fb9095f",
    "resnext101_64x4d": "98e04e7ca616a066699230d769d03008",
    "resnext152_32x4d": "18ff0beee21f2efc99c4b31786107121",
    "resnext152_64x4d": "77c4af00ca42c405fa7f841841959379",
    "wide_resnet50_2": "0282f804d73debdab289bd9fea3fa6dc",
    "wide_resnet101_2": "d4360a2d23657f059216f5d5a1a9ac93",
}
URLS = {
    name: (f"https://paddle-hapi.bj.bcebos.com/models/{name}.pdparams", md5)
    for name, md5 in _MD5.items()
}

_DEPTHS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}


class BasicBlock(nn.Layer):
    """Residual block of two 3x3 convolutions.

    x [N, inplanes, H, W] -> [N, planes, H / stride, W / stride]
    """

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        if dilation > 1:
            raise OpError(append_user_line("BasicBlock: dilation must be 1"))
        norm = norm_layer or nn.BatchNorm2D
        self.conv1 = nn.Conv2D(inplanes, planes, 3, stride, 1, bias_attr=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class BottleneckBlock(nn.Layer):
    """Residual block of 1x1, 3x3 and 1x1 convolutions.

    x [N, inplanes, H, W] -> [N, 4 planes, H / stride, W / stride]
    """

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: nn.Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Any = None,
    ) -> None:
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2D(width, width, 3, stride, dilation, dilation, groups, bias_attr=False)
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn3(self.conv3(self.relu(self.bn2(self.conv2(out)))))
        return self.relu(out + (x if self.downsample is None else self.downsample(x)))


class ResNet(nn.Layer):
    """ResNet: four stages of residual blocks (He et al. 2015).

    Parameters
    ----------
    block : class
        `BasicBlock` for depths 18 and 34, `BottleneckBlock` for 50, 101 and 152; both are in
        ``paddle.vision.models.resnet``.
    depth : 18, 34, 50, 101 or 152, default 50
    width : int, default 64
        Channels per group of the 3x3 convolutions of the first stage.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.
    groups : int, default 1
        Groups of the 3x3 convolutions of `BottleneckBlock`.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 512 for `BasicBlock` and 2048 for `BottleneckBlock`

    Raises
    ------
    OpError
        If `depth` is another number.

    Examples
    --------
    >>> block = paddle.vision.models.resnet.BasicBlock
    >>> net = paddle.vision.models.ResNet(block, 18, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    layer1: nn.Sequential
    layer2: nn.Sequential
    layer3: nn.Sequential
    layer4: nn.Sequential

    def __init__(
        self,
        block: type[BasicBlock] | type[BottleneckBlock],
        depth: int = 50,
        width: int = 64,
        num_classes: int = 1000,
        with_pool: bool = True,
        groups: int = 1,
    ) -> None:
        super().__init__()
        if depth not in _DEPTHS:
            raise OpError(append_user_line(f"ResNet: depth={depth} is not one of {list(_DEPTHS)}"))
        self.groups, self.base_width, self.dilation, self._norm_layer = (
            groups,
            width,
            1,
            nn.BatchNorm2D,
        )
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inplanes = 64
        self.conv1 = nn.Conv2D(3, 64, 7, 2, 3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(3, 2, 1)
        for i, blocks in enumerate(_DEPTHS[depth]):
            self.add_sublayer(
                f"layer{i + 1}", self._make_layer(block, 64 << i, blocks, 2 if i else 1)
            )
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(
        self,
        block: type[BasicBlock] | type[BottleneckBlock],
        planes: int,
        blocks: int,
        stride: int = 1,
        dilate: bool = False,
    ) -> nn.Sequential:
        """Create a stage. Model libraries that derive networks with other blocks from ResNet call
        `_make_layer`, too.

        dilate: use dilation instead of stride
        """
        out_channels, norm, previous_dilation = (
            planes * block.expansion,
            self._norm_layer,
            self.dilation,
        )
        shortcut = None
        if dilate:
            self.dilation, stride = self.dilation * stride, 1
        if stride != 1 or self.inplanes != out_channels:
            shortcut = nn.Sequential(
                nn.Conv2D(self.inplanes, out_channels, 1, stride, bias_attr=False),
                norm(out_channels),
            )
        layers = [
            block(
                self.inplanes,
                planes,
                stride,
                shortcut,
                self.groups,
                self.base_width,
                previous_dilation,
                norm,
            )
        ]
        self.inplanes = out_channels
        layers += [
            block(
                out_channels,
                planes,
                groups=self.groups,
                base_width=self.base_width,
                norm_layer=norm,
            )
            for _ in range(1, blocks)
        ]
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for name in ("layer1", "layer2", "layer3", "layer4"):
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


def _resnet(arch: str, depth: int, pretrained: bool, kwargs: Mapping[str, Any]) -> ResNet:
    block = BasicBlock if depth < 50 else BottleneckBlock
    return load_weights_if_pretrained(ResNet(block, depth, **kwargs), arch, pretrained, URLS)


def resnet18(pretrained: bool = False, **kwargs: Unpack[ResNetOptions]) -> ResNet:
    """ResNet with 18 layers for ImageNet (He et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `width`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.resnet18(num_classes=10).fc.weight.shape
    [512, 10]
    """
    return _resnet("resnet18", 18, pretrained, kwargs)


def resnet34(pretrained: bool = False, **kwargs: Unpack[ResNetOptions]) -> ResNet:
    """ResNet with 34 layers for ImageNet (He et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `width`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.resnet34(num_classes=10).fc.weight.shape
    [512, 10]
    """
    return _resnet("resnet34", 34, pretrained, kwargs)


def resnet50(pretrained: bool = False, **kwargs: Unpack[ResNetOptions]) -> ResNet:
    """ResNet with 50 layers for ImageNet (He et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `width`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.resnet50(num_classes=10).fc.weight.shape
    [2048, 10]
    """
    return _resnet("resnet50", 50, pretrained, kwargs)


def resnet101(pretrained: bool = False, **kwargs: Unpack[ResNetOptions]) -> ResNet:
    """ResNet with 101 layers for ImageNet (He et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `width`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.resnet101(num_classes=10).fc.weight.shape
    [2048, 10]
    """
    return _resnet("resnet101", 101, pretrained, kwargs)


def resnet152(pretrained: bool = False, **kwargs: Unpack[ResNetOptions]) -> ResNet:
    """ResNet with 152 layers for ImageNet (He et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `width`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.resnet152(num_classes=10).fc.weight.shape  # doctest: +SKIP
    [2048, 10]
    """
    return _resnet("resnet152", 152, pretrained, kwargs)


def resnext50_32x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 50 layers and 32 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext50_32x4d(num_classes=10)
    >>> net.layer1[0].conv2.weight.shape
    [128, 4, 3, 3]
    """
    return _resnet("resnext50_32x4d", 50, pretrained, {**kwargs, "groups": 32, "width": 4})


def resnext50_64x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 50 layers and 64 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext50_64x4d(num_classes=10)
    >>> net.layer1[0].conv2.weight.shape
    [256, 4, 3, 3]
    """
    return _resnet("resnext50_64x4d", 50, pretrained, {**kwargs, "groups": 64, "width": 4})


def resnext101_32x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 101 layers and 32 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext101_32x4d(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [128, 4, 3, 3]
    """
    return _resnet("resnext101_32x4d", 101, pretrained, {**kwargs, "groups": 32, "width": 4})


def resnext101_64x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 101 layers and 64 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext101_64x4d(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [256, 4, 3, 3]
    """
    return _resnet("resnext101_64x4d", 101, pretrained, {**kwargs, "groups": 64, "width": 4})


def resnext152_32x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 152 layers and 32 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext152_32x4d(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [128, 4, 3, 3]
    """
    return _resnet("resnext152_32x4d", 152, pretrained, {**kwargs, "groups": 32, "width": 4})


def resnext152_64x4d(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> ResNet:
    """ResNeXt with 152 layers and 64 groups of width 4 for ImageNet (Xie et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.resnext152_64x4d(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [256, 4, 3, 3]
    """
    return _resnet("resnext152_64x4d", 152, pretrained, {**kwargs, "groups": 64, "width": 4})


def wide_resnet50_2(pretrained: bool = False, **kwargs: Unpack[WideResNetOptions]) -> ResNet:
    """Wide ResNet with 50 layers for ImageNet (Zagoruyko and Komodakis 2016).

    The 3x3 convolutions have twice as many channels as in ResNet.

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.wide_resnet50_2(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [128, 128, 3, 3]
    """
    return _resnet("wide_resnet50_2", 50, pretrained, {**kwargs, "width": 128})


def wide_resnet101_2(pretrained: bool = False, **kwargs: Unpack[WideResNetOptions]) -> ResNet:
    """Wide ResNet with 101 layers for ImageNet (Zagoruyko and Komodakis 2016).

    The 3x3 convolutions have twice as many channels as in ResNet.

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ResNet`: `num_classes`, `with_pool`, `groups`.

    Returns
    -------
    ResNet

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> net = paddle.vision.models.wide_resnet101_2(num_classes=10)  # doctest: +SKIP
    >>> net.layer1[0].conv2.weight.shape  # doctest: +SKIP
    [128, 128, 3, 3]
    """
    return _resnet("wide_resnet101_2", 101, pretrained, {**kwargs, "width": 128})
