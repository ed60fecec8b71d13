"""Definitions of ops. A definition consists of Paddle's op type, input and output slots, typed
attributes, and rules for shape inference, gradients and LoD.

An op is written as one Python function. Its positional parameters are the input slots, its
keyword-only parameters the attributes (annotation: type in Paddle's files; default: Paddle's
default), and its body is the NumPy kernel. Shape inference (`meta`) and gradient (`vjp`) are
attached to the same name:

    @op("leaky_relu", "X -> Out", meta=like_x_meta)
    def leaky_relu(x, *, alpha: float = 0.02):
        ...

    @leaky_relu.vjp
    def _(g, x, *, alpha): ...

Input slots: `X?` is optional, `X*` is a list, `X!` is never differentiated. Output slots: `Mean~`
is an intermediate result without gradient; `MeanOut=Mean` overwrites the input `Mean`, so both have
the same variable name in files. `X@LOD*?!` holds the LoD offsets of X, one list per level. Programs
pass it implicitly with X, see `compiler/lod_propagation.py`. `@op.lod(levels)` defines the offsets
of the result. An op whose kernel computes the offsets returns them as one more output `Out@LOD~?`:
one array, or one for each element of `Out*`.

`@leaky_relu.native` registers a compiled kernel with the same signature. It returns NotImplemented
for inputs that it does not support; then the NumPy kernel runs. Both compute the same result.

A vjp rule takes one gradient for each differentiable output, then the inputs. Its keyword-only
parameters name the attributes and the outputs (by slot name) that it needs. It is written with ops,
not with NumPy, and returns one gradient per input slot: a Tensor, None, a list for a list slot, or
a function without arguments that computes the gradient on demand. The gradient `g` of a complex
value is conjugated: dL = Re(sum(g * dOut)). So the rule of an analytic function is the same for
real and complex inputs. The public gradient (`grad`, hooks, PyLayer) is Paddle's, dL/dRe + i
dL/dIm; `conjugate_complex_grad` in `backward_pass.py` converts between the two.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ._tape import OpBase
from .dtype import is_half, is_inexact
from .errors import OperandError, OpError
from .lazy_import import is_importing, locked_import_module
from .result_size_limit import metas_of_arrays, with_size_check

Kernel = Callable[..., Any]

# Annotations for attributes whose type in Paddle's files does not follow from their Python type.
Long = Annotated[int, "LONG"]
Float64 = Annotated[float, "FLOAT64"]
Ints = Annotated[list[int], "INTS"]
Longs = Annotated[list[int], "LONGS"]
Floats = Annotated[list[float], "FLOATS"]
Float64s = Annotated[list[float], "FLOAT64S"]
Strings = Annotated[list[str], "STRINGS"]
Scalars = Annotated[list[Any], "SCALARS"]
Bools = Annotated[list[bool], "BOOLEANS"]
Scalar = Annotated[Any, "SCALAR"]
ATTR_TYPES = {
    "int": "INT",
    "Long": "LONG",
    "float": "FLOAT",
    "Float64": "FLOAT64",
    "str": "STRING",
    "bool": "BOOLEAN",
    "Ints": "INTS",
    "Longs": "LONGS",
    "Floats": "FLOATS",
    "Float64s": "FLOAT64S",
    "Strings": "STRINGS",
    "Bools": "BOOLEANS",
    "Scalar": "SCALAR",
    "Scalars": "SCALARS",
}


LOD_SUFFIX = "@LOD"


class Meta(NamedTuple):
    """Shape and dtype of an input or output of an op. The size -1 in a shape stands for a size that
    is known only at run time.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return f"{self.dtype.name}[{','.join('?' if d < 0 else str(d) for d in self.shape)}]"


class Slot(NamedTuple):
    """A named input or output of an op.

    overwrites: the input that an output overwrites; "" if it overwrites none.
    """

    name: str
    is_list: bool = False
    is_optional: bool = False
    is_intermediate: bool = False
    is_constant: bool = False
    overwrites: str = ""

    @property
    def values_slot_of_lod_slot(self) -> str:
        """If this slot holds LoD offsets, the name of the slot of the values to which they belong;
        otherwise "".
        """
        return self.name.removesuffix(LOD_SUFFIX) if self.name.endswith(LOD_SUFFIX) else ""


class AttrSpec(NamedTuple):
    """Definition of an attribute of an op: its type in Paddle's files and its default value."""

    type: str
    default: Any


def _parse_slot(text: str) -> Slot:
    text, _, over = text.strip().partition("=")
    name = text.rstrip("*?~!")
    marks = text[len(name) :]
    return Slot(name, "*" in marks, "?" in marks, "~" in marks, "!" in marks, over)


def _attr_spec_of_parameter(type: str, parameter: inspect.Parameter) -> AttrSpec:
    kind = ATTR_TYPES.get(str(parameter.annotation))
    if kind is None:
        raise TypeError(
            f"{type}: the attribute {parameter.name} is annotated "
            f"{parameter.annotation!r}, none of {list(ATTR_TYPES)}"
        )
    return AttrSpec(kind, parameter.default)


# How automatic mixed precision treats an op. "allow": run it in half precision; "allow_float16": in
# float16 only; "deny": in float32 at level O1; "deny_at_o2": in float32 at levels O1 and O2; "": by
# the dtypes of its inputs.
AmpClass = Literal["", "allow", "allow_float16", "deny", "deny_at_o2"]


class OpTraits(NamedTuple):
    """Properties of an op besides its slots, attributes and rules.

    no_grad_reason: why the op has no gradient; "" if it has one.
    internal: Paddle does not have the op.
    random: the op draws random numbers.
    value_dependent_shape: the output shape depends on input values.
    no_half_reason: why the op rejects float16 and bfloat16; "" if it accepts them.
    breaks_lod: the output rows do not correspond to the rows of the first input, so the output does
    not inherit its LoD.
    host_reason: why the op runs on the CPU when its inputs are on a GPU; "" if it runs on the GPU.
    mixes_half_and_float32: slots in `same_dtype` may mix half precision and float32.
    amp_class: how automatic mixed precision treats the op.
    amp_casts_only_x: automatic mixed precision casts only the first input.
    grad_keeps_shape: the gradients have the shapes of the inputs even if dimensions are dynamic, so
    they need not be summed over broadcast axes.
    public_name: the name of the public function that runs the op, for error messages; "" if it is
    the type.
    older_types: types of the op in older Paddle versions, with the same slots and attributes.
    older_attrs: attribute names in files of older Paddle versions -> current names.
    validate_before_kernel: in eager mode the meta rule runs before the kernel and rejects invalid
    inputs, for kernels that would accept them, such as shapes that NumPy broadcasts.
    """

    no_grad_reason: str = ""
    internal: bool = False
    random: bool = False
    value_dependent_shape: bool = False
    no_half_reason: str = ""
    breaks_lod: bool = False
    host_reason: str = ""
    mixes_half_and_float32: bool = False
    amp_class: AmpClass = ""
    amp_casts_only_x: bool = False
    grad_keeps_shape: bool = False
    public_name: str = ""
    older_types: tuple[str, ...] = ()
    older_attrs: Mapping[str, str] = {}
    validate_before_kernel: bool = False


# Frequently used values of the traits `no_grad_reason` and `no_half_reason`.
NO_GRAD_NON_FLOAT_RESULT = "its result is not floating-point"
NO_HALF_COMPLEX = "there is no complex type of half precision"
NO_HALF_DECOMPOSITION = "matrices are decomposed in float32 or float64, as in Paddle"
NO_GRAD_VALUE_INDEPENDENT = "its result does not depend on the values of its inputs"

# Frequently used values of the trait `host_reason`.
HOST_PYTHON_LOOP = "it loops over rows, boxes or words in Python and reads values"
HOST_RANDOM = "it draws random numbers on the CPU, whose distribution depends on input values"
HOST_NOT_IN_CUPY = "CuPy has no function for it"


def _attr_specs_of_parameters(
    type: str, parameters: Iterable[inspect.Parameter]
) -> dict[str, AttrSpec]:
    return {
        p.name: _attr_spec_of_parameter(type, p) for p in parameters if p.kind is p.KEYWORD_ONLY
    }


class KernelSelection:
    """Which kernel the calls of an op run. The selection applies to all ops of the process.

    native_enabled: whether ops call their compiled kernels.
    wrap: function (op, kernel) -> kernel, which is applied to all kernels once a GPU is used; see
    `device_dispatch.py`.
    """

    native_enabled = True
    wrap: Callable[[Op, Kernel], Kernel] | None = None


kernel_selection = KernelSelection()


class Op(OpBase):
    """The definition of one op.

    ins, outs: slots.
    attrs: attribute specs by name.
    kernel: function of NumPy arrays; the module docstring describes kernels and rules.

    Calling an op passes the call to the current mode. `OpBase`, implemented in C++, has the fields
    that every call reads.
    """

    __slots__ = (
        "accepts_any_attrs",
        "attrs",
        "backward_from_one_output_grad",
        "grad_out_indices",
        "ins",
        "lod_level_rule",
        "lod_rule",
        "meta_rule",
        "name",
        "native_kernel_only",
        "native_kernel_with_fallback",
        "num_lod_outs",
        "numpy_kernel",
        "outs",
        "traits",
        "type",
    )

    def __init__(
        self,
        type: str,
        ins: list[Slot],
        outs: list[Slot],
        kernel: Kernel,
        traits: OpTraits,
        attrs_of: Op | None,
    ) -> None:
        self.type = type
        self.traits = traits
        self.name = kernel.__name__
        self.ins = tuple(ins)
        self.outs = tuple(outs)
        # the compiled kernel with the NumPy kernel as fallback
        self.native_kernel_with_fallback: Kernel | None = None
        self.native_kernel_only: Kernel | None = None  # the compiled kernel without fallback
        # only for the op of a whole program: its gradient function, see `autograd.backward`
        self.backward_from_one_output_grad: Kernel | None = None
        parameters = inspect.signature(kernel).parameters.values()
        self.attrs: dict[str, AttrSpec] = {
            **(attrs_of.attrs if attrs_of else {}),
            **_attr_specs_of_parameters(type, parameters),
        }
        # whether the kernel takes `**attributes`
        self.accepts_any_attrs = any(p.kind is p.VAR_KEYWORD for p in parameters)
        kernel = self._with_validation_if_required(with_size_check(self, kernel, Meta))
        self.kernel = self.numpy_kernel = kernel
        self.num_inputs = len(ins)
        self.has_single_output = len(outs) == 1 and not outs[0].is_list
        self.grad_out_indices = tuple(i for i, s in enumerate(outs) if not s.is_intermediate)
        self.meta_rule: Kernel | None = None
        self.lod_rule: Kernel | None = (
            None  # takes the arguments of the kernel, returns the LoD offsets of the first results
        )
        self.num_lod_outs = 1  # the number of results that get these offsets
        self.lod_level_rule: Callable[..., int] | None = None
        if len([p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]) != len(ins):
            raise TypeError(
                f"{type}: the kernel's positional parameters do not match the slots "
                f"{[s.name for s in ins]}"
            )

    @property
    def differentiable_input_slots(self) -> tuple[str, ...]:
        """The names of the input slots through which gradients flow to the results."""
        return tuple(s.name for s in self.ins if not s.is_constant) if self.has_vjp else ()

    @property
    def public_name(self) -> str:
        """The name of the public function that runs the op, which error messages contain."""
        return self.traits.public_name or self.type

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.numpy_kernel)

    def __repr__(self) -> str:
        return f"<op {self.type}({', '.join(s.name for s in self.ins)})>"

    def meta(self, rule: Kernel) -> Kernel:
        """Decorator: register the shape inference rule, from the Metas of the inputs to the Metas
        of the outputs.
        """
        self.meta_rule = rule
        return rule

    def lod(self, levels: Callable[..., int], outs: int = 1) -> Callable[[Kernel], Kernel]:
        """Decorator: register the rule that computes the LoD offsets of the first `outs` results
        from those of the inputs.

        levels: function from the number of LoD levels of each input slot to that of the results.
        """

        def wrap(rule: Kernel) -> Kernel:
            self.lod_rule, self.lod_level_rule, self.num_lod_outs = rule, levels, outs
            return rule

        return wrap

    def vjp(self, rule: Kernel) -> Kernel:
        """Decorator: register the VJP rule of the op; see the module docstring."""
        parameters = inspect.signature(rule).parameters.values()
        wanted = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        index = {s.name: i for i, s in enumerate(self.outs)}
        unknown = [name for name in wanted if name not in index and name not in self.attrs]
        if unknown:
            raise TypeError(f"{self.type}: the VJP rule requests {unknown}")
        everything = any(p.kind is p.VAR_KEYWORD for p in parameters)
        attrs = {n: spec.default for n, spec in self.attrs.items() if everything or n in wanted}
        outs = [name for name in wanted if name in index]
        self.vjp_rule, self.vjp_keyword_names, self.vjp_attr_defaults = (
            rule,
            (*attrs, *outs),
            tuple(attrs.values()),
        )
        self.vjp_output_indices = tuple(index[name] for name in outs)
        self.has_vjp = True
        return rule

    def native(self, rule: Kernel) -> Kernel:
        """Decorator: register a compiled kernel. The compiled kernel is called first, and the NumPy
        kernel if it returns NotImplemented.
        """
        reference, rule = (
            self.numpy_kernel,
            self._with_validation_if_required(with_size_check(self, rule, Meta)),
        )

        def kernel(*args: Any, **attrs: Any) -> Any:
            found = rule(*args, **attrs)
            return reference(*args, **attrs) if found is NotImplemented else found

        self.native_kernel_with_fallback = kernel
        self.native_kernel_only = rule
        self.select_kernel()
        return rule

    def select_kernel(self) -> None:
        """Set the kernel that calls of this op run, as `kernel_selection` states."""
        kernel = (
            self.native_kernel_with_fallback
            if kernel_selection.native_enabled and self.native_kernel_with_fallback is not None
            else self.numpy_kernel
        )
        wrap = kernel_selection.wrap
        self.kernel = kernel if wrap is None else wrap(self, kernel)

    def _with_validation_if_required(self, kernel: Kernel) -> Kernel:
        """Return a kernel that runs the meta rule (shape inference) before `kernel`, if the op has
        the trait `validate_before_kernel`; otherwise return `kernel`.
        """
        if not self.traits.validate_before_kernel:
            return kernel

        @functools.wraps(kernel)
        def run(*args: Any, **attrs: Any) -> Any:
            self.infer(tuple(metas_of_arrays(arg, Meta) for arg in args), attrs)
            return kernel(*args, **attrs)

        return run

    def attrs_with_defaults(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return all attributes of the op: the given ones, and defaults for all others.

        Raises OpError for an unknown attribute.
        """
        unknown = given.keys() - self.attrs.keys()
        if unknown:
            raise OpError(
                f"{self.public_name}: no attribute {sorted(unknown)}; it has {sorted(self.attrs)}"
            )
        return {name: given.get(name, spec.default) for name, spec in self.attrs.items()}

    def infer(self, metas: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Infer the Meta of every output.

        metas: one Meta, None or list of Metas per input slot.
        Raises OpError for invalid inputs; the message does not name op and inputs.
        """
        if self.meta_rule is None:
            raise OpError("has no meta rule")
        if len(metas) > len(self.ins):
            raise OpError(f"takes {len(self.ins)} operands, got {len(metas)}")
        metas = metas + (None,) * (len(self.ins) - len(metas))
        for slot, m in zip(self.ins, metas, strict=True):
            if m is None and not slot.is_optional:
                raise OpError(f"{slot.name} is missing")
        if self.traits.no_half_reason:
            _check_no_half(metas, self.traits.no_half_reason)
        if self.same_dtype or self.floating:
            self.check_dtype_constraints_of_slots(metas)
        return self.meta_rule(*metas, **self.attrs_with_defaults(attrs))

    def check_dtype_constraints_of_slots(self, operands: Iterable[Any]) -> None:
        """Raise OpError if the slots listed in `same_dtype` have different dtypes, or a slot listed
        in `floating` has no floating dtype.

        operands: Metas, arrays or lists of them
        """
        first, name, marked = None, "", self.same_dtype << 1
        for slot, given in zip(self.ins, operands, strict=False):
            marked >>= 1
            if given is None or not marked & 1:
                continue
            for dtype in [g.dtype for g in given] if isinstance(given, list) else [given.dtype]:
                if dtype is first:
                    continue
                if first is None:
                    first, name = dtype, slot.name
                elif dtype != first and not (
                    self.traits.mixes_half_and_float32 and _are_half_or_float32(first, dtype)
                ):
                    why = (
                        f"{slot.name} is {dtype.name} and {name} is {first.name}; both must "
                        f"have the same dtype"
                    )
                    raise OpError(f"{why} (cast one of them: .astype('{dtype.name}'))")
        for i, (slot, given) in enumerate(zip(self.ins, operands, strict=False)):
            if self.floating >> i & 1 and given is not None and not is_inexact(given.dtype):
                raise OpError(
                    f"{slot.name} is {given.dtype.name} and has to be floating (cast it: "
                    f".astype('float32'))"
                )

    def format_inputs(self, metas: tuple[Any, ...]) -> str:
        """Format the inputs for an error message: `X=float32[2,3], Y=float32[4,5]`."""
        return ", ".join(
            f"{s.name}={format_meta(m)}"
            for s, m in zip(self.ins, metas, strict=False)
            if m is not None
        )


def _are_half_or_float32(*dtypes: np.dtype[Any]) -> bool:
    return all(is_half(d) or d == np.float32 for d in dtypes)


def format_meta(m: Any) -> str:
    """Format a Meta, or a list of them, for an error message."""
    return (
        "[" + ", ".join(map(format_meta, m)) + "]"
        if isinstance(m, list | tuple) and not isinstance(m, Meta)
        else str(m)
    )


class OpTable(dict[str, Op]):
    """The ops by type. The module that defines an op is imported when the op is first used.
    Iterating over the table imports the modules of all ops.

    The dict contains the ops of modules that are complete, because other threads may use them.
    """

    def __init__(self) -> None:
        self._module_by_type: dict[str, str] = {}
        self._defined: dict[str, Op] = {}

    def add_modules(self, package: str, types_by_module: Mapping[str, str]) -> None:
        """Add modules that define ops.

        types_by_module: name of the module, relative to `package` -> types of its ops, separated by
        spaces.
        """
        for name, types in types_by_module.items():
            self._module_by_type.update(dict.fromkeys(types.split(), f"{package}.{name}"))

    def define(self, type: str, op: Op) -> None:
        """Add an op. Raises TypeError if it is defined already."""
        if type in self._defined:
            raise TypeError(f"{type} is defined twice")
        self._defined[type] = op

    def defined_ops(self) -> list[Op]:
        """Return the ops that have been defined."""
        return list(self._defined.values())

    def _import_all_modules(self) -> None:
        for name in dict.fromkeys(self._module_by_type.values()):
            locked_import_module(name)
        self.update(self._defined)

    def __missing__(self, type: str) -> Op:
        module = self._module_by_type.get(type)
        if module is not None:
            locked_import_module(module)
        found = self._defined[type]  # a KeyError names an unknown type
        if not is_importing():
            self[type] = found
        return found

    def __contains__(self, type: object) -> bool:
        return type in self._defined or type in self._module_by_type

    def get(self, type: str, default: Any = None) -> Any:
        """Return the op of a type; `default` for an unknown type."""
        return self[type] if type in self else default  # noqa: SIM401 - `get` itself

    def __iter__(self) -> Iterator[str]:
        self._import_all_modules()
        return super().__iter__()

    def __len__(self) -> int:
        self._import_all_modules()
        return super().__len__()

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """Return the types of all ops."""
        self._import_all_modules()
        return super().keys()

    def values(self) -> ValuesView[Op]:  # type: ignore[override]
        """Return all ops."""
        self._import_all_modules()
        return super().values()

    def items(self) -> ItemsView[str, Op]:  # type: ignore[override]
        """Return the types and ops of the table."""
        self._import_all_modules()
        return super().items()


OPS = OpTable()
CURRENT_TYPE_BY_OLDER: dict[str, str] = {}  # of the `older_types` of all ops


def op(
    type: str,
    slots: str,
    meta: Kernel | None = None,
    *,
    attrs_of: Op | None = None,
    same_dtype: str = "",
    floating: str = "",
    **traits: Any,
) -> Callable[[Kernel], Op]:
    """Decorator: define the op `type`. The decorated function becomes the kernel of the op.

    slots: `"X, Y? -> Out"`, see the module.
    attrs_of: an op whose attributes this op also has; its kernel takes them as `**attributes`.
    same_dtype: input slots, separated by spaces, that must have one dtype.
    floating: input slots that must have a floating dtype.
    traits: fields of OpTraits.
    """
    ins, outs = (
        [_parse_slot(s) for s in side.split(",") if s.strip()] for side in slots.split("->")
    )
    op_traits = OpTraits(**traits)

    def wrap(kernel: Kernel) -> Op:
        if op_traits.no_half_reason:
            kernel = _wrap_to_reject_half(kernel, op_traits.no_half_reason)
        result = Op(type, ins, outs, kernel, op_traits, attrs_of)
        OPS.define(type, result)
        CURRENT_TYPE_BY_OLDER.update(dict.fromkeys(op_traits.older_types, type))
        if meta is not None:
            result.meta(meta)
        result.select_kernel()
        names = [slot.name for slot in ins]
        result.same_dtype, result.floating = (
            sum(1 << names.index(slot) for slot in marked.split())
            for marked in (same_dtype, floating)
        )
        return result

    return wrap


def _wrap_to_reject_half(kernel: Kernel, why: str) -> Kernel:
    @functools.wraps(kernel)
    def run(*args: Any, **attrs: Any) -> Any:
        _check_no_half(args, why)
        return kernel(*args, **attrs)

    return run


def _check_no_half(args: Any, why: str) -> None:
    """Raise OpError if an input (array, Meta or list of them) is of a half precision type; `why`
    states why the op has none.
    """
    for a in args:
        if isinstance(a, list | tuple) and not isinstance(a, Meta):
            _check_no_half(a, why)
        elif a is not None:
            check(not is_half(a.dtype), why)


def check_dtype(ok: bool, why: str) -> None:
    """Raise OperandError with the message `why` if `ok` is False."""
    if not ok:
        raise OperandError(why)


def check(ok: bool, why: str) -> None:
    """Raise OpError with the message `why` if `ok` is False. The caller of a kernel or rule adds
    the op and its inputs to the message.
    """
    if not ok:
        raise OpError(why)
