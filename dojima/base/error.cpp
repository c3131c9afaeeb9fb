#include "dojima/base/error.hpp"

#include <algorithm>
#include <charconv>

namespace dojima {
namespace {

/// Appends to a fixed span and cuts silently at its end: a message to a person, not data.
class Line {
 public:
  explicit Line(std::span<char> text) noexcept : text_(text) {}

  Line& operator<<(std::string_view part) noexcept {
    const std::size_t size = std::min(part.size(), text_.size() - used_);
    std::copy_n(part.data(), size, text_.data() + used_);  // unlike memcpy, fine with an empty span's null
    used_ += size;
    return *this;
  }

  Line& operator<<(std::int64_t number) noexcept {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), used_}; }

 private:
  std::span<char> text_;
  std::size_t used_ = 0;
};

}  // namespace

std::string_view name_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::none:
      return "no error";
    case ErrorCode::incomplete:
      return "incomplete";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::out_of_range:
      return "out of range";
    case ErrorCode::missing:
      return "missing";
    case ErrorCode::unknown:
      return "unknown";
    case ErrorCode::duplicate:
      return "duplicate";
    case ErrorCode::too_long:
      return "too long";
    case ErrorCode::too_precise:
      return "too precise";
    case ErrorCode::not_supported:
      return "not supported";
    case ErrorCode::no_room:
      return "no room";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::refused:
      return "refused";
    case ErrorCode::wrong_state:
      return "wrong state";
  }
  return "unnamed error";
}

std::string_view describe(const Error& error, std::span<char> text) noexcept {
  Line line(text);
  line << name_of(error.code);
  const char* separator = ": ";
  const auto next = [&]() -> Line& {
    line << separator;
    separator = ", ";
    return line;
  };
  if (error.field != 0) next() << "field " << std::int64_t{error.field};
  if (error.offset != 0) next() << "offset " << std::int64_t{error.offset};
  if (error.got != 0) next() << "got " << error.got;
  if (error.expected != nullptr) next() << "expected " << std::string_view(error.expected);
  return line.view();
}

}  // namespace dojima
