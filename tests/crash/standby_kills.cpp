// Kills gateway and venue at random instants while FIX clients trade through them, starts them again on their journals,
// and goes on. FIX sessions never begin anew. At the end every request has had one answer, no execution came twice, and
// what the clients hold and have traded is what the venue's journal says. Exit status 1: it is not. Another gateway
// follows the journal and takes over, and how long that takes is printed.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include "dojima/app/child_process.hpp"
#include "dojima/app/config.hpp"
#include "dojima/app/station.hpp"
#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/free_port_test_support.hpp"
#include "dojima/venue/journaled_partition.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Fields, gateway::testing::FixClient, gateway::testing::Message;
using net::testing::free_port;

struct Options {
  std::string program = "dojima";
  std::string folder;
  std::uint64_t kills = 200;
  std::uint64_t seed = 1;
  std::uint32_t clients = 4;
  std::string durability = "process";
  std::uint64_t resting = 0;  // orders that are there before the first kill, and that nothing trades with
};

std::string user_name(std::size_t at) {
  return fmt::format("CLIENT{}", at + 1);
}

struct Configs {
  app::VenueConfig venue;
  app::GatewayConfig gateway;
};

Configs configs_of(const Options& options) {
  Configs made{app::default_venue(), app::default_gateway()};
  const auto durability = options.durability == "power" ? journal::Durability::power : journal::Durability::process;
  made.venue.listen.port = free_port();
  made.venue.recovery_port = free_port();
  made.venue.recovery.connections = options.clients + 12;
  made.venue.journal.directory = options.folder + "/venue";
  made.venue.journal.durability = durability;
  made.venue.journal.segment_megabytes = 4;
  made.venue.users.clear();
  made.gateway.listen.port = free_port();
  made.gateway.venue_port = made.venue.listen.port;
  made.gateway.venue_recovery_port = made.venue.recovery_port;
  made.gateway.journal.directory = options.folder + "/gateway";
  made.gateway.journal.durability = durability;
  made.gateway.journal.segment_megabytes = 4;
  made.gateway.gateway.reconnect = 20ms;
  made.gateway.gateway.limits.orders = options.resting + 20'000;
  made.gateway.gateway.limits.requests = 2 * (options.resting + 30'000);
  made.gateway.connections = made.venue.connections = options.clients + 60;
  made.gateway.gateway.limits.pending_links = options.clients + 12;
  made.venue.orders += static_cast<std::uint32_t>(options.resting);
  made.gateway.network.output_bytes =
      std::max<std::uint32_t>(1 << 16, made.gateway.network.output_bytes / options.clients);
  made.gateway.gateway.limits.remembered_ids = 20'000;
  made.gateway.gateway.limits.store_messages = 100'000;
  made.gateway.gateway.clients.clear();
  for (std::size_t at = 0; at < options.clients; ++at) {
    made.venue.users.push_back({.name = user_name(at), .password = "pass", .account = {}});
    gateway::ClientConfig client{
        .comp_id = user_name(at), .password = {}, .venue_user = user_name(at), .venue_password = "pass"};
    client.defaults.auto_cancel = at % 2 == 0;
    made.gateway.gateway.clients.push_back(client);
  }
  return made;
}

struct Trader {
  Trader(sched::Scheduler& scheduler, const std::string& name) : client(scheduler, name) {}
  FixClient client;
  ClientLedger ledger;
  std::vector<std::string> ids;
  std::map<std::string, Fields> sent;
  std::uint64_t requests = 0;
  time::Time retry{};
};

class Day final : public sched::Source {
 public:
  explicit Day(const Options& options)
      : options_(options),
        random_(options.seed),
        configs_(configs_of(options)),
        station_({.scheduler = 1024 + 16 * std::size_t{options.clients},
                  .idle = net::IdlePolicy::yield,
                  .fabric = {.max_connections = options.clients + 60}}) {
    std::ofstream(options.folder + "/venue.toml") << app::text_of(configs_.venue);
    std::ofstream(options.folder + "/gateway.toml") << app::text_of(configs_.gateway);
    for (std::size_t at = 0; at < options.clients; ++at)
      traders_.push_back(std::make_unique<Trader>(station_.scheduler(), user_name(at)));
    station_.add(*this);
  }

  /// How many contradictions were found.
  std::uint64_t run() {
    start_venue();
    start_gateway();
    start_standby();
    rest();
    while (gateway_kills_ + venue_kills_ < options_.kills) {
      trade(std::chrono::milliseconds{20 + draw(600)});
      const std::uint64_t what = draw(5);
      if (what != 0 && gateway_) kill_gateway();
      if (what < 2 && venue_) ++venue_kills_, venue_->kill(), venue_.reset();
      run_for(std::chrono::milliseconds{draw(100)}, draw(2) == 0);
      const bool is_venue_first = draw(2) == 0;
      if (is_venue_first && !venue_) start_venue();
      if (standby_) take_over();
      if (!gateway_) start_gateway();
      if (!venue_) start_venue();
      if (!standby_) start_standby();
    }
    settle();
    if (standby_) standby_->kill();
    venue_->kill();
    gateway_->kill();
    return judge();
  }

  // sched::Source
  std::size_t deliver(time::Time now) override {
    std::size_t made = 0;
    for (const auto& trader : traders_) {
      if (!trader->client.session.is_connected() && now >= trader->retry) {
        trader->retry = now + 20ms;
        station_.fabric().connect({"127.0.0.1", configs_.gateway.listen.port}, trader->client.session);
      }
      for (const Message& message : trader->client.take()) {
        trader->ledger.reported(message);
        ++answers_;
        last_answer_ = now;
      }
      if (is_trading_ && trader->client.session.is_logged_on() && draw(20) == 0) {
        act(*trader);
        ++made;
      }
    }
    return made;
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void start_venue() {
    venue_ = std::make_unique<app::ChildProcess>(
        options_.program, std::vector<std::string>{"venue", "--config", options_.folder + "/venue.toml"});
    if (!venue_->wait_for("MIT203 real-time", 60s))
      throw std::runtime_error("the venue does not start:\n" + venue_->output());
  }
  void start_gateway() {
    gateway_ = std::make_unique<app::ChildProcess>(
        options_.program, std::vector<std::string>{"gateway", "--config", options_.folder + "/gateway.toml"});
    if (!gateway_->wait_for("FIX 127.0.0.1", 60s))
      throw std::runtime_error("the gateway does not start:\n" + gateway_->output());
  }
  void start_standby() {
    standby_ = std::make_unique<app::ChildProcess>(
        options_.program, std::vector<std::string>{"gateway", "--config", options_.folder + "/gateway.toml", "--follow",
                                                   options_.folder + "/gateway"});
    if (!standby_->wait_for("standby of the gateway", 60s))
      throw std::runtime_error("the standby does not start:\n" + standby_->output());
  }
  void kill_gateway() {
    ++gateway_kills_;
    killed_at_ = std::chrono::steady_clock::now();
    gateway_->kill();
    gateway_.reset();
  }
  /// The standby becomes the gateway, if that is gone; or ends, too, while it is about to.
  void take_over() {
    if (gateway_) return;
    gateway_ = std::move(standby_);
    if (draw(5) == 0) return kill_gateway();
    if (!gateway_->wait_for("FIX 127.0.0.1", 60s))
      throw std::runtime_error("the standby does not take over:\n" + gateway_->output());
    const auto until = [&] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - killed_at_)
          .count();
    };
    const std::int64_t ports = until();
    if (!venue_ || !gateway_->wait_for("takeover: all", 60s)) return;
    takeovers_.push_back({ports, until(), steps_of(gateway_->output())});
  }
  /// Orders that stay in the book, evenly of all clients.
  void rest() {
    const std::uint64_t each = options_.resting / std::max<std::size_t>(traders_.size(), 1);
    trade(0ms);
    for (std::uint64_t count = 0; count < each; ++count) {
      for (const auto& trader : traders_) enter(*trader, "1", "90", 1 + draw(100));
      while (answers_ < (count + 1) * traders_.size()) run_for(1ms, false);
    }
  }
  void run_for(time::Duration how_long, bool is_trading) {
    is_trading_ = is_trading;
    station_.run_at_most(how_long, [] { return true; });
  }
  void trade(time::Duration how_long) {
    const auto is_on = [](const auto& trader) { return trader->client.session.is_logged_on(); };
    for (int count = 0; count < 500 && !std::ranges::all_of(traders_, is_on); ++count) run_for(10ms, false);
    if (!std::ranges::all_of(traders_, is_on))
      throw std::runtime_error("clients cannot log on:\n" + gateway_->output());
    run_for(how_long, true);
  }
  /// Until all has been answered and nothing comes any more.
  void settle() {
    for (int count = 0; count < 300; ++count) {
      run_for(100ms, false);
      const bool is_quiet = station_.scheduler().now() - last_answer_ > 1500ms;
      if (is_quiet && count > 20) return;
    }
  }

  void enter(Trader& who, const std::string& side, const std::string& limit, std::uint64_t lots) {
    const std::string id = "D-" + std::to_string(++last_id_);
    const auto& symbols = configs_.gateway.gateway.symbols;
    Fields fields{{{11, id},
                   {55, symbols[draw(2)].symbol},
                   {54, side},
                   {60, "20260720-12:00:00.000"},
                   {38, std::to_string(lots)},
                   {40, "2"},
                   {44, limit}}};
    ++who.requests;
    who.ledger.requested(id, 'D', "");
    who.ids.push_back(id);
    who.client.send("D", who.sent[id] = fields);
  }
  void act(Trader& who) {
    if (who.ids.empty() || draw(3) != 0) {
      const char* const side = draw(2) == 0 ? "1" : "2";
      const std::uint64_t lots = 1 + draw(100);
      return enter(who, side, std::to_string(95 + draw(11)), lots);
    }
    const std::string number = std::to_string(++last_id_);
    const char type = draw(2) == 0 ? 'F' : 'G';
    const std::string orig = who.ids[who.ids.size() - 1 - draw(std::min<std::size_t>(who.ids.size(), 20))];
    const std::string id = std::string(1, type) + "-" + number;
    ++who.requests;
    Fields fields = who.sent.at(orig);
    fields.set(11, id).set(41, orig);
    who.ledger.requested(id, type, orig);
    if (type == 'F') {
      fields.drop(38).drop(40).drop(44);
    } else {
      fields.set(38, std::to_string(1 + draw(120))).set(44, std::to_string(95 + draw(11)));
      who.sent[id] = fields;
      who.ids.push_back(id);
    }
    who.client.send(std::string(1, type), fields);
  }

  std::uint64_t judge() {
    auto disk = journal::RealDisk::open(options_.folder + "/venue/partition-1");
    if (!disk) throw std::runtime_error("the venue's journal cannot be read");
    auto replayed = venue::replay_directory(**disk);
    if (!replayed) throw std::runtime_error("the venue's journal is not whole: " + replayed.error().what);
    const venue::Partition& partition = *replayed->replayer->partition();
    std::uint64_t wrong = 0, requests = 0;
    const auto compare = [&](std::size_t at, const char* what, std::int64_t client, std::uint64_t venue) {
      if (static_cast<std::uint64_t>(client) == venue) return;
      ++wrong;
      fmt::print("{}: {} is {} for the client and {} for the venue\n", user_name(at), what, client, venue);
    };
    for (std::size_t at = 0; at < traders_.size(); ++at) {
      ClientLedger& ledger = traders_[at]->ledger;
      ledger.check_answers();
      requests += traders_[at]->requests;
      wrong += ledger.complaints().size();
      for (std::size_t count = 0; count < std::min<std::size_t>(ledger.complaints().size(), 10); ++count)
        fmt::print("{}: {}\n", user_name(at), ledger.complaints()[count]);
      const auto user = static_cast<std::uint16_t>(at);
      compare(at, "bought", ledger.bought(), partition.totals(user).bought);
      compare(at, "sold", ledger.sold(), partition.totals(user).sold);
      std::uint64_t resting = 0;
      for (const market::Instrument& instrument : partition.instruments())
        for (const market::Side side : {market::Side::buy, market::Side::sell})
          partition.book(instrument.id)->each_resting(side, [&](const auto& order) {
            if (order.owner == user) resting += static_cast<std::uint64_t>(order.leaves.lots);
          });
      compare(at, "open", ledger.leaves(), resting);
    }
    fmt::print("{} kills of the gateway, {} of the venue; {} requests, {} messages to clients; {} contradictions\n",
               gateway_kills_, venue_kills_, requests, answers_, wrong);
    print_takeovers();
    return wrong;
  }

  void print_takeovers() {
    if (takeovers_.empty()) return;
    std::ranges::sort(takeovers_, {}, &Takeover::ready);
    std::int64_t ports = 0;
    for (const Takeover& each : takeovers_) ports = std::max(ports, each.ports);
    fmt::print(
        "{} takeovers; from the kill until all venue users were ready: median {} ms, most {} ms; until the port "
        "was there: most {} ms\n",
        takeovers_.size(), takeovers_[takeovers_.size() / 2].ready, takeovers_.back().ready, ports);
    fmt::print("the slowest:\n{}", takeovers_.back().steps);
  }

  struct Takeover {
    std::int64_t ports = 0, ready = 0;  // ms since the kill
    std::string steps;                  // as its log says
  };
  /// The lines of a log that say how long each step of a takeover took.
  static std::string steps_of(const std::string& log) {
    std::string steps;
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t end = std::min(log.find('\n', at), log.size());
      const std::string line = log.substr(at, end - at);
      if (line.starts_with("takeover:") || line.find("lock taken") != std::string::npos) steps += "  " + line + "\n";
      at = end + 1;
    }
    return steps;
  }

  const Options& options_;
  std::mt19937_64 random_;
  Configs configs_;
  app::Station station_;
  std::vector<std::unique_ptr<Trader>> traders_;
  std::unique_ptr<app::ChildProcess> venue_, gateway_, standby_;
  std::chrono::steady_clock::time_point killed_at_;
  std::vector<Takeover> takeovers_;
  bool is_trading_ = false;
  time::Time last_answer_{};
  std::uint64_t last_id_ = 0, answers_ = 0, gateway_kills_ = 0, venue_kills_ = 0;
};

int run(Options options) {
  const bool is_own = options.folder.empty();
  if (is_own) {
    std::string pattern = std::filesystem::temp_directory_path() / "dojima-standby-kills-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    options.folder = pattern;
  }
  std::filesystem::create_directories(options.folder);
  const std::uint64_t wrong = Day(options).run();
  if (wrong == 0 && is_own) std::filesystem::remove_all(options.folder);
  if (wrong != 0) fmt::print("kept in {}\n", options.folder);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  CLI::App app("Kills gateway and venue again and again under FIX clients and compares what they know with the venue");
  dojima::crash::Options options;
  app.add_option("--dojima", options.program, "The dojima program")->required();
  app.add_option("--kills", options.kills, "How many processes are killed")->capture_default_str();
  app.add_option("--clients", options.clients, "FIX clients")->capture_default_str();
  app.add_option("--resting", options.resting, "Orders that stay in the book, before the first kill")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of clients and instants")->capture_default_str();
  app.add_option("--folder", options.folder, "Where journals and configurations are written");
  app.add_option("--durability", options.durability, "process or power")
      ->check(CLI::IsMember({"process", "power"}))
      ->capture_default_str();
  CLI11_PARSE(app, count, words);
  try {
    return dojima::crash::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dojima-standby-kills: {}\n", error.what());
    return 1;
  }
}
