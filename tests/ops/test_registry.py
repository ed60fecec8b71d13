"""Slots, attributes, their types and defaults are those of real PaddlePaddle 2.6.2, of 1.8.5 where
it alone has the op: `make_registry*.py`.
"""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import numpy as np
import pytest

from oarlock.core.op import OPS, AttrSpec

from .table import INTERNAL, REGISTRY

PUBLIC = sorted(OPS.keys() - INTERNAL)

# Result slots that no file needs and Oarlock does not compute.
OPTIMIZERS = [
    "sgd",
    "momentum",
    "adam",
    "adamw",
    "adamax",
    "adagrad",
    "adadelta",
    "rmsprop",
    "lamb",
    "lars_momentum",
]  # they keep master weights themselves
UNUSED_OUTS = {
    "reshape2": {"XShape"},
    "roi_perspective_transform": {"Out2InIdx", "Out2InWeights"},
    "sample_logits": {"LogitsDim", "LabelsDim"},
    **{type: {"MasterParamOut"} for type in OPTIMIZERS},
}
# Attributes of distributed training that Oarlock does not have.
UNUSED_ATTRS = {
    "lookup_table": {
        "entry", "entry_config", "epmap", "grad_inplace", "height_sections", "is_test", "remote_prefetch", "slot",
        "table_class", "table_names", "trainer_id",
    },
    "hash": {"@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@"},
    "sequence_enumerate": {"@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@"},
}  # fmt: skip

# Attributes that 2.6 keeps in files though its kernels know only the default: those of 1.8 heed
# them.
OLD_ATTRS = {"dropout": {"fix_seed", "seed"}, "relu6": {"threshold"}, "swish": {"beta"}}


def marks_by_slot(names: Any) -> dict[str, str]:
    """Slot name -> its marks."""
    return {n.rstrip("*?~"): n[len(n.rstrip("*?~")) :] for n in names}


def test_every_op_is_in_the_registry() -> None:
    assert [t for t in PUBLIC if t not in REGISTRY] == []


@pytest.mark.parametrize("type", PUBLIC)
def test_slots(type: str) -> None:
    op, entry = OPS[type], REGISTRY[type]
    ins, outs = marks_by_slot(entry["ins"]), marks_by_slot(entry["outs"])
    ours = {
        s.name: s for s in (*op.ins, *op.outs) if not s.values_slot_of_lod_slot
    }  # offsets come with the values
    assert ins.keys() <= {s.name for s in op.ins}
    assert outs.keys() - UNUSED_OUTS.get(type, set()) <= {s.name for s in op.outs}
    assert ours.keys() - ins.keys() - outs.keys() <= set(entry["extra"])
    for name, marks in {**ins, **outs}.items():
        if name in ours:
            assert ours[name].is_list == ("*" in marks), name
    for name, marks in ins.items():
        assert ours[name].is_optional == ("?" in marks) or (type, name) == ("assign", "X"), name


def equal_attribute(spec: AttrSpec, entry: list[Any]) -> bool:
    """Whether type and default agree; floats are compared as float32."""
    if spec.type != entry[0]:
        return False
    if len(entry) == 1 or spec.default is Parameter.empty:
        return len(entry) == 1 and spec.default is Parameter.empty
    if spec.type == "FLOAT":
        return np.float32(spec.default) == np.float32(entry[1])
    return spec.default == entry[1]


@pytest.mark.parametrize("type", PUBLIC)
def test_attributes(type: str) -> None:
    old = OLD_ATTRS.get(type, set())
    ours, theirs = (
        {n: a for n, a in OPS[type].attrs.items() if n not in old},
        REGISTRY[type]["attrs"],
    )
    assert OPS[type].attrs.keys() >= old
    assert ours.keys() == theirs.keys() - UNUSED_ATTRS.get(type, set())
    assert {n: (ours[n], theirs[n]) for n in ours if not equal_attribute(ours[n], theirs[n])} == {}
