"""Models for inference in folders, as Paddle 1.x wrote them: `__model__`, and a file for every
value or one for all.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import with_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...export import pdiparams, pdmodel
from ...export.save import atomic_write
from ...ir.passes.normalize import normalize
from ...ir.scope import current_scope
from ...static import default_main_program
from ...static import io as static_io
from ...static.graph.mode import Writing
from ...static.graph.program import Program
from ..deprecated import instead
from .of_1_8 import as_in_1_8
from .variables import plain, save_persistables

__all__ = ["load_inference_model", "save_inference_model"]

MODEL = "__model__"


def write_model(
    desc: Any, values: dict[str, Any], dirname: str, model: str | None, params: str | None
) -> None:
    """Write a program that feeds and fetches, and the values of what it keeps.

    params: one file for all; None for one each
    """
    as_in_1_8(desc)
    kept = sorted(desc.persistables(), key=lambda v: v.name)
    arrays = {v.name: np.asarray(values[v.name]) for v in kept}
    for var in kept:  # a state that grows is as large as it is now
        if -1 in var.shape:
            var.shape = arrays[var.name].shape
    files: dict[Any, Any] = {
        os.path.join(dirname, os.path.basename(model or MODEL)): pdmodel.to_bytes(desc)
    }
    if params is not None:
        files[os.path.join(dirname, os.path.basename(params))] = pdiparams.records(arrays)
    else:
        files |= {
            os.path.join(dirname, name): pdiparams.record(name, array)
            for name, array in arrays.items()
        }
    atomic_write(files)


def _targets(program: Program, wanted: list[Variable]) -> list[Variable]:
    """The outputs under the names that 1.8 gave them: each behind a scale by 1, which bools are not
    taken by.
    """
    with use_mode(Writing(program)):
        made = []
        for i, variable in enumerate(wanted):
            with program.recorder.owned_by(f"save_infer_model/scale_{i}"):
                made.append(OPS["assign" if variable.meta.dtype == bool else "scale"](variable))
    return made


def _named(what: str, given: Any, kind: type) -> list[Any]:
    found = [given] if isinstance(given, kind) else list(given)
    if not all(isinstance(one, kind) for one in found):
        raise ValueError(
            with_user_line(f"save_inference_model: {what} should be a list of {kind.__name__}")
        )
    return found


@instead("fluid.io.save_inference_model", "paddle.static.save_inference_model")
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
    """Write the folder `dirname`: the program that computes target_vars from the inputs of these
    names, and its values.

    params_filename: one file for all values; program_only: no values.
    Gives the names of the outputs.
    """
    feeds = _named("feeded_var_names", feeded_var_names, str)
    targets = _named("target_vars", target_vars, Variable)
    program = default_main_program() if main_program is None else plain(main_program)
    if not export_for_deployment:
        path = os.path.join(dirname, os.path.basename(model_filename or MODEL) + ".main_program")
        atomic_write({path: pdmodel.to_bytes(program.raw)})
        if not program_only:
            save_persistables(executor, dirname, program, params_filename)
        return [v.name for v in targets]
    if any(op.type == "auc" for op in program.global_block().ops):
        warnings.warn(
            "please ensure that you have set the auc states to zeros before saving inference model",
            stacklevel=2,
        )
    copied = program.clone(for_test=True)
    outs = [v.name for v in _targets(copied, [copied.global_block().var(v.name) for v in targets])]
    desc = normalize(copied.raw, feeds, outs, spare_feeds=True)
    scope = current_scope()
    if program_only:
        as_in_1_8(desc)
        atomic_write(
            {
                os.path.join(dirname, os.path.basename(model_filename or MODEL)): pdmodel.to_bytes(
                    desc
                )
            }
        )
    else:
        values = {v.name: scope.value(v.name).array for v in desc.persistables()}
        write_model(desc, values, dirname, model_filename, params_filename)
    return outs


@instead("fluid.io.load_inference_model", "paddle.static.load_inference_model")
def load_inference_model(
    dirname: Any,
    executor: Any,
    model_filename: Any = None,
    params_filename: Any = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """[program, names of the inputs, output variables] of a folder; its values go to the scope in
    force.

    dirname None: model_filename and params_filename are the bytes of the files.
    """
    if dirname is not None and not os.path.isdir(dirname):
        raise ValueError(with_user_line(f"There is no directory named '{dirname}'"))
    return static_io.load_inference_model(
        dirname, executor, model_filename=model_filename, params_filename=params_filename
    )
