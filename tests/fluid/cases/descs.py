"""Programs read, written and run through the methods of Paddle's C++ descriptions."""

import numpy as np


def words(*values):
    """What was found, as an array of texts."""
    return np.array([str(v) for v in values])


def rejected(call):
    """Whether a call raises."""
    try:
        call()
    except Exception:
        return True
    return False


def declared(core, block, name, shape, dtype=None):
    """A tensor variable of a block."""
    made = block.var(name)
    made.set_type(core.VarDesc.VarType.LOD_TENSOR)
    made.set_dtype(core.VarDesc.VarType.FP32 if dtype is None else dtype)
    made.set_shape(shape)
    return made


def product(block):
    """A mul op whose attributes stay as they are by themselves."""
    op = block.append_op()
    op.set_type("mul")
    for slot, name in (("X", "x"), ("Y", "y")):
        op.set_input(slot, [name])
    op.set_output("Out", ["out"])
    return op


def case_a_new_program(fluid):
    """Blocks inside of blocks."""
    program = fluid.core.ProgramDesc()
    first = program.block(0)
    second = program.append_block(first)
    third = program.append_block(second)
    first.var(b"seen")
    found = [
        program.num_blocks(),
        first.id,
        first.parent,
        second.id,
        second.parent,
        third.id,
        third.parent,
        first.op_size(),
    ]
    found += [
        third.has_var(b"seen"),
        third.has_var_recursive(b"seen"),
        third.find_var(b"seen") is None,
    ]
    found += [
        third.find_var_recursive(b"seen").name(),
        third.find_var(b"none") is None,
        program.block(2) == third,
    ]
    found += [third == second]
    third._set_forward_block_idx(1)
    return words(third.get_forward_block_idx(), first.get_forward_block_idx(), *found)


def case_attributes(fluid):
    """The attributes of an op of unknown type."""
    core = fluid.core
    program = core.ProgramDesc()  # kept, as Paddle's blocks and ops live no longer than it
    op = program.block(0).append_op()
    op.set_type("test")
    found = [op.type(), op.attr_names(), op.has_attr("int")]
    given = {
        "int": 3,
        "float": 1.5,
        "text": "abc",
        "ints": [1, 2],
        "floats": [1.5, -2.0],
        "texts": ["a", "b"],
        "long": 10**12,
    }
    for name in sorted(given):
        op._set_attr(name, given[name])
        kind = {"int": "INT", "float": "FLOAT", "text": "STRING", "long": "LONG"}.get(
            name, {"texts": "STRINGS"}.get(name, name.upper())
        )
        known = [
            k
            for k in ("INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS", "LONG")
            if op.attr_type(name) == getattr(core.AttrType, k)
        ]
        found += [name, op.attr(name), kind, known]
    op._set_attr("bool", False)
    op._set_attr("bools", [True, False])
    found += [int(op.attr("bool")), [int(v) for v in op.attr("bools")], sorted(op.attr_names())]
    op.remove_attr("int")
    return words(
        *found,
        op.has_attr("int"),
        rejected(lambda: op.attr("int")),
        rejected(lambda: op._set_attr("x", {})),
    )


def case_operands(fluid):
    """Slots, renamed, copied."""
    program = fluid.core.ProgramDesc()
    block = program.block(0)
    op = product(block)
    found = [
        op.input_names(),
        op.output_names(),
        op.input("X"),
        op.output("Out"),
        op.input_arg_names(),
        op.output_arg_names(),
    ]
    op.set_input("X", ["a", "b", "c"])
    op._rename_input("b", "d")
    op._rename_output("out", "o")
    op._set_attr("x_num_col_dims", 2)
    copied = block.append_op()
    copied.copy_from(op)
    op.set_input("X", ["last"])
    found += [
        sorted(copied.inputs().items()),
        copied.outputs(),
        copied.type(),
        copied.attr("x_num_col_dims"),
        op.input("X"),
    ]
    return words(*found, copied == op, copied == block.op(1), copied.block() == block)


def case_order_of_ops(fluid):
    """Insert ops before, between and after others, and remove them."""
    program = fluid.core.ProgramDesc()
    block = program.block(0)
    for name in ("b", "d"):
        block.append_op().set_type(name)
    block._prepend_op().set_type("a")
    block._insert_op(2).set_type("c")
    before = [block.op(i).type() for i in range(block.op_size())]
    block._remove_op(1, 3)
    after = [block.op(i).type() for i in range(block.op_size())]
    return words(before, after, rejected(lambda: block.op(2)))


def case_blocks_of_ops(fluid):
    """Ops with sub-blocks."""
    core, program = fluid.core, fluid.core.ProgramDesc()
    second, third = program.append_block(program.block(0)), program.append_block(program.block(0))
    op = program.block(0).append_op()
    op.set_type("while")
    op.set_block_attr("sub_block", third)
    op.set_blocks_attr("all", [second, third])
    found = [
        op._block_attr_id("sub_block"),
        op._blocks_attr_ids("all"),
        op.attr_type("sub_block") == core.AttrType.BLOCK,
    ]
    return words(*found, op.attr_type("all") == core.AttrType.BLOCKS, op.attr("sub_block").id)


def case_variables(fluid):
    """All properties of a variable."""
    kinds = fluid.core.VarDesc.VarType
    program = fluid.core.ProgramDesc()
    block = program.block(0)
    var = block.var(b"v")
    found = [
        var.name(),
        var.shape(),
        var.lod_level(),
        var.persistable(),
        var.need_check_feed(),
        var.type() == kinds.LOD_TENSOR,
    ]
    found += [var.dtype() == kinds.BOOL, block.var(b"v") == var, rejected(var.shapes)]
    var.set_shape([2, -1])
    var.set_dtype(kinds.INT64)
    var.set_lod_level(2)
    var.set_persistable(True)
    var.set_need_check_feed(True)
    found += [
        var.shape(),
        var.dtype() == kinds.INT64,
        var.lod_level(),
        var.persistable(),
        var.need_check_feed(),
    ]
    rows = block.var(b"rows")
    rows.set_type(kinds.SELECTED_ROWS)
    rows.set_shape([7, 2])
    found += [
        rows.shape(),
        rejected(lambda: rows.set_lod_level(1)),
        rows.type() == kinds.SELECTED_ROWS,
    ]
    reader = block.var(b"reader")
    reader.set_type(kinds.READER)
    reader.set_shapes([[1, 2], [3]])
    reader.set_dtypes([kinds.FP32, kinds.INT64])
    reader.set_lod_levels([0, 1])
    found += [
        reader.shapes(),
        reader.dtypes() == [kinds.FP32, kinds.INT64],
        reader.lod_levels(),
        rejected(reader.shape),
    ]
    block._rename_var(b"v", b"w")
    block._remove_var(b"rows")
    return words(*found, sorted(v.name() for v in block.all_vars()))


def case_what_follows(fluid):
    """Shapes, dtypes and attributes of a matrix product, and the errors of an op."""
    core = fluid.core
    program = core.ProgramDesc()
    block = program.block(0)
    declared(core, block, b"x", [3, 4, 5])
    declared(core, block, b"y", [20, 7])
    out = block.var(b"out")
    op = product(block)
    op._set_attr("x_num_col_dims", 1)
    op.check_attrs()
    op.infer_var_type(block)
    op.infer_shape(block)
    found = [out.shape(), out.dtype() == core.VarDesc.VarType.FP32]
    found += [op.attr("x_num_col_dims"), op.attr("y_num_col_dims")]
    unknown, lacking, empty = block.append_op(), block.append_op(), block.append_op()
    unknown.set_type("no_such_op")
    lacking.set_type("mean")
    lacking.set_output("Out", ["made"])
    found += [rejected(lambda o=o: o.infer_shape(block)) for o in (unknown, lacking, empty)]
    found += [rejected(o.check_attrs) for o in (unknown, lacking, empty)]
    lacking.set_input("X", ["gone"])
    lacking.infer_var_type(block)
    return words(*found, block.has_var(b"made"))


def case_shapes_alone(fluid):
    """Sums whose operands have only shapes."""
    core = fluid.core
    program = core.ProgramDesc()
    block = program.block(0)
    for name in (b"a", b"b"):
        made = block.var(name)
        made.set_type(core.VarDesc.VarType.LOD_TENSOR)
        made.set_shape([10, 20])
    out = block.var(b"out")
    out.set_type(core.VarDesc.VarType.LOD_TENSOR)
    op = block.append_op()
    op.set_type("sum")
    op.set_input("X", ["a", "b"])
    op.set_output("Out", ["out"])
    op.check_attrs()
    op.infer_shape(block)
    return words(out.shape())


def case_bytes(fluid):
    """Written and read again."""
    core, program = fluid.core, fluid.core.ProgramDesc()
    inner = program.append_block(program.block(0))
    declared(core, program.block(0), b"x", [3, -1])
    inner.append_op().set_type("relu")
    read = core.ProgramDesc(program.serialize_to_string())
    copied = core.ProgramDesc(read)
    found = []
    for one in (read, copied):
        found += [
            one.num_blocks(),
            one.block(1).parent,
            one.block(1).op(0).type(),
            one.block(0).find_var(b"x").shape(),
        ]
    return words(*found, read == copied, program.block(0).var(b"x").serialize_to_string())


def case_of_a_net(fluid):
    """The descriptions of a layer's ops, and the effect of a change on the program."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [4])
        out = fluid.layers.fc(x, 3, act="relu")
    block = main.desc.block(0)
    found = [main.desc.num_blocks(), block.op_size()]
    for i in range(block.op_size()):
        op = block.op(i)
        found += [
            op.type(),
            sorted(op.inputs().items()),
            op.outputs(),
            op == main.global_block().ops[i].desc,
            op.attr("op_role"),
        ]
    for var in sorted(block.all_vars(), key=lambda v: v.name()):
        found += [
            var.name(),
            var.shape(),
            var.lod_level(),
            var.persistable(),
            var.type() == x.desc.type(),
            var.dtype() == x.desc.dtype(),
        ]
    x.desc.set_shape([7, 4])
    block.op(0)._set_attr("x_num_col_dims", 1)
    return words(
        *found,
        tuple(x.shape),
        x.desc == block.var(b"x"),
        block == main.global_block().desc,
        out.desc.name(),
    )


def case_run(fluid):
    """Ops of a program written through its description run."""
    main, scope = fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [2, 3], append_batch_size=False)
        out = fluid.layers.scale(x, 2.0)
    for op in (main.desc.block(0).op(i) for i in range(main.desc.block(0).op_size())):
        if op.type() == "scale":
            op._set_attr("scale", 5.0)
    with fluid.scope_guard(scope):
        return fluid.Executor(fluid.CPUPlace()).run(
            main, feed={"x": np.arange(6, dtype="float32").reshape(2, 3)}, fetch_list=[out]
        )
