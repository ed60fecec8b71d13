"""Model: a network with what trains, evaluates, predicts, saves and loads it."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np

from .. import nn
from ..core import pytree
from ..core.autograd import no_grad
from ..core.communicator import world
from ..core.errors import OarlockError, OpError
from ..core.mode import require_eager
from ..core.tensor import Tensor
from ..distributed import DataParallel, ParallelEnv, all_gather, init_parallel_env
from ..framework.io import load, save
from ..io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from ..ir.input_spec import InputSpec
from ..jit.save import save as jit_save
from ..metric import Metric
from ..nn.layer import Layer
from ..tensor.creation import to_tensor
from ..tensor.manipulation import concat
from ..tensor.math import add_n
from .callbacks import Callback, CallbackList, EarlyStopping, LRScheduler, ModelCheckpoint
from .checkpoint import renamed
from .model_summary import summary
from .precision import Precision
from .progress import ProgBarLogger

__all__ = ["Model"]

_ENDINGS = ("", ".pdparams", ".pdopt", ".pdmodel")


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _tensors(value: Any) -> list[Tensor]:
    return [v if isinstance(v, Tensor) else to_tensor(v) for v in _list(value)]


def _all_gather(x: Tensor) -> Tensor:
    """The rows of all ranks one below the other: metrics of Paddle's model packages import it from
    here.

    x [N, *] -> [all N, *]
    """
    parts: list[Tensor] = []
    all_gather(parts, x)
    return concat(parts, axis=0)


def _length(loader: Any) -> int | None:
    """How many batches there are, None where nobody knows."""
    try:
        return len(loader)
    except (TypeError, OarlockError):
        return None


class Model:
    """A network ready for fit, evaluate and predict.

    inputs, labels: InputSpecs, one or a list; without inputs, as many values of a batch are inputs
    as forward has arguments.
    """

    def __init__(self, network: nn.Layer, inputs: Any = None, labels: Any = None) -> None:
        require_eager("Model", "call disable_static() before, or use an Executor")
        if ParallelEnv().nranks > 1:
            init_parallel_env()
        self.mode = "train"
        self.network = network
        self.stop_training = False
        self._specs = (
            [inputs[n] for n in self._arguments() if n in inputs]
            if isinstance(inputs, dict)
            else _list(inputs)
        )
        for spec in [*self._specs, *_list(labels)]:
            if not isinstance(spec, InputSpec):
                raise OpError(f"Model: inputs and labels are InputSpecs, not {type(spec).__name__}")
        self._input_count = len(self._specs) or len(self._arguments())
        self._seen: list[InputSpec] = []  # of the last batch, for saving
        # with gradients reduced over all processes, if there are several
        self._trained: Any = network
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Metric] = []
        self._precision = Precision()

    def _arguments(self) -> list[str]:
        return inspect.getfullargspec(self.network.forward).args[1:]

    def prepare(
        self, optimizer: Any = None, loss: Any = None, metrics: Any = None, amp_configs: Any = None
    ) -> None:
        """Say how to train and what to measure.

        loss: called with outputs and labels; metrics: one Metric or a list

        amp_configs: a level of mixed precision, "O1" or "O2", or a dict of it, GradScaler's
        arguments and custom_*_list
        """
        if loss is not None and not callable(loss):
            raise OpError(
                f"Model.prepare: loss is a Layer or a function, not {type(loss).__name__}"
            )
        for metric in _list(metrics):
            if not isinstance(metric, Metric):
                raise OpError(f"Model.prepare: {type(metric).__name__} is not a Metric")
        self._precision = Precision(amp_configs)
        self._precision.prepare(self.network, optimizer)
        self._optimizer, self._loss, self._metrics = optimizer, loss, _list(metrics)
        if (
            optimizer is not None
            and world.everybody.size > 1
            and not isinstance(self.network, DataParallel)
        ):
            self._trained = DataParallel(self.network)

    def parameters(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The parameters of the network."""
        return self.network.parameters(*args, **kwargs)

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """oarlock.summary of the network.

        input_size: the `inputs` of this Model, if None
        """
        if input_size is None and not self._specs:
            raise OpError(
                "Model.summary: input_size is needed, as the Model was made without inputs"
            )
        return summary(self.network, self._specs if input_size is None else input_size, dtype)

    # -- one batch
    # ----------------------------------------------------------------------------------------------

    def _forward(self, inputs: Any) -> list[Any]:
        tensors = _tensors(inputs)
        self._seen = [InputSpec([None, *t.shape[1:]] if t.ndim else [], t.dtype) for t in tensors]
        with self._precision.casting(self.mode == "train"):
            return _list((self._trained if self.mode == "train" else self.network)(*tensors))

    def _losses(self, outputs: list[Any], labels: list[Tensor]) -> list[Tensor]:
        return _list(self._loss(*outputs, *labels)) if self._loss is not None else []

    def _measured(self, outputs: list[Any], labels: list[Tensor]) -> list[Any]:
        """What each metric says of this batch, which it takes in."""
        found = []
        for metric in self._metrics:
            parts = _list(metric.compute(*outputs, *labels))
            found.append(metric.update(*(p.numpy() if isinstance(p, Tensor) else p for p in parts)))
        return found

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """A step of training.

        update: change the parameters, else only add to their gradients

        -> the losses as arrays; with metrics (losses, what each says of this batch)
        """
        if self._optimizer is None or self._loss is None:
            raise OpError("Model.train_batch: call prepare with an optimizer and a loss first")
        self.network.train()
        self.mode = "train"
        targets = _tensors(labels)
        outputs = self._forward(inputs)
        losses = self._losses(outputs, targets)
        self._precision.backward(add_n(losses) if len(losses) > 1 else losses[0])
        if update:
            self._precision.step(self._optimizer)
            _clear_gradients(self.network)
        with no_grad():
            metrics = self._measured(outputs, targets)
        arrays = [loss.numpy() for loss in losses]
        return (arrays, metrics) if self._metrics else arrays

    @no_grad()
    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Loss and metrics of a batch.

        -> as train_batch, or only the metrics where there is no loss
        """
        self.network.eval()
        self.mode = "eval"
        targets = _tensors(labels)
        outputs = self._forward(inputs)
        arrays = [loss.numpy() for loss in self._losses(outputs, targets)]
        metrics = self._measured(outputs, targets)
        if self._loss is None:
            return metrics
        return (arrays, metrics) if self._metrics else arrays

    @no_grad()
    def predict_batch(self, inputs: Any) -> list[Any]:
        """What the network gives, as arrays."""
        self.network.eval()
        self.mode = "test"
        return [out.numpy() for out in self._forward(inputs)]

    # -- many batches
    # -------------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: Any = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
    ) -> None:
        """Train.

        train_data, eval_data: a Dataset or a DataLoader; batch_size: one number, or one for each of
        them

        log_freq: steps between lines; save_dir: a checkpoint every save_freq epochs; verbose: see
        ProgBarLogger; accumulate_grad_batches: batches that make one step; num_iters: batches in
        all, instead of epochs.
        """
        if train_data is None:
            raise OpError("Model.fit: train_data is needed")
        sizes = [batch_size] * 2 if isinstance(batch_size, int) else list(batch_size)
        loader = _loader(train_data, sizes[0], num_workers, shuffle, drop_last, share=True)
        evaluated = None if eval_data is None else _loader(eval_data, sizes[1], num_workers)
        epochs, steps = _limited(num_iters, epochs, _length(loader))
        told = self._callbacks(callbacks, log_freq, verbose, epochs, steps, save_freq, save_dir)
        if evaluated is None and any(isinstance(c, EarlyStopping) for c in told):
            warnings.warn("EarlyStopping needs validation data.", stacklevel=2)
        self.stop_training = False
        logs: dict[str, Any] = {}
        told.call("train_begin", None)
        for epoch in range(epochs):
            told.call("epoch_begin", epoch, None)
            logs = self._pass(loader, told, "train", accumulate_grad_batches, num_iters)
            told.call("epoch_end", epoch, logs)
            if num_iters is not None:
                num_iters -= logs.get("step", -1) + 1
                self.stop_training = self.stop_training or num_iters < 1
            if evaluated is not None and epoch % eval_freq == 0:
                self._evaluated(evaluated, told, _length(evaluated))
            if self.stop_training:
                break
        told.call("train_end", logs)

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
        num_iters: int | None = None,
    ) -> dict[str, Any]:
        """Loss (of the last batch, as in Paddle) and metrics (of all) by name."""
        loader = _loader(eval_data, batch_size, num_workers)
        _, steps = _limited(num_iters, 1, _length(loader))
        told = self._callbacks(callbacks, log_freq, verbose)
        logs = self._evaluated(loader, told, steps, num_iters)
        return {name: logs[name] for name in self._names() if name in logs}

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Any = None,
    ) -> list[Any]:
        """What the network gives: for each of its outputs a tuple with the array of every batch, or
        one array if stack_outputs.
        """
        loader = _loader(test_data, batch_size, num_workers)
        told = self._callbacks(callbacks, 2, verbose)
        batches: list[Any] = []
        told.call("predict_begin", {"steps": _length(loader)})
        logs = self._pass(loader, told, "predict", outputs=batches)
        found: list[Any] = list(zip(*batches, strict=True))
        told.call("predict_end", logs)
        return [np.vstack(arrays) for arrays in found] if stack_outputs else found

    def _callbacks(
        self,
        given: Any,
        log_freq: int,
        verbose: int,
        epochs: int | None = None,
        steps: int | None = None,
        save_freq: int = 1,
        save_dir: str | None = None,
    ) -> CallbackList:
        """The given callbacks, and those that always are there.

        Of several processes the first one speaks.
        """
        verbose = verbose if world.everybody.rank == 0 else 0
        told: list[Callback] = _list(given)
        if verbose and not any(isinstance(c, ProgBarLogger) for c in told):
            told = [ProgBarLogger(log_freq, verbose), *told]
        if not any(isinstance(c, ModelCheckpoint) for c in told):
            told = [*told, ModelCheckpoint(save_freq, save_dir)]
        if not any(isinstance(c, LRScheduler) for c in told):
            told = [*told, LRScheduler()]
        for callback in told:
            if isinstance(callback, EarlyStopping):
                callback.save_dir = save_dir
        params = {
            "batch_size": None,
            "epochs": epochs,
            "steps": steps,
            "verbose": verbose,
            "metrics": self._names(),
        }
        return CallbackList(told, self, params)

    def _names(self) -> list[str]:
        return [
            *(["loss"] if self._loss is not None else []),
            *(n for m in self._metrics for n in _list(m.name())),
        ]

    def _evaluated(
        self, loader: Any, told: CallbackList, steps: int | None, most: int | None = None
    ) -> dict[str, Any]:
        told.call("eval_begin", {"steps": steps, "metrics": self._names()})
        logs = self._pass(loader, told, "eval", most=most)
        told.call("eval_end", logs)
        return logs

    def _pass(
        self,
        loader: Any,
        told: CallbackList,
        mode: str,
        accumulate: int = 1,
        most: int | None = None,
        outputs: list[Any] | None = None,
    ) -> dict[str, Any]:
        """All batches once, or `most` of them; gives the logs of the last one."""
        logs: dict[str, Any] = {}
        steps = _length(loader)
        for step, batch in enumerate(islice(loader, most)):
            data = pytree.leaves(batch)
            told.call(f"{mode}_batch_begin", step, logs)
            inputs, labels = data[: self._input_count], data[self._input_count :]
            if outputs is not None:
                outputs.append(self.predict_batch(inputs))
            elif mode == "train":
                self._log(
                    logs,
                    self.train_batch(
                        inputs, labels, (step + 1) % accumulate == 0 or step + 1 == steps
                    ),
                )
            else:
                self._log(logs, self.eval_batch(inputs, labels))
            logs.update(step=step, batch_size=len(data[0]))
            told.call(f"{mode}_batch_end", step, logs)
        for metric in self._metrics:
            metric.reset()
        return logs

    def _log(self, logs: dict[str, Any], found: Any) -> None:
        """Losses of this batch and metrics so far, by name."""
        values = [v for metric in self._metrics for v in _list(metric.accumulate())]
        if self._loss is not None:
            values.insert(0, [float(loss) for loss in (found[0] if self._metrics else found)])
        logs.update(zip(self._names(), values, strict=True))

    # -- files
    # --------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """`path`.pdparams and `path`.pdopt to go on from; or, not training, a model for inference
        as by jit.save.

        By rank 0 alone.

        For the latter the shapes are those of `inputs`, else those of the last batch with a free
        first size.
        """
        if world.everybody.rank:
            return
        if training:
            save(self.network.state_dict(), f"{path}.pdparams")
            if self._optimizer is not None and (state := self._optimizer.state_dict()):
                save(state, f"{path}.pdopt")
            return
        specs = self._specs or self._seen
        if not specs:
            raise OpError("Model.save: for inference, give `inputs` to Model, or run a batch first")
        if not self._specs:
            warnings.warn(
                f"Model.save: the Model was made without inputs; shapes are "
                f"{[s.shape for s in specs]}",
                stacklevel=2,
            )
        with _evaluating(self.network):
            jit_save(self.network, path, input_spec=specs)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Take over what `save`, or real Paddle's, wrote: values, and the optimizer's state unless
        reset_optimizer.

        skip_mismatch: warn of what is missing or has another shape, and do not take over the
        optimizer's state then.
        """
        stem, ending = os.path.splitext(path)
        if ending in _ENDINGS[1:]:
            path = stem
        state = load(f"{path}.pdparams", return_numpy=True, keep_name_table=True)
        wrong = self._mismatches(state)
        if wrong and not skip_mismatch:
            raise OpError(
                f"Model.load: {wrong[0]}" + (f", and {len(wrong) - 1} more" if wrong[1:] else "")
            )
        for what in wrong:
            warnings.warn(f"Skip loading for {what}", stacklevel=2)
        for name, tensor in self.network.state_dict().items():
            if name in state and list(np.shape(state[name])) == list(tensor.shape):
                tensor.set_value(state[name])
        if (
            self._optimizer is not None
            and not (reset_optimizer or wrong)
            and os.path.exists(f"{path}.pdopt")
        ):
            self._optimizer.set_state_dict(renamed(load(f"{path}.pdopt"), state, self.network))

    def _mismatches(self, state: dict[str, Any]) -> list[str]:
        found = []
        for name, tensor in self.network.state_dict().items():
            if name not in state:
                found.append(f"{name} is not in the file")
            elif list(np.shape(state[name])) != list(tensor.shape):
                found.append(
                    f"{name} has shape {list(np.shape(state[name]))} in the file, "
                    f"{list(tensor.shape)} here"
                )
        return found


def _clear_gradients(network: Layer) -> None:
    """Drop the gradients of all parameters; an overridden `clear_gradients` is called without
    arguments, as Paddle calls it.
    """
    if type(network).clear_gradients is Layer.clear_gradients:
        network.clear_gradients(set_to_zero=False)
    else:
        network.clear_gradients()


def _limited(num_iters: int | None, epochs: int, steps: int | None) -> tuple[int, int | None]:
    """Epochs and steps for a given number of batches in all."""
    if num_iters is not None and num_iters < 1:
        raise OpError(f"Model: num_iters={num_iters} is below 1")
    if num_iters is None or steps is None:
        return epochs, steps
    return -(-num_iters // max(steps, 1)), min(num_iters, steps)


def _loader(
    data: Any,
    batch_size: int,
    workers: int,
    shuffle: bool = False,
    drop_last: bool = False,
    share: bool = False,
) -> Any:
    """What gives batches: data itself, unless it is a Dataset.

    share: a part of it for each process
    """
    if not isinstance(data, Dataset):
        return data
    shuffle = shuffle and not isinstance(data, IterableDataset)
    if share and world.everybody.size > 1 and not isinstance(data, IterableDataset):
        sampler = DistributedBatchSampler(data, batch_size, shuffle=shuffle, drop_last=drop_last)
        return DataLoader(data, batch_sampler=sampler, num_workers=workers)
    return DataLoader(
        data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last, num_workers=workers
    )


@contextmanager
def _evaluating(network: nn.Layer) -> Iterator[None]:
    """The network in eval mode, and then as it was."""
    layers: Sequence[Any] = network.sublayers(include_self=True)
    modes = [layer.training for layer in layers]
    network.eval()
    try:
        yield
    finally:
        for layer, mode in zip(layers, modes, strict=True):
            layer.training = mode
