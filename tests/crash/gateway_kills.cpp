// Kills gateway, venue and FIX clients at random instants while the clients trade, starts them again on their journals,
// and goes on. FIX sessions never begin anew. At the end every request has had one answer, no execution came twice, and
// what the clients hold and have traded is what the venue's journal says. Where the clients are QuickFIX's, what they
// have requested is what its file stores say. Exit status 1: it is not. With days the venue's day ends now and then,
// in calm or with the kills, and where a gateway said that some of it may be missing less is asked for.

#include "copied_trades.hpp"
#include "killed_servers.hpp"
#include "quickfix_store.hpp"
#include "trader_board.hpp"
#include "trader_file.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/evidence/table.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using gateway::testing::ClientLedger, gateway::testing::Message;

/// Of the requests a second that are asked for; the clients look at their clocks now and then.
constexpr double k_share_of_rate = 0.95;

struct Options : KillOptions {
  std::string traders = "dojima-kill-traders";
  std::uint64_t rate = 10'000;
  std::uint64_t days = 0;
  bool has_copy = false;
};

Configs roomy_configs(const Options& options) {
  Configs made = configs_of(options);
  made.gateway.gateway.limits.orders = 50'000;
  made.gateway.gateway.limits.requests = 1 << 17;
  if (options.has_copy) {
    made.gateway.gateway.drop_copies = {{.comp_id = k_firm}};
    made.gateway.connections += 1;
    made.venue.journal.snapshot_every = 0;  // the files of all days are made of it at the end
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
      : options_(options),
        random_(options.seed),
        servers_(options, roomy_configs(options)),
        board_(trader_board(path("board"))) {}

  /// How many contradictions were found; the artefact has all that was counted.
  std::uint64_t run(evidence::Artefact& artefact) {
    servers_.start_venue();
    servers_.start_gateway();
    start_traders();
    while (servers_.gateway_kills + servers_.venue_kills + trader_kills_ < options_.kills) {
      trade(std::chrono::milliseconds{20 + draw(600)});
      if (servers_.days < options_.days && draw(2) == 0) end_day(options_.has_copy || draw(2) == 0);
      strike();
      std::this_thread::sleep_for(std::chrono::milliseconds{draw(100)});
      board_.rate = 0;
      const bool is_venue_first = draw(2) == 0;
      if (!traders_) start_traders();
      if (is_venue_first && !servers_.venue) servers_.start_venue();
      if (!servers_.gateway) servers_.start_gateway();
      if (!servers_.venue) servers_.start_venue();
    }
    await_traders();
    settle();
    if (options_.has_copy) end_last_day();
    traders_->kill();
    servers_.venue->kill();
    servers_.gateway->kill();
    return judge(artefact);
  }

 private:
  [[nodiscard]] std::string path(const std::string& name) const { return options_.folder + "/" + name; }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void start_traders() {
    const app::GatewayConfig& gateway = servers_.configs().gateway;
    std::vector<std::string> words{"--folder",
                                   options_.folder,
                                   "--symbol",
                                   gateway.gateway.symbols[0].symbol,
                                   gateway.gateway.symbols[1].symbol,
                                   "--port",
                                   std::to_string(gateway.listen.port),
                                   "--clients",
                                   std::to_string(options_.clients),
                                   "--seed",
                                   std::to_string(draw(1'000'000))};
    if (options_.days != 0) words.emplace_back("--days");
    if (options_.has_copy) words.insert(words.end(), {"--copy", k_firm});
    traders_ = std::make_unique<app::ChildProcess>(options_.traders, words);
    if (!traders_->wait_for("traders ready", 60s))
      throw std::runtime_error("the clients do not start:\n" + traders_->output());
  }
  /// One process, or several at once. What dies is counted.
  void strike() {
    const std::uint64_t what = draw(6);
    if (what != 0 && what != 5) servers_.kill_gateway();
    if (what < 2) servers_.kill_venue();
    if (what < 4) return;
    traders_->kill();
    traders_.reset();
    ++trader_kills_;
    board_.logged_on = 0;
  }
  /// Its files can be written then, and the firm has all of it.
  void end_last_day() {
    const std::uint64_t before = servers_.days;
    end_day(true);
    if (servers_.days == before)
      throw std::runtime_error("the venue does not end its day:\n" + servers_.venue->output());
    settle();
  }
  /// The venue's day ends; in calm: and its gateway says so of every user before anything else happens.
  void end_day(bool is_calm) {
    const auto ended = [&](std::size_t client) {
      return servers_.said(client, k_day_is_over) + servers_.said(client, k_day_is_missed);
    };
    std::vector<std::uint64_t> before;
    for (std::size_t client = 0; client < options_.clients; ++client) before.push_back(ended(client));
    if (!servers_.end_day() || !is_calm) return;
    const auto is_over = [&] {
      for (std::size_t client = 0; client < options_.clients; ++client)
        if (ended(client) == before[client]) return false;
      return true;
    };
    for (int count = 0; count < 500 && !is_over(); ++count) std::this_thread::sleep_for(10ms);
  }
  /// Until all clients are logged on.
  void await_traders() {
    const std::uint32_t wanted = options_.clients + (options_.has_copy ? 1u : 0u);
    for (int count = 0; count < 5000 && board_.logged_on != wanted; ++count) std::this_thread::sleep_for(1ms);
    if (board_.logged_on != wanted)
      throw std::runtime_error("clients cannot log on:\n" + servers_.gateway->output() + traders_->output());
  }
  /// At full rate while everybody is there: what counts for the rate of the whole run.
  void trade(std::chrono::milliseconds how_long) {
    await_traders();
    const std::uint64_t before = board_.sent;
    const auto begin = std::chrono::steady_clock::now();
    board_.rate = options_.rate;
    if (options_.has_copy) {
      // Connections are cut while requests and executions are on their way, and made again.
      for (auto end = begin + how_long; std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(25ms))
        if (draw(3) == 0) ++board_.cuts;
    } else {
      std::this_thread::sleep_for(how_long);
    }
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

  /// The books of a client, out of what it wrote down, or of what its QuickFIX has stored.
  ClientLedger ledger_of(std::size_t trader) {
    const std::string file = path(user_name(trader));
    std::map<std::uint64_t, TraderRequest> requests;
    TraderFile::read(file, {.on_request = [&](const TraderRequest& request) { requests[request.sequence] = request; },
                            .on_withdrawn =
                                [&](const std::string& id) {
                                  std::erase_if(requests, [&](const auto& each) { return each.second.id == id; });
                                },
                            .on_received = [](std::string_view) {}});
    if (std::filesystem::exists(quickfix_folder(options_.folder))) requests = stored_requests(trader, requests);
    ClientLedger ledger;
    for (const auto& [number, request] : requests) ledger.requested(request.id, request.type, request.orig);
    requests_ += requests.size();
    TraderFile::read(file, {.on_request = [](const TraderRequest&) {},
                            .on_withdrawn = [](const std::string&) {},
                            .on_received =
                                [&](std::string_view fix) {
                                  ledger.reported(message_of(fix));
                                  ++answers_;
                                }});
    return ledger;
  }

  /// What QuickFIX's store has sent. It is what the client wrote down, and what came is below the store's next number.
  std::map<std::uint64_t, TraderRequest> stored_requests(std::size_t trader,
                                                         const std::map<std::uint64_t, TraderRequest>& written) {
    const QuickFixStore store =
        read_quickfix_store(quickfix_folder(options_.folder) + "/FIX.4.4-" + user_name(trader) + "-DOJIMA");
    std::map<std::uint64_t, TraderRequest> requests;
    for (const auto& [number, fix] : store.messages) {
      const Message message = message_of(fix);
      if (message.type != "D" && message.type != "F" && message.type != "G") continue;
      requests[number] = {
          .sequence = number_of(fix), .type = message.type[0], .id = message.at(11), .orig = message.at(41)};
    }
    std::uint64_t last = 0;
    TraderFile::read(path(user_name(trader)), {.on_request = [](const TraderRequest&) {},
                                               .on_withdrawn = [](const std::string&) {},
                                               .on_received = [&](std::string_view fix) { last = number_of(fix); }});
    const auto expect = [&](bool holds, const std::string& what) {
      if (holds) return;
      ++store_contradictions_;
      fmt::print("{}: {}\n", user_name(trader), what);
    };
    expect(requests == written,
           fmt::format("{} requests in QuickFIX's store and {} in the client's file", requests.size(), written.size()));
    expect(last <= store.next_incoming,
           fmt::format("message {} came, and QuickFIX's store expects {}", last, store.next_incoming));
    stored_ += requests.size();
    return requests;
  }

  std::uint64_t judge(evidence::Artefact& artefact) {
    std::uint64_t wrong =
        servers_.judge([this](std::size_t client) { return ledger_of(client); }) + store_contradictions_;
    if (options_.has_copy) wrong += judge_copies(artefact);
    if (stored_ != 0) fmt::print("{} requests in the stores of QuickFIX\n", stored_);
    if (options_.days != 0) judge_days(artefact);
    const double rate = static_cast<double>(sent_trading_) / trading_s_;
    fmt::print(
        "{} kills of the gateway, {} of the venue, {} of the clients; {} requests, {} messages to clients; "
        "{:.0f} requests a second for the {:.1f} s in which all were up; {} contradictions\n",
        servers_.gateway_kills, servers_.venue_kills, trader_kills_, requests_, answers_, rate, trading_s_, wrong);
    evidence::Table table{.name = "kills",
                          .title = "Gateway, venue and FIX clients killed while the clients trade",
                          .columns = {{"gateway_kills"},
                                      {"venue_kills"},
                                      {"client_kills"},
                                      {"requests"},
                                      {"messages_to_clients"},
                                      {"requests_per_second", 0, true, "while all were up"},
                                      {"seconds_up", 1, true, "in which all were up"},
                                      {"requests_in_stores", 2, true, "of QuickFIX"},
                                      {"contradictions"}}};
    table.add_row({servers_.gateway_kills, servers_.venue_kills, trader_kills_, requests_, answers_, rate, trading_s_,
                   stored_, wrong});
    add(artefact, table);
    const double wanted = k_share_of_rate * static_cast<double>(options_.rate);
    // A target, as those of benchmarks: a machine that is too slow for the rate contradicts nothing.
    artefact.set_parameter("traders", std::filesystem::path(options_.traders).filename().string())
        .set_parameter("rate", options_.rate)
        .set_parameter("days", options_.days)
        .set_parameter("copy", options_.has_copy)
        .add_check("requests a second, target", rate >= wanted,
                   fmt::format("{:.0f} a second while all were up, at least {:.0f} wanted", rate, wanted));
    return wrong;
  }
  static void add(evidence::Artefact& artefact, const evidence::Table& table) {
    artefact.add_table(table).add_rule({table.name, "contradictions", evidence::Rule::equal, 0});
  }

  /// What the firm has is what the venue's files of its days say.
  std::uint64_t judge_copies(evidence::Artefact& artefact) {
    std::vector<std::string> clients;
    for (std::size_t client = 0; client < options_.clients; ++client) clients.push_back(user_name(client));
    const CopyComparison compared =
        compare_copies(options_.folder, servers_.days_in_journal(), clients,
                       [this](std::size_t client) { return servers_.said(client, k_day_is_missed) != 0; });
    for (const std::string& complaint : compared.complaints) fmt::print("drop copy: {}\n", complaint);
    fmt::print(
        "{} executions in the drop copy; {} sides of trades in the files of {} days; {} of {} clients compared whole; "
        "{} connections cut\n",
        compared.copied, compared.sides, compared.days, compared.whole, options_.clients, board_.cuts.load());
    const bool is_empty = compared.whole == 0 || compared.sides == 0;
    if (is_empty) fmt::print("drop copy: there is nothing to compare\n");
    const std::uint64_t wrong = compared.contradictions + (is_empty ? 1u : 0u);
    evidence::Table table{.name = "copies",
                          .title = "The firm's drop copy beside the files of the venue's days",
                          .columns = {{"executions"},
                                      {"sides_of_trades"},
                                      {"days"},
                                      {"clients_compared_whole"},
                                      {"connections_cut"},
                                      {"contradictions"}}};
    table.add_row({compared.copied, compared.sides, compared.days, compared.whole, board_.cuts.load(), wrong});
    add(artefact, table);
    return wrong;
  }

  void judge_days(evidence::Artefact& artefact) {
    std::uint64_t missed = 0;
    for (std::size_t client = 0; client < options_.clients; ++client)
      missed += servers_.said(client, k_day_is_missed) != 0 ? 1u : 0u;
    fmt::print("{} days of the venue; some of one may be missing for {} of {} clients\n", servers_.days, missed,
               options_.clients);
    evidence::Table table{.name = "days",
                          .title = "Days of the venue that ended meanwhile",
                          .columns = {{"days"}, {"clients_that_may_miss_some"}}};
    table.add_row({servers_.days, missed});
    artefact.add_table(std::move(table));
  }

  const Options& options_;
  std::mt19937_64 random_;
  KilledServers servers_;
  TraderBoard& board_;
  std::unique_ptr<app::ChildProcess> traders_;
  std::uint64_t requests_ = 0, answers_ = 0, trader_kills_ = 0;
  std::uint64_t stored_ = 0, store_contradictions_ = 0;
  std::uint64_t sent_trading_ = 0;  // requests while all were up, in so many seconds
  double trading_s_ = 0;
};

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  dojima::harness::ProgramOptions program(
      "Kills gateway, venue and FIX clients again and again and compares what the clients know with the venue");
  dojima::crash::Options options;
  add_options(program, options);
  program.add("--traders", options.traders, "The program of the clients").required();
  program.add("--rate", options.rate, "Requests a second of all clients together, while everybody is up")
      .show_default();
  program.add("--days", options.days, "How many days of the venue end meanwhile").show_default();
  program.add_flag(
      "--copy", options.has_copy,
      "A firm has a drop copy of all clients, connections are cut as well, and what it has is compared with the "
      "files of the venue's days; not with clients of QuickFIX");
  return dojima::crash::run_kills(
      "dojima-gateway-kills", program, count, words, options,
      [&](dojima::evidence::Artefact& artefact) { return dojima::crash::Day(options).run(artefact); });
}
