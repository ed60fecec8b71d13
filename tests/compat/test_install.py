"""`import paddle` imports Oarlock's modules; uninstalling restores the state before."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import types
import warnings

import pytest

import oarlock
from oarlock import compat
from oarlock.compat.install import INHERITED_VARIABLE
from oarlock.compat.module_aliases import MODULE_ALIASES
from oarlock.core.errors import OarlockError


def test_paddle_modules_are_oarlock_modules() -> None:
    with compat.as_paddle("2.6"):
        paddle = importlib.import_module("paddle")
        functional = importlib.import_module("paddle.nn.functional")
        fluid = importlib.import_module("paddle.fluid")
        assert paddle is oarlock
        assert functional is oarlock.nn.functional
        assert fluid is oarlock.fluid
        assert paddle.__spec__.name == "oarlock"
        assert paddle.__name__ == "oarlock"
        assert paddle.__version__ == "2.6.2"


def test_missing_modules_show_names_of_their_parent() -> None:
    with compat.as_paddle("2.6"):
        assert importlib.import_module("paddle.nn.layer.common").Linear is oarlock.nn.Linear
        names: dict[str, object] = {}
        exec("from paddle.nn.layer import *", names)
        assert names["Linear"] is oarlock.nn.Linear
        assert isinstance(oarlock.nn.loss, types.ModuleType) and hasattr(
            oarlock.nn.loss, "MSELoss"
        )  # nothing lies over it


def test_submodules_are_attributes_without_import() -> None:
    with compat.as_paddle("2.6"):
        import paddle
        import paddle.fluid

        assert paddle.nn.layer.norm.BatchNorm2D is paddle.nn.BatchNorm2D
        assert paddle.static.nn.sequence_lod.sequence_pool is paddle.static.nn.sequence_pool
        assert paddle.fluid.layers.nn.fc is paddle.fluid.layers.fc
        assert paddle.fluid.layers.tensor.concat is paddle.fluid.layers.concat
        for name in ("no_such", "__wrapped__"):
            assert not hasattr(paddle.nn.functional, name)
        functional = paddle.nn.functional
        changed = vars(functional)["__getattr__"]
    assert not hasattr(functional, "distance") and vars(functional)["__getattr__"] is not changed


def test_layers_are_in_module_dict() -> None:
    with compat.as_paddle("2.6"):
        import paddle

        found = paddle.nn.layer.activation.__dict__
        assert found["ReLU"] is oarlock.nn.ReLU and found["LeakyReLU"] is oarlock.nn.LeakyReLU
        assert (
            "norm" not in paddle.nn.layer.__dict__
            or paddle.nn.layer.norm.BatchNorm2D is oarlock.nn.BatchNorm2D
        )


def test_unknown_module_error_names_the_paddle_module() -> None:
    with (
        compat.as_paddle("2.6"),
        pytest.raises(ModuleNotFoundError, match=r"No module named 'paddle\.nothing'"),
    ):
        importlib.import_module("paddle.nothing")


def test_uninstall_restores_everything() -> None:
    before = (
        dict(os.environ),
        list(sys.meta_path),
        oarlock.__version__,
        oarlock.mean,
        oarlock.in_dynamic_mode(),
    )
    with compat.as_paddle("1.8"):
        importlib.import_module("paddle.nn")
        assert not oarlock.in_dynamic_mode()
    assert before == (
        dict(os.environ),
        list(sys.meta_path),
        oarlock.__version__,
        oarlock.mean,
        oarlock.in_dynamic_mode(),
    )
    assert not [name for name in sys.modules if name.split(".")[0] == "paddle"]


def test_nested_as_paddle() -> None:
    with compat.as_paddle("2.4"):
        with compat.as_paddle():
            assert oarlock.__version__ == "2.4.2"
        assert importlib.import_module("paddle") is oarlock
        with pytest.raises(OarlockError, match=r"Paddle 2\.4\.2 is installed already, not 1\.8\.5"):
            compat.install("1.8")


def test_install_with_version_before_detection() -> None:
    with compat.as_paddle():
        compat.install("2.4")
        assert oarlock.__version__ == "2.4.2"
        assert os.environ[INHERITED_VARIABLE] == "2.4.2"


def test_environment_variable_overrides_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_PADDLE_API", "2.4")
    with compat.as_paddle("2.6"):
        assert oarlock.__version__ == "2.4.2"


def test_install_fails_if_real_paddle_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    real = types.ModuleType("paddle")
    real.__file__ = "/site-packages/paddle/__init__.py"
    monkeypatch.setitem(sys.modules, "paddle", real)
    before = list(sys.meta_path)
    with pytest.raises(
        OarlockError, match=r"another `paddle` is imported already, from /site-packages/paddle"
    ):
        compat.install()
    assert sys.meta_path == before


def test_version_is_detected_from_first_importing_file(
    tmp_path: os.PathLike[str],
) -> None:
    program = (
        "import runpy, oarlock\n"
        "with oarlock.compat.as_paddle():\n"
        "    runpy.run_path('old.py')\n"
        "    print(oarlock.__version__)\n"
    )
    with open(os.path.join(tmp_path, "old.py"), "w") as file:
        file.write("import paddle.fluid as fluid\n")
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "1.8.5\n"


def test_module_that_shadows_a_function_is_callable() -> None:
    before = oarlock.fluid.layers.reduce_sum
    with compat.as_paddle("1.8"), pytest.MonkeyPatch.context() as patch:
        patch.setitem(MODULE_ALIASES, ".fluid.layers.reduce_sum", ".fluid.layers")
        names: dict[str, object] = {}
        exec(
            "import paddle.fluid.layers.reduce_sum as m\nfrom paddle.fluid.layers.reduce_sum import reduce_max",
            names,
        )
        module = names["m"]
        assert isinstance(module, types.ModuleType) and oarlock.fluid.layers.reduce_sum is module
        assert names["reduce_max"] is oarlock.fluid.layers.reduce_max
        with warnings.catch_warnings(action="ignore"), oarlock.fluid.dygraph.guard():
            assert module(oarlock.ones([2, 3])).numpy()[0] == 6
        with pytest.raises(TypeError, match="not callable"):
            importlib.import_module("paddle.nn.layer")()
    assert oarlock.fluid.layers.reduce_sum is before


def test_module_aliases_can_be_imported() -> None:
    with compat.as_paddle("2.4"):
        for inner, above in MODULE_ALIASES.items():
            if importlib.util.find_spec(f"oarlock{above}") is None:
                continue
            found = importlib.import_module(f"paddle{inner}")
            assert isinstance(found, types.ModuleType), inner


@pytest.mark.parametrize(
    ("version", "dynamic"), [("1.8", False), ("2.0", True), ("2.4", True), ("2.6", True)]
)
def test_fluid_in_dygraph_mode(version: str, dynamic: bool) -> None:
    with compat.as_paddle(version):
        fluid = importlib.import_module("paddle.fluid")
        assert fluid.in_dygraph_mode() is dynamic
        with fluid.program_guard(fluid.Program()):
            assert not fluid.in_dygraph_mode()
    assert not oarlock.fluid.in_dygraph_mode()
