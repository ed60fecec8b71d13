"""Lay the package out as links under build/typing: type checkers cannot see through an editable
install.
"""

import pathlib
import shutil
import sysconfig
import tomllib

root = pathlib.Path(__file__).resolve().parents[2]
tree = root / "build" / "typing"


def main() -> None:
    """Make the tree anew."""
    shutil.rmtree(tree, ignore_errors=True)
    table = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"][
        "packages"
    ]
    for target, source in table.items():
        place = tree / target
        place.parent.mkdir(parents=True, exist_ok=True)
        # the stub of the C++ runtime lies where it was installed, not in the sources
        if target == "oarlock/loader":
            place.mkdir()
            for file in (root / source).iterdir():
                (place / file.name).symlink_to(file)
        else:
            place.symlink_to(root / source)
    stub = pathlib.Path(sysconfig.get_path("purelib"), "oarlock", "loader", "_runtime.pyi")
    if stub.exists():
        (tree / "oarlock" / "loader" / stub.name).symlink_to(stub)


main()
