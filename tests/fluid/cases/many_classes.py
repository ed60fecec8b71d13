"""Losses over many classes and over label sequences."""

import numpy as np

from .common import family, integers, numbers

X = {
    "x": numbers(4, 3),
    "label": integers(4, 1, below=6),
    "table": np.array([[0, 2], [0, 1], [1, -1], [0, 2]], "int64"),
    "code": np.array([[0, 1], [1, 1], [0, -1], [0, 0]], "int64"),
}
CTC = {
    "x": numbers(5, 2, 4),
    "label": np.array([[1, 2], [3, 1]], "int32"),
    "steps": np.array([5, 4], "int64"),
    "lengths": np.array([2, 1], "int64"),
}
EDITS = {
    "a": integers(2, 4, below=3),
    "b": integers(2, 3, below=3, seed=9),
    "m": np.array([4, 3], "int64"),
    "n": np.array([3, 2], "int64"),
}
family(
    globals(),
    [
        ("hsigmoid", lambda f, v: f.hsigmoid(v["x"], v["label"], 6)),
        (
            "hsigmoid_custom",
            lambda f, v: f.hsigmoid(
                v["x"], v["label"], 3, path_table=v["table"], path_code=v["code"], is_custom=True
            ),
        ),
        (
            "warpctc",
            lambda f, v: f.warpctc(
                v["x"], v["label"], 0, input_length=v["steps"], label_length=v["lengths"]
            ),
            CTC,
        ),
        (
            "edit_distance",
            lambda f, v: f.edit_distance(v["a"], v["b"], input_length=v["m"], label_length=v["n"]),
            EDITS,
            (),
        ),
    ],
    X,
)


def case_center_loss(fluid):
    from .common import static

    def build(v):
        attr = (
            fluid.ParamAttr(name="centers", initializer=fluid.initializer.Constant(0.5))
            if hasattr(fluid, "initializer")
            else "centers"
        )
        return [fluid.layers.center_loss(v["x"], v["label"], 6, 0.1, attr)]

    return static(fluid, build, X, steps=3, gradients_of=("x",))


def case_nce_of_one_class(fluid):
    """All samples are equal, so the result is deterministic."""
    from .common import static

    feed = dict(X, label=integers(4, 1, below=1))
    return static(
        fluid,
        lambda v: fluid.layers.nce(v["x"], v["label"], 1, num_neg_samples=3),
        feed,
        gradients_of=("x",),
    )
