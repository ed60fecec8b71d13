"""Loops and branches whose bodies are `with` blocks, and branches with different result types; see
same_code.py.
"""

import numpy as np
from same_static import static_mode

AT = [[0.5, 0.25, 0.75], [-0.5, 0.1, -0.75], [2.0, 3.0, 4.0]]


def flow_of(P):
    """The classes, where both packages have them."""
    return P.static.nn.control_flow


def number(P, value, dtype="float32"):
    return P.full([1], value, dtype)


def counting(P, S, x):
    """A loop that adds up."""
    i, n, total = number(P, 0, "int64"), number(P, 4, "int64"), P.zeros([3])
    cond = P.less_than(i, n)
    with flow_of(P).While(cond).block():
        P.assign(total + x * 2.0, output=total)
        P.increment(i)
        P.assign(P.less_than(i, n), output=cond)
    return [total, i]


def no_rounds(P, S, x):
    """A loop that does not run."""
    total = x * 1.0
    cond = P.less_than(x.sum(), P.full([], -100.0))
    with flow_of(P).While(cond).block():
        P.assign(total + x, output=total)
        P.assign(P.less_than(total.sum(), P.full([], -100.0)), output=cond)
    return [total]


def rebound(P, S, x):
    """A name that the body only binds anew keeps its value outside."""
    i, total, one = number(P, 0, "int64"), P.zeros([3]), number(P, 1.0)
    cond = P.less_than(i, number(P, 3, "int64"))
    outer = x
    with flow_of(P).While(cond).block():
        P.assign(x + x, output=total)
        P.increment(i)
        x = P.add(x, one)
        P.assign(P.less_than(i, number(P, 3, "int64")), output=cond)
    return [total, outer * 1.0]


def nested(P, S, x):
    """A loop in a loop; both change outer variables."""
    i, total, end = number(P, 0, "int64"), x * 1.0, number(P, 2, "int64")
    outer = P.less_than(i, end)
    with flow_of(P).While(outer).block():
        j = number(P, 0, "int64")
        inner = P.less_than(j, end)
        with flow_of(P).While(inner).block():
            P.assign(total * 1.5 + x, output=total)
            P.increment(j)
            P.assign(P.less_than(j, end), output=inner)
        P.assign(total - 0.25, output=total)
        P.increment(i)
        P.assign(P.less_than(i, end), output=outer)
    return [total, i]


def with_cond(P, S, x):
    """A branch in such a loop."""
    i, total, end = number(P, 0, "int64"), x * 1.0, number(P, 5, "int64")
    cond = P.less_than(i, end)
    with flow_of(P).While(cond).block():
        P.assign(
            S.nn.cond(total.sum() > 2, lambda: total - 1.0, lambda: total + x + 0.75), output=total
        )
        P.increment(i)
        P.assign(P.less_than(i, end), output=cond)
    return [total]


def switched(P, S, x):
    """The first true case writes."""
    rate, size = number(P, 0.0), P.sum(x)
    with flow_of(P).Switch() as switch:
        with switch.case(size > 2.0):
            P.assign(number(P, 0.5), output=rate)
        with switch.case(size > 0.0):
            P.assign(number(P, 0.25), output=rate)
        with switch.default():
            P.assign(number(P, 0.125), output=rate)
    return [rate, rate * 2.0]


def without_default(P, S, x):
    """What no case writes stays."""
    rate = number(P, 1.0)
    with flow_of(P).Switch() as switch, switch.case(P.sum(x) > 2.0):
        P.assign(rate * 3.0, output=rate)
    return [rate + 1.0]


def scalar_block(P, S, x):
    """One branch by its condition."""
    total = x * 1.0
    with flow_of(P).ConditionalBlock([P.sum(x) > 0], is_scalar_condition=True).block():
        P.assign(x * 3.0, output=total)
    return [total]


def empty_block(P, S, x):
    """A branch whose operands are empty is executed."""
    total = x * 1.0
    chosen = P.masked_select(x, x > 1.0)
    with flow_of(P).ConditionalBlock([chosen]).block():
        P.assign(x * 3.0 + P.sum(chosen), output=total)
    return [total]


def unlike(P, S, x):
    """Branches of other dtypes, of other numbers of axes, of both."""
    one, two = lambda: P.full([1, 2], 1.5), lambda: P.full([2, 2], 2, "int32")
    three, four = lambda: P.full([3], 3, "int32"), lambda: P.full([1, 2], 4, "int32")
    test = P.sum(x) > 0
    return [
        S.nn.cond(test, a, b) for a, b in ((two, three), (one, four), (one, three), (three, one))
    ]


def unlike_cases(P, S, x):
    """Cases with different results."""
    one, two = lambda: P.full([1, 2], 1.5), lambda: P.full([2, 2], 2, "int32")
    three, size = lambda: P.full([3], 3, "int32"), P.sum(x)
    index = P.cast(size > 0, "int32") + P.cast(size > 2, "int32")
    chosen = S.nn.case([(size > 2, one), (size > 0, two)], three)
    return [
        chosen,
        S.nn.switch_case(index, {0: one, 2: two}, three),
        S.nn.switch_case(index, [(0, one), (4, two), (7, three)]),
    ]


def body_case(build):
    def run(P):
        found = {}
        with static_mode(P) as S:
            x = S.data("x", [3], "float32")
            fetches, exe = build(P, S, x), S.Executor(P.CPUPlace())
            for i, values in enumerate(AT):
                feed = {"x": np.array(values, "float32")}
                for k, array in enumerate(exe.run(feed=feed, fetch_list=fetches)):
                    found[f"{i}.{k}"] = np.asarray(array)
        return found

    return run


FUNCTIONS = (
    counting,
    no_rounds,
    rebound,
    nested,
    with_cond,
    switched,
    without_default,
    scalar_block,
    empty_block,
    unlike,
    unlike_cases,
)
CASES = {f"bodies.{f.__name__}": body_case(f) for f in FUNCTIONS}
