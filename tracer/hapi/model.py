"""Model: train, evaluate, run, save and load a network."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from .. import nn
from ..core import pytree
from ..core.autograd import no_grad
from ..core.communicator import process_groups
from ..core.errors import OarlockError, OpError, append_user_line
from ..core.html import html_table
from ..core.mode import reject_static_graph_mode
from ..core.name_hints import MODEL_ATTRIBUTES, suggest_alternatives
from ..core.operand_checks import called_function_name
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..core.type_aliases import Array
from ..distributed import DataParallel, ParallelEnv, all_gather, init_parallel_env
from ..framework.io import load, save
from ..io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from ..ir.input_spec import InputSpec
from ..jit.save import save as jit_save
from ..metric import Metric
from ..nn.layer import Layer
from ..optimizer import Optimizer
from ..tensor.creation import to_tensor
from ..tensor.manipulation import concat
from ..tensor.math import add_n
from .callbacks import Callback, CallbackList, EarlyStopping, LRScheduler, ModelCheckpoint
from .model_summary import summary
from .optimizer_state_renaming import optimizer_state_with_current_parameter_names
from .precision import Precision
from .progress import ProgBarLogger
from .type_aliases import Batch, InputSizes

__all__ = ["Model"]

Specs: TypeAlias = InputSpec | Sequence[InputSpec] | dict[str, InputSpec]
Data: TypeAlias = Dataset | DataLoader | Iterable[Any]
_EXTENSIONS = ("", ".pdparams", ".pdopt", ".pdmodel")


def _to_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _to_tensors(value: Any) -> list[Tensor]:
    return [v if isinstance(v, Tensor) else to_tensor(v) for v in _to_list(value)]


def _all_gather(x: Tensor) -> Tensor:
    """Return the rows of `x` of all ranks, concatenated. Metrics in Paddle's model packages import
    `_all_gather`.

    x [N, *] -> [sum of N, *]
    """
    tensors: list[Tensor] = []
    all_gather(tensors, x)
    return concat(tensors, axis=0)


def _num_batches(loader: Any) -> int | None:
    """Return the number of batches of a loader; None if the loader has no length."""
    try:
        return len(loader)
    except (TypeError, OarlockError):
        return None


@suggest_alternatives(MODEL_ATTRIBUTES)
class Model:
    """A network with methods for training, evaluation, prediction and files.

    Parameters
    ----------
    network : Layer
    inputs : InputSpec, or list or dict of them, optional
        The arguments of `network`. Without them, the first values of a batch, as many as forward
        has arguments, are inputs.
    labels : InputSpec, or list of them, optional
        Only their type is checked. All values of a batch after the inputs are labels.

    Attributes
    ----------
    network : Layer
    stop_training : bool
        Callbacks set it to True to end `fit` after the epoch.

    Raises
    ------
    OpError
        If inputs or labels are not InputSpecs.
    OarlockError
        In static graph mode.

    Examples
    --------
    >>> x = paddle.linspace(-1, 1, 32).reshape([32, 1])
    >>> dataset = paddle.io.TensorDataset([x, 3 * x + 1])
    >>> model = paddle.Model(nn.Linear(1, 1))
    >>> adam = paddle.optimizer.Adam(0.1, parameters=model.parameters())
    >>> model.prepare(adam, nn.MSELoss())
    >>> model.fit(dataset, batch_size=8, epochs=20, verbose=0)
    >>> model.evaluate(dataset, batch_size=8, verbose=0)["loss"][0] < 0.1
    True
    """

    def __init__(
        self, network: nn.Layer, inputs: Specs | None = None, labels: Specs | None = None
    ) -> None:
        reject_static_graph_mode("Model", "call disable_static() before, or use an Executor")
        if ParallelEnv().nranks > 1:
            init_parallel_env()
        self.mode = "train"
        self.network = network
        self.stop_training = False
        self._specs = (
            [inputs[n] for n in self._forward_argument_names() if n in inputs]
            if isinstance(inputs, dict)
            else _to_list(inputs)
        )
        for spec in [*self._specs, *_to_list(labels)]:
            if not isinstance(spec, InputSpec):
                raise OpError(
                    append_user_line(
                        f"Model: inputs and labels must be InputSpecs, not {type(spec).__name__}"
                    )
                )
        self._num_inputs = len(self._specs) or len(self._forward_argument_names())
        self._last_specs: list[InputSpec] = []  # specs of the last batch, for saving
        # the network, or DataParallel with several processes
        self._train_network: Any = network
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Metric] = []
        self._mixed_precision = Precision()

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        parameters = self.network.parameters()
        num_elements = sum(math.prod(parameter.meta.shape) for parameter in parameters)
        num_trainable = sum(math.prod(p.meta.shape) for p in parameters if not p.stop_gradient)
        specs = [str(spec) for spec in self._specs] or self._forward_argument_names()
        rows = [
            ("network", type(self.network).__name__),
            ("inputs", ", ".join(specs)),
            ("layers", len(self.network.sublayers())),
            (
                "parameters",
                f"{len(parameters)} arrays, {num_elements:,} elements, {num_trainable:,} trainable",
            ),
        ]
        for name, part in (("optimizer", self._optimizer), ("loss", self._loss)):
            if part is not None:
                rows.append((name, type(part).__name__))
        if self._metrics:
            rows.append(("metrics", ", ".join(type(metric).__name__ for metric in self._metrics)))
        return html_table(rows, caption="Model")

    def _forward_argument_names(self) -> list[str]:
        return inspect.getfullargspec(self.network.forward).args[1:]

    def prepare(
        self,
        optimizer: Optimizer | None = None,
        loss: Callable[..., Any] | None = None,
        metrics: Metric | Sequence[Metric] | None = None,
        amp_configs: str | dict[str, Any] | None = None,
    ) -> None:
        """Configure training and metrics.

        Parameters
        ----------
        optimizer : Optimizer, optional
            Required for training.
        loss : Layer or callable, optional
            ``loss(*outputs, *labels)`` returns a Tensor of one element, or several, which are
            added.
        metrics : Metric, or list of Metric, optional
        amp_configs : "O0", "O1" or "O2", or dict, default "O0"
            Mixed precision in float16. A dict has "level" (default "O1"), arguments of
            `amp.GradScaler`, "custom_white_list" and "custom_black_list". With "O1" only training
            uses it; "O2" also casts the parameters to float16, and the optimizer holds float32
            copies.

        Raises
        ------
        OpError
            If `loss` is not callable, an element of `metrics` is no Metric, or `amp_configs` is
            invalid.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 3))
        >>> adam = paddle.optimizer.Adam(parameters=model.parameters())
        >>> model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
        """
        if loss is not None and not callable(loss):
            raise OpError(
                append_user_line(
                    f"Model.prepare: loss must be a Layer or a function, not {type(loss).__name__}"
                )
            )
        for metric in _to_list(metrics):
            if not isinstance(metric, Metric):
                raise OpError(
                    append_user_line(f"Model.prepare: {type(metric).__name__} is not a Metric")
                )
        self._mixed_precision = Precision(amp_configs)
        self._mixed_precision.prepare(self.network, optimizer)
        self._optimizer, self._loss, self._metrics = optimizer, loss, _to_list(metrics)
        if (
            optimizer is not None
            and process_groups.global_communicator.size > 1
            and not isinstance(self.network, DataParallel)
        ):
            self._train_network = DataParallel(self.network)

    def parameters(self, *args: Any, **kwargs: Any) -> list[Parameter]:
        """Return the parameters of the network.

        Parameters
        ----------
        *args, **kwargs
            The arguments of `Layer.parameters`.

        Returns
        -------
        list of Parameter

        Examples
        --------
        >>> [p.shape for p in paddle.Model(nn.Linear(2, 3)).parameters()]
        [[2, 3], [3]]
        """
        return self.network.parameters(*args, **kwargs)

    def summary(
        self, input_size: InputSizes | None = None, dtype: str | Sequence[str] | None = None
    ) -> dict[str, int]:
        """Print a summary of the network, as `paddle.summary` does.

        Parameters
        ----------
        input_size : tuple of int or InputSpec, or list of them, optional
            Default: the `inputs` of this Model.
        dtype : str, or list of str, default "float32"
            The dtypes of the inputs.

        Returns
        -------
        dict
            "total_params" and "trainable_params".

        Raises
        ------
        OpError
            If there is neither `input_size` nor `inputs`.

        Examples
        --------
        >>> paddle.Model(nn.Linear(2, 3)).summary((None, 2))
        ---...
        Total params: 9
        ...
        {'total_params': 9, 'trainable_params': 9}
        """
        if input_size is None and not self._specs:
            raise OpError(
                append_user_line(
                    "Model.summary: input_size is required, because the Model has no inputs"
                )
            )
        return summary(self.network, self._specs if input_size is None else input_size, dtype)

    # -- one batch
    # ----------------------------------------------------------------------------------------------

    def _run_network_and_record_input_specs(self, inputs: Any) -> list[Any]:
        tensors = _to_tensors(inputs)
        self._last_specs = [
            InputSpec([None, *t.shape[1:]] if t.ndim else [], t.dtype) for t in tensors
        ]
        with self._mixed_precision.autocast_context(self.mode == "train"):
            return _to_list(
                (self._train_network if self.mode == "train" else self.network)(*tensors)
            )

    def _compute_losses(self, outputs: list[Any], labels: list[Tensor]) -> list[Tensor]:
        return _to_list(self._loss(*outputs, *labels)) if self._loss is not None else []

    def _update_metrics(self, outputs: list[Any], labels: list[Tensor]) -> list[Any]:
        """Update all metrics with the outputs and labels of a batch; return the results of the
        updates.
        """
        results = []
        for metric in self._metrics:
            values = _to_list(metric.compute(*outputs, *labels))
            results.append(
                metric.update(*(p.numpy() if isinstance(p, Tensor) else p for p in values))
            )
        return results

    def train_batch(self, inputs: Batch, labels: Batch | None = None, update: bool = True) -> Any:
        """Run a training step in train mode.

        Parameters
        ----------
        inputs : Tensor or ndarray, or list of them
        labels : Tensor or ndarray, or list of them, optional
        update : bool, default True
            Update the parameters and clear the gradients. False only accumulates gradients.

        Returns
        -------
        list of ndarray, or (list of ndarray, list)
            The losses; with metrics, also what the `update` of each metric returned.

        Raises
        ------
        OpError
            If `prepare` was not called with an optimizer and a loss.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> model.prepare(sgd, nn.MSELoss())
        >>> losses = model.train_batch(paddle.ones([4, 2]), paddle.ones([4, 1]))
        >>> losses[0].shape
        ()
        """
        if self._optimizer is None or self._loss is None:
            missing = "an optimizer" if self._optimizer is None else "a loss"
            raise OpError(
                append_user_line(
                    f"Model.{called_function_name()}: {missing} is missing; call "
                    "prepare(optimizer, loss) first"
                )
            )
        self.network.train()
        self.mode = "train"
        targets = _to_tensors(labels)
        outputs = self._run_network_and_record_input_specs(inputs)
        losses = self._compute_losses(outputs, targets)
        self._mixed_precision.backward(add_n(losses) if len(losses) > 1 else losses[0])
        if update:
            self._mixed_precision.step(self._optimizer)
            _clear_gradients(self.network)
        with no_grad():
            metrics = self._update_metrics(outputs, targets)
        arrays = [loss.numpy() for loss in losses]
        return (arrays, metrics) if self._metrics else arrays

    @no_grad()
    def eval_batch(self, inputs: Batch, labels: Batch | None = None) -> Any:
        """Compute loss and metrics of a batch in eval mode.

        Parameters
        ----------
        inputs : Tensor or ndarray, or list of them
        labels : Tensor or ndarray, or list of them, optional

        Returns
        -------
        list of ndarray, or (list of ndarray, list)
            The losses; with metrics, also what the `update` of each metric returned. Without a loss
            only the latter.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> model.prepare(sgd, nn.MSELoss())
        >>> losses = model.eval_batch(paddle.ones([4, 2]), paddle.ones([4, 1]))
        >>> losses[0].shape
        ()
        """
        self.network.eval()
        self.mode = "eval"
        targets = _to_tensors(labels)
        outputs = self._run_network_and_record_input_specs(inputs)
        arrays = [loss.numpy() for loss in self._compute_losses(outputs, targets)]
        metrics = self._update_metrics(outputs, targets)
        if self._loss is None:
            return metrics
        return (arrays, metrics) if self._metrics else arrays

    @no_grad()
    def predict_batch(self, inputs: Batch) -> list[Array]:
        """Run the network on one batch in eval mode, without gradients.

        Parameters
        ----------
        inputs : Tensor or ndarray, or list of them

        Returns
        -------
        list of ndarray
            The outputs.

        Examples
        --------
        >>> outputs = paddle.Model(nn.Linear(2, 3)).predict_batch(np.ones([4, 2], "float32"))
        >>> outputs[0].shape
        (4, 3)
        """
        self.network.eval()
        self.mode = "test"
        return [out.numpy() for out in self._run_network_and_record_input_specs(inputs)]

    # -- many batches
    # -------------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: Data | None = None,
        eval_data: Data | None = None,
        batch_size: int | Sequence[int] = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Callback | Sequence[Callback] | None = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
    ) -> None:
        """Train the network.

        Parameters
        ----------
        train_data : Dataset, DataLoader or iterable of batches
            A batch is a list or tuple of the inputs and the labels.
        eval_data : Dataset, DataLoader or iterable of batches, optional
        batch_size : int, or (int, int), default 1
            For Datasets; a pair for training and evaluation.
        epochs : int, default 1
        eval_freq : int, default 1
            Evaluate after each epoch whose number (from 0) is a multiple of it.
        log_freq : int, default 10
            Steps between two log lines.
        save_dir : str, optional
            Folder of checkpoints.
        save_freq : int, default 1
            Epochs between two checkpoints.
        verbose : 0, 1, 2 or 3, default 2
            As in `callbacks.ProgBarLogger`.
        drop_last : bool, default False
            Leave out a last batch with fewer samples; for Datasets.
        shuffle : bool, default True
            A new random order in each epoch; for Datasets, but not iterable ones.
        num_workers : int, default 0
            Worker processes that read Datasets.
        callbacks : Callback, or list of Callback, optional
            ProgBarLogger, ModelCheckpoint and LRScheduler are added if they are missing.
        accumulate_grad_batches : int, default 1
            Batches per optimizer step.
        num_iters : int, optional
            Total number of training batches, instead of `epochs`.

        Raises
        ------
        OpError
            If `train_data` is missing, `num_iters` is less than 1, or `prepare` was not called with
            an optimizer and a loss.

        Notes
        -----
        With several processes, each one trains on its part of a Dataset. In Paddle, `num_iters`
        also counts batches of evaluations.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> model.prepare(sgd, nn.MSELoss())
        >>> dataset = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.ones([8, 1])])
        >>> model.fit(dataset, batch_size=4, epochs=2, verbose=0)
        """
        if train_data is None:
            raise OpError(append_user_line("Model.fit: train_data is required"))
        sizes = [batch_size] * 2 if isinstance(batch_size, int) else list(batch_size)
        loader = _as_loader(train_data, sizes[0], num_workers, shuffle, drop_last, share=True)
        eval_loader = None if eval_data is None else _as_loader(eval_data, sizes[1], num_workers)
        epochs, steps = _epochs_and_steps_for_num_iters(num_iters, epochs, _num_batches(loader))
        callback_list = self._make_callback_list(
            callbacks, log_freq, verbose, epochs, steps, save_freq, save_dir
        )
        if eval_loader is None and any(isinstance(c, EarlyStopping) for c in callback_list):
            warnings.warn("EarlyStopping needs validation data.", stacklevel=2)
        self.stop_training = False
        logs: dict[str, Any] = {}
        callback_list.call("train_begin", None)
        for epoch in range(epochs):
            callback_list.call("epoch_begin", epoch, None)
            logs = self._run_batches(
                loader, callback_list, "train", accumulate_grad_batches, num_iters
            )
            callback_list.call("epoch_end", epoch, logs)
            if num_iters is not None:
                num_iters -= logs.get("step", -1) + 1
                self.stop_training = self.stop_training or num_iters < 1
            if eval_loader is not None and epoch % eval_freq == 0:
                self._run_evaluation(eval_loader, callback_list, _num_batches(eval_loader))
            if self.stop_training:
                break
        callback_list.call("train_end", logs)

    def evaluate(
        self,
        eval_data: Data,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Callback | Sequence[Callback] | None = None,
        num_iters: int | None = None,
    ) -> dict[str, Any]:
        """Evaluate the network in eval mode.

        Parameters
        ----------
        eval_data : Dataset, DataLoader or iterable of batches
        batch_size : int, default 1
            For Datasets.
        log_freq : int, default 10
            Steps between two log lines.
        verbose : 0, 1, 2 or 3, default 2
            As in `callbacks.ProgBarLogger`.
        num_workers : int, default 0
            Worker processes that read Datasets.
        callbacks : Callback, or list of Callback, optional
        num_iters : int, optional
            Evaluate only this number of batches.

        Returns
        -------
        dict
            "loss", a list with the losses of the last batch, as in Paddle, and the metrics of all
            batches by name.

        Raises
        ------
        OpError
            If `num_iters` is less than 1.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 3))
        >>> model.prepare(metrics=paddle.metric.Accuracy())
        >>> dataset = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.zeros([8, 1], "int64")])
        >>> model.evaluate(dataset, batch_size=4, verbose=0)["acc"] in (0.0, 1.0)
        True
        """
        loader = _as_loader(eval_data, batch_size, num_workers)
        _, steps = _epochs_and_steps_for_num_iters(num_iters, 1, _num_batches(loader))
        callback_list = self._make_callback_list(callbacks, log_freq, verbose)
        logs = self._run_evaluation(loader, callback_list, steps, num_iters)
        return {name: logs[name] for name in self._logged_value_names() if name in logs}

    def predict(
        self,
        test_data: Data,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Callback | Sequence[Callback] | None = None,
    ) -> list[Any]:
        """Run the network on all batches in eval mode.

        Parameters
        ----------
        test_data : Dataset, DataLoader or iterable of batches
            Values of a batch after the inputs are ignored.
        batch_size : int, default 1
            For Datasets.
        num_workers : int, default 0
            Worker processes that read Datasets.
        stack_outputs : bool, default False
            Concatenate the arrays of all batches along axis 0.
        verbose : 0, 1, 2 or 3, default 1
            As in `callbacks.ProgBarLogger`.
        callbacks : Callback, or list of Callback, optional

        Returns
        -------
        list
            One element per output of the network: a tuple with the ndarrays of all batches, or one
            ndarray if `stack_outputs` is True.

        Examples
        --------
        >>> model = paddle.Model(nn.Linear(2, 3))
        >>> dataset = paddle.io.TensorDataset([paddle.ones([8, 2])])
        >>> (y,) = model.predict(dataset, batch_size=4, stack_outputs=True, verbose=0)
        >>> y.shape
        (8, 3)
        """
        loader = _as_loader(test_data, batch_size, num_workers)
        callback_list = self._make_callback_list(callbacks, 2, verbose)
        batches: list[Any] = []
        callback_list.call("predict_begin", {"steps": _num_batches(loader)})
        logs = self._run_batches(loader, callback_list, "predict", outputs=batches)
        outputs: list[Any] = list(zip(*batches, strict=True))
        callback_list.call("predict_end", logs)
        return [np.vstack(arrays) for arrays in outputs] if stack_outputs else outputs

    def _make_callback_list(
        self,
        user_callbacks: Any,
        log_freq: int,
        verbose: int,
        epochs: int | None = None,
        steps: int | None = None,
        save_freq: int = 1,
        save_dir: str | None = None,
    ) -> CallbackList:
        """Return the user's callbacks and the default ones. Only rank 0 prints."""
        verbose = verbose if process_groups.global_communicator.rank == 0 else 0
        callbacks: list[Callback] = _to_list(user_callbacks)
        if verbose and not any(isinstance(c, ProgBarLogger) for c in callbacks):
            callbacks = [ProgBarLogger(log_freq, verbose), *callbacks]
        if not any(isinstance(c, ModelCheckpoint) for c in callbacks):
            callbacks = [*callbacks, ModelCheckpoint(save_freq, save_dir)]
        if not any(isinstance(c, LRScheduler) for c in callbacks):
            callbacks = [*callbacks, LRScheduler()]
        for callback in callbacks:
            if isinstance(callback, EarlyStopping):
                callback.save_dir = save_dir
        params = {
            "batch_size": None,
            "epochs": epochs,
            "steps": steps,
            "verbose": verbose,
            "metrics": self._logged_value_names(),
        }
        return CallbackList(callbacks, self, params)

    def _logged_value_names(self) -> list[str]:
        return [
            *(["loss"] if self._loss is not None else []),
            *(n for m in self._metrics for n in _to_list(m.name())),
        ]

    def _run_evaluation(
        self,
        loader: Any,
        callback_list: CallbackList,
        steps: int | None,
        max_batches: int | None = None,
    ) -> dict[str, Any]:
        callback_list.call("eval_begin", {"steps": steps, "metrics": self._logged_value_names()})
        logs = self._run_batches(loader, callback_list, "eval", max_batches=max_batches)
        callback_list.call("eval_end", logs)
        return logs

    def _run_batches(
        self,
        loader: Any,
        callback_list: CallbackList,
        mode: str,
        accumulate: int = 1,
        max_batches: int | None = None,
        outputs: list[Any] | None = None,
    ) -> dict[str, Any]:
        """Iterate over the batches once, or over max_batches of them; returns the logs of the last
        one.
        """
        logs: dict[str, Any] = {}
        steps = _num_batches(loader)
        for step, batch in enumerate(islice(loader, max_batches)):
            data = pytree.leaves(batch)
            callback_list.call(f"{mode}_batch_begin", step, logs)
            inputs, labels = data[: self._num_inputs], data[self._num_inputs :]
            if outputs is not None:
                outputs.append(self.predict_batch(inputs))
            elif mode == "train":
                self._add_results_to_logs(
                    logs,
                    self.train_batch(
                        inputs, labels, (step + 1) % accumulate == 0 or step + 1 == steps
                    ),
                )
            else:
                self._add_results_to_logs(logs, self.eval_batch(inputs, labels))
            logs.update(step=step, batch_size=len(data[0]))
            callback_list.call(f"{mode}_batch_end", step, logs)
        for metric in self._metrics:
            metric.reset()
        return logs

    def _add_results_to_logs(self, logs: dict[str, Any], results: Any) -> None:
        """Add the losses of one batch, and the metrics accumulated so far, to the logs for the
        callbacks.
        """
        values = [v for metric in self._metrics for v in _to_list(metric.accumulate())]
        if self._loss is not None:
            values.insert(0, [float(loss) for loss in (results[0] if self._metrics else results)])
        logs.update(zip(self._logged_value_names(), values, strict=True))

    # -- files
    # --------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """Save parameters and optimizer state, or a model for inference.

        Parameters
        ----------
        path : str
            The prefix of the files.
        training : bool, default True
            True: write `path`.pdparams and, if the optimizer has a state, `path`.pdopt, to continue
            training. False: write a model for inference, as `jit.save` does, for the shapes of
            `inputs` of the Model; without them, for those of the last batch with a dynamic batch
            size.

        Raises
        ------
        OpError
            If ``training=False`` and there are neither `inputs` nor a batch.

        Notes
        -----
        With several processes, only rank 0 writes.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> model = paddle.Model(nn.Linear(2, 3), inputs=spec)
        >>> model.save("checkpoint")
        >>> model.save("inference", training=False)
        >>> paddle.jit.load("inference")(paddle.ones([4, 2])).shape
        [4, 3]
        """
        if process_groups.global_communicator.rank:
            return
        if training:
            save(self.network.state_dict(), f"{path}.pdparams")
            if self._optimizer is not None and (state := self._optimizer.state_dict()):
                save(state, f"{path}.pdopt")
            return
        specs = self._specs or self._last_specs
        if not specs:
            raise OpError(
                append_user_line(
                    "Model.save: an inference model requires `inputs` of the Model, or a batch "
                    "that was run before"
                )
            )
        if not self._specs:
            warnings.warn(
                f"Model.save: the Model has no inputs; using the shapes {[s.shape for s in specs]}",
                stacklevel=2,
            )
        with _temporary_eval_mode(self.network):
            jit_save(self.network, path, input_spec=specs)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Load values and optimizer state that `save` of Oarlock or Paddle wrote.

        Parameters
        ----------
        path : str
            The prefix of the files, or one of them.
        skip_mismatch : bool, default False
            Warn about missing values and other shapes instead of raising an error; the optimizer
            state is then not loaded.
        reset_optimizer : bool, default False
            Do not load the optimizer state.

        Raises
        ------
        OpError
            If the file does not exist, or if a value is missing or has another shape.

        Examples
        --------
        >>> paddle.Model(nn.Linear(2, 3)).save("checkpoint")
        >>> model = paddle.Model(nn.Linear(2, 3))
        >>> model.load("checkpoint")
        """
        stem, extension = os.path.splitext(path)
        if extension in _EXTENSIONS[1:]:
            path = stem
        state = load(f"{path}.pdparams", return_numpy=True, keep_name_table=True)
        mismatches = self._state_mismatch_messages(state)
        if mismatches and not skip_mismatch:
            raise OpError(
                f"Model.load: {mismatches[0]}"
                + (f", and {len(mismatches) - 1} more" if mismatches[1:] else "")
            )
        for mismatch in mismatches:
            warnings.warn(f"Skip loading for {mismatch}", stacklevel=2)
        for name, tensor in self.network.state_dict().items():
            if name in state and list(np.shape(state[name])) == list(tensor.shape):
                tensor.set_value(state[name])
        if (
            self._optimizer is not None
            and not (reset_optimizer or mismatches)
            and os.path.exists(f"{path}.pdopt")
        ):
            self._optimizer.set_state_dict(
                optimizer_state_with_current_parameter_names(
                    load(f"{path}.pdopt"), state, self.network
                )
            )

    def _state_mismatch_messages(self, state: dict[str, Any]) -> list[str]:
        mismatches = []
        for name, tensor in self.network.state_dict().items():
            if name not in state:
                mismatches.append(f"{name} is not in the file")
            elif list(np.shape(state[name])) != list(tensor.shape):
                mismatches.append(
                    f"{name} has shape {list(np.shape(state[name]))} in the file, "
                    f"{list(tensor.shape)} here"
                )
        return mismatches


def _clear_gradients(network: Layer) -> None:
    """Set the gradients of all parameters to None; an overridden `clear_gradients` is called
    without arguments, as Paddle calls it.
    """
    if type(network).clear_gradients is Layer.clear_gradients:
        network.clear_gradients(set_to_zero=False)
    else:
        network.clear_gradients()


def _epochs_and_steps_for_num_iters(
    num_iters: int | None, epochs: int, steps: int | None
) -> tuple[int, int | None]:
    """Return the number of epochs and of steps per epoch for num_iters batches in total; return the
    given numbers if num_iters is None.
    """
    if num_iters is not None and num_iters < 1:
        raise OpError(append_user_line(f"Model: num_iters={num_iters} is less than 1"))
    if num_iters is None or steps is None:
        return epochs, steps
    return -(-num_iters // max(steps, 1)), min(num_iters, steps)


def _as_loader(
    data: Any,
    batch_size: int,
    workers: int,
    shuffle: bool = False,
    drop_last: bool = False,
    share: bool = False,
) -> Any:
    """Return an iterable of batches: a DataLoader for a Dataset, otherwise `data` itself.

    share: split the data between the processes
    """
    if isinstance(data, np.ndarray | Tensor):
        raise OpError(
            append_user_line(
                f"Model: the data are one {type(data).__name__}, not a Dataset or DataLoader; for "
                "arrays, pass paddle.io.TensorDataset([inputs, labels])"
            )
        )
    if not isinstance(data, Dataset):
        return data
    shuffle = shuffle and not isinstance(data, IterableDataset)
    if (
        share
        and process_groups.global_communicator.size > 1
        and not isinstance(data, IterableDataset)
    ):
        sampler = DistributedBatchSampler(data, batch_size, shuffle=shuffle, drop_last=drop_last)
        return DataLoader(data, batch_sampler=sampler, num_workers=workers)
    return DataLoader(
        data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last, num_workers=workers
    )


@contextmanager
def _temporary_eval_mode(network: nn.Layer) -> Iterator[None]:
    """Context manager: the network is in eval mode in the body; afterwards each layer has its
    previous mode.
    """
    layers: Sequence[Any] = network.sublayers(include_self=True)
    modes = [layer.training for layer in layers]
    network.eval()
    try:
        yield
    finally:
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode
