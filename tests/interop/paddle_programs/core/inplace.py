"""In-place ops, versions, aliases and their gradients."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario

X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
POSITIVE = np.abs(X)


def leaf():
    return paddle.to_tensor(X, stop_gradient=False)


@scenario
def arithmetic_in_place():
    x = paddle.to_tensor(X)
    found = []
    for name, args in [
        ("add_", (paddle.ones([2, 3]),)),
        ("subtract_", (paddle.full([3], 0.5),)),
        ("multiply_", (paddle.to_tensor(2.0),)),
        ("divide_", (paddle.to_tensor(4.0),)),
        ("scale_", (2.0, 1.0)),
        ("clip_", (0.0, 2.0)),
        ("pow_", (2.0,)),
        ("remainder_", (paddle.to_tensor(0.75),)),
        ("floor_divide_", (paddle.to_tensor(0.25),)),
    ]:
        try:
            result = getattr(x, name)(*args)
            found.append([name, result is x, x.clone()])
        except Exception as error:
            found.append([name, type(error).__name__ == "AttributeError"])
    return found, x.inplace_version


@scenario
def unary_in_place():
    names = "exp_ sqrt_ rsqrt_ ceil_ floor_ round_ reciprocal_ tanh_ sigmoid_ abs_ neg_ sin_ cos_ log_ log1p_ square_ trunc_ frac_ digamma_ lgamma_ atan_ sinh_ asinh_ i0_ logit_ expm1_".split()
    found = {}
    for name in names:
        x = paddle.to_tensor(POSITIVE / 4)
        method = getattr(x, name, None)
        found[name] = attempt(lambda: [method() is x, x])
    return found


@scenario
def functions_in_place():
    F = paddle.nn.functional
    found = {}
    for name in [
        "relu_",
        "elu_",
        "softmax_",
        "tanh_",
        "leaky_relu_",
        "hardtanh_",
        "thresholded_relu_",
    ]:
        x = paddle.to_tensor(X)
        found[name] = [getattr(F, name)(x) is x, x]
    return found


@scenario
def shapes_in_place():
    x = paddle.to_tensor(X)
    found = each(
        lambda: x.reshape_([3, 2]).shape,
        lambda: x.unsqueeze_(0).shape,
        lambda: x.squeeze_().shape,
        lambda: x.flatten_().shape,
        lambda: x.t_().shape if hasattr(x, "t_") else None,
    )
    y = paddle.to_tensor(X)
    return found, y.transpose_([1, 0]).shape if hasattr(y, "transpose_") else None, x


@scenario
def fills():
    x = paddle.to_tensor(X)
    found = [x.fill_(2.5).clone(), x.zero_().clone()]
    y = paddle.zeros([3, 3])
    found += [
        y.fill_diagonal_(1.0).clone(),
        y.fill_diagonal_(2.0, offset=1).clone(),
        y.fill_diagonal_tensor_(paddle.to_tensor([7.0, 8.0, 9.0])).clone(),
    ]
    z = paddle.zeros([7, 3])
    return (
        found,
        z.fill_diagonal_(4.0, wrap=True),
        paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.to_tensor([1.0, 2.0])),
    )


@scenario
def gradients_of_chains():
    x = leaf()
    y = x * 2
    y.add_(x)
    y.tanh_()
    y = y * x
    y.sum().backward()
    return y, x.grad


@scenario
def the_versions():
    x = paddle.to_tensor(X)
    found = [x.inplace_version]
    x.add_(x)
    found.append(x.inplace_version)
    x[0] = 1.0
    found.append(x.inplace_version)
    x.set_value(X)
    return found, x.inplace_version


@scenario
def a_leaf_that_needs_gradients():
    x = leaf()
    return raised(x.add_, paddle.ones([2, 3])), raised(x.exp_), raised(x.zero_), x


@scenario
def in_place_under_no_grad():
    x = leaf()
    with paddle.no_grad():
        x.add_(paddle.ones([2, 3]))
        x.subtract_(x * 0.5)
    (x * x).sum().backward()
    return x, x.grad, x.is_leaf, x.stop_gradient


@scenario
def augmented_assignment():
    x = paddle.to_tensor(X)
    y = x
    y += 1
    found = [x.clone(), y.clone(), y is x]
    z = x
    z *= 2
    z -= 0.5
    z /= 4
    z **= 2
    w = paddle.to_tensor([7, 8])
    w //= 2
    v = paddle.to_tensor([7, 8])
    v %= 3
    return found, x, z, z is x, w, v


@scenario
def augmented_assignment_with_gradients():
    x = leaf()
    y = x * 1
    y += x
    y *= y
    y -= 2 * x
    y.sum().backward()
    return y, x.grad


@scenario
def broadcasting_in_place():
    x = paddle.zeros([3])
    return (
        raised(lambda: x.add_(paddle.ones([2, 3]))),
        x.shape,
        paddle.zeros([2, 3]).add_(paddle.ones([3])),
    )


@scenario
def dtypes_in_place():
    g, i = paddle.to_tensor([1.5, 2.5]), paddle.to_tensor([3, 4], dtype="int32")
    return g.cast_("float64"), g.dtype, i.add_(paddle.to_tensor([1, 1], dtype="int32")), i.dtype


@scenario
def random_in_place():
    x = paddle.zeros([2000])
    x.uniform_(2.0, 3.0)
    found = [bool((x >= 2).all()), bool((x < 3).all()), round(float(x.mean()), 1)]
    x.exponential_(2.0)
    found += [bool((x > 0).all()), abs(float(x.mean()) - 0.5) < 0.05]
    x.normal_(1.0, 0.1)
    return (
        found,
        abs(float(x.mean()) - 1) < 0.02,
        paddle.zeros([3]).bernoulli_(1.0) if hasattr(x, "bernoulli_") else None,
    )


@scenario
def masked_and_scattered_in_place():
    x = paddle.to_tensor(X)
    x.scatter_(paddle.to_tensor([0]), paddle.ones([1, 3]))
    y = paddle.to_tensor(X)
    y.put_along_axis_(paddle.to_tensor([[0], [1]]), 5.0, 1)
    z = paddle.to_tensor(X)
    z.index_add_(paddle.to_tensor([1, 1]), 0, paddle.ones([2, 3]))
    w = paddle.to_tensor(X)
    w.index_put_((paddle.to_tensor([0, 1]), paddle.to_tensor([2, 0])), paddle.to_tensor([3.0, 4.0]))
    v = paddle.to_tensor(X)
    v.lerp_(paddle.ones([2, 3]), 0.5)
    return x, y, z, w, v


@scenario
def comparisons_and_logic_in_place():
    found = {}
    for name in [
        "equal_",
        "not_equal_",
        "less_than_",
        "greater_equal_",
        "logical_and_",
        "logical_or_",
        "logical_xor_",
    ]:
        x = paddle.to_tensor([1.0, 0.0, 2.0])
        method = getattr(x, name, None)
        found[name] = "none" if method is None else method(paddle.to_tensor([1.0, 1.0, 0.0]))
    n = paddle.to_tensor([True, False])
    found["logical_not_"] = n.logical_not_()
    i = paddle.to_tensor([6, 3])
    found["bitwise"] = [
        i.bitwise_and_(paddle.to_tensor([2, 2])).clone(),
        i.bitwise_or_(paddle.to_tensor([8, 1])).clone(),
        i.bitwise_not_().clone(),
    ]
    return found


@scenario
def tril_triu_cumsum_in_place():
    x = paddle.to_tensor(f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
    found = [x.tril_().clone(), x.cumsum_(1).clone(), x.triu_(1).clone(), x.cumprod_(0).clone()]
    return found, x.inplace_version


@scenario
def share_and_copy():
    x = paddle.to_tensor(X)
    y = x.clone()
    y[0, 0] = 9.0
    z = paddle.assign(x)
    z.zero_()
    w = x.clone()
    paddle.assign(paddle.ones([2, 3]), output=w)
    u = paddle.to_tensor(x)
    u[0, 1] = 5.0
    a = np.array(X)
    v = paddle.to_tensor(a)
    a[0, 0] = -9.0
    n = v.numpy()
    n[1, 1] = 77.0
    return x, w, y, z, u, v
