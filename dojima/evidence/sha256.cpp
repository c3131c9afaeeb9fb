#include "dojima/evidence/sha256.hpp"

#include <array>
#include <openssl/sha.h>

namespace dojima::evidence {

std::string sha256_hex(std::string_view bytes) {
  static constexpr char k_digits[] = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) {
    text += k_digits[byte >> 4];
    text += k_digits[byte & 15];
  }
  return text;
}

}  // namespace dojima::evidence
