"""Programs written by hand, for Oarlock and for real Paddle: each case takes the package and gives arrays.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import contextlib

import numpy as np

DRAW = 7


@contextlib.contextmanager
def static_mode(P):
    """Two new programs and a scope to write and run in."""
    P.enable_static()
    try:
        with P.static.scope_guard(P.static.Scope()), P.utils.unique_name.guard(), P.static.program_guard(P.static.Program(), P.static.Program()):
            yield P.static
    finally:
        P.disable_static()


def filled(P, shape, seed=0):
    """Reproducible numbers of both signs."""
    draw = np.random.default_rng(seed)
    return (draw.uniform(0.2, 1.0, shape) * draw.choice([-1, 1], shape)).astype("float32")


def start(P, exe):
    """Run the startup program, then give parameters known values in the order of their names."""
    exe.run(P.static.default_startup_program())
    for i, p in enumerate(sorted(P.static.default_main_program().all_parameters(), key=lambda p: p.name)):
        value = filled(P, p.shape, i) * 0.5
        p.set_value(np.abs(value) + 0.5 if p.stop_gradient else value)
    return [p.name for p in P.static.default_main_program().all_parameters()]


def program_case(build, backward=True, **feed):
    """What a program gives, the gradients of its parameters and inputs, and their names."""

    def run(P):
        with static_mode(P) as S:
            inputs = {}
            for name, array in feed.items():
                inputs[name] = S.data(name, [None, *array.shape[1:]], str(array.dtype))
                inputs[name].stop_gradient = array.dtype.kind != "f"
            out = build(P, S, **inputs)
            outs = list(out) if isinstance(out, (list, tuple)) else [out]
            test = S.default_main_program().clone(for_test=True)
            weights = S.data("weights", [None] * len(outs[0].shape), "float32")
            loss = (outs[0] * weights).sum()
            wanted = [p for p in S.default_main_program().all_parameters() if not p.stop_gradient]
            wanted += [v for v in inputs.values() if not v.stop_gradient]
            grads = S.gradients([loss], wanted) if backward else []
            exe = S.Executor(P.CPUPlace())
            names = start(P, exe)
            shape = np.shape(exe.run(test, feed=feed, fetch_list=[outs[0].name])[0])
            feed_all = {**feed, "weights": filled(P, shape, DRAW)}
            kept = [g for g in grads if g is not None]
            made = exe.run(feed=feed_all, fetch_list=[*outs, *kept])
            found = {f"out{i}": a for i, a in enumerate(made[: len(outs)])}
            found.update({f"gradient{i}": a for i, a in enumerate(made[len(outs) :])})
            found["names"] = np.array(names)
            states = [p for p in S.default_main_program().all_parameters() if p.stop_gradient]
            found.update({f"state {p.name}": np.array(p.get_value()) for p in states})
            return found

    return run


X2, X3, X4 = filled(None, (3, 6)), filled(None, (3, 5, 6), 1), filled(None, (2, 4, 8, 8), 2)
X5 = filled(None, (2, 4, 5, 6, 6), 3)
IDS = np.array([[1], [9], [3]])
static_nn = {
    "fc": program_case(lambda P, S, x: S.nn.fc(x, 7, activation="tanh"), x=X3),
    "fc_of_two": program_case(lambda P, S, x, z: S.nn.fc([x, z], 7, bias_attr=False), x=X2, z=X2[:, :3]),
    "fc_last": program_case(lambda P, S, x: S.nn.fc(x, 7, num_flatten_dims=-1), x=X3),
    "conv2d": program_case(lambda P, S, x: S.nn.conv2d(x, 6, 3, stride=2, padding=1, act="relu"), x=X4),
    "conv2d_same": program_case(lambda P, S, x: S.nn.conv2d(x, 6, [3, 2], padding="SAME", groups=2, bias_attr=False), x=X4),
    "conv2d_depthwise": program_case(lambda P, S, x: S.nn.conv2d(x, 4, 3, padding=[1, 2], groups=4), x=X4),
    "conv2d_nhwc": program_case(lambda P, S, x: S.nn.conv2d(x, 6, 3, padding=[1, 0, 2, 1], data_format="NHWC"), x=X4),
    "conv3d": program_case(lambda P, S, x: S.nn.conv3d(x, 6, 3), x=X5),
    "conv2d_transpose": program_case(lambda P, S, x: S.nn.conv2d_transpose(x, 6, filter_size=3, stride=2, padding=1), x=X4),
    "conv2d_transpose_size": program_case(
        lambda P, S, x: S.nn.conv2d_transpose(x, 6, output_size=[16, 16], stride=2, padding=1, act="relu"), x=X4
    ),
    "conv3d_transpose": program_case(lambda P, S, x: S.nn.conv3d_transpose(x, 6, filter_size=3, stride=2), x=X5),
    "deform_conv2d": program_case(
        lambda P, S, x, o, m: S.nn.deform_conv2d(x, o, m, 6, 3),
        x=X4, o=0.3 * filled(None, (2, 18, 6, 6)), m=np.abs(filled(None, (2, 9, 6, 6))),
    ),
    "deform_conv2d_v1": program_case(
        lambda P, S, x, o: S.nn.deform_conv2d(x, o, None, 6, 3, bias_attr=False), x=X4, o=0.3 * filled(None, (2, 18, 6, 6))
    ),
    "batch_norm": program_case(lambda P, S, x: S.nn.batch_norm(x, act="relu", momentum=0.8, moving_mean_name="mm"), x=X4),
    "batch_norm_test": program_case(lambda P, S, x: S.nn.batch_norm(x, is_test=True), x=X4),
    "batch_norm_global": program_case(lambda P, S, x: S.nn.batch_norm(x, use_global_stats=True, data_layout="NHWC"), x=X4),
    "layer_norm": program_case(lambda P, S, x: S.nn.layer_norm(x, begin_norm_axis=2, act="relu"), x=X3),
    "layer_norm_bare": program_case(lambda P, S, x: S.nn.layer_norm(x, scale=False, shift=False), x=X3),
    "group_norm": program_case(
        lambda P, S, x: S.nn.group_norm(x, 2, param_attr=P.ParamAttr(name="gw"), bias_attr=P.ParamAttr(name="gb")), x=X4
    ),
    # Paddle's gradient of a group norm without weight is not what differences say; nor that of spectral_norm
    "group_norm_bare": program_case(lambda P, S, x: S.nn.group_norm(x, 2), False, x=X4),
    "instance_norm": program_case(
        lambda P, S, x: S.nn.instance_norm(x, param_attr=P.ParamAttr(name="iw"), bias_attr=P.ParamAttr(name="ib")), x=X4
    ),
    "embedding": program_case(lambda P, S, i: S.nn.embedding(i, [10, 3], padding_idx=-1), i=IDS),
    "prelu_all": program_case(lambda P, S, x: S.nn.prelu(x, "all"), x=X4),
    "prelu_channel": program_case(lambda P, S, x: S.nn.prelu(x, "channel"), x=X4),
    "prelu_element": program_case(lambda P, S, x: S.nn.prelu(x, "element"), x=X4),
    "bilinear": program_case(lambda P, S, x, z: S.nn.bilinear_tensor_product(x, z, 5), x=X2, z=X2[:, :3]),
    "row_conv": program_case(lambda P, S, x: S.nn.row_conv(x, 2), x=X3),
    "spectral_norm": program_case(
        lambda P, S, x: P.matmul(x, S.nn.spectral_norm(S.create_parameter([6, 4], "float32"), power_iters=3)), False, x=X2
    ),
    "layers": program_case(lambda P, S, x: P.nn.Sequential(P.nn.Linear(6, 4), P.nn.Tanh(), P.nn.Linear(4, 2))(x), x=X2),
    "batch_norm_layer": program_case(lambda P, S, x: P.nn.BatchNorm2D(4)(x), x=X4),
    "methods": program_case(lambda P, S, x: (x.reshape([-1, 3]) * 2 + x.sum()).astype("float32"), x=X2),
    "shape": program_case(lambda P, S, x: P.reshape(x, [x.shape[0], 2, 3]) + P.shape(x)[0].astype("float32"), x=X2),
    "setitem": program_case(lambda P, S, x: S.setitem(x, (slice(None), 0), 1.0), x=X2),
    "constants": program_case(lambda P, S, x: x * P.to_tensor(X2[0]) + P.full([6], 2.0), x=X2),
}  # fmt: skip
CASES = {f"static {name}": case for name, case in static_nn.items()}
