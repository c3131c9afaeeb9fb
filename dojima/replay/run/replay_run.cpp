#include "dojima/replay/run/replay_run.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "dojima/replay/replay_record.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::replay {
namespace {

constexpr std::chrono::nanoseconds k_longest = std::chrono::milliseconds{20};  // without a look

/// Sleeps until shortly before the next event is due, then yields until it is: sleeping alone comes late.
void wait_for(time::Time next, sched::PacedPacer& pacer) {
  constexpr std::chrono::nanoseconds k_margin = std::chrono::microseconds{150};
  const double apart = static_cast<double>((next - pacer.advance(time::k_never)).count()) / pacer.speed();
  const bool is_far = pacer.is_paused() || apart > static_cast<double>(k_longest.count());
  const std::chrono::nanoseconds left = is_far ? k_longest : std::chrono::nanoseconds{static_cast<std::int64_t>(apart)};
  if (left > 2 * k_margin) {
    std::this_thread::sleep_for(left - k_margin);
  } else {
    std::this_thread::yield();
  }
}

}  // namespace

std::expected<void, std::string> ReplayRun::run(ReplayResult& result) {
  if (settings_.from) feed_->skip_to(*settings_.from);
  begin_ = clock_.now();
  skipped_ = feed_->events();
  if (settings_.pace == Pace::flat_out && settings_.out.empty()) {
    while (!audience_.wants_end() && feed_->take_batch()) notify(nullptr);
  } else if (!feed_->is_at_end()) {
    do {
      if (auto done = run_loop(result); !done) return done;
    } while (audience_.wants_jump() && !audience_.wants_end());
  }
  result.elapsed_s = elapsed_s();
  result.was_interrupted = audience_.wants_end() && !feed_->is_at_end();
  return {};
}

/// Until the file is over, somebody stops it, or time is to be another.
std::expected<void, std::string> ReplayRun::run_loop(ReplayResult& result) {
  std::optional<time::Time> goal;
  if (audience_.wants_jump()) {
    goal = audience_.take_goal();
    if (auto gone = go_to(*goal); !gone) return gone;
  }
  ReplayFeed& feed = *feed_;
  // What comes next is not due yet where time was sent to: a replay that is paused stays there.
  const time::Time start = goal ? *goal : feed.front_time();
  sched::Scheduler scheduler(16, start);
  sched::EventPacer leaps(start);
  std::optional<sched::PacedPacer> paced;
  if (settings_.pace == Pace::paced) {
    paced.emplace(clock_, start, speed_);
    if (is_paused_) paced->pause();
    result.lateness = std::make_unique<measure::Histogram>();
  }
  std::optional<ReplayRecord> record;
  try {
    if (!settings_.out.empty())
      record.emplace(scheduler, feed.books(), feed.file().reader().instruments(),
                     ReplayRecordSettings{settings_.out, settings_.bar, settings_.depth});
  } catch (const std::invalid_argument& trouble) {
    return std::unexpected(std::string(trouble.what()));
  }
  if (record) record->begin(start);
  feed.attend(paced ? &*paced : nullptr, result.lateness.get(), record ? &*record : nullptr);
  sched::Source* const sources[] = {&feed};
  sched::Pacer& pacer = paced ? static_cast<sched::Pacer&>(*paced) : leaps;
  sched::Loop loop(scheduler, pacer, sources);
  const time::Time clock_start = clock_.now();
  const time::Time played_at = play(loop, paced ? &*paced : nullptr, clock_start);
  if (paced) {
    speed_ = paced->speed();
    is_paused_ = paced->is_paused();
  }
  if (paced && !audience_.has_meddled()) {
    const double lasted = static_cast<double>((played_at - clock_start).count()) * settings_.speed;
    const double recorded = static_cast<double>((feed.now() - start).count());
    result.speed_error = recorded == 0 ? 0 : lasted / recorded - 1;
  }
  feed.attend(nullptr, nullptr, nullptr);
  if (record && !record->finish()) return std::unexpected(settings_.out + ": not all could be written");
  return {};
}

/// Turns of the loop. When the last event was delivered, by the clock, which is where the file's time has got to;
/// `now`: none was.
time::Time ReplayRun::play(sched::Loop& loop, sched::PacedPacer* paced, time::Time now) {
  time::Time played_at = now;
  std::uint64_t played = feed_->events();
  audience_.notify(*feed_, paced);  // before the first event: it sees all of them
  while (!audience_.wants_end() && !audience_.wants_jump()) {
    const sched::Loop::Turn turn = loop.turn();
    if (feed_->events() != played) {
      played = feed_->events();
      played_at = clock_.now();
    }
    const bool is_over = turn == sched::Loop::Turn::done || turn == sched::Loop::Turn::stopped;
    if (is_over && (paced == nullptr || audience_.watcher() == nullptr)) break;
    if (paced != nullptr) audience_.ask(*paced);
    if (is_over) std::this_thread::sleep_for(k_longest);
    if (paced != nullptr && turn == sched::Loop::Turn::idle) wait_for(loop.next_time(), *paced);
    notify(paced);
  }
  return played_at;
}

/// Backwards through a fresh reader: the books of a time are what came before it.
std::expected<void, std::string> ReplayRun::go_to(time::Time goal) {
  if (goal <= feed_->now()) {
    auto again = open_feed(settings_, ticks_, audience_.watcher());
    if (!again) return std::unexpected(std::move(again.error()));
    feed_ = *std::move(again);
    audience_.watcher()->on_jump(goal);
  }
  feed_->skip_to(goal);
  return {};
}

void ReplayRun::notify(const sched::PacedPacer* pacer) {
  if (audience_.is_shown()) audience_.show(*feed_, pacer, elapsed_s(), skipped_);
  audience_.notify(*feed_, pacer);
}

}  // namespace dojima::replay
