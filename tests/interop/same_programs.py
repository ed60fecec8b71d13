"""The same code for Oarlock and for real Paddle: whole little programs, as people write them; see
same_code.py.
"""

import numpy as np


def data(*shape):
    """Return numbers that depend only on the shape."""
    return np.random.default_rng([42, *shape]).uniform(-1, 1, shape).astype("float32")


def whole(low, high, shape):
    """Whole numbers, likewise."""
    return np.random.default_rng([2024, *shape]).integers(low, high, shape)


def fill(layer):
    """Give every parameter and buffer reproducible values."""
    for i, (name, tensor) in enumerate(sorted(layer.state_dict().items())):
        size = int(np.prod(tensor.shape)) if tensor.shape else 1
        value = 0.4 * np.sin(1.0 + 0.7 * np.arange(size) + i).reshape(tensor.shape).astype(
            "float32"
        )
        tensor.set_value(np.abs(value) + 0.5 if "variance" in name else value)
    return layer


def steps(P, optimizer, loss_of, count=4):
    """The losses of some steps."""
    losses = []
    for _ in range(count):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return np.array(losses, "float32")


PICTURES, DIGITS, CLASSES = data(4, 3, 16, 16), data(6, 1, 12, 12), whole(0, 5, (4,))
WORDS, NEXT = whole(1, 20, (4, 7)), whole(1, 20, (4, 7))


def unet(P):
    """Down, up, and joined again; upsampling and transposed convolution."""
    nn = P.nn

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.down = nn.Sequential(
                nn.Conv2D(3, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.Swish(), nn.MaxPool2D(2)
            )
            self.middle = nn.Sequential(
                nn.Conv2D(6, 8, 3, padding=2, dilation=2), nn.InstanceNorm2D(8), nn.LeakyReLU(0.2)
            )
            self.up = nn.Conv2DTranspose(8, 6, 2, stride=2)
            self.grow = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
            self.last = nn.Conv2D(14, 2, 1)

        def forward(self, x):
            low = self.middle(self.down(x))
            return self.last(P.concat([self.up(low), self.grow(low)], axis=1))

    net = fill(Net())
    adam = P.optimizer.AdamW(0.01, parameters=net.parameters(), weight_decay=0.05)
    mask = P.to_tensor((PICTURES[:, :1] > 0).astype("float32"))

    def loss():
        out = P.nn.functional.softmax(net(P.to_tensor(PICTURES)), axis=1)[:, 1:]
        dice = 1 - (2 * (out * mask).sum() + 1) / (out.sum() + mask.sum() + 1)
        return dice + P.nn.functional.binary_cross_entropy(out.clip(1e-4, 1 - 1e-4), mask)

    return {"losses": steps(P, adam, loss), "out": net(P.to_tensor(PICTURES)).numpy()}


def vae(P):
    """Variational autoencoder with given noise."""
    nn = P.nn
    encoder, decoder = (
        fill(nn.Sequential(nn.Flatten(), nn.Linear(144, 16), nn.Tanh(), nn.Linear(16, 8))),
        fill(nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 144))),
    )
    adam = P.optimizer.Adam(
        0.01,
        parameters=[*encoder.parameters(), *decoder.parameters()],
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    x, noise = P.to_tensor(np.abs(DIGITS)), P.to_tensor(data(6, 4))

    def loss():
        mean, log_variance = P.split(encoder(x), 2, axis=-1)
        z = mean + noise * P.exp(0.5 * log_variance)
        found = (
            P.nn.functional.binary_cross_entropy_with_logits(
                decoder(z), x.flatten(1), reduction="none"
            )
            .sum(-1)
            .mean()
        )
        return (
            found - 0.5 * P.sum(1 + log_variance - mean.pow(2) - log_variance.exp(), axis=1).mean()
        )

    return {"losses": steps(P, adam, loss)}


def gradient_penalty(P):
    """A critic trained as WGAN-GP: the gradient of a gradient's norm."""
    nn = P.nn
    critic = fill(
        nn.Sequential(
            nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 12), nn.Sigmoid(), nn.Linear(12, 1)
        )
    )
    rms = P.optimizer.RMSProp(0.01, parameters=critic.parameters())
    real, fake, mix = (
        P.to_tensor(data(8, 6)),
        P.to_tensor(data(8, 6)),
        P.to_tensor(np.abs(data(8, 1))),
    )

    def loss():
        between = mix * real + (1 - mix) * fake
        between.stop_gradient = False
        (slope,) = P.grad(critic(between).sum(), [between], create_graph=True)
        penalty = ((slope.norm(2, axis=1) - 1) ** 2).mean()
        return critic(fake).mean() - critic(real).mean() + 10 * penalty

    return {"losses": steps(P, rms, loss)}


def physics(P):
    """A network that learns y'' = -y: second derivatives by the input, in the loss."""
    nn = P.nn
    net = fill(nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1)))
    adam = P.optimizer.Adam(0.02, parameters=net.parameters())

    def loss():
        t = P.to_tensor(np.linspace(0, 1, 9, dtype="float32")[:, None], stop_gradient=False)
        y = net(t)
        (slope,) = P.grad(y.sum(), t, create_graph=True)
        (bend,) = P.grad(slope.sum(), t, create_graph=True)
        return ((bend + y) ** 2).mean() + (y[0] - 1).pow(2).sum() + slope[0].pow(2).sum()

    return {"losses": steps(P, adam, loss, 5)}


def language(P):
    """A small language model: embedding, causal Transformer, tied output."""
    nn = P.nn

    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(20, 12, padding_idx=0), nn.Embedding(7, 12)
            layer = nn.TransformerEncoderLayer(
                12, 3, 24, dropout=0.0, activation="gelu", normalize_before=True
            )
            self.body, self.norm = nn.TransformerEncoder(layer, 2), nn.LayerNorm(12)

        def forward(self, ids):
            x = self.words(ids) + self.places(P.arange(ids.shape[1]))
            mask = P.triu(P.full([ids.shape[1], ids.shape[1]], float("-inf")), 1)
            return P.matmul(self.norm(self.body(x, mask)), self.words.weight, transpose_y=True)

    model = fill(Model())
    schedule = P.optimizer.lr.LinearWarmup(
        P.optimizer.lr.CosineAnnealingDecay(0.02, 10), 2, 0.0, 0.02
    )
    adam = P.optimizer.Adam(schedule, parameters=model.parameters())
    cross = nn.CrossEntropyLoss(ignore_index=3)
    losses = []
    for _ in range(5):
        loss = cross(model(P.to_tensor(WORDS)).reshape([-1, 20]), P.to_tensor(NEXT).flatten())
        loss.backward()
        adam.step()
        schedule.step()
        adam.clear_grad()
        losses.append(float(loss))
    best = P.topk(model(P.to_tensor(WORDS))[:, -1], 3)[1]
    return {"losses": np.array(losses, "float32"), "best": best.numpy()}


def translation(P):
    """Encoder and decoder with attention, step by step, teacher forcing."""
    nn, F = P.nn, P.nn.functional

    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.source, self.target = nn.Embedding(20, 8), nn.Embedding(20, 8)
            self.encoder, self.cell = nn.GRU(8, 6, direction="bidirect"), nn.LSTMCell(8 + 12, 10)
            self.query, self.out = nn.Linear(10, 12), nn.Linear(10, 20)

        def forward(self, source, target):
            memory, _ = self.encoder(self.source(source))
            h = c = P.zeros([source.shape[0], 10])
            found = []
            for t in range(target.shape[1]):
                weights = F.softmax(P.bmm(memory, self.query(h).unsqueeze(-1)), axis=1)
                context = (memory * weights).sum(1)
                _, (h, c) = self.cell(P.concat([self.target(target[:, t]), context], -1), (h, c))
                found.append(self.out(h))
            return P.stack(found, 1)

    model = fill(Model())
    sgd = P.optimizer.Momentum(
        P.optimizer.lr.StepDecay(0.1, 2),
        0.9,
        parameters=model.parameters(),
        weight_decay=P.regularizer.L2Decay(1e-3),
    )

    def loss():
        out = model(P.to_tensor(WORDS), P.to_tensor(NEXT[:, :-1]))
        return F.cross_entropy(out, P.to_tensor(NEXT[:, 1:]).unsqueeze(-1))

    return {"losses": steps(P, sgd, loss)}


def speech(P):
    """Convolution, recurrence and CTC."""
    nn = P.nn
    front, lstm, head = (
        fill(nn.Conv1D(5, 8, 3, padding=1)),
        fill(nn.LSTM(8, 6, time_major=True)),
        fill(nn.Linear(6, 5)),
    )
    parameters = [*front.parameters(), *lstm.parameters(), *head.parameters()]
    adam = P.optimizer.Adamax(0.01, parameters=parameters)
    sound, labels = P.to_tensor(data(3, 5, 12)), P.to_tensor(whole(1, 5, (3, 4)).astype("int32"))
    lengths, sizes = P.to_tensor(np.array([12, 12, 10])), P.to_tensor(np.array([4, 3, 2]))

    def loss():
        x = P.nn.functional.relu(front(sound)).transpose([2, 0, 1])
        return nn.CTCLoss(blank=0)(head(lstm(x)[0]), labels, lengths, sizes)

    return {"losses": steps(P, adam, loss)}


def siamese(P):
    """Triplets of images in one network with squeeze and excitation."""
    nn, F = P.nn, P.nn.functional

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = (
                nn.Conv2D(1, 8, 3, stride=2, padding="SAME", bias_attr=False),
                nn.BatchNorm2D(8),
            )
            self.small, self.large = nn.Linear(8, 4), nn.Linear(4, 8)
            self.depth, self.point = nn.Conv2D(8, 8, 3, groups=8, padding=1), nn.Conv2D(8, 4, 1)

        def forward(self, x):
            x = F.hardswish(self.norm(self.conv(x)))
            gate = F.hardsigmoid(
                self.large(F.relu(self.small(F.adaptive_avg_pool2d(x, 1).flatten(1))))
            )
            x = self.point(self.depth(x * gate.unsqueeze([2, 3])))
            return F.normalize(P.flatten(F.adaptive_max_pool2d(x, 2), 1))

    net = fill(Net())
    sgd = P.optimizer.SGD(P.optimizer.lr.ExponentialDecay(0.1, 0.9), parameters=net.parameters())
    a, b, c = (P.to_tensor(DIGITS[i : i + 2]) for i in (0, 2, 4))

    def loss():
        return F.triplet_margin_loss(net(a), net(b), net(c), margin=2.0) + F.cosine_embedding_loss(
            net(a), net(c), P.to_tensor(np.array([-1, -1])), margin=0.1
        )

    losses = steps(P, sgd, loss)
    net.eval()
    return {"losses": losses, "eval": net(a).numpy(), "mean": net.norm._mean.numpy()}


def policy(P):
    """Policy gradient with a move mask, advanced indexing and in-place writes."""
    nn, F = P.nn, P.nn.functional
    net = fill(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)))
    adam = P.optimizer.Lamb(0.01, parameters=net.parameters())
    states, moves, gains = (
        P.to_tensor(data(6, 4)),
        P.to_tensor(whole(0, 2, (6,))),
        P.to_tensor(data(6)),
    )

    def loss():
        scores = net(states) * 1.0
        scores[:, 2] = -1e9
        chances = F.log_softmax(scores, -1)
        taken = chances[P.arange(6), moves]
        entropy = -(chances[:, :2].exp() * chances[:, :2]).sum(-1)
        return (
            -(taken * (gains - gains.mean()) / (gains.std() + 1e-6)).mean() - 0.01 * entropy.mean()
        )

    return {"losses": steps(P, adam, loss)}


def style(P):
    """Style transfer: the image is the parameter."""
    conv = fill(P.nn.Conv2D(3, 4, 3, padding=1, padding_mode="reflect"))
    for p in conv.parameters():
        p.stop_gradient = True
    picture = P.create_parameter(
        [1, 3, 16, 16], "float32", default_initializer=P.nn.initializer.Assign(PICTURES[:1])
    )
    adam = P.optimizer.Adagrad(0.1, parameters=[picture])

    def gram(x):
        f = conv(x).reshape([4, -1])
        return P.matmul(f, f, transpose_y=True) / f.shape[1]

    wanted = gram(P.to_tensor(PICTURES[1:2]))
    return {
        "losses": steps(
            P,
            adam,
            lambda: (
                P.nn.functional.mse_loss(gram(picture), wanted)
                + 0.01 * P.abs(picture[:, :, 1:] - picture[:, :, :-1]).mean()
            ),
        )
    }


def ragged(P):
    """Sequences of different length, sorted, masked, pooled; scatter, gather and where."""
    ids, sizes = P.to_tensor(WORDS), P.to_tensor(np.array([7, 2, 5, 3]))
    table = P.to_tensor(data(20, 6), stop_gradient=False)
    order = P.argsort(sizes, descending=True)
    x = P.gather(table, ids.flatten()).reshape([4, 7, 6])
    mask = (P.arange(7).unsqueeze(0) < sizes.unsqueeze(1)).astype("float32").unsqueeze(-1)
    mean = (x * mask).sum(1) / sizes.unsqueeze(1).astype("float32")
    best = P.where(mask > 0, x, P.full_like(x, -1e4)).max(1)
    counts = P.zeros([20]).scatter_nd_add(ids.reshape([-1, 1]), P.ones([28]))
    joined = P.index_select(P.concat([mean, best], -1), order)
    (joined * joined).sum().backward()
    return {
        "joined": joined.numpy(),
        "counts": counts.numpy(),
        "grad": table.grad.numpy(),
        "order": order.numpy(),
    }


CASES = {
    f"program.{f.__name__}": f
    for f in (
        unet,
        vae,
        gradient_penalty,
        physics,
        language,
        translation,
        speech,
        siamese,
        policy,
        style,
        ragged,
    )
}
