// The op `recurrent` (StaticRNN): converted and rejected programs.
#include "one_op.h"

using namespace oarlock;

namespace {

VarDesc var(const std::string& name, Ints shape) {
  return {name, std::move(shape), DType::float32, VarKind::dense, false, 0};
}

// y[t] = h = h + x[t] over x and z; tests modify the public fields.
struct Steps {
  Ints x{-1, 3}, z{-1, 3};
  Strings sequences{"x"}, held{"m"}, after{"n"}, first{"h"};
  bool reverse = false;
  std::string written = "n";

  Program program() const {
    Program p;
    p.name = "steps.pdmodel";
    p.blocks.resize(2);
    p.blocks[1].idx = 1, p.blocks[1].parent = 0;
    p.blocks[0].vars = {var("x", x), var("z", z), var("h", {3}), var("y", {-1, 3})};
    p.blocks[1].vars = {var("x", {3}), var("z", {3}), var("m", {3}), var("n", {3}), var("y", {3})};
    std::int64_t col = 0;
    for (const char* name : {"x", "z", "h"})
      p.blocks[0].ops.push_back({"feed", {}, {{"Out", {name}}}, {{"col", INT(col++)}}, ""});
    p.blocks[0].ops.push_back(
        {"recurrent",
         {{"inputs", sequences}, {"initial_states", first}, {"parameters", {}}},
         {{"outputs", {"y"}}},
         {{"sub_block", {AttrType::BLOCK, std::int64_t{1}}},
          {"ex_states", {AttrType::STRINGS, held}},
          {"states", {AttrType::STRINGS, after}},
          {"reverse", {AttrType::BOOLEAN, reverse}}},
         "net.py:3"});
    p.blocks[0].ops.push_back({"fetch", {{"X", {"y"}}}, {}, {{"col", INT(0)}}, ""});
    p.blocks[1].ops = {{"elementwise_add", {{"X", {"m"}}, {"Y", {"x"}}}, {{"Out", {"y"}}}, {}, ""},
                       {"assign", {{"X", {"y"}}}, {{"Out", {written}}}, {}, ""}};
    return p;
  }

  std::string text() const {
    Program p = program();
    validate_and_fill_variable_indices(p);
    Params none("", p, "steps.pdiparams");
    return onnx::to_text(lower_program(p, none).graph);
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST("recurrent: the loop reads one step of the input") {
  std::string text = Steps{}.text();
  CHECK_HAS(text, "Loop");
  CHECK_HAS(text, "Gather");
  CHECK(!has(text, "Sub"));
}

TEST("recurrent: reverse order") {
  Steps steps;
  steps.reverse = true;
  CHECK_HAS(steps.text(), "Sub");
  CHECK_HAS(steps.text(), "Slice");
}

TEST(
    "recurrent: lengths that the file does not know are compared by the run, those that it knows "
    "at once") {
  Steps steps;
  steps.sequences = {"x", "z"};
  CHECK_HAS(steps.text(), "Reshape");  // fails if they differ
  steps.x = {4, 3}, steps.z = {4, 3};
  CHECK(!has(steps.text(), "Reshape"));
  steps.z = {5, 3};
  CHECK_ERROR("its inputs have 4 and 5 steps", steps.text());
  steps.x = steps.z = {0, 3};
  CHECK_ERROR("its inputs have no steps", steps.text());
  steps.x = {};
  CHECK_ERROR("has an input without an axis", steps.text());
}

TEST("recurrent: mismatched memories are rejected") {
  Steps steps;
  steps.sequences = {};
  CHECK_ERROR("has no inputs", steps.text());
  steps = {};
  steps.after = {};
  CHECK_ERROR("has 1 initial_states for 1 ex_states and 0 states", steps.text());
}

TEST("recurrent: writes to outer variables are rejected") {
  Steps steps;
  steps.written = "h";
  CHECK_ERROR("its block writes 'h', which is not its own", steps.text());
}
