"""Train with Model."""

import oarlock as paddle
from oarlock import nn
from oarlock.io import TensorDataset
from oarlock.metric import Accuracy
from oarlock.static import InputSpec

x = paddle.randn([16, 4])
data = TensorDataset([x, (x.sum(axis=1, keepdim=True) > 0).astype("int64")])
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
model = paddle.Model(net, InputSpec([None, 4], "float32", "x"), InputSpec([None, 1], "int64", "y"))
optimizer = paddle.optimizer.Adam(parameters=model.parameters())
model.prepare(optimizer, nn.CrossEntropyLoss(), Accuracy(topk=(1,)))
model.fit(data, epochs=1, batch_size=8, verbose=0)
print(model.evaluate(data, batch_size=8, verbose=0))
print(model.predict(data, batch_size=8, verbose=0))
