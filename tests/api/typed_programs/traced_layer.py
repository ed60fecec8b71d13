"""Trace a layer and save the program."""

import oarlock as paddle
from oarlock import nn
from oarlock.jit import TracedLayer

outputs, traced = TracedLayer.trace(nn.Linear(3, 2), inputs=[paddle.ones([1, 3])])
traced.save_inference_model("traced")
print(outputs, traced([paddle.ones([2, 3])]))
