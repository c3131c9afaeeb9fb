#include "dojima/app/dashboard/replay_watch.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {
namespace {

constexpr std::array<std::string_view, 4> k_replay_counters = {"events", "trades", "live orders", "refused events"};

[[nodiscard]] web::DashboardOptions replay_screens(const std::string& name, PaceDesk& desk) {
  web::DashboardOptions made{.picture = {.name = name}};
  for (const std::string_view each : k_replay_counters) made.picture.counters.emplace_back(each);
  made.on_pace = [&desk](std::string_view words) { return desk.on_words(words); };
  return made;
}

/// The books of a replay, in which nobody has orders of his own.
class LevelsOf final : public BoardBooks {
 public:
  explicit LevelsOf(const recorded::ReplayBooks& books) : books_(books) {}
  std::size_t size() const override { return books_.size(); }
  std::size_t levels(std::uint32_t instrument, market::Side side, std::span<BoardLevel> levels) const override {
    std::array<recorded::DepthLevel, RecordedBoard::k_levels> found;
    const std::size_t count =
        books_.levels(instrument, side, std::span(found).first(std::min(found.size(), levels.size())));
    for (std::size_t at = 0; at < count; ++at) levels[at] = {.price = found[at].price, .quantity = found[at].quantity};
    return count;
  }

 private:
  const recorded::ReplayBooks& books_;
};

}  // namespace

ReplayWatch::ReplayWatch(ReplayWatchOptions options)
    : options_(std::move(options)),
      desk_(options_.can_jump),
      screens_(options_.dashboard, replay_screens(options_.name, desk_), RecordedBoard::k_channel),
      board_(screens_.channel()) {}

void ReplayWatch::on_event(const recorded::RecordedEvent& event, const recorded::ReplayBooks& books,
                           Instruments instruments, bool is_skipped) {
  const bool has_price = event.price != recorded::k_unknown;
  board_.on_event(event, has_price ? event.price : books.last_trade(event.instrument).price, instruments, is_skipped);
}

void ReplayWatch::on_jump(time::Time now) {
  board_.begin_anew(now);
}

bool ReplayWatch::move(sched::PacedPacer& pacer) {
  if (!desk_.apply(pacer)) return false;
  next_look_ = {};
  return true;
}

void ReplayWatch::on_turn(time::Time now, const recorded::ReplayBooks& books, Instruments instruments,
                          const sched::PacedPacer* pacer, const std::optional<double>& progress, bool is_over) {
  if (is_over && !is_over_ && options_.on_over) options_.on_over();
  is_over_ = is_over;
  const auto wall = std::chrono::steady_clock::now();
  if (wall < next_look_) return;
  next_look_ = wall + options_.pause;
  const time::Time at = board_.reach(now);
  board_.look(LevelsOf(books), instruments);
  if (pacer != nullptr) publish_pace(*pacer, progress, is_over);
  const recorded::ReplayCounts counts = books.counts();
  const std::array<std::uint64_t, k_replay_counters.size()> values = {counts.events, counts.trades, books.live_orders(),
                                                                      counts.unknown + counts.refused};
  for (std::size_t counter = 0; counter < values.size(); ++counter)
    channel().offer(web::FactKind::counter, at,
                    web::CounterFact{.value = values[counter], .counter = static_cast<std::uint32_t>(counter)});
}

void ReplayWatch::publish_pace(const sched::PacedPacer& pacer, const std::optional<double>& progress, bool is_over) {
  web::PaceFact fact{.speed = pacer.speed(), .is_paused = pacer.is_paused() ? std::uint8_t{1} : std::uint8_t{0}};
  fact.can_jump = options_.can_jump ? 1 : 0;
  fact.is_over = is_over ? 1 : 0;
  fact.first = time::nanoseconds_of(board_.first());
  fact.last = time::nanoseconds_of(board_.last());
  fact.progress = progress.value_or(-1);
  channel().offer(web::FactKind::pace, board_.reach({}), fact);
}

}  // namespace dojima::app
