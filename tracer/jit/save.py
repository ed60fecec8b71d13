"""jit.save: a layer as Paddle's files, verified before they take their place."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.autograd import no_grad
from ..core.errors import OpError
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..export import info, pdiparams, pdmodel
from ..export.save import named, staged
from ..loader.translated_layer import TranslatedLayer
from ..nn.layer import Layer
from ..static.compiled import Compiled
from ..static.control import nest
from ..static.control.values import number_meta
from ..static.input_spec import InputSpec, as_spec
from ..static.prune import prune
from ..static.verify import check
from .recording import Recording, for_inference, record
from .verify import Reference, verify

IGNORED = (
    "clip_extra",
    "with_hook",
    "combine_params",
    "skip_forward",
)  # what they ask for is how it is done here, or changes nothing


def save(layer: Any, path: str | os.PathLike[str], input_spec: Any = None, **configs: Any) -> None:
    """Write `layer` as `path`.pdmodel, `path`.pdiparams and `path`.pdiparams.info, which PaddlePaddle reads as well.

    input_spec: one InputSpec (or Tensor, whose shape is taken) per argument of forward; None in a shape is a size that may
    differ from call to call.   verify=False leaves out the comparison of the files with the layer, at two sizes of every such dimension.
    output_spec: the names of the outputs to keep.   Raises TraceError where Python control flow depends on a value, VerifyError
    where the files would not give what the layer gives; then nothing is written.
    """
    wanted = configs.pop("verify", True)
    outputs = configs.pop("output_spec", None)
    unknown = configs.keys() - set(IGNORED)
    if unknown:
        raise ValueError(
            f"jit.save: there is no config {sorted(unknown)}; there are verify, output_spec, {', '.join(IGNORED)}"
        )
    prefix = checked_path(path)
    owner = as_layer(layer)
    recording = of_layer(owner, input_spec)
    if outputs is not None:
        names = [o if isinstance(o, str) else o.name for o in outputs]
        recording.program = prune(recording.program, recording.program.feeds(), names)
    write(recording, prefix, reference_of(owner, recording, input_spec, outputs) if wanted else None, parameters=True)


def checked_path(path: str | os.PathLike[str]) -> str:
    """`path` as a prefix of files.   Raises ValueError for one that ends in a folder."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path should be a str, not {type(path).__name__}")
    text = os.fspath(path)
    if not os.path.basename(text):
        raise ValueError(f"the path should be folder/file_prefix, but the prefix of {text!r} is empty")
    return text


class _Function(Layer):
    """A plain function as a Layer."""

    def __init__(self, function: Any) -> None:
        super().__init__("function")
        self.training = False
        self.forward = function  # type: ignore[method-assign]


def as_layer(layer: Any) -> Layer:
    """The layer, or a function wrapped as one.   Raises TypeError for anything else."""
    if isinstance(layer, Layer):
        return layer
    if callable(layer):
        owner = getattr(layer, "__self__", None)
        if isinstance(owner, Layer) and layer.__name__ == "forward":
            return owner
        return _Function(layer)
    raise TypeError(f"jit.save: a Layer or a function can be saved, not {type(layer).__name__}")


def of_layer(layer: Layer, input_spec: Any) -> Recording:
    """A recording for inference of what forward does.   Raises OpError where input_spec is missing or too long."""
    if input_spec is None and isinstance(layer, TranslatedLayer):
        input_spec = layer._input_spec()
    if not isinstance(input_spec, list | tuple):
        raise OpError(
            f"jit.save: input_spec should be a list with an InputSpec for every argument of forward, not {type(input_spec).__name__}"
        )
    recording = record(layer, [_spec(s) for s in input_spec])
    program = for_inference(recording.program)
    recording.program = prune(program, program.feeds(), program.fetches())
    return recording


def _spec(given: Any) -> Any:
    if isinstance(given, list | tuple):
        return [_spec(g) for g in given]
    if isinstance(given, dict):
        return {key: _spec(g) for key, g in given.items()}
    return as_spec(given) if isinstance(given, InputSpec | Tensor | np.ndarray) else given


def reference_of(layer: Layer, recording: Recording, input_spec: Any, outputs: Any) -> Reference:
    """What the files are compared with: the layer itself, or where it is training (or pruned) the interpreted recording."""
    nested = any(not isinstance(s, InputSpec | Tensor | np.ndarray) for s in input_spec or [None])
    if layer.training or outputs is not None or nested or isinstance(layer, TranslatedLayer):
        return interpreted(recording)

    def eager(tensors: list[Tensor]) -> list[Any]:
        with no_grad():
            return [_array(leaf) for leaf in nest.flatten(layer(*tensors))[0] if leaf is not None]

    return eager


def _array(value: Any) -> Any:
    """A result of eager Python, where a condition or a length is no tensor but a number."""
    return value.array if isinstance(value, Tensor) else np.asarray(value, number_meta(value).dtype)


def interpreted(recording: Recording) -> Reference:
    """The recording itself, op by op."""
    compiled = Compiled(recording.program)

    def run(tensors: list[Tensor]) -> Sequence[Any]:
        return compiled.run(recording.scope, dict(zip(compiled.feeds, (t.array for t in tensors), strict=True)))

    return run


def rows(recording: Recording) -> list[info.VarInfo]:
    """What `.pdiparams.info` says of every value that is saved."""
    return [
        info.VarInfo(
            name, recording.structured.get(name, name), tensor.stop_gradient,
            not tensor.stop_gradient if isinstance(tensor, Parameter) else None,
        )
        for name, tensor in recording.scope.items()
    ]  # fmt: skip


def write(recording: Recording, prefix: str, reference: Reference | None, parameters: bool) -> None:
    """Write and verify a recording; nothing is left behind when anything fails.   parameters: also write `.pdiparams.info`."""
    program = recording.program
    kept = {v.name for v in program.persistables()}
    recording.scope = {name: t for name, t in recording.scope.items() if name in kept}
    wrong = check(program)
    if wrong:
        raise OpError("the recorded program is not legal:\n  " + "\n  ".join(wrong))
    assert program.contract is not None
    values = {name: t.array for name, t in recording.scope.items()}
    files: dict[str | os.PathLike[str], Any] = {
        prefix + ".pdiparams": pdiparams.records(values) if values else None,
        prefix + ".pdiparams.info": info.to_bytes(rows(recording)) if values and parameters else None,
    }
    files[prefix + ".pdmodel"] = pdmodel.to_bytes(program)
    if not values:
        warnings.warn(
            f"{os.path.basename(prefix)}: there are no parameters; only the .pdmodel is written", stacklevel=4
        )
    with staged(files) as places:
        if reference is not None:
            path = places.get(prefix + ".pdiparams")
            program.contract.verified = verify(
                program,
                files[prefix + ".pdmodel"],
                None if path is None else str(path),
                recording.scope,
                reference,
                recording.given,
            )
            with named(prefix + ".pdmodel"):
                Path(places[prefix + ".pdmodel"]).write_bytes(pdmodel.to_bytes(program))
