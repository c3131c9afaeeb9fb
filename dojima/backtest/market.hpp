#pragma once

// The exchange `market`: no record. Participants trade with each other in a venue::Partition, with all its rules,
// auctions and halts, and the strategy trades beside them as one more user, so what it does changes what they do. Each
// participant acts at instants of a Poisson process and sees the book as it is:
//
//   noise         enters limit orders near the best price of its side, takes now and then, cancels what has become old
//   value         knows the value with an error, and takes prices that are away from it by more than a threshold
//   momentum      follows the price when it has moved by more than a threshold since its last look
//   market_maker  quotes both sides around the middle, further from its position
//   flow          the clients of a flow::OrderFlow, which looks at no book; Poisson, in bursts or self-exciting
//
// The value of an instrument is a walk in ticks that news moves and that is drawn back to the reference price.
//
//   MarketConfig config{.populations = standard_populations()};
//   Market market(config);
//   Engine engine(market.stream(), market.exchange(), strategy, latencies, {});
//   engine.run({});
//
// The same configuration and requests give the same market on every machine. One thread. Memory as venue::VenueLimits.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/backtest/account.hpp"
#include "dojima/backtest/engine.hpp"
#include "dojima/flow/arrivals.hpp"
#include "dojima/venue/partition_config.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::journal {
class Journal;
}
namespace dojima::venue {
class Partition;
}

namespace dojima::backtest {

enum class PopulationKind : std::uint8_t { noise, value, momentum, market_maker, flow };
inline constexpr std::size_t k_population_kinds = 5;
[[nodiscard]] std::string_view name_of(PopulationKind kind) noexcept;

/// Participants of one kind with the same habits.
struct Population {
  PopulationKind kind = PopulationKind::noise;
  std::uint32_t count = 1;          ///< of them, 1 to 10,000
  double rate = 1;                  ///< how often each acts in a second, 0.001 to 1,000,000
  std::int64_t quantity_least = 1;  ///< of an order, evenly up to
  std::int64_t quantity_most = 10;
  std::int64_t depth = 5;            ///< ticks: noise: from the best price; market_maker, flow: from the middle
  std::int64_t threshold = 2;        ///< ticks: value: of the price from the value; momentum: of the move
  std::int64_t error = 3;            ///< ticks: value: most that it is wrong about the value
  std::uint32_t takes = 100;         ///< noise: of a thousand actions, those that take
  std::uint32_t resting = 5;         ///< orders each keeps; noise: in an instrument; flow: likewise, on each side
  std::int64_t most_position = 200;  ///< market_maker: quotes one side only beyond it
  flow::ArrivalModel arrivals = flow::ArrivalModel::poisson;  ///< flow: when its clients act
  friend bool operator==(const Population&, const Population&) = default;
};

struct MarketInstrument {
  std::string symbol = "RICE";
  std::uint8_t price_decimals = 2;
  std::int64_t tick = 1;            ///< price units, > 0
  std::int64_t reference = 10'000;  ///< price units, on the tick
  std::string segment{};            ///< of MarketConfig::segments; empty: trades continuously
  friend bool operator==(const MarketInstrument&, const MarketInstrument&) = default;
};

struct MarketConfig {
  std::uint64_t seed = 1;
  Time start = time::from_nanoseconds(1'800'000'000'000'000'000);  ///< from 1970 to 2255
  Duration length = std::chrono::seconds{60};                      ///< > 0, at most ten days
  std::vector<MarketInstrument> instruments = {{}};
  std::vector<Population> populations{};
  double news_rate = 2;            ///< moves of a value in a second, each instrument; 0: it stays at the reference
  std::int64_t news_ticks = 3;     ///< the largest move
  std::int64_t value_range = 200;  ///< ticks that the value stays within, either side of the reference price
  /// With timetables: times of day count from each midnight, UTC.
  std::vector<venue::Segment> segments{};
  std::size_t orders = 0;  ///< room for live orders; 0: room_for_orders()
  friend bool operator==(const MarketConfig&, const MarketConfig&) = default;
};

/// 20 noise, 5 value, 5 momentum traders and 3 market makers.
[[nodiscard]] std::vector<Population> standard_populations();

/// Why it makes no sense, as one line for the user; empty: it does.
[[nodiscard]] std::string complaint(const MarketConfig& config);

/// Of config.orders; where that is 0, twice as many as its participants keep and 4,096 more, at most 2^24.
[[nodiscard]] std::size_t room_for_orders(const MarketConfig& config);

/// What the market's partition is made from: with it the commands of a market come to the same state again.
[[nodiscard]] venue::PartitionConfig partition_of(const MarketConfig& config);

struct MarketCounts {
  std::uint64_t actions = 0;   ///< of participants, and news
  std::uint64_t commands = 0;  ///< theirs, the strategy's, and of the day
  std::uint64_t refused = 0;   ///< of these, by the book
  std::uint64_t trades = 0;
  std::int64_t traded = 0;          ///< quantity
  std::uint64_t auctions = 0;       ///< that traded
  std::uint64_t interruptions = 0;  ///< halts and calls that a price beyond a band brought
  std::uint64_t two_sided = 0;      ///< looks at a book in continuous trading that had both sides
  std::uint64_t one_sided = 0;      ///< ... that had not
  std::uint64_t spread = 0;         ///< sum over the two-sided ones of ask less bid, in ticks
  std::array<std::int64_t, k_population_kinds> positions{};  ///< by kind; with the strategy's they sum to 0
  friend bool operator==(const MarketCounts&, const MarketCounts&) = default;
};

/// The way of the strategy's requests to the market's venue and of its reports back, in virtual time: sessions,
/// gateways, a network. Without one they are there at once.
class OrderRoad {
 public:
  virtual ~OrderRoad() = default;
  /// When something happens on it by itself.
  [[nodiscard]] virtual Time next_time() const = 0;
  /// All that happens until then, and what the venue has said meanwhile leaves it.
  virtual void pass(Time now) = 0;
  /// Leaves the strategy.
  virtual void on_request(const Request& request, Time now) = 0;
  /// What has come to the strategy since the last call.
  [[nodiscard]] virtual std::vector<Report> take_reports() = 0;
  /// How long a request and its report take at most where nothing is in their way.
  [[nodiscard]] virtual Duration round_trip() const = 0;
  [[nodiscard]] virtual std::size_t resting() const = 0;
  [[nodiscard]] virtual const ExchangeCounts& counts() const = 0;
};
/// Makes one to a market's partition, in which the strategy is the user `user`; it is ready at `config.start`.
using MakeOrderRoad = std::function<std::unique_ptr<OrderRoad>(venue::Partition& partition, std::uint16_t user,
                                                               const MarketConfig& config)>;

class Market {
 public:
  /// Every command goes into `journal`, which outlives the market; null: nowhere. The strategy's requests go by the
  /// road that `make_road` makes; empty: none. Throws std::invalid_argument with complaint(), std::bad_alloc, and what
  /// `make_road` does. A journal that gets full ends the run: std::runtime_error.
  explicit Market(const MarketConfig& config, journal::Journal* journal = nullptr, const MakeOrderRoad& make_road = {});
  ~Market();
  Market(const Market&) = delete;
  Market& operator=(const Market&) = delete;

  [[nodiscard]] EventStream& stream() noexcept;
  [[nodiscard]] Exchange& exchange() noexcept;
  [[nodiscard]] const MarketCounts& counts() const noexcept;
  /// Of an instrument, in price units.
  [[nodiscard]] std::int64_t value(std::uint32_t instrument) const noexcept;
  /// What the venue has of the strategy: bought less sold, and received less paid without fees, in price units.
  [[nodiscard]] std::int64_t own_position(std::uint32_t instrument) const noexcept;
  [[nodiscard]] Money own_cash(std::uint32_t instrument) const noexcept;
  /// The same of everybody together: 0 whatever happens, as somebody's purchase is somebody's sale.
  [[nodiscard]] std::int64_t position_of_all(std::uint32_t instrument) const noexcept;
  [[nodiscard]] Money cash_of_all(std::uint32_t instrument) const noexcept;
  /// How much of its time is over, 0 to 1.
  [[nodiscard]] double done() const noexcept;
  /// Over the state of the partition: two markets that did the same have the same.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dojima::backtest
