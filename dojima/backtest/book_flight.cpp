#include "dojima/backtest/book_flight.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::backtest {

using recorded::BookChange;

namespace {

/// So many changes may be undone before it counts whether that is less work than to keep books.
constexpr std::uint64_t k_trial = 4096;

}  // namespace

BookFlight::BookFlight(recorded::DepthBooks& record, FeedBooks& books, BookFlightOptions options)
    : record_(record), books_(books), is_shared_(options.may_share), may_overtake_(options.may_overtake) {
  DOJIMA_ASSERT(record.size() == 0 && books.size() == 0, "books of a run begin empty", record.size(), books.size());
  record.note_changes(may_overtake_ ? &latest_ : &steps_);
}

void BookFlight::publish(std::uint32_t instrument, Time at) {
  DOJIMA_ASSERT(!is_undone_, "the exchange's books are its own while events reach it", instrument,
                at.time_since_epoch().count());
  Fifo<BookChange>& latest = may_overtake_ ? latest_ : steps_;
  if (latest.end() == published_) latest.add() = {.instrument = instrument};
  if (may_overtake_) [[unlikely]]
    return publish_in_order(at);
  for (; published_ != steps_.end(); ++published_) steps_[published_].at = at;
}

void BookFlight::publish_in_order(Time at) {
  for (; published_ != latest_.end(); ++published_, latest_.pop()) {
    BookChange& step = steps_.add() = latest_.front();
    step.at = at;
    steps_.sort_in_last([](const BookChange& one) { return one.at; });
  }
}

std::size_t BookFlight::land_before(Time bound) {
  restore();
  const std::size_t begin = steps_.begin();
  for (; !steps_.is_empty() && steps_.front().at < bound; steps_.pop()) {
    const BookChange& step = steps_.front();
    if (!is_shared_ || step.kind == BookChange::Kind::trade) arrive(step);
  }
  const std::size_t count = steps_.begin() - begin;
  landed_ += count;
  return count;
}

void BookFlight::arrive(const BookChange& step) {
  if (step.instrument >= books_.size()) [[unlikely]]
    books_.add_books(record_);
  books_.apply(step);
}

const recorded::Depth* BookFlight::of(std::uint32_t instrument) {
  if (is_shared_ && !is_undone_ && !steps_.is_empty()) undo();
  if (!is_shared_) return instrument < books_.size() ? &books_.of(instrument) : nullptr;
  return instrument < record_.size() ? &record_.of(instrument) : nullptr;
}

void BookFlight::undo() {
  steps_.each_backwards([this](const BookChange& step) { set(step, step.before); });
  is_undone_ = true;
  undone_ += steps_.size();
  if (undone_ > landed_ + k_trial) keep_books();
}

void BookFlight::do_again() {
  steps_.each([this](const BookChange& step) { set(step, step.after); });
  is_undone_ = false;
}

/// The strategy's own from here on.
void BookFlight::keep_books() {
  books_.add_books(record_);
  for (std::uint32_t instrument = 0; instrument < record_.size(); ++instrument) {
    for (const Side side : {Side::buy, Side::sell}) {
      record_.of(instrument).on(side).each([&](const recorded::DepthLevel& level) {
        books_.set_level(instrument, side, level);
        return true;
      });
    }
  }
  do_again();
  is_shared_ = false;
}

}  // namespace dojima::backtest
