#include <cstdio>
#include <fstream>
#include <iostream>

#include "lower/graph.h"
#include "read/mapped_file.h"
#include "read/params.h"
#include "read/parse.h"

using namespace oarlock;

int main(int argc, char** argv) try {
  if (argc < 4 || std::string(argv[1]) != "to-onnx") {
    std::fprintf(stderr, "usage: oarlock-runner to-onnx PREFIX OUT.onnx | -\n");
    return 2;
  }
  std::string prefix = argv[2];
  MappedFile model(prefix + ".pdmodel"), weights;
  Program program = read_program(model.bytes(), base_name(model.path()));
  if (is_file(prefix + ".pdiparams")) weights = MappedFile(prefix + ".pdiparams");
  Params params(weights.bytes(), program, base_name(prefix + ".pdiparams"));
  LowerOptions options;
  options.location = base_name(prefix + ".pdiparams");
  onnx::Model lowered = lower(program, params, options);
  if (std::string(argv[3]) == "-")
    std::cout << onnx::to_text(lowered.graph);
  else
    std::ofstream(argv[3], std::ios::binary) << onnx::to_bytes(lowered);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
