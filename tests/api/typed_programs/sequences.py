"""Recurrent networks and transformers."""

import oarlock as paddle
from oarlock import nn

lstm = nn.LSTM(8, 16, num_layers=2, direction="bidirect", dropout=0.1)
outputs, (h, c) = lstm(paddle.zeros([2, 5, 8]))
embedding = nn.Embedding(100, 8, padding_idx=0)
attention = nn.MultiHeadAttention(8, num_heads=2)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), num_layers=1)
x = embedding(paddle.to_tensor([[1, 2, 3]]))
print(outputs.shape, h.shape, c.shape, attention(x).shape, encoder(x).shape)
