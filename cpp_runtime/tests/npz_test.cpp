#include "runner/npz.h"

#include <cstring>
#include <filesystem>

#include "check.h"
#include "fixtures.h"

using namespace oarlock;

TEST("npz: a dtype that NumPy lacks is rejected") {
  auto path = (std::filesystem::temp_directory_path() / "oarlock_npz_float8.npz").string();
  CHECK_ERROR("cannot hold float8_e5m2[2]",
              write_npz(path, {{"a", Tensor(DType::float8_e5m2, {2})}}));
  CHECK(!std::filesystem::exists(path));
}

TEST("npz: files written by NumPy") {
  NamedTensors in = read_npz(fixture("control.in.npz"));
  CHECK_EQ(in.size(), std::size_t{2});
  CHECK_EQ(in[0].first, "x");
  CHECK_EQ(in[0].second.shape().size(), std::size_t{2});
  CHECK_EQ(in[1].second.values<std::int64_t>()[0], 3);
}

TEST("npz: round trip") {
  Tensor numbers(DType::float32, {2, 3}), none(DType::int64, {0, 4}), single(DType::float64, {});
  for (int i = 0; i < 6; ++i) static_cast<float*>(numbers.data())[i] = static_cast<float>(i);
  *static_cast<double*>(single.data()) = 2.5;
  auto path = (std::filesystem::temp_directory_path() / "oarlock_npz_test.npz").string();
  write_npz(path, {{"a", numbers}, {"none", none}, {"one", single}});
  NamedTensors back = read_npz(path);
  std::filesystem::remove(path);
  CHECK_EQ(back.size(), std::size_t{3});
  CHECK(back[0].second.shape() == (std::vector<std::int64_t>{2, 3}));
  CHECK_EQ(back[0].second.values<float>()[5], 5.0f);
  CHECK(back[1].second.shape() == (std::vector<std::int64_t>{0, 4}));
  CHECK_EQ(back[2].second.values<double>()[0], 2.5);
}

// Written by numpy.savez_compressed(x=numpy.arange(40, dtype='float32') % 5 in Fortran order, shape
// (8, 5)): only the stream.
TEST("npz: deflate, every block type") {
  CHECK_EQ(inflate(std::string("\x4b\x4c\x4a\x4e\x49\x4d\x4b\x4c\x4a\x06\x00", 11), 9, "x"),
           "abcdefabc");
  CHECK_EQ(inflate(std::string("\x01\x03\x00\xfc\xff\x61\x62\x63", 8), 3, "x"), "abc");
  CHECK_ERROR("less data than the entry declares",
              inflate(std::string("\x01\x03\x00\xfc\xff\x61\x62\x63", 8), 4, "x"));
  CHECK_ERROR("cut off", inflate("", 4, "x"));
}

TEST("npz: more arrays than a zip directory counts") {
  NamedTensors arrays(65536, {"a", Tensor(DType::float32, {})});
  CHECK_ERROR("more than 65535 results", write_npz("/no/such/folder/out.npz", arrays));
}

TEST("npz: a file that cannot be written leaves nothing behind") {
  CHECK_ERROR("cannot be created", write_npz("/no/such/folder/out.npz", {}));
}

// Repeats the directory with other names, so that several arrays share their bytes.
TEST("npz: arrays that share their bytes") {
  Tensor zeros(DType::float32, {1000});
  auto path = (std::filesystem::temp_directory_path() / "oarlock_npz_shared.npz").string();
  write_npz(path, {{"a", zeros}});
  std::string bytes(MappedFile(path).bytes());
  std::filesystem::remove(path);
  constexpr std::size_t end_size = 22;
  std::size_t start = bytes.find("PK\x01\x02");
  std::string entry = bytes.substr(start, bytes.size() - end_size - start),
              end = bytes.substr(bytes.size() - end_size);
  std::string forged = bytes.substr(0, start);
  constexpr char copies = 40;
  for (char i = 0; i < copies; ++i) {
    entry[entry.size() - 5] = static_cast<char>('A' + i);
    forged += entry;
  }
  end[8] = end[10] = copies;
  CHECK_EQ(parse_npz(bytes, "x.npz").size(), std::size_t{1});
  CHECK_ERROR("the compressed arrays have more bytes than the file",
              parse_npz(forged + end, "x.npz"));
}
