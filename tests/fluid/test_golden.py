"""Programs with the names of Paddle 1.8 return the recorded results of 1.8.5 (`make_golden.py`)."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import fluid

from . import cases
from .make_golden import results

GOLDEN = Path(__file__).parent / "golden"
TOPICS = [m.name for m in pkgutil.iter_modules(cases.__path__) if m.name != "common"]
CASES = [
    (topic, name)
    for topic in TOPICS
    for name in dir(importlib.import_module(f"{cases.__name__}.{topic}"))
    if name.startswith("case_")
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("topic", "name"), CASES)
def test_results_equal_paddle_1_8(topic: str, name: str) -> None:
    case: Any = getattr(importlib.import_module(f"{cases.__name__}.{topic}"), name)
    with np.load(GOLDEN / f"{topic}.npz") as kept:
        wanted = {k.split("/")[1]: kept[k] for k in kept.files if k.split("/")[0] == name}
    assert wanted, "real Paddle's numbers are not kept: run make_golden.py"
    found = results(case(fluid))
    assert found.keys() == wanted.keys()
    for key, want in wanted.items():
        assert found[key].dtype == want.dtype, key
        assert found[key].shape == want.shape, key
        if want.dtype.kind in "US":
            assert found[key].tolist() == want.tolist()
        else:
            np.testing.assert_allclose(found[key], want, rtol=2e-5, atol=2e-6, err_msg=key)
