"""The C++ pipeline returns what the Python one does: `oarlock-runner pipeline`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import pipeline
from oarlock.cli.demo import runner_path
from oarlock.cli.pipeline import write_pipeline_config
from oarlock.loader.engine import ort_library_path

from . import networks
from .test_paddlex import CASES, array

IMAGES = [array(case["image"]) for case in (*CASES["ocr"], *CASES["resize"][-3:])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpp")
    for name in networks.DIRECTORIES:
        networks.write_directory(folder, name)
        write_pipeline_config(str(folder / name), None)
    rgb = {f"image{i}": image[:, :, ::-1] for i, image in enumerate(IMAGES)}
    np.savez(folder / "images.npz", **rgb)  # type: ignore[arg-type]
    return folder


def runner(*words: object) -> subprocess.CompletedProcess[str]:
    command = [runner_path(), "pipeline", *map(str, words)]
    environment = {**os.environ, "OARLOCK_ORT_LIBRARY": ort_library_path()}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def results_of(*words: object) -> list[dict[str, Any]]:
    done = runner(*words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", networks.DIRECTORIES)
def test_tasks(folder: Path, name: str) -> None:
    got = results_of(folder / name, "--input", folder / "images.npz")
    wanted = pipeline.load(folder / name).predict(IMAGES)
    assert got == [{key: result[key] for key in got[0]} for result in wanted]


def test_text_system(folder: Path) -> None:
    got = results_of(folder / "det", folder / "rec", "--input", folder / "images.npz")
    reader = pipeline.load(folder / "det", rec=folder / "rec")
    assert got == [{key: result[key] for key in got[0]} for result in reader.predict(IMAGES)]
    assert len(got[0]["rec_texts"]) > 4


def test_errors(folder: Path, tmp_path: Path) -> None:
    done = runner(folder / "rec", folder / "det", "--input", folder / "images.npz")
    assert done.returncode == 1
    assert "needs text_detection and text_recognition" in done.stderr
    np.savez(tmp_path / "x.npz", x=np.zeros((4, 4)))
    done = runner(folder / "cls", "--input", tmp_path / "x.npz")
    assert "the array 'x' is no image" in done.stderr
    page = IMAGES[0]
    np.savez(tmp_path / "x.npz", a=page, b=np.zeros((4, 4)), c=page)
    for words in ([folder / "cls"], [folder / "det", folder / "rec"]):
        done = runner(*words, "--input", tmp_path / "x.npz")
        assert done.returncode == 1
        first, error, last = map(json.loads, done.stdout.splitlines())
        assert first == last
        assert "the array 'b' is no image" in error["error"]
        assert done.stderr.startswith("b: pipeline: the array 'b' is no image")
    np.savez(tmp_path / "x.npz", **{"a\x1b[2J": np.zeros((4, 4))})
    done = runner(folder / "cls", "--input", tmp_path / "x.npz")
    assert "\x1b" not in done.stdout + done.stderr
    networks.write_directory(tmp_path, "cls")
    done = runner(tmp_path / "cls", "--input", tmp_path / "x.npz")
    assert "oarlock pipeline-config DIR" in done.stderr
