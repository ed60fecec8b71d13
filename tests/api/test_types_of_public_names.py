"""Type checkers know the types of the parameters and results of public names, except a few.

Functions that users pass may have any types. The last of several overloads may have an unknown
result: it is for flags whose value a type checker does not know.

`python -m tests.api.test_types_of_public_names` prints the parameters and results that are `Any`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import pytest
from mypy import build, nodes, options, types
from mypy.modulefinder import BuildSource

from tests.api.public_names import names_by_package, public_names
from tests.tools import typing_tree

# Type arguments that NumPy's classes have, and users of arrays leave open.
OPEN_CLASSES = ("numpy.", "builtins.type", "os.PathLike")

# Regular expressions of the parameters and results that may be `Any`: the reason.
EXCEPTIONS = {
    r".*\.(forward|backward|apply)(\(| -> ).*": "layers and functions of users take and return anything",
    r".*\((args|kwargs|configs|options|_)\): Any": "passed on, or ignored as in Paddle",
    r"Tensor\.(tolist|item) .*|tolist .*|Tensor\(array\).*": "the type depends on the dtype",
    r"Tensor\.atleast_.*": "a Tensor for one argument, else a list",
    r"Tensor\.block.*|static\.Operator\(block\).*|static\.Variable\.(block|op|desc|array).*": "internals",
    r"static\.Variable\.(item|numpy|gradient) .*": "symbolic values in converted source",
    r".*(state_dict|program_state)(\(| -> ).*": "a state has tensors, numbers and dicts as values",
    r"(set|get)_(cuda_)?rng_state.*": "the state of NumPy's generator",
    r"(set|get)_flags.*|static\.Operator\..*attr.*": "values of flags and attributes have several types",
    r"Model\.(train|eval)_batch -> .*|Model\.evaluate -> .*": "depends on the loss and the metrics",
    r"Model\.predict -> .*": "one list per output, of arrays or of lists of them",
    r"Model\.\w+\((train|eval|test)_data\).*|batch .*|.*DataFeeder.*": "items of datasets and readers",
    r"Model\.prepare\(amp_configs\).*": "options of several types",
    r"Metric\.(compute|update).*|metric\.Metric\.(compute|update).*": "what the metrics of users take and return",
    r"io\.(default_collate_fn|get_worker_info).*": "samples and datasets of users",
    r"distributed\..*(object_list|spawn\(args).*": "any object that can be pickled",
    r"callbacks\..*|profiler\.export_.*": "logs have several types; Model and Profiler import this module",
    r"load -> .*|static\.load_inference_model -> .*": "what a file contains",
    r"flops\(net\).*|onnx\.export.*": "a layer, a program or a function",
    r"Tensor\.gradient.*|static\.serialize_persistables.*": "None if there is no gradient or no parameter",
    r"metric\.Accuracy\.update -> .*|metric\.Metric\.accumulate -> .*": "a number, or a list for several k",
    r"static\.Executor\.run -> .*|static\.create_\w+ -> .*": "variables of several classes",
    r"distribution\.Distribution\.(log_)?prob\(.*": "subclasses state what they accept",
    r"quantization\.BaseQuanter\.(scales|zero_points).*": "None, a Tensor or an array",
    r"distribution\.Transform\.inverse.*": "AbsTransform returns a pair",
    r"distribution\.register_kl.*|utils\.deprecated.*": "returns a decorator",
    r"optimizer\.Optimizer\.(minimize|apply_gradients).*|incubate\..*minimize.*": "operators; `static` imports `optimizer`",
    r"nn\.ClipGrad.*clip_variables.*": "gradients are arrays, tensors or variables",
    r"nn\.LayerDict\..*": "layers of any class, with their own attributes",
    r"nn\.RNNCellBase\..*|nn\.BeamSearchDecoder.*|nn\.dynamic_decode.*": "states are nested structures of tensors",
    r"nn\.TransformerDecoder\.gen_cache.*": "pairs, or tuples with `do_zip`",
    r"nn\.quant\..*\((layer|observer)\).*|quantization\.BaseObserver\.cal_thresholds.*": "layers and observers of users",
    r"jit\.(ProgramTranslator|StaticFunction)\..*": "arguments and results of the user's function",
    r"jit\.TracedLayer\.trace -> .*": "the outputs of the user's layer",
    r"jit\.TranslatedLayer.*": "options of several types; the program of a file",
    r"static\.(nn\.(case|cond|switch_case|while_loop|static_pylayer|data_norm|sparse_embedding)|py_func).*": "variables of functions of users",
    r"static\.(setitem\(index|WeightNormParamAttr|Scope\.assign|Variable\.set_value|Program\.set).*": "indices and arrays",
    r"utils\..*": "nested structures of anything",
}


def program() -> tuple[str, dict[int, str]]:
    """Return a program that mentions each public name, and the name that each line mentions."""
    packages = [name for name in names_by_package() if name not in ("", "Tensor")]
    lines = ["import oarlock", *(f"import oarlock.{name}" for name in packages)]
    names = {}
    for entry in public_names():
        owner, _, member = entry.name.rpartition(".")
        if isinstance(entry.value, property):
            lines.append(f"def get(x: oarlock.{owner}) -> object: return x.{member}")
        else:
            lines.append(f"oarlock.{entry.name}")
        names[len(lines)] = entry.name
    return "\n".join(lines), names


@functools.cache
def types_of_names() -> dict[str, types.Type]:
    """Return the type that mypy finds for each public name."""
    if not typing_tree.TREE.exists():
        typing_tree.make()
    settings = options.Options()
    settings.mypy_path = [str(typing_tree.TREE)]
    settings.cache_dir = str(typing_tree.ROOT / "build" / "mypy_names")
    settings.export_types = True
    settings.preserve_asts = True
    text, names = program()
    result = build.build([BuildSource("names.py", "names", text)], settings)
    found: dict[str, types.Type] = {}
    for statement in result.files["names"].defs:
        if isinstance(statement, nodes.FuncDef):
            returned = statement.body.body[0]
            assert isinstance(returned, nodes.ReturnStmt) and returned.expr
            found[names[statement.line]] = result.types[returned.expr]
        elif isinstance(statement, nodes.ExpressionStmt):
            found[names[statement.line]] = result.types[statement.expr]
    return found


def contains_any(
    kind: types.Type, seen: tuple[types.Type, ...] = (), *, in_functions: bool = True
) -> bool:
    """Whether `Any` is a part of a type.

    in_functions: whether the types of functions that are parts of the type count
    """
    if kind in seen:  # a recursive alias
        return False
    seen = (*seen, kind) if isinstance(kind, types.TypeAliasType) else seen
    kind = types.get_proper_type(kind)
    parts: list[types.Type] = []
    if isinstance(kind, types.AnyType):
        return True
    if isinstance(kind, types.Instance) and not kind.type.fullname.startswith(OPEN_CLASSES):
        parts = list(kind.args)
    elif isinstance(kind, types.UnionType | types.TupleType | types.Overloaded):
        parts = list(kind.items)
    elif isinstance(kind, types.CallableType) and in_functions:
        parts = [kind.ret_type, *([] if kind.is_ellipsis_args else kind.arg_types)]
    return any(contains_any(part, seen, in_functions=in_functions) for part in parts)


def unknown_parts(name: str, kind: types.Type) -> Iterator[str]:
    """Yield the parameters and the result of a public name that are `Any`."""
    kind = types.get_proper_type(kind)
    if isinstance(kind, types.Overloaded):
        for item in kind.items:
            ignored = f"{name} -> " if item is kind.items[-1] else "-"
            yield from (p for p in unknown_parts(name, item) if not p.startswith(ignored))
    elif isinstance(kind, types.CallableType):
        for parameter, part in zip(kind.arg_names, kind.arg_types, strict=True):
            if contains_any(part, in_functions=False):
                yield f"{name}({parameter}): {part}"
        if contains_any(kind.ret_type):
            yield f"{name} -> {kind.ret_type}"
    elif contains_any(kind):
        yield f"{name}: {kind}"


@functools.cache
def all_unknown_parts() -> list[str]:
    """Return the parameters and results of all public names that are `Any`."""
    found = [part for name, kind in types_of_names().items() for part in unknown_parts(name, kind)]
    return list(dict.fromkeys(found))


@pytest.mark.slow
def test_types_are_known() -> None:
    unknown = [
        part
        for part in all_unknown_parts()
        if not any(re.fullmatch(pattern, part) for pattern in EXCEPTIONS)
    ]
    assert not unknown, "\n".join(unknown)


@pytest.mark.slow
def test_exceptions_are_needed() -> None:
    parts = all_unknown_parts()
    assert not [e for e in EXCEPTIONS if not any(re.fullmatch(e, part) for part in parts)]


if __name__ == "__main__":
    print("\n".join(all_unknown_parts()))
