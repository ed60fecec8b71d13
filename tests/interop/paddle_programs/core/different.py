"""Where Oarlock differs on purpose from real Paddle 2.6.2."""

CHECKED = "values out of range are rejected; real Paddle reads memory beyond the tensor, or takes a text for 0"
LENIENT = "Oarlock accepts what real Paddle rejects: the result is the one of the same call on a tensor of the right dtype"
ROUNDING = "a cast to half precision rounds to the nearest number; real Paddle's CPU cuts off"
BESIDE = "a Python number takes the dtype of the tensor beside it; real Paddle makes a float64 tensor of it"
DIFFERENT = {
    "autograd.set_gradients_by_hand": "`x.grad` can be set to anything; it is checked when it is used",
    "dtypes.a_tensor_and_a_python_number": "truth values beside a number become numbers",
    "dtypes.casts": ROUNDING,
    "dtypes.casts_that_change_nothing": "integers carry no gradient",
    "dtypes.half_precision": ROUNDING,
    "errors.shapes_that_do_not_fit": "transpose checks that every axis is named",
    "errors.values_out_of_range": CHECKED,
    "errors.wrong_types": LENIENT,
    "indexing.set_value_of_arrays_and_tensors": "set_value casts to the dtype of the tensor",
    "indexing.two_index_tensors_with_a_slice_between": LENIENT,
    "inplace.a_leaf_that_needs_gradients": "real Paddle raises an error after it has changed the tensor",
    "methods.windows_and_strides": BESIDE,
    "zero_d.conversions_that_fail": "a float tensor is not an index; real Paddle cuts its fraction off",
}
VARYING = {}
