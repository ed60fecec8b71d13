"""Loss layers. Each loss layer calls the function of `nn.functional` of the same name."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from . import functional as F
from .function_layer import FunctionLayer, Row, make_layer_class
from .layer import Layer
from .layer_with_argument_attributes import LayerWithArgumentAttributes
from .type_aliases import ParamAttrLike

_PAIR, _MEAN = ("input", "label"), {"reduction": "mean"}


def _make_loss_class(
    name: str, function: str, inputs: tuple[str, ...], config: dict[str, Any], docstring: str
) -> type[FunctionLayer]:
    """Create the class of a loss layer.

    function: of `nn.functional`
    inputs: parameters of `forward`
    config: parameters of `__init__` in order, with Paddle's defaults
    """
    name_format = "_{}" if name == "PoissonNLLLoss" else "{}"  # of the attributes in Paddle
    row = Row(
        name,
        function,
        config,
        docstring,
        "",
        inputs,
        repr_config=(),
        attribute_format=name_format,
    )
    return make_layer_class(row, __name__)


_CLASSES = [
    _make_loss_class(
        "MarginRankingLoss",
        "margin_ranking_loss",
        ("input", "other", "label"),
        {"margin": 0.0, **_MEAN},
        """Ranking loss of pairs: max(0, -label * (input - other) + margin).

Parameters
----------
margin : float, default 0.0
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [*], float16 | bfloat16 | float32 | float64
other : [*], dtype of input
label : [*], dtype of input; 1 if input should rank higher than other, -1 if lower
returns : [] for "mean" and "sum", otherwise [*], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.margin_ranking_loss : The same as a function.

Examples
--------
>>> x, other = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
>>> nn.MarginRankingLoss(reduction="none")(x, other, paddle.to_tensor([1.0, 1.0])).numpy().round(3)
array([0., 2.], dtype=float32)
""",
    ),
    _make_loss_class(
        "HingeEmbeddingLoss",
        "hinge_embedding_loss",
        _PAIR,
        {"margin": 1.0, **_MEAN},
        """Embedding loss: input where label is 1, max(0, margin - input) where label is -1.

Parameters
----------
margin : float, default 1.0
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [*], float16 | bfloat16 | float32 | float64; distances
label : [*], any numeric dtype; 1 or -1, other values give the loss 0
returns : [] for "mean" and "sum", otherwise [*], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.hinge_embedding_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
>>> nn.HingeEmbeddingLoss(reduction="none")(x, label).numpy().round(3)
array([0.5 , 0.75], dtype=float32)
""",
    ),
    _make_loss_class(
        "CosineEmbeddingLoss",
        "cosine_embedding_loss",
        ("input1", "input2", "label"),
        {"margin": 0, **_MEAN},
        """Cosine embedding loss of pairs of vectors.

1 - cos(input1, input2) where label is 1, max(0, cos(input1, input2) - margin) where label is -1

Parameters
----------
margin : float, default 0
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input1 : [N, D] or [D], float16 | bfloat16 | float32 | float64
input2 : shape and dtype of input1
label : [N], any numeric dtype; 1 or -1, other values give the loss 0
returns : [] for "mean" and "sum", otherwise [N], dtype of input1

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.cosine_embedding_loss : The same as a function.

Examples
--------
>>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 0.0]])
>>> y, label = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0]]), paddle.to_tensor([1, -1])
>>> nn.CosineEmbeddingLoss(reduction="none")(x, y, label).numpy().round(3)
array([1., 1.], dtype=float32)
""",
    ),
    _make_loss_class(
        "SoftMarginLoss",
        "soft_margin_loss",
        _PAIR,
        _MEAN,
        """Logistic loss: log(1 + exp(-label * input)).

Parameters
----------
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [*], float16 | bfloat16 | float32 | float64
label : [*], any numeric dtype; 1 or -1
returns : [] for "mean" and "sum", otherwise [*], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.soft_margin_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([1.0, -1.0])
>>> nn.SoftMarginLoss(reduction="none")(x, label).numpy().round(3)
array([0.693, 2.127], dtype=float32)
""",
    ),
    _make_loss_class(
        "MultiLabelSoftMarginLoss",
        "multi_label_soft_margin_loss",
        _PAIR,
        {"weight": None, **_MEAN},
        """Mean of the binary cross entropies of the classes.

-(label * log(sigmoid(input)) + (1 - label) * log(sigmoid(-input))), averaged over the C classes

Parameters
----------
weight : Tensor [C], dtype of input, optional
    Factors of the classes.
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [N, C], float16 | bfloat16 | float32 | float64
label : [N, C], dtype of input; 0 or 1
returns : [] for "mean" and "sum", otherwise [N], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.multi_label_soft_margin_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([[0.0, 2.0]]), paddle.to_tensor([[1.0, 0.0]])
>>> nn.MultiLabelSoftMarginLoss(reduction="none")(x, label).numpy().round(3)
array([1.41], dtype=float32)
""",
    ),
    _make_loss_class(
        "MultiMarginLoss",
        "multi_margin_loss",
        _PAIR,
        {"p": 1, "margin": 1.0, "weight": None, **_MEAN},
        """Hinge loss of classes (Crammer and Singer 2001).

Sum over the classes i other than label of max(0, margin - input[label] + input[i])^p, divided by C;
see Notes for `weight`.

Parameters
----------
p : int, default 1
margin : float, default 1.0
weight : Tensor [C], dtype of input, optional
    Factors of the classes.
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [N, C], float16 | bfloat16 | float32 | float64
label : [N], int32 | int64
    Classes in [0, C).
returns : [] for "mean" and "sum", otherwise [N], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit, or a class is out of range.

Notes
-----
With `weight` the loss is that of Paddle: the differences are multiplied by weight[label] before
the power, the term of the label is subtracted as weight[label] * margin^p / C, which removes it
only if p = 1, and "none" returns [N, N].

See Also
--------
paddle.nn.functional.multi_margin_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([[0.5, 0.25, 0.75]]), paddle.to_tensor([0])
>>> nn.MultiMarginLoss(reduction="none")(x, label).numpy().round(3)
array([0.667], dtype=float32)
""",
    ),
    _make_loss_class(
        "TripletMarginLoss",
        "triplet_margin_loss",
        ("input", "positive", "negative"),
        {"margin": 1.0, "p": 2.0, "epsilon": 1e-6, "swap": False, **_MEAN},
        """Triplet loss (Schroff et al. 2015).

max(0, d(input, positive) - d(input, negative) + margin), where d is the p-norm of the difference
+ epsilon.

Parameters
----------
margin : float, default 1.0
    Not negative.
p : float, default 2.0
epsilon : float, default 1e-6
swap : bool, default False
    Replace d(input, negative) by min(d(input, negative), d(positive, negative)).
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [N, D], float16 | bfloat16 | float32 | float64
positive : [N, D], dtype of input
negative : [N, D], dtype of input
returns : [] for "mean" and "sum", otherwise [N], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes, `margin` or `reduction` do not fit.

See Also
--------
paddle.nn.functional.triplet_margin_loss : The same as a function.

Examples
--------
>>> x, near = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
>>> nn.TripletMarginLoss(reduction="none")(x, near, paddle.to_tensor([[0.0, 1.0]])).numpy().round(3)
array([5.], dtype=float32)
""",
    ),
    _make_loss_class(
        "TripletMarginWithDistanceLoss",
        "triplet_margin_with_distance_loss",
        ("input", "positive", "negative"),
        {"distance_function": None, "margin": 1.0, "swap": False, **_MEAN},
        """Triplet loss with a given distance d (Schroff et al. 2015).

max(0, d(input, positive) - d(input, negative) + margin)

Parameters
----------
distance_function : callable, optional
    Takes two tensors [N, D] and returns the distances [N]; by default `pairwise_distance`.
margin : float, default 1.0
    Not negative.
swap : bool, default False
    Replace d(input, negative) by min(d(input, negative), d(positive, negative)).
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [N, D], float16 | bfloat16 | float32 | float64
positive : [N, D], dtype of input
negative : [N, D], dtype of input
returns : [] for "mean" and "sum", otherwise [N], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes, `margin` or `reduction` do not fit.

See Also
--------
paddle.nn.functional.triplet_margin_with_distance_loss : The same as a function.

Examples
--------
>>> x, near = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
>>> manhattan = lambda x, y: (x - y).abs().sum(-1)
>>> loss = nn.TripletMarginWithDistanceLoss(manhattan)
>>> loss(x, near, paddle.to_tensor([[0.0, 1.0]])).item()
7.0
""",
    ),
    _make_loss_class(
        "GaussianNLLLoss",
        "gaussian_nll_loss",
        ("input", "label", "variance"),
        {"full": False, "epsilon": 1e-6, **_MEAN},
        """Negative log-likelihood of normal distributions.

(log(v) + (input - label)^2 / v) / 2 with v = max(variance, epsilon)

Parameters
----------
full : bool, default False
    Add the constant log(2 pi) / 2.
epsilon : float, default 1e-6
    Lower limit of the variance; it does not affect the gradient.
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [*, D], float16 | bfloat16 | float32 | float64; means
label : [*, D], dtype of input
variance : [*, D], [*, 1] or [*], dtype of input
returns : [] for "mean" and "sum", otherwise [*, D], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.gaussian_nll_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
>>> nn.GaussianNLLLoss(reduction="none")(x, label, paddle.to_tensor([2.0])).numpy().round(3)
array([1.347], dtype=float32)
""",
    ),
    _make_loss_class(
        "PoissonNLLLoss",
        "poisson_nll_loss",
        _PAIR,
        {"log_input": True, "full": False, "epsilon": 1e-8, **_MEAN},
        """Negative log-likelihood of Poisson distributions.

exp(input) - label * input, or input - label * log(input + epsilon) if not `log_input`

Parameters
----------
log_input : bool, default True
full : bool, default False
    Add Stirling's approximation of log(label!) where label > 1.
epsilon : float, default 1e-8
reduction : "mean", "sum" or "none", default "mean"
name : str, optional
    Not used.

Shape
-----
input : [*], float16 | bfloat16 | float32 | float64; logarithms of the rates, or the rates
label : [*], any numeric dtype
returns : [] for "mean" and "sum", otherwise [*], dtype of input

Raises
------
OpError
    In a call, if shapes, dtypes or `reduction` do not fit.

See Also
--------
paddle.nn.functional.poisson_nll_loss : The same as a function.

Examples
--------
>>> x, label = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
>>> nn.PoissonNLLLoss(reduction="none")(x, label).numpy().round(3)
array([-0.282], dtype=float32)
""",
    ),
]
CLASSES = {cls.__name__: cls for cls in _CLASSES}
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
    """Cross entropy of logits and labels.

    -log(softmax(input)[label]), or -sum(label * log(softmax(input))) with `soft_label`

    Parameters
    ----------
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    ignore_index : int, default -100
        Labels of this value have the loss 0 and do not count in the mean. Not used for soft labels.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": the sum of the losses divided by the number of labels that are not ignored; with
        `weight`, by the sum of their weights.
    soft_label : bool, default False
    axis : int, default -1
        Axis of the classes.
    use_softmax : bool, default True
        False: `input` is probabilities.
    label_smoothing : float, default 0.0
        In [0, 1]. Mixes the labels with 1 / C; they count as soft labels then.
    name : str, optional
        Not used.

    Shape
    -----
    input : [*, C, *], float16 | bfloat16 | float32 | float64
        Logits of the C classes along `axis`; probabilities if not `use_softmax`.
    label : [*, *] or [*, 1, *], integers, or [*, C, *], dtype of input
        Classes in [0, C), without the axis of the classes or with size 1 there; with `soft_label`
        distributions over the classes. Floating-point classes are truncated.
    returns : [] for "mean" and "sum", otherwise shape of the label with size 1 for the classes of
    soft labels, dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit, or a class is out of range.

    Notes
    -----
    The gradient for soft labels that do not sum to 1 is softmax(input) * sum(label) - label; Paddle
    2.6.2 leaves out the sum.

    See Also
    --------
    paddle.nn.functional.cross_entropy : The same as a function.

    Examples
    --------
    >>> logits, label = paddle.to_tensor([[2.0, 1.0], [0.0, 0.0]]), paddle.to_tensor([0, 1])
    >>> nn.CrossEntropyLoss(reduction="none")(logits, label).numpy().round(3)
    array([0.313, 0.693], dtype=float32)
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
        return F.cross_entropy(input, label, **self._read_argument_attributes())


class MSELoss(Layer):
    """Squared error: (input - label)^2.

    Parameters
    ----------
    reduction : "mean", "sum" or "none", default "mean"

    Shape
    -----
    input : [*], float16 | bfloat16 | float32 | float64
    label : [*], dtype of input
        The shapes broadcast.
    returns : [] for "mean" and "sum", otherwise the broadcast shape, dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.functional.mse_loss : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
    >>> nn.MSELoss(reduction="none")(x, label).numpy().round(3)
    array([1., 4.], dtype=float32)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """Absolute error: abs(input - label).

    Parameters
    ----------
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Shape
    -----
    input : [*], float16 | bfloat16 | float32 | float64
    label : [*], dtype of input
        The shapes broadcast.
    returns : [] for "mean" and "sum", otherwise the broadcast shape, dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.functional.l1_loss : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
    >>> nn.L1Loss(reduction="none")(x, label).numpy().round(3)
    array([1., 2.], dtype=float32)
    """

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """Huber loss: quadratic for small errors, then linear (Huber 1964).

    d^2 / 2 where abs(d) <= delta, otherwise delta * (abs(d) - delta / 2), with d = input - label

    Parameters
    ----------
    reduction : "mean", "sum" or "none", default "mean"
    delta : float, default 1.0
        Largest error of the quadratic part.
    name : str, optional
        Not used.

    Shape
    -----
    input : [*], float16 | bfloat16 | float32 | float64
    label : [*], dtype of input
    returns : [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.functional.smooth_l1_loss : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.5, 3.0]), paddle.to_tensor([0.0, 0.0])
    >>> nn.SmoothL1Loss(reduction="none")(x, label).numpy().round(3)
    array([0.125, 2.5  ], dtype=float32)
    """

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, name: str | None = None
    ) -> None:
        super().__init__()
        self.reduction, self.name = reduction, name
        self.delta = delta

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, label, self.reduction, self.delta)


class NLLLoss(LayerWithArgumentAttributes):
    """Negative log-likelihood of labels: -input[label] for log-probabilities.

    Parameters
    ----------
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    ignore_index : int, default -100
        Labels of this value have the loss 0 and do not count in the mean.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": the sum of the losses divided by the sum of the weights of the labels (1 without
        `weight`).
    name : str, optional
        Not used.

    Shape
    -----
    input : [N, C] or [N, C, *], float16 | bfloat16 | float32 | float64
        Log-probabilities, such as results of `log_softmax`.
    label : [N] or [N, *], integers
        Classes in [0, C). [N, 1] is accepted for [N, C].
    returns : [] for "mean" and "sum", otherwise shape of the label, dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit, or a class is out of range.

    See Also
    --------
    paddle.nn.functional.nll_loss : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[-0.5, -1.0], [-2.0, -0.25]]), paddle.to_tensor([0, 1])
    >>> nn.NLLLoss(reduction="none")(x, label).numpy().round(3)
    array([0.5 , 0.25], dtype=float32)
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
        return F.nll_loss(input, label, **self._read_argument_attributes())


class BCELoss(Layer):
    """Binary cross entropy of probabilities.

    -(label * log(input) + (1 - label) * log(1 - input)); the logarithms are at least -100

    Parameters
    ----------
    weight : Tensor, optional
        Factors of the losses; broadcasts to [*].
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Shape
    -----
    input : [*], float16 | bfloat16 | float32 | float64
        Probabilities in [0, 1]; this is not checked.
    label : [*], dtype of input
    returns : [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.functional.binary_cross_entropy : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.9, 0.2]), paddle.to_tensor([1.0, 0.0])
    >>> nn.BCELoss(reduction="none")(x, label).numpy().round(3)
    array([0.105, 0.223], dtype=float32)
    """

    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__()
        self.weight = weight
        self.reduction, self.name = reduction, name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class BCEWithLogitsLoss(LayerWithArgumentAttributes):
    """Binary cross entropy of sigmoid(logit), in a numerically stable form.

    -(pos_weight * label * log(s) + (1 - label) * log(1 - s)) with s = sigmoid(logit)

    Parameters
    ----------
    weight : Tensor, optional
        Factors of the losses; broadcasts to [*].
    reduction : "mean", "sum" or "none", default "mean"
    pos_weight : Tensor, optional
        Factors of the part of positive labels; broadcasts to [*].
    name : str, optional
        Not used.

    Shape
    -----
    logit : [*], float16 | bfloat16 | float32 | float64
    label : [*], dtype of logit
    returns : [] for "mean" and "sum", otherwise [*], dtype of logit

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    Notes
    -----
    With `pos_weight`, the loss of Paddle 2.6.2 is wrong where the logit is negative.

    See Also
    --------
    paddle.nn.functional.binary_cross_entropy_with_logits : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.0, 3.0]), paddle.to_tensor([1.0, 0.0])
    >>> nn.BCEWithLogitsLoss(reduction="none")(x, label).numpy().round(3)
    array([0.693, 3.049], dtype=float32)
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
        return F.binary_cross_entropy_with_logits(logit, label, **self._read_argument_attributes())


class KLDivLoss(Layer):
    """Kullback-Leibler divergence: label * (log(label) - input) for log-probabilities.

    The loss is 0 where the label is 0 or negative.

    Parameters
    ----------
    reduction : "mean", "batchmean", "sum" or "none", default "mean"
        "mean" divides by the number of elements, "batchmean" by N.

    Shape
    -----
    input : [N, *], float16 | bfloat16 | float32 | float64
        Log-probabilities.
    label : [N, *], dtype of input
        Probabilities.
    returns : [], or [N, *] for "none", dtype of input

    Raises
    ------
    OpError
        In a call, if shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.functional.kl_div : The same as a function.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[0.25, 0.75]]).log(), paddle.to_tensor([[0.5, 0.5]])
    >>> nn.KLDivLoss(reduction="none")(x, label).numpy().round(3)
    array([[ 0.347, -0.203]], dtype=float32)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        return F.kl_div(input, label, self.reduction)


class CTCLoss(Layer):
    """Connectionist temporal classification: loss of label sequences (Graves et al. 2006).

    -log of the probability of all alignments of the labels to the time steps; the logits are
    normalized by a softmax first.

    Parameters
    ----------
    blank : int, default 0
        The class of the blank.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": each loss is divided by the length of its label first.

    Shape
    -----
    log_probs : [T, B, C], float16 | bfloat16 | float32 | float64; logits
    labels : [B, S], int32 | int64
    input_lengths, label_lengths : [B], int32 | int64
        Valid time steps of `log_probs` and valid labels of each sample.
    norm_by_times : bool, default False
        Divide the gradients by the number of time steps.
    returns : [] for "mean" and "sum", otherwise [B], dtype of log_probs

    Raises
    ------
    OpError
        In a call, if shapes, `blank` or `reduction` do not fit.

    Notes
    -----
    A sample with fewer time steps than its label needs has an infinite loss.

    See Also
    --------
    paddle.nn.functional.ctc_loss : The same as a function.

    Examples
    --------
    >>> logits, labels = paddle.zeros([4, 1, 3]), paddle.to_tensor([[1, 2]], dtype="int32")
    >>> loss = nn.CTCLoss(reduction="none")(
    ...     logits, labels, paddle.to_tensor([4]), paddle.to_tensor([2])
    ... )
    >>> loss.numpy().round(3)  # 15 of 81 paths
    array([1.686], dtype=float32)
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
    """Hierarchical sigmoid: classes as paths in a binary tree (Morin and Bengio 2005).

    The loss of a label is the sum of the binary cross entropies of the decisions on its path; its
    cost is O(log(num_classes)).

    Parameters
    ----------
    feature_size : int
    num_classes : int
        At least 2, unless `is_custom`; the number of nodes then.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Xavier uniform, the bias from 0.
    is_custom : bool, default False
        Whether a call gets the paths through the tree, and the weight has a row for each of
        `num_classes` nodes.
    is_sparse : bool, default False
        Not used: gradients are dense.
    name : str, optional
        Not used.

    Attributes
    ----------
    weight : Parameter [num_classes - 1, feature_size]
    bias : Parameter [num_classes - 1, 1], or None

    Shape
    -----
    input : [N, feature_size], dtype of the weight
    label : [N, 1], int32 | int64; classes in [0, num_classes)
    path_table, path_code : [N, L], int64, optional
        Nodes of the path of each sample, and the decision (0 or 1) at each; padded with -1.
    returns : [N, 1], dtype of input

    Raises
    ------
    OpError
        If `num_classes` is less than 2; in a call, if a label or node is too large or a shape does
        not fit.

    See Also
    --------
    paddle.nn.functional.hsigmoid_loss : The same with given weights.

    Examples
    --------
    >>> loss = nn.HSigmoidLoss(feature_size=3, num_classes=4)
    >>> loss(paddle.ones([2, 3]), paddle.to_tensor([[0], [1]])).shape
    [2, 1]
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
