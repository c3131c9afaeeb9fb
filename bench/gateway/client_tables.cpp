// Many clients at once: how many orders a second, and whether all of them are served alike.

#include "crowd.hpp"
#include "gateway_tables.hpp"
#include "relay.hpp"
#include "road.hpp"

#include <memory>
#include <string>

namespace dojima::bench {
namespace {

/// Of each client in a batch: enough to last some tenths of a second.
std::size_t orders_each(std::size_t clients) {
  return clients == 1 ? 4000 : clients <= 16 ? 500 : 50;
}

/// All clients at once, until all is answered.
template <class Way>
class Rush final : public harness::Competitor {
 public:
  template <class Options>
  Rush(const Options& options, bool is_session, std::size_t on_their_way)
      : way_(options),
        crowd_({.port = way_.port(), .clients = options.clients, .is_session = is_session}),
        on_their_way_(on_their_way) {}

  void prepare() override {
    way_.set_measured(true);
    crowd_.cancel_all();
    first_ = (first_ + 1) % crowd_.size();  // another one begins
  }

  harness::Operations run() override {
    const std::size_t each = orders_each(crowd_.size());
    const std::size_t all = each * crowd_.size();
    const Crowd::Done done = crowd_.send_orders(each, on_their_way_, first_);
    way_.set_measured(false);
    return harness::Operations{}
        .add("", all)
        .figure("orders_per_s", static_cast<double>(all) / done.last_s)
        .figure("first_done_s", done.first_s)
        .figure("last_done_s", done.last_s)
        .figure("slowest_of_fastest", done.last_s / done.first_s);
  }

 private:
  Way way_;
  Crowd crowd_;
  std::size_t on_their_way_;
  std::size_t first_ = 0;
};

constexpr std::size_t k_ends = 4;  // of a client's two connections
constexpr std::size_t k_competitors = 3;

struct Case {
  explicit Case(const harness::BenchCase& of)
      : clients(static_cast<std::size_t>(of.integer("clients"))),
        on_their_way(static_cast<std::size_t>(of.integer("on_their_way"))) {}
  [[nodiscard]] bool is_possible() const { return has_room_for_sockets(clients * k_ends * k_competitors); }
  std::size_t clients;
  std::size_t on_their_way;
};

harness::BenchCompetitor through_gateway(const char* name, bool is_journaled) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const Case asked(of);
            if (!asked.is_possible()) return nullptr;
            const RoadOptions options{
                .is_journaled = is_journaled, .clients = asked.clients, .orders = std::size_t{1} << 16};
            return std::make_unique<Rush<Road>>(options, true, asked.on_their_way);
          }};
}

harness::BenchCompetitor through_relay() {
  return {"relay", [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            const Case asked(of);
            if (!asked.is_possible()) return nullptr;
            return std::make_unique<Rush<Relay>>(RelayOptions{.clients = asked.clients}, false, asked.on_their_way);
          }};
}

}  // namespace

harness::BenchTable clients_table() {
  harness::BenchTable table{.name = "clients", .title = "orders of many clients at once, and who is served last"};
  table.parameters = {{"clients", {std::int64_t{1}, std::int64_t{16}, std::int64_t{300}}},
                      {"on_their_way", {std::int64_t{1}, std::int64_t{50}}}};
  table.competitors = {through_relay(), through_gateway("gateway", false), through_gateway("gateway, journal", true)};
  table.baseline = "relay";
  table.operation = "order";
  table.is_quick = [](const harness::BenchCase& of) {
    return of.integer("clients") == 16 && of.integer("on_their_way") == 1;
  };
  for (const char* competitor : {"gateway", "gateway, journal"})
    table.targets.push_back({.competitor = competitor, .against = "", .limit = 1.5, .figure = "slowest_of_fastest"});
  table.notes = {
      "one client sends 4,000 orders, each of 16 sends 500, each of 300 sends 50; gateway and venue sleep when idle",
      "on_their_way: orders of a client that are not answered yet, at most; 50 of 300 clients: all orders at once",
      "slowest_of_fastest: when the last client had all its answers, by when the first had; each client has a venue "
      "user and a session of its own"};
  return table;
}

}  // namespace dojima::bench
