"""Training in dygraph mode: optimizers, clips, regularizers and schedules; parameters afterwards."""

from .common import numbers

STEPS = 4


def fill(layer):
    """Give the parameters of a layer numbers that both packages agree on."""
    for i, parameter in enumerate(layer.parameters()):
        parameter.set_value(numbers(*parameter.shape, seed=50 + i, low=-0.5, high=0.5))


def trained(fluid, make, steps=STEPS, param_attr=None, then=None):
    """Return the parameters after some steps of the optimizer `make(parameters)`, and the last
    loss.
    """
    with fluid.dygraph.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        first = fluid.dygraph.Linear(3, 4, act="tanh", param_attr=param_attr)
        second = fluid.dygraph.Linear(4, 2)
        net = fluid.dygraph.Sequential(first, second)
        fill(net)
        optimizer = make(net.parameters())
        for step in range(steps):
            x = fluid.dygraph.to_variable(numbers(5, 3, seed=step))
            y = fluid.dygraph.to_variable(numbers(5, 2, seed=90 + step))
            out = fluid.layers.elementwise_sub(net(x), y)
            loss = fluid.layers.reduce_mean(fluid.layers.elementwise_mul(out, out))
            loss.backward()
            optimizer.minimize(loss)
            net.clear_gradients()
            if then is not None:
                then(optimizer, loss)
        kept = [p.numpy() for p in net.parameters()] + [loss.numpy()]
        state = {k: v for k, v in optimizer.state_dict().items() if hasattr(v, "numpy")}
        return kept + [state[k].numpy() for k in sorted(state)]


def case_sgd(fluid):
    return trained(fluid, lambda p: fluid.optimizer.SGD(0.1, parameter_list=p))


def case_momentum(fluid):
    return trained(
        fluid, lambda p: fluid.optimizer.MomentumOptimizer(0.1, 0.9, p, use_nesterov=True)
    )


def case_adagrad(fluid):
    return trained(
        fluid,
        lambda p: fluid.optimizer.Adagrad(0.1, parameter_list=p, initial_accumulator_value=0.1),
    )


def case_adam(fluid):
    return trained(
        fluid, lambda p: fluid.optimizer.Adam(0.1, beta1=0.8, epsilon=1e-2, parameter_list=p)
    )


def case_adamax(fluid):
    return trained(fluid, lambda p: fluid.optimizer.Adamax(0.1, parameter_list=p))


def case_decayed_adagrad(fluid):
    return trained(fluid, lambda p: fluid.optimizer.DecayedAdagrad(0.1, parameter_list=p))


def case_adadelta(fluid):
    # Real 1.8.5 takes the running size of updates after this one where it wants that before: only
    # what is kept is compared.
    return trained(fluid, lambda p: fluid.optimizer.Adadelta(0.1, parameter_list=p), steps=1)[5:]


def case_rmsprop(fluid):
    return trained(
        fluid, lambda p: fluid.optimizer.RMSPropOptimizer(0.05, momentum=0.5, parameter_list=p)
    )


def case_rmsprop_centered(fluid):
    return trained(
        fluid, lambda p: fluid.optimizer.RMSPropOptimizer(0.05, centered=True, parameter_list=p)
    )


def case_ftrl(fluid):
    return trained(fluid, lambda p: fluid.optimizer.Ftrl(0.1, l1=0.01, l2=0.1, parameter_list=p))


def case_ftrl_power(fluid):
    return trained(
        fluid, lambda p: fluid.optimizer.Ftrl(0.1, l1=0.01, lr_power=-0.7, parameter_list=p)
    )


def case_lars(fluid):
    return trained(fluid, lambda p: fluid.optimizer.LarsMomentum(0.5, 0.9, parameter_list=p))


def case_lamb(fluid):
    return trained(fluid, lambda p: fluid.optimizer.LambOptimizer(0.05, parameter_list=p))


def case_clips(fluid):
    clips = (
        fluid.clip.GradientClipByValue(0.05),
        fluid.clip.GradientClipByNorm(0.1),
        fluid.clip.GradientClipByGlobalNorm(0.1),
    )
    return [
        a
        for c in clips
        for a in trained(
            fluid, lambda p, c=c: fluid.optimizer.SGD(0.5, parameter_list=p, grad_clip=c)
        )
    ]


def case_need_clip(fluid):
    clip = fluid.clip.GradientClipByGlobalNorm(0.1, need_clip=lambda p: p.name.endswith("b_0"))
    return trained(fluid, lambda p: fluid.optimizer.SGD(0.5, parameter_list=p, grad_clip=clip))


def case_regularizers(fluid):
    both = (fluid.regularizer.L2Decay(0.1), fluid.regularizer.L1DecayRegularizer(0.1))
    return [
        a
        for r in both
        for a in trained(
            fluid, lambda p, r=r: fluid.optimizer.SGD(0.5, parameter_list=p, regularization=r)
        )
    ]


def case_param_attr(fluid):
    attr = fluid.ParamAttr(learning_rate=0.5, regularizer=fluid.regularizer.L2Decay(0.3))
    return trained(
        fluid,
        lambda p: fluid.optimizer.Adam(
            0.1, epsilon=1e-2, parameter_list=p, regularization=fluid.regularizer.L1Decay(0.2)
        ),
        param_attr=attr,
    )


def rates(fluid, decay, steps=7):
    """Return the learning rates of some steps."""
    found = []
    with fluid.dygraph.guard(fluid.CPUPlace()):
        made = decay()
    seen = trained(
        fluid,
        lambda p: fluid.optimizer.SGD(decay(), parameter_list=p),
        steps,
        then=lambda o, _: found.append(o.current_step_lr()),
    )
    del made
    return [*seen, [float(r) for r in found]]


def case_decays(fluid):
    d = fluid.dygraph
    decays = [
        lambda: d.PiecewiseDecay([2, 4], [0.3, 0.2, 0.1], 0), lambda: d.NaturalExpDecay(0.5, 3, 0.5), lambda: d.NaturalExpDecay(0.5, 3, 0.5, True),
        lambda: d.ExponentialDecay(0.5, 3, 0.5), lambda: d.ExponentialDecay(0.5, 3, 0.5, staircase=True), lambda: d.InverseTimeDecay(0.5, 3, 0.5),
        lambda: d.PolynomialDecay(0.5, 4, 0.01, 2.0), lambda: d.PolynomialDecay(0.5, 3, cycle=True), lambda: d.CosineDecay(0.5, 2, 4),
        lambda: d.NoamDecay(64, 3), lambda: d.NoamDecay(64, 3, begin=2, step=2, learning_rate=0.5), lambda: d.LinearLrWarmup(0.3, 3, 0.1, 0.4),
    ]  # fmt: skip
    return [a for decay in decays for a in rates(fluid, decay)]


def case_epoch_decays(fluid):
    d = fluid.dygraph
    decays = [
        lambda: d.StepDecay(0.5, 2),
        lambda: d.MultiStepDecay(0.5, [2, 3], 0.5),
        lambda: d.LambdaDecay(0.5, lambda e: 0.9**e),
    ]
    found = []
    with fluid.dygraph.guard(fluid.CPUPlace()):
        for decay in decays:
            made = decay()
            for _ in range(5):
                rate = made()
                found.append(float(rate.numpy()[0]) if hasattr(rate, "numpy") else float(rate))
                made.epoch()
    return [found]


def case_plateau(fluid):
    found = []
    with fluid.dygraph.guard(fluid.CPUPlace()):
        made = fluid.dygraph.ReduceLROnPlateau(0.5, patience=1, cooldown=1, decay_rate=0.5)
        for loss in (1.0, 1.0, 1.1, 1.0, 1.0, 1.0, 0.5, 0.6, 0.7):
            made.step(fluid.dygraph.to_variable(numbers(1, low=loss, high=loss)))
            rate = made()
            found.append(float(rate.numpy()[0]) if hasattr(rate, "numpy") else float(rate))
    return [found]
