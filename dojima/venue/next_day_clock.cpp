#include "dojima/venue/next_day_clock.hpp"

#include <chrono>

namespace dojima::venue {
namespace {

constexpr Duration k_a_day = std::chrono::hours{24};
/// How soon is asked again of a venue whose trading day goes on.
constexpr Duration k_again = std::chrono::seconds{1};

}  // namespace

void NextDayClock::start(Time now, Time midnight, Duration at, Time began) {
  const Time today = midnight + at;
  const Time previous = today <= now ? today : today - k_a_day;
  next_ = began != Time{} && began < previous ? previous : previous + k_a_day;
  timer_.arm(next_);
}

void NextDayClock::on_due(Time due) {
  if (!front_.end_day(due)) return timer_.arm(due + k_again);
  while (next_ <= due) next_ += k_a_day;
  timer_.arm(next_);
}

}  // namespace dojima::venue
