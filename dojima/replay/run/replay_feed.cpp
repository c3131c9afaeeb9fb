#include "dojima/replay/run/replay_feed.hpp"

#include <algorithm>
#include <utility>

namespace dojima::replay {

using recorded::RecordedEvent;
using time::Time;

ReplayFeed::ReplayFeed(const ReplaySettings& settings, recorded::RecordedFile file, std::vector<std::int64_t> ticks,
                       ReplayWatcher* watcher)
    : settings_(settings),
      watcher_(watcher),
      file_(std::move(file)),
      books_(recorded::make_replay_books(settings.books, std::move(ticks))) {
  if (settings.is_checking && settings.books.keeper != recorded::Keeper::depth)
    beside_ = recorded::make_replay_books({.keeper = recorded::Keeper::depth});
}

void ReplayFeed::skip_to(Time time) {
  is_skipping_ = true;
  while (has_event() && front_time() < time) take(1);
  is_skipping_ = false;
}

bool ReplayFeed::take_batch() {
  if (!has_event()) return false;
  take(rest_.size());
  return true;
}

void ReplayFeed::attend(sched::PacedPacer* pacer, measure::Histogram* lateness, ReplayRecord* record) {
  pacer_ = pacer;
  lateness_ = lateness;
  record_ = record;
}

std::size_t ReplayFeed::deliver(Time now) {
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

bool ReplayFeed::has_event() {
  while (rest_.empty() && !is_over_) {
    rest_ = file_.reader().next_batch();
    is_over_ = rest_.empty();
    if (!settings_.symbols.empty()) choose();
    if (settings_.until) cut();
  }
  return !rest_.empty();
}

/// Only the instruments that are wanted.
void ReplayFeed::choose() {
  chosen_.clear();
  const auto& instruments = file_.reader().instruments();
  for (const RecordedEvent& event : rest_)
    if (std::ranges::find(settings_.symbols, instruments[event.instrument].symbol) != settings_.symbols.end())
      chosen_.push_back(event);
  rest_ = chosen_;
}

void ReplayFeed::cut() {
  const auto end = std::ranges::find_if(
      rest_, [this](const RecordedEvent& event) { return event.replay_time() >= *settings_.until; });
  if (end == rest_.end()) return;
  rest_ = rest_.first(static_cast<std::size_t>(end - rest_.begin()));
  is_over_ = true;
}

void ReplayFeed::take(std::size_t count) {
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

std::expected<std::unique_ptr<ReplayFeed>, std::string> open_feed(const ReplaySettings& settings,
                                                                  const std::vector<std::int64_t>& ticks,
                                                                  ReplayWatcher* watcher) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  return std::make_unique<ReplayFeed>(settings, *std::move(file), ticks, watcher);
}

}  // namespace dojima::replay
