"""Dropout under fluid: controlled by the argument in programs, also by the layers' mode in dygraph
mode.
"""

from __future__ import annotations

import numpy as np
import pytest

from oarlock import fluid
from oarlock.fluid.training_mode import TRAINING_MODE

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def zero_fraction(**given: object) -> float:
    """The share of zeros in dygraph mode."""
    x = fluid.dygraph.to_variable(np.ones((100, 100), "float32"))
    return float((fluid.layers.dropout(x, 0.25, **given).numpy() == 0).mean())


def test_dropout_in_training_mode() -> None:
    with fluid.dygraph.guard():
        assert 0.2 < zero_fraction() < 0.3
        assert zero_fraction(is_test=True) == 0


def test_program_uses_the_is_test_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TRAINING_MODE, "training", False)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        made = fluid.layers.dropout(fluid.layers.ones([100, 100], "float32"), 0.25)
        (found,) = fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[made])
    assert 0.2 < (found == 0).mean() < 0.3


def test_layer_eval_applies_to_functions() -> None:
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 2)
        layer.eval()
        assert zero_fraction() == 0
        layer.train()
        assert zero_fraction() > 0.2
        layer.eval()
    with fluid.dygraph.guard():
        assert zero_fraction() > 0.2
