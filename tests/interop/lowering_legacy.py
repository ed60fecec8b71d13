"""Single ops of early versions, and combinations of ops."""

import numpy as np
from lowering_cases import a, f, ints, op, w

X34, X234, IMG = f(3, 4), f(2, 3, 4), f(2, 6, 4, 4)
SHARE = f(3, 4, low=0.05, high=0.95)
ROWS = SHARE / SHARE.sum(axis=1, keepdims=True)
BITS = ints(3, 1, high=2).astype("float32")
TEACHER_LABEL = a([[-3], [-2], [-1.5], [-1], [-0.5], [0], [0.3], [1], [1.7], [2], [3]], "float32")
TEACHER_X = f(11, 1) * 20
BOTTOM = a([[1], [3], [-100]])

LOSS = [
    op("log_loss", Predicted=f(4, 1, low=0.1, high=0.9), Labels=ints(4, 1, high=2).astype("float32"), out="Loss", epsilon=1e-4),
    op("hinge_loss", Logits=f(3, 1), Labels=BITS, out="Loss"),
    op("rank_loss", Label=BITS, Left=f(3, 1) * 9, Right=f(3, 1, seed=1)),
    op("teacher_student_sigmoid_loss", TEACHER_X, Label=TEACHER_LABEL, out="Y"),
    op("teacher_student_sigmoid_loss", TEACHER_X.astype("float64"), Label=TEACHER_LABEL.astype("float64"), out="Y",
       soft_max_up_bound=2.0, soft_max_lower_bound=-1.0),
    op("bpr_loss", X34, Label=a([[0], [3], [1]]), out="Y", keep=(1,)),
    op("cross_entropy", ROWS, Label=a([[0], [3], [1]]), out="Y", keep=(1,)),
    op("cross_entropy", ROWS, Label=BOTTOM, out="Y", keep=(1,)),
    op("cross_entropy", ROWS, Label=np.flip(ROWS, 1).copy(), out="Y", soft_label=True),
    op("cross_entropy2", ROWS, Label=a([[0], [3], [1]]), out="Y", unread="XShape MatchX", keep=(1,)),
]  # fmt: skip

FEATURES = [
    op("affine_channel", IMG, Scale=w(f(6)), Bias=w(f(6, seed=1)), data_layout="NCHW", keep=(1,)),
    op("affine_channel", f(2, 4, 4, 6), Scale=w(f(6)), Bias=w(f(6, seed=1)), data_layout="NHWC", keep=(-1,)),
    op("data_norm", X34, BatchSize=w(np.full(4, 9, "float32")), BatchSum=w(f(4)),
       BatchSquareSum=w(f(4, low=1, high=5)), out="Y", unread="Means Scales", variants=("known", "batch")),
    op("lrn", IMG, unread="MidOut", n=5, k=1.0, alpha=1e-2, beta=0.75),
    op("lrn", IMG, unread="MidOut", n=3, data_format="NHWC"),
    op("cvm", f(3, 5, low=0, high=4), CVM=f(3, 2), out="Y", variants=("known", "batch")),
    op("cvm", f(3, 5, low=0, high=4), CVM=f(3, 2), out="Y", use_cvm=False, variants=("known", "batch")),
    op("add_position_encoding", f(2, 5, 6), alpha=0.7, beta=1.3, keep=(2,)),
    op("add_position_encoding", f(2, 5, 6), variants=("known", "open"), rejected={"open": "known"}),
    op("row_conv", f(2, 5, 3), Filter=w(f(4, 3)), variants=("known", "batch")),
]  # fmt: skip

FUSED = [
    op("fc", Input=X34, W=w(f(4, 5)), Bias=w(f(5)), undeclared="open"),
    op("fc", Input=X34, W=w(f(4, 5)), Bias=w(f(1, 5)), activation_type="relu", undeclared="open"),
    op("fc", Input=X234, W=w(f(12, 5)), keep=(1, 2)),
    op("fc", Input=X234, W=w(f(4, 5)), Bias=w(f(5)), in_num_col_dims=2, keep=(2,)),
    *[
        op("fused_elemwise_activation", X34, Y=f(3, 4, seed=1), unread="IntermediateOut", functor_list=list(names),
           scale=0.3)
        for names in (("elementwise_add", "relu"), ("relu", "elementwise_add"), ("scale", "elementwise_add"),
                      ("elementwise_mul", "scale"))
    ],
]  # fmt: skip

SMALL = [
    op("expand", X34, expand_times=[2, 1]),
    op("expand", f(1, 4), ExpandTimes=a([3, 2], "int32")),
    op("reverse", X234, axis=[0, 2]),
    op("partial_concat", [X34, f(3, 4, seed=1)], start_index=1, length=2),
    op("partial_sum", [X34, f(3, 4, seed=1)], start_index=1, keep=(1,)),
    op("fill_zeros_like", X34),
    op("fill_zeros_like2", ints(3, 4), dtype=3),
    op("logspace", Start=w(a([0.0], "float32")), Stop=w(a([3.0], "float32")), Num=w(a([7], "int32")),
       Base=w(a([2.0], "float32")), dtype=5),
    op("logspace", Start=a([1.0], "float32"), Stop=a([-2.0], "float32"), Num=a([5], "int32"),
       Base=a([10.0], "float32"), dtype=6, undeclared="batch open"),
    op("isnan", a([1.0, np.nan], "float32")),
    op("isinf", a([1.0, np.nan], "float32")),
    op("isinf", a([1.0, np.inf], "float32")),
    op("crop", f(4, 5), offsets=[1, 2], shape=[2, 3]),
    op("crop_tensor", f(4, 5), offsets=[1, 0], shape=[2, -1]),
    op("crop_tensor", f(4, 5), Shape=a([2, 3], "int32"), Offsets=a([1, 2], "int32"), undeclared="batch open"),
]  # fmt: skip

DRAWN = [
    op("exponential", f(400) * 0, compare="exponential", **{"lambda": 2.0}),
    op("multinomial", a([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]], "float32"), num_samples=40, replacement=True,
       compare="drawn_columns"),
    op("multinomial", a([0.0, 0.2, 0.3, 0.5], "float32"), num_samples=3, compare="distinct"),
    op("gumbel_softmax", X34, compare="shares", temperature=0.5),
    op("gumbel_softmax", X234, compare="one_hot", axis=1, hard=True),
    op("uniform_random_batch_size_like", Input=f(40, 3), shape=[-1, 30], min=-2.0, max=1.0, compare="uniform"),
]  # fmt: skip

OPS = [*LOSS, *FEATURES, *FUSED, *SMALL, *DRAWN]
