"""The names of public functions in the error messages of ops."""

from __future__ import annotations

import pytest

import oarlock
from oarlock.core.op import OPS

PACKAGES = (
    oarlock,
    oarlock.Tensor,
    oarlock.nn.functional,
    oarlock.linalg,
    oarlock.geometric,
    oarlock.vision.ops,
)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.traits.public_name])
def test_public_name_exists(op: object) -> None:
    assert any(hasattr(package, op.public_name) for package in PACKAGES)


def test_versioned_ops_have_public_names() -> None:
    """A user does not know names such as `reshape2`, `matmul_v2`, `elementwise_add`."""
    versioned = [
        type
        for type, op in OPS.items()
        if type.endswith(("_v2", "squeeze2", "reshape2", "transpose2"))
        or type.startswith(("elementwise_", "reduce_"))
        if not op.traits.internal
    ]
    assert len(versioned) > 30
    assert [type for type in versioned if not OPS[type].traits.public_name] == []


def test_error_names_public_function() -> None:
    with pytest.raises(oarlock.OpError, match=r"^reshape: shape=\[4\] has 4 elements, X has 6"):
        oarlock.ones([2, 3]).reshape([4])
