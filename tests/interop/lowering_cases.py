"""Small programs that real Paddle writes and runs, for the lowering to be compared with.

A case is one op in a static program (`op`) or a function or Layer that Paddle exports (`net`).
An op is written with all dims known, with the first ones open and with all of them open:
`<name>.<variant>.pdmodel`; inputs and wanted outputs are
`<name>.npz`.
Run with the Python that has Paddle: `python lowering_cases.py FOLDER [PART OF A NAME]`.
Importing it needs NumPy only: the tests read the names.
"""

import os
import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

VARIANTS = ("known", "batch", "open")

# variant -> ops of which real Paddle declares no row so: its own layers want to know some sizes.
UNDECLARED = {
    "batch": {"increment", "multi_dot", "mv", "sequence_pad"},
    "open": {
        "affine_grid", "as_complex", "bilinear_tensor_product", "channel_shuffle", "collect_fpn_proposals", "deformable_conv",
        "deformable_conv_v1", "fold", "gru_unit", "hinge_loss", "increment", "iou_similarity", "lookup_table", "maxout",
        "partial_concat", "pixel_shuffle", "pixel_unshuffle", "psroi_pool", "rank_loss", "roi_pool", "scatter_nd_add",
        "sequence_conv", "sequence_erase", "warpctc", "yolo_box",
    },
}  # fmt: skip


class Weight(np.ndarray):
    """An array that is a parameter of the program."""


def w(array):
    return np.asarray(array).view(Weight)


class Packed(np.ndarray):
    """Rows of sequences, one sequence after the other.

    offsets: where each begins, and how many rows there are
    """

    offsets = ()


def packed(array, offsets):
    made = np.asarray(array).view(Packed)
    made.offsets = tuple(offsets)
    return made


def f(*shape, dtype="float32", low=None, high=None, seed=7):
    """Return normal numbers, or uniform ones between low and high."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) if low is None else rng.uniform(low, high, shape)
    return np.asarray(values).astype(dtype)


def ints(*shape, low=0, high=5, dtype="int64", seed=7):
    return np.asarray(np.random.default_rng(seed).integers(low, high, shape)).astype(dtype)


def a(values, dtype="int64"):
    return np.array(values, dtype)


@dataclass
class Op:
    """One op.

    outputs: slot -> number of results; unread: slots nobody fetches, or `Slot=Input` where both are
    one variable.

    rejected: variant -> what the rejection must say; compare: `values`, or only the `shape` where they
    are random; keep: axes that stay known where all are open; declared: dtype of the results, where
    Paddle does not find it by itself; cut: the results are packed sequences though no input is;
    undeclared: variants that real Paddle rejects.
    """

    type: str
    inputs: dict
    outputs: dict
    unread: list
    attrs: dict
    rejected: dict = field(default_factory=dict)
    rtol: float = 1e-4
    compare: str = "values"
    variants: tuple = VARIANTS
    keep: tuple = ()
    declared: str = "float32"
    cut: bool = False
    undeclared: tuple = ()

    def shape(self, array, variant):
        """The declared shape of an input."""
        kept = [axis % array.ndim for axis in self.keep] if array.ndim else []
        known = {"known": range(array.ndim), "batch": range(1, array.ndim), "open": kept}[variant]
        return [size if axis in known else -1 for axis, size in enumerate(array.shape)]


def _outputs(text):
    pairs = [part.partition("*") for part in text.split()]
    return {slot: int(count or 1) for slot, _, count in pairs}


def op(
    type,
    x=None,
    out="Out",
    unread="",
    rejected=None,
    rtol=1e-4,
    compare="values",
    variants=VARIANTS,
    keep=(),
    declared="float32",
    slot="X",
    cut=False,
    undeclared="",
    **given,
):
    """Return an Op: arrays and lists of arrays are inputs, other keywords attributes; `out` names
    the output slots, `Y*3` three results.
    """
    assert variants[0] == "known"
    inputs = {} if x is None else {slot: x}
    inputs |= {k: v for k, v in given.items() if _is_input(v)}
    attrs = {k: v for k, v in given.items() if not _is_input(v)}
    inputs = {slot: v if isinstance(v, list) else [v] for slot, v in inputs.items()}
    rejected = dict.fromkeys(variants, rejected) if isinstance(rejected, str) else rejected or {}
    missing = tuple(v for v in variants if v in undeclared.split() or type in UNDECLARED.get(v, ()))
    assert rejected.keys() <= set(variants) - set(missing), (
        f"{type}: what is not written is not rejected"
    )
    return Op(
        type,
        inputs,
        _outputs(out),
        unread.split(),
        attrs,
        rejected,
        rtol,
        compare,
        variants,
        keep,
        declared,
        cut,
        missing,
    )


def _is_input(value):
    return isinstance(value, np.ndarray) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], np.ndarray)
    )


def named(cases):
    """Return name -> case; cases of one op type are numbered."""
    seen = Counter()
    found = {}
    for case in cases:
        found[f"{case.type}.{seen[case.type]}"] = case
        seen[case.type] += 1
    return found


def _feed(block, name, array, shape):
    import paddle

    if isinstance(array, Weight):
        var = block.create_var(
            name=name, shape=array.shape, dtype=str(array.dtype), persistable=True
        )
        paddle.static.global_scope().var(name).get_tensor().set(
            np.asarray(array), paddle.CPUPlace()
        )
        return var
    return paddle.static.data(
        name, shape, str(array.dtype), lod_level=int(isinstance(array, Packed))
    )


def _lengths(block, var):
    """Append an output with the lengths of a result's sequences."""
    pad, out, length = (
        block.create_var(name=f"{var.name}_{end}") for end in ("pad", "padded", "lengths")
    )
    block.append_op(
        type="fill_constant",
        outputs={"Out": pad},
        attrs={"shape": [1], "dtype": var.dtype, "value": 0.0},
    )
    block.append_op(
        type="sequence_pad",
        inputs={"X": var, "PadValue": pad},
        outputs={"Out": out, "Length": length},
        attrs={"padded_length": -1},
    )
    return length


def _build(case, variant):
    """Return the feed and fetch variables of a one-op program; the lengths of sequences follow its
    results.
    """
    import paddle

    block = paddle.static.default_main_program().global_block()
    feeds, slots = [], {}
    for slot, arrays in case.inputs.items():
        slots[slot] = []
        for i, array in enumerate(arrays):
            var = _feed(block, f"{slot.lower()}{i}", array, case.shape(array, variant))
            slots[slot].append(var)
            if not isinstance(array, Weight):
                feeds.append((var, array))
    made = {
        slot: [
            block.create_var(name=f"{slot.lower()}_out{i}", dtype=case.declared)
            for i in range(count)
        ]
        for slot, count in case.outputs.items()
    }
    unread = {}
    for text in case.unread:
        slot, _, same = text.partition("=")
        unread[slot] = (
            slots[same] if same else [block.create_var(name=slot.lower(), dtype="float32")]
        )
    block.append_op(type=case.type, inputs=slots, outputs=made | unread, attrs=case.attrs)
    results = [var for found in made.values() for var in found]
    cut = case.cut or any(isinstance(array, Packed) for _, array in feeds)
    return feeds, results + [_lengths(block, var) for var in results if cut and var.lod_level]


def _fed(array):
    import paddle

    if not isinstance(array, Packed):
        return np.asarray(array)
    tensor = paddle.base.core.LoDTensor()
    tensor.set(np.asarray(array), paddle.CPUPlace())
    tensor.set_lod([list(array.offsets)])
    return tensor


def _declares(case, variant):
    import paddle

    with paddle.static.program_guard(paddle.static.Program()):
        try:
            _build(case, variant)
        except ValueError:
            return False
    return True


def _export_op(case, path, variant, results):
    import paddle

    exe = paddle.static.Executor(paddle.CPUPlace())
    with (
        paddle.static.scope_guard(paddle.static.Scope()),
        paddle.static.program_guard(paddle.static.Program()),
    ):
        feeds, fetches = _build(case, variant)
        feed = {var.name: _fed(array) for var, array in feeds}
        if not results:
            results += [
                np.asarray(x) for x in exe.run(feed=feed, fetch_list=fetches, return_numpy=False)
            ]
        paddle.static.save_inference_model(path, [var for var, _ in feeds], fetches, exe)
        offsets = [
            np.array(array.offsets, "int64") for _, array in feeds if isinstance(array, Packed)
        ]
        return [np.asarray(array) for _, array in feeds] + offsets


def _export_net(case, path):
    import paddle

    paddle.disable_static()
    made = case.make()
    if isinstance(made, paddle.nn.Layer):
        made.eval()
    names = [f"x{i}" for i in range(len(case.inputs))]
    specs = [
        paddle.static.InputSpec(shape, str(x.dtype), name)
        for shape, x, name in zip(case.shapes, case.inputs, names, strict=True)
    ]
    traced = paddle.jit.to_static(made, input_spec=specs)
    paddle.jit.save(traced, f"{path}.open", input_spec=specs)
    found = traced(*[paddle.to_tensor(x) for x in case.inputs])
    return [x.numpy() for x in paddle.utils.flatten(found)]


def _export_variants(case, path):
    import paddle

    results = []
    paddle.enable_static()
    try:
        inputs = _export_op(case, f"{path}.known", "known", results)
        for variant in case.variants[1:]:
            if variant not in case.undeclared:
                _export_op(case, f"{path}.{variant}", variant, results)
            elif _declares(case, variant):
                raise AssertionError(
                    f"Paddle declares the variant {variant}; it is no longer undeclared"
                )
    finally:
        paddle.disable_static()
    return inputs, results


def export(name, case, folder):
    """Write every variant of a case that Paddle can declare, its inputs, and Paddle's results for
    static shapes.
    """
    import paddle

    path = os.path.join(folder, name)
    paddle.seed(1)
    inputs, results = (
        _export_variants(case, path)
        if isinstance(case, Op)
        else (case.inputs, _export_net(case, path))
    )
    arrays = {f"in{i}": x for i, x in enumerate(inputs)} | {
        f"out{i}": np.asarray(x) for i, x in enumerate(results)
    }
    np.savez(path + ".npz", **arrays)


def cases():
    """Every case by name."""
    import lowering_arith
    import lowering_arrays
    import lowering_detection
    import lowering_edges
    import lowering_forms
    import lowering_functions
    import lowering_legacy
    import lowering_linalg
    import lowering_numbers
    import lowering_ops
    import lowering_quantize
    import lowering_regions
    import lowering_rnn
    import lowering_search
    import lowering_sequences
    import lowering_spectral
    import lowering_vision

    tables = (
        lowering_ops,
        lowering_numbers,
        lowering_arrays,
        lowering_quantize,
        lowering_rnn,
        lowering_spectral,
        lowering_arith,
        lowering_linalg,
        lowering_search,
        lowering_legacy,
        lowering_vision,
        lowering_detection,
        lowering_regions,
        lowering_edges,
        lowering_forms,
        lowering_sequences,
    )
    return named([case for table in tables for case in table.OPS]) | lowering_functions.NETS


def export_all(folder, names=None):
    """Write the named cases, by default all, and return the errors of those that Paddle rejects."""
    failed = {}
    for name, case in cases().items():
        if names is None or name in names:
            try:
                export(name, case, folder)
            except Exception as error:
                failed[name] = f"{error}"[-600:]
    return failed


if __name__ == "__main__":
    import lowering_cases  # one module, not two: the tables import it by name

    for name, error in lowering_cases.export_all(sys.argv[1], sys.argv[2:] or None).items():
        print(name, error)
