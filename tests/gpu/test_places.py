"""Tensors on a GPU: copies, queries and errors."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.core import arrays, cuda
from oarlock.core.errors import OarlockError, OpError
from oarlock.core.op import OPS

from . import stand_in

ROWS = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]


def device_index(x: Any) -> int | None:
    return cuda.gpu_index_of(x.array)


def test_missing_cupy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    for ask in (
        lambda: oarlock.set_device("gpu:0"),
        lambda: oarlock.to_tensor(ROWS, place=oarlock.CUDAPlace(0)),
        lambda: oarlock.to_tensor(ROWS).cuda(),
    ):
        with pytest.raises(OarlockError, match=r"needs CuPy .*pip install 'oarlock\[gpu-train\]'"):
            ask()
    assert oarlock.get_device() == "cpu"


def test_missing_cuda_device_is_reported(cupy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", none)
    with pytest.raises(
        OarlockError,
        match=r"to_tensor: Place\(gpu:0\): no CUDA device is visible \(cudaErrorNoDevice",
    ):
        oarlock.to_tensor(ROWS, place=oarlock.CUDAPlace(0))
    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", lambda: 0)
    with pytest.raises(OarlockError, match="set_device: 'gpu:0': no CUDA device is visible"):
        oarlock.set_device("gpu")
    assert oarlock.device.cuda.device_count() == 0
    assert cuda.cupy_state.cupy is None, "ops of the processor are called in another way now"


@stand_in.needs_two_devices
def test_invalid_device_index(cupy: ModuleType) -> None:
    with pytest.raises(OarlockError, match="there is no CUDA device 7; 2 are visible"):
        oarlock.set_device("gpu:7")
    with pytest.raises(OarlockError, match="'xpu' is not one of 'cpu', 'gpu', 'gpu:N'"):
        oarlock.set_device("xpu")


@stand_in.needs_two_devices
def test_device_queries(cupy: ModuleType) -> None:
    assert oarlock.is_compiled_with_cuda() and oarlock.device.cuda.device_count() == 2
    assert oarlock.device.get_available_device() == ["cpu", "gpu:0", "gpu:1"]
    assert cuda.cupy_state.cupy is None, "asking changed something"
    assert oarlock.device.cuda.get_device_capability("gpu:1") == (9, 0)
    assert oarlock.device.cuda.get_device_name() == "Stand-in 1"
    oarlock.device.synchronize()
    oarlock.device.cuda.synchronize(0)


@stand_in.needs_two_devices
def test_copies_between_devices(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS, place=oarlock.CUDAPlace(1), stop_gradient=False)
    assert (device_index(x), str(x.place), x.place == oarlock.CUDAPlace(1)) == (
        1,
        "Place(gpu:1)",
        True,
    )
    back = x.cpu()
    assert (device_index(back), back.stop_gradient, str(back.place)) == (None, False, "Place(cpu)")
    assert back.numpy().tolist() == ROWS
    assert x.cuda(1) is x and back.cpu() is back
    assert [
        device_index(t)
        for t in (
            back.cuda(),
            back.cuda(1),
            x.to("cpu"),
            back.to("gpu:1"),
            back.to(oarlock.CUDAPlace(0)),
        )
    ] == [0, 1, None, 1, 0]


@stand_in.needs_two_devices
def test_set_device_applies_to_new_tensors(cupy: ModuleType) -> None:
    oarlock.set_device("gpu:1")
    assert oarlock.get_device() == "gpu:1"
    layer = oarlock.nn.Linear(3, 2)
    made = [
        oarlock.to_tensor(ROWS), oarlock.ones([2]), oarlock.rand([3]), oarlock.arange(4), oarlock.nn.Embedding(4, 2, padding_idx=0).weight,
        *layer.parameters(), layer(oarlock.to_tensor(ROWS)),
    ]  # fmt: skip
    assert {device_index(t) for t in made} == {1}
    assert oarlock.to_tensor(cupy.asarray(ROWS)).tolist() == ROWS
    oarlock.set_device("cpu")
    assert device_index(oarlock.ones([2])) is None


@stand_in.needs_two_devices
def test_selected_gpus_variable(cupy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGS_selected_gpus", "1,0")
    oarlock.set_device("gpu")
    assert oarlock.get_device() == "gpu:1"
    oarlock.set_device("gpu:0")
    assert oarlock.get_device() == "gpu:0"


def test_random_numbers_equal_cpu(cupy: ModuleType) -> None:
    def drawn() -> list[Any]:
        oarlock.seed(3)
        x = oarlock.ones([4, 5])
        made = [
            oarlock.rand([3]),
            oarlock.nn.functional.dropout(x, 0.5),
            oarlock.bernoulli(x * 0.5),
            oarlock.nn.Linear(3, 4).weight,
        ]
        return [
            t.numpy().tolist() for t in (*made, oarlock.multinomial(x[0], 3), oarlock.randperm(5))
        ]

    here = drawn()
    oarlock.set_device("gpu")
    assert drawn() == here


@stand_in.needs_two_devices
def test_operands_on_two_devices_are_rejected(cupy: ModuleType) -> None:
    x, y = oarlock.to_tensor(ROWS).cuda(), oarlock.to_tensor(ROWS)
    wanted = r"add: inputs are on two devices \(X=float32\[2,3\] on gpu:0, Y=float32\[2,3\] on cpu\)\n  at test_places.py"
    with pytest.raises(OpError, match=wanted):
        x + y
    with pytest.raises(OpError, match=r"on gpu:1, float32\[2,3\] on cpu\]"):
        oarlock.concat([x.cuda(1), y])


def test_scalars_with_gpu_tensors(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS).cuda()
    for made in (
        x + 1,
        2 - x,
        x * oarlock.to_tensor(3.0),
        oarlock.where(x > 0, x, oarlock.to_tensor(0.0)),
        x**2,
    ):
        assert device_index(made) == 0


def test_conversion_to_python(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS).cuda()
    assert x.numpy().tolist() == x.tolist() == np.asarray(x).tolist() == ROWS
    assert (x[0, 0].item(), float(x[1, 1]), int(x[0, 2]), bool(x[0, 0] > 0), len(x), x.shape) == (
        1.0,
        5.0,
        3,
        True,
        2,
        [2, 3],
    )
    assert (
        repr(x)
        == "Tensor(shape=[2, 3], dtype=float32, place=Place(gpu:0), stop_gradient=True,\n"
        + repr(x.cpu()).split("\n", 1)[1]
    )
    assert f"{x[0, 0]:.2f}" == "1.00" and np.sum(x) == 5.0
    x.numpy()[0] = 9  # a copy, as ever
    assert x.tolist() == ROWS
    assert pickle.loads(pickle.dumps(x)).tolist() == ROWS
    again = copy.deepcopy(x)
    assert (device_index(again), again.tolist()) == (0, ROWS)


def test_indexing(cupy: ModuleType) -> None:
    def seen() -> list[Any]:
        x = oarlock.to_tensor(ROWS)
        picked = [
            x[0],
            x[:, 1:],
            x[[1, -1]],
            x[x > 0],
            x[oarlock.to_tensor([1, 0])],
            x[..., None],
            x[1, oarlock.to_tensor([2])],
        ]
        x[0] = 7.0
        x[:, 1] = oarlock.to_tensor([8.0, 9.0])
        x[[1]] = 1.0
        x[x > 8] = 0.0
        x[0, [1, 2]] = np.array([5.0, 6.0], "float32")
        assert {device_index(t) for t in picked} == {device_index(x)}
        return [t.tolist() for t in (*picked, x)]

    here = seen()
    oarlock.set_device("gpu")
    assert seen() == here


def test_indices_are_on_the_device_of_the_operand(cupy: ModuleType) -> None:
    """Tensors that Oarlock creates are on the device of the operand, also without set_device."""
    x = oarlock.to_tensor(ROWS).cuda()
    x[0, 1] = 3.0
    x[[1], 0] = 2.0
    made = [
        x[[0, 1]],
        x[np.array([1])],
        x[1:, [0]],
        oarlock.unfold(x, 1, 2, 1),
        oarlock.combinations(x[0]),
        x.view("int32"),
    ]
    assert {device_index(t) for t in made} == {0}


@stand_in.needs_two_devices
def test_gradients_are_on_the_device_of_their_leaves(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS, place="gpu:1", stop_gradient=False)
    seen: list[Any] = []
    x.register_hook(lambda g: seen.append(device_index(g)))
    (x * x).sum().backward()
    y = x * x * x
    (first,) = oarlock.grad(y, x, oarlock.ones_like(y), create_graph=True)
    (second,) = oarlock.grad(first.sum(), x)
    assert (device_index(x.grad), seen, device_index(second)) == (1, [1], 1)
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.array(ROWS))
    np.testing.assert_allclose(second.numpy(), 6 * np.array(ROWS))
    x.clear_gradient()
    assert device_index(x.grad) == 1 and not x.grad.numpy().any()


def test_set_value_keeps_the_device(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS).cuda()
    x.set_value(np.zeros([2, 3]))
    assert (device_index(x), x.dtype) == (0, oarlock.float32)
    x.set_value(oarlock.to_tensor(ROWS))
    assert (device_index(x), x.tolist()) == (0, ROWS)


def test_saved_files_equal_cpu(cupy: ModuleType, tmp_path: Path) -> None:
    layer = oarlock.nn.Linear(3, 2)
    oarlock.save(layer.state_dict(), str(tmp_path / "here.pdparams"))
    layer.to("gpu:0")
    assert {device_index(p) for p in layer.parameters()} == {0}
    oarlock.save(layer.state_dict(), str(tmp_path / "there.pdparams"))
    assert (tmp_path / "here.pdparams").read_bytes() == (tmp_path / "there.pdparams").read_bytes()
    layer.set_state_dict(oarlock.load(str(tmp_path / "there.pdparams")))
    assert {device_index(p) for p in layer.parameters()} == {0}
    oarlock.set_device("gpu")
    assert {device_index(t) for t in oarlock.load(str(tmp_path / "there.pdparams")).values()} == {0}


class ImageDataset(oarlock.io.Dataset):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return np.full([3], index, "float32"), index


@stand_in.needs_two_devices
@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader_places(cupy: ModuleType, workers: int) -> None:
    loader = oarlock.io.DataLoader(
        ImageDataset(), places=oarlock.CUDAPlace(1), batch_size=2, num_workers=workers
    )
    assert [[device_index(t) for t in batch] for batch in loader] == [[1, 1], [1, 1]]
    oarlock.set_device("gpu")
    loader = oarlock.io.DataLoader(ImageDataset(), batch_size=2, num_workers=workers)
    assert [[device_index(t) for t in batch] for batch in loader] == [[0, 0], [0, 0]]


def test_half_precision(cupy: ModuleType) -> None:
    for dtype in ("float16", "bfloat16"):
        x = oarlock.to_tensor(ROWS).cuda().astype(dtype)
        made = oarlock.matmul(x, x, transpose_y=True)
        assert (device_index(made), made.dtype.name) == (0, dtype)
        assert made.astype("float32").tolist() == (np.array(ROWS) @ np.array(ROWS).T).tolist()


def test_kernel_with_cpu_operand(cupy: ModuleType) -> None:
    oarlock.set_device("gpu")
    with arrays.use_array_library(cupy):
        found = OPS["one_hot_v2"].kernel(np.array([1, 0]), depth=3, dtype=5)
    assert isinstance(found, np.ndarray) and found.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_op_errors(cupy: ModuleType) -> None:
    x = oarlock.to_tensor(ROWS).cuda()
    with pytest.raises(
        OpError, match=r"matmul: .*\(X=float32\[2,3\], Y=float32\[2,3\]\)\n  at test_places.py"
    ):
        oarlock.matmul(x, x)


def test_training_step_has_no_host_transfers(cupy: ModuleType) -> None:
    oarlock.set_device("gpu")
    net = oarlock.nn.Sequential(
        oarlock.nn.Linear(3, 4), oarlock.nn.ReLU(), oarlock.nn.LayerNorm(4), oarlock.nn.Linear(4, 2)
    )
    optimizer = oarlock.optimizer.Adam(parameters=net.parameters())
    x, y = oarlock.to_tensor(ROWS), oarlock.to_tensor([[1.0, 0.0], [0.0, 1.0]])
    for step in range(3):
        before = stand_in.Counts.down
        ((net(x) - y) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
        assert step == 0 or stand_in.Counts.down == before
