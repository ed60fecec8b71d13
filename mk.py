import oarlock as paddle, numpy as np


class N(paddle.nn.Layer):
    def forward(self, x):
        y = x
        while y.sum() < 10:
            y = y * 2 + 1
        return y


n = N()
n.eval()
paddle.jit.save(
    n, "/tmp/unity/cf", input_spec=[paddle.static.InputSpec([None, 2], "float32")], format="paddle3"
)
np.savez("/tmp/unity/cf.0.in.npz", np.ones((2, 2), "float32"))
