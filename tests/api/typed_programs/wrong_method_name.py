"""Methods that a Tensor does not have."""

import oarlock as paddle

x = paddle.ones([2, 3])
print(x.summ())  # error
print(x.permute(1, 0))  # error
print(x.sum())


class Net(paddle.nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(2, 2)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.lienar(x)  # error


Net().paramters()  # error
