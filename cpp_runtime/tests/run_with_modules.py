"""Run pytest with other builds of extension modules.

run_with_modules.py NAME=LIBRARY ... ARGUMENTS
"""

import importlib.util
import sys

import pytest

modules = [arg.split("=", 1) for arg in sys.argv[1:] if arg.startswith("oarlock.")]
for name, library in modules:
    spec = importlib.util.spec_from_file_location(name, library)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # the package finds it there
    spec.loader.exec_module(module)
sys.exit(pytest.main(sys.argv[1 + len(modules) :]))
