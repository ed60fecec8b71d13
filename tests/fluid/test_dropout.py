"""Dropout under fluid: in programs by its argument, in dygraph mode also by what the layers were
told last.
"""

from __future__ import annotations

import numpy as np
import pytest

from oarlock import fluid
from oarlock.fluid.training_mode import TRAINING_MODE

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def dropped(**given: object) -> float:
    """The share of zeros in dygraph mode."""
    x = fluid.dygraph.to_variable(np.ones((100, 100), "float32"))
    return float((fluid.layers.dropout(x, 0.25, **given).numpy() == 0).mean())


def test_a_share_is_dropped_while_training() -> None:
    with fluid.dygraph.guard():
        assert 0.2 < dropped() < 0.3
        assert dropped(is_test=True) == 0


def test_a_program_asks_its_argument_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TRAINING_MODE, "training", False)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        made = fluid.layers.dropout(fluid.layers.ones([100, 100], "float32"), 0.25)
        (found,) = fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[made])
    assert 0.2 < (found == 0).mean() < 0.3


def test_layers_say_what_functions_do_until_the_guard_ends() -> None:
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 2)
        layer.eval()
        assert dropped() == 0
        layer.train()
        assert dropped() > 0.2
        layer.eval()
    with fluid.dygraph.guard():
        assert dropped() > 0.2
