"""A trace that refuses: what Python read while a layer was recorded is kept with the model, and
checked on every call.

python guards.py
- needs no arguments; prints each assumption, and the refusal of a call that breaks it.
"""

import tempfile
from pathlib import Path

import oarlock as paddle
from oarlock import nn


class Pairs(nn.Layer):
    """Joins neighbouring rows: Python looks at the number of rows.   x [2 N, 4] -> [N, 6]"""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        """See the class."""
        rows = x.shape[0]
        return self.fc(x).reshape([rows // 2, 6])


class Repeated(nn.Layer):
    """Goes as often through one layer as it is told: Python looks at a value.

    x [N, 4], times [] -> [N, 4]
    """

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, times):
        """See the class."""
        for _ in range(int(times)):
            x = nn.functional.tanh(self.fc(x))
        return x


class Signed(nn.Layer):
    """Takes another way for a batch that is negative on the whole.   x [N, 4] -> [N, 4]"""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        """See the class."""
        if x.mean() > 0:
            return self.fc(x)
        return -x


def refused(call, *inputs):
    """What the refusal of a call says.   AssertionError where it is not refused."""
    try:
        call(*inputs)
    except paddle.GuardError as error:
        return str(error)
    raise AssertionError("the call was not refused")


def main():
    """Trace, call, save, load, call."""
    x, three = paddle.ones([4, 4]), paddle.to_tensor(3)
    cases = [
        (Pairs(), [x], [2 * x], [paddle.ones([6, 4])]),
        (Repeated(), [x, three], [paddle.ones([6, 4]), three], [x, paddle.to_tensor(5)]),
    ]
    for layer, example, other, wrong in cases:
        layer.eval()
        _, traced = paddle.jit.TracedLayer.trace(layer, example)
        for a in traced.assumptions:
            print(
                f"{type(layer).__name__} assumes {a.var} {a.reader} == {a.expected}, read at "
                f"{a.where}: {a.text}"
            )
        traced(other)  # other values, and sizes that nobody read, are fine
        print(f"refused: {refused(traced, wrong)}\n")

        with tempfile.TemporaryDirectory() as folder:
            traced.save_inference_model(Path(folder, "m"))
            loaded = paddle.jit.load(Path(folder, "m"))  # the assumptions are in the file
            loaded(*other)
            refused(loaded, *wrong)

    # A trace has the one branch that it took.  jit.save converts the source: the file has both, and
    # assumes nothing.
    net = Signed()
    net.eval()
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(
            net, Path(folder, "m"), input_spec=[paddle.static.InputSpec([None, 4], name="x")]
        )
        loaded = paddle.jit.load(Path(folder, "m"))
        print(f"jit.save: {len(loaded.program().blocks)} blocks, assumptions: {loaded.assumptions}")
        assert (loaded(-x).numpy() == x.numpy()).all()


if __name__ == "__main__":
    main()
