"""Wrong arguments of collectives, distributions and recurrent layers."""

import oarlock as paddle
import oarlock.distributed as dist
from oarlock import nn
from oarlock.distribution import Normal, kl_divergence

x = paddle.ones([2])
dist.all_reduce(x, group="all")  # error
dist.broadcast(x)  # error
dist.send([1.0, 2.0], dst=1)  # error
normal = Normal(0.0, object())  # error
normal.sample("3")  # error
kl_divergence(normal, 1.0)  # error
rnn = nn.LSTM(4, 8, num_layer=2)  # error
gru = nn.GRU("4", 8)  # error
decoder = nn.TransformerDecoder("layer", 2)  # error
hidden, cell, other = nn.LSTMCell(2, 2).forward(x)  # error
paddle.unique(x).tolst()  # error
paddle.unique(x, return_counts=True).tolist()  # error
