"""The same code for Oarlock and for real Paddle: values and gradients at kinks, at ties,
at borders and at zero; see same_code.py.
"""

import itertools

import numpy as np
from same_code import Called, data, recordable

EDGES = np.array(
    [-6, -3, -2.5, -1, -0.5, -0.2, 0, -0.0, 0.2, 0.5, 1, 2, 2.5, 3, 5, 6, 20, -20], "float32"
).reshape(3, 6)
OTHER = np.roll(EDGES.ravel(), 5).reshape(3, 6)


def whole(*shape, high=3):
    """Whole numbers, many of them alike."""
    return np.random.default_rng(0).integers(0, high, shape).astype("float32")


def values_and_gradients(function, *inputs):
    """The first result of a function, and the gradients of its weighted sum."""

    def run(P):
        tensors = [P.to_tensor(x, stop_gradient=False) for x in inputs]
        out = function(P, *tensors)
        out = out[0] if isinstance(out, tuple | list) else out
        (
            out
            * P.to_tensor(np.arange(1, out.size + 1).reshape(out.shape).astype("float32") % 7 + 1)
        ).sum().backward()
        gradients = {
            f"grad{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None
        }
        return {"out": out.numpy()} | gradients

    return recordable(
        run, lambda P: Called(P, lambda: None, lambda _, *xs: function(P, *xs)), inputs
    )


def activation(name):
    """A function of nn.functional at its edges."""
    return values_and_gradients(lambda P, x: getattr(P.nn.functional, name)(x), EDGES)


activations = {
    name: activation(name)
    for name in (
        "relu relu6 elu selu celu gelu silu swish mish hardswish hardsigmoid hardtanh hardshrink softshrink tanhshrink leaky_relu "
        "thresholded_relu softplus softsign log_sigmoid sigmoid tanh"
    ).split()
} | {
    "glu": values_and_gradients(lambda P, x: P.nn.functional.glu(x), EDGES),
    "maxout": values_and_gradients(lambda P, x: P.nn.functional.maxout(x, 2), whole(2, 4, 3, 3)),
    "rrelu": values_and_gradients(lambda P, x: P.nn.functional.rrelu(x, training=False), EDGES),
    "prelu": values_and_gradients(
        lambda P, x, a: P.nn.functional.prelu(x, a), EDGES, np.full(1, 0.25, "float32")
    ),
}

elementwise = {
    **{
        name: values_and_gradients(lambda P, x, n=name: getattr(P, n)(x), EDGES)
        for name in "abs sign square exp floor ceil round trunc frac sinh asinh atan angle deg2rad erf".split()
    },
    **{
        name: values_and_gradients(lambda P, x, n=name: getattr(P, n)(x), abs(EDGES))
        for name in "sqrt rsqrt log log2 log1p".split()
    },
    **{
        name: values_and_gradients(
            lambda P, x, y, n=name: getattr(P, n)(x, y), whole(4, 5), whole(4, 5, high=2)
        )
        for name in "maximum minimum fmax fmin add subtract multiply atan2 heaviside".split()
    },
    "maximum_broadcast": values_and_gradients(
        lambda P, x, y: P.maximum(x, y), whole(4, 5), whole(5)
    ),
    "pow": values_and_gradients(lambda P, x, y: P.pow(x, y), abs(EDGES) / 4, OTHER),
    "clip": values_and_gradients(lambda P, x: P.clip(x, -1, 2), EDGES),
    "clip_below": values_and_gradients(lambda P, x: P.clip(x, min=0.5), EDGES),
    "logit": values_and_gradients(
        lambda P, x: P.logit(x), np.array([0.2, 0.5, 1, 0, 0.9], "float32")
    ),
    "logit_eps": values_and_gradients(
        lambda P, x: P.logit(x, 0.2), np.array([0.25, 0.5, 1, 0, 0.9], "float32")
    ),
}

reductions = {
    **{
        f"{name}_{axis}": values_and_gradients(lambda P, x, n=name, d=axis: getattr(P, n)(x, axis=d), whole(4, 5))
        for name, axis in itertools.product(("max", "min", "amax", "amin", "logsumexp", "cumsum", "std", "var", "mean"), (0, 1))
    },
    **{
        f"norm_{p}": values_and_gradients(lambda P, x, p=p: P.linalg.norm(x, p, axis=1), whole(4, 5) - 1)
        for p in (0, 1, 2, 3, 0.5, float("inf"), -float("inf"))
    },
    **{f"dist_{p}": values_and_gradients(lambda P, x, y, p=p: P.dist(x, y, p), whole(4, 5), whole(4, 5, high=2)) for p in (0, 1, 2, 3, float("inf"))},
    "variance_of_one": values_and_gradients(lambda P, x: P.var(x, 1), data(3, 1)),
    "deviation_of_one": values_and_gradients(lambda P, x: P.var(x[0]), data(1, 1)),
    "normalize_zero": values_and_gradients(lambda P, x: P.nn.functional.normalize(x), np.zeros((2, 3), "float32")),
    "cosine_zero": values_and_gradients(lambda P, x, y: P.nn.functional.cosine_similarity(x, y), np.zeros((2, 3), "float32"), data(2, 3)),
    "times_at": values_and_gradients(
        lambda P, x, y: P.put_along_axis(x, P.to_tensor([[0, 1], [2, 3]]), y, 1, "multiply"),
        np.array([[4, 1, 2, 0], [1, 0, 3, 5]], "float32"), data(2, 2),
    ),
}  # fmt: skip

# A grid on pixels, between two of them, on the border and beyond it.
GRID = (
    np.stack(np.meshgrid(np.arange(-4, 16) / 5 - 1, np.arange(-4, 16) / 5 - 1), -1)[None]
    .repeat(2, 0)
    .astype("float32")
)
BORDER = (
    np.stack(np.meshgrid([-1, -0.6, 0.2, 1], [-1, -0.2, 0.6, 1]), -1)[None]
    .repeat(2, 0)
    .astype("float32")
)
pictures = {
    **{
        f"grid_{mode}_{padding}_{corners}": values_and_gradients(
            lambda P, x, g, s=(mode, padding, corners): P.nn.functional.grid_sample(x, g, *s), whole(2, 3, 6, 6), grid
        )
        for mode, padding, corners, grid in (
            *(("bilinear", p, c, BORDER) for p, c in itertools.product(("zeros", "border", "reflection"), (True, False))),
            *(("nearest", p, False, BORDER) for p in ("zeros", "border")),
        )
    },
    "max_pool": values_and_gradients(lambda P, x: P.nn.functional.max_pool2d(x, 3, 2, 1), whole(2, 3, 6, 6)),
    "max_pool_mask": values_and_gradients(lambda P, x: P.nn.functional.max_pool2d(x, 2, 2, return_mask=True), whole(2, 3, 6, 6)),
    "adaptive_max": values_and_gradients(lambda P, x: P.nn.functional.adaptive_max_pool2d(x, 4), whole(2, 3, 6, 6)),
    "roi_pool": values_and_gradients(
        lambda P, x, b: P.vision.ops.roi_pool(x, b, P.to_tensor(np.array([1, 1], "int32")), 2),
        whole(2, 3, 6, 6), np.array([[0, 0, 4, 4], [1, 1, 5, 5]], "float32"),
    ),
}  # fmt: skip

# X beyond the bounds and on them; all kinds of labels
STUDENT = np.array([-20, 15, -2, -1, 0.5, -0.5, 1, 3, 15, -15], "float32").reshape(10, 1)
STUDENT_LABEL = np.array([-2, -1, -3, -1, -0.5, 0, 0.3, 1, 1.7, 2], "float32").reshape(10, 1)
losses = {
    **{
        f"teacher_student_{bound}": values_and_gradients(
            lambda P, x, label, b=bound: P._legacy_C_ops.teacher_student_sigmoid_loss(
                x, label, "soft_max_up_bound", b, "soft_max_lower_bound", -b
            ),
            STUDENT,
            STUDENT_LABEL,
        )
        for bound in (15.0, 1.0)
    },
    "smooth_l1": values_and_gradients(
        lambda P, x, y: P.nn.functional.smooth_l1_loss(x, y), EDGES, OTHER
    ),
    "smooth_l1_bend": values_and_gradients(
        lambda P, x, y: P.nn.functional.smooth_l1_loss(x, y), whole(4, 5), whole(4, 5) + 1
    ),
    "l1": values_and_gradients(
        lambda P, x, y: P.nn.functional.l1_loss(x, y), whole(4, 5), whole(4, 5, high=2)
    ),
    "ranking": values_and_gradients(
        lambda P, x, y: P.nn.functional.margin_ranking_loss(x, y, P.ones_like(x)),
        whole(4, 5),
        whole(4, 5),
    ),
    "triplet": values_and_gradients(
        lambda P, x, y: P.nn.functional.triplet_margin_loss(x, y, x * 2), EDGES, OTHER
    ),
    "multi_margin": values_and_gradients(
        lambda P, x: P.nn.functional.multi_margin_loss(x, P.to_tensor([0, 1, 5])), EDGES
    ),
}

CASES = {
    f"kinks.{kind}.{name}": case
    for kind, cases in {
        "activations": activations, "elementwise": elementwise, "reductions": reductions, "pictures": pictures, "losses": losses,
    }.items()
    for name, case in cases.items()
}  # fmt: skip
