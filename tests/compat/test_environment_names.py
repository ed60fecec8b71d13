"""Names that programs query at start: devices, versions, installed features."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

import oarlock as paddle
from oarlock import compat
from oarlock.core.errors import OarlockError, OpError


def test_only_cpu_is_available() -> None:
    assert not paddle.is_compiled_with_cuda()
    assert not any(
        getattr(paddle, f"is_compiled_with_{kind}")()
        for kind in ("rocm", "xpu", "ipu", "cinn", "distribute")
    )
    assert not paddle.is_compiled_with_custom_device("npu")
    assert paddle.get_cudnn_version() is None
    assert paddle.device.get_device() == "cpu"
    assert (
        paddle.device.set_device("gpu" if paddle.device.is_compiled_with_cuda() else "cpu")
        == paddle.CPUPlace()
    )
    assert (paddle.device.cuda.device_count(), paddle.device.cuda.memory_allocated()) == (0, 0)
    with pytest.raises(OarlockError, match="no GPU is available"):
        paddle.device.cuda.get_device_name()


def test_version_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    assert paddle.version.full_version == paddle.__version__
    with compat.as_paddle("2.4"):
        assert (
            paddle.version.full_version,
            paddle.version.major,
            paddle.version.minor,
            paddle.version.patch,
        ) == (
            "2.4.2",
            "2",
            "4",
            "2",
        )
        paddle.version.show()
    assert capsys.readouterr().out.splitlines()[:2] == ["full_version: 2.4.2", "major: 2"]
    assert paddle.version.full_version == paddle.__version__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = paddle.version.nothing


@pytest.mark.parametrize("static", [False, True])
def test_run_check(capsys: pytest.CaptureFixture[str], static: bool) -> None:
    if static:
        paddle.enable_static()
    try:
        paddle.utils.run_check()
        assert paddle.in_dynamic_mode() is not static
    finally:
        paddle.disable_static()
    assert "PaddlePaddle is installed successfully!" in capsys.readouterr().out


def test_try_import() -> None:
    assert paddle.utils.try_import("json").dumps(1) == "1"
    with pytest.raises(ImportError, match="pip install nothing_of_this_name"):
        paddle.utils.try_import("nothing_of_this_name.inner")
    with pytest.raises(ImportError, match="^get it$"):
        paddle.utils.try_import("nothing_of_this_name", "get it")


def test_require_version() -> None:
    with compat.as_paddle("2.4"):
        paddle.utils.require_version("2.0")
        paddle.utils.require_version("1.8.5", "2.4.2")
        with pytest.raises(
            OpError, match=r"version 2\.5 or higher is required, but this is 2\.4\.2"
        ):
            paddle.utils.require_version("2.5")
        with pytest.raises(OpError, match=r"version in \[1\.0, 1\.8\] is required"):
            paddle.utils.require_version("1.0", "1.8")
        with pytest.raises(OpError, match="is not a version number"):
            paddle.utils.require_version("new")
        with pytest.raises(TypeError, match="'min_version' in require_version must be str"):
            paddle.utils.require_version(2)  # type: ignore[arg-type]


def test_deprecated() -> None:
    @paddle.utils.deprecated(update_to="paddle.new", since="2.0.0", reason="slow", level=1)
    def old() -> int:
        return 1

    with pytest.warns(
        DeprecationWarning, match=r"old is deprecated since 2\.0\.0; use paddle\.new \(slow\)"
    ):
        assert old() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old() == 1  # told once

    @paddle.utils.deprecated(level=2)
    def gone() -> None: ...

    with pytest.raises(RuntimeError, match="gone is deprecated"):
        gone()


def test_paddle_base_names() -> None:
    assert paddle.base.Program is paddle.static.Program
    assert paddle.base.dygraph.Layer is paddle.fluid.dygraph.Layer
    assert paddle.base.in_dygraph_mode()
    assert paddle.framework.random.seed is paddle.framework.seed


def test_distributed_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    paddle.distributed.init_parallel_env()
    paddle.distributed.barrier()
    assert (paddle.distributed.get_rank(), paddle.distributed.get_world_size()) == (0, 1)
    assert not paddle.distributed.is_initialized()
    called: list[int] = []
    paddle.distributed.spawn(called.append, (3,), nprocs=1)
    assert called == [3]
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "4")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "2")
    assert (paddle.distributed.ParallelEnv().rank, paddle.distributed.ParallelEnv().nranks) == (
        2,
        4,
    )
    with pytest.raises(OarlockError, match="MPI did not start this process"):
        paddle.distributed.init_parallel_env()


def test_common_ops_import_names() -> None:
    with compat.as_paddle("2.6"):
        from paddle.common_ops_import import (
            LayerHelper,
            Variable,
            check_variable_and_dtype,
            convert_dtype,
        )
        from paddle.vision import MNIST, Compose, resnet18

        assert Compose is paddle.vision.transforms.Compose
        assert MNIST is paddle.vision.datasets.MNIST
        assert resnet18 is paddle.vision.models.resnet18
        assert isinstance(paddle.ones([1]), Variable)
        assert convert_dtype(paddle.float32) == "float32"
        assert callable(LayerHelper)
        assert callable(check_variable_and_dtype)
    assert paddle.inference.Config.Precision.Half is paddle.inference.PrecisionType.Half
    assert {getattr(paddle.optimizer, name) for name in paddle.optimizer.__all__} >= {
        paddle.optimizer.AdamW
    }
    assert {getattr(paddle.optimizer.lr, name) for name in paddle.optimizer.lr.__all__} >= {
        paddle.optimizer.lr.StepDecay
    }


def test_names_used_by_training_loops() -> None:
    with compat.as_paddle("2.6"):
        import paddle

        assert paddle.distributed.parallel.ParallelEnv is paddle.distributed.ParallelEnv
        assert not paddle.distributed.parallel.parallel_helper._is_parallel_ctx_initialized()
        optimizer = paddle.optimizer.SGD(0.1, parameters=[paddle.nn.Linear(2, 2).weight])
        assert not isinstance(optimizer, paddle.distributed.fleet.Fleet)
        gathered = importlib.import_module("paddle.hapi.model")._all_gather(paddle.ones([2, 3]))
        assert gathered.shape == [2, 3]
        scale = paddle.base.framework.EagerParamBase.from_tensor(
            paddle.full([3], 0.5), trainable=True
        )
        assert isinstance(scale, paddle.base.framework.EagerParamBase) and not scale.stop_gradient
        assert scale.numpy().tolist() == [0.5] * 3


def test_fused_linear() -> None:
    with compat.as_paddle("2.6"):
        import paddle

        nn = paddle.incubate.nn
        x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3) - 2)
        layer = nn.FusedLinear(3, 4, transpose_weight=True)
        wanted = x.numpy() @ layer.weight.numpy().T + layer.bias.numpy()
        np.testing.assert_allclose(layer(x).numpy(), wanted, rtol=1e-6)
        assert layer.weight.shape == [4, 3] and not isinstance(layer, paddle.nn.Linear)
        weight, bias = paddle.ones([3, 4]), paddle.full([4], 0.5)
        activated = [
            nn.functional.fused_linear_activation(x, weight, bias, activation=a).numpy()
            for a in ("none", "relu")
        ]
        np.testing.assert_allclose(np.maximum(activated[0], 0), activated[1])
        with pytest.raises(ValueError, match="activation='tanh' is not one of"):
            nn.functional.fused_linear_activation(x, weight, bias, activation="tanh")
