// Kills gateway, venue and FIX clients at random instants while the clients trade, starts them again on their journals,
// and goes on. FIX sessions never begin anew. At the end every request has had one answer, no execution came twice, and
// what the clients hold and have traded is what the venue's journal says. Exit status 1: it is not.

#include "trader_board.hpp"
#include "trader_file.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "dojima/app/child_process.hpp"
#include "dojima/app/config.hpp"
#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/net/free_port_test_support.hpp"
#include "dojima/venue/journaled_partition.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Message;
using net::testing::free_port;

struct Options {
  std::string program = "dojima";
  std::string traders = "dojima-kill-traders";
  std::string folder;
  std::uint64_t kills = 200;
  std::uint64_t seed = 1;
  std::uint32_t clients = 4;
  std::uint64_t rate = 10'000;
  std::string durability = "process";
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
  made.gateway.gateway.limits.orders = 50'000;
  made.gateway.gateway.limits.requests = 1 << 17;
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

/// A FIX message that was written down as it came.
Message message_of(std::string_view fix) {
  Message message;
  for (std::size_t begin = 0, end = 0; (end = fix.find('\x01', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view field = fix.substr(begin, end - begin);
    const std::size_t equal = field.find('=');
    message.fields[std::stoi(std::string(field.substr(0, equal)))] = field.substr(equal + 1);
  }
  message.type = message.at(35);
  return message;
}

class Day {
 public:
  explicit Day(const Options& options)
      : options_(options), random_(options.seed), configs_(configs_of(options)), board_(trader_board(path("board"))) {
    std::ofstream(path("venue.toml")) << app::text_of(configs_.venue);
    std::ofstream(path("gateway.toml")) << app::text_of(configs_.gateway);
  }

  /// How many contradictions were found.
  std::uint64_t run() {
    start_venue();
    start_gateway();
    start_traders();
    while (gateway_kills_ + venue_kills_ + trader_kills_ < options_.kills) {
      trade(std::chrono::milliseconds{20 + draw(600)});
      strike();
      std::this_thread::sleep_for(std::chrono::milliseconds{draw(100)});
      board_.rate = 0;
      const bool is_venue_first = draw(2) == 0;
      if (!traders_) start_traders();
      if (is_venue_first && !venue_) start_venue();
      if (!gateway_) start_gateway();
      if (!venue_) start_venue();
    }
    await_traders();
    settle();
    traders_->kill();
    venue_->kill();
    gateway_->kill();
    return judge();
  }

 private:
  [[nodiscard]] std::string path(const std::string& name) const { return options_.folder + "/" + name; }
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
  void start_traders() {
    const auto& symbols = configs_.gateway.gateway.symbols;
    traders_ = std::make_unique<app::ChildProcess>(
        options_.traders,
        std::vector<std::string>{"--folder", options_.folder, "--symbol", symbols[0].symbol, symbols[1].symbol,
                                 "--port", std::to_string(configs_.gateway.listen.port), "--clients",
                                 std::to_string(options_.clients), "--seed", std::to_string(draw(1'000'000))});
    if (!traders_->wait_for("traders ready", 60s))
      throw std::runtime_error("the clients do not start:\n" + traders_->output());
  }
  /// One process, or several at once. What dies is counted.
  void strike() {
    const std::uint64_t what = draw(6);
    if (what != 0 && what != 5) kill(gateway_, gateway_kills_);
    if (what < 2) kill(venue_, venue_kills_);
    if (what >= 4) {
      kill(traders_, trader_kills_);
      board_.logged_on = 0;
    }
  }
  static void kill(std::unique_ptr<app::ChildProcess>& process, std::uint64_t& kills) {
    process->kill();
    process.reset();
    ++kills;
  }
  /// Until all clients are logged on.
  void await_traders() {
    for (int count = 0; count < 5000 && board_.logged_on != options_.clients; ++count) std::this_thread::sleep_for(1ms);
    if (board_.logged_on != options_.clients)
      throw std::runtime_error("clients cannot log on:\n" + gateway_->output() + traders_->output());
  }
  /// At full rate while everybody is there: what counts for the rate of the whole run.
  void trade(std::chrono::milliseconds how_long) {
    await_traders();
    const std::uint64_t before = board_.sent;
    const auto begin = std::chrono::steady_clock::now();
    board_.rate = options_.rate;
    std::this_thread::sleep_for(how_long);
    trading_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    sent_trading_ += board_.sent - before;
  }
  /// Until all has been answered and nothing comes any more.
  void settle() {
    board_.rate = 0;
    int quiet = 0;
    for (int count = 0; count < 600 && quiet < 20; ++count) {
      const std::uint64_t before = board_.received;
      std::this_thread::sleep_for(100ms);
      quiet = board_.received == before ? quiet + 1 : 0;
    }
  }

  /// The books of a client, out of what it wrote down.
  ClientLedger ledger_of(std::size_t trader) {
    const std::string file = path(user_name(trader));
    std::set<std::string> withdrawn;
    TraderFile::read(file, {.on_request = [](const TraderRequest&) {},
                            .on_withdrawn = [&](const std::string& id) { withdrawn.insert(id); },
                            .on_received = [](std::string_view) {}});
    ClientLedger ledger;
    TraderFile::read(file, {.on_request =
                                [&](const TraderRequest& request) {
                                  if (withdrawn.contains(request.id)) return;
                                  ledger.requested(request.id, request.type, request.orig);
                                  ++requests_;
                                },
                            .on_withdrawn = [](const std::string&) {},
                            .on_received =
                                [&](std::string_view fix) {
                                  ledger.reported(message_of(fix));
                                  ++answers_;
                                }});
    return ledger;
  }

  std::uint64_t judge() {
    auto disk = journal::RealDisk::open(path("venue") + "/partition-1");
    if (!disk) throw std::runtime_error("the venue's journal cannot be read");
    auto replayed = venue::replay_directory(**disk);
    if (!replayed) throw std::runtime_error("the venue's journal is not whole: " + replayed.error().what);
    const venue::Partition& partition = *replayed->replayer->partition();
    std::uint64_t wrong = 0;
    const auto compare = [&](std::size_t at, const char* what, std::int64_t client, std::uint64_t venue) {
      if (static_cast<std::uint64_t>(client) == venue) return;
      ++wrong;
      fmt::print("{}: {} is {} for the client and {} for the venue\n", user_name(at), what, client, venue);
    };
    for (std::size_t at = 0; at < options_.clients; ++at) {
      ClientLedger ledger = ledger_of(at);
      ledger.check_answers();
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
    fmt::print(
        "{} kills of the gateway, {} of the venue, {} of the clients; {} requests, {} messages to clients; "
        "{:.0f} requests a second for the {:.1f} s in which all were up; {} contradictions\n",
        gateway_kills_, venue_kills_, trader_kills_, requests_, answers_,
        static_cast<double>(sent_trading_) / trading_s_, trading_s_, wrong);
    return wrong;
  }

  const Options& options_;
  std::mt19937_64 random_;
  Configs configs_;
  TraderBoard& board_;
  std::unique_ptr<app::ChildProcess> venue_, gateway_, traders_;
  std::uint64_t requests_ = 0, answers_ = 0, gateway_kills_ = 0, venue_kills_ = 0, trader_kills_ = 0;
  std::uint64_t sent_trading_ = 0;  // requests while all were up, in so many seconds
  double trading_s_ = 0;
};

int run(Options options) {
  const bool is_own = options.folder.empty();
  if (is_own) {
    std::string pattern = std::filesystem::temp_directory_path() / "dojima-gateway-kills-XXXXXX";
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
  CLI::App app(
      "Kills gateway, venue and FIX clients again and again and compares what the clients know with the venue");
  dojima::crash::Options options;
  app.add_option("--dojima", options.program, "The dojima program")->required();
  app.add_option("--traders", options.traders, "The program of the clients")->required();
  app.add_option("--rate", options.rate, "Requests a second of all clients together, while everybody is up")
      ->capture_default_str();
  app.add_option("--kills", options.kills, "How many processes are killed")->capture_default_str();
  app.add_option("--clients", options.clients, "FIX clients")->capture_default_str();
  app.add_option("--seed", options.seed, "Of clients and instants")->capture_default_str();
  app.add_option("--folder", options.folder, "Where journals and configurations are written");
  app.add_option("--durability", options.durability, "process or power")
      ->check(CLI::IsMember({"process", "power"}))
      ->capture_default_str();
  CLI11_PARSE(app, count, words);
  try {
    return dojima::crash::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dojima-gateway-kills: {}\n", error.what());
    return 1;
  }
}
