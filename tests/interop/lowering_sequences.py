"""LoD ops for `lowering_cases.py`."""

import numpy as np
from lowering_cases import a, f, ints, op, packed, w

CUT = [0, 3, 4, 9]
HOLES = [0, 0, 3, 3, 9, 9]  # sequences without rows
ONE = [0, 9]


def rows(*shape, cut=CUT, **how):
    """Nine rows and more, cut into sequences."""
    return packed(f(cut[-1], *shape, **how), cut)


def words(cut=CUT, high=5, dtype="int64", shape=(1,)):
    return packed(ints(cut[-1], *shape, high=high, dtype=dtype), cut)


def pool(kind, cut=CUT, **more):
    return op(
        "sequence_pool", rows(4, cut=cut), unread="MaxIndex", pooltype=kind, keep=(-1,), **more
    )


KINDS = ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST")
POOLS = [pool(kind) for kind in KINDS] + [pool(kind, HOLES, pad_value=0.5) for kind in KINDS]


def without_number(array, *at):
    """With NaN in some rows."""
    array[list(at)] = np.nan
    return array


def gru(cut=CUT, hidden=4, bias=True, state=False, nan=(), nan_state=(), **more):
    given = {"Bias": w(f(1, 3 * hidden, seed=9))} if bias else {}
    given |= {"H0": without_number(f(len(cut) - 1, hidden, seed=3), *nan_state)} if state else {}
    return op(
        "gru",
        Input=without_number(rows(3 * hidden, cut=cut), *nan),
        Weight=w(f(hidden, 3 * hidden, seed=8)),
        out="Hidden",
        unread="BatchGate BatchResetHiddenPrev BatchHidden",
        keep=(-1,),
        **given,
        **more,
    )


GRUS = [
    gru(),
    gru(bias=False),
    gru(is_reverse=True),
    gru(origin_mode=True, state=True),
    gru(state=True, is_reverse=True),
    gru(ONE, activation="relu"),
    gru(HOLES, is_reverse=True),
    gru(origin_mode=True, gate_activation="tanh", activation="identity"),
    gru(nan=[0, 6]),
    gru(nan=[0, 6], is_reverse=True, state=True),
    gru(nan_state=[1], state=True, origin_mode=True),
    gru(gate_activation="relu", rejected="'gate_activation' is not sigmoid"),
]


def lstm(cut=CUT, hidden=3, state=False, use_peepholes=False, nan=(), nan_state=(), **more):
    given = {"Bias": w(f(1, (7 if use_peepholes else 4) * hidden, seed=9))}
    first = [without_number(f(len(cut) - 1, hidden, seed=seed), *nan_state) for seed in (3, 4)]
    given |= {"H0": first[0], "C0": first[1]} if state else {}
    return op(
        "lstm",
        Input=without_number(rows(4 * hidden, cut=cut), *nan),
        Weight=w(f(hidden, 4 * hidden, seed=8)),
        out="Hidden Cell",
        unread="BatchGate BatchCellPreAct",
        use_peepholes=use_peepholes,
        keep=(-1,),
        **given,
        **more,
    )


LSTMS = [
    lstm(),
    lstm(use_peepholes=True),
    lstm(use_peepholes=True, is_reverse=True, state=True),
    lstm(state=True),
    lstm(ONE, is_reverse=True),
    lstm(HOLES, is_reverse=True),
    lstm(nan=[0, 6]),
    lstm(nan=[0, 6], use_peepholes=True, is_reverse=True, state=True),
    lstm(nan_state=[1], state=True),
    lstm(gate_activation="sigmoid", cell_activation="relu", candidate_activation="identity"),
    lstm(gate_activation="tanh", cell_activation="sigmoid", candidate_activation="relu"),
]

REARRANGED = [
    op("sequence_softmax", rows(1)),
    op("sequence_softmax", rows(1, cut=HOLES)),
    op("sequence_reverse", rows(4), out="Y"),
    op("sequence_reverse", rows(2, 3, cut=HOLES), out="Y"),
    op("sequence_reverse", words(), out="Y", declared="int64"),
    op("sequence_concat", [rows(4), rows(4, cut=[0, 1, 1, 4], seed=9)]),
    op(
        "sequence_concat",
        [rows(2), rows(2, cut=[0, 0, 2, 2], seed=9), rows(2, cut=[0, 2, 4, 6], seed=10)],
    ),
    op("sequence_pad", rows(4), out="Out Length", PadValue=f(1), padded_length=-1),
    op("sequence_pad", rows(2, 3, cut=HOLES), out="Out Length", PadValue=f(2, 3), padded_length=8),
    op(
        "sequence_pad",
        words(),
        out="Out Length",
        PadValue=a([7]),
        padded_length=-1,
        declared="int64",
    ),
    op("sequence_unpad", f(3, 4, 2), Length=a([2, 4, 1]), cut=True),
    op("sequence_unpad", f(3, 4), Length=a([2, 0, 4]), cut=True),
    op("sequence_reshape", rows(4), new_dim=2, keep=(-1,)),
    op("sequence_reshape", rows(2, cut=[0, 2, 6, 10]), new_dim=4, keep=(-1,)),
    op("sequence_slice", rows(4), Offset=a([[1], [0], [2]]), Length=a([[2], [1], [1]])),
    op("sequence_slice", rows(4), Offset=a([[0], [0], [4]]), Length=a([[1], [1], [1]])),
    op("sequence_erase", words(), tokens=[2, 3], declared="int64"),
    op("sequence_erase", words(HOLES, dtype="int32"), tokens=[], declared="int32"),
    op("sequence_enumerate", words(), win_size=3, pad_value=9, declared="int64"),
    op(
        "sequence_enumerate", words(HOLES, dtype="int32"), win_size=2, pad_value=0, declared="int32"
    ),
]

EXPANDED = [
    op("sequence_expand_as", f(3, 4), Y=rows(1)),
    op("sequence_expand_as", f(5, 2), Y=rows(1, cut=HOLES)),
    op("sequence_expand", f(3, 4), Y=rows(1), ref_level=0),
    op("sequence_expand", f(5, 2), Y=rows(1, cut=HOLES), ref_level=-1),
    op("sequence_expand", rows(4), Y=rows(1, cut=[0, 2, 2, 5]), ref_level=0),
    op("sequence_expand", rows(2, cut=[0, 0, 2, 3]), Y=rows(1, cut=[0, 2, 3, 6]), ref_level=-1),
    op("lod_reset", f(9, 2), target_lod=[0, 4, 9], cut=True),
    op("lod_reset", rows(2), target_lod=[0, 4, 4, 9]),
    op("lod_reset", f(9, 2), Y=rows(1), target_lod=[]),
    op("lod_reset", f(9, 2), Y=a([0, 2, 9], "int32"), target_lod=[], cut=True),
]

WINDOWS = [
    op(
        "sequence_conv",
        rows(4),
        Filter=w(f(12, 5)),
        contextLength=3,
        contextStart=-1,
        contextStride=1,
    ),
    op(
        "sequence_conv",
        rows(4),
        Filter=w(f(12, 5)),
        contextLength=3,
        contextStart=0,
        contextStride=1,
    ),
    op(
        "sequence_conv",
        rows(2, cut=HOLES),
        Filter=w(f(10, 3)),
        contextLength=5,
        contextStart=-3,
        contextStride=1,
    ),
    op(
        "sequence_conv",
        rows(2),
        Filter=w(f(2, 3)),
        contextLength=1,
        contextStart=2,
        contextStride=1,
    ),
    op("row_conv", rows(4), Filter=w(f(3, 4)), keep=(-1,)),
    op("row_conv", rows(2, cut=[0, 1, 3, 9]), Filter=w(f(2, 2)), keep=(-1,)),
]


def boxes(*shape):
    return packed(f(9, *shape, low=-20, high=80), CUT)


SIZES = np.array([[60, 40, 1], [50, 70, 2], [33, 44, 0.7]], "float32")


def crf(x, tags=4, out="ViterbiPath", **more):
    return op(
        "crf_decoding",
        x,
        slot="Emission",
        Transition=w(f(tags + 2, tags, seed=5)),
        out=out,
        declared="int64",
        **more,
    )


DECODED = [
    crf(rows(4)),
    crf(rows(4, cut=HOLES)),
    crf(rows(4), Label=words(high=4), undeclared="open"),
    crf(f(3, 5, 4), Length=a([5, 2, 4])),
    crf(f(3, 5, 4), Length=a([5, 2, 4]), Label=ints(3, 5, high=4)),
    op("ctc_align", words(high=3, dtype="int32"), slot="Input", out="Output", blank=0, merge_repeated=True, declared="int32"),
    op("ctc_align", words(HOLES, high=3), slot="Input", out="Output", blank=1, merge_repeated=False, declared="int64"),
    op("ctc_align", packed(a([[2], [2], [2]]), [0, 2, 3]), slot="Input", out="Output", blank=2, merge_repeated=True, declared="int64"),
    op(
        "ctc_align", ints(3, 8, high=3, dtype="int32"), slot="Input", InputLength=a([[8], [3], [5]], "int32"), out="Output OutputLength",
        blank=0, merge_repeated=True, padding_value=7, declared="int32",
    ),
    op(
        "ctc_align", ints(2, 6, high=3), slot="Input", InputLength=a([[6], [4]]), out="Output OutputLength",
        blank=1, merge_repeated=False, padding_value=0, declared="int64",
    ),
    op("box_clip", boxes(4), slot="Input", ImInfo=SIZES, out="Output"),
]  # fmt: skip


def gru_unit(hidden=4, batch=3, bias=True, **more):
    given = {"Bias": w(f(1, 3 * hidden, seed=9))} if bias else {}
    return op(
        "gru_unit",
        Input=f(batch, 3 * hidden),
        HiddenPrev=f(batch, hidden, seed=2),
        Weight=w(f(hidden, 3 * hidden, seed=8)),
        out="Gate ResetHiddenPrev Hidden",
        **given,
        **more,
    )


UNITS = [
    gru_unit(),
    gru_unit(bias=False, origin_mode=True),
    gru_unit(activation=3, gate_activation=1),
    gru_unit(activation=0, gate_activation=2),
]

OPS = POOLS + GRUS + LSTMS + REARRANGED + EXPANDED + WINDOWS + DECODED + UNITS
