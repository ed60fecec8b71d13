"""The installed C++ library, found by CMake and pkg-config, linked from C++ and C."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
REPO = HERE.parents[1]
MODEL = REPO / "tests" / "fixtures" / "mlp"

pytestmark = pytest.mark.slow


def engine() -> str:
    found = subprocess.run(
        [sys.executable, str(REPO / "cpp_runtime" / "tests" / "find_engine.py")],
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout.strip()


def call(*command: object) -> str:
    env = os.environ | {"OARLOCK_ORT_LIBRARY": engine()}
    done = subprocess.run(
        [str(c) for c in command], check=False, capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # The same folder in every run, whose objects stay up to date.
    build, prefix = REPO / "build" / "library", tmp_path_factory.mktemp("prefix")
    options = ("-DBUILD_SHARED_LIBS=ON", "-DOARLOCK_UNITY=ON")
    call("cmake", "-S", REPO / "cpp_runtime", "-B", build, "-G", "Ninja", *options)
    call("cmake", "--build", build, "-j2")
    call("cmake", "--install", build, "--prefix", prefix, "--component", "library")
    return prefix


def test_installed_library(installed: Path, tmp_path: Path) -> None:
    call("cmake", "-S", HERE, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    call("cmake", "--build", tmp_path)
    in_cpp, in_c = call(tmp_path / "use_cpp", MODEL), call(tmp_path / "use_c", MODEL)
    assert in_cpp == in_c
    assert abs(float(in_cpp.split()[0]) - 2) < 1e-5  # two rows of a softmax


def test_example_service(installed: Path, tmp_path: Path) -> None:
    call(
        "cmake",
        "-S",
        REPO / "examples" / "cpp_service",
        "-B",
        tmp_path,
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={installed}",
    )
    call("cmake", "--build", tmp_path)
    said = call(tmp_path / "service", MODEL)
    assert said.startswith("ONNX Runtime 1.")
    assert said.count("float32[1,3]") == 4  # threads


@pytest.mark.skipif(
    not all(Path("/usr/include", *p).exists() for p in (["httplib.h"], ["nlohmann", "json.hpp"])),
    reason="Debian's libcpp-httplib-dev and nlohmann-json3-dev are not installed",
)
def test_example_http_service(installed: Path, tmp_path: Path) -> None:
    source = REPO / "examples" / "cpp_http"
    call("cmake", "-S", source, "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={installed}")
    call("cmake", "--build", tmp_path)
    x = np.load(f"{MODEL}.in.npz")["x"]
    (wanted, *_) = np.load(f"{MODEL}.out.npz").values()
    with subprocess.Popen(
        [str(tmp_path / "http_service"), str(MODEL), "0", "2"],
        env=os.environ | {"OARLOCK_ORT_LIBRARY": engine()},
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdout is not None
        url = service.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        body = {"inputs": {"x": {"shape": list(x.shape), "data": x.ravel().tolist()}}}
        with ThreadPoolExecutor(8) as threads:
            for status, answer in threads.map(lambda _: post(f"{url}/run", body), range(100)):
                assert status == 200
                first = next(iter(answer["outputs"].values()))
                got = np.array(first["data"], "float32").reshape(first["shape"])
                np.testing.assert_allclose(got, wanted, atol=1e-5)
        for wrong in (
            {},
            {"inputs": {"x": {"shape": [1, 5], "data": [0] * 5}}},
            {"inputs": {"x": {"shape": [1, 4], "data": ["a"] * 4}}},
            {"inputs": {"x": {"shape": [2**40, 2**40], "data": []}}},
            [[[[[[[[[[]]]]]]]]]],
        ):
            status, answer = post(f"{url}/run", wrong)
            assert status == 400, answer
            assert answer["error"]
        with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)) as sender:
            for chunked in (False, True):  # the connection remains usable
                spaces = b" " * (17 << 20)
                sender.request("POST", "/run", iter([spaces]) if chunked else spaces)
                response = sender.getresponse()
                assert response.status == 400
                assert "larger than 16777216 bytes" in json.load(response)["error"]
        with ThreadPoolExecutor(8) as threads:
            last = [threads.submit(post, f"{url}/run", body) for _ in range(8)]
            assert [answer.result()[0] for answer in last] == [200] * 8
        service.send_signal(signal.SIGTERM)
        assert service.wait(20) == 0
    # A signal that arrives before the service listens is not lost.
    with subprocess.Popen(
        [str(tmp_path / "http_service"), str(MODEL), "0", "1"],
        env=os.environ | {"OARLOCK_ORT_LIBRARY": engine()},
        stdout=subprocess.PIPE,
    ) as service:
        assert service.stdout is not None
        service.stdout.readline()
        service.send_signal(signal.SIGTERM)
        assert service.wait(20) == 0


def post(url: str, body: Any) -> tuple[int, Any]:
    """Return the status and the JSON of the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_pkg_config(installed: Path) -> None:
    (folder,) = installed.glob("lib*/pkgconfig")
    env = os.environ | {"PKG_CONFIG_PATH": str(folder)}
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "oarlock"],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    assert "-loarlock" in flags.stdout


def test_runner_equals_paddle(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    call(
        installed / "bin" / "oarlock-runner",
        "run",
        MODEL,
        "--input",
        f"{MODEL}.in.npz",
        "--output",
        out,
    )
    got, wanted = np.load(out), np.load(f"{MODEL}.out.npz")
    assert got.files == wanted.files
    for name in wanted.files:
        np.testing.assert_allclose(got[name], wanted[name], atol=1e-5)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run"], 2, "missing argument 'MODEL'"),
        (["run", "m", "--colour"], 2, "no option --colour"),
        (["dance", "m"], 2, "no command dance"),
        (["bench", "m", "--repeat", "some"], 2, "--repeat requires an integer of 0 or more"),
        (["inspect", "/no/such/model"], 1, "there is neither /no/such/model.pdmodel nor"),
        (["inspect", str(MODEL)], 0, ""),
    ],
)
def test_exit_codes(installed: Path, words: list[str], code: int, said: str) -> None:
    done = subprocess.run(
        [str(installed / "bin" / "oarlock-runner"), *words],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code
    assert said in done.stderr
