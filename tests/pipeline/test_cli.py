"""`oarlock run DIR IMAGE` and `oarlock pipeline-config`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from oarlock.cli.main import app

from . import networks
from .test_paddlex import CASES, array


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    for name in networks.DIRECTORIES:
        networks.write_directory(folder, name)
    Image.fromarray(array(CASES["ocr"][0]["image"])[:, :, ::-1]).save(folder / "page.png")
    return folder


def oarlock(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


def test_text_lines_as_json_and_image(folder: Path, tmp_path: Path) -> None:
    words = (folder / "det", folder / "page.png", "--rec", folder / "rec", "--batch-size", 3)
    code, text = oarlock("run", *words, "--output", tmp_path / "out", "--json")
    assert code == 0
    printed = json.loads(text)
    assert printed["rec_texts"] == CASES["ocr"][0]["result"]["rec_texts"]
    written = json.loads((tmp_path / "out" / "page_res.json").read_text())
    assert written == {**printed, "input_path": "page.png"}
    with Image.open(tmp_path / "out" / "page_res.png") as image:
        assert image.size == (640, 160)  # boxes on the left, texts on the right
    code, text = oarlock("run", *words)
    assert code == 0
    assert all(line in text for line in printed["rec_texts"])


@pytest.mark.parametrize(
    ("name", "part"), [("cls", "image"), ("detector", "dog"), ("rec", "v"), ("det", "[[")]
)
def test_other_tasks(folder: Path, tmp_path: Path, name: str, part: str) -> None:
    code, text = oarlock("run", folder / name, folder / "page.png", "--output", tmp_path)
    assert code == 0, text
    assert part in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["page_res.json", "page_res.png"]


def test_npz_runs_need_both_files(folder: Path) -> None:
    code, text = oarlock("run", folder / "det")
    assert code == 2
    assert "give --input IN.npz and --output OUT.npz, or images" in text
    code, text = oarlock("run", folder / "det", folder / "page.png", "--input", "x.npz")
    assert code == 2
    assert "not both" in text


def test_names_of_outputs_may_not_collide(folder: Path, tmp_path: Path) -> None:
    code, text = oarlock("run", folder / "cls", "a/x.png", "b/x.jpg", "--output", tmp_path)
    assert code == 1
    assert "several images have the name 'x'" in text


def test_out_is_a_folder(folder: Path) -> None:
    page = folder / "page.png"
    before = page.read_bytes()
    code, text = oarlock("run", folder / "cls", page, "--output", page)
    assert code == 1
    assert "is not a folder" in text.replace("\n", " ")
    assert page.read_bytes() == before


def test_control_characters_in_names_of_images(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2J.png"
    path.write_bytes((folder / "page.png").read_bytes())
    code, text = oarlock("run", folder / "cls", path)
    assert code == 0
    assert "\x1b[2J" not in text


def test_missing_image(folder: Path, tmp_path: Path) -> None:
    code, text = oarlock("run", folder / "cls", folder / "none.png", "--output", tmp_path)
    assert code == 1
    assert "run: there is no file" in text
    assert "none.png" in text
    assert not list(tmp_path.iterdir())


def test_broken_images_do_not_stop_the_others(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes((folder / "page.png").read_bytes()[:200])
    last = tmp_path / "last.png"
    last.write_bytes((folder / "page.png").read_bytes())
    words = (folder / "cls", folder / "page.png", broken, last, "--batch-size", 2)
    done = CliRunner().invoke(app, ["run", *map(str, words), "--json"])
    assert done.exit_code == 1
    first, error, second = map(json.loads, done.stdout.splitlines())
    assert first["class_ids"] == second["class_ids"]
    assert error["input_path"] == str(broken)
    assert error["error"].startswith("broken.png: is not a readable image")
    assert "run: 1 of 3 images failed" in done.stderr
    code, _ = oarlock("run", *words, "--output", tmp_path / "out")
    assert code == 1
    assert (tmp_path / "out" / "last_res.png").exists()


def test_pipeline_config(folder: Path) -> None:
    code, text = oarlock("pipeline-config", folder / "det")
    assert code == 0
    path = folder / "det" / "inference.yml.config.json"
    assert "inference.yml.config.json" in text
    assert json.loads(path.read_text()) == networks.text_detection()
    settings = folder / "det" / "inference.yml"
    before = settings.read_bytes()
    code, text = oarlock("pipeline-config", folder / "det", "-o", settings)
    assert code == 1
    assert "would be written over the settings file" in text.replace("\n", " ")
    assert settings.read_bytes() == before
