"""`save` and `load`: state dicts and nested data as Paddle's `.pdparams` and `.pdopt`; loading runs
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from ..core import cuda
from ..core.dtype import BY_NP, bfloat16
from ..core.errors import FileError, OperandError, OpError
from ..core.legacy_importer import legacy_module
from ..core.tensor import Tensor
from ..export import pdiparams, pdmodel
from ..export.pickles import dump, is_tensor
from ..export.save import atomic_write
from ..ir.program import Program as ProgramData
from ..ir.scope_values import ScopeValue
from ..loader.files import load_program, program_from_bytes
from ..loader.info import load_info
from ..loader.params import (
    is_paddle_1_6_state,
    load_params,
    load_params_folder,
    params_from_bytes,
    read_paddle_1_6_state,
)
from ..loader.pickles import loads_first
from ..loader.regular_files import read_file
from ..static.graph.program import Program

NAME_TABLE = "StructuredToParameterName@@"
SLICES = "UnpackBigParamInfor@@"
MAX_SLICE = (1 << 30) - 1  # bytes of an array that pickle protocols 2 and 3 store as one object

PathOrFile = str | os.PathLike[str] | BinaryIO


def __getattr__(name: str) -> Any:
    """What model libraries take from here besides: `EagerParamBase` and the like, of the inside of
    fluid.framework.
    """
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(legacy_module("framework"), name)


def save(
    obj: Any,
    path: PathOrFile,
    protocol: int = 4,
    *,
    use_binary_format: bool = False,
    pickle_protocol: int | None = None,
) -> None:
    """Write a state dict, a tensor, nested plain data or a Program, all of it or nothing.

    path: a file name, whose folders are created, or an open binary file.   protocol: 2, 3 or 4.
    use_binary_format: a single tensor, as one record of a `.pdiparams`; pickle_protocol: the old
    name of protocol. OpError for what is not data; OperandError for a use_binary_format that is no
    bool; OSError.
    """
    protocol = protocol if pickle_protocol is None else pickle_protocol
    if type(protocol) is not int or protocol not in (2, 3, 4):
        raise OpError(f"save: protocol is 2, 3 or 4, not {protocol!r}")
    if not isinstance(use_binary_format, bool):
        raise OperandError(
            f"save: use_binary_format should be a bool, not {type(use_binary_format).__name__}"
        )
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "write"):
        raise OpError(f"save: path is a file name or an open file, not {type(path).__name__}")
    if isinstance(obj, ScopeValue):  # what a scope has under a name
        obj = obj.tensor
    pieces = _binary(obj) if use_binary_format else _pieces(obj, protocol)
    if not isinstance(path, (str, os.PathLike)):
        # Serialize completely first: an error must not leave a partial file.
        path.write(b"".join(pieces))
    elif not os.path.basename(os.fspath(path)):
        raise OpError(f"save: {os.fspath(path)!r} names a folder, not a file in it")
    else:
        atomic_write({path: pieces})


def load(
    path: PathOrFile,
    return_numpy: bool = False,
    keep_name_table: bool = False,
    model_filename: str | None = None,
    params_filename: str | None = None,
) -> Any:
    """What `save`, or real Paddle's, wrote; of a saved model (a prefix or a folder) its values by
    structured name.

    return_numpy: arrays for tensors.   keep_name_table: leave the names of parameters in the dict.
    FileError when the file is damaged or would run code; OpError when there is none.
    """
    make = _as_array if return_numpy else _as_tensor
    if not isinstance(path, (str, os.PathLike)):
        return _load_open(path, make, keep_name_table)
    if os.path.isfile(path):
        return _load_bytes(
            read_file(path), os.path.basename(os.fspath(path)), make, keep_name_table
        )[0]
    return _load_model(os.fspath(path), model_filename, params_filename)


def _pieces(obj: Any, protocol: int) -> Any:
    if isinstance(obj, Program | ProgramData):
        return [pdmodel.to_bytes(obj.raw if isinstance(obj, Program) else obj)]
    return dump(state_to_plain(obj, protocol) if _is_state(obj) else obj, protocol)


def _binary(obj: Any) -> Any:
    if not is_tensor(obj):
        raise OpError(f"save: use_binary_format takes one tensor, not a {type(obj).__name__}")
    return pdiparams.record(obj.name, np.asarray(cuda.to_host(obj.array)))


def _is_state(obj: Any) -> bool:
    """Whether Paddle takes `obj` for a state dict: of tensors, and of dicts without any."""
    if not isinstance(obj, dict):
        return False
    return all(not _holds_tensor(v) if isinstance(v, dict) else is_tensor(v) for v in obj.values())


def _holds_tensor(obj: Any) -> bool:
    if isinstance(obj, dict):
        return any(_holds_tensor(value) for value in obj.values())
    if isinstance(obj, (list, tuple)):
        return any(_holds_tensor(value) for value in obj)
    return is_tensor(obj)


def state_to_plain(
    state: dict[str, Any], protocol: int = 4, limit: int = MAX_SLICE
) -> dict[str, Any]:
    """A state dict as the dict that is pickled: arrays, the table of parameter names, and with 2
    and 3 slices.

    limit: bytes above which protocols 2 and 3 cut an array.
    """
    plain = {
        key: np.asarray(cuda.to_host(value.array)) if is_tensor(value) else value
        for key, value in state.items()
    }
    plain[NAME_TABLE] = {key: value.name for key, value in state.items() if is_tensor(value)}
    return plain if protocol > 3 else _cut(plain, limit)


def _cut(plain: dict[str, Any], limit: int) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    cut: dict[str, Any] = {}
    table: dict[str, Any] = {}
    for key, value in plain.items():
        step = limit // value.itemsize if isinstance(value, np.ndarray) else 0
        if not step or value.size <= step:
            kept[key] = value
            continue
        flat = value.reshape(-1)
        slices = {
            f"{key}@@.{i}": flat[at : at + step] for i, at in enumerate(range(0, flat.size, step))
        }
        cut |= slices
        table[key] = {"OriginShape": value.shape, "slices": list(slices)}
    return {**kept, **cut, **({SLICES: table} if table else {})}


def _join(loaded: dict[Any, Any], name: str) -> None:
    """Put arrays that were cut together again, in place."""
    table = loaded.pop(SLICES, {})
    try:
        for key, said in table.items():
            parts = [loaded.pop(part) for part in said["slices"]]
            # Pieces of several widths would all become as wide as the widest.
            if not all(
                isinstance(part, np.ndarray) and part.dtype == parts[0].dtype for part in parts
            ):
                raise ValueError(f"the pieces of {key!r:.80} are no arrays of one dtype")
            loaded[key] = np.concatenate(parts).reshape(said["OriginShape"])
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileError(
            f"{name}: its arrays were cut in a way that cannot be undone ({error})"
        ) from None


def _values(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Pickles hold bfloat16 as uint16, which Paddle itself does not have."""
    return array.view(bfloat16.np) if array.dtype == np.uint16 else array


Make = Callable[[np.ndarray[Any, Any], str | None], Any]


def _as_array(array: np.ndarray[Any, Any], _: str | None) -> Any:
    return _values(array)


def _as_tensor(array: np.ndarray[Any, Any], name: str | None) -> Any:
    values = _values(array)
    if values.dtype not in BY_NP:
        raise FileError(
            f"load: holds an array of {values.dtype}, which no tensor has; return_numpy=True "
            "gives it"
        )
    tensor = Tensor(cuda.to_default_device(values))
    tensor.stop_gradient = True
    if name:
        tensor.name = name
    return tensor


def _load_open(file: BinaryIO, make: Make, keep_name_table: bool) -> Any:
    """One object from where an open file stands; the file then stands behind it."""
    start = file.tell()
    found, used = _load_bytes(file.read(), "the open file", make, keep_name_table)
    file.seek(start + used)
    return found


def _load_bytes(data: bytes, name: str, make: Make, keep_name_table: bool) -> tuple[Any, int]:
    if is_paddle_1_6_state(data):
        return {
            key: make(np.array(value), key)
            for key, value in read_paddle_1_6_state(data, name).items()
        }, len(data)
    if data[:1] == b"\x00":  # a record: its version
        return make(np.array(params_from_bytes(data, ["tensor"], name)["tensor"]), None), len(data)
    if data[:1] == b"\x0a":  # a program: its first block
        return Program.of(program_from_bytes(data, name)), len(data)
    loaded, used = loads_first(data, name)
    if not isinstance(loaded, dict):
        return _convert(loaded, make, _has_named(loaded)), used
    _join(loaded, name)
    table = loaded.get(NAME_TABLE)
    if table is None:
        return _convert(loaded, make, _has_named(loaded)), used
    if not isinstance(table, dict):
        raise FileError(f"{name}: its table of names is a {type(table).__name__}")
    for key, parameter in table.items():
        if isinstance(loaded.get(key), np.ndarray):
            loaded[key] = make(loaded[key], parameter if isinstance(parameter, str) else None)
    if not keep_name_table:
        del loaded[NAME_TABLE]
    return loaded, used


def _is_named(obj: Any) -> bool:
    """A tensor as `save` writes one among other data: its name and its array."""
    return (
        isinstance(obj, tuple)
        and len(obj) == 2
        and isinstance(obj[0], str)
        and isinstance(obj[1], np.ndarray)
    )


def _has_named(obj: Any) -> bool:
    if _is_named(obj):
        return True
    inner = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else ()
    return any(_has_named(value) for value in inner)


def _convert(obj: Any, make: Make, named: bool) -> Any:
    """Tensors for (name, array) where there are any; without any, for all arrays, as older files
    mean them.
    """
    if named and _is_named(obj):
        return make(obj[1], obj[0])
    if isinstance(obj, np.ndarray):
        return obj if named else make(obj, None)
    if isinstance(obj, dict):
        return {key: _convert(value, make, named) for key, value in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(_convert(value, make, named) for value in obj)
    return obj


def _load_model(
    path: str, model_filename: str | None, params_filename: str | None
) -> dict[str, Any]:
    """The values of a saved model as arrays, by structured name where `.pdiparams.info`
    tells it.
    """
    if os.path.isfile(path + ".pdmodel"):
        program = load_program(path + ".pdmodel")
        values: Any = load_params(path + ".pdiparams", [var.name for var in program.persistables()])
        return _structured(values, path + ".pdiparams.info")
    if (
        os.path.isdir(path)
        and model_filename is None
        and not os.path.exists(os.path.join(path, "__model__"))
    ):
        return _load_folder(path)
    if os.path.isdir(path):
        program = load_program(os.path.join(path, model_filename or "__model__"))
        names = [var.name for var in program.persistables()]
        if params_filename is not None:
            values = load_params(os.path.join(path, params_filename), names)
        else:
            values = load_params_folder(path, names)
        return {name: np.array(values[name]) for name in names}
    hint = next((path + end for end in (".pdparams", ".pdopt") if os.path.isfile(path + end)), None)
    more = f"; did you mean {os.path.basename(hint)!r}?" if hint else ""
    raise OpError(f"load: there is no file, model or folder {path!r}{more}")


def _load_folder(path: str) -> dict[str, Any]:
    """The values of a folder with a file for each, as `save_params` of Paddle 1.x wrote it; the
    name of a file is that of its value.
    """
    found = {}
    for folder, _, files in os.walk(path):
        for file in files:
            at = os.path.join(folder, file)
            name = os.path.relpath(at, path).replace(os.sep, "/")
            found[name] = np.array(params_from_bytes(read_file(at), [name], at)[name])
    if not found:
        raise OpError(f"load: the folder {path!r} holds neither a model nor values")
    return dict(sorted(found.items()))


def _structured(values: dict[str, Any], info: str) -> dict[str, Any]:
    if not os.path.isfile(info):
        return {name: np.array(value) for name, value in values.items()}
    rows = load_info(info)
    found = {name: rows[name].structured_name or name if name in rows else name for name in values}
    return {found[name]: np.array(value) for name, value in values.items()}
