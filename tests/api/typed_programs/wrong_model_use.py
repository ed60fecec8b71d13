"""Wrong use of Model, jit and io."""

import oarlock as paddle
from oarlock import nn
from oarlock.io import DataLoader, Dataset

model = paddle.Model(nn.Linear(2, 2))
model.fitt()  # error
model.fit(epoch=3)  # error
paddle.jit.load()  # error
DataLoader(Dataset(), batchsize=3)  # error
