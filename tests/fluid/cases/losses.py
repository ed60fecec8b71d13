"""Losses."""

import numpy as np

from .common import eager, family, integers, numbers

P = numbers(4, 5, low=0.1, high=1.0)
P = P / P.sum(1, keepdims=True)
LABEL = {"x": P, "label": integers(4, 1, below=5), "soft": P[::-1].copy(), "logits": numbers(4, 5)}
PAIR = {"x": numbers(4, 3), "y": numbers(4, 3, seed=8), "w": numbers(4, 3, seed=9, low=0.1), "c": integers(4, 3, below=2).astype("float32")}
SCORES = {"x": numbers(4, 1), "y": numbers(4, 1, seed=8), "label": integers(4, 1, below=2).astype("float32"), "p": numbers(4, 1, low=0.1, high=0.9), "t": np.array([[-2], [-1], [0.3], [1.6]], "float32")}
family(globals(), [
    ("cross_entropy", lambda l, v: l.cross_entropy(v["x"], v["label"])), ("cross_entropy_ignoring", lambda l, v: l.cross_entropy(v["x"], v["label"], ignore_index=4)),
    ("cross_entropy_soft", lambda l, v: l.cross_entropy(v["x"], v["soft"], soft_label=True)), ("softmax_with", lambda l, v: l.softmax_with_cross_entropy(v["x"], v["label"], return_softmax=True)),
    ("softmax_with_soft", lambda l, v: l.softmax_with_cross_entropy(v["x"], v["soft"], soft_label=True)), ("bpr_loss", lambda l, v: l.bpr_loss(v["x"], v["label"])),
    ("label_smooth", lambda l, v: l.label_smooth(v["x"], epsilon=0.2)), ("dice_loss", lambda l, v: l.dice_loss(v["x"], v["label"])),
    ("focal", lambda l, v: l.sigmoid_focal_loss(v["x"], l.cast(v["label"], "int32"), l.fill_constant([1], "int32", 3))),
    ("npair_loss", lambda l, v: l.npair_loss(v["x"], v["soft"], l.reshape(l.cast(v["label"], "float32"), [4]))),
], LABEL)  # fmt: skip
family(globals(), [
    ("square_error_cost", lambda l, v: l.square_error_cost(v["x"], v["y"])), ("mse_loss", lambda l, v: l.mse_loss(v["x"], v["y"])), ("smooth_l1", lambda l, v: l.smooth_l1(v["x"], v["y"])),
    ("smooth_l1_weighed", lambda l, v: l.smooth_l1(v["x"], v["y"], v["w"], v["w"], sigma=2.0)), ("sigmoid_with", lambda l, v: l.sigmoid_cross_entropy_with_logits(v["x"], v["c"])),
    ("sigmoid_with_normal", lambda l, v: l.sigmoid_cross_entropy_with_logits(v["x"], v["c"], ignore_index=1, normalize=True)), ("kldiv", lambda l, v: [l.kldiv_loss(v["x"], v["w"]), l.kldiv_loss(v["x"], v["w"], "none"), l.kldiv_loss(v["x"], v["w"], "batchmean")]),
    ("cos_sim", lambda l, v: l.cos_sim(v["x"], v["y"])), ("huber_loss", lambda l, v: l.huber_loss(v["x"], v["y"], 0.3)),
], PAIR)  # fmt: skip
family(globals(), [
    ("rank_loss", lambda l, v: l.rank_loss(v["label"], v["x"], v["y"])), ("margin_rank_loss", lambda l, v: l.margin_rank_loss(v["label"], v["x"], v["y"], 0.2), SCORES, ("x", "y")),
    ("teacher_student", lambda l, v: l.teacher_student_sigmoid_loss(v["x"], v["t"])),
], SCORES)  # fmt: skip
family(globals(), [("log_loss", lambda l, v: l.log_loss(v["p"], v["label"]))], SCORES, ("p",))


def case_eager(fluid):
    def build(x, label):
        loss = fluid.layers.cross_entropy(fluid.layers.softmax(x), label)
        return fluid.layers.mean(loss), loss

    with fluid.dygraph.guard(fluid.CPUPlace()):
        label = fluid.dygraph.to_variable(integers(4, 1, below=5))
        return eager(fluid, lambda x: build(x, label), numbers(4, 5))
