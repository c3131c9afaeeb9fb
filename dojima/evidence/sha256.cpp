#include "dojima/evidence/sha256.hpp"

#include <sha256.h>

namespace dojima::evidence {

std::string sha256_hex(std::string_view bytes) {
  // SHA256Data ends its text with a null, which std::string has room for.
  std::string text(SHA256_DIGEST_STRING_LENGTH - 1, '\0');
  SHA256Data(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), text.data());
  return text;
}

}  // namespace dojima::evidence
