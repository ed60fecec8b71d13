#include "base/blake2b_digest.h"

#include "check.h"

using namespace oarlock;

namespace {

std::string counting(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i % 251);
  return bytes;
}

}  // namespace

TEST("digest: the numbers of RFC 7693's algorithm, around the ends of its blocks") {
  CHECK_EQ(blake2b_hex_digest(""),
           "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  CHECK_EQ(blake2b_hex_digest("abc"),
           "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  const std::pair<std::size_t, const char*> wanted[] = {
      {127, "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
      {128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
      {129, "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
      {256, "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
      {257, "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904"},
      {1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"}};
  for (auto [size, hex] : wanted) CHECK_EQ(blake2b_hex_digest(counting(size)), hex);
}

TEST("digest: add in pieces, and add_with_length") {
  std::string whole = counting(1000);
  for (std::size_t cut : {1, 127, 128, 129, 500})
    CHECK_EQ(Blake2bDigest().add(whole.substr(0, cut)).add(whole.substr(cut)).finalize_to_hex(),
             blake2b_hex_digest(whole));
  CHECK(Blake2bDigest().add_with_length("ab").add_with_length("c").finalize_to_hex() !=
        Blake2bDigest().add_with_length("a").add_with_length("bc").finalize_to_hex());
}
