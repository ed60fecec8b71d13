"""Keep what real Paddle 1.8.5 gives for the cases: golden/TOPIC.npz.

    PYTHON_OF_PADDLE_1_8_5 tests/fluid/make_golden.py [TOPIC ...]

Runs on Python 3.7, under the real package.   A case that fails there is named, and kept out.
"""

import importlib
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def topics():
    """All modules of cases."""
    names = sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".py"))
    return [n for n in names if n not in ("__init__", "common")]


def results(found):
    """Return the results of a case as a dict of arrays."""
    if isinstance(found, dict):
        return {str(k): np.asarray(v) for k, v in found.items()}
    listed = found if isinstance(found, (list, tuple)) else [found]
    return {str(i): np.asarray(v) for i, v in enumerate(listed)}


def main():
    """Run the given topics, or all."""
    sys.path.insert(0, HERE)
    from paddle import fluid

    for topic in sys.argv[1:] or topics():
        module = importlib.import_module("cases." + topic)
        kept = {}
        for name in sorted(n for n in dir(module) if n.startswith("case_")):
            try:
                found = results(getattr(module, name)(fluid))
            except Exception as error:
                print(f"{topic}.{name}: {str(error).strip().splitlines()[-1]}")
                continue
            kept.update({name + "/" + key: value for key, value in found.items()})
        np.savez_compressed(os.path.join(HERE, "golden", topic + ".npz"), **kept)
        print(topic, len(kept))


if __name__ == "__main__":
    main()
