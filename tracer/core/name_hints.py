"""Alternatives for names of other frameworks. Errors about missing attributes mention them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Class = TypeVar("Class")

TENSOR_ATTRIBUTES = {
    "bool": 'astype("bool")',
    "device": "place",
    "double": 'astype("float64")',
    "float": 'astype("float32")',
    "half": 'astype("float16")',
    "int": 'astype("int32")',
    "is_cuda": "place.is_gpu_place()",
    "long": 'astype("int64")',
    "new_ones": "paddle.ones_like(x) or paddle.ones(shape, x.dtype)",
    "new_tensor": "paddle.to_tensor(data, x.dtype)",
    "new_zeros": "paddle.zeros_like(x) or paddle.zeros(shape, x.dtype)",
    "permute": "transpose(perm), with the order of the axes as a list",
    "repeat": "tile(repeat_times)",
    "requires_grad": "stop_gradient, which has the opposite value",
    "requires_grad_": "x.stop_gradient = False",
    "softmax": "paddle.nn.functional.softmax(x)",
    "relu": "paddle.nn.functional.relu(x)",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "clamp": "clip",
}
LAYER_ATTRIBUTES = {
    "add_module": "add_sublayer",
    "cuda": 'to("gpu")',
    "cpu": 'to("cpu")',
    "double": 'to(dtype="float64")',
    "load_state_dict": "set_state_dict(state)",
    "modules": "sublayers(include_self=True)",
    "named_modules": "named_sublayers(include_self=True)",
    "register_parameter": "add_parameter",
    "requires_grad_": "p.stop_gradient = True for each p of parameters()",
    "zero_grad": "clear_gradients()",
}
OPTIMIZER_ATTRIBUTES = {
    "add_param_group": "a list of dicts as `parameters`",
    "load_state_dict": "set_state_dict(state)",
    "param_groups": "get_lr() and set_lr(value) for the learning rate",
    "zero_grad": "clear_grad()",
}
MODEL_ATTRIBUTES = {
    "compile": "prepare(optimizer, loss, metrics)",
    "eval": "network.eval(), or evaluate(data)",
    "load_state_dict": "load(path), or network.set_state_dict(state)",
    "state_dict": "network.state_dict()",
    "train": "network.train(), or fit(data)",
}
_NO_SUCH_PACKAGE = "Oarlock does not have this package"
PACKAGE_ATTRIBUTES = {
    "oarlock": {
        "as_tensor": "paddle.to_tensor",
        "audio": f"{_NO_SUCH_PACKAGE}; compute features with paddle.signal.stft and paddle.matmul",
        "autocast": "paddle.amp.auto_cast",
        "cat": "paddle.concat",
        "clamp": "paddle.clip",
        "compile": "paddle.jit.to_static",
        "cost_model": _NO_SUCH_PACKAGE,
        "cuda": "paddle.device.cuda",
        "double": "paddle.float64",
        "float": "paddle.float32",
        "from_numpy": "paddle.to_tensor",
        "half": "paddle.float16",
        "hub": f"{_NO_SUCH_PACKAGE}; load files with paddle.load or paddle.jit.load",
        "inference_mode": "paddle.no_grad",
        "long": "paddle.int64",
        "manual_seed": "paddle.seed",
        "optim": "paddle.optimizer",
        "permute": "paddle.transpose",
        "sparse": f"{_NO_SUCH_PACKAGE}; use dense tensors, or paddle.nn.Embedding and "
        "paddle.scatter_nd_add for sparse updates",
        "sub": "paddle.subtract",
        "mul": "paddle.multiply",
        "div": "paddle.divide",
        "true_divide": "paddle.divide",
    },
    "oarlock.nn": {
        "ConvTranspose1d": "nn.Conv1DTranspose",
        "ConvTranspose2d": "nn.Conv2DTranspose",
        "ConvTranspose3d": "nn.Conv3DTranspose",
        "Module": "nn.Layer",
        "ModuleDict": "nn.LayerDict",
        "ModuleList": "nn.LayerList",
        "Parameter": "paddle.create_parameter, or create_parameter of a layer",
        "DataParallel": "paddle.DataParallel",
        "NLLLoss2d": "nn.NLLLoss",
        "ReflectionPad2d": 'nn.Pad2D(padding, mode="reflect")',
        "ReplicationPad2d": 'nn.Pad2D(padding, mode="replicate")',
        "init": "nn.initializer",
    },
    "oarlock.nn.functional": {
        "conv_transpose2d": "conv2d_transpose",
        "gumbel_softmax_": "gumbel_softmax",
        "multi_head_attention_forward": "paddle.nn.MultiHeadAttention",
        "upsample_nearest": 'upsample(x, mode="nearest")',
    },
    "oarlock.optimizer": {"RMSprop": "optimizer.RMSProp", "lr_scheduler": "optimizer.lr"},
}


def missing_attribute_error(owner: str, name: str, alternatives: dict[str, str]) -> AttributeError:
    """Return the error of a missing attribute, with the alternative if there is one.

    owner: such as "'Tensor' object" or "module 'oarlock.nn'"
    """
    message = f"{owner} has no attribute {name!r}"
    found = alternatives.get(name)
    if found is None:
        return AttributeError(message)
    message += f"; {found}" if found.startswith(_NO_SUCH_PACKAGE) else f"; use {found}"
    # Python adds "Did you mean" with a similar attribute of `obj` to the traceback.
    return AttributeError(message, name=name, obj=None)


def missing_name_error(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error of a missing name of a package. PyTorch writes `Conv2d` where Paddle
    writes `Conv2D`, so a name that differs only in upper case is an alternative.
    """
    alternatives = dict(PACKAGE_ATTRIBUTES.get(module, {}))
    if name not in alternatives:
        same = [known for known in names if known.lower() == name.lower()]
        alternatives |= {name: same[0]} if same else {}
    return missing_attribute_error(f"module {module!r}", name, alternatives)


class MissingAttribute:
    """A descriptor that raises AttributeError with an alternative.

    Unlike a method `__getattr__`, it does not make other lookups slower.
    """

    def __init__(self, name: str, alternatives: dict[str, str]) -> None:
        self._name, self._alternatives = name, alternatives

    def __get__(self, instance: object, owner: type) -> Any:
        kind = (
            f"type object {owner.__name__!r}" if instance is None else f"{owner.__name__!r} object"
        )
        raise missing_attribute_error(kind, self._name, self._alternatives)


def suggest_alternatives(alternatives: dict[str, str]) -> Callable[[type[Class]], type[Class]]:
    """Return a class decorator: the errors of missing attributes mention alternatives.

    Instances may set attributes of these names.
    """

    def decorate(cls: type[Class]) -> type[Class]:
        for name in alternatives:
            setattr(cls, name, MissingAttribute(name, alternatives))
        setattr(cls, "__dir__", _dir_without_missing_attributes)  # noqa: B010 - any class
        return cls

    return decorate


def _dir_without_missing_attributes(instance: object) -> list[str]:
    return [
        name
        for name in object.__dir__(instance)
        if not isinstance(inspect.getattr_static(instance, name), MissingAttribute)
    ]
