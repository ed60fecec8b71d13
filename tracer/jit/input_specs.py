"""Match the input specs of `to_static` with those of `jit.save`, and with the tensors of a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import pytree
from ..core.dtype import MAX_RANK
from ..core.errors import OpError, append_user_line, warn
from ..core.op import Meta
from ..ir.dim import Dim, format_shape
from ..ir.input_spec import InputSpec, to_input_spec
from .call_arguments import FlattenedArguments, find_input_meta, is_input, leaf_cache_key


def reject_specs_contradicting_declared(name: str, given: Any, declared: Any) -> None:
    """Raise OpError if `given`, the specs of `jit.save`, contradict `declared`, the specs of
    `to_static`, in dtype, rank, size or nesting.
    """
    leaves, nesting = pytree.flatten(list(given))
    known, expected = pytree.flatten(list(declared))
    fits = repr(nesting) == repr(expected)
    for spec, own_spec in zip(leaves, known, strict=False):
        fits = fits and _are_compatible_specs(spec, own_spec)
    if not fits:
        # the text of Paddle's message, which user programs compare with
        problem = "is conflict with the `input_spec` in `@paddle.jit.to_static`"
        raise OpError(append_user_line(f"{name}: input_spec={given} {problem}: {declared}"))


def input_spec_with_declared_dynamic_sizes(given: Any, declared: Any) -> Any:
    """Return `given` with each example tensor replaced by a spec of it, whose sizes are dynamic
    where those of the corresponding spec in `declared` are.
    """
    if not isinstance(given, list | tuple):
        return given
    leaves, nesting = pytree.flatten(list(given))
    known, own_nesting = pytree.flatten(list(declared))
    return (
        pytree.unflatten(nesting, list(map(_spec_of_example_with_dynamic_sizes, leaves, known)))
        if repr(nesting) == repr(own_nesting)
        else given
    )


def _spec_of_example_with_dynamic_sizes(example: Any, reference_spec: Any) -> Any:
    """Return a spec with dtype and sizes of an example tensor, but dynamic sizes where
    `reference_spec` has them. Return other values unchanged.
    """
    if (
        isinstance(example, InputSpec)
        or not is_input(example)
        or not isinstance(reference_spec, InputSpec)
    ):
        return example
    spec = to_input_spec(example)
    if len(spec.shape) != len(reference_spec.shape):
        return example
    return InputSpec(
        [
            b if isinstance(b, Dim) or b < 0 else a
            for a, b in zip(spec.shape, reference_spec.shape_with_dims(), strict=True)
        ],
        spec.dtype,
        spec.name,
    )


def has_fewer_specs_than_declared(specs: Any, declared: Any) -> bool:
    """Whether `specs` has fewer items than `declared`, or fewer leaves if the specs are nested."""
    leaves = [pytree.flatten(list(found))[0] for found in (specs, declared)]
    return len(specs) < len(declared) or len(leaves[0]) < len(leaves[1])


def try_merge_specs_into_declared_by_name(specs: Any, declared: list[Any]) -> list[Any] | None:
    """Return `declared` with each spec replaced by the spec in `specs` of the same name. Return
    None if a spec in `specs` has no name, or a name that no spec in `declared` has.
    """
    leaves = pytree.flatten(list(specs))[0]
    known, nesting = pytree.flatten(declared)
    named = {spec.name: spec for spec in leaves if isinstance(spec, InputSpec) and spec.name}
    if len(named) < len(leaves) or not named.keys() <= {getattr(s, "name", None) for s in known}:
        return None
    return list(
        pytree.unflatten(nesting, [named.get(str(getattr(s, "name", "")), s) for s in known])
    )


def merge_specs_into_declared_in_order(specs: list[Any], declared: list[Any]) -> list[Any]:
    """Return `declared` with some of its items replaced by the items of `specs`, in order: an item
    is replaced by the next item of `specs` if that has a compatible type and the same name or none.
    A nested item is compatible with any item. If items of `specs` remain at the end, `specs`
    replaces the first items of `declared` instead.
    """
    merged, remaining = list(declared), list(specs)
    for i, own_spec in enumerate(declared):
        if remaining and _have_compatible_types_and_names(remaining[0], own_spec):
            merged[i] = remaining.pop(0)
    return [*specs, *declared[len(specs) :]] if remaining else merged


def _have_compatible_types_and_names(spec: Any, own_spec: Any) -> bool:
    if isinstance(spec, dict | list | tuple) or isinstance(own_spec, dict | list | tuple):
        return True  # nested specs are compared by the caller, after merging
    named = getattr(spec, "name", None) and getattr(own_spec, "name", None)
    return _are_compatible_specs(spec, own_spec) and (not named or spec.name == own_spec.name)


def _are_compatible_specs(spec: Any, own_spec: Any) -> bool:
    """Whether an input can match both specs; for two Python values, whether they are equal."""
    if not isinstance(spec, InputSpec) and not isinstance(own_spec, InputSpec):
        return leaf_cache_key(spec) == leaf_cache_key(own_spec)
    if (
        not isinstance(spec, InputSpec)
        or not isinstance(own_spec, InputSpec)
        or spec.dtype != own_spec.dtype
    ):
        return False
    sizes = zip(spec.shape_with_dims(), own_spec.shape_with_dims(), strict=False)
    return len(spec.shape) == len(own_spec.shape) and all(
        _are_compatible_sizes(a, b) for a, b in sizes
    )


def _are_compatible_sizes(a: int | Dim, b: int | Dim) -> bool:
    """Whether the declared sizes `a` and `b` of a dimension can agree: they are equal, or one of
    them is dynamic and allows the other.
    """
    if a == b or -1 in (a, b):
        return True
    if isinstance(a, Dim):
        return isinstance(b, int) and b in a
    return isinstance(b, Dim) and a in b


def _reject_tensor_for_python_value(name: str, label: str, spec: Any, leaf: Any) -> None:
    """Raise OpError if the argument is a tensor but its entry in input_spec is a Python value."""
    if is_input(leaf):
        why = (
            f"'{label}' should be {spec!r:.80}, as in input_spec; for a tensor, put an InputSpec "
            f"there (got {find_input_meta(leaf)})"
        )
        raise OpError(append_user_line(f"{name}: {why}"))


def adapt_specs_to_arguments(
    name: str, specs: FlattenedArguments, arguments: FlattenedArguments
) -> list[Any]:
    """Return `specs` adapted to one call, with the dtypes and sizes of its tensors. As in Paddle,
    tensors may contradict the specs.

    Raises OpError if a named dimension does not allow a size.
    """
    if specs.spec != arguments.spec:
        raise OpError(
            append_user_line(f"{name}: the nesting of the arguments differs from input_spec")
        )
    leaves = []
    for label, spec, leaf in zip(
        specs.leaf_input_names, specs.leaves, arguments.leaves, strict=True
    ):
        if isinstance(spec, InputSpec):
            leaves.append(_adapt_spec_to_tensor(name, label, spec, leaf))
        else:
            _reject_tensor_for_python_value(name, label, spec, leaf)
            leaves.append(spec)
    return leaves


def has_named_dimensions(specs: Any) -> bool:
    """Whether a spec in `specs` has a dimension with a name."""
    leaves = pytree.flatten(list(specs))[0]
    return any(isinstance(leaf, InputSpec) and bool(leaf.dims) for leaf in leaves)


def check_named_dimensions(
    name: str, specs: FlattenedArguments, arguments: FlattenedArguments
) -> None:
    """Raise OpError if a named dimension has a size that its Dim does not allow, or two dimensions
    of one name have different sizes. Arguments whose nesting or rank differs from that of their
    specs are not checked.
    """
    named = specs.named_dimensions()
    if specs.spec != arguments.spec:
        return
    unknown = Meta((-1,) * MAX_RANK, np.dtype("float32"))
    metas = [
        meta
        if isinstance(spec, InputSpec)
        and (meta := find_input_meta(leaf)) is not None
        and len(meta.shape) == len(spec.shape)
        else unknown
        for spec, leaf in zip(specs.leaves, arguments.leaves, strict=True)
    ]
    problem = named.describe_violation(metas)
    if problem:
        raise OpError(append_user_line(f"{name}: {problem}"))


def _adapt_spec_to_tensor(name: str, label: str, spec: InputSpec, leaf: Any) -> InputSpec:
    """Return `spec` with the dtype and sizes of a tensor, except that dynamic sizes stay dynamic.
    Warns if the shape contradicts the spec.
    """
    meta = find_input_meta(leaf) if is_input(leaf) else None
    sizes = format_shape(spec.shape, spec.dims)
    expected = f"{spec.dtype.name}{sizes}, as input_spec says (got {meta})"
    if meta is None:
        raise OpError(append_user_line(f"{name}: '{label}' should be {expected}"))
    declared = spec.shape_with_dims()
    if len(meta.shape) == len(declared):
        shape = [
            a if isinstance(a, Dim) or a in (-1, b) else b
            for a, b in zip(declared, meta.shape, strict=True)
        ]
    else:
        shape = list(meta.shape)
    if shape != list(declared):
        warn(
            f"{name}: '{label}' should be {expected}; this call runs another program, made "
            "for its arguments"
        )
    elif meta.dtype == spec.dtype.np:
        return spec
    return InputSpec(shape, meta.dtype, spec.name)
