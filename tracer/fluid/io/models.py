"""Inference models in folders, in the layout of Paddle 1.x: `__model__`, and one file per value or
one for all.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import append_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...export import pdiparams_writer, pdmodel
from ...export.atomic_files import write_files_atomically
from ...ir.passes.normalize import build_inference_program
from ...ir.scope import current_scope
from ...static import default_main_program
from ...static import io as static_io
from ...static.graph.mode import StaticGraphMode
from ...static.graph.program import Program
from ..deprecated import warn_deprecated_on_first_use
from .paddle1_format import convert_to_paddle1_in_place
from .variables import save_persistables, unwrap_program

__all__ = ["load_inference_model", "save_inference_model"]

MODEL_FILE = "__model__"


def convert_in_place_and_write_paddle1_model(
    desc: Any, values: dict[str, Any], dirname: str, model: str | None, params: str | None
) -> None:
    """Convert a program with feed and fetch ops to Paddle 1.8 in place, and write it and the values
    of its persistable variables.

    model: name of the file of the program
    params: name of one file for all values; None: one file per value
    """
    convert_to_paddle1_in_place(desc)
    persistables = sorted(desc.persistables(), key=lambda v: v.name)
    arrays = {v.name: np.asarray(values[v.name]) for v in persistables}
    for var in persistables:  # variables that grow during runs: write the current shape
        if -1 in var.shape:
            var.shape = arrays[var.name].shape
    files: dict[Any, Any] = {
        os.path.join(dirname, os.path.basename(model or MODEL_FILE)): pdmodel.to_bytes(desc)
    }
    if params is not None:
        files[os.path.join(dirname, os.path.basename(params))] = (
            pdiparams_writer.iter_serialized_file_chunks(arrays)
        )
    else:
        files |= {
            os.path.join(dirname, name): pdiparams_writer.iter_serialized_record_chunks(name, array)
            for name, array in arrays.items()
        }
    write_files_atomically(files)


def _append_scale_or_assign_to_outputs(program: Program, outputs: list[Variable]) -> list[Variable]:
    """Append the op that 1.8 appends to each output: a scale by 1, or for bools, which scale does
    not accept, an assign.
    """
    with use_mode(StaticGraphMode(program)):
        results = []
        for i, variable in enumerate(outputs):
            with program.recorder.prefixing_output_names(f"save_infer_model/scale_{i}"):
                op = OPS["assign" if variable.meta.dtype == bool else "scale"]
                results.append(op(variable))
    return results


def _to_checked_list_of(name: str, value: Any, cls: type) -> list[Any]:
    items = [value] if isinstance(value, cls) else list(value)
    if not all(isinstance(item, cls) for item in items):
        raise ValueError(
            append_user_line(f"save_inference_model: {name} must be a list of {cls.__name__}")
        )
    return items


@warn_deprecated_on_first_use("fluid.io.save_inference_model", "paddle.static.save_inference_model")
def save_inference_model(
    dirname: str,
    feeded_var_names: Any,
    target_vars: Any,
    executor: Any,
    main_program: Any = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Write an inference model to the folder `dirname`: the program that computes target_vars from
    the inputs, and the values of its parameters.

    params_filename: name of one file for all values
    program_only: write no values

    Returns the names of the outputs.
    """
    feeds = _to_checked_list_of("feeded_var_names", feeded_var_names, str)
    targets = _to_checked_list_of("target_vars", target_vars, Variable)
    program = default_main_program() if main_program is None else unwrap_program(main_program)
    if not export_for_deployment:
        path = os.path.join(
            dirname, os.path.basename(model_filename or MODEL_FILE) + ".main_program"
        )
        write_files_atomically({path: pdmodel.to_bytes(program.raw)})
        if not program_only:
            save_persistables(executor, dirname, program, params_filename)
        return [v.name for v in targets]
    if any(op.type == "auc" for op in program.global_block().ops):
        warnings.warn(
            "please ensure that you have set the auc states to zeros before saving inference model",
            stacklevel=2,
        )
    clone = program.clone(for_test=True)
    variables = [clone.global_block().var(v.name) for v in targets]
    outs = [v.name for v in _append_scale_or_assign_to_outputs(clone, variables)]
    desc = build_inference_program(clone.raw, feeds, outs, spare_feeds=True)
    scope = current_scope()
    if program_only:
        convert_to_paddle1_in_place(desc)
        path = os.path.join(dirname, os.path.basename(model_filename or MODEL_FILE))
        write_files_atomically({path: pdmodel.to_bytes(desc)})
    else:
        values = {v.name: scope.value(v.name).array for v in desc.persistables()}
        convert_in_place_and_write_paddle1_model(
            desc, values, dirname, model_filename, params_filename
        )
    return outs


@warn_deprecated_on_first_use("fluid.io.load_inference_model", "paddle.static.load_inference_model")
def load_inference_model(
    dirname: Any,
    executor: Any,
    model_filename: Any = None,
    params_filename: Any = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """Read an inference model from a folder, and assign its parameter values in the current scope.
    Returns [program, names of the inputs, output variables].

    If dirname is None, model_filename and params_filename are the bytes of the files.
    """
    if dirname is not None and not os.path.isdir(dirname):
        raise ValueError(append_user_line(f"There is no directory named '{dirname}'"))
    return static_io.load_inference_model(
        dirname, executor, model_filename=model_filename, params_filename=params_filename
    )
