"""Rows of matmul."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(5)
f = n.f


def turned(trans_x, trans_y):
    def ref(x, y):
        x, y = x.swapaxes(-1, -2) if trans_x else x, y.swapaxes(-1, -2) if trans_y else y
        return np.matmul(x, y)

    return ref


def norm(order, axis, keepdims=False):
    return lambda x: np.linalg.norm(x, order, axis, keepdims=keepdims)


def attention(scale, is_causal=False):
    def ref(q, k, v, mask):
        scores = q @ k.swapaxes(2, 3) * scale + (0 if mask is None else mask)
        if is_causal:
            scores = np.where(np.tri(scores.shape[2], dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(3, keepdims=True))
        return np.einsum("bhls,bhse->blhe", weights / weights.sum(3, keepdims=True), v)

    return ref


INTERNAL = "an op of Oarlock only"

ROWS = [
    Row("matmul", [f(2, 3), f(3, 4)], ref=np.matmul),
    Row("matmul", [f(5, 3, 2), f(4, 3)], {"transpose_X": True, "transpose_Y": True, "alpha": 0.5}, ref=lambda x, y: turned(True, True)(x, y) * 0.5),
    Row("matmul", [f(3), f(3)], ref=np.matmul),
    Row("matmul_v2", [f(2, 3), f(3, 4)], ref=np.matmul),
    Row("matmul_v2", [f(3, 2), f(3, 4)], {"trans_x": True}, ref=turned(True, False)),
    Row("matmul_v2", [f(2, 3), f(4, 3)], {"trans_y": True}, ref=turned(False, True)),
    Row("matmul_v2", [f(3, 2), f(4, 3)], {"trans_x": True, "trans_y": True}, ref=turned(True, True)),
    Row("matmul_v2", [f(5, 2, 3), f(3, 4)], ref=np.matmul),
    Row("matmul_v2", [f(5, 3, 2), f(4, 3)], {"trans_x": True, "trans_y": True}, ref=turned(True, True)),
    Row("matmul_v2", [f(5, 2, 3), f(4, 3)], {"trans_y": True}, ref=turned(False, True)),
    Row("matmul_v2", [f(2, 3), f(5, 3, 4)], ref=np.matmul),
    Row("matmul_v2", [f(2, 1, 2, 3), f(5, 3, 4)], ref=np.matmul, paddle_grad="2.6.2 infers a wrong shape for batches of different rank"),
    Row("matmul_v2", [f(2, 5, 3, 2), f(2, 5, 4, 3)], {"trans_x": True, "trans_y": True}, ref=turned(True, True)),
    Row("matmul_v2", [f(3), f(3)], ref=np.matmul),
    Row("matmul_v2", [f(3), f(3, 4)], ref=np.matmul),
    Row("matmul_v2", [f(2, 3), f(3)], ref=np.matmul),
    Row("matmul_v2", [f(5, 2, 3), f(3)], ref=np.matmul),
    Row("matmul_v2", [f(5, 3, 2), f(3)], {"trans_x": True}, ref=lambda x, y: x.swapaxes(1, 2) @ y),
    Row("matmul_v2", [f(3), f(5, 3, 4)], ref=np.matmul),
    Row("matmul_v2", [f(0, 3), f(3, 4)], ref=np.matmul, paddle="2.6.2 rejects empty tensors"),
    Row("linear", [f(2, 3), f(3, 4), f(4)], ref=lambda x, y, b: x @ y + b, paddle=INTERNAL),
    Row("linear", [f(2, 5, 3), f(3, 4), f(4)], ref=lambda x, y, b: x @ y + b, paddle=INTERNAL),
    Row("linear", [f(3), f(3, 4), f(2, 4)], ref=lambda x, y, b: x @ y + b, paddle=INTERNAL),
    Row("attention", [f(2, 3, 5, 4), f(2, 3, 6, 4), f(2, 3, 6, 2), None], {"scale": 0.5}, ref=attention(0.5), paddle=INTERNAL),
    Row("attention", [f(2, 3, 5, 4), f(2, 3, 6, 4), f(2, 3, 6, 2), f(2, 1, 5, 6)], {"scale": 0.5}, ref=attention(0.5), paddle=INTERNAL),
    Row("attention", [f(2, 1, 5, 4), f(2, 1, 5, 4), f(2, 1, 5, 3), f(1, 1, 5, 5)], {"scale": 0.3, "is_causal": True}, ref=attention(0.3, True), paddle=INTERNAL),
    Row("bmm", [f(5, 2, 3), f(5, 3, 4)], ref=np.matmul),
    Row("dot", [f(4), f(4)], ref=np.dot),
    Row("dot", [n.ints(4, dtype="int32"), n.ints(4, dtype="int32")], ref=np.dot),
    Row("dot", [f(3, 4), f(3, 4)], ref=lambda x, y: (x * y).sum(1)),
    Row("mv", [f(3, 4), f(4)], ref=np.matmul),
    Row("addmm", [f(2, 4), f(2, 3), f(3, 4)], {"Alpha": 0.5, "Beta": 2.0}, ref=lambda b, x, y: 2 * b + 0.5 * (x @ y)),
    Row("addmm", [f(1, 4), f(2, 3), f(3, 4)], ref=lambda b, x, y: b + x @ y),
    Row("mul", [f(2, 3), f(3, 4)], ref=np.matmul),
    Row("mul", [f(2, 3, 4), f(12, 5)], ref=lambda x, y: x.reshape(2, 12) @ y),
    Row("mul", [f(2, 3, 4), f(2, 2, 5)], {"x_num_col_dims": 2, "y_num_col_dims": 2},
        ref=lambda x, y: (x.reshape(6, 4) @ y.reshape(4, 5)).reshape(2, 3, 5)),
    Row("p_norm", [f(3, 4)], {"axis": 1}, ref=norm(2, 1)),
    Row("p_norm", [f(3, 4)], {"axis": 0, "porder": 3.0, "keepdim": True}, ref=norm(3, 0, True)),
    Row("p_norm", [f(3, 4)], {"axis": 1, "porder": 1.0}, ref=norm(1, 1), second=False),
    Row("p_norm", [f(3, 4)], {"axis": 1, "porder": 0.0}, ref=norm(0, 1), second=False),
    Row("p_norm", [n.distinct(3, 4) + 0.03], {"axis": 1, "porder": float("inf")}, ref=norm(np.inf, 1), second=False),
    Row("p_norm", [f(3, 4)], {"asvector": True, "porder": 2.0}, ref=lambda x: np.sqrt((x * x).sum())),
    Row("p_norm", [f(3, 4)], {"asvector": True, "porder": 2.0, "keepdim": True}, ref=lambda x: np.sqrt((x * x).sum(keepdims=True))),
    Row("p_norm", [np.zeros((2, 3), "f")], {"axis": 1}, ref=norm(2, 1), grad=False),
    Row("frobenius_norm", [f(3, 4)], {"dim": [0, 1]}, ref=lambda x: np.sqrt((x * x).sum())),
    Row("frobenius_norm", [f(2, 3, 4)], {"dim": [1, 2], "keep_dim": True}, ref=lambda x: np.sqrt((x * x).sum((1, 2), keepdims=True))),
    Row("frobenius_norm", [f(3, 4)], {"reduce_all": True}, ref=lambda x: np.sqrt((x * x).sum())),
]  # fmt: skip
