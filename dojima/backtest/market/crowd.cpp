#include "dojima/backtest/market/crowd.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::backtest {
namespace {

constexpr market::Level k_none = market::TickTable::k_none;

/// What is the same for every instrument of a flow's clients.
flow::FlowConfig flow_of(const MarketConfig& config, const Population& population, std::uint64_t seed) {
  flow::FlowConfig result{.seed = seed, .clients = population.count};
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): the bytes of a market hang on it
  result.rate = static_cast<std::uint64_t>(population.rate * population.count + 0.5);
  result.mid_range = static_cast<std::int32_t>(config.value_range);
  result.depth = static_cast<std::int32_t>(population.depth);
  result.lots_minimum = population.quantity_least;
  result.lots_maximum = population.quantity_most;
  result.lot_step = 1;
  result.arrivals.model = population.arrivals;
  return result;
}

/// In registers: std::min is about places in memory, and g++ 12 puts both there.
Time earlier(Time one, Time other) {
  return one < other ? one : other;
}

std::size_t count_of(const MarketConfig& config, PopulationKind kind) {
  std::size_t count = 0;
  for (const Population& population : config.populations) count += population.kind == kind ? population.count : 0;
  return count;
}

constexpr std::size_t k_most_room = 64;  // of a list at first

std::size_t most_resting_of_noise(const MarketConfig& config) {
  std::size_t most = 1;
  for (const Population& population : config.populations)
    if (population.kind == PopulationKind::noise) most = std::max<std::size_t>(most, population.resting);
  return std::min(most, k_most_room);
}

/// More rest than a flow's clients want, as orders come while cancels wait for their turn.
std::size_t room_of_flow(const Population& population) {
  return std::min<std::size_t>(3 * std::size_t{population.resting}, k_most_room);
}

}  // namespace

Crowd::Crowd(const MarketConfig& config, MarketVenue& venue)
    : config_(config),
      venue_(venue),
      random_(config.seed),
      values_(config.instruments.size(), 0),
      noise_(count_of(config, PopulationKind::noise) * config.instruments.size(), most_resting_of_noise(config)),
      last_middles_(count_of(config, PopulationKind::momentum) * config.instruments.size()) {
  const std::size_t instruments = config.instruments.size();
  for (std::size_t at = 0; at < instruments; ++at) {
    const MarketInstrument& of = config.instruments[at];
    const market::Price lowest = venue.instruments()[at].ticks.price_of(market::Level{0});
    ticks_.push_back({.lowest = lowest.units / of.tick, .reference = of.reference / of.tick});
  }
  order_.terms.capacity = market::Capacity::dealing;
  // Other seeds than that of what happens by chance.
  flow::Random seeds(~config.seed);
  double rate = 0;
  std::size_t noise = 0, momentum = 0;  // places so far
  for (const Population& population : config.populations) {
    const auto first = static_cast<std::uint16_t>(habits_.size() + 1);
    habits_.insert(habits_.end(), population.count, &population);
    if (population.kind == PopulationKind::flow) {
      clients_.push_back(
          {.flow = flow::OrderFlow(flow_of(config, population, seeds.next()), venue.instruments(), config.start),
           .orders = OrderLists(std::size_t{2} * population.count * instruments, room_of_flow(population)),
           .first = first,
           .resting = population.resting});
      clients_.back().make();
      continue;
    }
    rate += population.rate * population.count;
    shares_.push_back({.habits = &population, .first = first, .count = population.count});
    rates_.push_back(rate);
    if (population.kind == PopulationKind::noise) shares_.back().place = std::exchange(noise, noise + population.count);
    if (population.kind == PopulationKind::momentum)
      shares_.back().place = std::exchange(momentum, momentum + population.count);
  }
  rate += config.news_rate * static_cast<double>(config.instruments.size());
  shares_.push_back({});
  rates_.push_back(rate);
  coming_.at = time::k_never;
  if (rate > 0) {
    // Whole numbers from here on.
    mean_gap_ns_ = static_cast<std::uint64_t>(1e9 / rate);
    coming_.at = config.start;
    draw_next();
  }
  next_ = coming_.at;
  for (const Clients& clients : clients_) next_ = std::min(next_, clients.next().due);
}

/// The next who acts by chance, and when. What it will need comes from memory meanwhile.
void Crowd::draw_next() {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t gap_q32 = flow::exponential_q32(random_.next());
  coming_.at += Duration{static_cast<std::int64_t>((static_cast<Wide>(gap_q32) * mean_gap_ns_) >> 32) + 1};
  coming_.share = draw_share();
  coming_.instrument = static_cast<std::uint32_t>(random_.below(config_.instruments.size()));
  const Share& share = shares_[coming_.share];
  if (share.count == 0) return;
  coming_.one = static_cast<std::uint32_t>(random_.below(share.count));
  const std::size_t place = (share.place + coming_.one) * config_.instruments.size() + coming_.instrument;
  if (share.habits->kind == PopulationKind::noise) noise_.prefetch(place);
  venue_.prefetch(static_cast<std::uint16_t>(share.first + coming_.one), coming_.instrument);
}

[[gnu::always_inline]] inline void Crowd::act_now(Time now) {
  Time next = time::k_never;
  for (Clients& clients : clients_) {
    Time due = clients.next().due;
    for (; due <= now; due = clients.next().due) {
      carry_out(clients, now);
      clients.pop();
    }
    next = earlier(next, due);
  }
  while (coming_.at <= now) act_by_chance(now);
  next_ = earlier(next, coming_.at);
}

void Crowd::act(Time now) {
  act_now(now);
}

void Crowd::run_ahead(Time bound, std::size_t most, Time& now, std::uint64_t& number) {
  for (Time at = now;;) {
    if (next_ <= at) act_now(at);
    const Time next = earlier(next_, venue_.next_phase());
    at = next < at ? at : next;
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
  const std::uint32_t instrument = coming_.instrument;
  const Share& share = shares_[coming_.share];
  if (share.count == 0) {
    move_value(instrument);
    return draw_next();
  }
  if (!market::is_open(venue_.book(instrument).phase())) return draw_next();
  const auto user = static_cast<std::uint16_t>(share.first + coming_.one);
  const std::size_t place = (share.place + coming_.one) * config_.instruments.size() + instrument;
  switch (share.habits->kind) {
    case PopulationKind::noise:
      return act_on_noise(*share.habits, user, place, instrument, now);
    case PopulationKind::value:
      return act_on_value(*share.habits, user, instrument, now);
    case PopulationKind::momentum:
      return act_on_momentum(*share.habits, user, place, instrument, now);
    case PopulationKind::market_maker:
      return make_market(*share.habits, user, instrument, now);
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
  const market::Level bid = book.level_of_best(Side::buy), ask = book.level_of_best(Side::sell);
  const Ticks& ticks = ticks_[instrument];
  Sight sight{.bid = ticks.of(bid), .ask = ticks.of(ask), .has_bid = bid != k_none, .has_ask = ask != k_none};
  if (!sight.has_bid) sight.bid = sight.has_ask ? sight.ask - 1 : ticks.reference - 1;
  if (!sight.has_ask) sight.ask = sight.has_bid ? sight.bid + 1 : ticks.reference + 1;
  if (book.phase() == market::Phase::continuous) {
    MarketCounts& counts = venue_.market_counts();
    const bool is_two_sided = sight.has_bid && sight.has_ask;
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

std::int64_t Crowd::draw_quantity(const Population& habits) {
  const auto sizes = static_cast<std::uint64_t>(habits.quantity_most - habits.quantity_least + 1);
  return habits.quantity_least + static_cast<std::int64_t>(random_.below(sizes));
}

market::OrderId Crowd::enter(std::uint16_t user, std::uint32_t instrument, Side side, std::int64_t ticks,
                             std::int64_t quantity, bool takes, Time now) {
  order_.terms.limit = {ticks * config_.instruments[instrument].tick};
  order_.terms.quantity = {quantity};
  order_.terms.displayed = order_.terms.quantity;
  order_.terms.side = side;
  order_.terms.type = market::OrderType::limit;
  // In a call nothing can be taken at once.
  const bool is_continuous = venue_.book(instrument).phase() == market::Phase::continuous;
  order_.terms.time_in_force =
      takes && is_continuous ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
  return submit_order(instrument, user, now);
}

/// The list has it no more, whether it was cancelled or not.
void Crowd::cancel(std::uint16_t user, OrderLists::List orders, std::size_t index, std::uint32_t instrument, Time now) {
  const market::OrderId order = orders[index];
  DOJIMA_CHECK_SLOW(venue_.is_standing(order), "a list has open orders only", order, user, index);
  market::Cancel cancel;
  cancel.order = order;
  cancel.original_client_order_id = venue_.name_of(order);
  cancel.client_order_id = names_.take();
  cancel.side = venue_.side_of(order);
  venue_.forget(orders, index);
  venue_.submit(cancel, instrument, user, now);
}

void Crowd::act_on_noise(const Population& habits, std::uint16_t user, std::size_t place, std::uint32_t instrument,
                         Time now) {
  const Side side = random_.below(2) == 0 ? Side::buy : Side::sell;
  const Sight sight = look(instrument);
  if (random_.below(1000) < habits.takes) {
    const bool is_there = side == Side::buy ? sight.has_ask : sight.has_bid;
    if (!is_there) return draw_next();
    const std::int64_t quantity = draw_quantity(habits);
    draw_next();
    enter(user, instrument, side, side == Side::buy ? sight.ask : sight.bid, quantity, true, now);
    return;
  }
  const auto away = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(habits.depth + 1)));
  const std::int64_t quantity = draw_quantity(habits);
  draw_next();
  const OrderLists::List orders = noise_.of(place);
  if (orders.size() >= habits.resting) cancel(user, orders, 0, instrument, now);
  const std::int64_t ticks = side == Side::buy ? sight.ask - 1 - away : sight.bid + 1 + away;
  const market::OrderId order = enter(user, instrument, side, ticks, quantity, false, now);
  if (order.value != 0)
    venue_.remember(order, order_.labels.client_order_id, noise_, static_cast<std::uint32_t>(place));
}

void Crowd::act_on_value(const Population& habits, std::uint16_t user, std::uint32_t instrument, Time now) {
  const std::int64_t value = ticks_[instrument].reference + values_[instrument] + around(habits.error);
  const Sight sight = look(instrument);
  const bool buys = sight.has_ask && sight.ask + habits.threshold <= value;
  const bool sells = !buys && sight.has_bid && sight.bid - habits.threshold >= value;
  if (!buys && !sells) return draw_next();
  const std::int64_t quantity = draw_quantity(habits);
  draw_next();
  enter(user, instrument, buys ? Side::buy : Side::sell, buys ? sight.ask : sight.bid, quantity, true, now);
}

void Crowd::act_on_momentum(const Population& habits, std::uint16_t user, std::size_t place, std::uint32_t instrument,
                            Time now) {
  const Sight sight = look(instrument);
  if (!sight.has_bid || !sight.has_ask) return draw_next();
  const std::int64_t middle = sight.bid + sight.ask, before = std::exchange(last_middles_[place], middle);
  // Without a threshold both where it has not moved.
  const bool buys = before != 0 && middle - before >= 2 * habits.threshold;
  const bool sells = before != 0 && before - middle >= 2 * habits.threshold;
  const std::int64_t bought = buys ? draw_quantity(habits) : 0;
  const std::int64_t sold = sells ? draw_quantity(habits) : 0;
  draw_next();
  if (buys) enter(user, instrument, Side::buy, sight.ask, bought, true, now);
  if (sells) enter(user, instrument, Side::sell, sight.bid, sold, true, now);
}

void Crowd::make_market(const Population& habits, std::uint16_t user, std::uint32_t instrument, Time now) {
  const Sight sight = look(instrument);
  const std::int64_t half = 1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(habits.depth)));
  draw_next();
  const std::int64_t tick = config_.instruments[instrument].tick;
  const std::int64_t held = venue_.position(user, instrument);
  // A tick for each tenth of what it may hold, away from where it holds.
  const std::int64_t skew = -held * 10 / habits.most_position;
  const std::int64_t middle = (sight.bid + sight.ask) / 2 + skew;
  market::Quote quote;
  quote.bid = {(middle - half) * tick};
  quote.ask = {(middle + half) * tick};
  quote.bid_size = {held >= habits.most_position ? 0 : habits.quantity_most};
  quote.ask_size = {held <= -habits.most_position ? 0 : habits.quantity_most};
  quote.capacity = market::Capacity::dealing;
  quote.labels.client_order_id = names_.take();
  venue_.submit(quote, instrument, user, now);
}

/// As flow::decide() says.
void Crowd::carry_out(Clients& clients, Time now) {
  const flow::Intent& intent = clients.next();
  const std::uint32_t instrument = intent.instrument;
  ++venue_.market_counts().actions;
  const market::Phase phase = venue_.book(instrument).phase();
  if (!market::is_open(phase)) return;
  const auto user = static_cast<std::uint16_t>(clients.first + intent.client);
  const std::size_t list =
      2 * (intent.client * config_.instruments.size() + instrument) + (intent.side == Side::buy ? 0 : 1);
  const OrderLists::List orders = clients.orders.of(list);
  const flow::Decision decision = flow::decide(intent, orders.size(), clients.resting);
  if (decision.kind == flow::IntentKind::cancel) return cancel(user, orders, decision.index, instrument, now);
  if (decision.kind == flow::IntentKind::replace) {
    const market::OrderId order = orders[decision.index];
    DOJIMA_CHECK_SLOW(venue_.is_standing(order), "only open orders are replaced", order, user, decision.index);
    market::Replace replace;
    replace.order = order;
    replace.limit = intent.price;
    replace.stop = {-1};
    replace.quantity = replace.displayed = intent.quantity;
    replace.side = venue_.side_of(order);
    replace.original_client_order_id = venue_.name_of(order);
    replace.client_order_id = names_.take();
    venue_.submit(replace, instrument, user, now);
    return;
  }
  const bool is_continuous = phase == market::Phase::continuous;
  order_.terms.limit = intent.price;
  order_.terms.quantity = order_.terms.displayed = intent.quantity;
  order_.terms.side = intent.side;
  order_.terms.type = intent.type;
  order_.terms.time_in_force = is_continuous ? intent.time_in_force : market::TimeInForce::day;
  const market::OrderId order = submit_order(instrument, user, now);
  if (order.value != 0)
    venue_.remember(order, order_.labels.client_order_id, clients.orders, static_cast<std::uint32_t>(list));
}

std::array<std::int64_t, k_population_kinds> Crowd::positions() const {
  std::array<std::int64_t, k_population_kinds> result{};
  for (std::size_t at = 0; at < habits_.size(); ++at)
    for (std::uint32_t instrument = 0; instrument < config_.instruments.size(); ++instrument)
      result[static_cast<std::size_t>(habits_[at]->kind)] +=
          venue_.position(static_cast<std::uint16_t>(at + 1), instrument);
  return result;
}

}  // namespace dojima::backtest
