"""Vision models without real Paddle: errors, pretrained weights, and each family in the engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as oar
from oarlock import nn
from oarlock.static import InputSpec
from oarlock.utils import download
from oarlock.vision import models
from oarlock.vision.models import blocks
from oarlock.vision.models.resnet import BasicBlock, BottleneckBlock, ResNet

pytestmark = pytest.mark.slow

FAMILIES = [
    ("resnet18", 64), ("mobilenet_v1", 64), ("mobilenet_v2", 64), ("mobilenet_v3_small", 64), ("squeezenet1_1", 64),
    ("shufflenet_v2_x0_25", 64), ("densenet121", 64), ("inception_v3", 96), ("googlenet", 224),
]  # fmt: skip


@pytest.mark.parametrize(("name", "size"), FAMILIES)
def test_engine_runs_each_model_family(name: str, size: int, tmp_path: Path) -> None:
    oar.seed(0)
    net = getattr(models, name)(num_classes=5)
    net.eval()
    oar.jit.save(
        net, tmp_path / "m", input_spec=[InputSpec([None, 3, size, size], "float32")], verify=False
    )
    x = oar.randn([2, 3, size, size])
    with oar.no_grad():
        wanted = net(x)
    found = oar.jit.load(tmp_path / "m")(x)
    for got, want in zip(
        *(v if isinstance(v, list) else [v] for v in (found, wanted)), strict=True
    ):
        scale = np.abs(want.numpy()).max()
        np.testing.assert_allclose(got.numpy() / scale, want.numpy() / scale, atol=2e-5)


@pytest.mark.parametrize("name", ["mobilenet_v3_small", "shufflenet_v2_x0_25", "squeezenet1_1"])
def test_all_parameters_get_gradients(name: str) -> None:
    net = getattr(models, name)(num_classes=5)
    nn.functional.cross_entropy(
        net(oar.randn([2, 3, 32, 32])), oar.to_tensor([[1], [2]])
    ).backward()
    assert [n for n, p in net.named_parameters() if not p.stop_gradient and p.grad is None] == []


def test_resnet_groups_and_norm_layer() -> None:
    net = ResNet(BottleneckBlock, 50, width=8, groups=4, num_classes=3)
    assert net.layer1[0].conv2.weight.shape == [32, 8, 3, 3]
    block = BasicBlock(8, 8, norm_layer=lambda c: nn.GroupNorm(2, c))
    assert isinstance(block.bn1, nn.GroupNorm)
    assert block(oar.ones([1, 8, 4, 4])).shape == [1, 8, 4, 4]


def test_invalid_configurations_are_rejected() -> None:
    for make in (
        lambda: ResNet(BasicBlock, 20),
        lambda: BasicBlock(8, 8, dilation=2),
        lambda: models.SqueezeNet("2.0"),
        lambda: models.ShuffleNetV2(0.7),
        lambda: models.ShuffleNetV2(act="tanh"),
        lambda: models.DenseNet(122),
    ):
        with pytest.raises(oar.OpError, match="is not one of|must be one of|dilation must be 1"):
            make()
    with pytest.raises(oar.OpError, match="vgg11: no weights are published"):
        models.vgg11(pretrained=True, num_classes=0, with_pool=False)


def test_make_divisible() -> None:
    assert [blocks.make_divisible(v) for v in (1, 8, 12, 11.2, 35, 91)] == [8, 8, 16, 16, 32, 88]
    assert blocks.make_divisible(3, 4, 12) == 12


# -- weights from the network
# -----------------------------------------------------------------------------------


class SilentHandler(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def file_server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which its files are."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SilentHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OARLOCK_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "home"


def test_pretrained_weights_are_downloaded_once(
    file_server: tuple[Path, str], data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = file_server
    theirs = models.mobilenet_v2(scale=0.25)
    oar.save(theirs.state_dict(), folder / "w.pdparams")
    md5 = download._file_md5(folder / "w.pdparams")
    monkeypatch.setitem(models.mobilenetv2.URLS, "mobilenetv2_0.25", (f"{address}/w.pdparams", md5))
    ours = models.mobilenet_v2(pretrained=True, scale=0.25)
    np.testing.assert_array_equal(
        ours.features[0][0].weight.numpy(), theirs.features[0][0].weight.numpy()
    )
    assert [p.name for p in (data_home / "hapi" / "weights").iterdir()] == ["w.pdparams"]
    (folder / "w.pdparams").unlink()
    models.mobilenet_v2(pretrained=True, scale=0.25)

    with pytest.warns(UserWarning, match=r"Skip loading for classifier.1"):
        models.mobilenet_v2(pretrained=True, scale=0.25, num_classes=3)
    with pytest.warns(UserWarning, match="have 2 values that the model does not have"):
        models.mobilenet_v2(pretrained=True, scale=0.25, num_classes=0)


def test_incomplete_weights_are_rejected(
    file_server: tuple[Path, str], data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = file_server
    oar.save({"fc.weight": oar.ones([2])}, folder / "few.pdparams")
    monkeypatch.setitem(
        models.mobilenetv2.URLS, "mobilenetv2_0.25", (f"{address}/few.pdparams", None)
    )
    with pytest.raises(oar.OpError, match=r"the published weights lack \['features.0.0.weight'"):
        models.mobilenet_v2(pretrained=True, scale=0.25)


def test_damaged_file_is_downloaded_again(file_server: tuple[Path, str], data_home: Path) -> None:
    folder, address = file_server
    (folder / "a.bin").write_bytes(b"whole")
    md5 = download._file_md5(folder / "a.bin")
    there = data_home / "a.bin"
    there.parent.mkdir()
    there.write_bytes(b"half")
    assert download.fetch(f"{address}/a.bin?x=1", data_home, md5).read_bytes() == b"whole"
    with pytest.raises(oar.FileError, match="has MD5"):
        download.fetch(f"{address}/a.bin", data_home / "other", "0" * 32)
    assert list((data_home / "other").iterdir()) == []


def test_failed_download_names_the_target_path(
    file_server: tuple[Path, str], data_home: Path
) -> None:
    with pytest.raises(oar.OarlockError, match=r"not found; put the file at .*/none.bin by hand"):
        download.fetch(f"{file_server[1]}/none.bin", data_home)
    for url in ("file:///etc/hostname", "ftp://host/file", f"{file_server[1]}/"):
        with pytest.raises(oar.OarlockError, match="not an http or https URL of a file"):
            download.fetch(url, data_home)


def test_truncated_download_is_rejected(data_home: Path, tmp_path: Path) -> None:
    class Short(SilentHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"x" * 40)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Short)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(oar.OarlockError, match="ended after 40 of 100|IncompleteRead"):
            download.fetch(f"http://127.0.0.1:{server.server_address[1]}/a.bin", data_home)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert list(data_home.iterdir()) == []


def test_resnet_make_layer() -> None:
    net = ResNet(BottleneckBlock, 50)
    net.inplanes = 64
    plain = net._make_layer(BottleneckBlock, 16, 2, stride=2)
    assert plain(oar.ones([1, 64, 8, 8])).shape == [1, 64, 4, 4] and net.inplanes == 64
    dilated = net._make_layer(BottleneckBlock, 32, 1, stride=2, dilate=True)
    assert dilated(oar.ones([1, 64, 8, 8])).shape == [1, 128, 8, 8] and net.dilation == 2
