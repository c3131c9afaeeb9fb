#include "dojima/replay/replay.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "dojima/replay/replay_record.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::replay {
namespace {

using market::Side;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::RecordedEvent;
using time::Time;

/// The smallest step of each instrument's prices, where the reader does not tell one: a book of orders numbers prices
/// by ticks. Reads the whole file.
std::expected<std::vector<std::int64_t>, std::string> find_ticks(const ReplaySettings& settings) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  std::vector<std::int64_t> ticks;
  bool is_needed = true;
  for (auto events = file->reader().next_batch(); !events.empty() && is_needed; events = file->reader().next_batch()) {
    const auto& instruments = file->reader().instruments();
    ticks.resize(instruments.size(), 0);
    is_needed = std::ranges::any_of(instruments, [](const auto& instrument) { return instrument.tick == 0; });
    for (const RecordedEvent& event : events) {
      const bool has_price =
          event.kind == EventKind::add || event.kind == EventKind::amend || event.kind == EventKind::replace;
      if (has_price && event.price != recorded::k_unknown)
        ticks[event.instrument] = std::gcd(ticks[event.instrument], event.price);
    }
  }
  return ticks;
}

/// The events of the file as input of a loop, or all at once.
class Feed final : public sched::Source {
 public:
  Feed(const ReplaySettings& settings, recorded::RecordedFile file, std::vector<std::int64_t> ticks,
       ReplayWatcher* watcher)
      : settings_(settings),
        watcher_(watcher),
        file_(std::move(file)),
        books_(recorded::make_replay_books(settings.books, std::move(ticks))) {
    if (settings.is_checking && settings.books.keeper != recorded::Keeper::depth)
      beside_ = recorded::make_replay_books({.keeper = recorded::Keeper::depth});
  }

  [[nodiscard]] recorded::ReplayBooks& books() noexcept { return *books_; }
  [[nodiscard]] recorded::RecordedFile& file() noexcept { return file_; }
  [[nodiscard]] bool is_at_end() { return !has_event(); }
  [[nodiscard]] Time front_time() { return time_of(rest_.front()); }
  [[nodiscard]] Time now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] Time first() const noexcept { return first_; }
  [[nodiscard]] const RecordedEvent& last_event() const noexcept { return last_event_; }
  [[nodiscard]] const recorded::WindowCheck& window() const noexcept { return window_; }
  [[nodiscard]] const recorded::ReplayBooks* beside() const noexcept { return beside_.get(); }

  /// What comes before `time`, at once.
  void skip_to(Time time) {
    is_skipping_ = true;
    while (has_event() && front_time() < time) take(1);
    is_skipping_ = false;
  }
  /// The next batch, at once. False: there is none.
  bool take_batch() {
    if (!has_event()) return false;
    take(rest_.size());
    return true;
  }

  /// From here on what is delivered is late against this pacer, and is recorded.
  void attend(sched::PacedPacer* pacer, measure::Histogram* lateness, ReplayRecord* record) {
    pacer_ = pacer;
    lateness_ = lateness;
    record_ = record;
  }

  Time next_time() override { return has_event() ? front_time() : time::k_never; }

  std::size_t deliver(Time now) override {
    const std::uint64_t before = events_;
    if (has_event() && pacer_ != nullptr) {
      const time::Duration late = pacer_->advance(time::k_never) - front_time();
      const double wall = static_cast<double>(late.count()) / pacer_->speed();
      lateness_->record(static_cast<std::uint64_t>(std::max(wall, 0.0)));
    }
    while (has_event() && front_time() <= now) {
      std::size_t due = 1;
      while (record_ == nullptr && due < rest_.size() && time_of(rest_[due]) <= now) ++due;
      take(due);
    }
    if (record_ != nullptr && !has_event()) record_->end();
    return events_ - before;
  }

 private:
  /// Times of a file may step back; time does not.
  [[nodiscard]] Time time_of(const RecordedEvent& event) const noexcept {
    const Time at = event.replay_time();
    return at == recorded::k_unknown_time || at < now_ ? now_ : at;
  }

  [[nodiscard]] bool has_event() {
    while (rest_.empty() && !is_over_) {
      rest_ = file_.reader().next_batch();
      is_over_ = rest_.empty();
      if (!settings_.symbols.empty()) choose();
      if (settings_.until) cut();
    }
    return !rest_.empty();
  }

  /// Only the instruments that are wanted.
  void choose() {
    chosen_.clear();
    const auto& instruments = file_.reader().instruments();
    for (const RecordedEvent& event : rest_)
      if (std::ranges::find(settings_.symbols, instruments[event.instrument].symbol) != settings_.symbols.end())
        chosen_.push_back(event);
    rest_ = chosen_;
  }

  void cut() {
    const auto end = std::ranges::find_if(
        rest_, [this](const RecordedEvent& event) { return event.replay_time() >= *settings_.until; });
    if (end == rest_.end()) return;
    rest_ = rest_.first(static_cast<std::size_t>(end - rest_.begin()));
    is_over_ = true;
  }

  void take(std::size_t count) {
    const auto events = rest_.first(count);
    const auto& instruments = file_.reader().instruments();
    if (first_ == recorded::k_unknown_time) first_ = events.front().replay_time();
    now_ = time_of(events.back());
    last_event_ = events.back();
    if (watcher_ == nullptr) {
      books_->apply(events, instruments);
    } else {
      for (const RecordedEvent& event : events) {
        books_->apply(std::span(&event, 1), instruments);
        watcher_->on_event(event, *books_, instruments, is_skipping_);
      }
    }
    if (beside_) beside_->apply(events, instruments);
    if (settings_.is_checking)
      for (const RecordedEvent& event : events) window_.take(event, instruments[event.instrument].tick);
    if (record_ != nullptr)
      for (const RecordedEvent& event : events) record_->note(event);
    events_ += count;
    rest_ = rest_.subspan(count);
  }

  const ReplaySettings& settings_;
  ReplayWatcher* watcher_;  // null: nobody watches
  recorded::RecordedFile file_;
  std::unique_ptr<recorded::ReplayBooks> books_, beside_;
  recorded::WindowCheck window_;
  std::span<const RecordedEvent> rest_;
  std::vector<RecordedEvent> chosen_;
  Time now_{}, first_ = recorded::k_unknown_time;
  RecordedEvent last_event_;
  std::uint64_t events_ = 0;
  bool is_over_ = false;
  bool is_skipping_ = false;
  sched::PacedPacer* pacer_ = nullptr;
  measure::Histogram* lateness_ = nullptr;
  ReplayRecord* record_ = nullptr;
};

std::expected<std::unique_ptr<Feed>, std::string> open_feed(const ReplaySettings& settings,
                                                            const std::vector<std::int64_t>& ticks,
                                                            ReplayWatcher* watcher) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  return std::make_unique<Feed>(settings, *std::move(file), ticks, watcher);
}

std::string level_text(const std::optional<DepthLevel>& level, const recorded::RecordedInstrument& of) {
  return level ? scaled_text(level->price, of.price_decimals) : std::string();
}

class Replay {
 public:
  Replay(const ReplaySettings& settings, const ReplayHooks& hooks, time::Clock& clock,
         const std::vector<std::int64_t>& ticks, std::unique_ptr<Feed> feed)
      : settings_(settings),
        hooks_(hooks),
        clock_(clock),
        ticks_(ticks),
        feed_(std::move(feed)),
        begin_(clock.now()),
        speed_(settings.speed) {}

  [[nodiscard]] Feed& feed() noexcept { return *feed_; }

  std::expected<void, std::string> run(ReplayResult& result) {
    if (settings_.from) feed_->skip_to(*settings_.from);
    begin_ = clock_.now();
    skipped_ = feed_->events();
    if (settings_.pace == Pace::flat_out && settings_.out.empty()) {
      while (!is_stopped() && feed_->take_batch()) {
        show_sometimes(nullptr);
        tell_watcher(nullptr);
      }
    } else if (!feed_->is_at_end()) {
      do {
        if (auto done = run_loop(result); !done) return done;
      } while (goal_ && !is_stopped());
    }
    result.elapsed_s = elapsed_s();
    result.was_interrupted = is_stopped() && !feed_->is_at_end();
    return {};
  }

 private:
  [[nodiscard]] double elapsed_s() { return static_cast<double>((clock_.now() - begin_).count()) / 1e9; }
  [[nodiscard]] bool is_stopped() const { return is_quitting_ || (hooks_.is_interrupted && hooks_.is_interrupted()); }

  /// Until the file is over, somebody stops it, or time is to be another: goal_.
  std::expected<void, std::string> run_loop(ReplayResult& result) {
    const std::optional<Time> goal = goal_;
    if (goal_)
      if (auto gone = go_to_goal(); !gone) return gone;
    Feed& feed = *feed_;
    // What comes next is not due yet where time was sent to: a replay that is paused stays there.
    const Time start = goal ? *goal : feed.front_time();
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
    const Time clock_start = clock_.now();
    Time played_at = clock_start;  // when the last event was delivered, which is where the file's time has got to
    std::uint64_t played = feed.events();
    tell_watcher(paced ? &*paced : nullptr);  // before the first event: it sees all of them
    while (!is_stopped() && !goal_) {
      const sched::Loop::Turn turn = loop.turn();
      if (feed.events() != played) {
        played = feed.events();
        played_at = clock_.now();
      }
      const bool is_over = turn == sched::Loop::Turn::done || turn == sched::Loop::Turn::stopped;
      if (is_over && (!paced || hooks_.watcher == nullptr)) break;
      if (paced) attend_to_person(*paced);
      if (is_over) std::this_thread::sleep_for(k_longest);
      if (paced && turn == sched::Loop::Turn::idle) wait(*paced, loop.next_time());
      show_sometimes(paced ? &*paced : nullptr);
      tell_watcher(paced ? &*paced : nullptr);
    }
    if (paced) {
      speed_ = paced->speed();
      is_paused_ = paced->is_paused();
    }
    if (paced && !was_touched_) {
      const double lasted = static_cast<double>((played_at - clock_start).count()) * settings_.speed;
      const double recorded = static_cast<double>((feed.now() - start).count());
      result.speed_error = recorded == 0 ? 0 : lasted / recorded - 1;
    }
    feed.attend(nullptr, nullptr, nullptr);
    if (record && !record->finish()) return std::unexpected(settings_.out + ": not all could be written");
    return {};
  }

  /// Backwards through a fresh reader: the books of a time are what came before it.
  std::expected<void, std::string> go_to_goal() {
    const Time goal = *std::exchange(goal_, std::nullopt);
    was_touched_ = true;
    if (goal <= feed_->now()) {
      auto again = open_feed(settings_, ticks_, hooks_.watcher);
      if (!again) return std::unexpected(std::move(again.error()));
      feed_ = *std::move(again);
      hooks_.watcher->on_jump(goal);
    }
    feed_->skip_to(goal);
    return {};
  }

  void tell_watcher(const sched::PacedPacer* pacer) {
    if (hooks_.watcher == nullptr) return;
    hooks_.watcher->on_turn(feed_->now(), feed_->books(), feed_->file().reader().instruments(), pacer,
                            feed_->file().progress(), feed_->is_at_end());
  }

  /// Sleeps until shortly before the next event is due, then yields until it is: sleeping alone comes late.
  void wait(sched::PacedPacer& pacer, Time next) {
    constexpr std::chrono::nanoseconds k_margin = std::chrono::microseconds{150};
    const double apart = static_cast<double>((next - pacer.advance(time::k_never)).count()) / pacer.speed();
    const bool is_far = pacer.is_paused() || apart > static_cast<double>(k_longest.count());
    const std::chrono::nanoseconds left =
        is_far ? k_longest : std::chrono::nanoseconds{static_cast<std::int64_t>(apart)};
    if (left > 2 * k_margin) {
      std::this_thread::sleep_for(left - k_margin);
    } else {
      std::this_thread::yield();
    }
  }

  void attend_to_person(sched::PacedPacer& pacer) {
    if (hooks_.watcher != nullptr) {
      if (hooks_.watcher->move(pacer)) was_touched_ = true;
      if (const auto wanted = hooks_.watcher->wanted_time(); wanted && can_jump(settings_)) goal_ = wanted;
    }
    if (!hooks_.key) return;
    for (int key = hooks_.key(); key >= 0; key = hooks_.key()) {
      was_touched_ = true;
      if (key == 'q') {
        is_quitting_ = true;
        return;
      }
      if (key == ' ') pacer.is_paused() ? pacer.resume() : pacer.pause();
      if (key == 's' && pacer.is_paused()) pacer.step();
      if (key == '+') static_cast<void>(pacer.set_speed(std::min(2 * pacer.speed(), sched::PacedPacer::k_fastest)));
      if (key == '-') static_cast<void>(pacer.set_speed(std::max(pacer.speed() / 2, sched::PacedPacer::k_slowest)));
    }
  }

  void show_sometimes(const sched::PacedPacer* pacer) {
    if (!hooks_.show) return;
    constexpr double k_between = 0.1;
    const double elapsed = elapsed_s();
    if (elapsed < shown_ + k_between) return;
    shown_ = elapsed;
    if (feed_->events() == 0) return;
    const std::uint32_t instrument = feed_->last_event().instrument;
    const recorded::RecordedInstrument& of = feed_->file().reader().instruments()[instrument];
    const DepthLevel last = feed_->books().last_trade(instrument);
    ReplayNow now{.time = feed_->now(),
                  .events = feed_->events() - std::min(skipped_, feed_->events()),
                  .elapsed_s = elapsed,
                  .progress = feed_->file().progress(),
                  .symbol = of.symbol,
                  .bid = level_text(feed_->books().best(instrument, Side::buy), of),
                  .ask = level_text(feed_->books().best(instrument, Side::sell), of)};
    if (last.quantity != 0) now.last = scaled_text(last.price, of.price_decimals);
    if (pacer != nullptr) {
      now.is_paused = pacer->is_paused();
      now.speed = pacer->speed();
    }
    hooks_.show(now);
  }

  const ReplaySettings& settings_;
  const ReplayHooks& hooks_;
  time::Clock& clock_;
  static constexpr std::chrono::nanoseconds k_longest = std::chrono::milliseconds{20};  // without a look

  const std::vector<std::int64_t>& ticks_;
  std::unique_ptr<Feed> feed_;
  Time begin_;
  double speed_;
  bool is_paused_ = false;
  std::optional<Time> goal_;  // where time is to go
  std::uint64_t skipped_ = 0;
  double shown_ = 0;
  bool is_quitting_ = false;
  bool was_touched_ = false;  // somebody paused it, or changed its speed
};

evidence::Table table_of_books(Feed& feed) {
  constexpr std::uint32_t k_most = 20;
  evidence::Table table{.name = "books",
                        .title = "the books at the end",
                        .columns = {{"symbol"}, {"bid"}, {"bid_quantity"}, {"ask"}, {"ask_quantity"}, {"last_trade"}}};
  const auto& instruments = feed.file().reader().instruments();
  std::size_t left_out = 0;
  for (std::uint32_t at = 0; at < feed.books().size(); ++at) {
    const recorded::RecordedInstrument& of = instruments[at];
    const auto bid = feed.books().best(at, Side::buy), ask = feed.books().best(at, Side::sell);
    const DepthLevel last = feed.books().last_trade(at);
    if (!bid && !ask && last.quantity == 0) continue;
    if (table.rows.size() == k_most) {
      ++left_out;
      continue;
    }
    const auto quantity = [&](const std::optional<DepthLevel>& level) {
      return level ? scaled_text(level->quantity, of.quantity_decimals) : std::string();
    };
    table.add_row({of.symbol, level_text(bid, of), quantity(bid), level_text(ask, of), quantity(ask),
                   last.quantity == 0 ? std::string() : scaled_text(last.price, of.price_decimals)});
  }
  if (left_out != 0) table.notes.push_back(fmt::format("and {} more", left_out));
  return table;
}

}  // namespace

bool can_jump(const ReplaySettings& settings) noexcept {
  return settings.file != "-" && settings.out.empty();
}

std::expected<ReplayResult, std::string> replay(const ReplaySettings& settings, const ReplayHooks& hooks,
                                                time::Clock& clock) {
  std::vector<std::int64_t> ticks;
  if (settings.books.keeper != recorded::Keeper::depth && settings.file != "-") {
    auto found = find_ticks(settings);
    if (!found) return std::unexpected(found.error());
    ticks = *std::move(found);
  }
  auto opened = open_feed(settings, ticks, hooks.watcher);
  if (!opened) return std::unexpected(std::move(opened.error()));
  ReplayResult result;
  result.format = (*opened)->file().reader().format();
  result.names = (*opened)->file().names();
  Replay run(settings, hooks, clock, ticks, *std::move(opened));
  if (auto done = run.run(result); !done) return std::unexpected(done.error());
  Feed& feed = run.feed();

  result.events = feed.events();
  result.first = feed.first();
  result.last = feed.now();
  result.counts = feed.books().counts();
  const std::span instruments(feed.file().reader().instruments());
  result.instruments = recorded::count_of(instruments.first(std::min(instruments.size(), feed.books().size())));
  result.live_orders = feed.books().live_orders();
  result.digest = feed.books().digest();
  result.books = table_of_books(feed);
  result.trouble = feed.file().trouble();
  if (settings.is_checking && feed.window().counts().rows != 0) result.window = feed.window().counts();
  if (feed.beside() != nullptr && settings.books.keeper == recorded::Keeper::mirror)
    result.keepers_agree = feed.beside()->digest() == result.digest;
  return result;
}

}  // namespace dojima::replay
