"""Compare all collectives, in several dtypes and groups, with NumPy. Prints `fine` on each rank."""

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist

DTYPES = [
    "float32",
    "float64",
    "int32",
    "int64",
    "uint8",
    "int8",
    "float16",
    "bfloat16",
    "bool",
    "complex64",
]


def number(rank, dtype):
    values = np.random.RandomState(rank).randint(0, 4, [3, 2])
    return paddle.to_tensor(values.astype("float32")).astype(dtype)


def as_float(tensor):
    return (
        tensor.astype("float32").numpy()
        if tensor.dtype in (paddle.bfloat16, paddle.float16)
        else tensor.numpy()
    )


def same(tensor, want, what):
    found = as_float(tensor)
    room = 1e-2 if tensor.dtype in (paddle.bfloat16, paddle.float16) else 1e-5
    assert found.shape == want.shape and np.allclose(found, want, room), (
        dist.get_rank(),
        what,
        found,
        want,
    )


def reductions(n, r):
    ways = {"SUM": np.sum, "MAX": np.max, "MIN": np.min, "PROD": np.prod, "AVG": np.mean}
    rejected = {"bool": {"SUM", "PROD", "AVG"}, "complex64": {"MAX", "MIN"}}
    for dtype in DTYPES:
        everybody = [as_float(number(k, dtype)) for k in range(n)]
        no = rejected.get(dtype, set()) | ({"AVG"} if "int" in dtype else set())
        for word, way in ways.items():
            op = getattr(dist.ReduceOp, word)
            mine = number(r, dtype)
            if word in no:
                try:
                    dist.all_reduce(mine, op)
                except paddle.OpError as error:
                    assert word in str(error), error
                    continue
                raise AssertionError((dtype, word))
            dist.all_reduce(mine, op)
            same(mine, way(everybody, axis=0).astype(everybody[0].dtype), (dtype, word))
            mine = number(r, dtype)
            dist.reduce(mine, n - 1, op)
            same(
                mine,
                way(everybody, axis=0).astype(everybody[0].dtype) if r == n - 1 else everybody[r],
                (dtype, word, "reduce"),
            )


def moves(n, r):
    for dtype in DTYPES:
        everybody = [as_float(number(k, dtype)) for k in range(n)]
        mine = number(r, dtype)
        dist.broadcast(mine, n - 1)
        same(mine, everybody[n - 1], "broadcast")
        found = []
        dist.all_gather(found, number(r, dtype))
        for k in range(n):
            same(found[k], everybody[k], "all_gather")
        found = [] if r == 0 else None
        dist.gather(number(r, dtype), found, dst=0)
        for k in range(n) if r == 0 else ():
            same(found[k], everybody[k], "gather")
        into = number(r, dtype)
        dist.scatter(into, [number(k, dtype) for k in range(n)] if r == 0 else None, src=0)
        same(into, everybody[r], "scatter")
        found = []
        dist.alltoall([number(r + k, dtype) for k in range(n)], found)
        for k in range(n):
            same(found[k], as_float(number(r + k, dtype)), "alltoall")
        nxt, before = (r + 1) % n, (r - 1) % n
        task = dist.isend(number(r, dtype), nxt)
        into = number(99, dtype)
        dist.recv(into, before)
        task.wait()
        same(into, everybody[before], "send")


def more(n, r):
    mine = paddle.to_tensor([float(r)])
    task = dist.all_reduce(mine, sync_op=False)
    task.wait()
    assert task.is_completed() and mine.numpy()[0] == sum(range(n))
    into = paddle.zeros([2])
    dist.reduce_scatter(into, [paddle.full([2], float(k + r)) for k in range(n)])
    same(into, np.full(2, sum(r + k for k in range(n)), np.float32), "reduce_scatter")
    rows = paddle.to_tensor(np.arange(n * (n + 1) // 2, dtype="float32").reshape(-1, 1) + 100 * r)
    into = paddle.zeros([(r + 1) * n, 1])
    dist.alltoall_single(rows, into, list(range(1, n + 1)), [r + 1] * n)
    start = r * (r + 1) // 2
    want = np.concatenate([np.arange(start, start + r + 1) + 100 * k for k in range(n)]).reshape(
        -1, 1
    )
    same(into, want.astype("float32"), "alltoall_single")
    found = []
    dist.all_gather_object(found, {"rank": r, "long": "x" * 10**r})
    assert [f["rank"] for f in found] == list(range(n))
    things = [r, "of", r] if r == 1 else [None]
    dist.broadcast_object_list(things, src=1)
    assert things == [1, "of", 1]
    dist.scatter_object_list(things, [[k] for k in range(n)], src=0)
    assert things == [[r]]
    odd = dist.new_group([k for k in range(n) if k % 2])
    assert odd.is_member() == bool(r % 2) and dist.get_rank(odd) == (r // 2 if r % 2 else -1)
    mine = paddle.to_tensor([float(r)])
    dist.all_reduce(mine, group=odd)
    assert mine.numpy()[0] == (sum(range(1, n, 2)) if r % 2 else r)
    dist.barrier(odd)
    if not odd.is_member():
        assert dist.send(mine, dst=1, group=odd).is_completed()
        assert dist.recv(mine, src=1, group=odd).is_completed() and mine.item() == r
    assert dist.get_group(odd.id) is odd and odd.ranks == list(range(1, n, 2))


def disagreements(n, r):
    wrong = [
        (lambda: dist.all_reduce(paddle.zeros([2 + r])), "the calls of ranks differ"),
        (
            lambda: dist.all_reduce(paddle.zeros([2]).astype("float64" if r else "float32")),
            "rank 1: all_reduce(float64[2], SUM)",
        ),
        (
            lambda: dist.broadcast(paddle.zeros([2]), 0) if r else dist.barrier(),
            "rank 0: barrier()",
        ),
        (lambda: dist.broadcast(paddle.zeros([2]), n), "not in the group"),
        (lambda: dist.send(paddle.zeros([2]), r), "is the calling process"),
        (lambda: dist.all_reduce(paddle.zeros([2]), 7), "one of ReduceOp"),
        (
            lambda: dist.all_gather([paddle.zeros([2])], paddle.zeros([2])),
            "the list has 1 tensors for",
        ),
    ]
    for call, words in wrong:
        try:
            call()
        except paddle.OpError as error:
            message, _, line = str(error).partition("\n  at ")  # the line contains `words`, too
            assert words in message and "collectives.py" in line, error
            continue
        raise AssertionError(words)
    task = dist.isend(paddle.zeros([3]), (r + 1) % n)
    try:
        dist.recv(paddle.zeros([4]), (r - 1) % n)
    except paddle.OpError as error:
        assert "another shape or dtype than the tensor (float32[4])" in str(error)
    task.wait()


def main():
    group = dist.init_parallel_env()
    n, r = dist.get_world_size(), dist.get_rank()
    assert group.nranks == n and dist.is_initialized()
    for part in (reductions, moves, more, disagreements):
        part(n, r)
    dist.barrier()
    print("fine")


if __name__ == "__main__":
    main()
