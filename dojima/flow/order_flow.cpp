#include "dojima/flow/order_flow.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::flow {
namespace {

using market::OrderType;
using market::Side;
using market::TimeInForce;

void require(bool is_right, const char* what) {
  if (!is_right) throw std::invalid_argument(what);
}

std::array<std::uint32_t, 6> list_of(const Shares& shares) {
  return {shares.cancel,       shares.replace, shares.market, shares.immediate_or_cancel,
          shares.fill_or_kill, shares.crossing};
}

/// Where a limit price lies: on the near side of the mid, through it, or nowhere.
enum class Reach : std::uint8_t { passive, crossing, none };

struct Choice {
  IntentKind kind = IntentKind::enter;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::day;
  Reach reach = Reach::passive;
};
/// In the order of Shares; the last one is what is left.
constexpr std::array<Choice, 7> k_choices{
    Choice{.kind = IntentKind::cancel},
    Choice{.kind = IntentKind::replace},
    Choice{.type = OrderType::market, .reach = Reach::none},
    Choice{.time_in_force = TimeInForce::immediate_or_cancel, .reach = Reach::crossing},
    Choice{.time_in_force = TimeInForce::fill_or_kill, .reach = Reach::crossing},
    Choice{.reach = Reach::crossing},
    Choice{}};

constexpr std::size_t k_at_once = 16;
/// Of an intent: when, who, where, which side, the mid's move and its direction, how much, which order, what and, of a
/// distance, two.
constexpr std::size_t k_most_draws = 11;

}  // namespace

OrderFlow::OrderFlow(const FlowConfig& config, std::span<const market::Instrument> instruments, Time start)
    : config_(config), random_(config.seed), arrivals_(config.arrivals, config.rate, random_), due_(start) {
  require(config.clients >= 1, "there must be a client");
  for (const std::uint32_t share :
       {config.shares.cancel, config.shares.replace, config.shares.market, config.shares.immediate_or_cancel,
        config.shares.fill_or_kill, config.shares.crossing, config.mid_move})
    require(share <= 1000, "a share must be at most 1000 thousandths");
  const auto shares = list_of(config.shares);
  require(std::accumulate(shares.begin(), shares.end(), std::uint32_t{0}) <= 1000,
          "the shares must add up to at most 1000 thousandths");
  require(config.mid_range >= 0 && config.depth >= 1 && config.reach >= 0, "ticks of mid, depth and reach");
  require(config.lots_minimum >= 1 && config.lots_maximum >= config.lots_minimum && config.lot_step >= 1 &&
              config.lots_maximum <= INT64_MAX / config.lot_step,
          "sizes must be positive and in order");
  require(std::ranges::all_of(config.sizes, [](std::int64_t lots) { return lots >= 1; }), "sizes must be positive");
  require(
      std::ranges::all_of(config.distances, [&](std::int32_t ticks) { return ticks >= 1 && ticks <= config.depth; }),
      "distances must lie within the depth");
  std::size_t behind = 0;  // of the shares so far
  for (std::size_t place = 0; place < shares.size(); ++place) {
    std::fill_n(choices_.begin() + static_cast<std::ptrdiff_t>(behind), shares[place],
                static_cast<std::uint8_t>(place));
    behind += shares[place];
  }
  std::fill(choices_.begin() + static_cast<std::ptrdiff_t>(behind), choices_.end(),
            static_cast<std::uint8_t>(shares.size()));
  require(!instruments.empty(), "there must be an instrument");
  for (const market::Instrument& instrument : instruments) {
    const auto reference = instrument.ticks.level_of(instrument.reference);
    require(reference.has_value(), "an instrument's reference price must be on its tick table");
    const std::int64_t margin = std::int64_t{config.mid_range} + std::max(config.depth, config.reach);
    const std::int64_t level = market::index_of(*reference);
    require(level - margin >= 0 && level + margin < instrument.ticks.level_count(),
            "the mid's range and the depth must stay inside an instrument's tick table");
    walks_.push_back({instrument.ticks, market::index_of(*reference), market::index_of(*reference)});
  }
}

Intent OrderFlow::next() {
  Intent intent;
  Random random = random_;
  due_ += arrivals_.next(random);
  intent.due = due_;
  describe(intent, random);
  random_ = random;
  return intent;
}

void OrderFlow::next(std::span<Intent> intents) {
  if (!arrivals_.takes_one_draw()) {
    for (Intent& intent : intents) intent = next();
    return;
  }
  while (!intents.empty()) {
    const std::size_t count = std::min(intents.size(), k_at_once);
    next_at_once(intents.first(count));
    intents = intents.subspan(count);
  }
}

/// At most k_at_once.
void OrderFlow::next_at_once(std::span<Intent> intents) {
  std::array<std::uint64_t, k_at_once * k_most_draws> draws;
  random_.peek(draws);
  std::array<std::uint64_t, k_at_once> gaps;
  Drawn drawn(draws.data());
  for (std::size_t at = 0; at < intents.size(); ++at) {
    intents[at] = {};
    gaps[at] = drawn.next();
    describe(intents[at], drawn);
  }
  const auto taken = static_cast<std::size_t>(drawn.rest() - draws.data());
  DOJIMA_ASSERT(taken <= draws.size(), "an intent takes at most so many draws", taken, intents.size(), k_most_draws);
  random_.skip(taken);
  Time due = due_;  // which no intent can be, for the compiler
  Arrivals arrivals = arrivals_;
  for (std::size_t at = 0; at < intents.size(); ++at) {
    due += arrivals.next_of(gaps[at]);
    intents[at].due = due;
  }
  due_ = due;
  arrivals_ = arrivals;
}

/// All but when it is due, of a fresh one.
template <class Draws>
[[gnu::always_inline]] inline void OrderFlow::describe(Intent& intent, Draws& random) {
  intent.number = next_number_++;
  intent.client = static_cast<std::uint32_t>(random.below(config_.clients));
  intent.instrument = static_cast<std::uint32_t>(random.below(walks_.size()));
  intent.side = random.below(2) == 0 ? Side::buy : Side::sell;
  Walk& walk = walks_[intent.instrument];
  move_mid(walk, random);
  intent.quantity = {draw_lots(random)};
  intent.pick = random.next();
  choose_kind(intent, walk, random);
}

template <class Draws>
inline std::int64_t OrderFlow::draw_lots(Draws& random) const {
  if (!config_.sizes.empty()) return config_.sizes[random.below(config_.sizes.size())];
  const auto sizes = static_cast<std::uint64_t>(config_.lots_maximum - config_.lots_minimum + 1);
  return (config_.lots_minimum + static_cast<std::int64_t>(random.below(sizes))) * config_.lot_step;
}

template <class Draws>
inline void OrderFlow::move_mid(Walk& walk, Draws& random) const {
  if (random.below(1000) >= config_.mid_move) return;
  const std::int32_t step = random.below(2) == 0 ? -1 : 1;
  const std::int32_t moved = walk.mid + step;
  if (moved >= walk.reference - config_.mid_range && moved <= walk.reference + config_.mid_range) walk.mid = moved;
}

/// By a table, without a branch for each share: no branch prediction can know it.
template <class Draws>
inline void OrderFlow::choose_kind(Intent& intent, const Walk& walk, Draws& random) const {
  const Choice& choice = k_choices[choices_[random.below(choices_.size())]];
  intent.kind = choice.kind;
  intent.type = choice.type;
  intent.time_in_force = choice.time_in_force;
  if (choice.reach == Reach::none) return;
  const std::int32_t distance = choice.reach == Reach::passive ? passive_distance(random) : -config_.reach;
  intent.price =
      walk.ticks.price_of(market::Level{intent.side == Side::buy ? walk.mid - distance : walk.mid + distance});
}

/// The nearer of two uniform distances: density falls linearly away from the mid. Or one of those given.
template <class Draws>
inline std::int32_t OrderFlow::passive_distance(Draws& random) const {
  if (!config_.distances.empty()) return config_.distances[random.below(config_.distances.size())];
  const auto depth = static_cast<std::uint64_t>(config_.depth);
  const std::uint64_t first = random.below(depth);
  const std::uint64_t second = random.below(depth);
  return 1 + static_cast<std::int32_t>(std::min(first, second));
}

}  // namespace dojima::flow
