"""Docstrings of `fluid` name what Paddle 2 has in its place."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import oarlock

NAMES = json.loads(Path(__file__).with_name("names_1_8_5.json").read_text())
# Paddle 2 has no equivalent of these.
WITHOUT_EQUIVALENT = set(
    """
    DistributeTranspiler DistributeTranspilerConfig HashName LoDTensorArray RoundRobin
    clip.ErrorClipByValue contrib.InitState contrib.StateCell contrib.ctr_metric_bundle
    contrib.distributed_batch_reader contrib.fused_elemwise_activation
    contrib.fused_embedding_seq_pool contrib.match_matrix_tensor contrib.memory_usage
    contrib.op_freq_statistic contrib.partial_concat contrib.partial_sum
    contrib.sequence_topk_avg_pooling contrib.shuffle_batch contrib.tree_conv
    contrib.var_conv_2d create_lod_tensor create_random_int_lodtensor dygraph.BackwardStrategy
    dygraph.TreeConv layers.add_position_encoding
    layers.affine_channel layers.anchor_generator layers.bipartite_match layers.box_clip
    layers.box_decoder_and_assign layers.bpr_loss layers.center_loss layers.chunk_eval
    layers.collect_fpn_proposals layers.continuous_value_model layers.ctc_greedy_decoder
    layers.edit_distance layers.filter_by_instag layers.fsp_matrix layers.generate_mask_labels
    layers.generate_proposal_labels layers.get_tensor_from_selected_rows layers.hash
    layers.iou_similarity layers.linear_chain_crf layers.lod_append layers.lod_reset
    layers.merge_selected_rows layers.multi_box_head layers.polygon_box_transform
    layers.reorder_lod_tensor_by_rank
    layers.retinanet_detection_output layers.retinanet_target_assign
    layers.roi_perspective_transform layers.rpn_target_assign layers.similarity_focus
    layers.ssd_loss layers.target_assign layers.teacher_student_sigmoid_loss load_op_library
    memory_optimize metrics.ChunkEvaluator metrics.DetectionMAP metrics.EditDistance
    optimizer.DGCMomentumOptimizer optimizer.DecayedAdagrad optimizer.Dpsgd optimizer.Ftrl
    optimizer.LarsMomentum optimizer.PipelineOptimizer optimizer.RecomputeOptimizer
    release_memory require_version
    """.split()
)


def functions_and_classes() -> dict[str, Any]:
    """Return those that `fluid` defines, once each."""
    found: dict[int, tuple[str, Any]] = {}
    for package, names in NAMES.items():
        try:
            module = importlib.import_module(f"oarlock.{package}")
        except ImportError:
            continue
        for name in names:
            value = getattr(module, name, None)
            is_own = str(getattr(value, "__module__", "")).startswith("oarlock.fluid")
            if is_own and (inspect.isfunction(value) or inspect.isclass(value)):
                found.setdefault(id(value), (f"{package}.{name}".removeprefix("fluid."), value))
    return dict(found.values())


def test_names_without_newer_name_are_listed() -> None:
    unnamed = {
        name
        for name, value in functions_and_classes().items()
        if not re.search(r"paddle\.|newer name|Paddle 2 has", value.__doc__ or "")
    }
    assert unnamed == WITHOUT_EQUIVALENT


@pytest.mark.parametrize("text", ["The newer name is `", "Paddle 2 has "])
def test_newer_names_exist(text: str) -> None:
    docstrings = [value.__doc__ or "" for value in functions_and_classes().values()]
    newer = {
        name
        for docstring in docstrings
        for line in docstring.splitlines()
        if text in line
        for name in re.findall(r"paddle(?:\.\w+)+", line)
    }
    assert newer
    assert not [name for name in newer if not _exists(name)]


def _exists(name: str) -> bool:
    value: Any = oarlock
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    return value is not None
