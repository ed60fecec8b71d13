"""Windows at the edges of images: paddings of two widths, SAME, ceil, and sizes that are known at
run time alone.
"""

from itertools import product

from lowering_cases import f, op, w


def _pool(size, kind, k, s, **attrs):
    return op("pool2d", f(1, 2, *size), pooling_type=kind, ksize=k, strides=s, **attrs)


def _transposed(k, s, **attrs):
    return op(
        "conv2d_transpose",
        Input=f(2, 3, 4, 5),
        Filter=w(f(3, 4, *k)),
        out="Output",
        strides=s,
        padding_algorithm="SAME",
        keep=(1,),
        **attrs,
    )


TRANSPOSED = [
    *[_transposed(k, s) for k, s in product(([2, 2], [3, 4]), ([1, 1], [2, 3], [5, 2]))],
    _transposed([3, 3], [2, 2], dilations=[2, 2]),
    _transposed([3, 3], [2, 2], output_size=[8, 10]),
    _transposed([3, 3], [2, 2], output_padding=[1, 1]),
    op(
        "conv2d_transpose",
        Input=f(2, 4, 5, 3),
        Filter=w(f(3, 4, 3, 3)),
        out="Output",
        strides=[2, 1],
        padding_algorithm="SAME",
        data_format="NHWC",
        keep=(-1,),
    ),
]

# An inclusive mean counts padding at the end only as far as there is some at the beginning.
MEANS = [
    *[
        _pool(size, "avg", k, s, padding_algorithm="SAME", ceil_mode=ceil, exclusive=False)
        for k, s in (
            ([3, 3], [2, 2]),
            ([2, 2], [1, 1]),
            ([2, 4], [1, 2]),
            ([3, 2], [3, 2]),
            ([5, 5], [3, 3]),
        )
        for ceil, size in product((False, True), ((7, 8), (6, 9)))
    ],
    *[
        _pool(size, "avg", k, s, paddings=paddings, exclusive=False)
        for k, s, paddings in (
            ([3, 3], [2, 2], [0, 1, 1, 0]),
            ([3, 3], [2, 2], [0, 2, 0, 2]),
            ([2, 3], [1, 2], [1, 0, 0, 2]),
            ([4, 4], [3, 2], [1, 2, 0, 2]),
        )
        for size in ((7, 8), (6, 9))
    ],
    *[
        _pool(size, "avg", [k, k], [s, s], paddings=[p, p], ceil_mode=True, exclusive=False)
        for k, s, p in ((2, 1, 1), (2, 2, 0), (3, 2, 1), (4, 2, 1), (4, 3, 1), (4, 3, 0))
        for size in ((6, 7), (5, 9), (8, 8))
    ],
    _pool((7, 8), "avg", [3, 3], [2, 2], paddings=[0, 1, 1, 0], ceil_mode=True, exclusive=False),
    _pool((7, 8), "avg", [3, 3], [3, 3], paddings=[0, 1, 0, 1], ceil_mode=True),
]

MAXIMA = [
    _pool((7, 8), "max", [3, 3], [2, 2], padding_algorithm="SAME", ceil_mode=True),
    *[
        op(
            "max_pool2d_with_index",
            f(1, 2, *size),
            ksize=[k, k],
            strides=[s, s],
            paddings=[p, p],
            ceil_mode=True,
            adaptive=False,
            out="Out Mask",
        )
        for k, s, p in ((3, 2, 0), (3, 2, 1), (2, 2, 0))
        for size in ((6, 7), (8, 8), (5, 9))
    ],
]

# Windows of which the last begin in the padding, or behind it: the largest of nothing, and 0 / 0.
BEHIND = [
    _pool((6, 7), kind, [k, k], [s, s], paddings=[p, p], ceil_mode=True, **attrs)
    for kind, attrs in (("max", {}), ("avg", {}), ("avg", {"exclusive": False}))
    for k, s, p in ((2, 2, 1), (3, 4, 0), (2, 3, 0), (2, 3, 1), (1, 3, 0), (3, 5, 1))
] + [
    op(
        "pool3d",
        f(1, 2, 4, 5, 6),
        pooling_type=kind,
        ksize=[2, 2, 2],
        strides=[3, 3, 3],
        paddings=[0, 0, 0],
        ceil_mode=True,
    )
    for kind in ("max", "avg")
]

# Windows that lie in the padding alone: the result is the lowest number, or 0 / 0.
LARGE = {"paddings": [2, 0]}
NO_LOWERING = "as large as the window have no lowering with "
TOO_FAR = [
    *[
        _pool(
            (6, 7),
            kind,
            [2, 3],
            [1, 1],
            ceil_mode=ceil,
            **LARGE,
            **({"rejected": NO_LOWERING + "ceil_mode"} if ceil else {}),
        )
        for kind, ceil in product(("max", "avg"), (True, False))
    ],
    op(
        "max_pool2d_with_index",
        f(1, 2, 6, 7),
        ksize=[2, 3],
        strides=[1, 1],
        out="Out Mask",
        **LARGE,
        rejected=NO_LOWERING + "a mask",
    ),
]

OPS = [*TOO_FAR, *BEHIND, *TRANSPOSED, *MEANS, *MAXIMA]
