"""Intended differences from real Paddle 2.6.2, and results of Paddle that vary between processes."""

# Where Oarlock differs on purpose: the program, and the reason.
RAISES = "real Paddle raises an error; Oarlock returns what the same Python code returns"
NAMES = "a loaded layer has the names of the layer that was saved, in Paddle `param_0`, `buffer_0`"
TRAINED = (
    "a layer that real Paddle loads has no gradients in this case: its outputs have stop_gradient"
)
ERROR = "the class of the error differs"
ARRAYS = "arguments that are ndarrays become tensors of the program; Paddle with full_graph=False runs the function on the arrays"
NUMBERS = "numbers of Python in a program are int64 and float64, in Paddle int32 and float32"
DIFFERENT = {
    "api.a_call_that_does_not_fit_its_spec": ERROR,
    "api.enable_to_static_wants_a_bool": "real Paddle takes a text for True",
    "api.forms_of_input_spec": "the dtype of an InputSpec is one of paddle, whatever it was given as",
    "api.ignore_module_leaves_modules_alone": RAISES,
    "api.names_of_paddle_jit": "names of older versions are listed as well",
    "api.one_program_for_each_python_value": "1 and 1.0 are two values, since they lead to different dtypes",
    "api.the_program_translator": "the methods of Paddle 1.8 to 2.4 are there as well",
    "api.wrong_input_specs": ERROR,
    "branches.BranchWithSublayers": "in a program, parameters of the branch that was not taken have zero gradients, in Python none",
    "containers.int_float_bool": NUMBERS,
    "containers.item_of_one": RAISES,
    "containers.tensor_array_length": "the length of a tensor array is a tensor in a program, an int in Python",
    "functions.builtins_on_tensors": RAISES,
    "layers.Recurrent": "recurrent networks have no buffer `_dropout_state`",
    "saving.a_function_with_parameters": RAISES,
    "saving.a_layer_with_a_spec": NAMES,
    "saving.a_wrong_call_of_a_loaded_layer": ERROR,
    "saving.gradients_through_a_loaded_layer": TRAINED,
    "saving.int_inputs_and_bool_outputs": "real Paddle returns the outputs in another order than forward",
    "saving.names_of_parameters_after_loading": NAMES,
    "saving.saved_after_a_call": ERROR,
    "saving.set_state_dict_of_a_loaded_layer": NAMES,
    "saving.several_methods": RAISES,
    "saving.trained_on_after_loading": TRAINED,
    "tensors.a_python_list_of_arrays_is_given": ARRAYS,
    "tensors.an_array_is_given": ARRAYS,
    "tensors.numpy_of_a_value": NUMBERS,
    "training.bfloat16_parameters": "real Paddle has no kernels of bfloat16 on a CPU",
}

# What real Paddle itself returns differently from process to process, or from processor to
# processor.
VARYING = {
    (
        "loops.a_tuple_swapped_in_a_loop",
        "whole",
    ): "the order of a set of names decides whether its conversion raises an error",
    (
        "tensors.static_control_flow_functions",
        "whole",
    ): "gradients of a `while_loop` beside a `cond` are wrong by a factor that varies",
    ("training.bfloat16_parameters", "fallback"): "which error it raises depends on the processor",
    ("training.bfloat16_parameters", "eager"): "which error it raises depends on the processor",
}
