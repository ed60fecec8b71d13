"""`save` and `load`: state dicts and nested data in the formats `.pdparams` and `.pdopt`. Loading
executes no code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from ..core import cuda, pytree
from ..core.dtype import DTYPE_BY_NP, bfloat16
from ..core.errors import FileError, OperandError, OpError, append_user_line
from ..core.legacy_importer import import_legacy_module
from ..core.tensor import Tensor
from ..export import pdiparams_writer, pdmodel
from ..export.atomic_files import write_files_atomically
from ..export.pickles import is_tensor, iter_pickle_chunks
from ..ir.program import Program as ProgramData
from ..ir.scope_values import ScopeValue
from ..loader.pdiparams import (
    is_paddle_1_6_state,
    load_params,
    load_params_folder,
    parse_params,
    read_paddle_1_6_state,
)
from ..loader.pdiparams_info import load_info
from ..loader.pdmodel import load_program, parse_program
from ..loader.pickles import load_first_with_length
from ..loader.regular_files import read_file
from ..static.graph.program import Program

NAME_TABLE_KEY = "StructuredToParameterName@@"
SLICES_KEY = "UnpackBigParamInfor@@"
MAX_SLICE_BYTES = (
    1 << 30
) - 1  # bytes of an array that pickle protocols 2 and 3 store as one object

PathOrFile = str | os.PathLike[str] | BinaryIO


def __getattr__(name: str) -> Any:
    """Look up attributes that model libraries use in this module, such as `EagerParamBase` of
    fluid.framework.
    """
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_legacy_module("framework"), name)


def save(
    obj: object,
    path: PathOrFile,
    protocol: int = 4,
    *,
    use_binary_format: bool = False,
    pickle_protocol: int | None = None,
) -> None:
    """Write a state dict, a tensor, nested data or a program to a file that Paddle can load.

    A file at `path` is replaced only after the new one is complete.

    Parameters
    ----------
    obj : dict, Tensor, Program or nested data
        A state dict (dict of names to tensors), a tensor, a static program, or nested lists, tuples
        and dicts of tensors, arrays, numbers and strings.
    path : str, PathLike or binary file
        A file name, such as "model.pdparams", whose folders are created, or an open binary file.
    protocol : 2, 3 or 4, default 4
        The pickle protocol.
    use_binary_format : bool, default False
        Whether to write a single tensor as a record of a `.pdiparams` file.
    pickle_protocol : int, optional
        Older name of `protocol`.

    Raises
    ------
    OpError
        If the data cannot be saved, `path` is not a file name, or `protocol` is another number.
    OSError
        If the file cannot be written.

    See Also
    --------
    load : reads the file.
    jit.save : saves a layer with its program for inference.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> paddle.save(layer.state_dict(), "model.pdparams")
    >>> missing, unexpected = layer.set_state_dict(paddle.load("model.pdparams"))
    >>> missing, unexpected
    ([], [])
    """
    protocol = protocol if pickle_protocol is None else pickle_protocol
    if type(protocol) is not int or protocol not in (2, 3, 4):
        raise OpError(append_user_line(f"save: protocol must be 2, 3 or 4, not {protocol!r}"))
    if not isinstance(use_binary_format, bool):
        raise OperandError(
            append_user_line(
                f"save: use_binary_format should be a bool, not {type(use_binary_format).__name__}"
            )
        )
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "write"):
        raise OpError(
            append_user_line(
                f"save: path must be a file name or an open file, not {type(path).__name__}; the "
                "order of the arguments is save(obj, path)"
            )
        )
    if isinstance(obj, ScopeValue):  # value of a scope
        obj = obj.tensor
    chunks = (
        _serialize_tensor_as_record(obj)
        if use_binary_format
        else _serialize_program_or_pickle(obj, protocol)
    )
    if not isinstance(path, (str, os.PathLike)):
        # Serialize the object completely before writing, so that an error does not leave a partial
        # file.
        path.write(b"".join(chunks))
    elif not os.path.basename(os.fspath(path)):
        raise OpError(append_user_line(f"save: {os.fspath(path)!r} is a folder, not a file name"))
    else:
        write_files_atomically({path: chunks})


def load(
    path: PathOrFile,
    return_numpy: bool = False,
    keep_name_table: bool = False,
    model_filename: str | None = None,
    params_filename: str | None = None,
) -> Any:
    """Read a file that `save` of Oarlock or of Paddle wrote; loading executes no code.

    Parameters
    ----------
    path : str, PathLike or binary file
        A file; or the prefix or the folder of a saved model, whose values are returned by
        structured name. An open file is read from its position, which is then after the object.
    return_numpy : bool, default False
        Whether to return ndarrays instead of tensors. The values of a saved model are always
        ndarrays.
    keep_name_table : bool, default False
        Whether a state dict keeps the table of parameter names, under the key
        "StructuredToParameterName@@".
    model_filename, params_filename : str, optional
        Files of a saved model in a folder; by default "__model__" and one file per value.

    Returns
    -------
    Any
        The saved object; for a saved model a dict of str to ndarray.

    Raises
    ------
    OpError
        If there is no such file.
    FileError
        If the file is damaged, or would execute code.

    Examples
    --------
    >>> paddle.save({"weight": paddle.ones([2]), "step": 3}, "state.pdopt")
    >>> state = paddle.load("state.pdopt")
    >>> state["weight"].tolist(), state["step"]
    ([1.0, 1.0], 3)
    """
    make = _make_loaded_array if return_numpy else _make_loaded_tensor
    if not isinstance(path, (str, os.PathLike)):
        return _load_from_open_file(path, make, keep_name_table)
    if os.path.isfile(path):
        return _load_object_and_num_bytes(
            read_file(path), os.path.basename(os.fspath(path)), make, keep_name_table
        )[0]
    return _load_model_values(os.fspath(path), model_filename, params_filename)


def _serialize_program_or_pickle(obj: Any, protocol: int) -> Any:
    if isinstance(obj, Program | ProgramData):
        return [pdmodel.to_bytes(obj.raw if isinstance(obj, Program) else obj)]
    return iter_pickle_chunks(
        make_state_dict_to_pickle(obj, protocol) if _is_state_dict(obj) else obj, protocol
    )


def _serialize_tensor_as_record(obj: Any) -> Any:
    if not is_tensor(obj):
        raise OpError(
            append_user_line(
                f"save: use_binary_format requires a tensor, not a {type(obj).__name__}"
            )
        )
    return pdiparams_writer.iter_serialized_record_chunks(
        obj.name, np.asarray(cuda.to_host(obj.array))
    )


def _is_state_dict(obj: Any) -> bool:
    """Return whether Paddle treats `obj` as a state dict: a dict of tensors and of dicts without
    tensors.
    """
    if not isinstance(obj, dict):
        return False
    return all(
        not any(map(is_tensor, pytree.leaves(v))) if isinstance(v, dict) else is_tensor(v)
        for v in obj.values()
    )


def make_state_dict_to_pickle(
    state: dict[str, Any], protocol: int = 4, limit: int = MAX_SLICE_BYTES
) -> dict[str, Any]:
    """Return the dict that is pickled for a state dict. The dict contains the arrays, the table of
    parameter names and, for protocols 2 and 3, the slices of large arrays.

    limit: bytes above which protocols 2 and 3 slice an array
    """
    plain = {
        key: np.asarray(cuda.to_host(value.array)) if is_tensor(value) else value
        for key, value in state.items()
    }
    plain[NAME_TABLE_KEY] = {key: value.name for key, value in state.items() if is_tensor(value)}
    return plain if protocol > 3 else _slice_arrays_above_limit(plain, limit)


def _slice_arrays_above_limit(plain: dict[str, Any], limit: int) -> dict[str, Any]:
    """Split the arrays that are larger than `limit` bytes into slices, and add Paddle's table of
    slices.
    """
    unsliced: dict[str, Any] = {}
    slices_by_name: dict[str, Any] = {}
    table: dict[str, Any] = {}
    for key, value in plain.items():
        step = limit // value.itemsize if isinstance(value, np.ndarray) else 0
        if not step or value.size <= step:
            unsliced[key] = value
            continue
        flat = value.reshape(-1)
        slices = {
            f"{key}@@.{i}": flat[offset : offset + step]
            for i, offset in enumerate(range(0, flat.size, step))
        }
        slices_by_name |= slices
        table[key] = {"OriginShape": value.shape, "slices": list(slices)}
    return {**unsliced, **slices_by_name, **({SLICES_KEY: table} if table else {})}


def _join_slices_in_place(loaded: dict[Any, Any], name: str) -> None:
    """Replace the slices of large arrays in a loaded state dict by the concatenated arrays, in
    place.
    """
    table = loaded.pop(SLICES_KEY, {})
    try:
        for key, entry in table.items():
            slices = [loaded.pop(name) for name in entry["slices"]]
            # concatenate would cast slices of several dtypes to the widest
            if not all(
                isinstance(name, np.ndarray) and name.dtype == slices[0].dtype for name in slices
            ):
                raise ValueError(f"the slices of {key!r:.80} are not arrays of one dtype")
            loaded[key] = np.concatenate(slices).reshape(entry["OriginShape"])
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise FileError(f"{name}: its sliced arrays cannot be joined ({error})") from None


def _uint16_as_bfloat16(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the array as bfloat16 if its dtype is uint16. Pickles store bfloat16 as uint16, a
    dtype that Paddle's tensors do not have.
    """
    return array.view(bfloat16.np) if array.dtype == np.uint16 else array


MakeValue = Callable[[np.ndarray[Any, Any], str | None], Any]


def _make_loaded_array(array: np.ndarray[Any, Any], _: str | None) -> Any:
    return _uint16_as_bfloat16(array)


def _make_loaded_tensor(array: np.ndarray[Any, Any], name: str | None) -> Any:
    values = _uint16_as_bfloat16(array)
    if values.dtype not in DTYPE_BY_NP:
        raise FileError(
            f"load: no tensor has dtype {values.dtype}; return_numpy=True returns the array"
        )
    tensor = Tensor(cuda.to_default_device(values))
    tensor.stop_gradient = True
    if name:
        tensor.name = name
    return tensor


def _load_from_open_file(file: BinaryIO, make: MakeValue, keep_name_table: bool) -> Any:
    """Load one object from an open file at its current position; the position is then after the
    object.
    """
    start = file.tell()
    obj, num_bytes = _load_object_and_num_bytes(file.read(), "the open file", make, keep_name_table)
    file.seek(start + num_bytes)
    return obj


def _load_object_and_num_bytes(
    data: bytes, name: str, make: MakeValue, keep_name_table: bool
) -> tuple[Any, int]:
    if is_paddle_1_6_state(data):
        return {
            key: make(np.array(value), key)
            for key, value in read_paddle_1_6_state(data, name).items()
        }, len(data)
    if data[:1] == b"\x00":  # a record: its version
        return make(np.array(parse_params(data, ["tensor"], name)["tensor"]), None), len(data)
    if data[:1] == b"\x0a":  # a program: its first block
        return Program.view_of_raw(parse_program(data, name)), len(data)
    loaded, num_bytes = load_first_with_length(data, name)
    if not isinstance(loaded, dict):
        return _convert_named_or_all_arrays(
            loaded, make, _contains_name_array_pair(loaded)
        ), num_bytes
    _join_slices_in_place(loaded, name)
    table = loaded.get(NAME_TABLE_KEY)
    if table is None:
        return _convert_named_or_all_arrays(
            loaded, make, _contains_name_array_pair(loaded)
        ), num_bytes
    if not isinstance(table, dict):
        raise FileError(f"{name}: its table of names is a {type(table).__name__}, not a dict")
    for key, parameter in table.items():
        if isinstance(loaded.get(key), np.ndarray):
            loaded[key] = make(loaded[key], parameter if isinstance(parameter, str) else None)
    if not keep_name_table:
        del loaded[NAME_TABLE_KEY]
    return loaded, num_bytes


def _is_name_array_pair(obj: Any) -> bool:
    """Return whether `obj` is a tuple of name and array. `save` writes a tensor in this form if the
    tensor is inside of other data than a state dict.
    """
    return (
        isinstance(obj, tuple)
        and len(obj) == 2
        and isinstance(obj[0], str)
        and isinstance(obj[1], np.ndarray)
    )


def _contains_name_array_pair(obj: Any) -> bool:
    if _is_name_array_pair(obj):
        return True
    inner = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else ()
    return any(_contains_name_array_pair(value) for value in inner)


def _convert_named_or_all_arrays(obj: Any, make: MakeValue, named: bool) -> Any:
    """Convert tuples (name, array) to tensors. If the data contains no tuple (name, array), convert
    all arrays to tensors, because older files store tensors as arrays.
    """
    if named and _is_name_array_pair(obj):
        return make(obj[1], obj[0])
    if isinstance(obj, np.ndarray):
        return obj if named else make(obj, None)
    if isinstance(obj, dict):
        return {key: _convert_named_or_all_arrays(value, make, named) for key, value in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(_convert_named_or_all_arrays(value, make, named) for value in obj)
    return obj


def _load_model_values(
    path: str, model_filename: str | None, params_filename: str | None
) -> dict[str, Any]:
    """Return the values of a saved model as arrays, by the structured names of `.pdiparams.info` if
    it exists.
    """
    if os.path.isfile(path + ".pdmodel"):
        program = load_program(path + ".pdmodel")
        values: Any = load_params(path + ".pdiparams", [var.name for var in program.persistables()])
        return _rename_to_structured_names(values, path + ".pdiparams.info")
    if (
        os.path.isdir(path)
        and model_filename is None
        and not os.path.exists(os.path.join(path, "__model__"))
    ):
        return _load_folder_of_value_files(path)
    if os.path.isdir(path):
        program = load_program(os.path.join(path, model_filename or "__model__"))
        names = [var.name for var in program.persistables()]
        if params_filename is not None:
            values = load_params(os.path.join(path, params_filename), names)
        else:
            values = load_params_folder(path, names)
        return {name: np.array(values[name]) for name in names}
    hint = next((path + end for end in (".pdparams", ".pdopt") if os.path.isfile(path + end)), None)
    suggestion = f"; did you mean {os.path.basename(hint)!r}?" if hint else ""
    raise OpError(append_user_line(f"load: no file, model or folder {path!r}{suggestion}"))


def _load_folder_of_value_files(path: str) -> dict[str, Any]:
    """Load a folder that `save_params` of Paddle 1.x wrote, with one file for each value. The name
    of a file is the name of its value.
    """
    values = {}
    for folder, _, files in os.walk(path):
        for file in files:
            file_path = os.path.join(folder, file)
            name = os.path.relpath(file_path, path).replace(os.sep, "/")
            values[name] = np.array(parse_params(read_file(file_path), [name], file_path)[name])
    if not values:
        raise OpError(
            append_user_line(f"load: the folder {path!r} contains neither a model nor values")
        )
    return dict(sorted(values.items()))


def _rename_to_structured_names(values: dict[str, Any], info: str) -> dict[str, Any]:
    if not os.path.isfile(info):
        return {name: np.array(value) for name, value in values.items()}
    rows = load_info(info)
    names = {name: rows[name].structured_name or name if name in rows else name for name in values}
    return {names[name]: np.array(value) for name, value in values.items()}
