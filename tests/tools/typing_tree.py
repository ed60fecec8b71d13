"""Lay the package out as links under build/typing: type checkers cannot see through an editable
install.
"""

import os
import pathlib
import shutil
import sysconfig
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "typing"


def make() -> None:
    """Make the tree anew."""
    tree = TREE.with_name(f"typing-{os.getpid()}")  # other processes see a complete tree or none
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"][
        "packages"
    ]
    for target, source in table.items():
        place = tree / target
        place.parent.mkdir(parents=True, exist_ok=True)
        # the stub of the C++ runtime lies where it was installed, not in the sources
        if target == "oarlock/loader":
            place.mkdir()
            for file in (ROOT / source).iterdir():
                (place / file.name).symlink_to(file)
        else:
            place.symlink_to(ROOT / source)
    stub = pathlib.Path(sysconfig.get_path("purelib"), "oarlock", "loader", "_runtime.pyi")
    if stub.exists():
        (tree / "oarlock" / "loader" / stub.name).symlink_to(stub)
    shutil.rmtree(TREE, ignore_errors=True)
    tree.rename(TREE)


if __name__ == "__main__":
    make()
