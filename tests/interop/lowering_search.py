"""Single ops: search by order, value and index; joined rows."""

import numpy as np
from lowering_cases import a, f, ints, op, w

X34, X234 = f(3, 4), f(2, 3, 4)
TIES = ints(4, 7, high=3)
SORTED = np.sort(f(3, 8), axis=1)

SEARCH = [
    *[op("kthvalue", X234, out="Out Indices", k=k, axis=axis) for k, axis in ((1, 0), (2, 1), (3, -1))],
    op("kthvalue", X34, out="Out Indices", k=2, keepdim=True),
    op("kthvalue", f(), out="Out Indices", k=1),
    op("mode", TIES, out="Out Indices"),
    op("mode", TIES, out="Out Indices", axis=0, keepdim=True),
    op("mode", TIES.astype("float32"), out="Out Indices", axis=1),
    *[
        op("searchsorted", SortedSequence=SORTED, Values=f(3, 5, seed=1), right=right, out_int32=right)
        for right in (False, True)
    ],
    *[
        op("searchsorted", SortedSequence=a([1, 2, 2, 5]), Values=ints(2, 3, 2), right=right)
        for right in (False, True)
    ],
    op("repeat_interleave", X234, Repeats=3, dim=1),
    op("histogram", f(50), bins=7),
    op("histogram", f(5, 10), bins=4, min=-1, max=1),
    op("histogram", ints(50, high=20), bins=6),
    op("histogram", np.full((4,), 3, "float32"), bins=4),
    op("bincount", ints(20)),
    op("bincount", ints(20, dtype="int32"), minlength=9),
    op("bincount", ints(20), Weights=f(20)),
    op("unique", TIES, out="Out Indices Index Counts", is_sorted=True, return_index=True, return_inverse=True,
       return_counts=True, axis=[]),
    op("unique", f(3, 2)[[0, 1, 0, 2]], out="Out Indices Index Counts", is_sorted=True, return_index=True,
       return_inverse=True, return_counts=True, axis=[0], dtype=2),
    op("unique", a([3, 1, 3, 2, 1]), out="Out Index", is_sorted=False),
    op("unique_consecutive", a([1, 1, 2, 2, 2, 3, 1, 1]), out="Out Index Counts", return_inverse=True,
       return_counts=True, dtype=3),
    op("unique_consecutive", f(3, 2)[[0, 0, 1, 2, 2]], out="Out Index Counts", return_inverse=True,
       return_counts=True, axis=[0], dtype=2),
]  # fmt: skip

PICK = [
    op(
        "multiplex",
        [f(4, 3), f(4, 3, seed=1), f(4, 3, seed=2)],
        Ids=a([[2], [0], [1], [0]], "int32"),
        keep=(1,),
    ),
    op(
        "multiplex",
        [f(4, 2, 3), f(4, 2, 3, seed=1)],
        Ids=a([[1], [0], [1], [0]], "int32"),
        keep=(1,),
    ),
    op("index_add", X234, Index=a([0, 2, 0]), AddValue=f(2, 3, 4, seed=1), axis=1),
    op("index_add", X34, Index=a([1, 1], "int32"), AddValue=f(2, 4, seed=1), axis=0),
    *[
        op(
            "index_put",
            X34,
            indices=[a([0, 2, 0]), a([1, 3, 1])],
            value=f(3, seed=1),
            out="out",
            slot="x",
            **more,
        )
        for more in ({"accumulate": True},)
    ],
    op("index_put", X34, indices=[a([0, 2])], value=f(2, 4, seed=1), out="out", slot="x"),
    op("index_put", X34, indices=[a([0, -1])], value=f(1, seed=1), out="out", slot="x"),
    op(
        "index_put",
        X234,
        indices=[a([[0], [1]]), a([0, 2])],
        value=f(4, seed=1),
        out="out",
        slot="x",
    ),
    op("index_put", X34, indices=[X34 > 0], value=f(1, seed=1), out="out", slot="x"),
    op("shard_index", a([[1], [6], [12], [19]]), index_num=20, nshards=2, shard_id=0),
    op(
        "shard_index",
        a([[1], [6], [12], [18]], "int32"),
        index_num=19,
        nshards=3,
        shard_id=2,
        ignore_value=-7,
    ),
    op("sequence_mask", ints(2, 3), out="Y", maxlen=6, out_dtype=5),
    op("sequence_mask", ints(4, dtype="int32"), out="Y", out_dtype=3),
    op("sequence_mask", ints(4), MaxLenTensor=a([7], "int32"), out="Y", out_dtype=0),
    op("gather_tree", Ids=ints(4, 2, 3, high=9), Parents=ints(4, 2, 3, high=3, seed=1)),
    op(
        "gather_tree",
        Ids=ints(5, 1, 4, high=9, dtype="int32"),
        Parents=ints(5, 1, 4, high=4, seed=1, dtype="int32"),
    ),
]

SEGMENT = [
    *[
        op("segment_pool", f(5, 3), SegmentIds=a([0, 0, 1, 3, 3]), unread="SummedIds", pooltype=how)
        for how in ("SUM", "MEAN", "MAX", "MIN")
    ],
    op("segment_pool", f(4, 2, 3), SegmentIds=a([0, 1, 1, 2], "int32"), unread="SummedIds", pooltype="MEAN"),
    *[
        op("graph_send_recv", f(4, 3), Src_index=a([0, 1, 2, 0]), Dst_index=a([1, 2, 1, 0]), unread="Dst_count",
           reduce_op=how)
        for how in ("SUM", "MEAN", "MAX", "MIN")
    ],
    op("graph_send_recv", f(4, 3), Src_index=a([0, 1, 2]), Dst_index=a([1, 2, 1]), unread="Dst_count", out_size=[6]),
    op("graph_send_recv", f(4, 3), Src_index=a([0, 1]), Dst_index=a([1, 0]), Out_size=a([3]), unread="Dst_count"),
    *[
        op("graph_send_ue_recv", f(4, 3), Y=f(*edges), Src_index=a([0, 1, 2, 0]), Dst_index=a([1, 2, 1, 0]), unread="Dst_count",
           message_op=message, reduce_op=reduce, out_size=[0])
        for edges, message, reduce in (((4, 3), "ADD", "SUM"), ((4, 1), "MUL", "SUM"), ((4, 3), "MUL", "MAX"), ((4, 1), "ADD", "MEAN"))
    ],
    op("graph_send_ue_recv", f(4, 2, 3), Y=f(2, 2, 1), Src_index=a([0, 3]), Dst_index=a([1, 0]), unread="Dst_count", message_op="MUL",
       reduce_op="SUM", out_size=[6]),
    *[
        op("graph_send_uv", f(4, 3), slot="x", y=f(5, 3, low=0.5, high=2), src_index=a([0, 1, 3, 0]), dst_index=a([1, 2, 4, 0]),
           out="out", message_op=message)
        for message in ("ADD", "MUL")
    ],
]  # fmt: skip

LENGTHS = a([4, 2, 3])
TAGS, CLASSES = f(3, 5, 6), f(6, 3, 5)
LABELS = a([[1, 1, 2], [3, 0, 0], [4, 2, 0]], "int32")
CTC = {
    "LogitsLength": a([6, 4, 5]),
    "LabelLength": a([3, 1, 2]),
    "out": "Loss",
    "unread": "WarpCTCGrad",
}

DECODE = [
    *[
        op("viterbi_decode", Input=TAGS, Transition=f(6, 6, seed=1), Length=LENGTHS, out="Scores Path",
           include_bos_eos_tag=tags)
        for tags in (True, False)
    ],
    op("viterbi_decode", Input=TAGS[:1], Transition=f(6, 6, seed=1), Length=a([1]), out="Scores Path"),
    op("warpctc", Logits=CLASSES, Label=LABELS, **CTC),
    op("warpctc", Logits=CLASSES, Label=np.where(LABELS == 4, 3, LABELS), blank=4, norm_by_times=True, **CTC),
    op("warpctc", Logits=CLASSES[:1], Label=a([[1], [3], [4]], "int32"), LogitsLength=a([1, 1, 1]), LabelLength=a([1, 1, 1]),
       out="Loss", unread="WarpCTCGrad"),
    op("hierarchical_sigmoid", f(4, 3), W=w(f(5, 3)), Label=a([[0], [2], [5], [3]]), Bias=w(f(5, 1)),
       unread="PreOut W_Out=W", num_classes=6),
    op("hierarchical_sigmoid", f(3, 3), W=w(f(5, 3)), Label=a([[0], [2], [1]]),
       PathTable=a([[0, 1, -1], [0, 2, 4], [0, -1, -1]]), PathCode=a([[1, 0, -1], [0, 1, 1], [1, -1, -1]]),
       unread="PreOut W_Out=W", num_classes=3),
]  # fmt: skip

OPS = [*DECODE, *SEARCH, *PICK, *SEGMENT]
