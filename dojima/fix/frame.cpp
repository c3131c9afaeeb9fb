#include "dojima/fix/frame.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "dojima/fix/scan.hpp"

namespace dojima::fix {
namespace {

constexpr char k_separator = '\x01';
constexpr std::string_view k_start = "8=FIX";
constexpr std::size_t k_trailer_size = 7;      // "10=ddd" and the separator
constexpr std::size_t k_begin_string_max = 8;  // "FIXT.1.1"; all others are shorter
constexpr std::size_t k_length_digits_max = 7;
constexpr std::size_t k_smallest_body = 4;  // "35=" and the separator

/// How far to skip, at least to `from`: to the next start of a message, or to where one may have begun to arrive.
std::size_t next_start(std::string_view text, std::size_t from) noexcept {
  if (from >= text.size()) return text.size();
  const std::size_t at = text.find(k_start, from);
  if (at != std::string_view::npos) return at;
  std::size_t part = std::min(k_start.size() - 1, text.size() - from);
  while (part > 0 && !text.ends_with(k_start.substr(0, part))) --part;
  return text.size() - part;
}

FrameSearch garbled(std::string_view text, std::size_t from, ErrorCode code, std::size_t offset, std::int64_t got,
                    const char* expected) noexcept {
  const std::size_t skip = next_start(text, std::max<std::size_t>(from, 1));
  return {.state = FrameState::garbled,
          .size = skip,
          .error = {.code = code, .offset = static_cast<std::uint32_t>(offset), .got = got, .expected = expected}};
}

enum class Match : std::uint8_t { no, partly, yes };

/// Whether `expected` stands at `at`, as far as `text` reaches. The whole comparison is of a size known to the
/// compiler.
template <std::size_t Size>
Match match(std::string_view text, std::size_t at, const char (&expected)[Size]) noexcept {
  constexpr std::size_t k_size = Size - 1;
  const std::size_t there = text.size() - at;
  if (there >= k_size) return std::memcmp(text.data() + at, expected, k_size) == 0 ? Match::yes : Match::no;
  return std::memcmp(text.data() + at, expected, there) == 0 ? Match::partly : Match::no;
}

bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

bool is_begin_string_character(char character) noexcept {
  return is_digit(character) || character == '.' || (character >= 'A' && character <= 'Z');
}

/// Judges a message all of whose claimed bytes are there.
FrameSearch judge(Bytes bytes, std::size_t body_begin, std::size_t body_end, const Kernels& fast) noexcept {
  const std::string_view text = as_text(bytes);
  const char* trailer = text.data() + body_end;
  if (text[body_end - 1] != k_separator || match(text, body_end, "10=") != Match::yes)
    return garbled(text, body_end, ErrorCode::malformed, body_end, 0, "10= where BodyLength says");
  if (!is_digit(trailer[3]) || !is_digit(trailer[4]) || !is_digit(trailer[5]) || trailer[6] != k_separator)
    return garbled(text, body_end, ErrorCode::malformed, body_end, 0, "CheckSum of three digits");
  const int told = (trailer[3] - '0') * 100 + (trailer[4] - '0') * 10 + (trailer[5] - '0');
  if (told != fast.sum(text.data(), body_end))
    return garbled(text, body_end, ErrorCode::out_of_range, body_end, told, "CheckSum of the bytes before it");
  if (match(text, body_begin, "35=") != Match::yes)
    return garbled(text, body_end, ErrorCode::malformed, body_begin, 0, "35= as the third field");
  const std::size_t size = body_end + k_trailer_size;
  return {.state = FrameState::whole,
          .size = size,
          .frame = {bytes.first(size), static_cast<std::uint32_t>(body_begin), static_cast<std::uint32_t>(body_end)},
          .error = {}};
}

}  // namespace

std::uint8_t check_sum(Bytes bytes) noexcept {
  return kernels().sum(as_text(bytes).data(), bytes.size());
}

std::string_view begin_string_of(const Frame& frame) noexcept {
  const std::string_view text = as_text(frame.bytes);
  return text.substr(2, text.find(k_separator) - 2);
}

FrameSearch find_frame(Bytes bytes, std::size_t max_body) noexcept {
  return find_frame(bytes, max_body, kernels());
}

FrameSearch find_frame(Bytes bytes, std::size_t max_body, const Kernels& fast) noexcept {
  DOJIMA_ASSERT(max_body <= k_body_max, "offsets inside a message are 16 bits wide");
  const std::string_view text = as_text(bytes);
  const auto incomplete = FrameSearch{};
  const Match start = match(text, 0, "8=FIX");
  if (start == Match::no) return garbled(text, 1, ErrorCode::malformed, 0, 0, "8=FIX at the beginning");
  if (start == Match::partly) return incomplete;

  std::size_t at = k_start.size();
  while (at < text.size() && at - 2 < k_begin_string_max && is_begin_string_character(text[at])) ++at;
  if (at == text.size()) return incomplete;
  if (text[at] != k_separator) return garbled(text, 1, ErrorCode::malformed, at, text[at], "the end of BeginString");
  ++at;

  const Match length = match(text, at, "9=");
  if (length == Match::no) return garbled(text, 1, ErrorCode::malformed, at, 0, "9= as the second field");
  if (length == Match::partly) return incomplete;
  at += 2;
  const std::size_t digits = at;
  std::size_t body_size = 0;
  for (; at < text.size() && at - digits < k_length_digits_max && is_digit(text[at]); ++at)
    body_size = body_size * 10 + static_cast<std::size_t>(text[at] - '0');
  if (at == text.size()) return incomplete;
  if (text[at] != k_separator || at == digits)
    return garbled(text, 1, ErrorCode::malformed, at, text[at], "BodyLength of digits");
  if (body_size > max_body)
    return garbled(text, 1, ErrorCode::too_long, digits, static_cast<std::int64_t>(body_size), "a shorter BodyLength");
  const std::size_t body_begin = at + 1, body_end = body_begin + body_size;
  if (body_size < k_smallest_body)
    return garbled(text, body_end, ErrorCode::out_of_range, digits, static_cast<std::int64_t>(body_size),
                   "a BodyLength that has room for 35=");
  if (text.size() < body_end + k_trailer_size) return incomplete;
  return judge(bytes, body_begin, body_end, fast);
}

}  // namespace dojima::fix
