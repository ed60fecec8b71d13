"""Too many and too few arguments."""

import oarlock as paddle

x = paddle.ones([2, 3])
paddle.matmul(x)  # error
x.reshape()  # error
paddle.tanh(x, "a", "b")  # error
paddle.jit.save(path="net")  # error
