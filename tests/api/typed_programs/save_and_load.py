"""Save a layer as a program, and load it."""

import oarlock as paddle
from oarlock import nn
from oarlock.static import InputSpec

net = nn.Linear(4, 2)
paddle.jit.save(net, "net", input_spec=[InputSpec([None, 4], "float32", name="x")])
layer = paddle.jit.load("net")
print(layer(paddle.ones([1, 4])), layer.state_dict().keys())
paddle.save(net.state_dict(), "net.pdparams")
net.set_state_dict(paddle.load("net.pdparams"))
