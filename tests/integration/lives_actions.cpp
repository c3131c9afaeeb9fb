// What traders, operators and fate do at random in Lives.

#include "tests/integration/lives.hpp"

namespace dojima::integration {
namespace {

Fields order_fields(const std::string& side, std::uint64_t lots, const std::string& limit, const std::string& symbol) {
  return {{{11, ""},
           {55, symbol},
           {54, side},
           {60, "20260720-12:00:00.000"},
           {38, std::to_string(lots)},
           {40, "2"},
           {44, limit}}};
}

}  // namespace

void Lives::settle() {
  // A death that was planned may come while things settle.
  for (int round = 0; round < 20; ++round) {
    become_ready();
    run(3s);
    if (gateway && venue && (second || !options_.has_second)) break;
  }
  listen();
}

void Lives::become_ready() {
  for (int count = 0; count < 600; ++count) {
    if (!venue) start_venue();
    if (!second) start_second();
    if (!gateway) start_gateway();
    run(100ms);
    if (is_ready()) break;
  }
}

bool Lives::is_ready() const {
  const auto is_on = [](const auto& trader) { return trader->client.session.is_logged_on(); };
  bool is_all = gateway && venue && (second || !options_.has_second) && std::ranges::all_of(traders, is_on);
  for (std::size_t client = 0; is_all && client < k_traders; ++client) is_all = gateway->object->is_venue_ready(client);
  return is_all && (!firm || is_on(firm));
}

void Lives::act() {
  Trader& who = *traders[draw(k_traders)];
  if (options_.has_quotes && draw(3) == 0)
    quote(who);
  else if (draw(3) != 0 || who.ids.empty())
    enter(who);
  else
    change(who, draw(2) == 0 ? 'F' : 'G');
  if (options_.has_busts && venue && busts_() % 6 == 0) bust();
}

void Lives::bust() {
  constexpr std::uint64_t k_back = 40;
  Venue& where = second && busts_() % 2 == 0 ? *second : *venue;
  const std::uint64_t trade = where.partition().next_trade() - 1 - busts_() % k_back;
  const bool is_correction = busts_() % 2 == 0;
  const market::Price price{static_cast<std::int64_t>(90 + busts_() % 20) * market::k_price_scale};
  for (const std::uint32_t instrument : {7U, 8U}) {
    if (where.partition().book(instrument) == nullptr) continue;
    if (is_correction)
      corrected += where.front->correct_trade(instrument, trade, price, scheduler.now()) ? 1U : 0U;
    else
      busted += where.front->bust_trade(instrument, trade, scheduler.now()) ? 1U : 0U;
  }
}

std::string Lives::enter(Trader& who) {
  const char* const side = draw(2) == 0 ? "1" : "2";
  const char* const symbol = draw(2) == 0 ? "ALPHA" : "BETA";
  const std::uint64_t lots = 1 + draw(100);
  return enter(who, side, lots, price(), symbol);
}

std::string Lives::enter(Trader& who, const std::string& side, std::uint64_t lots, const std::string& limit,
                         const std::string& symbol) {
  Fields fields = order_fields(side, lots, limit, symbol);
  if (options_.has_days && draw(2) == 0) fields.set(59, "6").set(432, "20260801");
  if (options_.has_sub_id && &who == traders[0].get() && draw(2) == 0)
    fields.list.insert(fields.list.begin(), {50, "ANN"});
  return enter(who, std::move(fields));
}

std::string Lives::enter_until_august(Trader& who, const std::string& side, std::uint64_t lots,
                                      const std::string& limit) {
  return enter(who, order_fields(side, lots, limit, "ALPHA").set(59, "6").set(432, "20260801"));
}

std::string Lives::enter(Trader& who, Fields fields) {
  const std::string id = "D-" + std::to_string(++last_id_);
  who.ledger.requested(id, 'D', "");
  who.ids.push_back(id);
  fields.set(11, id);
  sides_[id] = fields;
  who.client.send("D", fields);
  return id;
}

void Lives::sell_at_venue(int times, std::int64_t units) {
  for (int count = 0; count < times; ++count) {
    market::NewOrder order;
    order.header.instrument = 7;
    order.header.user = 1;
    order.terms.side = market::Side::sell;
    order.terms.limit = {units * market::k_price_scale};
    order.terms.quantity = order.terms.displayed = {1};
    order.terms.type = market::OrderType::limit;
    order.terms.capacity = market::Capacity::dealing;
    EXPECT_TRUE(venue->partition().submit(order.header, scheduler.now()).has_value());
  }
}

std::string Lives::quote(Trader& who) {
  const std::uint64_t bid = 95 + draw(10);
  return quote(who, bid, draw(4) * 10, bid + 1 + draw(3), draw(4) * 10, draw(2) == 0 ? "ALPHA" : "BETA");
}

std::string Lives::quote(Trader& who, std::uint64_t bid, std::uint64_t bid_size, std::uint64_t ask,
                         std::uint64_t ask_size, const std::string& symbol) {
  const std::string id = "S-" + std::to_string(++last_id_);
  who.ledger.requested(id, 'S', "");
  who.ids.push_back(id);
  sides_[id] = {{{11, id}, {55, symbol}, {54, draw(2) == 0 ? "1" : "2"}, {60, "20260720-12:00:00.000"}}};
  who.client.send("S", {{{117, id},
                         {55, symbol},
                         {132, std::to_string(bid)},
                         {133, std::to_string(ask)},
                         {134, std::to_string(bid_size)},
                         {135, std::to_string(ask_size)}}});
  return id;
}

void Lives::change(Trader& who, char type) {
  const std::string& orig = who.ids[who.ids.size() - 1 - draw(std::min<std::size_t>(who.ids.size(), 10))];
  change(who, orig.starts_with("S-") ? 'F' : type, orig);
}

std::string Lives::change(Trader& who, char type, const std::string& orig) {
  const std::string id = std::string(1, type) + "-" + std::to_string(++last_id_);
  who.ledger.requested(id, type, orig);
  Fields fields = sides_.at(orig);
  fields.set(11, id).set(41, orig);
  if (type == 'F') {
    fields.drop(38).drop(40).drop(44).drop(59).drop(432);
  } else {
    fields.set(38, std::to_string(1 + draw(120))).set(44, price());
    sides_[id] = fields;
    who.ids.push_back(id);
  }
  who.client.send(std::string(1, type), fields);
  return id;
}

void Lives::kill_something() {
  const bool loses_power = options_.durability == journal::Durability::power && draw(2) == 0;
  if (options_.has_second && draw(3) == 0) return kill_the_second(loses_power);
  const bool is_gateway = draw(2) == 0;
  if (is_gateway ? !gateway : !venue) return;
  ++kills;
  journal::SimulatedDisk& disk = is_gateway ? gateway_disk : venue_disk;
  pairs::Fuse& fuse = is_gateway ? gateway_fuse : venue_fuse;
  switch (draw(3)) {
    case 0:
      return is_gateway ? kill_gateway(loses_power, draw(2) == 0) : kill_venue(loses_power, draw(2) == 0);
    case 1:
      return loses_power ? disk.lose_power_at(1 + draw(12)) : disk.end_process_at(1 + draw(12));
    default:
      return fuse.light(1 + draw(40), loses_power);
  }
}

void Lives::kill_the_second(bool loses_power) {
  if (!second) return;
  ++kills;
  switch (draw(3)) {
    case 0:
      return kill_second(loses_power, draw(2) == 0);
    case 1:
      return loses_power ? second_disk.lose_power_at(1 + draw(12)) : second_disk.end_process_at(1 + draw(12));
    default:
      return second_fuse.light(1 + draw(40), loses_power);
  }
}

}  // namespace dojima::integration
