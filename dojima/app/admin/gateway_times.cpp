#include "dojima/app/admin/gateway_times.hpp"

#include <initializer_list>
#include <utility>

namespace dojima::app {
namespace {

constexpr std::initializer_list<double> k_request_bounds = {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4,
                                                            2e-4, 5e-4, 1e-3, 1e-2, 1e-1, 1};

measure::GaugeHistogram& stage_of(measure::GaugeBoard& board, std::string_view name) {
  return board.histogram("dojima_gateway_stage_seconds",
                         "Parts of a request's way through the gateway, of a part of the requests", k_request_bounds,
                         {{"stage", name}});
}

void note_between(measure::GaugeHistogram& seconds, time::Ticks from, time::Ticks to) noexcept {
  seconds.note(static_cast<double>(time::nanoseconds_between(from, to)) / 1e9);
}

}  // namespace

GatewayTimes::GatewayTimes(measure::GaugeBoard& board, const gateway::GatewayStages& stages, measure::Probe* next)
    : answer_(board.histogram("dojima_gateway_answer_seconds",
                              "From a client's request that came in to its answer, of a part of the requests",
                              k_request_bounds)),
      request_(stage_of(board, "request")),
      venue_(stage_of(board, "venue")),
      report_(stage_of(board, "report")),
      stages_(stages),
      next_(next) {}

/// Requests that share a place push each other out: the older one is not counted then.
void GatewayTimes::mark(std::uint8_t stage, std::uint64_t number) {
  if (next_ != nullptr) next_->mark(stage, number);
  if (number % k_one_in != 0) return;
  Came& came = came_[number / k_one_in % k_requests];
  if (stage == stages_.in) {
    came = {.number = number, .in = time::read_ticks(), .out = {}, .back = {}};
    return;
  }
  if (came.number != number || came.in.count == 0) return;
  if (stage == stages_.out) came.out = time::read_ticks();
  if (stage == stages_.back_in) came.back = time::read_ticks();
  if (stage == stages_.back_out) answered(came);
}

/// What the gateway refuses itself has passed no other stage.
void GatewayTimes::answered(Came& came) {
  const time::Ticks now = time::read_ticks(), came_in = std::exchange(came.in, {});
  note_between(answer_, came_in, now);
  if (came.out.count == 0 || came.back.count == 0) return;
  note_between(request_, came_in, came.out);
  note_between(venue_, came.out, came.back);
  note_between(report_, came.back, now);
}

void GatewayTimes::bind(std::uint64_t number, std::uint64_t client_number) {
  if (next_ != nullptr) next_->bind(number, client_number);
}

}  // namespace dojima::app
