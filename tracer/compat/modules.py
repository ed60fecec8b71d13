"""Modules of Paddle whose names stand in the module above them here: `from paddle.fluid.layers.nn
import fc` was written, too.
"""

from __future__ import annotations


def _rows(above: str, inner: str, names: str) -> dict[str, str]:
    return {f"{inner}.{name}": above for name in names.split()}


# Modules of Oarlock whose contents differ from Paddle's module of that name.
OTHERWISE = {".nn.layer"}
# A module of Paddle, without `paddle` -> the module of Oarlock that has its names.
PARENTS: dict[str, str] = {
    ".nn.layer": ".nn",
    **_rows(
        ".nn",
        ".nn.layer",
        "activation common container conv distance extension layers loss norm pooling rnn "
        "transformer vision",
    ),
    **_rows(
        ".nn.functional",
        ".nn.functional",
        "extension input distance flash_attention transformer lod",
    ),
    **_rows(
        ".nn.initializer",
        ".nn.initializer",
        "Bilinear assign constant dirac initializer kaiming normal orthogonal uniform xavier",
    ),
    **_rows(".tensor", ".tensor", "attribute random stat to_string array ops tensor"),
    **_rows(".optimizer", ".optimizer", "adadelta adagrad adamax adamw lamb momentum rmsprop"),
    **_rows(".static", ".static", "input"),
    **_rows(".static.amp", ".static.amp", "amp_nn decorator fp16_lists fp16_utils"),
    **_rows(".fluid.log_helper", ".static", "log_helper"),
    **_rows(".static.nn", ".static.nn", "loss metric sequence_lod static_pylayer"),
    **_rows(".framework", ".framework", "dtype framework io_utils"),
    **_rows(".autograd", ".autograd", "autograd backward_mode"),
    **_rows(
        ".io",
        ".io",
        "reader dataloader.batch_sampler dataloader.collate dataloader.dataset dataloader.sampler",
    ),
    **_rows(".inference", ".inference", "wrapper"),
    **_rows(".jit", ".jit", "layer"),
    **_rows(
        ".jit.sot",
        ".jit.sot",
        "utils utils.envs opcode_translator opcode_translator.executor "
        "opcode_translator.executor.executor_cache "
        "opcode_translator.executor.opcode_executor",
    ),
    **_rows(
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
    **_rows(".device.cuda", ".device.cuda", "streams"),
    **_rows(".geometric", ".geometric", "math message_passing reindex sampling"),
    **_rows(
        ".vision.transforms",
        ".vision.transforms",
        "transforms functional_cv2 functional_pil functional_tensor",
    ),
    **_rows(
        ".fluid.layers",
        ".fluid.layers",
        "collective control_flow detection io learning_rate_scheduler loss math_op_patch "
        "metric_op nn ops rnn sequence_lod tensor",
    ),
    **_rows(
        ".fluid.dygraph",
        ".fluid.dygraph",
        "backward_strategy checkpoint container jit layers learning_rate_scheduler "
        "math_op_patch nn parallel parallel_helper static_runner tracer "
        "varbase_patch_methods",
    ),
    **_rows(
        ".fluid.contrib",
        ".fluid.contrib",
        "decoder extend_optimizer memory_usage_calc model_stat op_frequence reader utils",
    ),
    **_rows(
        ".fluid",
        ".fluid",
        "compiler data_feed_desc data_feeder dataset default_scope_funcs dygraph_utils "
        "executor framework layer_helper lod_tensor "
        "param_attr parallel_executor",
    ),
    **_rows(".base", ".base", "data_feed_desc dataset default_scope_funcs"),
    **_rows(".fluid.wrapped_decorator", ".base", "wrapped_decorator"),
    **_rows(".fluid.log_helper", ".base", "log_helper"),
    **_rows(".fluid.layers", ".base.layers", "io math_op_patch"),
    **_rows(".fluid.proto", ".base", "proto"),
    **_rows(".base.dygraph", ".base.dygraph", "base math_op_patch tensor_patch_methods tracer"),
    **_rows(".fluid", ".fluid", "multiprocess_utils"),
    **_rows(".io", ".fluid.dataloader", "batch_sampler dataset"),
    **_rows(".fluid.contrib.layers", ".fluid.contrib.layers", "metric_op rnn_impl"),
    **_rows(".jit.dy2static", ".fluid.dygraph", "dygraph_to_static"),
    **_rows(
        ".jit.dy2static",
        ".fluid.dygraph.dygraph_to_static",
        "program_translator convert_call_func ast_transformer partial_program utils "
        "convert_operators variable_trans_func",
    ),
    **_rows(
        ".fluid.contrib.mixed_precision",
        ".fluid.contrib.mixed_precision",
        "decorator fp16_lists fp16_utils",
    ),
    **_rows(".amp", ".fluid.dygraph", "amp amp.auto_cast amp.loss_scaler"),
    **_rows(
        ".text",
        ".text",
        "datasets datasets.imdb datasets.uci_housing datasets.imikolov datasets.movielens "
        "datasets.conll05 datasets.wmt14 datasets.wmt16",
    ),
    **_rows(".hapi", ".incubate", "hapi hapi.model hapi.callbacks"),
    **_rows(".io", ".fluid", "dataloader"),
    **_rows(".io", ".fluid.dataloader", "collate"),
    **_rows(".fluid.layer_helper", ".fluid", "layer_helper_base"),
    **_rows(".fluid", ".fluid", "data"),
    "._legacy_C_ops": ".fluid.core_ops",
    ".distributed.fleet.utils.hybrid_parallel_util": ".distributed.fleet.hybrid_parallel_util",
    ".distributed.parallel.parallel_helper": ".distributed.start",
    ".batch": "",
    **_rows(".utils.cpp_extension", ".utils.cpp_extension", "cpp_extension extension_utils"),
    ".paddle": "",
    ".common_ops_import": ".base.common_ops_import",
}
