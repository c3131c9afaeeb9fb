#pragma once

// A model of order flow: who wants what, when. Requests arrive as a Poisson process of one total rate, or by another
// model with the same mean (arrivals.hpp), spread over clients and instruments; limit orders gather around a mid price
// that walks at random, some orders are marketable, some requests cancel or amend what rests. Deterministic: the same
// configuration gives the same intents on every machine, whatever became of the earlier ones, so a client under load
// faces the same flow as an idle one (open loop).
//
//   OrderFlow flow({.seed = 7, .rate = 20'000, .clients = 4}, instruments, start);
//   const Intent intent = flow.next();                        // due at intent.due
//   const Decision decision = decide(intent, orders_of(intent.client, intent.instrument, intent.side).size(), 25);
//
// `next` is O(1) and allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/flow/arrivals.hpp"
#include "dojima/flow/random.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/order.hpp"

namespace dojima::flow {

using time::Time;

/// What part of the requests is what, in thousandths; what is left of 1000 is limit orders that add to the book.
struct Shares {
  std::uint32_t cancel = 350;
  std::uint32_t replace = 80;
  std::uint32_t market = 30;
  std::uint32_t immediate_or_cancel = 50;  ///< limit orders through the mid
  std::uint32_t fill_or_kill = 20;         ///< likewise
  std::uint32_t crossing = 50;             ///< day limit orders through the mid
};

struct FlowConfig {
  std::uint64_t seed = 1;
  std::uint64_t rate = 20'000;  ///< requests per second, all clients together; 1 to 10,000,000
  std::uint32_t clients = 4;    ///< > 0
  Shares shares;
  std::uint32_t mid_move = 20;     ///< chance in thousandths, per request, that its instrument's mid moves a tick
  std::int32_t mid_range = 200;    ///< ticks that the mid stays within, either side of the reference price
  std::int32_t depth = 20;         ///< ticks from the mid that limit orders reach; nearer ones are likelier
  std::int32_t reach = 5;          ///< ticks that marketable limits reach through the mid
  std::int64_t lots_minimum = 1;   ///< sizes: uniform from here ...
  std::int64_t lots_maximum = 10;  ///< ... to here, times lot_step
  std::int64_t lot_step = 100;
  ArrivalConfig arrivals{};
  std::vector<std::int64_t> sizes{};      ///< one as likely as another, lot_step included; empty: as above
  std::vector<std::int32_t> distances{};  ///< ticks from the mid of limit orders, 1 to `depth`, likewise
};

enum class IntentKind : std::uint8_t { enter, replace, cancel };

/// One wish. Replace and cancel concern one of the client's live orders of that instrument and side, by `pick`; type,
/// price and quantity are the new terms, or those of the order to enter when there is no such order (see `decide`).
struct Intent {
  std::uint64_t number = 0;  ///< 0, 1, 2, ...
  Time due;
  std::uint64_t pick = 0;
  market::Price price;  ///< 0 for market orders
  market::Quantity quantity;
  std::uint32_t client = 0;
  std::uint32_t instrument = 0;  ///< index into the instruments given
  IntentKind kind = IntentKind::enter;
  market::Side side = market::Side::none;
  market::OrderType type = market::OrderType::limit;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  std::uint8_t reserved[4] = {};
  friend bool operator==(const Intent&, const Intent&) = default;
};
static_assert(market::PlainRecord<Intent>, "flows are compared byte by byte");

class OrderFlow {
 public:
  /// Throws std::invalid_argument when a value is out of its range, or the mid's range leaves an instrument's tick
  /// table.
  OrderFlow(const FlowConfig& config, std::span<const market::Instrument> instruments, Time start);

  /// The next intent; never ends. `due` never falls.
  [[nodiscard]] Intent next();
  /// The next ones, quicker than one by one where arrivals are a Poisson process: the draws of sixteen are made side by
  /// side, and the multiplications behind a time, which wait for each other, do not wait for those of another.
  void next(std::span<Intent> intents);

  [[nodiscard]] const FlowConfig& config() const noexcept { return config_; }

 private:
  struct Walk {
    market::TickTable ticks;
    std::int32_t reference;  // levels
    std::int32_t mid;
  };

  void next_at_once(std::span<Intent> intents);

  // What is random comes from `random`: a Random, or Drawn.
  template <class Draws>
  void describe(Intent& intent, Draws& random);
  template <class Draws>
  [[nodiscard]] std::int64_t draw_lots(Draws& random) const;
  template <class Draws>
  void move_mid(Walk& walk, Draws& random) const;
  template <class Draws>
  void choose_kind(Intent& intent, const Walk& walk, Draws& random) const;
  template <class Draws>
  [[nodiscard]] std::int32_t passive_distance(Draws& random) const;

  FlowConfig config_;
  std::array<std::uint8_t, 1000> choices_{};  // by thousandth: which of the shares, in their order
  Random random_;
  Arrivals arrivals_;
  std::vector<Walk> walks_;
  Time due_;
  std::uint64_t next_number_ = 0;
};

/// What a client does about an intent.
struct Decision {
  IntentKind kind;
  std::size_t index;  ///< of the live order meant; 0 for enter
};

/// The intent as its client carries it out, given how many live orders of that instrument and side it has. With fewer
/// than `resting_target` a cancel enters its order instead, and so does a replace with none at all: the book settles
/// around that many orders per client, instrument and side.
[[nodiscard]] constexpr Decision decide(const Intent& intent, std::size_t live, std::size_t resting_target) noexcept {
  const bool is_possible = intent.kind == IntentKind::cancel ? live > resting_target : live != 0;
  if (intent.kind == IntentKind::enter || !is_possible || live == 0) return {IntentKind::enter, 0};
  return {intent.kind, static_cast<std::size_t>(intent.pick % live)};
}

}  // namespace dojima::flow
