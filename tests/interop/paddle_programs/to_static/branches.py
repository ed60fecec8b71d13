"""`if`, `elif`, `else`, conditional expressions and logical operators on values of tensors."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import BOTH, NEGATIVE, POSITIVE, f32, paddle, program


def both_sides_assign(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y


program(both_sides_assign)


def only_one_side_assigns_again(x):
    y = x + 1
    if x.mean() > 0:
        y = y * x
    return y


program(only_one_side_assigns_again)


def a_chain_of_elif(x):
    if x.sum() > 10:
        y = x / 10
    elif x.sum() > 0:
        y = x * 3
    else:
        y = x.abs()
    return y


program(a_chain_of_elif, *[(v,) for v in (POSITIVE * 10, POSITIVE, NEGATIVE)])


def branches_in_branches(x):
    m = x.mean()
    if m > 0:
        if x.max() > 1.5:
            out = x * m
        else:
            out = x + m
        out = out * 2
    elif x.min() < -1.5:
        out = x - m
    else:
        out = -x
    return out


program(branches_in_branches)


def a_python_flag_and_a_tensor(x, flag):
    if flag and x.sum() > 0:
        return x * 5
    return x


program(a_python_flag_and_a_tensor, (POSITIVE, 1), (POSITIVE, 0), (NEGATIVE, 1))


def a_conditional_expression(x):
    return x * 2 if x.sum() > 0 else x * 3


program(a_conditional_expression)


def a_conditional_expression_in_an_argument(x):
    return paddle.concat([x, x + 1 if x.max() > 1 else x - 1], axis=0)


program(a_conditional_expression_in_an_argument)


def and_or_not_of_tensors(x):
    a, b = x.sum() > 0, x.max() > 1
    if a and b:
        x = x + 1
    if not a or not b:
        x = x * 2
    return x


program(and_or_not_of_tensors)


def chained_comparison(x):
    if 0 < x.mean() < 10:
        return x + 10
    return x - 10


program(chained_comparison)


def a_number_changes_in_a_branch(x):
    n = 1
    if x.sum() > 0:
        n = 3
    else:
        n = 2
    return x * n


program(a_number_changes_in_a_branch)


def a_float_changes_in_a_branch(x):
    rate = 0.5
    if x.sum() > 0:
        rate = 0.25
    return x * rate


program(a_float_changes_in_a_branch)


def a_branch_appends_to_a_list(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x * 2)
    else:
        parts.append(x * 3)
    return parts[0] + parts[1]


program(a_branch_appends_to_a_list)


def a_branch_with_an_external_function(x):
    def scale(v, by):
        return v * by

    if x.sum() > 0:
        x = scale(x, 2.0)
    else:
        x = scale(x, 4.0)
    return x


program(a_branch_with_an_external_function)


class BranchWithSublayers(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.one = paddle.nn.Linear(3, 2)
        self.two = paddle.nn.Linear(3, 2)

    def forward(self, x):
        if x.sum() > 0:
            return self.one(x)
        return self.two(x) * 2


program(BranchWithSublayers)


class BranchSetsAnAttribute(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(3, 3)
        self.factor = 2.0

    def forward(self, x):
        h = self.fc(x)
        if h.mean() > 0:
            h = h * self.factor
        else:
            h = h / self.factor
        return h


program(BranchSetsAnAttribute)


def a_condition_of_shape_one(x):
    if x > 0:
        return x + 1
    return x - 1


program(a_condition_of_shape_one, (f32([1.0]),), (f32([-1.0]),))


def a_bool_tensor_as_the_condition(flag, x):
    if flag:
        x = x + 1
    return x * 2


program(a_bool_tensor_as_the_condition, (np.array([True]), POSITIVE), (np.array([False]), POSITIVE))


def the_dtype_changes_in_both_branches(x):
    if x.sum() > 0:
        y = x.astype("float64") * 2
    else:
        y = x.astype("float64") - 1
    return y


program(the_dtype_changes_in_both_branches)


def shapes_differ_between_branches(x):
    if x.sum() > 0:
        y = x.reshape([3, 2])
    else:
        y = x.reshape([2, 3])
    return y


program(shapes_differ_between_branches)


def stop_gradient_in_a_branch(x):
    if x.sum() > 0:
        y = x.detach() * 2
    else:
        y = x * 3
    return y + x


program(stop_gradient_in_a_branch)


def conditions_from_shapes(x):
    if x.shape[0] > 1 and len(x.shape) == 2:
        y = x.sum(axis=0)
    else:
        y = x
    if x.shape[-1] == 3:
        y = y * 2
    return y


program(conditions_from_shapes)


def an_argument_that_may_be_none(x, mask=None):
    if mask is not None:
        x = x * mask
    if mask is None:
        x = x + 1
    return x


program(an_argument_that_may_be_none, (POSITIVE, None), (POSITIVE, POSITIVE))


def a_string_chooses(x, mode):
    if mode == "add":
        x = x + 1
    elif mode == "mul":
        x = x * 2
    if x.sum() > 0:
        x = x / 2
    return x


program(a_string_chooses, (POSITIVE, "add"), (POSITIVE, "mul"), (NEGATIVE, "none"))


def membership_and_identity(x):
    names = ["a", "b"]
    if "a" in names and "c" not in names:
        x = x + 1
    if x.sum() > 0:
        out = {"a": x}
    else:
        out = {"a": x * 2}
    return out["a"]


program(membership_and_identity)


def a_dict_chosen_by_a_branch(x):
    if x.sum() > 0:
        d = {"x": x, "y": x * 2}
    else:
        d = {"x": x + 1, "y": x * 4}
    return d


program(a_dict_chosen_by_a_branch)


def a_tuple_chosen_by_a_branch(x):
    if x.sum() > 0:
        a, b = x, x * 2
    else:
        a, b = x * 2, x
    return a, b


program(a_tuple_chosen_by_a_branch)


def paddle_where_beside_a_branch(x):
    y = paddle.where(x > 0, x, x * 0.1)
    if (y > 1).any():
        y = y.clip(max=1.0)
    return y


program(paddle_where_beside_a_branch)


def a_branch_whose_side_is_pass(x):
    if x.sum() > 0:
        pass
    else:
        x = x * 2
    return x


program(a_branch_whose_side_is_pass, *BOTH)


def numpy_condition(x):
    if int(x.shape[0]) == 2:
        x = x * 2
    assert x.shape[0] == 2
    return x


program(numpy_condition)


def early_cast_to_bool(x):
    if bool(x.sum() > 0):
        x = x + 1
    if float(x.sum()) > 3.0:
        x = x + 2
    if int(x.sum()) > 3:
        x = x + 3
    return x


program(early_cast_to_bool)
