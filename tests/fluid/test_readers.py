"""Readers and `load`, where Paddle 1.8.5 has no recorded results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oarlock import fluid

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_double_buffer() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        reader = fluid.layers.py_reader(2, [[-1, 3]], ["float32"])
        assert fluid.layers.double_buffer(reader) is reader
        assert fluid.layers.read_file(reader).shape == (-1, 3)


def test_feed_list_must_be_a_list() -> None:
    with pytest.raises(TypeError, match="feed_list must be a list of Variable, not tuple"):
        fluid.layers.create_py_reader_by_data(2, ())


@pytest.mark.parametrize("half", [None, True])
def test_load_variable(tmp_path: Path, half: bool | None) -> None:
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope):
        fluid.layers.create_parameter([2, 3], "float32", "w")
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        kept = np.array(scope.find_var("w").get_tensor())
        fluid.io.save_vars(executor, str(tmp_path), main, vars=main.all_parameters())
    other = fluid.Program()
    with fluid.program_guard(other, fluid.Program()):
        out = fluid.layers.create_tensor("float16" if half else "float32")
        fluid.layers.load(out, str(tmp_path / "w"), half)
        found = executor.run(other, fetch_list=[out])[0]
    np.testing.assert_array_equal(found, kept.astype(found.dtype))
    assert found.dtype == (np.float16 if half else np.float32)
    with fluid.dygraph.guard():
        held = fluid.dygraph.to_variable(np.zeros((2, 3), "float32"))
        fluid.layers.load(held, str(tmp_path / "w"))
        np.testing.assert_array_equal(held.numpy(), kept)
