#include "dojima/recorded/days/calibration.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::size_t k_most_values = std::size_t{1} << 16;
constexpr std::size_t k_quantiles = 1000;
constexpr std::uint64_t k_stretch = 200;        // requests of an instrument over which the mid's move is taken
constexpr std::int64_t k_farthest_tick = 5000;  // of an order from the mid that is still imitated
constexpr std::size_t k_most_instruments = 64;

/// Newton's iteration from above; exact to the last few bits, and the same everywhere.
double square_root(double value) {
  if (value <= 0) return 0;
  double root = std::max(value, 1.0);
  for (int step = 0; step < 200; ++step) {
    const double better = (root + value / root) / 2;
    if (better >= root) break;
    root = better;
  }
  return root;
}

/// 1 - e^-x over x.
double mean_decay(double x) {
  if (x < 1e-6) return 1 - x / 2;
  constexpr std::uint64_t k_one = std::uint64_t{1} << 62;
  const double capped = std::min(x, 60.0);
  const auto decayed =
      static_cast<double>(flow::scaled_by_decay(k_one, static_cast<std::uint64_t>(capped * 4294967296.0)));
  return (1 - decayed / static_cast<double>(k_one)) / x;
}

std::uint32_t thousandths(std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint32_t>(whole == 0 ? 0 : (part * 1000 + whole / 2) / whole);
}

}  // namespace

void Calibration::Sample::add(std::int64_t value) {
  if (seen_++ % stride_ != 0) return;
  values_.push_back(value);
  if (values_.size() < k_most_values) return;
  for (std::size_t at = 0; 2 * at < values_.size(); ++at) values_[at] = values_[2 * at];
  values_.resize(values_.size() / 2);
  stride_ *= 2;
}

std::vector<std::int64_t> Calibration::Sample::quantiles(std::size_t count) const {
  std::vector<std::int64_t> sorted = values_;
  std::ranges::sort(sorted);
  std::vector<std::int64_t> middles;
  if (sorted.empty()) return middles;
  for (std::size_t part = 0; part < count; ++part)
    middles.push_back(sorted[(2 * part + 1) * sorted.size() / (2 * count)]);
  return middles;
}

Calibration::Deed Calibration::deed_of(const RecordedEvent& event) const {
  if (event.has(k_snapshot)) return Deed::none;
  switch (event.kind) {
    case EventKind::add:
      return Deed::passive;
    case EventKind::reduce:
    case EventKind::remove:
      return Deed::cancel;
    case EventKind::amend:
    case EventKind::replace:
      return Deed::amend;
    case EventKind::level: {
      if (event.side == Side::none) return Deed::none;
      const std::int64_t before = books_.of(event.instrument).on(event.side).quantity_at(event.price);
      return event.quantity > before ? Deed::passive : event.quantity < before ? Deed::cancel : Deed::none;
    }
    case EventKind::execute:
    case EventKind::trade:
    case EventKind::hidden_trade: {
      // One aggressive order meets several resting ones at one time.
      const bool is_same_order = last_trade_.kind == event.kind && last_trade_.instrument == event.instrument &&
                                 last_trade_.side == event.side && last_trade_.replay_time() == event.replay_time();
      return is_same_order ? Deed::none : Deed::aggressive;
    }
    default:
      return Deed::none;
  }
}

void Calibration::take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments) {
  instruments_.assign(instruments.begin(), instruments.end());
  seen_.resize(instruments.size());
  books_.apply(std::span<const RecordedEvent>(), instruments);
  for (const RecordedEvent& event : events) {
    if (event.replay_time() != k_unknown_time) {
      if (first_ == k_unknown_time) first_ = event.replay_time();
      last_ = std::max(last_, event.replay_time());
    }
    note(event, deed_of(event), instruments[event.instrument].tick);
    books_.apply(event, instruments);
    if (event.has(k_last)) follow_mid(seen_[event.instrument], books_.of(event.instrument));
  }
}

void Calibration::note(const RecordedEvent& event, Deed deed, std::int64_t tick) {
  if (event.kind == EventKind::execute || event.kind == EventKind::trade || event.kind == EventKind::hidden_trade)
    last_trade_ = event;
  Instrument& instrument = seen_[event.instrument];
  if (event.kind == EventKind::add || event.kind == EventKind::level)
    instrument.shared_step = std::gcd(instrument.shared_step, event.price == k_unknown ? 0 : event.price);
  if (deed == Deed::none) return;
  ++deeds_[static_cast<std::size_t>(deed)];
  ++instrument.requests;
  if (times_.size() < k_most_times) times_.push_back(time::nanoseconds_of(event.replay_time()));
  if (instrument.requests % k_stretch == 0 && instrument.mid != 0) {
    if (instrument.mid_before != 0) {
      const auto moved = static_cast<double>(instrument.mid - instrument.mid_before);
      instrument.squares += moved * moved;
      ++instrument.stretches;
    }
    instrument.mid_before = instrument.mid;
  }
  if (deed != Deed::passive || event.quantity <= 0) return;
  sizes_.add(event.quantity);
  const std::int64_t step = std::max<std::int64_t>(tick != 0 ? tick : instrument.shared_step, 1);
  if (instrument.mid == 0 || event.price == k_unknown) return;
  const std::int64_t doubled = 2 * event.price - instrument.mid;
  const std::int64_t away = event.side == Side::buy ? -doubled : doubled;
  distances_.add(std::clamp<std::int64_t>((away + 2 * step - 1) / (2 * step), 1, k_farthest_tick));
}

void Calibration::follow_mid(Instrument& instrument, const Depth& depth) {
  const auto bid = depth.bids.best(), ask = depth.asks.best();
  if (!bid || !ask || bid->price >= ask->price) return;
  instrument.mid = bid->price + ask->price;
  if (instrument.reference == 0) instrument.reference = instrument.mid;
  instrument.farthest = std::max(instrument.farthest, std::abs(instrument.mid - instrument.reference));
}

/// Variance over mean of the counts in windows of one length.
double Calibration::dispersion(std::int64_t window) const {
  const std::int64_t begin = times_.front();
  double count = 0, windows = 0, sum = 0, squares = 0;
  std::int64_t end = begin + window;
  for (const std::int64_t time : times_) {
    for (; time >= end; end += window) {
      sum += count;
      squares += count * count;
      ++windows;
      count = 0;
    }
    ++count;
  }
  const double mean = windows == 0 ? 0 : sum / windows;
  return mean == 0 ? 1 : (squares / windows - mean * mean) / mean;
}

/// A Hawkes process that has the dispersion of counts over long windows, which gives the branching, and over short
/// ones, which gives the memory.
flow::ArrivalConfig Calibration::arrivals() const {
  constexpr std::size_t k_enough = 1000;
  if (times_.size() < k_enough) return {};
  const std::int64_t span = times_.back() - times_.front();
  const std::int64_t gap = span / static_cast<std::int64_t>(times_.size());
  if (gap <= 0) return {};
  const std::int64_t windows = std::clamp<std::int64_t>(static_cast<std::int64_t>(times_.size()) / 100, 10, 1000);
  const std::int64_t long_window = span / windows, short_window = 5 * gap;
  const double over_long = dispersion(long_window);
  // Of a Poisson process it is 1, with a standard deviation of the root of 2 over the number of windows.
  if (over_long < 1 + 4 * square_root(2 / static_cast<double>(windows))) return {};
  flow::ArrivalConfig fitted{.model = flow::ArrivalModel::hawkes};
  const double quiet = 1 / square_root(over_long);
  fitted.branching = std::min(990u, static_cast<std::uint32_t>((1 - quiet) * 1000));
  const double still = 1 - fitted.branching / 1000.0;
  const double over_short = dispersion(short_window);
  double nearest = -1;
  for (std::int64_t memory = 1000; memory <= 60'000'000'000; memory = memory * 5 / 4) {
    const double decays = still * static_cast<double>(short_window) / static_cast<double>(memory);
    const double expected = 1 / (still * still) + (1 - 1 / (still * still)) * mean_decay(decays);
    const double miss = expected > over_short ? expected - over_short : over_short - expected;
    if (nearest >= 0 && miss >= nearest) continue;
    nearest = miss;
    fitted.memory = time::Duration{memory};
  }
  return fitted;
}

std::expected<GeneratedDayConfig, std::string> Calibration::config(std::uint64_t seed) const {
  const std::uint64_t requests = std::accumulate(deeds_.begin(), deeds_.end(), std::uint64_t{0});
  const auto sizes = sizes_.quantiles(k_quantiles);
  const std::int64_t span = (last_ - first_).count();
  if (requests == 0 || sizes.empty()) return std::unexpected(std::string("there are no orders or levels to imitate"));
  if (first_ == k_unknown_time || span <= 0) return std::unexpected(std::string("all of it happens at one time"));
  const auto of = [this](Deed deed) { return deeds_[static_cast<std::size_t>(deed)]; };

  GeneratedDayConfig made;
  made.flow.seed = seed;
  __extension__ using Wide = unsigned __int128;
  made.flow.rate = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(Wide{requests} * 1'000'000'000 / static_cast<std::uint64_t>(span)), 1, 10'000'000);
  made.flow.shares = {.cancel = thousandths(of(Deed::cancel), requests),
                      .replace = thousandths(of(Deed::amend), requests),
                      .market = 0,
                      .immediate_or_cancel = thousandths(of(Deed::aggressive), requests),
                      .fill_or_kill = 0,
                      .crossing = 0};
  made.flow.shares.cancel -= std::min(
      made.flow.shares.cancel,  // what rounding up gave too much
      made.flow.shares.cancel + made.flow.shares.replace + made.flow.shares.immediate_or_cancel > 1000 ? 3u : 0u);
  made.flow.sizes = sizes;
  for (const std::int64_t ticks : distances_.quantiles(k_quantiles))
    made.flow.distances.push_back(static_cast<std::int32_t>(ticks));
  if (!made.flow.distances.empty()) made.flow.depth = made.flow.distances.back();
  made.flow.reach = std::clamp(made.flow.depth, 1, 5);
  made.flow.arrivals = arrivals();

  made.instruments.clear();
  double walk = 0;
  std::uint64_t stretches = 0;
  std::int64_t farthest = 1;
  for (std::size_t at = 0; at < seen_.size() && made.instruments.size() < k_most_instruments; ++at) {
    const Instrument& seen = seen_[at];
    if (seen.reference == 0) continue;
    const std::int64_t stated = instruments_[at].tick;
    const std::int64_t tick = std::max<std::int64_t>(stated != 0 ? stated : seen.shared_step, 1);
    made.instruments.push_back({.symbol = instruments_[at].symbol,
                                .price_decimals = instruments_[at].price_decimals,
                                .quantity_decimals = instruments_[at].quantity_decimals,
                                .tick = tick,
                                .reference = seen.reference / 2 / tick * tick});
    const double doubled = 2 * static_cast<double>(tick);
    walk += seen.squares / (doubled * doubled);
    stretches += seen.stretches;
    farthest = std::max(farthest, seen.farthest / (2 * tick) + 1);
  }
  if (made.instruments.empty()) return std::unexpected(std::string("no instrument ever had both a bid and an ask"));
  // A mid that moves a tick with probability p has moved p squared ticks behind each request, in the mean.
  const double per_request =
      stretches == 0 ? 0 : walk / static_cast<double>(stretches) / static_cast<double>(k_stretch);
  made.flow.mid_move = static_cast<std::uint32_t>(std::min(per_request * 1000 + 0.5, 1000.0));
  std::int64_t room = farthest + 1;
  for (const GeneratedInstrument& instrument : made.instruments)
    room = std::min(room, instrument.reference / instrument.tick - made.flow.depth - made.flow.reach - 2);
  if (room < 0) return std::unexpected(std::string("orders are too far from the price to imitate them"));
  made.flow.mid_range = static_cast<std::int32_t>(std::min<std::int64_t>(room, 1'000'000));
  made.start = first_;
  made.length = time::Duration{span};
  return made;
}

}  // namespace dojima::recorded
