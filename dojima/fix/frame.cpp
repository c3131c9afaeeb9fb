#include "dojima/fix/frame.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "dojima/base/digits.hpp"
#include "dojima/fix/codec/scan.hpp"

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

/// Whether `expected` is at `at`, as far as `text` reaches. The whole comparison is of a size known to the
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

/// What the bytes around a body that ends at `body_end` are, when it is not what it should be.
[[gnu::cold, gnu::noinline]] FrameSearch without_trailer(std::string_view text, std::size_t body_end) noexcept {
  if (text[body_end - 1] != k_separator || match(text, body_end, "10=") != Match::yes)
    return garbled(text, body_end, ErrorCode::malformed, body_end, 0, "10= where BodyLength says");
  return garbled(text, body_end, ErrorCode::malformed, body_end, 0, "CheckSum of three digits");
}

/// Judges a message all of whose claimed bytes are there.
[[gnu::always_inline]] inline FrameSearch judge(Bytes bytes, std::size_t body_begin, std::size_t body_end,
                                                const Kernels& fast) noexcept {
  const std::string_view text = as_text(bytes);
  // The separator in front, "10=", three digits and the separator behind are one word; what remains are the digits.
  constexpr std::uint64_t k_trailer = 0x013030303d303101, k_fixed = 0xff000000ffffffff;
  const std::uint64_t trailer = load_word(text.data() + body_end - 1) ^ k_trailer;
  if ((trailer & k_fixed) != 0 || !are_digits(trailer)) [[unlikely]] {
    return without_trailer(text, body_end);
  }
  const std::uint32_t stated = number_of(trailer << 8);
  if (stated != fast.sum(text.data(), body_end)) [[unlikely]] {
    return garbled(text, body_end, ErrorCode::out_of_range, body_end, stated, "CheckSum of the bytes before it");
  }
  if (match(text, body_begin, "35=") != Match::yes) [[unlikely]] {
    return garbled(text, body_end, ErrorCode::malformed, body_begin, 0, "35= as the third field");
  }
  const std::size_t size = body_end + k_trailer_size;
  return {.state = FrameState::whole,
          .size = size,
          .frame = {bytes.first(size), static_cast<std::uint32_t>(body_begin), static_cast<std::uint32_t>(body_end)},
          .error = {}};
}

struct Head {
  std::size_t body_begin = 0;  // 0: not an ordinary one
  std::size_t body_size = 0;
};

/// The first two fields as nearly every message has them, in words: `8=FIX.4.d` or `8=FIXT.1.d`, and a BodyLength of up
/// to five digits. Everything else, right or wrong, is left to the careful way.
[[gnu::always_inline]] inline Head ordinary_head(std::string_view text) noexcept {
  constexpr std::size_t k_longest = 2 + k_begin_string_max + 1 + 8;
  constexpr std::uint64_t k_fix_4 = 0x2e342e5849463d38, k_fixt_1 = 0x312e545849463d38;  // "8=FIX.4.", "8=FIXT.1"
  if (text.size() < k_longest) return {};
  const char* at = text.data() + 8;
  const std::uint64_t start = load_word(text.data());
  if (start != k_fix_4) {
    if (start != k_fixt_1 || *at++ != '.') return {};
  }
  const std::uint64_t length = load_word(at + 2);
  if (!is_digit(at[0]) || at[1] != k_separator || (length & 0xffff) != 0x3d39) return {};
  const std::uint64_t separated = (length >> 16) ^ 0x0101010101010101;
  const std::uint64_t found = (separated - 0x0101010101010101) & ~separated & 0x8080808080808080;
  const auto bits =
      static_cast<unsigned>(std::countr_zero(found)) & ~7u;  // of the digits; the first one found is right
  if (bits - 8 > 32) return {};
  const std::uint64_t digits = ((length >> 16) ^ k_eight_zeros) << (64 - bits);
  if (!are_digits(digits)) return {};
  return {static_cast<std::size_t>(at - text.data()) + 4 + bits / 8 + 1, number_of(digits)};
}

/// The whole search, byte by byte.
[[gnu::noinline]] FrameSearch find_carefully(Bytes bytes, std::size_t max_body, const Kernels& fast) noexcept {
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
  const Head head = ordinary_head(as_text(bytes));
  const std::size_t body_end = head.body_begin + head.body_size;
  if (head.body_begin != 0 && head.body_size >= k_smallest_body && head.body_size <= max_body &&
      bytes.size() >= body_end + k_trailer_size) [[likely]] {
    return judge(bytes, head.body_begin, body_end, fast);
  }
  return find_carefully(bytes, max_body, fast);
}

}  // namespace dojima::fix
