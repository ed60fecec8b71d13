"""A debugger in converted code, in a separate process: it stops at the user's lines, steps and
inspects as usual.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """\
import pdb
import oarlock as paddle
from oarlock.jit import to_static


@to_static
def f(x):
    y = x * 2
    if x.sum() > 0:
        z = y + 1
        pdb.set_trace()
        y = z * 5
    for i in range(2):
        breakpoint()
        y = y + i
    return y


f(paddle.ones([1, 3]))
"""


def test_breakpoints_in_branches_and_loops(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(SCRIPT)
    words = "p 'z is', z.shape\nw\nl 10, 12\nc\np 'i is', i\nc\np 'i is', i\nc\n"
    done = subprocess.run(
        [sys.executable, str(path)], input=words, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout
    for line in (12, 15):
        assert f"{path}({line})f()" in said
    assert "-> y = z * 5" in said
    assert "('z is', [1, 3])" in said
    assert "12  ->\t        y = z * 5" in said
    assert [line for line in said.splitlines() if "i is" in line] == [
        "(Pdb) ('i is', 0)",
        "(Pdb) ('i is', 1)",
    ]
    assert f"{path}(19)<module>()" in said  # `w` goes up to who called
