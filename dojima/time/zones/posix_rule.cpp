#include "dojima/time/zones/posix_rule.hpp"

#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::time {
namespace {

using std::chrono::seconds;

/// Reads from the front; whatever does not fit makes it bad for good.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] bool is_good() const noexcept { return is_good_; }
  [[nodiscard]] bool is_at_end() const noexcept { return at_ == text_.size(); }
  [[nodiscard]] std::uint32_t place() const noexcept { return static_cast<std::uint32_t>(at_); }

  [[nodiscard]] bool is_next(char wanted) const noexcept { return !is_at_end() && text_[at_] == wanted; }
  bool skip_if(char wanted) noexcept {
    const bool is_there = is_next(wanted);
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  void skip(char wanted) noexcept { require(skip_if(wanted)); }

  /// Letters, or anything between angle brackets; at least three.
  void skip_name() noexcept {
    const bool is_quoted = skip_if('<');
    const std::size_t begin = at_;
    while (!is_at_end() && (is_quoted ? text_[at_] != '>' : is_letter(text_[at_]))) ++at_;
    require(at_ - begin >= 3);
    if (is_quoted) skip('>');
  }

  unsigned number(unsigned least, unsigned most) noexcept {
    const std::size_t begin = at_;
    unsigned value = 0;
    while (!is_at_end() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 3)
      value = 10 * value + static_cast<unsigned>(text_[at_++] - '0');
    require(at_ != begin && value >= least && value <= most);
    return value;
  }

  /// [+-]hours[:minutes[:seconds]]
  seconds clock(unsigned hours_max) noexcept {
    const bool is_negative = skip_if('-');
    if (!is_negative) skip_if('+');
    seconds value = std::chrono::hours{number(0, hours_max)};
    if (skip_if(':')) value += std::chrono::minutes{number(0, 59)};
    if (skip_if(':')) value += seconds{number(0, 59)};
    return is_negative ? -value : value;
  }

 private:
  static bool is_letter(char character) noexcept {
    return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z');
  }
  void require(bool is_met) noexcept { is_good_ = is_good_ && is_met; }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

PosixRule::Day read_day(Reader& reader) noexcept {
  PosixRule::Day day;
  if (reader.skip_if('M')) {
    day.month = static_cast<std::uint8_t>(reader.number(1, 12));
    reader.skip('.');
    day.week = static_cast<std::uint8_t>(reader.number(1, 5));
    reader.skip('.');
    day.weekday = static_cast<std::uint8_t>(reader.number(0, 6));
  } else if (reader.skip_if('J')) {
    day.kind = PosixRule::Day::Kind::without_leap_day;
    day.day = static_cast<std::uint16_t>(reader.number(1, 365));
  } else {
    day.kind = PosixRule::Day::Kind::with_leap_day;
    day.day = static_cast<std::uint16_t>(reader.number(0, 365));
  }
  if (reader.skip_if('/')) day.clock = reader.clock(167);
  return day;
}

}  // namespace

LocalTime PosixRule::Day::of(std::int32_t year) const noexcept {
  using std::chrono::days;
  const std::chrono::year in{year};
  if (kind == Kind::month_week_weekday) {
    const std::chrono::weekday on{weekday};
    const std::chrono::year_month month_of = in / std::chrono::month{month};
    if (week == 5) return std::chrono::local_days{month_of / on[std::chrono::last]} + clock;
    return std::chrono::local_days{month_of / on[week]} + clock;
  }
  const std::chrono::local_days first{in / 1 / 1};
  if (kind == Kind::with_leap_day) return first + days{day} + clock;
  return first + days{day - 1 + (is_leap(year) && day >= 60 ? 1 : 0)} + clock;
}

Result<PosixRule> PosixRule::parse(std::string_view text) noexcept {
  Reader reader(text);
  PosixRule rule;
  reader.skip_name();
  rule.offset = -reader.clock(24);
  if (!reader.is_at_end()) {
    Daylight daylight;
    reader.skip_name();
    daylight.offset = reader.is_next(',') ? rule.offset + std::chrono::hours{1} : -reader.clock(24);
    reader.skip(',');
    daylight.begin = read_day(reader);
    reader.skip(',');
    daylight.end = read_day(reader);
    rule.daylight = daylight;
  }
  if (!reader.is_good() || !reader.is_at_end())
    return fail(ErrorCode::malformed, 0, reader.place(), 0, "a rule like GMT0BST,M3.5.0/1,M10.5.0");
  return rule;
}

std::array<ZoneRules::Change, 2> PosixRule::changes(std::int32_t year) const noexcept {
  DOJIMA_ASSERT(daylight.has_value(), "a rule without daylight saving has no changes", year);
  const auto utc = [](LocalTime local, seconds before) { return Time{local.time_since_epoch()} - before; };
  std::array<ZoneRules::Change, 2> both{
      ZoneRules::Change{.at = utc(daylight->begin.of(year), offset), .offset = daylight->offset},
      ZoneRules::Change{.at = utc(daylight->end.of(year), daylight->offset), .offset = offset}};
  if (both[1].at < both[0].at) std::swap(both[0], both[1]);
  return both;
}

}  // namespace dojima::time
