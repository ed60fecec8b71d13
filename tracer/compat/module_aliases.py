"""Table of the modules of Paddle whose names are defined in a module of Oarlock with another name,
so that for example `from paddle.fluid.layers.nn import fc` works. If Oarlock has a module with the
same name as Paddle's (such as fluid.layer_helper), that module takes precedence over the table.
"""

from __future__ import annotations


def _make_alias_table_of_submodules(target: str, inner: str, names: str) -> dict[str, str]:
    """Return entries of MODULE_ALIASES that map each of Paddle's modules `inner`.`name`, for `name`
    in `names`, to Oarlock's module `target`.

    names: the submodules of `inner`, separated by spaces.
    """
    return {f"{inner}.{name}": target for name in names.split()}


# Modules of Oarlock that cannot stand for Paddle's module of the same name, because their content
# differs.
DIFFERENT_CONTENT = {".nn.layer"}
# A module of Paddle, without the prefix `paddle` -> the module of Oarlock that defines its names.
MODULE_ALIASES: dict[str, str] = {
    ".nn.layer": ".nn",
    **_make_alias_table_of_submodules(
        ".nn",
        ".nn.layer",
        "activation common container conv distance extension layers loss norm pooling rnn "
        "transformer vision",
    ),
    **_make_alias_table_of_submodules(
        ".nn.functional",
        ".nn.functional",
        "extension input distance flash_attention transformer lod",
    ),
    **_make_alias_table_of_submodules(
        ".nn.initializer",
        ".nn.initializer",
        "Bilinear assign constant dirac initializer kaiming normal orthogonal uniform xavier",
    ),
    **_make_alias_table_of_submodules(
        ".tensor", ".tensor", "attribute random stat to_string array ops tensor"
    ),
    **_make_alias_table_of_submodules(
        ".optimizer", ".optimizer", "adadelta adagrad adamax adamw lamb momentum rmsprop"
    ),
    **_make_alias_table_of_submodules(".static", ".static", "input"),
    **_make_alias_table_of_submodules(
        ".static.amp", ".static.amp", "amp_nn decorator fp16_lists fp16_utils"
    ),
    **_make_alias_table_of_submodules(".fluid.log_helper", ".static", "log_helper"),
    **_make_alias_table_of_submodules(
        ".static.nn", ".static.nn", "loss metric sequence_lod static_pylayer"
    ),
    **_make_alias_table_of_submodules(".framework", ".framework", "dtype framework io_utils"),
    **_make_alias_table_of_submodules(".autograd", ".autograd", "autograd backward_mode"),
    **_make_alias_table_of_submodules(
        ".io",
        ".io",
        "reader dataloader.batch_sampler dataloader.collate dataloader.dataset dataloader.sampler",
    ),
    **_make_alias_table_of_submodules(".inference", ".inference", "wrapper"),
    **_make_alias_table_of_submodules(".jit", ".jit", "layer"),
    **_make_alias_table_of_submodules(
        ".jit.sot",
        ".jit.sot",
        "utils utils.envs opcode_translator opcode_translator.executor "
        "opcode_translator.executor.executor_cache "
        "opcode_translator.executor.opcode_executor",
    ),
    **_make_alias_table_of_submodules(
        ".jit.dy2static.internals",
        ".jit.dy2static",
        "assert_transformer ast_transformer ast_utils base_transformer "
        "basic_api_transformer break_continue_transformer call_transformer "
        "cast_transformer convert_operators create_variable_transformer "
        "decorator_transformer early_return_transformer ifelse_transformer "
        "logical_transformer loop_transformer return_transformer static_analysis "
        "tensor_shape_transformer typehint_transformer "
        "utils_helper variable_trans_func",
    ),
    ".pir_utils": ".jit.sot",
    **_make_alias_table_of_submodules(".device.cuda", ".device.cuda", "streams"),
    **_make_alias_table_of_submodules(
        ".geometric", ".geometric", "math message_passing reindex sampling"
    ),
    **_make_alias_table_of_submodules(
        ".vision.transforms",
        ".vision.transforms",
        "transforms functional_cv2 functional_pil functional_tensor",
    ),
    **_make_alias_table_of_submodules(
        ".fluid.layers",
        ".fluid.layers",
        "collective control_flow detection io learning_rate_scheduler loss math_op_patch "
        "metric_op nn ops rnn sequence_lod tensor",
    ),
    **_make_alias_table_of_submodules(
        ".fluid.dygraph",
        ".fluid.dygraph",
        "backward_strategy checkpoint container jit layers learning_rate_scheduler "
        "math_op_patch nn parallel parallel_helper static_runner tracer "
        "varbase_patch_methods",
    ),
    **_make_alias_table_of_submodules(
        ".fluid.contrib",
        ".fluid.contrib",
        "decoder extend_optimizer memory_usage_calc model_stat op_frequence reader utils",
    ),
    **_make_alias_table_of_submodules(
        ".fluid",
        ".fluid",
        "compiler data_feed_desc data_feeder dataset default_scope_funcs dygraph_utils "
        "executor framework layer_helper lod_tensor "
        "param_attr parallel_executor",
    ),
    **_make_alias_table_of_submodules(
        ".base", ".base", "data_feed_desc dataset default_scope_funcs"
    ),
    **_make_alias_table_of_submodules(".fluid.wrapped_decorator", ".base", "wrapped_decorator"),
    **_make_alias_table_of_submodules(".fluid.log_helper", ".base", "log_helper"),
    **_make_alias_table_of_submodules(".fluid.layers", ".base.layers", "io math_op_patch"),
    **_make_alias_table_of_submodules(".fluid.proto", ".base", "proto"),
    **_make_alias_table_of_submodules(
        ".base.dygraph", ".base.dygraph", "base math_op_patch tensor_patch_methods tracer"
    ),
    **_make_alias_table_of_submodules(".fluid", ".fluid", "multiprocess_utils"),
    **_make_alias_table_of_submodules(".io", ".fluid.dataloader", "batch_sampler dataset"),
    **_make_alias_table_of_submodules(
        ".fluid.contrib.layers", ".fluid.contrib.layers", "metric_op rnn_impl"
    ),
    **_make_alias_table_of_submodules(".jit.dy2static", ".fluid.dygraph", "dygraph_to_static"),
    **_make_alias_table_of_submodules(
        ".jit.dy2static",
        ".fluid.dygraph.dygraph_to_static",
        "program_translator convert_call_func ast_transformer partial_program utils "
        "convert_operators variable_trans_func",
    ),
    **_make_alias_table_of_submodules(
        ".fluid.contrib.mixed_precision",
        ".fluid.contrib.mixed_precision",
        "decorator fp16_lists fp16_utils",
    ),
    **_make_alias_table_of_submodules(
        ".amp", ".fluid.dygraph", "amp amp.auto_cast amp.loss_scaler"
    ),
    **_make_alias_table_of_submodules(
        ".text",
        ".text",
        "datasets datasets.imdb datasets.uci_housing datasets.imikolov datasets.movielens "
        "datasets.conll05 datasets.wmt14 datasets.wmt16",
    ),
    **_make_alias_table_of_submodules(".hapi", ".incubate", "hapi hapi.model hapi.callbacks"),
    **_make_alias_table_of_submodules(".io", ".fluid", "dataloader"),
    **_make_alias_table_of_submodules(".io", ".fluid.dataloader", "collate"),
    **_make_alias_table_of_submodules(".fluid.layer_helper", ".fluid", "layer_helper_base"),
    **_make_alias_table_of_submodules(".fluid", ".fluid", "data"),
    "._legacy_C_ops": ".fluid.core_ops",
    ".distributed.fleet.utils.hybrid_parallel_util": ".distributed.fleet.hybrid_parallel_util",
    ".distributed.parallel.parallel_helper": ".distributed.process_group",
    ".batch": "",
    **_make_alias_table_of_submodules(
        ".utils.cpp_extension", ".utils.cpp_extension", "cpp_extension extension_utils"
    ),
    ".paddle": "",
    ".common_ops_import": ".base.common_ops_import",
}
