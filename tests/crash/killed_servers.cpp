#include "killed_servers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/free_port_test_support.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger;
using net::testing::free_port;

constexpr auto k_patience = 60s;

std::unique_ptr<app::ChildProcess> started(const std::string& program, const std::vector<std::string>& words,
                                           std::string_view ready) {
  auto process = std::make_unique<app::ChildProcess>(program, words);
  if (!process->wait_for(ready, k_patience))
    throw std::runtime_error("dojima " + words.front() + " does not start:\n" + process->output());
  return process;
}

void kill(std::unique_ptr<app::ChildProcess>& process, std::uint64_t& kills) {
  process->kill();
  process.reset();
  ++kills;
}

std::uint64_t resting_lots(const venue::Partition& partition, std::uint16_t user) {
  std::uint64_t resting = 0;
  for (const market::Instrument& instrument : partition.instruments())
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      partition.book(instrument.id)->each_resting(side, [&](const auto& order) {
        if (order.owner == user) resting += static_cast<std::uint64_t>(order.leaves.lots);
      });
  return resting;
}

}  // namespace

void add_options(harness::ProgramOptions& program, KillOptions& options) {
  program.add("--dojima", options.program, "The dojima program").required();
  program.add("--kills", options.kills, "How many processes are killed").show_default();
  program.add("--clients", options.clients, "FIX clients").show_default();
  program.add("--seed", options.seed, "Of clients and instants").show_default();
  program.add("--folder", options.folder, "Where journals and configurations are written");
  program.add("--durability", options.durability, "process or power").one_of({"process", "power"}).show_default();
  program.add("--json", options.json, "Write the result as an artefact into this file");
}

std::string user_name(std::size_t client) {
  return fmt::format("CLIENT{}", client + 1);
}

Configs configs_of(const KillOptions& options) {
  Configs made{app::default_venue(), app::default_gateway()};
  const auto durability = options.durability == "power" ? journal::Durability::power : journal::Durability::process;
  made.venue.listen.port = free_port();
  made.venue.recovery_port = free_port();
  made.venue.admin.port = free_port();
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

KilledServers::KilledServers(const KillOptions& options, Configs configs)
    : options_(options), configs_(std::move(configs)) {
  std::ofstream(options.folder + "/venue.toml") << app::text_of(configs_.venue);
  std::ofstream(options.folder + "/gateway.toml") << app::text_of(configs_.gateway);
}

void KilledServers::start_venue() {
  venue = started(options_.program, {"venue", "--config", options_.folder + "/venue.toml"}, "MIT203 real-time");
}

void KilledServers::start_gateway() {
  gateway = started(options_.program, {"gateway", "--config", options_.folder + "/gateway.toml"}, "FIX 127.0.0.1");
}

std::unique_ptr<app::ChildProcess> KilledServers::start_standby() const {
  return started(options_.program,
                 {"gateway", "--config", options_.folder + "/gateway.toml", "--follow", options_.folder + "/gateway"},
                 "standby of the gateway");
}

void KilledServers::kill_venue() {
  kill(venue, venue_kills);
}

void KilledServers::kill_gateway() {
  said_ += gateway->output();
  kill(gateway, gateway_kills);
}

bool KilledServers::end_day() {
  const std::array<std::string, 1> words{"next-day"};
  const auto& admin = configs_.venue.admin;
  const auto answer = app::command(
      {.address = {admin.host, static_cast<std::uint16_t>(admin.port)}, .token_file = admin.token_file}, words);
  const bool is_done = answer && answer->is_done;
  days += is_done ? 1u : 0u;
  return is_done;
}

std::uint64_t KilledServers::said(std::size_t client, std::string_view what) const {
  const std::string all = gateway ? said_ + gateway->output() : said_;
  const std::string begin = "user " + user_name(client) + ": ";
  std::uint64_t times = 0;
  for (std::size_t at = 0, end = 0; at < all.size(); at = end + 1) {
    end = std::min(all.find('\n', at), all.size());
    const std::string_view line = std::string_view(all).substr(at, end - at);
    const std::size_t user = line.find(begin);
    if (user != std::string_view::npos && line.find(what, user) != std::string_view::npos) ++times;
  }
  return times;
}

void KilledServers::expect_reported_once(std::size_t client, const ClientLedger& ledger, std::uint64_t& wrong) const {
  for (const std::string& complaint : ledger.complaints()) {
    if (!complaint.starts_with("no ExecID comes twice")) continue;
    ++wrong;
    fmt::print("{}: {}\n", user_name(client), complaint);
  }
}

std::uint64_t KilledServers::days_in_journal() const {
  auto disk = journal::RealDisk::open(options_.folder + "/venue/partition-1");
  if (!disk) throw std::runtime_error("the venue's journal cannot be read");
  const auto replayed = venue::replay_directory(**disk);
  if (!replayed) throw std::runtime_error("the venue's journal is not whole: " + replayed.error().what);
  return replayed->replayer->partition()->day_number();
}

std::uint64_t KilledServers::judge(const std::function<ClientLedger(std::size_t)>& ledger_of) const {
  auto disk = journal::RealDisk::open(options_.folder + "/venue/partition-1");
  if (!disk) throw std::runtime_error("the venue's journal cannot be read");
  auto replayed = venue::replay_directory(**disk);
  if (!replayed) throw std::runtime_error("the venue's journal is not whole: " + replayed.error().what);
  const venue::Partition& partition = *replayed->replayer->partition();
  std::uint64_t wrong = 0;
  const auto compare = [&](std::size_t at, const char* what, std::int64_t client, std::uint64_t at_venue) {
    if (static_cast<std::uint64_t>(client) == at_venue) return;
    ++wrong;
    fmt::print("{}: {} is {} for the client and {} for the venue\n", user_name(at), what, client, at_venue);
  };
  for (std::size_t at = 0; at < options_.clients; ++at) {
    ClientLedger ledger = ledger_of(at);
    if (said(at, k_day_is_missed) != 0) {
      expect_reported_once(at, ledger, wrong);
      continue;
    }
    ledger.check_answers();
    wrong += ledger.complaints().size();
    for (std::size_t count = 0; count < std::min<std::size_t>(ledger.complaints().size(), 10); ++count)
      fmt::print("{}: {}\n", user_name(at), ledger.complaints()[count]);
    const auto user = static_cast<std::uint16_t>(at);
    compare(at, "bought", ledger.bought(), partition.totals(user).bought);
    compare(at, "sold", ledger.sold(), partition.totals(user).sold);
    compare(at, "open", ledger.leaves(), resting_lots(partition, user));
  }
  return wrong;
}

int run_kills(std::string_view name, harness::ProgramOptions& program, int count, char** words, KillOptions& options,
              const std::function<std::uint64_t(evidence::Artefact&)>& run) {
  if (const auto status = program.parse(count, words)) return *status;
  try {
    const bool is_own = options.folder.empty();
    if (is_own) {
      std::string pattern = std::filesystem::temp_directory_path() / (std::string(name) + "-XXXXXX");
      if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
      options.folder = pattern;
    }
    std::filesystem::create_directories(options.folder);
    const evidence::EvidenceCollector collector({.build = evidence::build_identity(), .argv = {words, words + count}});
    const auto begin = std::chrono::steady_clock::now();
    evidence::Artefact artefact{std::string(name)};
    artefact.set_parameter("kills", options.kills)
        .set_parameter("clients", options.clients)
        .set_parameter("seed", options.seed)
        .set_parameter("durability", options.durability);
    const std::uint64_t wrong = run(artefact);
    if (wrong == 0 && is_own) std::filesystem::remove_all(options.folder);
    if (wrong != 0) fmt::print("kept in {}\n", options.folder);
    if (!options.json.empty()) {
      artefact.add_check("no contradictions", wrong == 0, fmt::format("{} contradictions", wrong));
      time::SystemClock clock;
      artefact.set_evidence(collector.finish({.created = clock.now(),
                                              .elapsed = std::chrono::steady_clock::now() - begin,
                                              .applied = evidence::applied_settings()}));
      std::ofstream stream(options.json, std::ios::binary);
      stream << artefact.text();
      stream.flush();
      if (!stream.good()) throw std::runtime_error("cannot write " + options.json);
    }
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace dojima::crash
