#include "dojima/backtest/market/crowd.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::backtest {
namespace {

/// What is the same for every instrument of a flow's clients.
flow::FlowConfig flow_of(const MarketConfig& config, const Population& population, std::uint64_t seed) {
  flow::FlowConfig result{.seed = seed, .clients = population.count};
  result.rate = static_cast<std::uint64_t>(population.rate * population.count + 0.5);
  result.mid_range = static_cast<std::int32_t>(config.value_range);
  result.depth = static_cast<std::int32_t>(population.depth);
  result.lots_minimum = population.quantity_least;
  result.lots_maximum = population.quantity_most;
  result.lot_step = 1;
  result.arrivals.model = population.arrivals;
  return result;
}

}  // namespace

Crowd::Crowd(const MarketConfig& config, MarketVenue& venue)
    : config_(config),
      venue_(venue),
      random_(config.seed),
      values_(config.instruments.size(), 0),
      called_(venue.slots()) {
  for (const MarketInstrument& of : config.instruments)
    ticks_.push_back({.tick = of.tick, .reference = of.reference / of.tick});
  order_.terms.capacity = market::Capacity::dealing;
  // Other seeds than that of what happens by chance.
  flow::Random seeds(~config.seed);
  double rate = 0;
  for (const Population& population : config.populations) {
    const std::size_t first = participants_.size();
    for (std::uint32_t at = 0; at < population.count; ++at) {
      Participant one{.user = static_cast<std::uint16_t>(participants_.size() + 1), .habits = &population};
      one.last_middle.resize(config.instruments.size());
      one.orders.resize(2 * config.instruments.size());
      participants_.push_back(std::move(one));
    }
    if (population.kind == PopulationKind::flow) {
      clients_.push_back(
          {.flow = flow::OrderFlow(flow_of(config, population, seeds.next()), venue.instruments(), config.start),
           .first = first,
           .resting = population.resting});
      clients_.back().make();
    } else {
      rate += population.rate * population.count;
      shares_.push_back({.first = first, .count = population.count});
      rates_.push_back(rate);
    }
  }
  rate += config.news_rate * static_cast<double>(config.instruments.size());
  shares_.push_back({.first = 0, .count = 0});
  rates_.push_back(rate);
  next_by_chance_ = time::k_never;
  if (rate > 0) {
    // Whole numbers from here on.
    mean_gap_ns_ = static_cast<std::uint64_t>(1e9 / rate);
    next_by_chance_ = config.start;
    draw_next();
  }
  next_ = next_by_chance_;
  for (const Clients& clients : clients_) next_ = std::min(next_, clients.next().due);
}

void Crowd::draw_next() {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t gap_q32 = flow::exponential_q32(random_.next());
  next_by_chance_ += Duration{static_cast<std::int64_t>((static_cast<Wide>(gap_q32) * mean_gap_ns_) >> 32) + 1};
}

[[gnu::always_inline]] inline void Crowd::act_now(Time now) {
  Time next = time::k_never;
  for (Clients& clients : clients_) {
    for (; clients.next().due <= now; clients.pop()) carry_out(clients, now);
    next = std::min(next, clients.next().due);
  }
  while (next_by_chance_ <= now) {
    act_by_chance(now);
    draw_next();
  }
  next_ = std::min(next, next_by_chance_);
}

void Crowd::act(Time now) {
  act_now(now);
}

void Crowd::run_ahead(Time bound, std::size_t most, Time& now, std::uint64_t& number) {
  for (Time at = now;;) {
    if (next_ <= at) act_now(at);
    at = std::max(at, std::min(next_, venue_.next_phase()));
    if (at >= bound || --most == 0 || venue_.has_reports()) return;
    now = at;
    ++number;
    if (venue_.next_phase() <= at) venue_.keep_time(at);
  }
}

/// The first share whose rate is above the draw. No branch depends on it: no branch prediction can know.
std::size_t Crowd::draw_share() {
  const double draw =
      static_cast<double>(static_cast<std::int64_t>(random_.below(std::uint64_t{1} << 53))) * 0x1p-53 * rates_.back();
  std::size_t place = 0;
  for (std::size_t at = 0; at + 1 < rates_.size(); ++at) place += rates_[at] <= draw ? 1U : 0U;
  return place;
}

void Crowd::act_by_chance(Time now) {
  ++venue_.market_counts().actions;
  const std::size_t place = draw_share();
  const auto instrument = static_cast<std::uint32_t>(random_.below(config_.instruments.size()));
  const Share& share = shares_[place];
  if (share.count == 0) return move_value(instrument);
  Participant& one = participants_[share.first + random_.below(share.count)];
  if (!market::is_open(venue_.book(instrument).phase())) return;
  switch (one.habits->kind) {
    case PopulationKind::noise:
      return act_on_noise(one, instrument, now);
    case PopulationKind::value:
      return act_on_value(one, instrument, now);
    case PopulationKind::momentum:
      return act_on_momentum(one, instrument, now);
    case PopulationKind::market_maker:
      return make_market(one, instrument, now);
    case PopulationKind::flow:
      return;
  }
}

/// By up to news_ticks, the likelier towards the reference the further away it is.
void Crowd::move_value(std::uint32_t instrument) {
  std::int64_t& value = values_[instrument];
  const auto size = static_cast<std::int64_t>(1 + random_.below(static_cast<std::uint64_t>(config_.news_ticks)));
  const std::int64_t pull = around(config_.value_range);
  value += pull < value ? -size : size;
  value = std::clamp(value, -config_.value_range, config_.value_range);
}

/// -most to most.
std::int64_t Crowd::around(std::int64_t most) {
  return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * most + 1))) - most;
}

Crowd::Sight Crowd::look(std::uint32_t instrument) {
  const book::Book& book = venue_.book(instrument);
  const auto bid = book.best(Side::buy), ask = book.best(Side::sell);
  const Ticks& ticks = ticks_[instrument];
  Sight sight{.bid = 0, .ask = 0, .has_bid = bid.has_value(), .has_ask = ask.has_value()};
  if (bid) sight.bid = ticks.of(*bid);
  if (ask) sight.ask = ticks.of(*ask);
  if (!bid) sight.bid = ask ? sight.ask - 1 : ticks.reference - 1;
  if (!ask) sight.ask = bid ? sight.bid + 1 : ticks.reference + 1;
  if (book.phase() == market::Phase::continuous) {
    MarketCounts& counts = venue_.market_counts();
    const bool is_two_sided = bid && ask;
    ++(is_two_sided ? counts.two_sided : counts.one_sided);
    if (is_two_sided) counts.spread += static_cast<std::uint64_t>(sight.ask - sight.bid);
  }
  return sight;
}

// ---- What they ask for ----------------------------------------------------------------------------------------------

/// The order at hand; its number where it rests.
market::OrderId Crowd::submit_order(std::uint32_t instrument, std::uint16_t user, Time now) {
  order_.terms.owner = user;
  order_.labels.client_order_id = names_.take();
  return venue_.submit(order_, instrument, user, now);
}

/// The order at hand, where it rests.
void Crowd::remember(Orders& orders, market::OrderId order, std::size_t resting) {
  if (order.value == 0) return;
  constexpr std::size_t k_most_at_once = 64;
  if (orders.entered.capacity() == 0) orders.entered.reserve(std::min(resting + 1, k_most_at_once));
  orders.entered.push_back(order);
  // Field by field and in its place: a copy would read what is still on its way into memory.
  Called& fresh = called(order);
  fresh.name = order_.labels.client_order_id;
  fresh.side = order_.terms.side;
}

market::OrderId Crowd::enter(const Participant& one, std::uint32_t instrument, Side side, std::int64_t ticks,
                             bool takes, Time now) {
  const Population& habits = *one.habits;
  const auto sizes = static_cast<std::uint64_t>(habits.quantity_most - habits.quantity_least + 1);
  order_.terms.limit = {ticks * config_.instruments[instrument].tick};
  order_.terms.quantity = {habits.quantity_least + static_cast<std::int64_t>(random_.below(sizes))};
  order_.terms.displayed = order_.terms.quantity;
  order_.terms.side = side;
  order_.terms.type = market::OrderType::limit;
  // In a call nothing can be taken at once.
  const bool is_continuous = venue_.book(instrument).phase() == market::Phase::continuous;
  order_.terms.time_in_force =
      takes && is_continuous ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
  return submit_order(instrument, one.user, now);
}

/// Of orders that are all open. The list has it no more, whether it was cancelled or had ended before.
void Crowd::cancel(const Participant& one, Orders& orders, std::size_t index, std::uint32_t instrument, Side side,
                   Time now) {
  const market::OrderId order = orders.entered[index];
  DOJIMA_CHECK_SLOW(venue_.is_standing(order), "only open orders are cancelled", order, one.user, index);
  const Called& known = called(order);
  market::Cancel cancel;
  cancel.order = order;
  cancel.original_client_order_id = known.name;
  cancel.client_order_id = names_.take();
  cancel.side = known.side;
  venue_.submit(cancel, instrument, one.user, now);
  orders.entered.erase(orders.entered.begin() + static_cast<std::ptrdiff_t>(index));
  // Where only this one has ended the others are open.
  if (venue_.ended(one.user, instrument, side) == orders.ended + 1 && !venue_.is_standing(order)) ++orders.ended;
}

/// How many are still open; the others are forgotten. Looks no further than it takes to find those that have ended.
std::size_t Crowd::standing(const Participant& one, Orders& orders, std::uint32_t instrument, Side side) {
  const std::uint32_t ended = venue_.ended(one.user, instrument, side);
  std::uint32_t left = ended - orders.ended;
  orders.ended = ended;
  if (left == 1 && side != Side::none) {
    const auto last = std::ranges::find(orders.entered, venue_.last_ended(one.user, instrument, side));
    if (last != orders.entered.end()) orders.entered.erase(last);
    return orders.entered.size();
  }
  for (auto at = orders.entered.begin(); left != 0 && at != orders.entered.end();) {
    if (venue_.is_standing(*at)) {
      ++at;
    } else {
      at = orders.entered.erase(at);
      --left;
    }
  }
  return orders.entered.size();
}

void Crowd::act_on_noise(Participant& one, std::uint32_t instrument, Time now) {
  const Side side = random_.below(2) == 0 ? Side::buy : Side::sell;
  const Sight sight = look(instrument);
  if (random_.below(1000) < one.habits->takes) {
    const bool is_there = side == Side::buy ? sight.has_ask : sight.has_bid;
    if (is_there) enter(one, instrument, side, side == Side::buy ? sight.ask : sight.bid, true, now);
    return;
  }
  Orders& orders = one.orders[2 * std::size_t{instrument}];
  if (orders.entered.size() >= one.habits->resting &&
      standing(one, orders, instrument, Side::none) >= one.habits->resting)
    cancel(one, orders, 0, instrument, Side::none, now);
  const auto away = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(one.habits->depth + 1)));
  const std::int64_t ticks = side == Side::buy ? sight.ask - 1 - away : sight.bid + 1 + away;
  remember(orders, enter(one, instrument, side, ticks, false, now), one.habits->resting);
}

void Crowd::act_on_value(const Participant& one, std::uint32_t instrument, Time now) {
  const std::int64_t value = ticks_[instrument].reference + values_[instrument] + around(one.habits->error);
  const Sight sight = look(instrument);
  if (sight.has_ask && sight.ask + one.habits->threshold <= value)
    enter(one, instrument, Side::buy, sight.ask, true, now);
  else if (sight.has_bid && sight.bid - one.habits->threshold >= value)
    enter(one, instrument, Side::sell, sight.bid, true, now);
}

void Crowd::act_on_momentum(Participant& one, std::uint32_t instrument, Time now) {
  const Sight sight = look(instrument);
  if (!sight.has_bid || !sight.has_ask) return;
  const std::int64_t middle = sight.bid + sight.ask, before = std::exchange(one.last_middle[instrument], middle);
  if (before == 0) return;
  if (middle - before >= 2 * one.habits->threshold) enter(one, instrument, Side::buy, sight.ask, true, now);
  if (before - middle >= 2 * one.habits->threshold) enter(one, instrument, Side::sell, sight.bid, true, now);
}

void Crowd::make_market(const Participant& one, std::uint32_t instrument, Time now) {
  const Sight sight = look(instrument);
  const Population& habits = *one.habits;
  const std::int64_t tick = config_.instruments[instrument].tick;
  const std::int64_t held = venue_.position(one.user, instrument);
  // A tick for each tenth of what it may hold, away from where it holds.
  const std::int64_t skew = -held * 10 / habits.most_position;
  const std::int64_t middle = (sight.bid + sight.ask) / 2 + skew;
  const std::int64_t half = 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(habits.depth)));
  market::Quote quote;
  quote.bid = {(middle - half) * tick};
  quote.ask = {(middle + half) * tick};
  quote.bid_size = {held >= habits.most_position ? 0 : habits.quantity_most};
  quote.ask_size = {held <= -habits.most_position ? 0 : habits.quantity_most};
  quote.capacity = market::Capacity::dealing;
  quote.labels.client_order_id = names_.take();
  venue_.submit(quote, instrument, one.user, now);
}

/// As flow::decide() says.
void Crowd::carry_out(Clients& clients, Time now) {
  const flow::Intent& intent = clients.next();
  const std::uint32_t instrument = intent.instrument;
  ++venue_.market_counts().actions;
  const market::Phase phase = venue_.book(instrument).phase();
  if (!market::is_open(phase)) return;
  Participant& one = participants_[clients.first + intent.client];
  Orders& orders = one.orders[2 * std::size_t{instrument} + (intent.side == Side::buy ? 0 : 1)];
  const std::size_t live = standing(one, orders, instrument, intent.side);
  const flow::Decision decision = flow::decide(intent, live, clients.resting);
  if (decision.kind == flow::IntentKind::cancel)
    return cancel(one, orders, decision.index, instrument, intent.side, now);
  if (decision.kind == flow::IntentKind::replace) {
    const market::OrderId order = orders.entered[decision.index];
    DOJIMA_CHECK_SLOW(venue_.is_standing(order), "only open orders are replaced", order, one.user, decision.index);
    const Called& old = called(order);
    market::Replace replace;
    replace.order = order;
    replace.limit = intent.price;
    replace.stop = {-1};
    replace.quantity = replace.displayed = intent.quantity;
    replace.side = old.side;
    replace.original_client_order_id = old.name;
    replace.client_order_id = names_.take();
    venue_.submit(replace, instrument, one.user, now);
    return;
  }
  const bool is_continuous = phase == market::Phase::continuous;
  order_.terms.limit = intent.price;
  order_.terms.quantity = order_.terms.displayed = intent.quantity;
  order_.terms.side = intent.side;
  order_.terms.type = intent.type;
  order_.terms.time_in_force = is_continuous ? intent.time_in_force : market::TimeInForce::day;
  remember(orders, submit_order(instrument, one.user, now), clients.resting);
}

std::array<std::int64_t, k_population_kinds> Crowd::positions() const {
  std::array<std::int64_t, k_population_kinds> result{};
  for (const Participant& one : participants_)
    for (std::uint32_t instrument = 0; instrument < config_.instruments.size(); ++instrument)
      result[static_cast<std::size_t>(one.habits->kind)] += venue_.position(one.user, instrument);
  return result;
}

}  // namespace dojima::backtest
