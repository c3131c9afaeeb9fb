#include "dojima/mit/codec/venue_day.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "dojima/base/assert.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::mit {
namespace {

constexpr std::string_view k_day = "day ", k_of = " of ";
constexpr std::size_t k_number_width = 11;
static_assert(k_day.size() + k_number_width + k_of.size() + k_base62_max <= 30);

}  // namespace

Text<30> text_of(const VenueDay& day) noexcept {
  Text<30> text;
  if (!day.is_said()) return text;
  DOJIMA_ASSERT(day.number <= VenueDay::k_most, "the number of a day has its text", day.number, VenueDay::k_most);
  char* at = std::ranges::copy(k_day, text.chars.data()).out;
  at = std::to_chars(at, at + k_number_width, day.number).ptr;
  at = std::ranges::copy(k_of, at).out;
  std::array<char, k_base62_max> digits{};
  std::ranges::copy(format_base62_shortest(day.venue, digits), at);
  return text;
}

VenueDay venue_day_in(std::string_view text) noexcept {
  if (!text.starts_with(k_day)) return {};
  text.remove_prefix(k_day.size());
  VenueDay day;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), day.number);
  if (error != std::errc{} || day.number > VenueDay::k_most) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(k_of)) return {};
  const Result<std::uint64_t> venue = parse_base62(text.substr(k_of.size()));
  if (!venue) return {};
  day.venue = *venue;
  return day.is_said() ? day : VenueDay{};
}

}  // namespace dojima::mit
