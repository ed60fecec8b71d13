"""Record the results of real Paddle 1.8.5's readers:

~/.cache/oarlock/paddle-1.8.5/bin/python tests/compat/make_readers.py
"""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import paddle  # noqa: E402
import paddle.dataset  # noqa: E402
import paddle.reader  # noqa: E402
import small_data_sets  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        small_data_sets.make(folder)
        common = paddle.dataset.common
        common.DATA_HOME = folder
        common.download = lambda url, module, md5, name=None: os.path.join(
            folder, module, name or url.split("/")[-1]
        )
        paddle.dataset.uci_housing.feature_range = lambda *_: None  # draws a picture
        told = {
            "data_sets": small_data_sets.data_sets(paddle),
            "readers": small_data_sets.readers(paddle),
        }
    with open(os.path.join(HERE, "readers_1_8_5.json"), "w") as file:
        json.dump(
            {
                k: {n: small_data_sets.to_json_value(v) for n, v in d.items()}
                for k, d in told.items()
            },
            file,
            separators=(",", ":"),
            sort_keys=True,
        )
        file.write("\n")


if __name__ == "__main__":
    main()
