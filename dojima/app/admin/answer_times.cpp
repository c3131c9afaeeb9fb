#include "dojima/app/admin/answer_times.hpp"

#include <utility>

namespace dojima::app {
namespace {

[[nodiscard]] simulate::ExchangeProbe or_own(simulate::ExchangeProbe next) noexcept {
  if (next.probe == nullptr) next.one_in = AnswerTimes::k_one_in;
  return next;
}

}  // namespace

AnswerTimes::AnswerTimes(measure::GaugeBoard& board, const simulate::ExchangeProbe& next)
    : seconds_(board.histogram("dojima_venue_answer_seconds",
                               "From a request that came in to its answer that left, of a part of the requests",
                               {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1, 1})),
      next_(or_own(next)) {}

simulate::ExchangeProbe AnswerTimes::probe() noexcept {
  simulate::ExchangeProbe own = next_;
  own.probe = this;
  return own;
}

/// Requests that share a place push each other out: the older one is not counted then.
void AnswerTimes::mark(std::uint8_t stage, std::uint64_t number) {
  Came& came = came_[number / next_.one_in % k_requests];
  if (stage == next_.in) {
    came = {.number = number, .at = time::read_ticks()};
  } else if (stage == next_.out && came.number == number && came.at.count != 0) {
    const std::uint64_t began = std::exchange(came.at, {}).count;
    seconds_.note(static_cast<double>(time::read_ticks().count - began) / 1e9);
  }
  if (next_.probe != nullptr) next_.probe->mark(stage, number);
}

void AnswerTimes::bind(std::uint64_t number, std::uint64_t client_number) {
  if (next_.probe != nullptr) next_.probe->bind(number, client_number);
}

}  // namespace dojima::app
