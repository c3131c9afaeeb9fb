// Kills gateway and venue at random instants while FIX clients trade through them, starts them again on their journals,
// and goes on. FIX sessions never begin anew. At the end every request has had one answer, no execution came twice, and
// what the clients hold and have traded is what the venue's journal says. Exit status 1: it is not. Another gateway
// follows the journal and takes over, and how long that takes is printed.

#include "killed_servers.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/evidence/table.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Fields, gateway::testing::FixClient, gateway::testing::Message;

struct Options : KillOptions {
  std::uint64_t resting = 0;  // orders that are there before the first kill, and that nothing trades with
};

Configs roomy_configs(const Options& options) {
  Configs made = configs_of(options);
  made.venue.recovery.connections = options.clients + 12;
  made.venue.orders += static_cast<std::uint32_t>(options.resting);
  made.gateway.gateway.limits.orders = options.resting + 20'000;
  made.gateway.gateway.limits.requests = 2 * (options.resting + 30'000);
  made.gateway.gateway.limits.pending_links = options.clients + 12;
  made.gateway.connections = made.venue.connections = options.clients + 60;
  made.gateway.network.output_bytes =
      std::max<std::uint32_t>(1 << 16, made.gateway.network.output_bytes / options.clients);
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
        servers_(options, roomy_configs(options)),
        station_({.scheduler = 1024 + 16 * std::size_t{options.clients},
                  .idle = net::IdlePolicy::yield,
                  .fabric = {.max_connections = options.clients + 60}}) {
    for (std::size_t at = 0; at < options.clients; ++at)
      traders_.push_back(std::make_unique<Trader>(station_.scheduler(), user_name(at)));
    station_.add(*this);
  }

  /// How many contradictions were found; the artefact has all that was counted.
  std::uint64_t run(evidence::Artefact& artefact) {
    servers_.start_venue();
    servers_.start_gateway();
    standby_ = servers_.start_standby();
    rest();
    while (servers_.gateway_kills + servers_.venue_kills < options_.kills) {
      trade(std::chrono::milliseconds{20 + draw(600)});
      const std::uint64_t what = draw(5);
      if (what != 0) kill_gateway();
      if (what < 2) servers_.kill_venue();
      run_for(std::chrono::milliseconds{draw(100)}, draw(2) == 0);
      const bool is_venue_first = draw(2) == 0;
      if (is_venue_first && !servers_.venue) servers_.start_venue();
      if (!servers_.gateway) take_over();
      if (!servers_.gateway) servers_.start_gateway();
      if (!servers_.venue) servers_.start_venue();
      if (!standby_) standby_ = servers_.start_standby();
    }
    settle();
    standby_->kill();
    servers_.venue->kill();
    servers_.gateway->kill();
    return judge(artefact);
  }

  // sched::Source
  std::size_t deliver(time::Time now) override {
    std::size_t made = 0;
    for (const auto& trader : traders_) {
      if (!trader->client.session.is_connected() && now >= trader->retry) {
        trader->retry = now + 20ms;
        station_.fabric().connect({"127.0.0.1", servers_.configs().gateway.listen.port}, trader->client.session);
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

  void kill_gateway() {
    killed_at_ = std::chrono::steady_clock::now();
    servers_.kill_gateway();
  }
  /// The standby becomes the gateway, which is gone; or ends, too, while it is about to.
  void take_over() {
    servers_.gateway = std::move(standby_);
    if (draw(5) == 0) return kill_gateway();
    if (!servers_.gateway->wait_for("FIX 127.0.0.1", 60s))
      throw std::runtime_error("the standby does not take over:\n" + servers_.gateway->output());
    const auto until = [&] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - killed_at_)
          .count();
    };
    const std::int64_t ports = until();
    if (!servers_.venue || !servers_.gateway->wait_for("takeover: all", 60s)) return;
    takeovers_.push_back({ports, until(), steps_of(servers_.gateway->output())});
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
      throw std::runtime_error("clients cannot log on:\n" + servers_.gateway->output());
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
    const auto& symbols = servers_.configs().gateway.gateway.symbols;
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

  std::uint64_t judge(evidence::Artefact& artefact) {
    std::uint64_t requests = 0;
    for (const auto& trader : traders_) requests += trader->requests;
    const std::uint64_t wrong = servers_.judge([this](std::size_t client) { return traders_[client]->ledger; });
    fmt::print("{} kills of the gateway, {} of the venue; {} requests, {} messages to clients; {} contradictions\n",
               servers_.gateway_kills, servers_.venue_kills, requests, answers_, wrong);
    evidence::Table table{
        .name = "kills",
        .title = "Gateway and venue killed under clients that trade on, with a standby",
        .columns = {{"gateway_kills"}, {"venue_kills"}, {"requests"}, {"messages_to_clients"}, {"contradictions"}}};
    table.add_row({servers_.gateway_kills, servers_.venue_kills, requests, answers_, wrong});
    artefact.set_parameter("resting", options_.resting)
        .add_table(std::move(table))
        .add_rule({"kills", "contradictions", evidence::Rule::equal, 0});
    show_takeovers(artefact);
    return wrong;
  }

  void show_takeovers(evidence::Artefact& artefact) {
    if (takeovers_.empty()) return;
    std::ranges::sort(takeovers_, {}, &Takeover::ready);
    std::int64_t ports = 0;
    for (const Takeover& each : takeovers_) ports = std::max(ports, each.ports);
    const std::int64_t median = takeovers_[takeovers_.size() / 2].ready, most = takeovers_.back().ready;
    fmt::print(
        "{} takeovers; from the kill until all venue users were ready: median {} ms, most {} ms; until the port "
        "was there: most {} ms\n",
        takeovers_.size(), median, most, ports);
    fmt::print("the slowest:\n{}", takeovers_.back().steps);
    evidence::Table table{.name = "takeovers",
                          .title = "From the kill on",
                          .columns = {{"takeovers"},
                                      {"median_ms", 0, true, "until all venue users were ready"},
                                      {"most_ms", 0, true, "until all venue users were ready"},
                                      {"ports_most_ms", 0, true, "until the port was there"}}};
    table.add_row({takeovers_.size(), median, most, ports});
    artefact.add_table(std::move(table));
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
  KilledServers servers_;
  app::Station station_;
  std::vector<std::unique_ptr<Trader>> traders_;
  std::unique_ptr<app::ChildProcess> standby_;
  std::chrono::steady_clock::time_point killed_at_;
  std::vector<Takeover> takeovers_;
  bool is_trading_ = false;
  time::Time last_answer_{};
  std::uint64_t last_id_ = 0, answers_ = 0;
};

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  dojima::harness::ProgramOptions program("Kills gateway and venue again and again, with a standby that takes over");
  dojima::crash::Options options;
  add_options(program, options);
  program.add("--resting", options.resting, "Orders that stay in the book, before the first kill").show_default();
  return dojima::crash::run_kills(
      "dojima-standby-kills", program, count, words, options,
      [&](dojima::evidence::Artefact& artefact) { return dojima::crash::Day(options).run(artefact); });
}
