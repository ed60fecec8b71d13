"""Programs on a GPU: training, verification when saved, and Executor."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core import cuda
from oarlock.core.errors import DeviceMismatchError
from oarlock.core.tensor import Tensor

SPEC = [paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")]


class Net(nn.Layer):
    """A convolution, a norm that keeps averages, a branch, a loop, random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.linear = (
            nn.Conv2D(1, 2, 3, bias_attr=False),
            nn.BatchNorm2D(2),
            nn.Linear(8, 3),
        )
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        x = nn.functional.relu(self.norm(self.conv(x))).flatten(1)
        if x.sum() > 1000:
            x = x * 2
        i = paddle.zeros([], "int64")
        while i < 3:
            x = x + 0.1
            i = i + 1
        return self.linear(self.dropout(x))


def batch() -> Any:
    return paddle.to_tensor(np.random.RandomState(0).rand(2, 1, 4, 4).astype("float32"))


def train(device: str) -> list[Any]:
    paddle.set_device(device)
    paddle.seed(1)
    net = paddle.jit.to_static(Net())
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    for _ in range(3):
        (net(batch()) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    index = 0 if device == "gpu" else None
    assert {cuda.gpu_index_of(t.array) for t in net.state_dict().values()} == {index}
    return [t.numpy() for t in net.state_dict().values()]


def test_training_equals_cpu(cupy: ModuleType) -> None:
    for there, here in zip(train("gpu"), train("cpu"), strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)


def test_lists_and_loops(cupy: ModuleType) -> None:
    @paddle.jit.to_static
    def f(x: Any, n: Any) -> Any:
        found = []
        i = paddle.zeros([], "int64")
        while i < n:
            found.append(x * i if x.mean() > 0.4 else x + i)
            i += 1
        return paddle.stack(found).mean() + x[x > 0].sum() + x[:, : x.shape[1] // 2].sum()

    def gradient(device: str) -> Any:
        paddle.set_device(device)
        x = paddle.to_tensor([[0.1, 0.9], [0.4, -0.6]], stop_gradient=False)
        f(x, paddle.to_tensor(3)).backward()
        assert cuda.format_device(cuda.gpu_index_of(x.grad.array)).startswith(device)
        return x.grad.numpy()

    np.testing.assert_allclose(gradient("gpu"), gradient("cpu"), rtol=1e-6)


def test_second_order_gradients(cupy: ModuleType) -> None:
    paddle.set_device("gpu")
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (g,) = paddle.grad(paddle.jit.to_static(lambda x: (x**3).sum())(x), x, create_graph=True)
    g.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0] and cuda.gpu_index_of(x.grad.array) == 0


def test_save_verify_and_load(cupy: ModuleType, tmp_path: Path) -> None:
    paddle.set_device("gpu")
    net = Net()
    net.eval()
    # a warning would say that it is not verified
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=SPEC)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    loaded.eval()
    x = batch()
    for _ in range(2):
        found = loaded(x)
        np.testing.assert_allclose(found.numpy(), net(x).numpy(), rtol=1e-4, atol=1e-5)
        assert cuda.gpu_index_of(found.array) == 0
        loaded.to("gpu")
    loaded.train()
    loaded(x).mean().backward()
    wanted = [p.grad for p in loaded.parameters() if not p.stop_gradient]
    assert wanted and all(cuda.gpu_index_of(g.array) == 0 for g in wanted)


def test_values_on_two_devices_are_reported(cupy: ModuleType) -> None:
    net = paddle.jit.to_static(nn.Linear(2, 2))
    x = paddle.ones([1, 2]).cuda()
    with pytest.raises(
        DeviceMismatchError,
        match=r"a program: inputs are on two devices \(input on gpu:0, \S+ on cpu",
    ):
        net(x)


def test_save_trace(cupy: ModuleType, tmp_path: Path) -> None:
    paddle.set_device("gpu")
    net = Net()
    net.eval()
    eager, traced = paddle.jit.TracedLayer.trace(net, [batch()])
    np.testing.assert_allclose(
        cuda.to_host(traced([batch()])[0]), eager.numpy(), rtol=1e-4, atol=1e-5
    )
    traced.save_inference_model(str(tmp_path / "net"))
    assert (tmp_path / "net.pdmodel").exists()


def test_executor_with_gpu_tensors(cupy: ModuleType, tmp_path: Path) -> None:
    paddle.set_device("gpu")
    net = nn.Linear(4, 3)
    x = paddle.ones([2, 4])
    wanted = net(x).numpy()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[x])
    paddle.enable_static()
    try:
        executor = paddle.static.Executor(paddle.CUDAPlace(0))
        program, feeds, fetches = paddle.static.load_inference_model(
            str(tmp_path / "net"), executor
        )
        program.set_state_dict(
            {name: Tensor(cuda.to_device(t.array, 0)) for name, t in program.state_dict().items()}
        )
        found = executor.run(program, feed={feeds[0]: x}, fetch_list=fetches)[0]
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_tensor_dataset_on_gpu(cupy: ModuleType) -> None:
    paddle.set_device("gpu")
    model = paddle.Model(nn.Linear(3, 2))
    model.prepare(paddle.optimizer.Adam(parameters=model.parameters()), nn.CrossEntropyLoss())
    data = paddle.io.TensorDataset([paddle.rand([8, 3]), paddle.randint(0, 2, [8, 1])])
    model.fit(data, batch_size=4, epochs=1, verbose=0)
    assert [len(part) for part in model.predict(data, batch_size=4, verbose=0)[0]] == [4, 4]
