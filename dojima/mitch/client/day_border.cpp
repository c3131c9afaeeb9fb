#include "dojima/mitch/client/day_border.hpp"

#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {
namespace {

bool is_end_of_day(Bytes message) {
  if (load_little<char>(message, 1) != SystemEvent::k_type) return false;
  const Result<SystemEvent> event = decode<SystemEvent>(message);
  return event && event->event_code == 'C';
}

/// Behind the last number of the unit.
std::uint32_t end_of(const Unit& unit) noexcept {
  return unit.header().sequence_number + unit.header().message_count;
}

}  // namespace

void DayBorder::see(Bytes message) {
  is_over_ = is_end_of_day(message);
}

void DayBorder::join(time::Time now) noexcept {
  is_over_ = false;
  fresh_ = now;
}

bool DayBorder::is_of_day_before(std::size_t line, const Unit& unit, time::Time now) noexcept {
  if (!lags_[line]) return false;
  lags_[line] = unit.header().sequence_number != 1 && end_of(unit) <= old_end_ && now - began_ < restart_;
  return lags_[line];
}

bool DayBorder::begins_anew(std::size_t line, const Unit& unit, std::uint32_t next, time::Time now) noexcept {
  const bool is_next_day = is_over_ && unit.header().sequence_number == 1 && !unit.is_heartbeat();
  if (!is_next_day && end_of(unit) >= next) {
    fresh_ = now;
    return false;
  }
  if (!is_next_day && now - fresh_ < restart_) return false;
  old_end_ = next;
  began_ = now;
  lags_.fill(is_next_day);
  lags_[line] = false;
  return true;
}

}  // namespace dojima::mitch
