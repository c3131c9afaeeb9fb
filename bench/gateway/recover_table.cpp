// A gateway that is killed with many open orders, and started again on its journal: when it answers again, and what an
// order and a client take.

#include "crowd.hpp"
#include "gateway_process.hpp"
#include "gateway_tables.hpp"
#include "road.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "dojima/net/free_port_test_support.hpp"

namespace dojima::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using net::testing::free_port;

constexpr std::size_t k_orders_least = std::size_t{1} << 14;  // room that a gateway of these tables has in any case
constexpr std::size_t k_on_their_way = 8;                     // of each client, while the orders are entered

/// A gateway's configuration in a file, its journal beside it.
struct GatewaySetup {
  GatewaySetup(const RoadOptions& options, const std::string& of, const app::VenueConfig& venue) : folder(of) {
    std::filesystem::create_directories(folder);
    app::GatewayConfig config = gateway_config(options, folder);
    config.listen.port = port;
    config.venue_port = venue.listen.port;
    config.venue_recovery_port = venue.recovery_port;
    for (gateway::ClientConfig& client : config.gateway.clients) client.defaults.auto_cancel = false;
    std::ofstream(folder + "/gateway.toml") << app::text_of(config);
  }
  [[nodiscard]] std::unique_ptr<GatewayProcess> start() const {
    return std::make_unique<GatewayProcess>(folder + "/gateway.toml", folder + "/log");
  }
  std::string folder;
  std::uint16_t port = free_port();
};

std::size_t bytes_below(const std::string& folder) {
  std::size_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

class Recovery final : public harness::Competitor {
 public:
  Recovery(const RoadOptions& options, std::size_t open)
      : options_(options), open_(open), venue_config_(venue_config(options, folder_.path())) {
    venue_config_.listen.port = free_port();
    venue_config_.recovery_port = free_port();
    venue_ = std::make_unique<ServerThread>(
        [config = venue_config_](ServerControl& control) { serve_venue(control, config); });
    RoadOptions alone = options;
    alone.clients = 1;
    const double memory_alone = memory_at_start(alone, "/alone");
    bytes_per_client_ = (memory_at_start(options, "/empty") - memory_alone) / static_cast<double>(options.clients - 1);
    RoadOptions least = options;
    least.orders = k_orders_least;
    memory_least_ = memory_at_start(least, "/least");
    setup_.emplace(options_, folder_.path() + "/gateway", venue_config_);
    enter_orders();
  }

  harness::Operations run() override {
    const SteadyClock::time_point begin = SteadyClock::now();
    const auto gateway = setup_->start();
    const auto client = first_client(*gateway, *setup_);
    const double started_s = seconds_since(begin);
    order_answered(*client);
    const double answers_s = seconds_since(begin);
    const double memory = static_cast<double>(gateway->memory());
    return harness::Operations{}
        .add("", 1)
        .figure("logged_on_s", started_s)
        .figure("answers_s", answers_s)
        .figure("bytes_per_order", (memory - memory_least_) / static_cast<double>(options_.orders - k_orders_least))
        .figure("bytes_per_client", bytes_per_client_)
        .figure("journal_mb", static_cast<double>(bytes_below(setup_->folder)) / 1e6);
  }

 private:
  static double seconds_since(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
  }

  /// With no orders and nobody logged on, all venue users ready.
  double memory_at_start(const RoadOptions& options, const char* name) {
    const GatewaySetup setup(options, folder_.path() + name, venue_config_);
    const auto gateway = setup.start();
    const auto client = first_client(*gateway, setup);
    order_answered(*client);
    std::this_thread::sleep_for(std::chrono::milliseconds{500});  // until the other users have logged on, too
    return static_cast<double>(gateway->memory());
  }

  /// As soon as it is let in.
  std::unique_ptr<OrderClient> first_client(const GatewayProcess& gateway, const GatewaySetup& setup) {
    for (;;) {
      try {
        return std::make_unique<OrderClient>(
            OrderClient::Options{.port = setup.port, .name = client_name(0), .first_order = next_order_});
      } catch (const std::runtime_error&) {
        gateway.check();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
    }
  }
  /// Until the venue's user can send, orders are refused and leave no trace.
  void order_answered(OrderClient& client) {
    for (std::uint64_t refused = 0;; refused = client.refusals()) {
      client.send_order();
      ++next_order_;
      for (const auto end = SteadyClock::now() + std::chrono::seconds{30}; client.refusals() == refused;) {
        if (client.look() != 0) return;
        if (SteadyClock::now() > end) throw std::runtime_error("an order without an answer");
      }
    }
  }

  void enter_orders() {
    const auto gateway = setup_->start();
    static_cast<void>(first_client(*gateway, *setup_));
    std::this_thread::sleep_for(std::chrono::seconds{1});  // until all venue users have logged on
    Crowd crowd({.port = setup_->port, .clients = options_.clients});
    const std::size_t each = open_ / options_.clients;
    crowd.send_orders(each, k_on_their_way, 0);
    next_order_ += each;
  }

  RoadOptions options_;
  std::size_t open_;  // orders of all clients
  TemporaryFolder folder_;
  app::VenueConfig venue_config_;
  std::unique_ptr<ServerThread> venue_;
  std::optional<GatewaySetup> setup_;
  double memory_least_ = 0, bytes_per_client_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace

harness::BenchTable recover_table() {
  harness::BenchTable table{.name = "recover", .title = "a gateway killed with open orders and started again"};
  table.parameters = {{"orders", {std::int64_t{3'000}, std::int64_t{100'000}}},
                      {"sessions", {std::int64_t{30}, std::int64_t{300}}}};
  table.competitors = {{"gateway", [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
                          const auto clients = static_cast<std::size_t>(of.integer("sessions"));
                          if (!has_room_for_sockets(clients * 4)) return nullptr;
                          return std::make_unique<Recovery>(
                              RoadOptions{.is_journaled = true, .clients = clients, .orders = std::size_t{1} << 17},
                              static_cast<std::size_t>(of.integer("orders")));
                        }}};
  table.operation = "start";
  const std::vector<std::pair<std::string, evidence::Cell>> where{{"orders", std::int64_t{100'000}},
                                                                  {"sessions", std::int64_t{300}}};
  table.targets = {
      {.competitor = "gateway", .against = "", .limit = 1, .where = where, .figure = "answers_s"},
      {.competitor = "gateway", .against = "", .limit = 400, .where = where, .figure = "bytes_per_order"},
      {.competitor = "gateway", .against = "", .limit = 1 << 20, .where = where, .figure = "bytes_per_client"}};
  table.is_quick = [](const harness::BenchCase& of) {
    return of.integer("orders") == 3'000 && of.integer("sessions") == 30;
  };
  table.notes = {
      "the program dojima gateway, ended by kill -9 after each round; its venue goes on, with a recovery channel",
      "logged_on_s: from its start until the first client is let in; answers_s: until an order of it has gone to the "
      "venue and is answered, after what was missed has been recovered",
      "bytes_per_order: anonymous memory with the orders, above that of a gateway without any and room for 16,384, for "
      "each order that there is room for: it is taken at the start; bytes_per_client: with all clients and with one"};
  return table;
}

}  // namespace dojima::bench
