// Random lives of orders: clients and venue do what they like, in any interleaving; what was reported to the client is
// what happened at the venue.

#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind, market::OrderStatus, market::Reason;

/// A venue that keeps orders, takes its requests one by one, and lets them trade with nobody.
class ModelVenue {
 public:
  explicit ModelVenue(ScriptedVenue& venue) : venue_(venue) {}

  struct Held {
    market::NewOrder order;  // as amended, under its present client order id
    std::uint64_t id = 0;
    std::int64_t executed = 0;
    bool is_open = true;
    [[nodiscard]] std::int64_t leaves() const { return order.terms.quantity.lots - executed; }
  };

  [[nodiscard]] bool has_work() const { return handled_ < venue_.inbox.size(); }

  /// Answers the oldest request that is not answered. `mood` 0 to 9: what kind of answer.
  void handle_next(unsigned mood) {
    const char type = venue_.inbox[handled_++];
    if (type == 'D') {
      handle(venue_.orders[next_order_++], mood);
    } else if (type == 'F') {
      handle(venue_.cancels[next_cancel_++], mood);
    } else {
      handle(venue_.replaces[next_replace_++], mood);
    }
  }

  void fill(std::size_t pick, std::int64_t quantity, std::int64_t price) {
    Held* held = pick_open(pick);
    if (held == nullptr) return;
    quantity = std::min(quantity, held->leaves());
    held->executed += quantity;
    venue_.say(venue_.traded(held->order, held->id, quantity, price, held->leaves()));
    if (held->leaves() == 0) held->is_open = false;
  }

  void end(std::size_t pick, OwnerReportKind kind) {
    Held* held = pick_open(pick);
    if (held == nullptr) return;
    held->is_open = false;
    OwnerReport report = venue_.about(held->order, kind, held->id);
    report.leaves = {};
    report.status = kind == OwnerReportKind::expired ? OrderStatus::expired : OrderStatus::cancelled;
    venue_.say(report);
  }

  [[nodiscard]] const std::vector<Held>& held() const { return held_; }

 private:
  [[nodiscard]] Held* pick_open(std::size_t pick) {
    std::vector<Held*> open;
    for (Held& held : held_) {
      if (held.is_open) open.push_back(&held);
    }
    return open.empty() ? nullptr : open[pick % open.size()];
  }

  [[nodiscard]] Held* find(market::OrderId id, const Text<20>& original) {
    for (Held& held : held_) {
      if (held.is_open && (id.value != 0 ? held.id == id.value : held.order.labels.client_order_id == original))
        return &held;
    }
    return nullptr;
  }

  void handle(const market::NewOrder& order, unsigned mood) {
    if (mood == 0) {
      OwnerReport report = venue_.about(order, OwnerReportKind::rejected, 0);
      report.status = OrderStatus::rejected;
      report.reason = Reason::price_not_on_tick;
      return venue_.say(report);
    }
    if (mood == 1) {
      OwnerReport report = venue_.about(order, OwnerReportKind::business_rejected, 0);
      return venue_.say(report, mit::code::k_partition_suspended);
    }
    if (mood == 2) return refuse(order.labels.client_order_id, 'D');
    held_.push_back({.order = order, .id = ++last_id_});
    if (mood == 3) {  // no word of acceptance: the first fill says it
      const std::int64_t quantity = (order.terms.quantity.lots + 1) / 2;
      held_.back().executed = quantity;
      held_.back().is_open = held_.back().leaves() > 0;
      return venue_.say(venue_.traded(order, last_id_, quantity, 1000, held_.back().leaves()));
    }
    venue_.say(venue_.accepted(order, last_id_));
  }

  void handle(const market::Cancel& cancel, unsigned mood) {
    if (mood == 2) return refuse(cancel.client_order_id, 'F');
    Held* held = find(cancel.order, cancel.original_client_order_id);
    if (held == nullptr) return refuse_change(cancel.client_order_id, cancel.order, Reason::unknown_order);
    if (mood == 0) return refuse_change(cancel.client_order_id, {held->id}, Reason::book_closed);
    held->is_open = false;
    venue_.say(venue_.answer(held->order, OwnerReportKind::cancelled, held->id, cancel.client_order_id, 0));
  }

  void handle(const market::Replace& replace, unsigned mood) {
    if (mood == 2) return refuse(replace.client_order_id, 'G');
    Held* held = find(replace.order, replace.original_client_order_id);
    if (held == nullptr) return refuse_change(replace.client_order_id, replace.order, Reason::unknown_order);
    if (mood == 0) return refuse_change(replace.client_order_id, {held->id}, Reason::nothing_changed);
    if (replace.quantity.lots <= held->executed)
      return refuse_change(replace.client_order_id, {held->id}, Reason::quantity_already_executed);
    held->order.terms.quantity = replace.quantity;
    held->order.terms.limit = replace.limit;
    held->order.labels.client_order_id = replace.client_order_id;
    venue_.say(
        venue_.answer(held->order, OwnerReportKind::replaced, held->id, replace.client_order_id, held->leaves()));
  }

  void refuse_change(const Text<20>& request, market::OrderId order, Reason reason) {
    OwnerReport report;
    report.sequence = {++venue_.last_sequence};
    report.time = k_noon + 1s;
    report.kind = OwnerReportKind::request_rejected;
    report.client_order_id = request;
    report.order = reason == Reason::unknown_order ? market::OrderId{} : order;
    report.partition = 1;
    report.reason = reason;
    venue_.say(report);
  }

  void refuse(const Text<20>& request, char type) {
    if (!venue_.users.contains("USER1")) return;
    EXPECT_TRUE(venue_.users.at("USER1")->send(
        mit::Reject{.code = 9901, .reason = Text<30>::cut("Field"), .type = type, .client_order_id = request}));
  }

  ScriptedVenue& venue_;
  std::vector<Held> held_;
  std::size_t handled_ = 0, next_order_ = 0, next_cancel_ = 0, next_replace_ = 0;
  std::uint64_t last_id_ = 0;
};

/// One random history, and the bookkeeping around it.
class History {
 public:
  struct Options {
    ClientLimits limits{};    ///< with limits its steps are longer
    bool is_shared = false;   ///< a second client of the same venue user, with the same ClOrdIDs
    std::uint32_t chain = 0;  ///< changes of a client that may wait
  };
  explicit History(std::uint64_t seed, const Options& options)
      : is_shared_(options.is_shared), pace_(options.limits == ClientLimits{} ? 1 : 500), random_(seed) {
    GatewayConfig config = small_config();
    for (ClientConfig& client : config.clients) client.chain = options.chain;
    if (is_shared_) config.clients[1].venue_user = "USER1";
    if (is_shared_) config.clients[1].venue_password = config.clients[0].venue_password;
    config.clients[0].limits = options.limits;
    config.limits.orders = 512;
    config.limits.requests = 1024;
    config.limits.remembered_ids = 512;
    config.limits.store_messages = 4096;
    config.limits.store_bytes = 1 << 21;
    world = std::make_unique<World>(
        config, GatewayParts{},
        link::SimulatedNetworkOptions{
            .seed = seed, .delay = 20us, .jitter = 30us, .max_delivery = draw(3) == 0 ? 40u : 0u});
    venue = std::make_unique<ModelVenue>(world->venue);
    world->network.connect(k_fix_address, world->client.session);
    world->run(50ms);
    RC_ASSERT(world->client.session.is_logged_on());
    if (!is_shared_) return;
    world->network.connect(k_fix_address, world->other.session);
    world->run(50ms);
    RC_ASSERT(world->other.session.is_logged_on());
  }
  explicit History(std::uint64_t seed) : History(seed, Options{}) {}

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void step() {
    switch (draw(12)) {
      case 0:
      case 1:
      case 2:
        enter();
        break;
      case 3:
        change('F');
        break;
      case 4:
      case 5:
        change('G');
        break;
      case 6:
      case 7:
      case 8:
        if (venue->has_work()) venue->handle_next(static_cast<unsigned>(draw(10)));
        break;
      case 9:
      case 10:
        venue->fill(draw(100), static_cast<std::int64_t>(1 + draw(80)), static_cast<std::int64_t>(1 + draw(1000)));
        break;
      default:
        if (draw(4) == 0) venue->end(draw(100), draw(2) == 0 ? OwnerReportKind::expired : OwnerReportKind::cancelled);
    }
    world->run(time::Duration{draw(40'000) * pace_});
    listen();
  }

  void listen() {
    for (const Message& message : world->client.take()) ledger.reported(message);
    for (const Message& message : world->other.take()) other_ledger.reported(message);
  }

  /// Lets everything under way arrive and be answered. A change that waits leaves when the one before it is answered,
  /// so each takes a round; and what the rate held back may leave at the very end of one, and arrive in the next.
  void settle() {
    const auto waits = [&] { return waiting(world->gateway, 0) != 0; };
    for (int quiet = 0; quiet < 3 + 2 * 4;) {
      quiet = waits() || venue->has_work() ? 0 : quiet + 1;
      while (venue->has_work()) venue->handle_next(5);
      world->run(100ms);
    }
    listen();
  }

  std::unique_ptr<World> world;
  std::unique_ptr<ModelVenue> venue;
  ClientLedger ledger, other_ledger;

  /// The order with this id of the venue's, which exactly one client knows.
  [[nodiscard]] const ClientLedger::Order& order(std::uint64_t venue_id) const {
    const std::string id = wire_id(venue_id);
    RC_ASSERT(ledger.orders().contains(id) != other_ledger.orders().contains(id));
    return ledger.orders().contains(id) ? ledger.orders().at(id) : other_ledger.orders().at(id);
  }

 private:
  struct Trader {
    FixClient& client;
    ClientLedger& ledger;
    std::vector<std::string>& ids;
    int& last_id;
  };
  /// Who acts.
  Trader trader() {
    if (is_shared_ && draw(2) == 0) return {world->other, other_ledger, other_ids_, other_last_id_};
    return {world->client, ledger, ids_, last_id_};
  }

  void enter() {
    const Trader who = trader();
    const std::string id = "D-" + std::to_string(++who.last_id);
    who.ledger.requested(id, 'D', "");
    who.ids.push_back(id);
    Fields fields = new_order(id).set(38, std::to_string(1 + draw(100)));
    if (draw(4) == 0) fields.set(40, "1").drop(44);
    who.client.send("D", fields);
  }

  void change(char type) {
    const Trader who = trader();
    const std::string id = std::string(1, type) + "-" + std::to_string(++who.last_id);
    const std::string orig = who.ids.empty() || draw(10) == 0
                                 ? "none"
                                 : who.ids[who.ids.size() - 1 - draw(std::min<std::size_t>(who.ids.size(), 12))];
    who.ledger.requested(id, type, orig);
    if (type == 'F') {
      who.client.send("F", cancel(id, orig));
    } else {
      who.ids.push_back(id);
      who.client.send("G", replace(id, orig, std::to_string(1 + draw(120)), "11"));
    }
  }

  bool is_shared_;
  std::uint64_t pace_;
  std::mt19937_64 random_;
  std::vector<std::string> ids_, other_ids_;
  int last_id_ = 0, other_last_id_ = 0;
};

void check_end(History& history) {
  history.settle();
  history.ledger.check_answers();
  history.other_ledger.check_answers();
  std::size_t open = 0;
  for (const ModelVenue::Held& held : history.venue->held()) {
    const ClientLedger::Order& order = history.order(held.id);
    RC_ASSERT(order.cumulative == held.executed);
    RC_ASSERT((order.status == "0" || order.status == "1") == held.is_open);
    RC_ASSERT(order.leaves == (held.is_open ? held.leaves() : 0));
    open += held.is_open ? 1 : 0;
  }
  const Held held = history.world->held();
  RC_ASSERT(held.orders - held.closed_orders == open);
  RC_ASSERT(held.requests == open);
  const Gateway& gateway = history.world->gateway;
  RC_ASSERT(counted_open_orders(gateway, 0) + counted_open_orders(gateway, 1) == open);
  RC_ASSERT(history.ledger.complaints() == std::vector<std::string>{});
  RC_ASSERT(history.other_ledger.complaints() == std::vector<std::string>{});
  RC_ASSERT(history.world->counters().strays == 0u);
  RC_ASSERT(history.world->counters().undelivered == 0u);
}

RC_GTEST_PROP(GatewayHistoriesLong, the_client_learns_exactly_what_happened, (std::uint64_t seed)) {
  History history(seed);
  for (int step = 0; step < 300; ++step) history.step();
  check_end(history);
}

RC_GTEST_PROP(GatewayHistoriesLong, nothing_is_lost_or_doubled_when_the_client_comes_and_goes, (std::uint64_t seed)) {
  History history(seed);
  for (int round = 0; round < 6; ++round) {
    for (int step = 0; step < 40; ++step) history.step();
    history.world->network.cut(history.world->client.session);
    history.world->run(1ms);                                                       // the cut reaches both ends
    for (std::uint64_t step = history.draw(20); step > 0; --step) history.step();  // both sides go on alone
    history.world->network.connect(k_fix_address, history.world->client.session);
    history.world->run(100ms);
  }
  check_end(history);
}

RC_GTEST_PROP(GatewayHistoriesLong, two_clients_of_one_user_learn_what_happened_to_their_own, (std::uint64_t seed)) {
  History history(seed, {.is_shared = true, .chain = static_cast<std::uint32_t>(seed % 3)});
  for (int step = 0; step < 300; ++step) history.step();
  check_end(history);
  RC_CLASSIFY(!history.other_ledger.orders().empty(), "both had orders");
}

RC_GTEST_PROP(GatewayHistoriesLong, changes_that_wait_for_others_are_answered_as_everything_else,
              (std::uint64_t seed)) {
  History history(seed, {.chain = 4});
  for (int round = 0; round < 3; ++round) {
    for (int step = 0; step < 100; ++step) history.step();
    history.world->network.cut(history.world->client.session);
    history.world->run(1ms);
    history.world->network.connect(k_fix_address, history.world->client.session);
    history.world->run(100ms);
  }
  check_end(history);
  RC_CLASSIFY(history.world->counters().chained != 0, "something waited");
}

/// A second without more than the rate, at the venue: orders and replaces by the times at which they came.
RC_GTEST_PROP(GatewayHistoriesLong, what_the_rate_holds_back_is_answered_as_everything_else, (std::uint64_t seed)) {
  History history(seed, {.limits = {.rate = 8, .rate_action = RateAction::queue, .queue = 20, .open_orders = 30}});
  const auto counted = [&] { return history.world->venue.orders.size() + history.world->venue.replaces.size(); };
  std::vector<std::pair<Time, std::size_t>> seen;
  for (int step = 0; step < 300; ++step) {
    history.step();
    seen.emplace_back(history.world->scheduler.now(), counted());
  }
  const std::chrono::milliseconds on_the_way{1};
  for (auto first = seen.begin(), last = seen.begin(); last != seen.end(); ++last) {
    while (last->first - first->first >= std::chrono::seconds{1} - on_the_way) ++first;
    RC_ASSERT(last->second - first->second <= 8u);
  }
  check_end(history);
  RC_ASSERT(waiting(history.world->gateway, 0) == 0u);
  RC_CLASSIFY(history.world->counters().waited != 0, "something waited");
}

/// Reports lost with a venue session are lost; what is reported is still true, and nothing is stuck.
RC_GTEST_PROP(GatewayHistoriesLong, nothing_false_is_reported_when_the_venue_comes_and_goes, (std::uint64_t seed)) {
  History history(seed);
  history.world->venue.is_forgetful = true;
  for (int round = 0; round < 5; ++round) {
    for (int step = 0; step < 50; ++step) history.step();
    const auto user = history.world->venue.users.find("USER1");
    if (user != history.world->venue.users.end()) history.world->network.cut(*user->second);
    history.world->run(1ms);
    for (std::uint64_t step = history.draw(20); step > 0; --step) history.step();  // both sides go on alone
    history.world->run(4s);
  }
  history.settle();
  for (const auto& [id, request] : history.ledger.requests()) RC_ASSERT(request.answers <= 1);
  for (const std::string& complaint : history.ledger.complaints()) {
    // A sum that jumps is what the venue executed while we were away.
    if (!complaint.starts_with("fills make the sum")) RC_FAIL(complaint);
  }
  for (const ModelVenue::Held& held : history.venue->held()) {
    const auto reported = history.ledger.orders().find(wire_id(held.id));
    if (reported == history.ledger.orders().end()) continue;
    RC_ASSERT(reported->second.cumulative <= held.executed);
    RC_ASSERT((reported->second.is_open() || !held.is_open));
  }
  RC_ASSERT(history.world->counters().undelivered == 0u);
  const GatewayCounters& counters = history.world->counters();
  RC_ASSERT(counters.sent == counters.answers + counters.stale - counters.stale_answered);
}

}  // namespace
}  // namespace dojima::gateway
