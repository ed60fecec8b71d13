"""The base class of metrics; accuracy, as a function and accumulated over batches. `binary.py`
contains the metrics of binary classification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import Array
from ..tensor.manipulation import unsqueeze
from ..tensor.search import topk


def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Tensor | None = None,
    total: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the fraction of rows whose label is among the classes with the k largest scores.

    Parameters
    ----------
    input : Tensor [N, C], float
        Scores.
    label : Tensor [N] or [N, 1], int32 | int64
    k : int, default 1
        From 1 to C.
    correct, total : Tensor, optional
        Not used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], float32

    Raises
    ------
    OpError
        If `k` is out of range or shapes do not fit.

    Examples
    --------
    >>> scores = paddle.to_tensor([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])
    >>> paddle.metric.accuracy(scores, paddle.to_tensor([2, 1])).item()
    0.5
    >>> paddle.metric.accuracy(scores, paddle.to_tensor([2, 1]), k=2).item()
    1.0
    """
    if label.ndim == 1:
        label = unsqueeze(label, 1)
    values, indices = topk(input, k)
    return OPS["accuracy"](values, indices, label)[0]


class Metric:
    """Base class of metrics. A `Model` calls the methods for each batch.

    `compute` preprocesses the tensors of a batch, `update` adds a batch, `accumulate` returns the
    metric over all batches, and `reset` starts anew. Subclasses implement the last three and
    `name`.

    Examples
    --------
    >>> class MeanError(paddle.metric.Metric):
    ...     def __init__(self):
    ...         self.reset()
    ...     def reset(self):
    ...         self.total, self.count = 0.0, 0
    ...     def update(self, pred, label):
    ...         self.total += abs(pred - label).sum()
    ...         self.count += len(pred)
    ...     def accumulate(self):
    ...         return self.total / self.count
    ...     def name(self):
    ...         return "mean_error"
    >>> metric = MeanError()
    >>> metric.update(np.array([1.0, 2.0]), np.array([1.5, 2.5]))
    >>> float(metric.accumulate())
    0.5
    """

    def compute(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the arguments of `update` from the tensors of a batch.

        Parameters
        ----------
        *args : Tensor
            Outputs of the network, then labels.
        **kwargs
            Not used. Subclasses may name their parameters.

        Returns
        -------
        tuple
            The tensors unchanged. A Model passes them as ndarrays to `update`.

        Examples
        --------
        >>> paddle.metric.Precision().compute(1, 2)
        (1, 2)
        """
        return args

    def update(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch to the metric. Subclasses override this method.

        Parameters
        ----------
        *args : ndarray
            What `compute` returned.
        **kwargs
            Not used. Subclasses may name their parameters.

        Returns
        -------
        object
            `Model.train_batch` and `eval_batch` return it.

        Examples
        --------
        >>> precision = paddle.metric.Precision()
        >>> precision.update(np.array([0.9, 0.8]), np.array([1, 0]))
        >>> precision.accumulate()
        0.5
        """
        raise NotImplementedError

    def accumulate(self) -> Any:
        """Return the metric over all batches that `update` added. Subclasses override this method.

        Returns
        -------
        float, or list of float

        Examples
        --------
        >>> paddle.metric.Accuracy().accumulate()
        0.0
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Remove all batches from the metric. Subclasses override this method.

        Examples
        --------
        >>> precision = paddle.metric.Precision()
        >>> precision.update(np.array([0.9]), np.array([1]))
        >>> precision.reset()
        >>> precision.accumulate()
        0.0
        """
        raise NotImplementedError

    def name(self) -> str | list[str]:
        """Return the name of the metric, or of each of its values. Subclasses override this method.

        Returns
        -------
        str, or list of str

        Examples
        --------
        >>> paddle.metric.Precision().name()
        'precision'
        """
        raise NotImplementedError


class Accuracy(Metric):
    """Accuracy over batches: the fraction of rows whose label is among the k best classes.

    Parameters
    ----------
    topk : tuple of int, default (1,)
        One accuracy for each k in it.
    name : str, default "acc"

    Examples
    --------
    >>> accuracy = paddle.metric.Accuracy(topk=(1, 2))
    >>> scores = paddle.to_tensor([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])
    >>> found = accuracy.update(accuracy.compute(scores, paddle.to_tensor([2, 1])))
    >>> accuracy.name(), accuracy.accumulate()
    (['acc_top1', 'acc_top2'], [0.5, 1.0])
    """

    def __init__(self, topk: Sequence[int] = (1,), name: str | None = None) -> None:
        self.topk = tuple(topk)
        self._name = name or "acc"
        self.total: list[float] = []
        self.count: list[int] = []
        self.reset()

    def compute(self, pred: Tensor, label: Tensor, *args: Any) -> Tensor:
        """Return which of the best classes of each row is the label.

        Parameters
        ----------
        pred : Tensor [N, C], float
            Scores.
        label : Tensor [N] or [N, 1], int, or [N, C], one-hot
        *args
            Not used.

        Returns
        -------
        Tensor [N, max(topk)], float32
            1 at the label, ordered by decreasing score, else 0.

        Examples
        --------
        >>> scores = paddle.to_tensor([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])
        >>> paddle.metric.Accuracy((1, 2)).compute(scores, paddle.to_tensor([2, 1])).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        best_classes = np.argsort(-pred.numpy(), axis=-1, kind="stable")[..., : max(self.topk)]
        labels = label.numpy()
        if labels.ndim == pred.ndim and labels.shape[-1] != 1:
            labels = labels.argmax(-1)
        return Tensor(
            (best_classes == labels.reshape(*best_classes.shape[:-1], 1)).astype(np.float32)
        )

    def update(self, correct: Tensor | Array, *args: Any) -> Any:
        """Add a batch.

        Parameters
        ----------
        correct : Tensor or ndarray [N, max(topk)]
            What `compute` returned.
        *args
            Not used.

        Returns
        -------
        float, or list of float
            The accuracy of this batch; a list if there are several k.

        Examples
        --------
        >>> accuracy = paddle.metric.Accuracy()
        >>> float(accuracy.update(np.array([[1.0], [0.0], [1.0], [1.0]])))
        0.75
        """
        is_correct = correct.numpy() if isinstance(correct, Tensor) else np.asarray(correct)
        num_rows = int(np.prod(is_correct.shape[:-1]))
        num_correct = [float(is_correct[..., :k].sum()) for k in self.topk]
        self.total = [t + c for t, c in zip(self.total, num_correct, strict=True)]
        self.count = [n + num_rows for n in self.count]
        return _unwrap_if_single(list(np.array(num_correct) / max(num_rows, 1)))

    def accumulate(self) -> Any:
        return _unwrap_if_single(
            [t / n if n else 0.0 for t, n in zip(self.total, self.count, strict=True)]
        )

    def reset(self) -> None:
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def name(self) -> list[str]:
        """Return a list of names, one for each k.

        Returns
        -------
        list of str

        Examples
        --------
        >>> paddle.metric.Accuracy().name(), paddle.metric.Accuracy(topk=(1, 5)).name()
        (['acc'], ['acc_top1', 'acc_top5'])
        """
        return [self._name] if len(self.topk) == 1 else [f"{self._name}_top{k}" for k in self.topk]


def _unwrap_if_single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
