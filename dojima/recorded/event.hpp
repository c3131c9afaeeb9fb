#pragma once

// Recorded market data, whatever format it came in: one neutral event of 64 bytes, and the reader that every format
// has. A reader eats bytes from a source that is handed in (byte_source.hpp: a file in memory, a stream that is being
// unpacked) and gives events in the order of the file, in batches; it opens nothing and keeps at most a window of the
// bytes and one batch, so a file larger than memory is fine. `files/recorded_file.hpp` opens files and guesses formats.
//
//   while (reader.next(event) == Next::event) use(event, reader.instruments()[event.instrument]);
//   if (const ReadTrouble* trouble = reader.trouble()) show(describe(*trouble));
//
// or, without a copy per event:
//
//   for (auto events = reader.next_batch(); !events.empty(); events = reader.next_batch()) use(events);
//
// An event says all that its format says of the market, so writing events and reading them again (the compact format,
// CSV) loses nothing: a plain record, every bit of it meaningful, equal when its bytes are equal. One thread.

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/market/order.hpp"

namespace dojima::recorded {

using time::Time;

/// What happened. Values stay as they are for good: they are in files.
enum class EventKind : std::uint8_t {
  none = 0,

  // One order of the book: `order` names it, `side` is its own side.
  add = 1,     ///< it rests now: price, quantity. `other`: what else the feed says of it (who shows
               ///< it: characters packed, the first one lowest), or 0
  reduce = 2,  ///< `quantity` of it is gone; it keeps its place. All of it gone: the order is gone
  remove = 3,  ///< it is gone. Price and quantity are those it had, or k_unknown
  amend = 4,   ///< same order, new `price` and new total `quantity`, k_unknown: as before. It keeps its place when only
               ///< the quantity fell
  replace = 5,  ///< `order` is gone, `other` rests in its place, at the back of its level: price, quantity.
                ///< Side none: as before
  execute = 6,  ///< `quantity` of it was traded and is gone; `price`: of the trade, k_unknown: the order's own.
                ///< `other`: the number of the match, or 0

  // Trades that change no book (what they do to orders or levels comes as events of its own, or was never shown).
  trade = 7,  ///< price, quantity; side of the aggressor, none: not known; `order`: its number, or 0; `other`: the
              ///< number of the match, or 0
  hidden_trade = 8,  ///< the same against an order that was not displayed
  fill = 9,  ///< a resting order's share of a trade: `order`, `side` its own; `execute`'s twin in feeds that report
             ///< the change of the order separately
  trade_cancel = 10,  ///< the trade with the number `other` did not happen

  // Price levels: books without orders.
  level = 11,  ///< on `side` at `price` there now rests `quantity` in total, 0: nothing. `other`: how many orders, or 0
  quote = 12,  ///< the best price of `side` and its quantity; quantity 0: the side is empty. A feed of its own:
               ///< not to be applied to the book that `level` keeps
  clear = 13,  ///< nothing rests on `side` any more; none: on both

  /// The recorded book itself, to compare with and never to apply: level `order` (0 is the best) of `side` is `price`
  /// and `quantity`; quantity 0: there is no such level. All of a window comes behind the event that led to it, its
  /// last event has k_last.
  window = 14,

  // The instrument or the market.
  status = 15,   ///< `code` is a MarketState; `order`: the feed's own code (characters packed, the first one lowest)
  auction = 16,  ///< what an auction would give: `code` an AuctionPrice, price, quantity = paired, `other` = what is
                 ///< left over, side = of what is left over
  value = 17,    ///< a number about the instrument: `code` is a ValueCode, price and quantity as it says
  notice = 18,  ///< the feed said something without a place above: `code` is its message type, `order` and `other` hold
                ///< what it said as far as it fits; no market in it

  gap = 19,  ///< the feed's numbers jump, here or for the whole market: `other` was expected, `sequence` came

  /// Somebody asks the market for something; the answer is not recorded. `code` is a market::CommandType, `other`
  /// the user, `order` the order that it is about or 0, price k_unknown where there is no limit.
  request = 20,
};
inline constexpr std::uint8_t k_event_kinds = 21;
[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;

/// Bits of RecordedEvent::flags.
enum EventFlag : std::uint8_t {
  k_last = 1,           ///< the last event of one change of the market: books are whole behind it, and only there
  k_snapshot = 2,       ///< not news: part of a picture of what rested there already
  k_not_printable = 4,  ///< execute: does not count as a trade in volumes (it is reported elsewhere as well)
  k_in_auction = 8,     ///< trade, execute: of an auction
  k_bad_time = 16,      ///< the feed itself says that the receive time may be wrong
  k_aggregated = 32,    ///< the feed itself says that this is a level, not an order (no queue position)
  k_publisher = 64,     ///< bit of the publisher's own
  k_maybe_bad = 128,    ///< the feed itself says that the book may be wrong from here on
};

/// `code` of `status`.
enum class MarketState : std::uint8_t {
  unknown = 0,
  pre_open = 1,
  opening = 2,
  trading = 3,
  quoting = 4,  ///< quotations only
  paused = 5,
  halted = 6,
  closing = 7,
  closed = 8,
  start_of_messages = 9,
  end_of_messages = 10,
};

/// `code` of `auction`.
enum class AuctionPrice : std::uint8_t { unknown = 0, indicative = 1, reference = 2, near_price = 3, far_price = 4 };

/// `code` of `value`.
enum class ValueCode : std::uint8_t {
  unknown = 0,
  index = 1,
  open = 2,
  close = 3,
  high = 4,
  low = 5,
  average = 6,
  settlement = 7,
  volume = 8,         ///< quantity
  open_interest = 9,  ///< quantity
  upper_limit = 10,
  lower_limit = 11,
  reference = 12,
  previous_close = 13,
};

/// A price or a quantity that the feed does not give.
inline constexpr std::int64_t k_unknown = std::numeric_limits<std::int64_t>::min();
/// A time that the feed does not give.
inline constexpr Time k_unknown_time = time::from_nanoseconds(k_unknown);

/// One event. 64 bytes, one cache line, no padding. Prices and quantities are whole numbers in units of their
/// instrument: 10^-price_decimals and 10^-quantity_decimals. A book keyed by market::Price can take `price` as its
/// units with a tick table in the same units; nothing has to be scaled.
struct RecordedEvent {
  Time event_time = k_unknown_time;    ///< when it happened, by the exchange's clock, UTC
  Time receive_time = k_unknown_time;  ///< when the recorder got it, by the recorder's clock (either may run ahead)
  std::uint64_t order = 0;
  std::uint64_t other = 0;
  std::int64_t price = k_unknown;
  std::int64_t quantity = k_unknown;
  std::uint64_t sequence = 0;    ///< the feed's own number; events of one message share it; 0: it has none
  std::uint32_t instrument = 0;  ///< index into RecordedReader::instruments()
  EventKind kind = EventKind::none;
  market::Side side = market::Side::none;
  std::uint8_t flags = 0;  ///< EventFlag bits
  std::uint8_t code = 0;   ///< by kind; add, execute, trade: a character of the feed that is nowhere else, or 0

  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
  [[nodiscard]] bool has(EventFlag flag) const noexcept { return (flags & flag) != 0; }
  /// The receive time where there is one, else the event time: what a replay is paced by and a file is sorted by.
  [[nodiscard]] Time replay_time() const noexcept { return receive_time != k_unknown_time ? receive_time : event_time; }
};
static_assert(sizeof(RecordedEvent) == 64 && market::PlainRecord<RecordedEvent>);

/// What an event's `instrument` is the index of; always a valid one. Events about the whole market (`notice`, `status`,
/// `gap`) belong to an instrument without symbol and number, which a reader adds when it needs it.
struct RecordedInstrument {
  std::string symbol;        ///< empty: the file does not name it
  std::uint64_t number = 0;  ///< the feed's own number for it (locate code, instrument id), or 0
  std::uint8_t price_decimals = 8;
  std::uint8_t quantity_decimals = 0;
  std::int64_t tick = 0;  ///< smallest step of prices, in price units; 0: not in the file
  friend bool operator==(const RecordedInstrument&, const RecordedInstrument&) = default;
};

/// How many of them are in the market: all but the one that stands for the whole market, which has neither symbol nor
/// number and others beside it. (Alone it is what a file without names is about.) O(n).
[[nodiscard]] std::size_t count_of(std::span<const RecordedInstrument> instruments) noexcept;

/// What was wrong with a file, and where. Positions are in the unpacked bytes.
struct ReadTrouble {
  std::string text;        ///< what, and what was expected
  std::uint64_t byte = 0;  ///< offset of the message or record concerned, from 0
  std::uint64_t line = 0;  ///< from 1, in text formats; 0: no lines
  std::size_t file = 0;    ///< which of the reader's sources, where it has several
};
/// "line 12 (byte 345): ...", on one line.
[[nodiscard]] std::string describe(const ReadTrouble& trouble);

enum class Next : std::uint8_t { event, end, error };

/// How many messages or records of one of the format's own types were read.
struct TypeCount {
  std::string name;
  std::uint64_t count = 0;
};

/// The events of a batch, in memory that is used again. Grows when one message has more events than any before it.
class EventBatch {
 public:
  EventBatch() : events_(taken(k_batch)), capacity_(k_batch) {}
  /// A fresh event behind the others; valid until the next call.
  RecordedEvent& add() {
    if (size_ == capacity_) [[unlikely]]
      grow();
    return events_[size_++] = RecordedEvent{};
  }
  [[nodiscard]] bool is_full() const noexcept { return size_ >= k_batch; }
  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] RecordedEvent& back() noexcept {
    DOJIMA_ASSERT(size_ > 0, "a batch has a last event", size_);
    return events_[size_ - 1];
  }
  void resize_down(std::size_t size) noexcept {
    DOJIMA_ASSERT(size <= size_, "a batch shrinks to events that it has", size, size_);
    size_ = size;
  }
  /// Memory for events until the batch is full, old content in it; commit() says how many of them are now there.
  [[nodiscard]] std::span<RecordedEvent> room() noexcept {
    return {events_.get() + size_, size_ < k_batch ? k_batch - size_ : 0};
  }
  void commit(std::size_t events) noexcept {
    DOJIMA_ASSERT(events <= capacity_ - size_, "no more events are committed than there was memory for", events, size_,
                  capacity_);
    size_ += events;
  }
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::span<const RecordedEvent> events() const noexcept { return {events_.get(), size_}; }

 private:
  static constexpr std::size_t k_batch = 512;  // 32 KiB: stays in the first cache
  /// Each event in a cache line of its own.
  static constexpr std::align_val_t k_line{sizeof(RecordedEvent)};
  struct Giver {
    void operator()(RecordedEvent* events) const noexcept { ::operator delete[](events, k_line); }
  };
  using Events = std::unique_ptr<RecordedEvent[], Giver>;
  [[nodiscard]] static Events taken(std::size_t capacity) { return Events(new (k_line) RecordedEvent[capacity]); }
  void grow();
  Events events_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

/// The first event that no reader may give and no book may take: of no kind or side that there is, or of an instrument
/// that nobody named; the number of events when there is none. O(n).
[[nodiscard]] std::size_t misplaced_event(std::span<const RecordedEvent> events,
                                          std::span<const RecordedInstrument> instruments) noexcept;

/// Reads one format. Trouble ends the reading: the events before it are good and have been given.
class RecordedReader {
 public:
  virtual ~RecordedReader() = default;
  RecordedReader(const RecordedReader&) = delete;
  RecordedReader& operator=(const RecordedReader&) = delete;

  /// The next events, in place until the next call; empty: end or trouble. One virtual call per batch.
  [[nodiscard]] std::span<const RecordedEvent> next_batch() {
    if (at_ < batch_.size()) return batch_.events().subspan(std::exchange(at_, batch_.size()));
    fill();
    at_ = batch_.size();
    return batch_.events();
  }

  [[nodiscard]] Next next(RecordedEvent& event) {
    if (at_ == batch_.size()) {
      fill();
      if (batch_.is_empty()) return trouble() != nullptr ? Next::error : Next::end;
    }
    event = batch_.events()[at_++];
    return Next::event;
  }

  /// Null: none so far.
  [[nodiscard]] const ReadTrouble* trouble() const noexcept { return has_trouble_ ? &trouble_ : nullptr; }
  /// Those that the events so far have named; only grows, indexes stay. After the first batch it holds what the
  /// format's header names.
  [[nodiscard]] const std::vector<RecordedInstrument>& instruments() const noexcept { return instruments_; }

  /// The format's name as `--format` takes it: "lobster", "itch50", ...
  [[nodiscard]] virtual std::string_view format() const noexcept = 0;
  /// Unpacked bytes read so far.
  [[nodiscard]] virtual std::uint64_t bytes_read() const noexcept = 0;
  /// Messages by the format's own types so far, in an order that stays.
  [[nodiscard]] virtual std::vector<TypeCount> type_counts() const = 0;
  /// What the file says of itself (version, data set, ...), as name and value.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> notes() const { return {}; }

 protected:
  RecordedReader() = default;

  /// Adds events to the empty batch until it is full; adding none means end, or trouble after fail().
  virtual void decode(EventBatch& batch) = 0;
  void fail(ReadTrouble trouble) {
    if (has_trouble_) return;
    trouble_ = std::move(trouble);
    has_trouble_ = true;
  }
  [[nodiscard]] bool has_failed() const noexcept { return has_trouble_; }
  std::vector<RecordedInstrument> instruments_;

 private:
  void fill() {
    at_ = 0;
    batch_.clear();
    if (!has_trouble_) decode(batch_);
    DOJIMA_CHECK_SLOW(misplaced_event(batch_.events(), instruments_) == batch_.size(),
                      "every event that a reader gives is of a known kind, side and instrument",
                      misplaced_event(batch_.events(), instruments_), batch_.size(), instruments_.size());
  }

  EventBatch batch_;
  std::size_t at_ = 0;
  ReadTrouble trouble_;
  bool has_trouble_ = false;
};

/// What a reader cannot know from the bytes.
struct ReaderOptions {
  /// The exchange's midnight of the day, for formats that count from it (LOBSTER, ITCH).
  Time midnight = time::from_nanoseconds(0);
  /// For formats that do not name their instrument (LOBSTER, Bitstamp).
  std::string symbol;
};

}  // namespace dojima::recorded
