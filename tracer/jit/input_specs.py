"""Matching of input specs: those of `to_static` with those of `jit.save` and with the tensors of a
call.
"""

from __future__ import annotations

from typing import Any

from ..core import pytree
from ..core.errors import OpError, warn, with_user_line
from ..ir.input_spec import InputSpec, to_input_spec
from .call_arguments import Arguments, is_input, leaf_key, leaf_meta


def reject_conflict(name: str, given: Any, own: Any) -> None:
    """Raise OpError if specs to be saved contradict those of the function: other dtypes, ranks,
    sizes or nesting.
    """
    leaves, nesting = pytree.flatten(list(given))
    known, expected = pytree.flatten(list(own))
    fits = repr(nesting) == repr(expected)
    for spec, of in zip(leaves, known, strict=False):
        fits = fits and _is_compatible(spec, of)
    if not fits:
        # User programs compare error messages with this text of Paddle.
        said = "is conflict with the `input_spec` in `@paddle.jit.to_static`"
        raise OpError(with_user_line(f"{name}: input_spec={given} {said}: {own}"))


def with_dynamic_sizes(given: Any, own: Any) -> Any:
    """Return specs in which an example tensor has the dynamic sizes of the corresponding spec in
    `own`.
    """
    if not isinstance(given, list | tuple):
        return given
    leaves, nesting = pytree.flatten(list(given))
    known, of = pytree.flatten(list(own))
    return (
        pytree.unflatten(nesting, list(map(_with_dynamic_sizes, leaves, known)))
        if repr(nesting) == repr(of)
        else given
    )


def _with_dynamic_sizes(example: Any, of: Any) -> Any:
    """Return the spec of an example tensor with the dynamic sizes of another spec."""
    if isinstance(example, InputSpec) or not is_input(example) or not isinstance(of, InputSpec):
        return example
    spec = to_input_spec(example)
    if len(spec.shape) != len(of.shape):
        return example
    return InputSpec(
        [b if b < 0 else a for a, b in zip(spec.shape, of.shape, strict=True)],
        spec.dtype,
        spec.name,
    )


def has_fewer_specs(specs: Any, own: Any) -> bool:
    """Whether there are fewer specs, or fewer leaves in nested specs."""
    leaves = [pytree.flatten(list(found))[0] for found in (specs, own)]
    return len(specs) < len(own) or len(leaves[0]) < len(leaves[1])


def merge_by_name(specs: Any, own: list[Any]) -> list[Any] | None:
    """Return `own` with each spec replaced by the spec in `specs` of the same name. None unless all
    of `specs` have a name in `own`.
    """
    leaves = pytree.flatten(list(specs))[0]
    known, nesting = pytree.flatten(own)
    named = {spec.name: spec for spec in leaves if isinstance(spec, InputSpec) and spec.name}
    if len(named) < len(leaves) or not named.keys() <= {getattr(s, "name", None) for s in known}:
        return None
    return list(
        pytree.unflatten(nesting, [named.get(str(getattr(s, "name", "")), s) for s in known])
    )


def merge_by_position(specs: list[Any], own: list[Any]) -> list[Any]:
    """Return `own` with some specs replaced: each by the next one in `specs` that has the same name
    and type, in order. If that fails, `specs` replace the first ones.
    """
    merged, rest = list(own), list(specs)
    for i, of in enumerate(own):
        if rest and _matches(rest[0], of):
            merged[i] = rest.pop(0)
    return [*specs, *own[len(specs) :]] if rest else merged


def _matches(spec: Any, of: Any) -> bool:
    if isinstance(spec, dict | list | tuple) or isinstance(of, dict | list | tuple):
        return True  # nested specs are compared later
    named = getattr(spec, "name", None) and getattr(of, "name", None)
    return _is_compatible(spec, of) and (not named or spec.name == of.name)


def _is_compatible(spec: Any, of: Any) -> bool:
    """Whether some input matches both specs, or both are the same Python value."""
    if not isinstance(spec, InputSpec) and not isinstance(of, InputSpec):
        return leaf_key(spec) == leaf_key(of)
    if not isinstance(spec, InputSpec) or not isinstance(of, InputSpec) or spec.dtype != of.dtype:
        return False
    sizes = zip(spec.shape, of.shape, strict=False)
    return len(spec.shape) == len(of.shape) and all(-1 in (a, b) or a == b for a, b in sizes)


def _check_constant(name: str, label: str, spec: Any, leaf: Any) -> None:
    """Raise OpError if the argument is a tensor but its entry in input_spec is a Python value."""
    if is_input(leaf):
        why = (
            f"'{label}' should be {spec!r:.80}, as input_spec says, or an InputSpec there "
            f"(got {leaf_meta(leaf)})"
        )
        raise OpError(with_user_line(f"{name}: {why}"))


def fit_specs(name: str, wanted: Arguments, given: Arguments) -> list[Any]:
    """Return the specs of one call, with the dtypes and sizes of its tensors. Paddle accepts these
    even if they contradict the specs.

    Raises OpError.
    """
    if wanted.spec != given.spec:
        raise OpError(
            with_user_line(f"{name}: the arguments are nested otherwise than input_spec says")
        )
    leaves = []
    for label, spec, leaf in zip(wanted.names, wanted.leaves, given.leaves, strict=True):
        if isinstance(spec, InputSpec):
            leaves.append(_fit_spec(name, label, spec, leaf))
        else:
            _check_constant(name, label, spec, leaf)
            leaves.append(spec)
    return leaves


def _fit_spec(name: str, label: str, spec: InputSpec, leaf: Any) -> InputSpec:
    """Return a spec with the dtype and sizes of a tensor; dynamic sizes stay dynamic. Warns if the
    tensor contradicts the spec.
    """
    meta = leaf_meta(leaf) if is_input(leaf) else None
    sizes = ",".join("?" if d < 0 else str(d) for d in spec.shape)
    said = f"{spec.dtype.name}[{sizes}], as input_spec says (got {meta})"
    if meta is None:
        raise OpError(with_user_line(f"{name}: '{label}' should be {said}"))
    if len(meta.shape) == len(spec.shape):
        shape = [a if a in (-1, b) else b for a, b in zip(spec.shape, meta.shape, strict=True)]
    else:
        shape = list(meta.shape)
    if shape != list(spec.shape):
        warn(f"{name}: '{label}' should be {said}; this call runs a program of its own")
    elif meta.dtype == spec.dtype.np:
        return spec
    return InputSpec(shape, meta.dtype, spec.name)
