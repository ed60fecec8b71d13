"""Distributions and linear algebra."""

import oarlock as paddle
from oarlock.distribution import Normal, kl_divergence

normal = Normal(paddle.zeros([2]), paddle.ones([2]))
print(normal.sample([3]).shape, normal.log_prob(paddle.zeros([2])))
print(kl_divergence(normal, Normal(0.0, 2.0)))
a = paddle.eye(3)
print(paddle.linalg.inv(a), paddle.linalg.norm(a, p=2), paddle.linalg.cholesky(a))
q, r = paddle.linalg.qr(a)
print(paddle.fft.rfft(a).shape, q.shape, r.shape)
