"""A static program."""

import numpy as np

import oarlock as paddle

paddle.enable_static()
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [None, 4], "float32")
    y = paddle.static.nn.fc(x, size=2)
    loss = y.mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
executor = paddle.static.Executor(paddle.CPUPlace())
executor.run(startup)
(value,) = executor.run(main, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])
print(value)
paddle.disable_static()
