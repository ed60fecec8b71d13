"""Ops between packed sequences and lists of their steps: how each becomes an instruction."""

from __future__ import annotations

from ..ir.program import OpDesc
from ..ops.beams import sentences
from ..ops.rank import sequences_of_steps, steps_of_sequences
from .instructions import Do, Step
from .lowering import RULES, Lowering


def translated(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """beam_search_decode: the sentences that the steps in two lists make, and their offsets."""
    known, outs = lowering.sequences, [desc.outputs[slot][0] for slot in ("SentenceIds", "SentenceScores")]
    steps = lowering.cells_of(block, [desc.inputs["Ids"][0], desc.inputs["Scores"][0]])
    of_steps = known.own(block, desc.inputs["Ids"][0])
    made = known.own(block, outs[0])
    known.cells[lowering.cell(block, outs[1])] = made
    text = "{o0}, {o1}, {o2} = {MADE}({0}, {1}, {2}, {END})"
    names = {"MADE": sentences, "END": desc.attr("end_id")}
    return Do(desc, text, (*steps, of_steps), (*lowering.cells_of(block, outs), made), names)


def apart(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """lod_tensor_to_array: the rows of each step, as a list; they hold no sequences."""
    known, x = lowering.sequences, lowering.cell(block, desc.inputs["X"][0])
    found, out = known.of(block, desc, "X"), desc.outputs["Out"][0]
    cells = (x, lowering.cell(block, desc.inputs["RankTable"][0]), *(() if found is None else (found,)))
    text = f"{{o0}} = {{APART}}({{0}}, {'None' if found is None else '{2}'}, {{1}}); {{o1}} = [[] for _ in {{o0}}]"
    return Do(desc, text, cells, (lowering.cell(block, out), known.own(block, out)), {"APART": steps_of_sequences})


def together(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """array_to_lod_tensor: the sequences whose steps are in a list."""
    cells = lowering.cells_of(block, [desc.inputs[slot][0] for slot in ("X", "RankTable")])
    out = desc.outputs["Out"][0]
    outs = (lowering.cell(block, out), lowering.sequences.own(block, out))
    return Do(desc, "{o0}, {o1} = {TOGETHER}({0}, {1})", cells, outs, {"TOGETHER": sequences_of_steps})


RULES |= {
    "beam_search_decode": translated,
    "lod_tensor_to_array": apart,
    "array_to_lod_tensor": together,
}
