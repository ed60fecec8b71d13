"""What `input_spec` says of the arguments of a function, beside what is given: the specs of
`jit.save`, and the tensors of a call.
"""

from __future__ import annotations

from typing import Any

from ..core import pytree
from ..core.errors import OpError, warn, with_user_line
from ..ir.input_spec import InputSpec, as_spec
from .call_arguments import Arguments, is_input, leaf_key, leaf_meta


def refuse_conflict(name: str, given: Any, own: Any) -> None:
    """Raise OpError where what is saved cannot be what a function was made for: other dtypes,
    numbers of axes, sizes or nesting.
    """
    leaves, nesting = pytree.flatten(list(given))
    known, expected = pytree.flatten(list(own))
    fits = repr(nesting) == repr(expected)
    for spec, of in zip(leaves, known, strict=False):
        fits = fits and _may_be(spec, of)
    if not fits:
        # what programs for Paddle look for
        said = "is conflict with the `input_spec` in `@paddle.jit.to_static`"
        raise OpError(with_user_line(f"{name}: input_spec={given} {said}: {own}"))


def opened(given: Any, own: Any) -> Any:
    """Specs, where a tensor among them stands for any that `own` allows in its place."""
    if not isinstance(given, list | tuple):
        return given
    leaves, nesting = pytree.flatten(list(given))
    known, of = pytree.flatten(list(own))
    return (
        pytree.unflatten(nesting, list(map(_opened, leaves, known)))
        if repr(nesting) == repr(of)
        else given
    )


def _opened(example: Any, of: Any) -> Any:
    """The spec of an example, with the sizes open that are open in another spec."""
    if isinstance(example, InputSpec) or not is_input(example) or not isinstance(of, InputSpec):
        return example
    spec = as_spec(example)
    if len(spec.shape) != len(of.shape):
        return example
    return InputSpec(
        [b if b < 0 else a for a, b in zip(spec.shape, of.shape, strict=True)],
        spec.dtype,
        spec.name,
    )


def fewer(specs: Any, own: Any) -> bool:
    """Whether there are fewer of them, at the top or, in dicts and lists, among the leaves."""
    leaves = [pytree.flatten(list(found))[0] for found in (specs, own)]
    return len(specs) < len(own) or len(leaves[0]) < len(leaves[1])


def by_names(specs: Any, own: list[Any]) -> list[Any] | None:
    """`own` with some specs in the place of those of their names, however nested; None where not
    all have a name of its.
    """
    leaves = pytree.flatten(list(specs))[0]
    known, nesting = pytree.flatten(own)
    named = {spec.name: spec for spec in leaves if isinstance(spec, InputSpec) and spec.name}
    if len(named) < len(leaves) or not named.keys() <= {getattr(s, "name", None) for s in known}:
        return None
    return list(
        pytree.unflatten(nesting, [named.get(str(getattr(s, "name", "")), s) for s in known])
    )


def in_places(specs: list[Any], own: list[Any]) -> list[Any]:
    """`own` with some specs in the places that they are for: each that of its name or its value, in
    order; else from the first on.
    """
    merged, rest = list(own), list(specs)
    for i, of in enumerate(own):
        if rest and _is_for(rest[0], of):
            merged[i] = rest.pop(0)
    return [*specs, *own[len(specs) :]] if rest else merged


def _is_for(spec: Any, of: Any) -> bool:
    if isinstance(spec, dict | list | tuple) or isinstance(of, dict | list | tuple):
        return True  # told apart when all are compared
    named = getattr(spec, "name", None) and getattr(of, "name", None)
    return _may_be(spec, of) and (not named or spec.name == of.name)


def _may_be(spec: Any, of: Any) -> bool:
    """Whether there are inputs that fit both specs, or both are the same value of Python's."""
    if not isinstance(spec, InputSpec) and not isinstance(of, InputSpec):
        return leaf_key(spec) == leaf_key(of)
    if not isinstance(spec, InputSpec) or not isinstance(of, InputSpec) or spec.dtype != of.dtype:
        return False
    sizes = zip(spec.shape, of.shape, strict=False)
    return len(spec.shape) == len(of.shape) and all(-1 in (a, b) or a == b for a, b in sizes)


def _check_constant(name: str, label: str, spec: Any, leaf: Any) -> None:
    """Raise OpError for a tensor where input_spec has a value of Python's: the program was made for
    that.
    """
    if is_input(leaf):
        why = (
            f"'{label}' should be {spec!r:.80}, as input_spec says, or an InputSpec there "
            f"(got {leaf_meta(leaf)})"
        )
        raise OpError(with_user_line(f"{name}: {why}"))


def fitted(name: str, wanted: Arguments, given: Arguments) -> list[Any]:
    """The specs for one call: of the dtypes and sizes that are given, which Paddle takes whatever
    the specs say.

    Raises OpError.
    """
    if wanted.nesting != given.nesting:
        raise OpError(
            with_user_line(f"{name}: the arguments are nested otherwise than input_spec says")
        )
    leaves = []
    for label, spec, leaf in zip(wanted.names, wanted.leaves, given.leaves, strict=True):
        if isinstance(spec, InputSpec):
            leaves.append(_of_given(name, label, spec, leaf))
        else:
            _check_constant(name, label, spec, leaf)
            leaves.append(spec)
    return leaves


def _of_given(name: str, label: str, spec: InputSpec, leaf: Any) -> InputSpec:
    """A spec as a call has it.

    Its sizes are free where they were; others than it names are warned of.
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
