#pragma once

// Where own orders meet the recorded market, in three ways:
//
//   levels   the place in the queue is estimated from what stands at the price (queue_model.hpp); any data with trades
//   orders   the exact place, first in, first out, by arrival; data with orders
//   match    own orders are entered into a book that matches the recorded ones as well, so that they have an impact
//
// Events come in the order of the exchange's clock, requests in between, and what happens to own orders is left in
// `reports`. With `levels` and `orders` the recorded market goes on as recorded: an own fill takes nothing from
// anybody. docs/backtest.md has the rules of each. One thread; memory as the recorded books and own orders need.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/backtest/orders.hpp"
#include "dojima/backtest/queue_model.hpp"
#include "dojima/recorded/books/depth_side.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::backtest {

enum class ExchangeKind : std::uint8_t { levels, orders, match };
[[nodiscard]] std::string_view name_of(ExchangeKind kind) noexcept;

/// How much of an own order a trade fills.
enum class FillRule : std::uint8_t {
  partial,  ///< as much as there is: no quantity is used twice
  whole,    ///< all of it, once its turn has come: for orders small beside what is traded
};
[[nodiscard]] std::string_view name_of(FillRule rule) noexcept;

struct ExchangeSettings {
  ExchangeKind kind = ExchangeKind::levels;
  QueueModelSettings queue{};          ///< levels
  FillRule fills = FillRule::partial;  ///< levels
  std::int64_t lot = 1;                ///< levels: smallest quantity, in units of the instrument, > 0
  Duration silence{};                  ///< no order takes when its instrument had no event for longer; 0: any time
  std::size_t orders = std::size_t{1} << 18;  ///< match: room for live orders
  std::vector<std::int64_t> ticks{};          ///< match: of each instrument whose reader tells none
};

/// What became of the recorded market around own orders.
struct ExchangeCounts {
  std::uint64_t events = 0;
  std::uint64_t requests = 0;
  std::uint64_t fills = 0;
  std::uint64_t unknown = 0;  ///< events that named an order that is not there
  std::uint64_t refused = 0;  ///< events that did not fit the book
  std::uint64_t missing = 0;  ///< match: of the unknown ones, orders that were there in the record
  std::uint64_t matched = 0;  ///< match: recorded executions that met the recorded order, for all of the quantity
  std::uint64_t matched_others = 0;  ///< match: recorded executions that met somebody else, or nobody
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The next event, at `now`. `instruments` as the reader has them.
  virtual void on_event(const recorded::RecordedEvent& event, std::span<const recorded::RecordedInstrument> instruments,
                        Time now) = 0;
  /// A request that arrives at `now`.
  virtual void on_request(const Request& request, Time now) = 0;
  /// Of the exchange's book, by which own holdings are valued.
  [[nodiscard]] virtual std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const = 0;
  /// Own orders that rest.
  [[nodiscard]] virtual std::size_t resting() const = 0;
  [[nodiscard]] virtual const ExchangeCounts& counts() const = 0;

  /// Whether what the strategy sees comes from here (`feed`) and not from the events that are handed in.
  [[nodiscard]] virtual bool makes_market() const noexcept { return false; }

  /// What the last calls brought about, oldest first; the caller takes them out.
  std::vector<Report> reports;
  std::vector<recorded::RecordedEvent> feed;
};

/// Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<Exchange> make_exchange(const ExchangeSettings& settings);

}  // namespace dojima::backtest
