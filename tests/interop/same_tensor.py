"""The same code for Oarlock and for real Paddle: functions on tensors beyond plain arithmetic, with
gradients; see same_code.py.

Without gradients where real Paddle ends (broadcast_tensors), has none (view, diag_embed), or writes
over what it should add up (what it makes of windows that share elements: diff, trapezoid, unfold).
"""

import numpy as np

rng = np.random.default_rng(77)


def real(*shape, low=-2.0, high=2.0):
    """Distinct numbers of either sign."""
    count = int(np.prod(shape))
    return (
        (
            low
            + (high - low) * (rng.permutation(count) + rng.uniform(0.2, 0.8, count)) / max(count, 1)
        )
        .reshape(shape)
        .astype("float32")
    )


def case(function, *arrays, grad=True):
    """The results of a function of tensors, and the gradients of its floating operands."""

    def run(P):
        tensors = [P.to_tensor(a, stop_gradient=not grad or a.dtype.kind != "f") for a in arrays]
        made = function(P, *tensors)
        made = list(made) if isinstance(made, list | tuple) else [made]
        found = {
            str(i): np.asarray(t.numpy() if hasattr(t, "numpy") else t) for i, t in enumerate(made)
        }
        for t in made:
            if grad and hasattr(t, "numpy") and not t.stop_gradient and t.numpy().dtype.kind == "f":
                weights = (
                    np.linspace(0.5, 1.5, t.numpy().size)
                    .reshape(t.numpy().shape)
                    .astype(t.numpy().dtype)
                )
                (t * P.to_tensor(weights)).sum().backward(retain_graph=True)
        found.update(
            {f"grad{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None}
        )
        return found

    return run


A, B, V, POS, UNIT = (
    real(3, 4),
    real(3, 4),
    real(5),
    real(3, 4, low=0.2, high=3.0),
    real(3, 4, low=0.05, high=0.95),
)
CUBE, WHOLE, OTHER = real(2, 3, 4), rng.integers(-9, 9, (3, 4)), rng.integers(1, 9, (3, 4))
MASK = A > 0
GAPS = np.array([[1.0, np.nan, 3.0, 2.0], [np.nan, 5.0, 6.0, 4.0]], "float32")
EXTREME = np.array([np.nan, np.inf, -np.inf, 1.5], "float32")

special = {
    **{n: case(lambda P, x, n=n: getattr(P, n)(x), POS) for n in ("lgamma", "digamma", "i0", "i0e", "i1", "i1e", "asinh", "deg2rad", "rad2deg", "frac", "trunc")},
    "acosh": case(lambda P, x: P.acosh(x + 1), POS), "atanh": case(lambda P, x: P.atanh(x), UNIT), "erfinv": case(lambda P, x: P.erfinv(x), UNIT),
    "polygamma": case(lambda P, x: [P.polygamma(x, 0), P.polygamma(x, 2)], POS), "multigammaln": case(lambda P, x: P.multigammaln(x + 2, 3), POS),
    "logit": case(lambda P, x: [P.logit(x), P.logit(x, 0.2)], UNIT), "stanh": case(lambda P, x: P.stanh(x, 0.5, 2.0), A),
    "fmax_fmin": case(lambda P, x, y: [P.fmax(x, y), P.fmin(x, y)], A, B), "heaviside": case(lambda P, x, y: P.heaviside(x, y), A, B),
    "atan2": case(lambda P, x, y: P.atan2(x, y), A, B), "nextafter": case(lambda P, x, y: P.nextafter(x, y), A, B, grad=False),
    "hypot": case(lambda P, x, y: P.hypot(x, y), A, B), "logaddexp": case(lambda P, x, y: P.logaddexp(x, y), A, B),
    "ldexp": case(lambda P, x: P.ldexp(x, P.to_tensor(np.array([1, -2, 0, 3]))), A), "frexp": case(lambda P, x: P.frexp(x), A * 7, grad=False),
    "lerp": case(lambda P, x, y: P.lerp(x, y, 0.3), A, B), "gcd_lcm": case(lambda P, x, y: [P.gcd(x, y), P.lcm(x, y)], WHOLE, OTHER),
    "nan_to_num": case(lambda P, x: [P.nan_to_num(x), P.nan_to_num(x, 1.0, 2.0, 3.0)], EXTREME, grad=False),
}  # fmt: skip
scans = {
    "cumprod": case(lambda P, x: [P.cumprod(x, 1), P.cumprod(x, -2)], A), "cummax": case(lambda P, x: [*P.cummax(x, 1), *P.cummin(x)], A, grad=False),
    "logcumsumexp": case(lambda P, x: [P.logcumsumexp(x, 0), P.logcumsumexp(x)], A),
    "diff": case(lambda P, x, y: [P.diff(x), P.diff(x, 2, 0), P.diff(x, 1, 1, y, x)], A, B), "diff_bool": case(lambda P, x: P.diff(x), MASK),
    "trapezoid": case(lambda P, y, x: [P.trapezoid(y), P.trapezoid(y, x, axis=0), P.trapezoid(y, dx=0.5)], A, B, grad=False),
    "cumulative_trapezoid": case(lambda P, y, x: [P.cumulative_trapezoid(y), P.cumulative_trapezoid(y, x)], A, B, grad=False),
}  # fmt: skip
statistics = {
    "amax": case(lambda P, x: [P.amax(x), P.amax(x, 1, True), P.amin(x, [0, 2])], CUBE), "count_nonzero": case(lambda P, x: [P.count_nonzero(x), P.count_nonzero(x, 1)], WHOLE),
    "nan_means": case(lambda P, x: [P.nansum(x), P.nansum(x, 1), P.nanmean(x), P.nanmean(x, 0, True)], GAPS, grad=False),
    "kthvalue": case(lambda P, x: [*P.kthvalue(x, 2), *P.kthvalue(x, 1, 0, True)], A), "mode": case(lambda P, x: [*P.mode(x), *P.mode(x, 0, True)], OTHER.astype("float32"), grad=False),
    "unique": case(lambda P, x: [*P.unique(x, True, True, True), P.unique(x)], WHOLE), "unique_axis": case(lambda P, x: P.unique(x, return_counts=True, axis=0), WHOLE[[0, 1, 0]]),
    "unique_consecutive": case(lambda P, x: P.unique_consecutive(x, True, True), np.array([1, 1, 2, 2, 3, 1])),
    "searchsorted": case(lambda P, s, v: [P.searchsorted(s, v), P.searchsorted(s, v, True, True), P.bucketize(v, s)], np.sort(V), A, grad=False),
    "histogram": case(lambda P, x: [P.histogram(x, 4), P.histogram(x, 3, -1, 1)], A, grad=False),
    "bincount": case(lambda P, x, w: [P.bincount(x), P.bincount(x, w), P.bincount(x, minlength=9)], np.array([1, 0, 3, 1]), real(4), grad=False),
    "median": case(lambda P, x: [P.median(x), P.median(x, 1), P.median(x, 0, True)], A), "median_odd": case(lambda P, x: [P.median(x, 0), P.median(x, 0, True)], A),
    "nanmedian": case(lambda P, x: [P.nanmedian(x, 1), P.nanmedian(x)], GAPS, grad=False),
    "quantile": case(lambda P, x: [P.quantile(x, 0.3), P.quantile(x, [0.1, 0.9], 1), P.quantile(x, 0.5, 0, True)], A),
    "nanquantile": case(lambda P, x: [P.nanquantile(x, 0.3, 1), P.quantile(x, 0.3, 1)], GAPS, grad=False),
    "multiplex": case(lambda P, x, y: P.multiplex([x, y], P.to_tensor(np.array([[1], [0], [1]], "int32"))), A, B),
}  # fmt: skip
layout = {
    "atleast": case(lambda P, x, v: [P.atleast_1d(x), P.atleast_2d(v), P.atleast_3d(v), P.atleast_3d(x), *P.atleast_2d(x, v)], A, V),
    "broadcasting": case(lambda P, x, v: [*P.broadcast_tensors([x, v]), np.array(P.broadcast_shape([3, 1], [4]))], A, real(4), grad=False),
    "view": case(lambda P, x: [P.view(x, [4, 3]), P.view_as(x, P.zeros([2, 6]))], A, grad=False), "unflatten": case(lambda P, x: [P.unflatten(x, 1, [2, -1]), P.unflatten(x, 0, [3, 1])], A),
    "unfold": case(lambda P, x: P.unfold(x, 1, 2, 1), A, grad=False), "as_strided": case(lambda P, x: P.as_strided(x, [2, 3], [1, 4]), A),
    "rot90": case(lambda P, x: [P.rot90(x), P.rot90(x, 2), P.rot90(x, -1, [1, 0]), P.reverse(x, [1])], A), "vsplit": case(lambda P, x: P.vsplit(x, [1, 2]), A),
    "crop": case(lambda P, x: [P.crop(x, [2, 2], [1, 1]), P.crop(x, [-1, 3])], A), "diagonal": case(lambda P, x: [P.diagonal(x), P.diagonal(x, 1, 2, 0), P.trace(x, -1, 1, 2)], CUBE),
    "diag_embed": case(lambda P, x: [P.diag_embed(x), P.diag_embed(x, 1, 0, 2)], A, grad=False), "diagflat": case(lambda P, x: [P.diagflat(x), P.diagflat(x, -1)], V),
    "diagonal_scatter": case(lambda P, x, y: P.diagonal_scatter(x, y), A, real(3), grad=False),
    "index_add": case(lambda P, x, v: P.index_add(x, P.to_tensor(np.array([0, 2])), 1, v), A, real(3, 2)),
    "index_fill": case(lambda P, x: [P.index_fill(x, P.to_tensor(np.array([0, 2])), 1, 7.0), P.index_fill(x, P.to_tensor(np.array([1])), 0, P.to_tensor(2.0))], A),
    "put_along_axis": case(
        lambda P, x, v: [
            P.put_along_axis(x, P.to_tensor(np.array([[0, 1, 2], [2, 1, 0]])), v, 0, way, own, False)
            for way in ("assign", "add", "mul", "amin", "amax", "mean")
            for own in ((True,) if way == "assign" else (True, False))
        ],
        real(3, 3),
        real(2, 3),
    ),
    "index_put": case(lambda P, x, v: [P.index_put(x, (P.to_tensor(np.array([0, 2])),), v), P.index_put(x, (P.to_tensor(np.array([1, 1])), P.to_tensor(np.array([0, 0]))), v[0, :1], True)], A, real(2, 4)),
    "masked_fill": case(lambda P, x, m: [P.masked_fill(x, m, 5.0), P.masked_fill(x, m, P.to_tensor(2.0))], A, MASK),
    "renorm": case(lambda P, x: [P.renorm(x, 2.0, 0, 1.0), P.renorm(x, 1.0, 1, 2.0)], A),
    "scatter_nd": case(lambda P, u: P.scatter_nd(P.to_tensor(np.array([[1], [0], [1]])), u, [4, 4]), A), "select_scatter": case(lambda P, x, v: P.select_scatter(x, v, 1, 2), A, real(3)),
    "take": case(lambda P, x: [P.take(x, P.to_tensor(np.array([[0, -1], [5, 3]]))), P.take(x, P.to_tensor(np.array([13, -14])), "wrap"), P.take(x, P.to_tensor(np.array([13, 2])), "clip")], A),
    "combinations": case(lambda P, x: [P.combinations(x), P.combinations(x, 3), P.combinations(x, 2, True)], V), "vander": case(lambda P, x: [P.vander(x), P.vander(x, 3, True)], V),
    "repeat_interleave": case(lambda P, x: [P.repeat_interleave(x, 2), P.repeat_interleave(x, 3, 1), P.repeat_interleave(x, P.to_tensor(np.array([1, 0, 2])), 0)], A),
    "shard_index": case(lambda P, x: P.shard_index(x, 20, 2, 0), np.array([[1], [12], [9]])),
    "indices": case(lambda P: [P.tril_indices(3, 4, 1), P.triu_indices(3, 4, -1), P.triu_indices(3)]), "logspace": case(lambda P: [P.logspace(0.0, 3.0, 4), P.logspace(0, 4, 5, 2.0, "float64")]),
    "closeness": case(lambda P, x, y: [P.isclose(x, y), P.allclose(x, x + 1e-7), P.equal_all(x, x), P.equal_all(x, y), P.is_empty(x)], A, B, grad=False),
}  # fmt: skip


def in_place(P):
    """In-place functions, on tensors that are not leaves."""
    found = {}
    for name, args in {
        "abs_": (),
        "sin_": (),
        "log1p_": (),
        "pow_": (2.0,),
        "tril_": (),
        "trunc_": (),
        "neg_": (),
        "cumsum_": (1,),
        "t_": (),
        "masked_fill_": (P.to_tensor(MASK), 3.0),
        "fill_diagonal_": (9.0,),
        "renorm_": (2.0, 0, 1.0),
    }.items():
        x = P.to_tensor(A, stop_gradient=False)
        y = x * 1.5
        assert getattr(y, name)(*args) is y
        y.sum().backward()
        found[name], found[name + "grad"] = y.numpy(), x.grad.numpy()
    return found


def setitems(P):
    """Assignments at index tensors, lists, arrays and masks, alone and with ints and slices; with
    gradients.
    """
    t = P.to_tensor
    two, four = np.array([[1.0, 2], [3, 4]], "float32"), np.arange(8, dtype="float32").reshape(2, 4)
    writes = {
        "tensor": (t(np.array([0, 2])), 5.0), "list": ([0, 2], t(four)), "pair": ((np.array([0, 1]), np.array([1, 2])), 3.0),
        "mask": (t(MASK), 7.0), "rows": (t(np.array([True, False, True])), t(four)), "with int": ((t(np.array([1])), 0), 0.0),
        "behind": ((slice(0, 2), t(np.array([1, 3]))), t(two)), "negative": (t(np.array([-1])), 2.0),
    }  # fmt: skip
    found = {}
    for name, (index, value) in writes.items():
        x = t(A, stop_gradient=False)
        y = x * 2
        y[index] = value
        (y * y).sum().backward()
        found[name], found[name + " grad"] = y.numpy(), x.grad.numpy()
    x = t(A)
    x[t(np.array([0, 2]))] += 1
    z = t(np.arange(24, dtype="float32").reshape(2, 3, 4))
    z[0, :, t(np.array([1, 3]))] += t(np.array([[1.0, 2], [3, 4], [5, 6]], "float32"))
    return {**found, "added": x.numpy(), "int, slice and tensor": z.numpy()}


def infos(P):
    """What the dtypes can be."""
    found = {}
    for name in ("float16", "float32", "float64"):
        info = P.finfo(getattr(P, name))
        found[name] = np.array([info.min, info.max, info.eps, info.tiny, info.bits])
    for name in ("uint8", "int32", "int64"):
        info = P.iinfo(getattr(P, name))
        found[name] = np.array([info.min, info.max, info.bits])
    return found


GROUPS = {"special": special, "scans": scans, "statistics": statistics, "layout": layout}
CASES = {f"{group}.{name}": run for group, runs in GROUPS.items() for name, run in runs.items()} | {
    "in_place": in_place,
    "infos": infos,
    "setitems": setitems,
}
