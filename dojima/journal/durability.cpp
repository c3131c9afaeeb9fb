#include "dojima/journal/durability.hpp"

#include <algorithm>

#include "dojima/base/bytes.hpp"

namespace dojima::journal {

std::string_view name_of(Durability durability) noexcept {
  switch (durability) {
    case Durability::none:
      return "none";
    case Durability::process:
      return "process";
    case Durability::power:
      break;
  }
  return "power";
}

Identity Identity::of(std::string_view name) noexcept {
  Identity identity;
  const Bytes bytes = as_bytes(name.substr(0, identity.bytes.size()));
  std::ranges::copy(bytes, identity.bytes.begin());
  return identity;
}

}  // namespace dojima::journal
