#include "dojima/web/http.hpp"

#include <cstddef>

namespace dojima::web {

bool is_same_secret(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t at = 0; at < left.size(); ++at)
    difference |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned>(static_cast<unsigned char>(right[at]));
  return difference == 0;
}

}  // namespace dojima::web
