"""Keep programs of real Paddle 1.8.5 as it saves them: files/*.npz.

    PYTHON_OF_PADDLE_1_8_5 tests/fluid/make_files.py

Runs on Python 3.7, under the real package.
"""

import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    """Write the files."""
    sys.path.insert(0, HERE)
    from cases import control, read_again, translation
    from paddle import fluid

    saved = {
        "translation": translation.translate,
        "steps": control.save_steps,
        "said_otherwise": read_again.save_said_otherwise,
    }
    for name, save in saved.items():
        with tempfile.TemporaryDirectory() as folder:
            save(fluid, folder)
            files = {
                n: np.fromfile(os.path.join(folder, n), "uint8") for n in sorted(os.listdir(folder))
            }
        np.savez_compressed(os.path.join(HERE, "files", name + ".npz"), **files)


if __name__ == "__main__":
    main()
