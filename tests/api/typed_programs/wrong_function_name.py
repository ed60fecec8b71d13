"""A misspelled function."""

import oarlock as paddle

x = paddle.zero([2, 3])  # error
print(paddle.zeros([2, 3]).shape)
