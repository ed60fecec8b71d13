#include "paddle/params.h"

#include <cmath>
#include <map>

#include "check.h"
#include "convert/scalar_bytes.h"
#include "fixtures.h"
#include "paddle/program_parser.h"

using namespace oarlock;

TEST("params: the records of a file") {
  Program p = parse_upgrade_and_validate_program(bytes_of("types.pdmodel"), "types.pdmodel");
  std::string bytes = bytes_of("types.pdiparams");
  Params params(bytes, p, "types.pdiparams");
  std::map<DType, double> firsts;
  for (const ParamRecord& param : params.all()) {
    std::string_view data = params.data(param);
    CHECK_EQ(static_cast<const void*>(data.data()),
             static_cast<const void*>(bytes.data() + param.offset));
    firsts[param.dtype] = *decode_scalar(data.substr(0, size_of(param.dtype)), param.dtype);
  }
  CHECK_EQ(firsts.size(), std::size_t{6});
  CHECK_EQ(firsts[DType::float16], 1.5);
  CHECK_EQ(firsts[DType::bfloat16], 0.5);
  CHECK_EQ(firsts[DType::int64], 7.0);
  CHECK_EQ(firsts[DType::boolean], 1.0);
  CHECK_EQ(firsts[DType::uint8], 200.0);
  CHECK(std::abs(firsts[DType::float64] - 1e-3) < 1e-9);
}

TEST("params: scalar encoding round-trips") {
  for (DType d : {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::int8,
                  DType::int32, DType::int64})
    for (double v : {0.0, 1.0, -2.0, 96.0}) CHECK_EQ(*decode_scalar(encode_scalar(v, d), d), v);
  CHECK_EQ(*decode_scalar(encode_scalar(65504.0, DType::float16), DType::float16), 65504.0);
  CHECK(std::isinf(*decode_scalar(encode_scalar(1e6, DType::float16), DType::float16)));
  CHECK_EQ(*decode_scalar(encode_scalar(5.9604645e-8, DType::float16), DType::float16),
           std::ldexp(1.0, -24));
  CHECK_EQ(*decode_scalar(encode_scalar(1e300, DType::int32), DType::int32), 2147483647.0);
  CHECK(std::isnan(*decode_scalar(encode_scalar(NAN, DType::bfloat16), DType::bfloat16)));
}
