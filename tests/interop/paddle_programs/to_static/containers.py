"""Lists, dicts and tuples; len, slices, items, setitem; shapes."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import NEGATIVE, POSITIVE, f32, paddle, program

IDS = (np.array([1, 0], "int64"),)
DYNAMIC = {"spec": lambda S: [S([None, 3], "float32")]}


def list_append_pop_index(x):
    items = [x]
    items.append(x * 2)
    items.append(x * 3)
    last = items.pop()
    first = items.pop(0)
    items[0] = items[0] + last
    return items, first, len(items)


program(list_append_pop_index)


def list_extend_insert_reverse(x):
    items = [x]
    items.extend([x + 1, x + 2])
    items.insert(0, x * 0)
    items.reverse()
    return items


program(list_extend_insert_reverse)


def list_of_lists(x):
    grid = [[x, x * 2], [x * 3]]
    grid[1].append(grid[0][1] + 1)
    return grid


program(list_of_lists)


def dict_of_tensors(x):
    cache = {"k": x, "v": x + 1}
    cache["k"] = paddle.concat([cache["k"], cache["v"]], axis=0)
    cache.update({"n": x.sum()})
    v = cache.pop("v")
    return cache, v, sorted(cache.keys())


program(dict_of_tensors)


def dict_get_and_setdefault(x):
    d = {"a": x}
    b = d.get("b", x * 2)
    c = d.setdefault("c", x * 3)
    return b + c + d["c"], d.get("missing")


program(dict_get_and_setdefault)


def pop_of_a_dict_with_default(x):
    d = {"a": x}
    return d.pop("z", x - 1), d.pop("a"), len(d)


program(pop_of_a_dict_with_default)


def tuples_and_unpacking(x):
    a, (b, c) = x, (x * 2, x * 3)
    pair = (a, b) + (c,)
    return pair[0] + pair[-1], pair[1:]


program(tuples_and_unpacking)


def len_of_a_tensor(x):
    n = len(x)
    return x * n, n


program(len_of_a_tensor)


def len_of_a_tensor_of_unknown_rows(x):
    n = len(x)
    return x * n


program(len_of_a_tensor_of_unknown_rows, **DYNAMIC, grads=False)


def len_of_containers(x):
    return x * (len([x, x]) + len((x,)) + len({"a": x}))


program(len_of_containers)


def shape_unpacked(x):
    rows, columns = x.shape
    return x.reshape([columns, rows])


program(shape_unpacked)


def unknown_shape_unpacked(x):
    rows, columns = x.shape
    return x.reshape([columns, rows]), paddle.zeros([rows, 2]) + rows


program(unknown_shape_unpacked, **DYNAMIC, grads=False)


def shapes_of_unknown_rows_in_conditions(x):
    if x.shape[0] > 1:
        x = x * 2
    return x.reshape([x.shape[0] * x.shape[1]])


program(shapes_of_unknown_rows_in_conditions, **DYNAMIC, grads=False)


def paddle_shape(x):
    s = paddle.shape(x)
    return paddle.ones([s[0], 2]), s


program(paddle_shape, **DYNAMIC, grads=False)


def slices(x):
    return x[0], x[:, 1], x[-1, :2], x[:, ::2], x[..., 0], x[None], x[::-1]


program(slices)


def index_by_a_tensor(x, i):
    return x[i], x[i[0]], x[:, i], paddle.gather(x, i)


program(index_by_a_tensor, (POSITIVE, *IDS))


def boolean_index(x):
    return x[x > 0].sum(), paddle.masked_select(x, x < 0).sum()


program(boolean_index)


def setitem_of_a_number(x):
    y = x * 1
    y[0] = 5.0
    y[:, 1] = -1
    return y


program(setitem_of_a_number)


def setitem_of_a_tensor(x):
    y = x + 0
    y[0] = x[1] * 2
    y[:, 0:2] = paddle.ones([2, 2])
    return y


program(setitem_of_a_tensor)


def setitem_by_a_mask(x):
    y = x * 1
    y[y < 0] = 0.0
    return y


program(setitem_by_a_mask)


def setitem_by_indices(x, i):
    y = x * 1
    y[i] = x * 3
    y[i[0], i[1]] = 7.0
    return y


program(setitem_by_indices, (POSITIVE, *IDS))


def setitem_in_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        y[0] = 9.0
    else:
        y[1] = 3.0
    return y


program(setitem_in_a_branch)


def setitem_in_a_loop(x):
    y = x.detach() * 1
    for i in range(2):
        y[i] = y[i] * (i + 2)
    return y


program(setitem_in_a_loop)


def setitem_in_a_tensor_loop(x):
    y = x * 1
    i = paddle.zeros([], "int64")
    while i < 2:
        y[i] = x[i] + 100
        i = i + 1
    return y


program(setitem_in_a_tensor_loop, grads=False)


def augmented_assignment_of_items(x):
    y = x * 1
    y[0] += 1
    y[:, 2] *= 3
    y -= 0.5
    return y


program(augmented_assignment_of_items)


def item_of_one(x):
    return x.item() + 1, x.sum() * 2


program(item_of_one, (f32([[2.0]]),), grads=False)


def int_float_bool(x, n):
    return float(x) + 1, int(n) * 2, bool(n > 2), int(x)


program(int_float_bool, (f32([1.5]), np.array([3], "int64")), grads=False)


def len_slices_and_concat(x):
    half = x.shape[1] // 2
    left, right = x[:, :half], x[:, half:]
    return paddle.concat([right, left], axis=1)


program(len_slices_and_concat)


def nested_containers_in_a_branch(x):
    state = {"h": [x, x * 2], "n": 0}
    if x.sum() > 0:
        state["h"][0] = state["h"][0] * 2
        state["n"] = 1
    return state["h"], state["n"] + x.sum() * 0


program(nested_containers_in_a_branch)


def a_nested_argument(d):
    a = paddle.to_tensor(d["a"])
    return a + paddle.to_tensor(d["b"][0]) * d["b"][1]


program(a_nested_argument, ({"a": POSITIVE, "b": [NEGATIVE, 2.0]},), grads=False)


def a_list_argument(x, sizes):
    return paddle.split(x, sizes, axis=1)


program(a_list_argument, (POSITIVE, [1, 2]), (POSITIVE, [2, 1]), (POSITIVE, [1, 2]))


def set_of_numbers(x):
    s = {1, 2}
    s.add(5)
    return x * len(s)


program(set_of_numbers)


def tensor_array_functions(x):
    i = paddle.zeros([1], "int64")
    array = paddle.tensor.create_array("float32")
    paddle.tensor.array_write(x, i, array)
    paddle.tensor.array_write(x * 2, i + 1, array)
    return paddle.tensor.array_read(array, i) + paddle.tensor.array_read(array, i + 1)


program(tensor_array_functions)


def tensor_array_length(x):
    array = paddle.tensor.create_array("float32", [x, x + 1])
    return paddle.tensor.array_length(array)


program(tensor_array_length, grads=False)


def tensor_array_to_one_tensor(x):
    parts = paddle.tensor.create_array("float32")
    n = paddle.full([1], 2, "int64")
    i = paddle.zeros([1], "int64")
    while i < n:
        paddle.tensor.array_write(x * i.astype("float32"), i, parts)
        i = i + 1
    return paddle.tensor.array_read(parts, i - 1)


program(tensor_array_to_one_tensor, grads=False)


def string_formatting(x):
    key = "{}_{}".format("a", x.shape[0])
    return {key: x, f"n{x.shape[1]}": x * 2}


program(string_formatting)


def numpy_in_python(x):
    scale = np.arange(3).astype("float32")
    return (
        x * paddle.to_tensor(scale),
        np.float32(2.0) * x,
        x * np.array([1.0, 2.0, 3.0], "float32"),
    )


program(numpy_in_python)


def a_shape_compared_in_a_list(x):
    assert list(x.shape) == [2, 3]
    return x.reshape([-1] + list(x.shape[1:])), x.flatten().shape


program(a_shape_compared_in_a_list)
