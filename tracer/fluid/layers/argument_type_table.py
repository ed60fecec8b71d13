"""Types and dtypes that layer arguments of Paddle 1.8 accept in programs; Paddle raises TypeError
for others.
"""

# A key lists the dtypes that a variable may have; if the key begins with `=`, it lists types of the
# value, and dtypes of variables. The value of a key lists, as `layer.argument`, the arguments that
# accept only these types and dtypes.
ARGUMENT_TYPES = {
    "float32 float64": (
        "add_position_encoding.input addmm.x addmm.y affine_channel.x affine_grid.theta "
        "auc.input beam_search.pre_scores beam_search.scores "
        "box_clip.input box_clip.im_info crf_decoding.input deformable_conv.input "
        "deformable_conv.offset deformable_roi_pooling.input "
        "deformable_roi_pooling.rois deformable_roi_pooling.trans density_prior_box.input "
        "dist.x dist.y dynamic_gru.input dynamic_lstm.input "
        "dynamic_lstmp.input fsp_matrix.x fsp_matrix.y generate_proposal_labels.rpn_rois "
        "generate_proposals.im_info grid_sampler.x grid_sampler.grid "
        "group_norm.input gru_unit.input gru_unit.hidden hsigmoid.input huber_loss.input "
        "huber_loss.label inplace_abn.input instance_norm.input "
        "kldiv_loss.x kldiv_loss.target l2_normalize.x label_smooth.label "
        "layer_norm.input linear_chain_crf.input locality_aware_nms.bboxes "
        "locality_aware_nms.scores log.x log1p.x logsumexp.x lstm.input lstm.init_h "
        "lstm.init_c lstm_unit.x_t lstm_unit.hidden_t_prev "
        "lstm_unit.cell_t_prev matrix_nms.bboxes matrix_nms.scores maxout.x mish.x "
        "mse_loss.input mse_loss.label multiclass_nms.bboxes "
        "multiclass_nms.scores nce.input npair_loss.anchor npair_loss.positive "
        "pixel_shuffle.x polygon_box_transform.input prelu.x "
        "retinanet_detection_output.im_info retinanet_target_assign.bbox_pred "
        "retinanet_target_assign.cls_logits retinanet_target_assign.anchor_box "
        "retinanet_target_assign.anchor_var retinanet_target_assign.gt_boxes "
        "retinanet_target_assign.im_info roi_align.input roi_align.rois "
        "rpn_target_assign.bbox_pred rpn_target_assign.cls_logits "
        "rpn_target_assign.anchor_box rpn_target_assign.anchor_var rpn_target_assign.gt_boxes "
        "rpn_target_assign.im_info selu.x sequence_conv.input sequence_first_step.input "
        "sequence_last_step.input sequence_softmax.input "
        "sigmoid_focal_loss.x similarity_focus.input smooth_l1.x smooth_l1.y "
        "spectral_norm.weight square_error_cost.input square_error_cost.label "
        "teacher_student_sigmoid_loss.input teacher_student_sigmoid_loss.label "
        "temporal_shift.x unfold.x uniform_random_batch_size_like.input"
    ),
    "float16 float32 float64": (
        "accuracy.input acos.x asin.x atan.x batch_norm.input bpr_loss.input brelu.x "
        "ceil.x clip.x continuous_value_model.input conv2d.input cos.x "
        "cross_entropy.input dropout.x elu.x floor.x hard_shrink.x hard_sigmoid.x "
        "hard_swish.x leaky_relu.x logsigmoid.x matmul.x matmul.y mean.x mul.x "
        "mul.y reciprocal.x relu.x relu6.x round.x rsqrt.x sigmoid.x "
        "sigmoid_cross_entropy_with_logits.x sin.x soft_relu.x softmax.input softplus.x "
        "softshrink.x softsign.x sqrt.x stanh.x swish.x tanh.x tanh_shrink.x thresholded_relu.x"
    ),
    "float32 float64 int32 int64": (
        "addcmul.input addcmul.tensor1 addcmul.tensor2 crop_tensor.x dot.x dot.y equal.x "
        "equal.y greater_equal.x greater_equal.y greater_than.x "
        "greater_than.y increment.x index_sample.x index_select.input is_empty.x "
        "isfinite.x less_equal.x less_equal.y less_than.x less_than.y "
        "lod_append.x lod_reset.x not_equal.x not_equal.y pad_constant_like.y pow.x "
        "reduce_mean.input reduce_sum.input sequence_expand.x "
        "sequence_expand_as.x sequence_pad.x sequence_pad.pad_value "
        "sequence_reshape.input sequence_scatter.input sequence_scatter.updates "
        "sequence_slice.input sequence_unpad.x shape.input strided_slice.input tril.input "
        "triu.input unique.x unique_with_counts.x"
    ),
    "float32": (
        "beam_search_decode.scores clip_by_norm.x cos_sim.X cos_sim.Y crop.x "
        "generate_proposals.scores generate_proposals.bbox_deltas "
        "generate_proposals.anchors generate_proposals.variances im2sequence.input "
        "log_loss.input log_loss.label lrn.input margin_rank_loss.label "
        "rank_loss.label rank_loss.left rank_loss.right roi_perspective_transform.input "
        "roi_perspective_transform.rois row_conv.input "
        "sequence_pool.input warpctc.input"
    ),
    "int32 int64 float16 float32 float64": (
        "abs.x elementwise_add.x elementwise_add.y elementwise_div.x elementwise_div.y "
        "elementwise_floordiv.x elementwise_floordiv.y elementwise_max.x "
        "elementwise_max.y elementwise_min.x elementwise_min.y elementwise_mod.x "
        "elementwise_mod.y elementwise_mul.x elementwise_mul.y "
        "elementwise_pow.x elementwise_pow.y elementwise_sub.x elementwise_sub.y exp.x square.x"
    ),
    "= int": (
        "gru_unit.size locality_aware_nms.background_label locality_aware_nms.nms_top_k "
        "locality_aware_nms.keep_top_k lstm.max_len lstm.hidden_size "
        "lstm.num_layers matrix_nms.nms_top_k matrix_nms.keep_top_k "
        "matrix_nms.background_label multiclass_nms.nms_top_k multiclass_nms.keep_top_k "
        "multiclass_nms.background_label roi_perspective_transform.transformed_height "
        "roi_perspective_transform.transformed_width similarity_focus.axis "
        "spectral_norm.dim spectral_norm.power_iters temporal_shift.seg_num"
    ),
    "= Variable": (
        "array_read.i array_write.x array_write.i cond.pred conv3d.input cumsum.x "
        "flip.input full_like.input gaussian_random_batch_size_like.input "
        "get_tensor_from_selected_rows.x has_inf.x has_nan.x pad_constant_like.x "
        "reorder_lod_tensor_by_rank.x reorder_lod_tensor_by_rank.rank_table "
        "sequence_expand_as.y unstack.x"
    ),
    "= float": (
        "allclose.rtol allclose.atol clip_by_norm.max_norm "
        "locality_aware_nms.score_threshold locality_aware_nms.nms_eta "
        "locality_aware_nms.nms_threshold matrix_nms.score_threshold "
        "matrix_nms.post_threshold matrix_nms.gaussian_sigma multiclass_nms.score_threshold "
        "multiclass_nms.nms_threshold multiclass_nms.nms_eta "
        "roi_perspective_transform.spatial_scale spectral_norm.eps temporal_shift.shift_ratio"
    ),
    "int32 int64": (
        "auc.label gather_tree.ids gather_tree.parents hash.input index_sample.index "
        "index_select.index mean_iou.input mean_iou.label multiplex.index "
        "one_hot.input sequence_enumerate.input sequence_scatter.index "
        "sequence_slice.offset sequence_slice.length"
    ),
    "= list tuple": (
        "data.shape deformable_roi_pooling.group_size density_prior_box.densities "
        "density_prior_box.fixed_sizes density_prior_box.fixed_ratios "
        "flip.dims gaussian_random_batch_size_like.shape meshgrid.input ones.shape "
        "randn.shape strided_slice.axes uniform_random_batch_size_like.shape "
        "zeros.shape"
    ),
    "= None Variable": (
        "affine_channel.scale affine_channel.bias beam_search.ids deformable_conv.mask "
        "dynamic_gru.h_0 dynamic_lstm.h_0 dynamic_lstm.c_0 "
        "dynamic_lstmp.h_0 dynamic_lstmp.c_0 is_empty.cond reshape.actual_shape rnn.sequence_length"
    ),
    "float16 float32 float64 int32 int64": (
        "adaptive_pool2d.input adaptive_pool3d.input kron.x kron.y pad.x pad2d.input "
        "reshape.x roll.input space_to_depth.x t.input trace.input "
        "transpose.x"
    ),
    "int64": (
        "beam_search.pre_ids beam_search_decode.ids chunk_eval.input chunk_eval.label "
        "edit_distance.input edit_distance.label embedding.input "
        "hsigmoid.label linear_chain_crf.label nce.label sequence_unpad.length shard_index.input"
    ),
    "bool": "logical_and.x logical_and.y logical_not.x logical_or.x logical_or.y logical_xor.x "
    "logical_xor.y reduce_all.input reduce_any.input",
    "= bool": (
        "adaptive_pool2d.require_index adaptive_pool3d.require_index allclose.equal_nan "
        "locality_aware_nms.normalized matrix_nms.normalized "
        "matrix_nms.use_gaussian multiclass_nms.normalized randperm.stop_gradient"
    ),
    "= list": (
        "multiplex.inputs retinanet_detection_output.bboxes retinanet_detection_output.scores "
        "retinanet_detection_output.anchors sequence_concat.input similarity_focus.indexes "
        "squeeze.axes transpose.perm"
    ),
    "int32": (
        "generate_proposal_labels.gt_classes generate_proposal_labels.is_crowd "
        "retinanet_target_assign.gt_labels retinanet_target_assign.is_crowd "
        "rpn_target_assign.is_crowd sigmoid_focal_loss.label sigmoid_focal_loss.fg_num "
        "warpctc.label"
    ),
    "= Variable list tuple": (
        "expand.expand_times reshape.shape rnn.inputs strided_slice.starts "
        "strided_slice.ends strided_slice.strides uniform_random.shape"
    ),
    "bool float32 float64 int32 int64": "Print.input expand.x expand_as.x "
    "expand_as.target_tensor ones_like.x zeros_like.x",
    "= None Variable list tuple": "crop_tensor.offsets py_func.x py_func.out rnn.initial_states",
    "= Variable float int": "linspace.num range.start range.end range.step",
    "= Variable list tuple = int32 int64": "fill_constant.shape full.shape gaussian_random.shape",
    "= int list tuple": "adaptive_pool2d.pool_size adaptive_pool3d.pool_size reverse.axis",
    "= str": "adaptive_pool2d.pool_type adaptive_pool3d.pool_type kldiv_loss.reduction",
    "float32 float64 int16 int32 int64 uint8": "argmax.x argmin.x argsort.input",
    "= Variable float int = float32 float64": "linspace.start linspace.stop",
    "= Variable list": "random_crop.shape tensor_array_to_tensor.input",
    "= Variable list tuple = float32 float64 int32 int64": "sum.x sums.input",
    "= Variable list tuple None": "crop.shape crop_tensor.shape",
    "= float int": "dist.p mish.threshold",
    "= list ndarray tuple": "create_global_var.shape create_parameter.shape",
    "float32 float64 int32 int64 int8": "flatten.x sequence_reverse.x",
    "= None str": "cond.name",
    "= Variable float": "cosine_decay.learning_rate",
    "= Variable list tuple = float16 float32 float64": "fc.input",
    "= Variable list tuple = float16 float32 float64 int32 int64": "concat.input",
    "= Variable ndarray": "assign.input",
    "= Variable ndarray = float16 float32 float64": "sign.x",
    "= Variable ndarray = float32 float64 int32 int64": "diag.diagonal",
    "= Variable ndarray list = float16 float32 float64 int32 int64": "diag_embed.input",
    "bool float16 float32 float64 int32 int64 uint8": "cast.x",
    "float16 float32 float64 int16 int32 int64 int8 uint8": "scale.x",
    "float16 float32 float64 int32 int64 int8": "squeeze.input",
    "float32 float64 int16 int32 uint8": "random_crop.x",
    "float32 float64 int32 int64 uint8": "reverse.x",
    "float32 float64 int64": "npair_loss.labels",
    "float32 float64 int8 uint8": "prior_box.input",
}
