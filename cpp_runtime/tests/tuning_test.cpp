#include <map>

#include "base/json.h"
#include "check.h"
#include "runtime/machine.h"
#include "runtime/session_options_by_name.h"
#include "runtime/tuning_file.h"
#include "temp_folder.h"

using namespace oarlock;

namespace {

Options applied(const std::string& prefix, const Options& options = {}) {
  return options_with_tuning(options, Model::open(prefix).impl(), load_ort_library_once(""));
}

std::string tuning_of(const Options& options) {
  return format_tuning(options, load_ort_library_once(""), "x=float32[1,4]");
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

Options some() {
  Options tuned;
  tuned.threads = 3, tuned.spinning = 0, tuned.optimize = 2, tuned.mem_pattern = 0;
  return tuned;
}

}  // namespace

TEST("tuning: fills options at their defaults only") {
  Folder folder("tuning");
  std::string prefix = folder.with_fixture("mlp");
  CHECK_EQ(tuning_path(Model::open(prefix).impl()), prefix + ".oarlock.tune.json");
  CHECK_EQ(tuning_path(Model::from_bytes(bytes_of("mlp.pdmodel"), prefix + ".pdiparams").impl()),
           prefix + ".oarlock.tune.json");
  put_file(prefix + ".oarlock.tune.json", tuning_of(some()));
  Options found = applied(prefix);
  CHECK(found.threads == 3 && found.spinning == 0 && found.optimize == 2 && found.mem_pattern == 0);
  CHECK(found.arena == -1 && found.inter_threads == 0);
  Options given;
  given.threads = 1, given.optimize = 99;
  CHECK(applied(prefix, given).threads == 1 && applied(prefix, given).optimize == 99 &&
        applied(prefix, given).spinning == 0);
  given = {};
  given.tuned = false;
  CHECK_EQ(applied(prefix, given).threads, 0);
  Tensor x(DType::float32, {1, 4});
  TensorView view = x;
  CHECK_EQ(Session(Model::open(prefix)).run(std::span(&view, 1)).size(), std::size_t{2});
}

TEST("tuning: files of another machine, version or device, and damaged files, are ignored") {
  Folder folder("tuning");
  std::string prefix = folder.with_fixture("mlp"), good = tuning_of(some());
  for (const std::string& text :
       {replaced(good, processor_model_and_count_id(), "x86-0-x1"),
        replaced(good, ort_library_info().version, "1.0.0"), replaced(good, "\"cpu\"", "\"cuda\""),
        replaced(good, "\"threads\": 3", "\"threads\": 1e99"),
        replaced(good, "\"threads\": 3", "\"threads\": \"3\""),
        replaced(good, "\"threads\": 3", "\"threads\": -3"),
        replaced(good, "\"optimize\": 2", "\"optimize\": 3"),
        replaced(good, "\"spinning\": 0", "\"spinning\": 7"),
        replaced(good, "\"threads\": 3", "\"threads\": 4096"), good + std::string(1 << 17, ' '),
        std::string(), good.substr(0, good.size() / 2), std::string("[]"),
        std::string(1000, '[')}) {
    put_file(prefix + ".oarlock.tune.json", text);
    Options found = applied(prefix);
    CHECK(found.threads == 0 && found.spinning == -1 && found.optimize == -1);
  }
}

TEST("tuning: the execution provider is used if ONNX Runtime contains it") {
  Folder folder("tuning");
  std::string prefix = folder.with_fixture("mlp");
  Options provider = with_tunable_provider(some());
  CHECK_EQ(provider.execution_provider, "OpenVINO");
  CHECK(provider.provider ==
        (std::map<std::string, std::string>{
            {"device_type", "CPU"}, {"num_of_threads", "3"}, {"precision", "FP32"}}));
  CHECK(!with_tunable_provider({}).provider.contains("num_of_threads"));
  std::string text = tuning_of(provider);
  CHECK_HAS(text, "\"execution_provider\": \"OpenVINO\"");
  CHECK(tuning_of(some()).find("execution_provider") == std::string::npos);
  put_file(prefix + ".oarlock.tune.json", text);
  const Library& library = load_ort_library_once("");
  bool contains = library.has_provider("OpenVINOExecutionProvider");
  CHECK_EQ(can_use_tunable_provider({}, library), contains);
  CHECK_EQ(applied(prefix).execution_provider, contains ? "OpenVINO" : "");
  CHECK_EQ(applied(prefix).threads, 3);
  for (const char* value : {"\"CUDA\"", "\"\"", "1", "[\"OpenVINO\"]", "null"}) {
    put_file(prefix + ".oarlock.tune.json", replaced(text, "\"OpenVINO\"", value));
    CHECK(applied(prefix).threads == 0 && applied(prefix).execution_provider.empty());
  }
  Options given;
  given.deterministic = true;
  CHECK(!can_use_tunable_provider(given, library));
}

TEST("options: warm-up shapes") {
  for (const char* text : {"x=1,3,224,224,mask=5,s=", "x=1x3x224x224,mask=5,s="}) {
    Shapes shapes = parse_shapes(text);
    CHECK(shapes["x"] == (std::vector<std::int64_t>{1, 3, 224, 224}) &&
          shapes["mask"] == std::vector<std::int64_t>{5});
    CHECK(shapes["s"].empty() && shapes.size() == 3);
  }
  for (const char* text : {"", "x", "=1", "x=1,", "x=1,,3", "x=,3", "x=1,y", "x=1x", "x=x1", "x=-1",
                           "x=1,=3", "x=1,y=2,", "x=1x99999999999999999999"})
    CHECK_ERROR("shapes: requires NAME=1,3,224,224", parse_shapes(text));
}

TEST("options: a warm-up runs the given shapes") {
  Options options;
  set_option(options, "warmup", "x=3x4");
  CHECK_EQ(Session(Model::open(fixture("mlp")), options).inputs().size(), std::size_t{1});
  set_option(options, "warmup", "x=3x5");
  CHECK_ERROR("run: input 'x' is float32[3,5]", Session(Model::open(fixture("mlp")), options));
  options.warmup = {{{"y", {1}}}};
  CHECK_ERROR("shapes: no input 'y'", Session(Model::open(fixture("mlp")), options));
}

TEST("options: spinning, arena and memory pattern") {
  Options options;
  for (const char* name : {"spinning", "arena", "mem_pattern"}) set_option(options, name, "0");
  CHECK_EQ(Session(Model::open(fixture("mlp")), options).inputs().size(), std::size_t{1});
  options.arena = 2;
  CHECK_ERROR("options: arena is 2, none of -1, 0, 1",
              Session(Model::open(fixture("mlp")), options));
}
