"""Losses."""

import numpy as np

from .common import eager, family, integers, numbers

P = numbers(4, 5, low=0.1, high=1.0)
P = P / P.sum(1, keepdims=True)
LABEL = {"x": P, "label": integers(4, 1, below=5), "soft": P[::-1].copy(), "logits": numbers(4, 5)}
PAIR = {
    "x": numbers(4, 3),
    "y": numbers(4, 3, seed=8),
    "w": numbers(4, 3, seed=9, low=0.1),
    "c": integers(4, 3, below=2).astype("float32"),
}
SCORES = {
    "x": numbers(4, 1),
    "y": numbers(4, 1, seed=8),
    "label": integers(4, 1, below=2).astype("float32"),
    "p": numbers(4, 1, low=0.1, high=0.9),
    "t": np.array([[-2], [-1], [0.3], [1.6]], "float32"),
}
family(
    globals(),
    [
        ("cross_entropy", lambda f, v: f.cross_entropy(v["x"], v["label"])),
        (
            "cross_entropy_ignoring",
            lambda f, v: f.cross_entropy(v["x"], v["label"], ignore_index=4),
        ),
        ("cross_entropy_soft", lambda f, v: f.cross_entropy(v["x"], v["soft"], soft_label=True)),
        (
            "softmax_with",
            lambda f, v: f.softmax_with_cross_entropy(v["x"], v["label"], return_softmax=True),
        ),
        (
            "softmax_with_soft",
            lambda f, v: f.softmax_with_cross_entropy(v["x"], v["soft"], soft_label=True),
        ),
        ("bpr_loss", lambda f, v: f.bpr_loss(v["x"], v["label"])),
        ("label_smooth", lambda f, v: f.label_smooth(v["x"], epsilon=0.2), LABEL, ()),
        ("dice_loss", lambda f, v: f.dice_loss(v["x"], v["label"])),
        (
            "focal",
            lambda f, v: f.sigmoid_focal_loss(
                v["x"], f.cast(v["label"], "int32"), f.fill_constant([1], "int32", 3)
            ),
        ),
        (
            "npair_loss",
            lambda f, v: f.npair_loss(
                v["x"], v["soft"], f.reshape(f.cast(v["label"], "float32"), [4])
            ),
        ),
    ],
    LABEL,
)
family(
    globals(),
    [
        ("square_error_cost", lambda f, v: f.square_error_cost(v["x"], v["y"])),
        ("mse_loss", lambda f, v: f.mse_loss(v["x"], v["y"])),
        ("smooth_l1", lambda f, v: f.smooth_l1(v["x"], v["y"])),
        ("smooth_l1_weighed", lambda f, v: f.smooth_l1(v["x"], v["y"], v["w"], v["w"], sigma=2.0)),
        ("sigmoid_with", lambda f, v: f.sigmoid_cross_entropy_with_logits(v["x"], v["c"])),
        (
            "sigmoid_with_normal",
            lambda f, v: f.sigmoid_cross_entropy_with_logits(
                v["x"], v["c"], ignore_index=1, normalize=True
            ),
        ),
        (
            "kldiv",
            lambda f, v: [
                f.kldiv_loss(v["x"], v["w"]),
                f.kldiv_loss(v["x"], v["w"], "none"),
                f.kldiv_loss(v["x"], v["w"], "batchmean"),
            ],
        ),
        ("cos_sim", lambda f, v: f.cos_sim(v["x"], v["y"])),
        ("huber_loss", lambda f, v: f.huber_loss(v["x"], v["y"], 0.3)),
    ],
    PAIR,
)
family(
    globals(),
    [
        ("rank_loss", lambda f, v: f.rank_loss(v["label"], v["x"], v["y"])),
        (
            "margin_rank_loss",
            lambda f, v: f.margin_rank_loss(v["label"], v["x"], v["y"], 0.2),
            SCORES,
            ("x", "y"),
        ),
        ("teacher_student", lambda f, v: f.teacher_student_sigmoid_loss(v["x"], v["t"])),
    ],
    SCORES,
)
family(globals(), [("log_loss", lambda f, v: f.log_loss(v["p"], v["label"]))], SCORES, ("p",))


def case_eager(fluid):
    def build(x, label):
        loss = fluid.layers.cross_entropy(fluid.layers.softmax(x), label)
        return fluid.layers.mean(loss), loss

    with fluid.dygraph.guard(fluid.CPUPlace()):
        label = fluid.dygraph.to_variable(integers(4, 1, below=5))
        return eager(fluid, lambda x: build(x, label), numbers(4, 5))
