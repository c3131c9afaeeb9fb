#include "dojima/base/layout.hpp"

namespace dojima {
namespace {

template <class T>
[[nodiscard]] std::int64_t number_in(Bytes message, const FieldInfo& field) noexcept {
  return static_cast<std::int64_t>(load_little<T>(message, field.offset));
}

}  // namespace

std::int64_t load_number(Bytes message, const FieldInfo& field) noexcept {
  switch (field.type) {
    case Wire::int8:
      return number_in<std::int8_t>(message, field);
    case Wire::alpha:
    case Wire::uint8:
    case Wire::bits:
      return number_in<std::uint8_t>(message, field);
    case Wire::uint16:
      return number_in<std::uint16_t>(message, field);
    case Wire::int32:
      return number_in<std::int32_t>(message, field);
    case Wire::uint32:
      return number_in<std::uint32_t>(message, field);
    case Wire::signed_price:
      return from_sign_and_magnitude(load_little<std::uint64_t>(message, field.offset));
    case Wire::uint64:
    case Wire::price:
    case Wire::text:
    case Wire::spaced_text:
      break;
  }
  return number_in<std::int64_t>(message, field);
}

}  // namespace dojima
