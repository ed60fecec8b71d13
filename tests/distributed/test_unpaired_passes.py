"""Forward and backward passes that do not come in pairs, and `Model.fit`, train the weights of one
rank.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .launched import PROGRAMS, launch


def train(ranks: int, folder: Path) -> dict[str, np.ndarray]:
    folder.mkdir()
    done = launch(PROGRAMS / "unpaired_passes.py", ranks, folder / "logs", folder / "out.npz")
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(folder / "out.npz") as found:
        return dict(found)


@pytest.mark.slow
def test_weights_equal_single_rank_training(tmp_path: Path) -> None:
    alone, found = train(1, tmp_path / "one"), train(2, tmp_path / "two")
    assert len({name.split("/")[0] for name in alone}) == 7 and found.keys() == alone.keys()
    assert [
        name for name in alone if not np.allclose(found[name], alone[name], rtol=0, atol=1e-12)
    ] == []
    saved = {path.name for path in (tmp_path / "two" / "out.npz.saved").iterdir()}
    assert {"0.pdparams", "final.pdparams"} <= saved
    printed = (tmp_path / "two" / "logs" / "workerlog.1").read_text()
    assert printed == ""  # of two ranks the first one speaks
