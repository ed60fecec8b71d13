#include "base/escape_control_characters.h"
#include "check.h"
#include "oarlock/model.h"
#include "paddle/program_parser.h"
#include "temp_folder.h"

using namespace oarlock;

TEST("reader: a real export") {
  Program p = parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel"), "mlp.pdmodel");
  CHECK_EQ(p.version, 2006002);
  CHECK_EQ(p.blocks.size(), std::size_t{1});
  CHECK(p.feed_names() == Strings{"x"});
  CHECK_EQ(p.fetch_names().size(), std::size_t{2});
  CHECK_EQ(format_type(p.find_var("x")->dtype, p.find_var("x")->shape), "float32[?,4]");
  CHECK_EQ(p.persistables_in_file_order().size(), std::size_t{4});
  CHECK_EQ(p.persistables_in_file_order()[0]->name, "linear_0.b_0");
  CHECK(!p.contract);
}

TEST("reader: blocks, attributes and the user's line") {
  Program p = parse_upgrade_and_validate_program(bytes_of("control.pdmodel"), "control.pdmodel");
  CHECK(p.blocks.size() > 1);
  for (const OpDesc& op : p.blocks[0].ops) {
    if (op.type != "while") continue;
    CHECK_EQ(attr_type_name(op.attrs.at("sub_block").type), "BLOCK");
    CHECK_EQ(attr_type_name(op.attrs.at("is_test").type), "BOOLEAN");
  }
  for (const OpDesc& op : p.blocks[0].ops)
    if (op.type == "less_than")
      CHECK_HAS(op.location, "make_fixtures.py:70 in forward: while i < steps:");
}

TEST("reader: the user's stack frame") {
  CHECK_EQ(find_user_line({"  File \"/a/b/net.py\", line 12, in forward", "    return x + 1",
                           "  File \"/v/site-packages/paddle/x.py\", line 3, in f", "    y = 2"}),
           "net.py:12 in forward: return x + 1");
  CHECK_EQ(find_user_line({"net.py:3 in forward: y = x"}), "net.py:3 in forward: y = x");
  CHECK_EQ(find_user_line({"  File \"/v/site-packages/p.py\", line 3, in f", "y"}), "");
  CHECK_EQ(find_user_line({}), "");
}

TEST("reader: packed and single repeated numbers are the same") {
  WireWriter w;
  auto program = [&](auto&& dims) {
    w.message(1, [&] {
      w.int64(1, 0), w.int64(2, -1);
      w.message(3, [&] {
        w.bytes(1, "v");
        w.message(2, [&] {
          w.int64(1, 7);
          w.message(3, [&] { w.message(1, [&] { w.int64(1, 5), dims(); }); });
        });
      });
    });
    return parse_upgrade_and_validate_program(w.take_bytes(), "p").find_var("v")->shape;
  };
  CHECK(program([&] { w.int64(2, 3), w.int64(2, -1); }) == (Ints{3, -1}));
  CHECK(program([&] {
          w.bytes(2, std::string("\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
        }) == (Ints{3, -1}));
}

// Paddle writes `use_mkldnn` twice on some ops of training programs.
TEST("reader: duplicate attributes with one value") {
  auto attr_k = [](std::initializer_list<std::int64_t> values) {
    WireWriter w;
    w.message(1, [&] {
      w.int64(1, 0), w.int64(2, -1);
      w.message(4, [&] {
        w.bytes(3, "relu");
        for (std::int64_t value : values)
          w.message(4, [&] { w.bytes(1, "k"), w.int64(2, 0), w.int64(3, value); });
      });
    });
    return parse_upgrade_and_validate_program(w.take_bytes(), "p").blocks[0].ops[0].attrs.at("k");
  };
  CHECK(attr_k({7, 7}) == attr_k({7}));
  CHECK_HAS(check::error_of([&] { attr_k({7, 8}); }), "attribute 'k' given twice, with two values");
}

TEST("reader: unknown fields are skipped") {
  std::string extra("\x12\x02\x08\x01\x1a\x03\x0a\x01\x00\xfa\xff\x01\x01z", 14);  // 2, 3 and 4095
  CHECK_EQ(parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel") + extra, "p").blocks.size(),
           std::size_t{1});
}

TEST("reader: the contract") {
  Contract c =
      mlp_contract({{"dim", "x", 0, "2", "shape[0]", "net.py:3 in forward", "n = x.shape[0]"}});
  Program p = parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel") + contract_field(c), "p");
  CHECK(p.contract.has_value());
  CHECK_EQ(p.contract->inputs[0].name, "x");
  CHECK_EQ(format_type(p.contract->outputs[1].dtype, p.contract->outputs[1].shape), "float32[?,8]");
  CHECK_EQ(p.contract->guards[0].text, "n = x.shape[0]");
  CHECK_EQ(p.contract->producer, "oarlock test");
  CHECK(contract_field(c).find(p.contract->bytes) != std::string::npos);
}

TEST("reader: displayed text is escaped") {
  Contract c = mlp_contract(
      {{"dim", "x", 0, "2\x1b", "assert: two\nlines\x07", "a.py:1\nforged", "x\x7f\ty"}});
  c.producer = "\x1b[2J", c.verified = "\rsure";
  Program p = parse_upgrade_and_validate_program(bytes_of("mlp.pdmodel") + contract_field(c),
                                                 "mlp.pdmodel");
  const Guard& g = p.contract->guards.at(0);
  CHECK_EQ(g.expected, "2\\x1b");
  CHECK_EQ(g.reader, "assert: two\nlines\\x07");
  CHECK_EQ(g.location, "a.py:1\\x0aforged");
  CHECK_EQ(g.text, "x\\x7f\ty");
  CHECK_EQ(p.contract->producer, "\\x1b[2J");
  CHECK_EQ(p.contract->verified, "\\x0dsure");
}

// The tables of tests/loader/test_escape_text.py.
TEST("reader: escapes agree with Python") {
  CHECK_EQ(escape_control_characters("\x07\n\r\x1b\x7f"), "\\x07\\x0a\\x0d\\x1b\\x7f");
  CHECK_EQ(escape_control_characters("\u0080\u009b\u009f\u00ad"), "\\x80\\x9b\\x9f\\xad");
  CHECK_EQ(escape_control_characters("\u061c\u180e\u200b\u200f\u2028\u202e"),
           "\\u061c\\u180e\\u200b\\u200f\\u2028\\u202e");
  CHECK_EQ(escape_control_characters("\u2060\u206f\ufeff\ufff9\ufffb"),
           "\\u2060\\u206f\\ufeff\\ufff9\\ufffb");
  CHECK_EQ(escape_control_characters("\U000e0000\U000e007f"), "\\U000e0000\\U000e007f");
  CHECK_EQ(escape_control_characters(std::string_view("\0", 1)), "\\x00");
  std::string kept =
      "\t "
      "~\u00a0\u00ac\u00ae\u061b\u061d\u180d\u200a\u2010\u2027\u202f\u205f\u2070\ufefe\ufffc\ufffd"
      "\U000dffff\U000e0080";
  CHECK_EQ(escape_control_characters(kept + "\u00e9\u6f22\U0001f642\\\"'"),
           kept + "\u00e9\u6f22\U0001f642\\\"'");
  CHECK_EQ(escape_control_characters("two\nlines\r\n", true), "two\nlines\\x0d\n");
  CHECK_EQ(escape_control_characters("no\xff\xc3 utf\xe2\x80"), "no\\xff\\xc3 utf\\xe2\\x80");
}

// A sparse file of a terabyte: reading it would take hours.
TEST("reader: an oversized program") {
  Folder folder("large");
  std::string prefix = folder.with_fixture("mlp");
  std::filesystem::resize_file(prefix + ".pdmodel", std::uintmax_t{1} << 40);
  CHECK_ERROR("a program of more than 256 MiB", Model::open(prefix));
}
