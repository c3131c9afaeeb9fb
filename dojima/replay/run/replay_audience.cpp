#include "dojima/replay/run/replay_audience.hpp"

#include <algorithm>

#include "dojima/replay/replay_record.hpp"

namespace dojima::replay {

void ReplayAudience::ask(sched::PacedPacer& pacer) {
  if (hooks_.watcher != nullptr) {
    if (hooks_.watcher->move(pacer)) has_meddled_ = true;
    if (const auto wanted = hooks_.watcher->wanted_time(); wanted && can_jump(settings_)) goal_ = wanted;
  }
  if (!hooks_.key) return;
  for (int key = hooks_.key(); key >= 0; key = hooks_.key()) {
    has_meddled_ = true;
    if (key == 'q') {
      is_quitting_ = true;
      return;
    }
    sched::move_by_key(pacer, key);
  }
}

void ReplayAudience::notify(ReplayFeed& feed, const sched::PacedPacer* pacer) {
  if (hooks_.watcher == nullptr) return;
  hooks_.watcher->on_turn(feed.now(), feed.books(), feed.file().reader().instruments(), pacer, feed.file().progress(),
                          feed.is_at_end());
}

void ReplayAudience::show(ReplayFeed& feed, const sched::PacedPacer* pacer, double elapsed_s, std::uint64_t skipped) {
  constexpr double k_between = 0.1;
  if (elapsed_s < shown_ + k_between) return;
  shown_ = elapsed_s;
  if (feed.events() == 0) return;
  const std::uint32_t instrument = feed.last_event().instrument;
  const recorded::RecordedInstrument& of = feed.file().reader().instruments()[instrument];
  const recorded::DepthLevel last = feed.books().last_trade(instrument);
  ReplayNow now{.time = feed.now(),
                .events = feed.events() - std::min(skipped, feed.events()),
                .elapsed_s = elapsed_s,
                .progress = feed.file().progress(),
                .symbol = of.symbol,
                .bid = level_text(feed.books().best(instrument, market::Side::buy), of),
                .ask = level_text(feed.books().best(instrument, market::Side::sell), of)};
  if (last.quantity != 0) now.last = scaled_text(last.price, of.price_decimals);
  if (pacer != nullptr) {
    now.is_paused = pacer->is_paused();
    now.speed = pacer->speed();
  }
  hooks_.show(now);
}

}  // namespace dojima::replay
