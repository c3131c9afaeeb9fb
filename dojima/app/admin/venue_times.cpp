#include "dojima/app/admin/venue_times.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace dojima::app {
namespace {

constexpr std::string_view k_stage_name = "dojima_venue_stage_seconds",
                           k_stage_help = "Parts of a request's way through the venue, of a part of the requests";
constexpr std::initializer_list<double> k_stage_bounds = {1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5,
                                                          2e-5, 5e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

simulate::ExchangeProbe or_own(simulate::ExchangeProbe next) noexcept {
  if (next.probe == nullptr) next.one_in = VenueTimes::k_one_in;
  return next;
}

void note_stage(measure::GaugeHistogram& seconds, time::Ticks from, time::Ticks to) noexcept {
  seconds.note(static_cast<double>(time::nanoseconds_between(from, to)) / 1e9);
}

}  // namespace

/// Of one partition: whoever submits its commands writes, and there is one at a time.
class VenueTimes::OfPartition final : public measure::Probe {
 public:
  static constexpr std::uint8_t k_begun = 0, k_journaled = 1, k_applied = 2;

  OfPartition(measure::GaugeBoard& board, std::uint8_t number)
      : journal_(histogram(board, "journal", number)), match_(histogram(board, "match", number)) {}

  void mark(std::uint8_t stage, std::uint64_t) override {
    const time::Ticks now = time::read_ticks();
    if (stage == k_journaled) note_stage(journal_, last_, now);
    if (stage == k_applied) note_stage(match_, last_, now);
    last_ = now;
  }
  void bind(std::uint64_t, std::uint64_t) override {}

 private:
  static measure::GaugeHistogram& histogram(measure::GaugeBoard& board, std::string_view stage, std::uint8_t number) {
    return board.histogram(k_stage_name, k_stage_help, k_stage_bounds,
                           {{"stage", stage}, {"partition", std::to_string(number)}});
  }

  measure::GaugeHistogram &journal_, &match_;
  time::Ticks last_{};
};

measure::GaugeHistogram& VenueTimes::stage(measure::GaugeBoard& board, std::string_view name) {
  return board.histogram(k_stage_name, k_stage_help, k_stage_bounds, {{"stage", name}});
}

VenueTimes::VenueTimes(measure::GaugeBoard& board, const simulate::ExchangeProbe& next,
                       std::span<const std::uint8_t> partitions)
    : answer_(board.histogram("dojima_venue_answer_seconds",
                              "From a request that came in to its answer that left, of a part of the requests",
                              {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1, 1})),
      read_(stage(board, "read")),
      report_(stage(board, "report")),
      encode_(stage(board, "encode")),
      next_(or_own(next)),
      sent_(stage(board, "send")) {
  for (const std::uint8_t number : partitions) partitions_.push_back(std::make_unique<OfPartition>(board, number));
}

VenueTimes::~VenueTimes() = default;

simulate::ExchangeProbe VenueTimes::probe() noexcept {
  simulate::ExchangeProbe own = next_;
  own.probe = this;
  own.taken = k_taken;
  return own;
}

void VenueTimes::attach(simulate::Exchange& exchange) noexcept {
  const auto& partitions = exchange.partitions();
  for (std::size_t at = 0; at < partitions.size() && at < partitions_.size(); ++at)
    partitions[at]->mark({.probe = partitions_[at].get(),
                          .begun = OfPartition::k_begun,
                          .journaled = OfPartition::k_journaled,
                          .applied = OfPartition::k_applied,
                          .one_in = k_one_in});
}

/// Requests that share a place push each other out: the older one is not counted then.
void VenueTimes::mark(std::uint8_t stage, std::uint64_t number) {
  Came& came = came_[number / next_.one_in % k_requests];
  if (stage == next_.in) {
    mark_in(came, number);
  } else if (came.number == number && came.at.count != 0) {
    if (stage == k_taken) came.taken = time::read_ticks();
    if (stage == next_.out) mark_out(came);
  }
  if (next_.probe != nullptr && stage != k_taken) next_.probe->mark(stage, number);
}

void VenueTimes::mark_in(Came& came, std::uint64_t number) {
  came = {.number = number, .at = time::read_ticks(), .taken = {}};
  if (reading_.began.count != 0) note_stage(read_, reading_.began, came.at);
}

/// An answer of the front itself was not taken from a report log.
void VenueTimes::mark_out(Came& came) {
  const time::Ticks now = time::read_ticks();
  const time::Ticks began = std::exchange(came.at, {});
  note_stage(answer_, began, now);
  if (came.taken.count != 0) {
    note_stage(report_, began, came.taken);
    note_stage(encode_, came.taken, now);
  }
  if (sent_.answers < sent_.written.size()) sent_.written[sent_.answers++] = now;
}

void VenueTimes::bind(std::uint64_t number, std::uint64_t client_number) {
  if (next_.probe != nullptr) next_.probe->bind(number, client_number);
}

std::size_t VenueTimes::Reading::deliver(time::Time) {
  began = time::read_ticks();
  return 0;
}

std::size_t VenueTimes::Sent::finish(time::Time) {
  if (answers == 0) return 0;
  const time::Ticks now = time::read_ticks();
  for (std::size_t at = 0; at < answers; ++at) note_stage(seconds, written[at], now);
  answers = 0;
  return 0;
}

}  // namespace dojima::app
