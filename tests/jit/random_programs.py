"""Random small programs that change elements and attributes in branches, loops and called
functions, as source text.
"""

from __future__ import annotations

import random

TENSORS = ("t", "s", 'd["k"]', "l[0]", "l[1]", "o.t", 'd["c"][0]', "p[1][0]", "g[-1]")
NUMBERS = ("n", 'd["n"]', "o.n")
CALLS = (
    "inner({})", "put(d, {})", "swap(l, {})", "o.step({})", 'swap(d["c"], {})', "put(dict(d), {})", "swap([s, {}], t)", "both(o, d, {})",
    "grow(g, {})", "grow(p[0], {})", "grow(o.g, {})",
)  # fmt: skip
OTHERS = (
    "l = [l[1], {}]", "d = dict(d)", "l = list(l)", 'd = {{"k": {}, "n": d["n"], "c": d["c"]}}', "d = other(d, {})", 'd["c"] = [{}, d["c"][0]]',
    "l.append({}); l.pop(0)", "l.append({}); l.pop()", 'd.update(k={}, n=2)', 'setattr(o, "t", {})', "l.reverse()", 'l, d["c"] = d["c"], l',
    "g.append({})", "g = g + [{}]", "p[0].append({})", "p[1][0] = {}", "w = list(g); g[0] = {}", "g.append({}); g.pop()",
    "l[0], l[1] = l[1], {}", "o = o if ({}).sum() > 0 else o", 'e = d; e["k"] = {}', "m = l; m[0] = {}", "l += [{}]; del l[0]",
)  # fmt: skip
HEAD = """
class Held:
    def step(self, v):
        {method}
        return v + self.t * 0.5


def put(q, v):
    {put}
    return q["k"] * 0.5 - v


def swap(q, v):
    {swap}
    return v * 0.5 + q[1]


def other(q, v):
    q = dict(q)
    q["c"][1] = v
    q["k"] = q["c"][0] * 0.5
    return q


def both(h, q, v):
    if v.sum() > 0:
        h.t = q["k"]
        q["n"] = h.n
    for i in range(2):
        q["k"] = h.step(q["k"]) * 0.5
    return h.t


def grow(q, v):
    {grow}
    q.append(v)
    return v + q[0]


def f(x, k):
    d = {{"k": x, "n": 1, "c": [x * 2, x]}}
    l = [x + 1, x * 0.5]
    o = Held()
    o.t, o.n, o.g = x * 1, 2, [x]
    g, p = [x * 3], ([x], [x * 0.5])
    t, s, n = x, x * 0.25, 1

    def inner(v):
        nonlocal t, s, n
        {inner}
        return v * 0.5 + t * 0.25

{body}
    lengths = x * len(g), x * len(p[0]), x * len(o.g)
    return *lengths, t, s, d["k"], d["c"][0], d["c"][1], l[0], l[1], o.t, g[-1], p[1][0], p[0][-1], o.g[-1], x * n, x * d["n"], x * o.n, k + 1
"""


class Writer:
    """Generates one program.

    Statements are lists of lines; places: what they may change, by kind.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count = rng, 0

    def text(self) -> str:
        """The module."""
        rng = self.rng
        own = (("self.t",), ("self.n",))
        dict_, list_ = (('q["k"]', 'q["c"][0]'), ('q["n"]',)), (("q[0]", "q[1]"), ())
        parts = {
            "method": self.inside(own, ["self.t"]),
            "put": self.inside(dict_, ['q["k"]', "v"]),
            "grow": self.inside((("q[0]", "q[-1]"), ()), ["q[0]", "q[-1]", "v"]),
            "swap": self.inside(list_, ["q[0]", "q[1]", "v"]),
            "inner": self.inside(((*TENSORS,), (*NUMBERS,)), [*TENSORS, "v"]),
        }
        joined = {
            name: "\n        ".join(lines) if name in ("method", "inner") else "\n    ".join(lines)
            for name, lines in parts.items()
        }
        lines = self.block((TENSORS, NUMBERS), TENSORS, rng.randint(2, 4), 2, calls=True)
        return HEAD.format(**joined, body="\n".join("    " + line for line in lines))

    def inside(
        self, places: tuple[tuple[str, ...], tuple[str, ...]], reads: list[str]
    ) -> list[str]:
        """The body of a called function, which may return early."""
        lines = self.block(places, reads, self.rng.randint(1, 2), 1, calls=False)
        if self.rng.random() < 0.4:
            back = [f"return {self.tensor(reads)}"]
            lines += [
                f"if {self.test(reads)}:",
                *indented(self.block(places, reads, 1, 0, False) + back),
            ]
        return lines

    def block(
        self,
        places: tuple[tuple[str, ...], tuple[str, ...]],
        reads: object,
        count: int,
        depth: int,
        calls: bool,
    ) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(places, list(reads), depth, calls)  # type: ignore[call-overload]
        return lines

    def statement(
        self,
        places: tuple[tuple[str, ...], tuple[str, ...]],
        reads: list[str],
        depth: int,
        calls: bool,
    ) -> list[str]:
        """One statement."""
        rng, kind = self.rng, self.rng.random()
        if depth and kind < 0.6:
            return self.compound(places, reads, depth, calls)
        if calls and kind < 0.72:
            target = rng.choice(places[0])
            return [f"{target} = {rng.choice(CALLS).format(self.tensor(reads))}"]
        if calls and kind < 0.8:
            return [rng.choice(OTHERS).format(self.tensor(reads))]
        if places[1] and kind < 0.85:
            target = rng.choice(places[1])
            return [rng.choice((f"{target} += 1", f"{target} = {target} + 2", f"{target} = 3"))]
        target = rng.choice(places[0])
        return [f"{target} = {self.tensor(reads)}"]

    def compound(
        self,
        places: tuple[tuple[str, ...], tuple[str, ...]],
        reads: list[str],
        depth: int,
        calls: bool,
    ) -> list[str]:
        """A branch or a loop."""
        rng = self.rng
        body = indented(self.block(places, reads, rng.randint(1, 2), depth - 1, calls))
        self.count += 1
        i, limit = f"i{self.count}", rng.choice((-4, 4, 9))
        forms = {
            "if": [f"if {self.test(reads)}:", *body],
            "else": [
                f"if {self.test(reads)}:",
                *body,
                "else:",
                *indented(self.block(places, reads, 1, depth - 1, calls)),
            ],
            "python for": [f"for {i} in range(2):", *body],
            "python if": [f"if {rng.choice(('len([1]) > 0', 'len([1]) > 1'))}:", *body],
        }
        if calls:
            forms["for"] = [f"for {i} in range(k):", *body]
            forms["while"] = [f"{i} = k * 0", f"while {i} < k:", *body, f"    {i} = {i} + 1"]
            forms["condition"] = [
                f"{i} = 0",
                f"while {i} < 3 and o.step(x).sum() < {limit}:",
                *body,
                f"    {i} += 1",
            ]
            forms["break"] = [
                f"for {i} in range(k):",
                *body,
                f"    if {self.test(reads)}:",
                "        break",
                *body,
            ]
        return forms[rng.choice(["if", *forms])]

    def tensor(self, reads: list[str]) -> str:
        """Return an expression whose value is a tensor."""
        a, b = self.rng.choice(reads), self.rng.choice(reads)
        return self.rng.choice(
            (f"{a} * 0.5 + 1", f"{a} - {b} * 0.5", f"{a} * 2", f"({a} + {b}) * 0.5", a)
        )

    def test(self, reads: list[str]) -> str:
        """A condition that is known only at run time."""
        return f"{self.rng.choice(reads)}.sum() {self.rng.choice('<>')} {self.rng.choice(('0', '1', '-2', '3'))}"


def indented(lines: list[str]) -> list[str]:
    """Return the lines indented by one level."""
    return ["    " + line for line in lines]


def program(seed: int) -> str:
    """Return the source of one program."""
    return Writer(random.Random(seed)).text()
