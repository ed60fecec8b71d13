"""Networks that learn digits [N, 8, 8], for Oarlock and real Paddle.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import numpy as np


def lenet(P):
    """Two convolutions and two dense layers."""
    nn = P.nn
    return nn.Sequential(
        Reshaped(P, [-1, 1, 8, 8])(),
        nn.Conv2D(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )


def Reshaped(P, shape):
    """A Layer that reshapes its input."""

    class Reshape(P.nn.Layer):
        def forward(self, x):
            return x.reshape(shape)

    return Reshape


def resnet(P):
    """Three blocks with batch norm, the second with a stride."""
    nn = P.nn

    class Block(nn.Layer):
        def __init__(self, ins, outs, stride):
            super().__init__()
            self.a = nn.Conv2D(ins, outs, 3, stride=stride, padding=1, bias_attr=False)
            self.norm_a = nn.BatchNorm2D(outs)
            self.b = nn.Conv2D(outs, outs, 3, padding=1, bias_attr=False)
            self.norm_b = nn.BatchNorm2D(outs)
            self.short = None if ins == outs else nn.Conv2D(ins, outs, 1, stride=stride)

        def forward(self, x):
            y = self.norm_b(self.b(nn.functional.relu(self.norm_a(self.a(x)))))
            return nn.functional.relu(y + (x if self.short is None else self.short(x)))

    return nn.Sequential(
        Reshaped(P, [-1, 1, 8, 8])(),
        nn.Conv2D(1, 8, 3, padding=1),
        Block(8, 8, 1),
        Block(8, 16, 2),
        Block(16, 16, 1),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


def lstm(P):
    """The rows of a digit as a sequence; the last state is classified."""

    class Net(P.nn.Layer):
        def __init__(self):
            super().__init__()
            self.rnn = P.nn.LSTM(8, 32)
            self.head = P.nn.Linear(32, 10)

        def forward(self, x):
            return self.head(self.rnn(x)[0][:, -1])

    return Net()


def transformer(P):
    """The rows of a digit as tokens with learned positions; their mean is classified."""

    class Net(P.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = P.nn.Linear(8, 32)
            self.place = self.create_parameter(
                [8, 32], default_initializer=P.nn.initializer.Normal(std=0.5)
            )
            layer = P.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu")
            self.encoder = P.nn.TransformerEncoder(layer, 2)
            self.head = P.nn.Linear(32, 10)

        def forward(self, x):
            return self.head(self.encoder(self.table(x) + self.place).mean(1))

    return Net()


def clipped(P):
    return P.nn.ClipGradByGlobalNorm(1.0)


# Case -> network, optimizer.
CASES = {
    "lenet_momentum": (lenet, lambda P, p: P.optimizer.Momentum(0.05, 0.9, p, weight_decay=1e-4)),
    "lenet_adam": (lenet, lambda P, p: P.optimizer.Adam(0.003, parameters=p)),
    "resnet_sgd": (resnet, lambda P, p: P.optimizer.SGD(0.2, p, weight_decay=1e-4)),
    "resnet_momentum": (resnet, lambda P, p: P.optimizer.Momentum(0.05, 0.9, p, use_nesterov=True)),
    "lstm_adam": (lstm, lambda P, p: P.optimizer.Adam(0.01, parameters=p)),
    "transformer_adamw": (
        transformer,
        lambda P, p: P.optimizer.AdamW(
            0.002, parameters=p, weight_decay=0.01, grad_clip=clipped(P)
        ),
    ),
}


def train(P, net, rule, images, labels):
    """The loss of each batch.   images [steps, N, 8, 8], labels [steps, N]"""
    losses = []
    for x, y in zip(images, labels, strict=True):
        loss = P.nn.functional.cross_entropy(net(P.to_tensor(x)), P.to_tensor(y))
        loss.backward()
        rule.step()
        rule.clear_grad()
        losses.append(float(loss))
    return losses


def accuracy(P, net, images, labels):
    """The share of digits that are known.   images [N, 8, 8], labels [N]"""
    net.eval()
    with P.no_grad():
        return float(
            (net(P.to_tensor(images)).argmax(1) == P.to_tensor(labels)).astype("float32").mean()
        )


def run(P, case, folder):
    """Return the losses and the final state of `case`, trained from the state and batches in
    `folder`.
    """
    make, rule = CASES[case]
    net = make(P)
    net.set_state_dict(P.load(f"{folder}/start.pdparams"))
    with np.load(f"{folder}/batches.npz") as held:
        losses = train(P, net, rule(P, net.parameters()), held["images"], held["labels"])
    return losses, {name: value.numpy() for name, value in net.state_dict().items()}
