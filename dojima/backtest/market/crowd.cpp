#include "dojima/backtest/market/crowd.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dojima::backtest {
namespace {

/// A client order id.
Text<20> name_text(std::uint64_t number) {
  Text<20> text;
  std::to_chars(text.chars.data(), text.chars.data() + text.chars.size(), number);
  return text;
}

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
    : config_(config), venue_(venue), random_(config.seed), values_(config.instruments.size(), 0) {
  // Other seeds than that of what happens by chance.
  flow::Random seeds(~config.seed);
  double rate = 0;
  for (const Population& population : config.populations) {
    const std::size_t first = participants_.size();
    for (std::uint32_t at = 0; at < population.count; ++at) {
      Participant one{.user = static_cast<std::uint16_t>(participants_.size() + 1), .habits = &population};
      one.last_middle.resize(config.instruments.size());
      one.entered.resize(2 * config.instruments.size());
      participants_.push_back(std::move(one));
    }
    if (population.kind == PopulationKind::flow) {
      flow::OrderFlow flow(flow_of(config, population, seeds.next()), venue.instruments(), config.start);
      const flow::Intent next = flow.next();
      clients_.push_back({.flow = std::move(flow), .next = next, .first = first, .resting = population.resting});
    } else {
      rate += population.rate * population.count;
      shares_.push_back({.rate = rate, .first = first, .count = population.count});
    }
  }
  rate += config.news_rate * static_cast<double>(config.instruments.size());
  shares_.push_back({.rate = rate, .first = 0, .count = 0});
  next_by_chance_ = time::k_never;
  if (rate > 0) {
    // Whole numbers from here on.
    mean_gap_ns_ = static_cast<std::uint64_t>(1e9 / rate);
    next_by_chance_ = config.start;
    draw_next();
  }
  plan();
}

void Crowd::plan() {
  next_ = next_by_chance_;
  for (const Clients& clients : clients_) next_ = std::min(next_, clients.next.due);
}

void Crowd::draw_next() {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t gap_q32 = flow::exponential_q32(random_.next());
  next_by_chance_ += Duration{static_cast<std::int64_t>((static_cast<Wide>(gap_q32) * mean_gap_ns_) >> 32) + 1};
}

void Crowd::act(Time now) {
  for (Clients& clients : clients_) {
    while (clients.next.due <= now) {
      carry_out(clients, now);
      clients.next = clients.flow.next();
    }
  }
  while (next_by_chance_ <= now) {
    act_by_chance(now);
    draw_next();
  }
  plan();
}

void Crowd::act_by_chance(Time now) {
  ++venue_.market_counts().actions;
  const double draw = static_cast<double>(random_.below(std::uint64_t{1} << 53)) * 0x1p-53 * shares_.back().rate;
  const auto place =
      std::min(static_cast<std::size_t>(std::ranges::upper_bound(shares_, draw, {}, &Share::rate) - shares_.begin()),
               shares_.size() - 1);
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
  const MarketInstrument& of = config_.instruments[instrument];
  Sight sight{.bid = 0, .ask = 0, .has_bid = bid.has_value(), .has_ask = ask.has_value()};
  if (bid) sight.bid = bid->units / of.tick;
  if (ask) sight.ask = ask->units / of.tick;
  if (!bid) sight.bid = ask ? sight.ask - 1 : of.reference / of.tick - 1;
  if (!ask) sight.ask = bid ? sight.bid + 1 : of.reference / of.tick + 1;
  if (book.phase() == market::Phase::continuous) {
    MarketCounts& counts = venue_.market_counts();
    const bool is_two_sided = bid && ask;
    ++(is_two_sided ? counts.two_sided : counts.one_sided);
    if (is_two_sided) counts.spread += static_cast<std::uint64_t>(sight.ask - sight.bid);
  }
  return sight;
}

// ---- What they ask for ----------------------------------------------------------------------------------------------

Entered Crowd::submit(market::NewOrder& order, std::uint32_t instrument, std::uint16_t user, Time now) {
  const std::uint64_t name = ++names_;
  order.terms.owner = user;
  order.terms.capacity = market::Capacity::dealing;
  order.labels.client_order_id = name_text(name);
  return {.order = venue_.submit(order, instrument, user, now), .name = name, .side = order.terms.side};
}

Entered Crowd::enter(const Participant& one, std::uint32_t instrument, Side side, std::int64_t ticks, bool takes,
                     Time now) {
  market::NewOrder order;
  const Population& habits = *one.habits;
  const auto sizes = static_cast<std::uint64_t>(habits.quantity_most - habits.quantity_least + 1);
  order.terms.limit = {ticks * config_.instruments[instrument].tick};
  order.terms.quantity = {habits.quantity_least + static_cast<std::int64_t>(random_.below(sizes))};
  order.terms.displayed = order.terms.quantity;
  order.terms.side = side;
  order.terms.type = market::OrderType::limit;
  // In a call nothing can be taken at once.
  const bool is_continuous = venue_.book(instrument).phase() == market::Phase::continuous;
  order.terms.time_in_force =
      takes && is_continuous ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::day;
  return submit(order, instrument, one.user, now);
}

void Crowd::cancel(const Entered& entered, std::uint32_t instrument, std::uint16_t user, Time now) {
  market::Cancel cancel;
  cancel.order = entered.order;
  cancel.original_client_order_id = name_text(entered.name);
  cancel.client_order_id = name_text(++names_);
  cancel.side = entered.side;
  venue_.submit(cancel, instrument, user, now);
}

/// Those of its orders that still stand.
std::vector<Entered>& Crowd::standing_of(Participant& one, std::size_t place) {
  std::vector<Entered>& entered = one.entered[place];
  std::erase_if(entered, [this](const Entered& order) { return !venue_.is_standing(order.order); });
  return entered;
}

void Crowd::act_on_noise(Participant& one, std::uint32_t instrument, Time now) {
  const Side side = random_.below(2) == 0 ? Side::buy : Side::sell;
  const Sight sight = look(instrument);
  if (random_.below(1000) < one.habits->takes) {
    const bool is_there = side == Side::buy ? sight.has_ask : sight.has_bid;
    if (is_there) enter(one, instrument, side, side == Side::buy ? sight.ask : sight.bid, true, now);
    return;
  }
  std::vector<Entered>& entered = one.entered[2 * std::size_t{instrument}];
  if (entered.size() >= one.habits->resting &&
      standing_of(one, 2 * std::size_t{instrument}).size() >= one.habits->resting) {
    cancel(entered.front(), instrument, one.user, now);
    entered.erase(entered.begin());
  }
  const auto away = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(one.habits->depth + 1)));
  const std::int64_t ticks = side == Side::buy ? sight.ask - 1 - away : sight.bid + 1 + away;
  const Entered order = enter(one, instrument, side, ticks, false, now);
  if (order.order.value != 0) entered.push_back(order);
}

void Crowd::act_on_value(const Participant& one, std::uint32_t instrument, Time now) {
  const MarketInstrument& of = config_.instruments[instrument];
  const std::int64_t value = of.reference / of.tick + values_[instrument] + around(one.habits->error);
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
  quote.labels.client_order_id = name_text(++names_);
  venue_.submit(quote, instrument, one.user, now);
}

/// As flow::decide() says.
void Crowd::carry_out(Clients& clients, Time now) {
  const flow::Intent& intent = clients.next;
  const std::uint32_t instrument = intent.instrument;
  ++venue_.market_counts().actions;
  const market::Phase phase = venue_.book(instrument).phase();
  if (!market::is_open(phase)) return;
  Participant& one = participants_[clients.first + intent.client];
  std::vector<Entered>& entered = standing_of(one, 2 * std::size_t{instrument} + (intent.side == Side::buy ? 0 : 1));
  const flow::Decision decision = flow::decide(intent, entered.size(), clients.resting);
  if (decision.kind == flow::IntentKind::cancel) {
    cancel(entered[decision.index], instrument, one.user, now);
    entered.erase(entered.begin() + static_cast<std::ptrdiff_t>(decision.index));
    return;
  }
  if (decision.kind == flow::IntentKind::replace) {
    const Entered& old = entered[decision.index];
    market::Replace replace;
    replace.order = old.order;
    replace.limit = intent.price;
    replace.stop = {-1};
    replace.quantity = replace.displayed = intent.quantity;
    replace.side = old.side;
    replace.original_client_order_id = name_text(old.name);
    replace.client_order_id = name_text(++names_);
    venue_.submit(replace, instrument, one.user, now);
    return;
  }
  const bool is_continuous = phase == market::Phase::continuous;
  market::NewOrder order;
  order.terms.limit = intent.price;
  order.terms.quantity = order.terms.displayed = intent.quantity;
  order.terms.side = intent.side;
  order.terms.type = intent.type;
  order.terms.time_in_force = is_continuous ? intent.time_in_force : market::TimeInForce::day;
  const Entered stood = submit(order, instrument, one.user, now);
  if (stood.order.value != 0) entered.push_back(stood);
}

std::array<std::int64_t, k_population_kinds> Crowd::positions() const {
  std::array<std::int64_t, k_population_kinds> result{};
  for (const Participant& one : participants_)
    for (std::uint32_t instrument = 0; instrument < config_.instruments.size(); ++instrument)
      result[static_cast<std::size_t>(one.habits->kind)] += venue_.position(one.user, instrument);
  return result;
}

}  // namespace dojima::backtest
