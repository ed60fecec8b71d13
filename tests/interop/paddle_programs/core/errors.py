"""What is rejected, and as which builtin class of error."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario

x = f32([[1, 2, 3], [4, 5, 6]])
t = paddle.to_tensor


def outcomes(**calls):
    return {
        name: "no error" if raised(call) == "no error" else "error" for name, call in calls.items()
    }


@scenario
def shapes_that_do_not_fit():
    a = t(x)
    return outcomes(
        add=lambda: a + paddle.ones([2]),
        matmul=lambda: a @ a,
        concat=lambda: paddle.concat([a, paddle.ones([2, 3, 1])]),
        concat2=lambda: paddle.concat([a, paddle.ones([3, 2])]),
        stack=lambda: paddle.stack([a, paddle.ones([2, 2])]),
        reshape=lambda: a.reshape([4, 2]),
        reshape2=lambda: a.reshape([-1, 4]),
        reshape3=lambda: a.reshape([-1, -1]),
        expand=lambda: a.expand([2, 4]),
        expand2=lambda: a.expand([3]),
        transpose=lambda: a.transpose([0]),
        transpose2=lambda: a.transpose([0, 0]),
        bmm=lambda: paddle.bmm(a, a),
        dot=lambda: paddle.dot(t([1.0]), t([1.0, 2.0])),
        where=lambda: paddle.where(a > 0, a, paddle.ones([5])),
        split=lambda: paddle.split(a, 2, 1),
        split2=lambda: paddle.split(a, [1, 1], 1),
        chunk=lambda: paddle.chunk(a, 2, 1),
        mv=lambda: paddle.mv(a, paddle.ones([2])),
        addmm=lambda: paddle.addmm(a, a, a),
        broadcast=lambda: paddle.broadcast_to(a, [3, 3]),
        cross=lambda: paddle.cross(paddle.ones([2, 2]), paddle.ones([2, 2])),
    )


@scenario
def axes_out_of_range():
    a = t(x)
    return outcomes(
        sum=lambda: a.sum(2),
        sum_negative=lambda: a.sum(-3),
        max=lambda: a.max(5),
        argmax=lambda: a.argmax(2),
        concat=lambda: paddle.concat([a, a], 2),
        stack=lambda: paddle.stack([a, a], 4),
        squeeze=lambda: a.squeeze(3),
        unsqueeze=lambda: a.unsqueeze(4),
        flip=lambda: a.flip(2),
        softmax=lambda: paddle.nn.functional.softmax(a, 2),
        cumsum=lambda: a.cumsum(2),
        sort=lambda: a.sort(2),
        topk=lambda: a.topk(1, 2),
        gather=lambda: a.gather(t([0]), 2),
        split=lambda: a.split(1, 3),
        unbind=lambda: a.unbind(2),
        flatten=lambda: a.flatten(0, 3),
        flatten2=lambda: a.flatten(1, 0),
        roll=lambda: a.roll(1, 2),
        norm=lambda: a.norm(2, 3),
        index_select=lambda: a.index_select(t([0]), 2),
        diagonal=lambda: a.diagonal(0, 0, 2),
        moveaxis=lambda: a.moveaxis(0, 2),
        mean=lambda: a.mean(-4),
        prod=lambda: a.prod(7),
        logsumexp=lambda: a.logsumexp(3),
        all=lambda: (a > 0).all(2),
        std=lambda: a.std(2),
        kthvalue=lambda: a.kthvalue(1, 2),
        tile=lambda: a.tile([-1]),
        rot90=lambda: paddle.rot90(a, 1, [0, 2]),
        repeat=lambda: a.repeat_interleave(2, 3),
    )


@scenario
def values_out_of_range():
    a = t(x)
    F = paddle.nn.functional
    return outcomes(
        topk=lambda: a.topk(4),
        kthvalue=lambda: a.kthvalue(4),
        kthvalue0=lambda: a.kthvalue(0),
        gather=lambda: a.gather(t([5])),
        index_select=lambda: a.index_select(t([9])),
        one_hot=lambda: F.one_hot(t([5]), 3),
        dropout=lambda: F.dropout(a, 1.5),
        dropout2=lambda: F.dropout(a, -0.1),
        quantile=lambda: a.quantile(1.5),
        arange=lambda: paddle.arange(0, 1, 0),
        linspace=lambda: paddle.linspace(0, 1, -1),
        eye=lambda: paddle.eye(-1),
        full=lambda: paddle.full([-2], 1.0),
        tile=lambda: a.tile([0]),
        chunk=lambda: a.chunk(0),
        clip=lambda: a.clip("a"),
        pad=lambda: F.pad(a, [1]),
        embedding=lambda: F.embedding(t([7]), a),
        softmax=lambda: F.softmax(t([1, 2]), dtype="int64"),
        groups=lambda: paddle.nn.Conv2D(3, 4, 3, groups=2),
        label_smooth=lambda: F.label_smooth(a, epsilon=2.0),
        randperm=lambda: paddle.randperm(0),
        histogram=lambda: paddle.histogram(a, 4, 3, 1),
        bincount=lambda: paddle.bincount(t([-1])),
        bincount2=lambda: paddle.bincount(t([1.5])),
        repeat=lambda: a.repeat_interleave(-1, 0),
        p=lambda: a.norm("x"),
        unfold=lambda: a.unfold(0, 5, 1),
        take=lambda: paddle.take(a, t([9])),
        tri=lambda: paddle.tril_indices(-1, 2),
        nll=lambda: F.nll_loss(F.log_softmax(a), t([0, 7])),
    )


@scenario
def wrong_types():
    a = t(x)
    F = paddle.nn.functional
    return outcomes(
        add=lambda: a + "a",
        add_none=lambda: a + None,
        add_list=lambda: a + [1.0, 2.0, 3.0],
        add_array=lambda: a + x,
        matmul_array=lambda: paddle.matmul(a, x.T),
        concat=lambda: paddle.concat(a),
        concat_list=lambda: paddle.concat([1, 2]),
        stack=lambda: paddle.stack(3),
        relu=lambda: F.relu(x),
        exp=lambda: paddle.exp(1.0),
        sum=lambda: paddle.sum([1, 2]),
        reshape=lambda: a.reshape("a"),
        reshape_float=lambda: a.reshape([2.0, 3]),
        cast=lambda: a.astype("nothing"),
        argmax=lambda: a.argmax(0.5),
        where=lambda: paddle.where(a, a, a),
        masked=lambda: a.masked_select(a),
        index=lambda: a.gather(t([0.5])),
        logical=lambda: paddle.logical_and(a, 1),
        bitwise=lambda: a & a,
        invert=lambda: ~a,
        int_sqrt=lambda: t([4]).sqrt(),
        int_softmax=lambda: F.softmax(t([1, 2])),
        cross_entropy=lambda: F.cross_entropy(a, t([0.5, 1.5])),
        embedding=lambda: F.embedding(a, a),
        conv=lambda: F.conv2d(a, a),
        one_hot=lambda: F.one_hot(t([1.5]), 3),
        compare=lambda: a < "a",
        equal=lambda: a == "a",
        equal_none=lambda: a == None,
        linear=lambda: paddle.nn.Linear(3, 2)(x),
        to_static=lambda: paddle.jit.to_static(3),
        optimizer=lambda: paddle.optimizer.SGD(0.1, parameters=a),
        layer=lambda: paddle.nn.Sequential(3),
        iter=lambda: paddle.add_n(3),
        seed=lambda: paddle.seed("a"),
    )


@scenario
def mixed_dtypes():
    a, b, i = t(x), t(x).astype("float64"), t([[1, 2, 3], [4, 5, 6]])
    F = paddle.nn.functional
    return outcomes(
        matmul=lambda: a.matmul(b, transpose_y=True),
        matmul_int=lambda: a.matmul(i, transpose_y=True),
        concat=lambda: paddle.concat([a, b]),
        stack=lambda: paddle.stack([a, b]),
        where=lambda: paddle.where(a > 0, a, b),
        maximum=lambda: paddle.maximum(a, b),
        linear=lambda: paddle.nn.Linear(3, 2)(b),
        conv=lambda: paddle.nn.Conv1D(3, 1, 1)(b.reshape([1, 3, 2])),
        mse=lambda: F.mse_loss(a, b),
        norm=lambda: paddle.nn.LayerNorm(3)(b),
        batch=lambda: paddle.nn.BatchNorm1D(3)(b),
        scatter=lambda: paddle.scatter(a, t([0]), b[:1]),
        dot=lambda: paddle.dot(a[0], b[0]),
        addmm=lambda: paddle.addmm(a, a, b),
        bmm=lambda: paddle.bmm(a.unsqueeze(0), b.t().unsqueeze(0)),
        equal=lambda: a == b,
        allclose=lambda: paddle.allclose(a, b),
        cross=lambda: paddle.cross(a, b),
        embedding=lambda: paddle.nn.Embedding(9, 2)(a),
        matmul_ints=lambda: i.matmul(i.t()),
        pow=lambda: a**b,
        dist=lambda: paddle.dist(a, b),
        einsum=lambda: paddle.einsum("ij,kj->ik", a, b),
        lerp=lambda: paddle.lerp(a, b, 0.5),
        prelu=lambda: F.prelu(b, paddle.ones([1])),
        bce=lambda: F.binary_cross_entropy(F.sigmoid(a), F.sigmoid(b)),
        kl=lambda: F.kl_div(a, b),
        cosine=lambda: F.cosine_similarity(a, b),
        rnn=lambda: paddle.nn.GRU(3, 2)(b.unsqueeze(0)),
        attention=lambda: paddle.nn.MultiHeadAttention(3, 1)(b.unsqueeze(0)),
    )


@scenario
def empty_tensors():
    e, a = paddle.zeros([0, 3]), paddle.zeros([0])
    calls = dict(
        sum=lambda: e.sum(),
        sum0=lambda: e.sum(0),
        concat=lambda: paddle.concat([e, t(x)]).shape,
        reshape=lambda: e.reshape([3, 0]).shape,
        exp=lambda: e.exp().shape,
        add=lambda: (e + 1).shape,
        matmul=lambda: paddle.matmul(e, paddle.ones([3, 2])).shape,
        gather=lambda: t(x).gather(paddle.zeros([0], "int64")).shape,
        index=lambda: t(x)[paddle.zeros([0], "int64")].shape,
        mask=lambda: t(x)[t(x) > 100].shape,
        nonzero=lambda: a.nonzero().shape,
        numel=lambda: e.numel(),
        transpose=lambda: e.t().shape,
        unsqueeze=lambda: e.unsqueeze(0).shape,
        cast=lambda: e.astype("int64").shape,
        where=lambda: paddle.where(e > 0, e, e).shape,
        all=lambda: (a > 0).all(),
        any=lambda: (a > 0).any(),
        tolist=lambda: e.tolist(),
        len=lambda: len(e),
        relu=lambda: paddle.nn.functional.relu(e).shape,
    )
    return {name: attempt(call) for name, call in calls.items()}


@scenario
def attributes_that_cannot_be_set():
    a = t(x)

    def set_shape():
        a.shape = [3, 2]

    def set_name():
        a.name = "mine"
        return a.name

    return each(
        lambda: "error" if raised(set_shape) != "no error" else "none",
        lambda: set_name(),
        lambda: raised(lambda: a.nothing),
        lambda: hasattr(a, "nothing"),
        lambda: getattr(a, "nothing", 5),
    )
