"""Loss layers. Each loss layer calls the function of `nn.functional` of the same name."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from . import functional as F
from .function_layer import Row, make_layer_class
from .layer import Layer
from .layer_with_argument_attributes import LayerWithArgumentAttributes

# Rows: name of the layer class, function of nn.functional, parameters of `forward`, and parameters
# of `__init__` in order, with Paddle's defaults.
_PAIR, _MEAN = ("input", "label"), {"reduction": "mean"}
TABLE: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
    (
        "MarginRankingLoss",
        "margin_ranking_loss",
        ("input", "other", "label"),
        {"margin": 0.0, **_MEAN},
    ),
    ("HingeEmbeddingLoss", "hinge_embedding_loss", _PAIR, {"margin": 1.0, **_MEAN}),
    (
        "CosineEmbeddingLoss",
        "cosine_embedding_loss",
        ("input1", "input2", "label"),
        {"margin": 0, **_MEAN},
    ),
    ("SoftMarginLoss", "soft_margin_loss", _PAIR, {**_MEAN}),
    ("MultiLabelSoftMarginLoss", "multi_label_soft_margin_loss", _PAIR, {"weight": None, **_MEAN}),
    (
        "MultiMarginLoss",
        "multi_margin_loss",
        _PAIR,
        {"p": 1, "margin": 1.0, "weight": None, **_MEAN},
    ),
    (
        "TripletMarginLoss",
        "triplet_margin_loss",
        ("input", "positive", "negative"),
        {"margin": 1.0, "p": 2.0, "epsilon": 1e-6, "swap": False, **_MEAN},
    ),
    (
        "TripletMarginWithDistanceLoss",
        "triplet_margin_with_distance_loss",
        ("input", "positive", "negative"),
        {"distance_function": None, "margin": 1.0, "swap": False, **_MEAN},
    ),
    (
        "GaussianNLLLoss",
        "gaussian_nll_loss",
        ("input", "label", "variance"),
        {"full": False, "epsilon": 1e-6, **_MEAN},
    ),
    (
        "PoissonNLLLoss",
        "poisson_nll_loss",
        _PAIR,
        {"log_input": True, "full": False, "epsilon": 1e-8, **_MEAN},
    ),
]


def _attribute_name_format_of_class(name: str) -> str:
    """Return the format of the attribute names that Paddle's layer uses."""
    return "_{}" if name == "PoissonNLLLoss" else "{}"


CLASSES = {
    name: make_layer_class(
        Row(
            name,
            function,
            config,
            f"Compute the loss `functional.{function}`.",
            "",
            inputs,
            repr_config=(),
            attribute_format=_attribute_name_format_of_class(name),
        ),
        __name__,
    )
    for name, function, inputs, config in TABLE
}
globals().update(CLASSES)
__all__ = [  # noqa: PLE0604 - created from the table
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CrossEntropyLoss",
    "HSigmoidLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
    *CLASSES,
]


class CrossEntropyLoss(LayerWithArgumentAttributes):
    """Cross entropy of logits and labels, as in `functional.cross_entropy`.

    input [*, C, *], label [*, *] or [*, 1, *] -> [] or like label
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._set_argument_attributes(
            {
                "weight": weight,
                "ignore_index": ignore_index,
                "reduction": reduction,
                "soft_label": soft_label,
                "axis": axis,
                "use_softmax": use_softmax,
                "label_smoothing": label_smoothing,
                "name": name,
            }
        )

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.cross_entropy(input, label, **self._read_argument_attributes())


class MSELoss(Layer):
    """Squared error (input - label)^2.

    [*], [*] -> [] or [*]
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """Absolute error |input - label|.

    [*], [*] -> [] or [*]
    """

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """Huber loss: quadratic for errors up to `delta`, then linear.

    [*], [*] -> [] or [*]
    """

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, name: str | None = None
    ) -> None:
        super().__init__()
        self.reduction, self.name = reduction, name
        self.delta = delta

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.smooth_l1_loss(input, label, self.reduction, self.delta)


class NLLLoss(LayerWithArgumentAttributes):
    """Negative log-likelihood -input[label] of log-probabilities.

    input [N, C], label int [N] -> [] or [N]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._set_argument_attributes(
            {"weight": weight, "ignore_index": ignore_index, "reduction": reduction, "name": name},
            "_{}",
        )

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.nll_loss(input, label, **self._read_argument_attributes())


class BCELoss(Layer):
    """Binary cross entropy of probabilities.

    [*], [*] -> [] or [*]
    """

    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__()
        self.weight = weight
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class BCEWithLogitsLoss(LayerWithArgumentAttributes):
    """Binary cross entropy of sigmoid(logit).

    [*], [*] -> [] or [*]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._set_argument_attributes(
            {"weight": weight, "reduction": reduction, "pos_weight": pos_weight, "name": name}
        )

    def forward(self, logit: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.binary_cross_entropy_with_logits(logit, label, **self._read_argument_attributes())


class KLDivLoss(Layer):
    """Kullback-Leibler divergence label * (log(label) - input); the input is log-probabilities.

    [*], [*] -> [] or [*]
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.kl_div(input, label, self.reduction)


class CTCLoss(Layer):
    """Connectionist temporal classification, as in `functional.ctc_loss`.

    log_probs [T, B, C], labels int [B, S], lengths int [B] -> [] or [B]
    """

    def __init__(self, blank: int = 0, reduction: str = "mean") -> None:
        super().__init__()
        self.blank = blank
        self.reduction = reduction

    def forward(
        self,
        log_probs: Tensor,
        labels: Tensor,
        input_lengths: Tensor,
        label_lengths: Tensor,
        norm_by_times: bool = False,
    ) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times,
        )


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid with its weights, as in `functional.hsigmoid_loss`.

    input [N, feature_size], label int [N, 1] -> [N, 1]

    is_custom: `forward` gets the paths through the tree, and the weight has a row for each of
    `num_classes` nodes
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise OpError(
                append_user_line(f"HSigmoidLoss: num_classes={num_classes} is less than 2")
            )
        self._num_classes, self._is_sparse = num_classes, is_sparse
        nodes = num_classes if is_custom else num_classes - 1
        self.weight: Any = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias: Any = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(
        self,
        input: Tensor,
        label: Tensor,
        path_table: Tensor | None = None,
        path_code: Tensor | None = None,
    ) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.hsigmoid_loss(
            input,
            label,
            self._num_classes,
            self.weight,
            self.bias,
            path_table,
            path_code,
            self._is_sparse,
        )
