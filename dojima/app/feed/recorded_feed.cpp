#include "dojima/app/feed/recorded_feed.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <thread>

#include "dojima/mitch/codec.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::milliseconds k_show_pause{50};
constexpr std::chrono::milliseconds k_idle_pause{1};
constexpr std::uint32_t k_nanoseconds = 1'000'000'000;

}  // namespace

UnitsOfFile::UnitsOfFile(Bytes bytes, link::DatagramReceiver& to) : bytes_(bytes), to_(to) {
  read();
  begin_ = time_;
}

double UnitsOfFile::progress() const noexcept {
  return bytes_.empty() ? 1 : static_cast<double>(at_) / static_cast<double>(bytes_.size());
}

/// The unit at the place in hand, and its time: that of its last message.
void UnitsOfFile::read() {
  unit_.reset();
  if (at_ == bytes_.size()) return;
  const auto unit = mitch::read_unit(bytes_.subspan(at_));
  if (!unit) {
    trouble_ = fmt::format(
        "at byte {} is no unit of MIT303: {}", at_,
        unit.error().code == ErrorCode::incomplete ? "the file ends within it" : "its messages do not fill it");
    return;
  }
  unit_ = *unit;
  constexpr UInt32Field k_seconds_or_nanosecond{2, "Seconds or Nanosecond"};
  std::uint32_t& seconds = seconds_[static_cast<unsigned char>(unit->header().market_data_group)];
  for (const Bytes message : *unit) {
    if (message.size() < 6) continue;
    const std::uint32_t value = load(message, k_seconds_or_nanosecond);
    const bool is_time = static_cast<char>(message[1]) == mitch::Time::k_type;
    if (is_time) seconds = value;
    const std::uint32_t nanosecond = is_time || value >= k_nanoseconds ? 0 : value;
    time_ = std::max(time_, time::from_nanoseconds(std::int64_t{seconds} * k_nanoseconds + nanosecond));
  }
}

std::size_t UnitsOfFile::deliver(time::Time now) {
  std::size_t count = 0;
  for (; unit_ && time_ <= now; ++count) {
    to_.on_datagram(bytes_.subspan(at_, unit_->size()), now);
    at_ += unit_->size();
    read();
  }
  return count;
}

mitch::FeedClientOptions RecordedFeed::alone(mitch::FeedClientOptions options) {
  options.user = "-";
  options.password.clear();
  options.replay.reset();
  options.recovery.reset();
  options.silence = std::chrono::hours{24 * 365};
  return options;
}

RecordedFeed::RecordedFeed(Bytes bytes, const mitch::FeedClientOptions& options, mitch::FeedHandler& handler)
    : options_(alone(options)),
      scheduler_(mitch::FeedClient::timers(options_), time::Time{}),
      client_(options_, scheduler_, nullptr, handler),
      units_(bytes, client_.line(0)) {}

void RecordedFeed::run(const Pace& pace, const std::function<bool()>& goes_on,
                       const std::function<void(const Now&)>& show) {
  time::SystemClock clock;
  sched::EventPacer by_events(units_.begin());
  std::optional<sched::PacedPacer> paced;
  if (pace.speed != 0) paced.emplace(clock, units_.begin(), pace.speed);
  sched::Source* const source = &units_;
  sched::Loop loop(scheduler_, paced ? static_cast<sched::Pacer&>(*paced) : by_events, {&source, 1});
  client_.start(units_.begin());
  std::chrono::steady_clock::time_point next_show{};
  bool was_over = false;
  while (goes_on()) {
    const bool is_moved = paced && pace.desk != nullptr && pace.desk->apply(*paced);
    const bool is_over = units_.is_over();
    if (const auto wall = std::chrono::steady_clock::now(); wall >= next_show || is_moved || is_over != was_over) {
      next_show = wall + k_show_pause;
      show({.time = scheduler_.now(),
            .speed = paced ? paced->speed() : 0,
            .progress = units_.progress(),
            .is_paused = paced && paced->is_paused(),
            .is_over = is_over});
    }
    if (is_over && !pace.stays) break;
    was_over = is_over;
    // Behind its last unit a file has no time.
    if (is_over)
      std::this_thread::sleep_for(k_show_pause);
    else if (loop.turn() == sched::Loop::Turn::idle)
      std::this_thread::sleep_for(k_idle_pause);
  }
  client_.stop();
}

}  // namespace dojima::app
