"""Names that model libraries import from internal modules of Paddle."""

from __future__ import annotations

import importlib
import tarfile
import zipfile
from pathlib import Path

import pytest

import oarlock as paddle
from oarlock import compat
from oarlock.core.errors import FileError, OarlockError, OpError
from oarlock.distributed import fleet
from oarlock.utils import cpp_extension, download

NAMES = """
paddle.common_ops_import convert_dtype convert_np_dtype_to_dtype_ LayerHelper check_type
paddle.nn.layer.layers in_declarative_mode Layer
paddle.nn.layer.transformer _convert_attention_mask _convert_param_attr_to_list MultiHeadAttention
paddle.amp.auto_cast amp_state auto_cast
paddle.framework.io EagerParamBase load
paddle.distributed.fleet.meta_parallel get_rng_state_tracker ColumnParallelLinear
paddle.distributed.fleet.utils.hybrid_parallel_util fused_allreduce_gradients
paddle.utils.cpp_extension load setup
paddle.utils.cpp_extension.cpp_extension CUDA_HOME CppExtension
paddle.utils.cpp_extension.extension_utils _jit_compile
paddle.utils.download get_path_from_url is_url _get_unique_endpoints
"""


@pytest.mark.parametrize("row", NAMES.split("\n")[1:-1])
def test_names_exist_in_paddle_modules(row: str) -> None:
    module, *names = row.split()
    with compat.as_paddle("2.6"):
        found = importlib.import_module(module)
        assert [name for name in names if not hasattr(found, name)] == []


def test_importing_a_module_keeps_the_function_of_its_name() -> None:
    with compat.as_paddle("2.6"):
        names: dict[str, object] = {}
        exec(
            "import paddle\nfrom paddle.amp.auto_cast import amp_state\nguard = paddle.amp.auto_cast(False)",
            names,
        )
        assert callable(paddle.amp.auto_cast)


def test_amp_state() -> None:
    state = importlib.import_module("oarlock.amp.auto_cast").amp_state
    assert state() is None
    with (
        paddle.amp.auto_cast(custom_white_list=["relu"], dtype="bfloat16", level="O2"),
        paddle.no_grad(),
    ):
        said = state()
    assert said["enable"] is True
    assert (said["dtype"], said["level"], said["use_promote"]) == ("bfloat16", "O2", True)
    assert "relu" in said["custom_white_list"]


def test_rng_state_tracker() -> None:
    tracker = fleet.meta_parallel.get_rng_state_tracker()
    tracker.reset()
    tracker.add("local", 7)
    paddle.seed(1)
    plain = paddle.rand([3]).numpy()
    paddle.seed(1)
    with tracker.rng_state("local"):
        first = paddle.rand([3]).numpy()
    assert paddle.rand([3]).numpy().tolist() == plain.tolist()  # the common source did not move
    with tracker.rng_state("local"):
        assert paddle.rand([3]).numpy().tolist() != first.tolist()  # its own did
    with pytest.raises(OpError, match="a state 'local' or a state with seed 8 exists"):
        tracker.add("local", 8)
    with pytest.raises(OpError, match="there is no state 'other'"), tracker.rng_state("other"):
        pass
    tracker.reset()
    assert tracker.get_states_tracker() == {}
    fleet.meta_parallel.model_parallel_random_seed(3)
    assert list(tracker.states_) == ["model_parallel_rng"]
    tracker.reset()


def test_model_parallelism_and_cpp_ops_are_rejected() -> None:
    with pytest.raises(
        OarlockError,
        match=r"ColumnParallelLinear: model parallelism is not supported.* use nn\.Linear",
    ):
        fleet.meta_parallel.ColumnParallelLinear(2, 3, gather_output=True)
    with pytest.raises(OarlockError, match="get_hybrid_communicate_group: only data parallelism"):
        fleet.get_hybrid_communicate_group()
    with pytest.raises(
        OarlockError, match=r"cpp_extension\.load: custom ops in C\+\+ require PaddlePaddle"
    ):
        cpp_extension.load(name="mine", sources=["mine.cc"])
    with pytest.raises(OarlockError, match=r"cpp_extension\.BuildExtension"):
        cpp_extension.BuildExtension()


def test_archives_are_unpacked_next_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "one" / "in").mkdir(parents=True)
    (tmp_path / "one" / "in" / "x").write_text("1")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "one" / "in", "in")
    with tarfile.open(tmp_path / "b.tar", "w") as archive:
        archive.add(tmp_path / "one" / "in", "c")
        archive.add(tmp_path / "one" / "in", "d")
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as zipped:
        zipped.writestr("f.txt", "2")
    assert download._decompress(str(tmp_path / "a.tar.gz")) == str(tmp_path / "in")
    assert (tmp_path / "in" / "x").read_text() == "1"
    assert download._decompress(str(tmp_path / "b.tar")) == str(tmp_path / "b")
    assert (tmp_path / "b" / "d" / "x").is_file()
    assert Path(download._decompress(str(tmp_path / "e.zip"))).read_text() == "2"
    (tmp_path / "g.tgz").write_text("none")
    with pytest.raises(FileError, match=r"g\.tgz: is not a complete archive"):
        download._decompress(str(tmp_path / "g.tgz"))


def test_urls_and_endpoints() -> None:
    assert download.is_url("https://a.example/x")
    assert not download.is_url("/a/x")
    assert download._get_unique_endpoints(["a:2", "a:1", "b:3"]) == {"a:1", "b:3"}
