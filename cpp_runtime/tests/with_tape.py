"""Run pytest with another build of oarlock.core._tape: `with_tape.py LIBRARY [what pytest takes]`."""

import importlib.util
import sys

import pytest

NAME = "oarlock.core._tape"

spec = importlib.util.spec_from_file_location(NAME, sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.modules[NAME] = module  # the package finds it there
sys.exit(pytest.main(sys.argv[2:]))
