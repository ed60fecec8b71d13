"""Differences between a program's results in Oarlock and in real Paddle."""

import math

# errors of real Paddle that nobody handles by their class
CHECKS = ("AssertionError", "SystemError", "OSError")


def problems(ours, theirs, path=""):  # noqa: PLR0911 - one for each kind of value
    """Describe the positions at which two described values differ."""
    if isinstance(theirs, dict) and set(theirs) == {"rejected"}:
        return []
    if isinstance(theirs, dict) and set(theirs) == {"error", "text"}:
        if not (isinstance(ours, dict) and set(ours) == {"error", "text"}):
            return [
                f"{path}: {short(ours)} instead of {theirs['error'][:1]} {theirs['text'][-200:]}"
            ]
        special = [name for name in theirs["error"] if name not in ("list", "Exception", *CHECKS)][
            :1
        ]
        return (
            [f"{path}: {ours['error']} instead of {special}: {ours['text']}"]
            if set(special) - set(ours["error"])
            else []
        )
    if isinstance(ours, dict) and set(ours) == {"error", "text"}:
        return [f"{path}: {ours['error']}: {ours['text']}"]
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(ours) != list(theirs) and sorted(ours) != sorted(theirs):
            return [f"{path}: keys {list(ours)} instead of {list(theirs)}"]
        return [p for key in theirs for p in problems(ours[key], theirs[key], f"{path}.{key}")]
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(ours) != len(theirs):
            return [f"{path}: {short(ours)} instead of {short(theirs)}"]
        return [
            p
            for i, (a, b) in enumerate(zip(ours, theirs, strict=True))
            for p in problems(a, b, f"{path}[{i}]")
        ]
    return [] if same(ours, theirs) else [f"{path}: {short(ours)} instead of {short(theirs)}"]


def same(ours, theirs):
    """Whether two plain values are equal, floats up to rounding."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=2e-4, abs_tol=2e-5) or (
            math.isnan(ours) and math.isnan(theirs)
        )
    return ours == theirs


def short(value):
    """A value as a text of some length."""
    text = repr(value)
    return text if len(text) < 160 else text[:160] + " ..."


def is_error(value):
    """Whether a program, or one of its calls, raised an error."""
    if isinstance(value, dict):
        return "error" in value or any(map(is_error, value.values()))
    return isinstance(value, list) and any(map(is_error, value))


def differences(ours, theirs):
    """Return the differences of one program for each way of running it: `(way, kind, text)`.

    kind: "differs"; or "converted", where real Paddle's conversion gives something else than its
    own eager execution, which is what Oarlock gives.
    """
    found = []
    for way, mine in ours.items():
        different = problems(mine, theirs[way])
        if different:
            eager = theirs.get("eager")
            as_eager = eager is not None and not problems(without_count(mine), without_count(eager))
            found += [(way, "converted" if as_eager else "differs", text) for text in different]
    return found


def without_count(value):
    """A result without the number of programs."""
    inner = value.get("ok") if isinstance(value, dict) else None
    if not isinstance(inner, list):
        return value
    return {"ok": [v for v in inner if not (isinstance(v, dict) and list(v) == ["programs"])]}
