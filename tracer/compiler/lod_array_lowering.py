"""Lowering rules for ops that convert between packed sequences (LoD tensors) and lists of time
steps.
"""

from __future__ import annotations

from ..ir.program import OpDesc
from ..ops.legacy.beam_search import decode_sentences
from ..ops.legacy.lod_rank_table import sequences_to_steps, steps_to_sequences
from .instructions import Instruction, PythonStatement
from .lowering import LOWERING_RULES, Lowering


def lower_beam_search_decode(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower beam_search_decode: build sentences and their offsets from two lists with one
    entry per time step.
    """
    known, outs = (
        lowering.lod_propagation,
        [desc.outputs[slot][0] for slot in ("SentenceIds", "SentenceScores")],
    )
    steps = lowering.get_or_create_registers(
        block, [desc.inputs["Ids"][0], desc.inputs["Scores"][0]]
    )
    of_steps = known.get_or_create_lod_register(block, desc.inputs["Ids"][0])
    result = known.get_or_create_lod_register(block, outs[0])
    known.lod_registers[lowering.get_or_create_register(block, outs[1])] = result
    text = "{o0}, {o1}, {o2} = {MADE}({0}, {1}, {2}, {END})"
    names = {"MADE": decode_sentences, "END": desc.attr("end_id")}
    return PythonStatement(
        desc,
        text,
        (*steps, of_steps),
        (*lowering.get_or_create_registers(block, outs), result),
        names,
    )


def lower_lod_tensor_to_array(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower lod_tensor_to_array: split sequences into a list with the rows of each time step. The
    elements of the list have no LoD.
    """
    known, x = lowering.lod_propagation, lowering.get_or_create_register(block, desc.inputs["X"][0])
    found, out = known.find_input_lod_register(block, desc, "X"), desc.outputs["Out"][0]
    registers = (
        x,
        lowering.get_or_create_register(block, desc.inputs["RankTable"][0]),
        *(() if found is None else (found,)),
    )
    text = (
        f"{{o0}} = {{APART}}({{0}}, {'None' if found is None else '{2}'}, {{1}}); {{o1}} = "
        f"[[] for _ in {{o0}}]"
    )
    return PythonStatement(
        desc,
        text,
        registers,
        (lowering.get_or_create_register(block, out), known.get_or_create_lod_register(block, out)),
        {"APART": sequences_to_steps},
    )


def lower_array_to_lod_tensor(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower array_to_lod_tensor: build sequences from a list of time steps."""
    registers = lowering.get_or_create_registers(
        block, [desc.inputs[slot][0] for slot in ("X", "RankTable")]
    )
    out = desc.outputs["Out"][0]
    outs = (
        lowering.get_or_create_register(block, out),
        lowering.lod_propagation.get_or_create_lod_register(block, out),
    )
    return PythonStatement(
        desc,
        "{o0}, {o1} = {STEPS_TO_SEQUENCES}({0}, {1})",
        registers,
        outs,
        {"STEPS_TO_SEQUENCES": steps_to_sequences},
    )


LOWERING_RULES |= {
    "beam_search_decode": lower_beam_search_decode,
    "lod_tensor_to_array": lower_lod_tensor_to_array,
    "array_to_lod_tensor": lower_array_to_lod_tensor,
}
