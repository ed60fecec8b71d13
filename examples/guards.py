"""Guards of traces: the values that Python reads while a layer is traced are saved with the model
and checked in every call.

python guards.py
- prints each guard, and the error of a call that violates it.
"""

import tempfile
from pathlib import Path

import oarlock as paddle
from oarlock import nn


class Pairs(nn.Layer):
    """Join neighboring rows; Python reads the number of rows: x [2 N, 4] -> [N, 6]."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        """Apply a linear layer and join pairs of rows."""
        rows = x.shape[0]
        return self.fc(x).reshape([rows // 2, 6])


class Repeated(nn.Layer):
    """Apply one layer `times` times; Python reads a value: x [N, 4], times [] -> [N, 4]."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, times):
        """Apply the layer `times` times."""
        for _ in range(int(times)):
            x = nn.functional.tanh(self.fc(x))
        return x


class Signed(nn.Layer):
    """Take another branch if the mean of the batch is negative: x [N, 4] -> [N, 4]."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        """Apply the layer, or negate the input."""
        if x.mean() > 0:
            return self.fc(x)
        return -x


def guard_message(call, *inputs):
    """Return the message of the GuardError of a call; AssertionError if the call succeeds."""
    try:
        call(*inputs)
    except paddle.GuardError as error:
        return str(error)
    raise AssertionError("the call raised no GuardError")


def main():
    """Trace, call, save, load, and call again."""
    x, three = paddle.ones([4, 4]), paddle.to_tensor(3)
    cases = [
        (Pairs(), [x], [2 * x], [paddle.ones([6, 4])]),
        (Repeated(), [x, three], [paddle.ones([6, 4]), three], [x, paddle.to_tensor(5)]),
    ]
    for layer, example, other, wrong in cases:
        layer.eval()
        _, traced = paddle.jit.TracedLayer.trace(layer, example)
        for a in traced.guards:
            print(
                f"{type(layer).__name__} assumes {a.var} {a.reader} == {a.expected}, read at "
                f"{a.where}: {a.text}"
            )
        traced(other)  # other values, and sizes that Python did not read, are valid
        print(f"GuardError: {guard_message(traced, wrong)}\n")

        with tempfile.TemporaryDirectory() as folder:
            traced.save_inference_model(Path(folder, "m"))
            loaded = paddle.jit.load(Path(folder, "m"))  # the saved file contains the guards
            loaded(*other)
            guard_message(loaded, *wrong)

    # A trace contains only the executed branch.  jit.save converts the source code, so the file has
    # both branches and no guards.
    net = Signed()
    net.eval()
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(
            net, Path(folder, "m"), input_spec=[paddle.static.InputSpec([None, 4], name="x")]
        )
        loaded = paddle.jit.load(Path(folder, "m"))
        print(f"jit.save: {len(loaded.program().blocks)} blocks, guards: {loaded.guards}")
        assert (loaded(-x).numpy() == x.numpy()).all()


if __name__ == "__main__":
    main()
