"""Dygraph layers: results, gradients of inputs and parameters, names of parameters and state."""

import numpy as np

from .common import integers, numbers


def letters(text):
    """A text as an array, which every package keeps alike."""
    return np.array([ord(c) for c in text], "int32")


def run(fluid, make, *arrays, **more):
    """Return the results of a layer, gradients, and the names of its parameters and state."""
    with fluid.dygraph.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        layer = make(fluid.dygraph)
        for i, parameter in enumerate(layer.parameters()):
            parameter.set_value(
                numbers(*parameter.shape, seed=50 + i, low=more.get("low", -0.5), high=0.5)
            )
        inputs = [fluid.dygraph.to_variable(a) for a in arrays]
        for x in inputs:
            x.stop_gradient = x.numpy().dtype.kind != "f"
        if more.get("test"):
            layer.eval()
        found = layer(*inputs)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        weight = fluid.dygraph.to_variable(numbers(*found[0].shape, seed=9))
        if not more.get("test"):
            fluid.layers.reduce_sum(fluid.layers.elementwise_mul(found[0], weight)).backward()
        grads = [
            v.gradient()
            for v in inputs + layer.parameters()
            if not v.stop_gradient and v.gradient() is not None
        ]
        state = layer.state_dict()
        names = ",".join(k + "=" + state[k].name for k in state)
        kept = [state[k].numpy() for k in state]
    return [f.numpy() for f in found] + grads + kept + [letters(names), letters(layer.full_name())]


PICTURE = numbers(2, 4, 5, 5)


def case_linear(fluid):
    return run(fluid, lambda d: d.Linear(3, 4, act="sigmoid"), numbers(2, 5, 3)) + run(
        fluid, lambda d: d.Linear(3, 4, bias_attr=False), numbers(2, 3)
    )


def case_conv2d(fluid):
    a = run(fluid, lambda d: d.Conv2D(4, 6, 3, stride=2, padding=1, groups=2, act="relu"), PICTURE)
    return a + run(
        fluid, lambda d: d.Conv2D(4, 4, (3, 1), groups=4, use_cudnn=False, bias_attr=False), PICTURE
    )


def case_conv3d(fluid):
    return run(fluid, lambda d: d.Conv3D(2, 3, 2, padding=1, act="tanh"), numbers(1, 2, 3, 3, 3))


def case_conv2d_transpose(fluid):
    a = run(fluid, lambda d: d.Conv2DTranspose(4, 2, 3, stride=2, act="relu"), PICTURE)
    return a + run(fluid, lambda d: d.Conv2DTranspose(4, 2, 3, output_size=12, stride=2), PICTURE)


def case_conv3d_transpose(fluid):
    return run(fluid, lambda d: d.Conv3DTranspose(2, 3, 2, stride=2), numbers(1, 2, 2, 2, 2))


def case_pool2d(fluid):
    makes = (
        lambda d: d.Pool2D(2, "max", 2), lambda d: d.Pool2D(3, "avg", 2, 1), lambda d: d.Pool2D(3, "avg", 2, 1, exclusive=False),
        lambda d: d.Pool2D(pool_type="avg", global_pooling=True), lambda d: d.Pool2D(2, "max", 2, ceil_mode=True),
    )  # fmt: skip
    return [a for make in makes for a in run(fluid, make, PICTURE)]


def case_batch_norm(fluid):
    a = run(fluid, lambda d: d.BatchNorm(4, act="relu", momentum=0.8), PICTURE, low=0.1)
    return a + run(fluid, lambda d: d.BatchNorm(4), PICTURE, low=0.1, test=True)


def case_embedding(fluid):
    a = run(fluid, lambda d: d.Embedding([10, 3]), integers(2, 4))
    return a + run(fluid, lambda d: d.Embedding([10, 3], padding_idx=-1), integers(2, 4))


def case_layer_norm(fluid):
    a = run(fluid, lambda d: d.LayerNorm([5, 5], act="tanh"), PICTURE)
    return a + run(fluid, lambda d: d.LayerNorm(5, scale=False, shift=False), PICTURE)


def case_group_norm(fluid):
    a = run(
        fluid,
        lambda d: d.GroupNorm(
            4, 2, param_attr=fluid.ParamAttr(), bias_attr=fluid.ParamAttr(), act="relu"
        ),
        PICTURE,
    )
    return a + run(fluid, lambda d: d.GroupNorm(4, 2), PICTURE, test=True)


def case_instance_norm(fluid):
    return run(fluid, lambda d: d.InstanceNorm(4), PICTURE)


def case_spectral_norm(fluid):
    return run(
        fluid,
        lambda d: d.SpectralNorm([4, 3, 2], dim=1, power_iters=2),
        numbers(4, 3, 2),
        test=True,
    )


def case_prelu(fluid):
    makes = (
        lambda d: d.PRelu("all"),
        lambda d: d.PRelu("channel", channel=4),
        lambda d: d.PRelu("element", input_shape=[2, 4, 5, 5]),
    )
    return [a for make in makes for a in run(fluid, make, PICTURE)]


def case_bilinear(fluid):
    return run(
        fluid,
        lambda d: d.BilinearTensorProduct(3, 4, 2, act="sigmoid"),
        numbers(5, 3),
        numbers(5, 4, seed=8),
    )


def case_gru_unit(fluid):
    return run(fluid, lambda d: d.GRUUnit(9), numbers(2, 9), numbers(2, 3, seed=8)) + run(
        fluid,
        lambda d: d.GRUUnit(9, activation="relu", bias_attr=False),
        numbers(2, 9),
        numbers(2, 3, seed=8),
    )


def case_dropout(fluid):
    a = run(fluid, lambda d: d.Dropout(0.3), PICTURE, test=True)
    return a + run(
        fluid,
        lambda d: d.Dropout(0.3, dropout_implementation="upscale_in_train"),
        PICTURE,
        test=True,
    )


def case_losses(fluid):
    probability, label = numbers(4, 3, low=0.1, high=0.9), numbers(4, 3, low=0.1, high=0.9, seed=8)
    found = []
    for how in ("mean", "sum", "none"):
        found += run(fluid, lambda d, how=how: d.L1Loss(how), probability, label)
        found += run(fluid, lambda d, how=how: d.MSELoss(how), probability, label)
        found += run(
            fluid, lambda d, how=how: d.NLLLoss(reduction=how), probability, integers(4, below=3)
        )
    return found


def case_bce(fluid):
    found = []
    probability, label = numbers(4, 3, low=0.1, high=0.9), numbers(4, 3, low=0.1, high=0.9, seed=8)
    for reduction in ("mean", "sum", "none"):
        with fluid.dygraph.guard():
            loss = fluid.dygraph.BCELoss(reduction=reduction)
            x, y = fluid.dygraph.to_variable(probability), fluid.dygraph.to_variable(label)
            found.append(loss(x, y).numpy())
    return found


class Net:
    """Makes a net of the class Layer of a package."""

    @staticmethod
    def make(d):
        class Inner(d.Layer):
            def __init__(self):
                super(Inner, self).__init__("inner_scope")
                self.fc = d.Linear(3, 2)
                self.scale = self.create_parameter([2], dtype="float32")

            def forward(self, x):
                return self.fc(x) * self.scale

        class MyNet(d.Layer):
            def __init__(self):
                super(MyNet, self).__init__()
                self.inner = Inner()
                self.parts = d.LayerList([d.Linear(2, 2) for _ in range(2)])
                self.seq = d.Sequential(("a", d.Linear(2, 2)), ("b", d.Linear(2, 1)))
                self.own = d.ParameterList([self.create_parameter([1], dtype="float32")])

            def forward(self, x):
                x = self.inner(x)
                for part in self.parts:
                    x = part(x)
                return self.seq["b"](self.seq["a"](x)) + self.own[0]

        return MyNet()


def case_net(fluid):
    return run(fluid, Net.make, numbers(4, 3))


def case_index(fluid):
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(numbers(3))
        y = fluid.dygraph.to_variable(numbers(3, 2))
        return [v.numpy() for v in (x[0], x[-1], y[0][1], y[1, 0], y[0], x[1:])] + [
            (x[0] * 2).numpy()
        ]
