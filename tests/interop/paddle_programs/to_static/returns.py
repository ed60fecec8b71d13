"""Early returns, results of several structures, and variables or results that some paths leave None
or undefined.
"""

# ruff: noqa - Python as its users write it

from ..table import NEGATIVE, POSITIVE, f32, paddle, program


def return_in_both_branches(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


program(return_in_both_branches)


def return_in_a_loop(x):
    for i in range(5):
        x = x * 2
        if x.abs().sum() > 30:
            return x
    return x * 0


program(return_in_a_loop)


def return_in_a_while(x):
    i = paddle.zeros([], "int64")
    while i < 5:
        i = i + 1
        if i > 2:
            return x + i.astype("float32")
        x = x * 2
    return x


program(return_in_a_while)


def return_in_nested_branches(x):
    if x.sum() > 0:
        if x.max() > 1:
            return x * 2
        x = x + 1
    elif x.min() < -3:
        return x
    return x - 5


program(return_in_nested_branches)


def a_tuple_of_results(x):
    return x, x * 2, (x.sum(), [x.mean()])


program(a_tuple_of_results)


def a_dict_of_results(x):
    return {"sum": x.sum(), "parts": [x[0], x[1]], "pair": (x, {"deep": x * 3})}


program(a_dict_of_results)


def python_values_among_results(x):
    return x + 1, 3, 2.5, "text", None, True


program(python_values_among_results)


def the_same_result_twice(x):
    y = x * 2
    return y, y


program(the_same_result_twice)


def an_input_is_a_result(x):
    return x, x + 1


program(an_input_is_a_result)


def no_result(x):
    x + 1


program(no_result)


def none_is_the_result(x):
    return None


program(none_is_the_result)


def an_empty_return(x):
    y = x * 2


program(an_empty_return)


def only_numbers(x):
    return x.shape[0] + 1


program(only_numbers)


def a_list_of_one(x):
    return [x * 2]


program(a_list_of_one)


def a_variable_of_one_branch(x):
    if x.sum() > 0:
        y = x * 2
    if x.sum() > 0:
        x = y + 1
    return x


program(a_variable_of_one_branch)


def a_variable_of_the_branch_that_is_taken(x):
    if x.sum() > 0:
        y = x * 2
    return y


program(a_variable_of_the_branch_that_is_taken, (POSITIVE,))


def a_variable_of_one_branch_that_nobody_reads(x):
    if x.sum() > 0:
        unused = x * 2
    return x


program(a_variable_of_one_branch_that_nobody_reads, grads=False)


def none_on_the_path_not_taken(x):
    y = None
    if x.sum() > 0:
        y = x * 2
    return y


program(none_on_the_path_not_taken, (POSITIVE,))


def a_result_on_one_path_only(x):
    if x.sum() > 0:
        return x * 2


program(a_result_on_one_path_only, (POSITIVE,))


def none_and_a_tensor_by_return(x):
    if x.sum() > 0:
        return x * 2
    return None


program(none_and_a_tensor_by_return, (POSITIVE,))


def a_tensor_beside_none_in_a_tuple(x):
    if x.sum() > 0:
        return x, x * 2
    return x, None


program(a_tensor_beside_none_in_a_tuple, (POSITIVE,))


def python_flag_undefined(x, flag):
    if flag:
        y = x * 2
    else:
        z = x * 3
    if flag:
        return y
    return z


program(python_flag_undefined, (POSITIVE, 1), (POSITIVE, 0))


def python_flag_undefined_is_an_error(x, flag):
    if flag:
        y = x * 2
    return y


program(python_flag_undefined_is_an_error, (NEGATIVE, 0), grads=False)


def a_variable_set_in_the_loop_only(x):
    for i in range(2):
        y = x * i
    return y


program(a_variable_set_in_the_loop_only)


def a_variable_set_in_a_tensor_loop_only(x):
    n = paddle.full([], 2, "int64")
    for i in range(n):
        y = x * 2
    return y


program(a_variable_set_in_a_tensor_loop_only)


def none_before_a_loop(x):
    best = None
    for row in [x, x * 2]:
        if best is None:
            best = row
        else:
            best = best + row
    return best


program(none_before_a_loop)


def a_default_replaces_none(x, y=None):
    y = x if y is None else y
    return x + y


program(a_default_replaces_none, (POSITIVE, None), (POSITIVE, f32([[1.0, 1.0, 1.0]])))


def unequal_structures_by_a_python_condition(x):
    if x.shape[0] == 2:
        return x, x
    return x


program(unequal_structures_by_a_python_condition)


def star_results(x):
    a, *rest = x, x * 2, x * 3
    return a, rest


program(star_results)


def a_number_or_a_tensor(x):
    if x.sum() > 0:
        y = 1.0
    else:
        y = x.sum()
    return x + y


program(a_number_or_a_tensor)
