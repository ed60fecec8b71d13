"""Keep a program of real Paddle 1.8.5 that translates, as it saves it: files/translation.npz.

    PYTHON_OF_PADDLE_1_8_5 tests/fluid/make_files.py

Runs on Python 3.7, under the real package.   With a folder it says what the program in there gives, which Oarlock may have saved.
"""

import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    """Write the file, or run what a folder holds."""
    sys.path.insert(0, HERE)
    from cases import translation
    from paddle import fluid

    if len(sys.argv) > 1:
        print({k: v.tolist() for k, v in translation.translate_by(fluid, sys.argv[1]).items()})
        return
    with tempfile.TemporaryDirectory() as folder:
        translation.translate(fluid, folder)
        files = {name: np.fromfile(os.path.join(folder, name), "uint8") for name in sorted(os.listdir(folder))}
    np.savez_compressed(os.path.join(HERE, "files", "translation.npz"), **files)


if __name__ == "__main__":
    main()
