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

void BookFlight::publish_in_order(Time at) {
  for (; published_ != latest_.end(); ++published_, latest_.pop()) {
    BookChange& step = steps_.add() = latest_.front();
    step.at = at;
    steps_.sort_in_last([](const BookChange& one) { return one.at; });
  }
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
