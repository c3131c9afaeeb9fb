#include "dojima/fix/error_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "dojima/fix/rules.hpp"
#include "dojima/fix/tags.hpp"

namespace dojima::fix {
namespace {

class Line {
 public:
  explicit Line(std::span<char> room) noexcept : room_(room) {}
  Line& operator<<(std::string_view part) noexcept {
    for (const char c : part)
      if (size_ < room_.size()) room_[size_++] = c >= ' ' && c <= '~' ? c : '?';
    return *this;
  }
  Line& operator<<(unsigned number) noexcept {
    char digits[12];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  [[nodiscard]] std::string_view view() const noexcept { return {room_.data(), size_}; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
};

/// The value that the error is about: of several fields of the tag the one that begins where the error says.
[[nodiscard]] std::string_view value_of(const Error& error, const MessageView& message) noexcept {
  for (std::size_t at = 0; at < message.size(); ++at)
    if (message[at].tag == error.field && message.offset_of(at) == error.offset) return message[at].value;
  return message.find(error.field).value_or(std::string_view{});
}

/// Whether it helps to see the value: not of a field that should not be there, and never a secret.
[[nodiscard]] bool is_shown(const Error& error) noexcept {
  const Tag tag = error.field;
  return tag != tag::k_password && tag != tag::k_new_password && tag != tag::k_raw_data &&
         error.code != ErrorCode::unknown && error.code != ErrorCode::duplicate;
}

}  // namespace

std::string_view describe(const Error& error, const MessageView& message, std::span<char> room) noexcept {
  constexpr std::size_t k_shown_max = 32;
  Line line(room);
  const bool has_field = error.field != k_large_tag;  // 0: none, or one that has no number here
  if (has_field) line << "field " << unsigned{error.field};
  if (has_field && error.code == ErrorCode::missing)
    return (line << (reason_of(error) == RejectReason::tag_without_value ? " has no value" : " is missing")).view();
  if (error.expected == nullptr) return (line << (has_field ? ": " : "") << name_of(error.code)).view();
  line << (has_field ? ": " : "") << "expected " << error.expected;
  if (!has_field || !is_shown(error)) return line.view();
  const std::string_view value = value_of(error, message);
  if (value.empty()) return line.view();
  return (line << ", got " << value.substr(0, k_shown_max) << (value.size() > k_shown_max ? "..." : "")).view();
}

}  // namespace dojima::fix
