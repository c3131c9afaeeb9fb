#pragma once

// The recorded books as a strategy knows them, which is some time after the exchange: what each event changed travels,
// not the event, so nobody looks up its order again.
//
// A strategy that looks now and then, each 100 ms for instance, needs no books of its own. It is shown those of the
// exchange with the changes undone that have not arrived, and they are done again before the exchange goes on. Where
// that would be more work than to keep books, because much is on its way and it looks often, books are kept.
//
//   BookFlight flight(record, books, {.may_share = true});
//   record.apply(event, instruments);  flight.publish(event.instrument, arrival);   // the exchange
//   flight.land_until(now);  flight.of(0)->bids.best();                             // the strategy
//   flight.restore();                                                               // the exchange again
//
// O(1) a change; a look O(changes on their way), less where books are kept. One thread; allocates while it grows.

#include <cstddef>
#include <cstdint>

#include "dojima/backtest/exchange.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/base/fifo.hpp"
#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/time/time.hpp"

namespace dojima::backtest {

struct BookFlightOptions {
  bool may_share = false;     ///< nobody asks which books have changed
  bool may_overtake = false;  ///< what was published of one instrument that of another
};

class BookFlight {
 public:
  /// `record`: the exchange's, without an event so far; its changes are noted here from now on. `books`: the
  /// strategy's, empty. Both outlive it.
  BookFlight(recorded::DepthBooks& record, FeedBooks& books, BookFlightOptions options);
  ~BookFlight() { record_.note_changes(nullptr); }
  BookFlight(const BookFlight&) = delete;
  BookFlight& operator=(const BookFlight&) = delete;

  // At the exchange.

  /// Before an event reaches the record at `now`: what it changes arrives at `arrival`, not before what came before it.
  /// Where that is at once, nobody ever sees the books without it; if the strategy is shown the exchange's, nothing of
  /// it travels but a trade. Behind it comes end_event(). Not where events may overtake others.
  void begin_event(Time now, Time arrival) {
    DOJIMA_ASSERT(!is_undone_ && !may_overtake_, "the exchange's books are its own while events reach it, in order",
                  is_undone_, may_overtake_, now.time_since_epoch().count());
    is_at_once_ = arrival == now && is_shared_;
    arrival_ = arrival;
    if (is_at_once_) {
      record_.note_trades(&steps_, arrival);
    } else {
      record_.note_changes(&steps_, arrival);
    }
  }
  void end_event(std::uint32_t instrument) {
    if (steps_.end() == published_ && !is_at_once_) steps_.add() = {.at = arrival_, .instrument = instrument};
    published_ = steps_.end();
  }
  /// Behind the last of these: publish() is called again.
  void end_events() { record_.note_changes(may_overtake_ ? &latest_ : &steps_); }

  /// What the last event of the record changed, and be it nothing, arrives at `at`, not before what was published of
  /// its instrument.
  void publish(std::uint32_t instrument, Time at) {
    DOJIMA_ASSERT(!is_undone_, "the exchange's books are its own while events reach it", instrument,
                  at.time_since_epoch().count());
    Fifo<recorded::BookChange>& latest = may_overtake_ ? latest_ : steps_;
    if (latest.end() == published_) latest.add() = {.instrument = instrument};
    if (may_overtake_) [[unlikely]]
      return publish_in_order(at);
    for (; published_ != steps_.end(); ++published_) steps_[published_].at = at;
  }
  /// The record is as the exchange has it, whoever looked. Before each event and request.
  void restore() {
    if (is_undone_) [[unlikely]]
      do_again();
  }

  // At the strategy.

  /// When the next change arrives; k_never: none is on its way.
  [[nodiscard]] Time next_time() const noexcept { return steps_.is_empty() ? time::k_never : steps_.front().at; }
  /// All that arrives before `bound` has arrived. How much that was.
  std::size_t land_before(Time bound) {
    restore();
    const std::size_t begin = steps_.begin();
    for (; !steps_.is_empty() && steps_.front().at < bound; steps_.pop()) {
      const recorded::BookChange& step = steps_.front();
      if (is_shared_ && step.kind != recorded::BookChange::Kind::trade) continue;
      if (step.instrument >= books_.size()) [[unlikely]]
        books_.add_books(record_);
      books_.apply(step);
    }
    const std::size_t count = steps_.begin() - begin;
    landed_ += count;
    return count;
  }
  std::size_t land_until(Time now) { return land_before(now + Duration{1}); }
  /// As it has arrived, until the exchange goes on; null: nothing has yet.
  [[nodiscard]] const recorded::Depth* of(std::uint32_t instrument);
  /// Whether the strategy is shown the exchange's books.
  [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }

 private:
  void publish_in_order(Time at);
  void undo();
  void do_again();
  void keep_books();
  /// The level that a step changed, in the record.
  void set(const recorded::BookChange& step, std::int64_t quantity) {
    if (step.side != Side::none) record_.side(step.instrument, step.side).set(step.price, quantity);
  }

  recorded::DepthBooks& record_;
  FeedBooks& books_;
  bool is_shared_, may_overtake_;
  bool is_undone_ = false, is_at_once_ = false;
  Time arrival_{};                         // of the event at hand
  Fifo<recorded::BookChange> steps_;       // on their way, and behind them those of the last event
  Fifo<recorded::BookChange> latest_;      // these, where they may overtake others
  std::size_t published_ = 0;              // number of the first of the last event
  std::uint64_t landed_ = 0, undone_ = 0;  // steps, since the start
};

}  // namespace dojima::backtest
