"""Quantization of a small network by layers. The same code runs in real Paddle and in Oarlock."""

import numpy as np

IMAGES = np.random.default_rng(3).standard_normal((6, 4, 3, 8, 8)).astype("float32")
LABELS = np.random.default_rng(4).integers(0, 5, (6, 4))


def network(paddle):
    """Return a network with the same parameters in each library."""
    nn = paddle.nn

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU())
            self.deep = nn.Conv2D(4, 4, 3, groups=4, padding=1, padding_mode="replicate")
            self.stub = nn.quant.Stub()
            self.pool = nn.AvgPool2D(4)
            self.out = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 5))

        def forward(self, x):
            y = self.stem(x)
            return self.out(self.pool(self.stub(self.deep(y)) + y))

    net, source = Net(), np.random.default_rng(5)
    for _, parameter in sorted((n, p) for n, p in net.named_parameters() if not p.stop_gradient):
        shape = parameter.shape
        parameter.set_value(source.uniform(-0.5, 0.5, shape).astype("float32"))
    return net


def train(paddle, net, rounds):
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    losses = []
    for k in range(rounds):
        loss = paddle.nn.functional.cross_entropy(
            net(paddle.to_tensor(IMAGES[k])), paddle.to_tensor(LABELS[k])
        )
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


def calibrate(paddle, net, rounds):
    for k in range(rounds):
        net(paddle.to_tensor(IMAGES[k]))
    return []


def config_of(paddle, name, net):
    """Return the config of a case of `QAT` or `PTQ`."""
    quantization = paddle.quantization
    from_data = quantization.observers.AbsmaxObserver()
    learned = quantization.quanters.FakeQuanterWithAbsMaxObserver(moving_rate=0.8)
    four_bits = quantization.quanters.FakeQuanterWithAbsMaxObserver(bit_length=4)
    if name == "ptq":
        return quantization.QuantConfig(from_data, from_data)
    if name == "ptq_weights":
        return quantization.QuantConfig(None, from_data)
    if name == "qat":
        return quantization.QuantConfig(learned, learned)
    config = quantization.QuantConfig(None, None)  # "qat_chosen"
    config.add_type_config(paddle.nn.Conv2D, activation=learned, weight=four_bits)
    config.add_type_config(paddle.nn.Sequential, activation=learned)
    config.add_layer_config(net.out[1], activation=learned, weight=learned)
    config.add_name_config([net.out[3].full_name()], activation=None, weight=learned)
    return config


def quantize(paddle, name):
    """Return the network with quanters or observers, and what converts it."""
    net, quantization = network(paddle), paddle.quantization
    if name.startswith("aware"):
        kind = "channel_wise_abs_max" if name == "aware_channels" else "abs_max"
        tool = quantization.ImperativeQuantAware(weight_quantize_type=kind)
        return tool.quantize(net), tool
    if name.startswith("imperative_ptq"):
        net.eval()
        tool = quantization.ImperativePTQ(
            quantization.PTQConfig(
                quantization.AbsmaxQuantizer(), quantization.PerChannelAbsmaxQuantizer()
            )
        )
        return tool.quantize(net), tool
    tool = (quantization.QAT if name.startswith("qat") else quantization.PTQ)(
        config_of(paddle, name, net)
    )
    if name.startswith("ptq"):
        net.eval()
    return tool.quantize(net), tool


NAMES = ["qat", "qat_chosen", "ptq", "ptq_weights", "aware", "aware_channels", "imperative_ptq"]


def arrays_of(net):
    return {name: value.numpy() for name, value in net.state_dict().items()}


def run(paddle, name, folder, rounds=5):
    """Train or calibrate; write states and results to `<name>.npz`, the converted model, the state
    to `<name>.pdparams`.
    """
    net, tool = quantize(paddle, name)
    work = train if net.training else calibrate
    found = {"losses": np.array(work(paddle, net, rounds))}
    paddle.save(net.state_dict(), f"{folder}/{name}.pdparams")
    found.update({f"state/{k}": v for k, v in arrays_of(net).items()})
    net.eval()
    x = paddle.to_tensor(IMAGES[5])
    found["out"] = net(x).numpy()
    spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    if name.startswith(("aware", "imperative")):
        tool.save_quantized_model(net, f"{folder}/{name}", input_spec=spec)
    else:
        net = tool.convert(net)
        paddle.jit.save(net, f"{folder}/{name}", input_spec=spec)
    found.update({f"converted/{k}": v for k, v in arrays_of(net).items()})
    net.eval()
    found["converted_out"] = net(x).numpy()
    np.savez(f"{folder}/{name}.npz", **found)
    np.savez(f"{folder}/x.npz", x=IMAGES[5])


def restore(paddle, name, folder, outputs):
    """Load the state `<name>.pdparams` into a new network and write its results to `outputs`."""
    net, _ = quantize(paddle, name)
    missing, unexpected = net.set_state_dict(paddle.load(f"{folder}/{name}.pdparams"))
    assert (missing, unexpected) == ([], []), (missing, unexpected)
    net.eval()
    np.savez(outputs, net(paddle.to_tensor(IMAGES[5])).numpy())


WEIGHT = np.random.default_rng(6).standard_normal((64, 32)).astype("float16")


def quantize_weight(paddle, algo, outputs):
    """Write the results of `weight_quantize`; of real Paddle's kernel for CPUs."""
    out, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor(WEIGHT), algo, 80)
    np.savez(outputs, out=out.numpy(), scale=scale.numpy())
