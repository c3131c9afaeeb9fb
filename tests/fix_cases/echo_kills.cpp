// Kills fix-echo with SIGKILL again and again while a client trades with it, starts it again on what it left in its
// journal, and compares at the end what the client received, by number, with what the store says was sent.
//
//   dojima-echo-kills --echo build/release/bin/fix-echo --kills 100

#include "order_client.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "dojima/fix/initiator.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/harness/program_options.hpp"
#include "dojima/journal/real_disk.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;

struct Options {
  std::string echo;
  unsigned kills = 10;
  std::uint64_t seed = 1;
};

[[noreturn]] void end_with(const std::string& text) {
  std::fprintf(stderr, "echo-kills: %s\n", text.c_str());
  std::exit(1);
}

/// One life of fix-echo.
class Process {
 public:
  Process(const std::string& program, const std::string& config) {
    pid_ = ::fork();
    if (pid_ < 0) end_with("cannot fork");
    if (pid_ == 0) {
      ::execl(program.c_str(), program.c_str(), "--config", config.c_str(), "--quiet", nullptr);
      ::_exit(127);
    }
  }
  ~Process() { end(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The status with which it ended.
  int end(int signal) {
    if (pid_ <= 0) return 0;
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

/// What the client received, by MsgSeqNum.
struct Client final : fix::Handler {
  void on_logon(fix::Session&, time::Time) override { ++logons; }
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session&, const fix::MessageView& message, time::Time) override {
    const std::string id(message.find(fix::tag::k_cl_ord_id).value_or("?"));
    received[message.msg_seq_num()->value] = id;
    ++echoes[id];
  }
  void on_reject(fix::Session&, const fix::MessageView&, time::Time) override { ++troubles; }
  void on_trouble(fix::Session&, const Error& error) override {
    ++troubles;
    char text[200];
    const std::string_view described = describe(error, text);
    std::fprintf(stderr, "client: %.*s\n", static_cast<int>(described.size()), described.data());
  }
  std::map<std::uint64_t, std::string> received;
  std::map<std::string, unsigned> echoes;
  std::uint64_t logons = 0, troubles = 0;
};

/// What the store says was sent, held against what was received. How many messages were compared.
std::size_t compare(const std::string& directory, const Client& client, const fix::Session& session) {
  auto disk = journal::RealDisk::open(directory);
  if (!disk) end_with("cannot open " + directory);
  auto stores = fix::JournalStores::open(**disk, {.name = "echo"});
  if (!stores) end_with("cannot read the store: " + stores.error().what);
  const auto store = (*stores)->store({"FIX.4.4", "ECHO", "CLIENT"});
  if (!store) end_with("the store does not know the session");
  if ((*store)->next_incoming() != session.next_outgoing() || (*store)->next_outgoing() != session.next_incoming())
    end_with("numbers differ: the store has " + std::to_string((*store)->next_outgoing().value) + " out, " +
             std::to_string((*store)->next_incoming().value) + " in; the client " +
             std::to_string(session.next_outgoing().value) + " out, " + std::to_string(session.next_incoming().value) +
             " in");
  std::size_t compared = 0;
  fix::MessageView view;
  for (auto message = (*store)->find_from({1}); message; message = (*store)->find_from({message->sequence.value + 1})) {
    if (message->type != fix::type::k_new_order_single) continue;
    if (!view.read(message->bytes)) end_with("a stored message cannot be read");
    const auto found = client.received.find(message->sequence.value);
    if (found == client.received.end() || found->second != view.find(fix::tag::k_cl_ord_id))
      end_with("message " + std::to_string(message->sequence.value) + " was stored and not received as it was");
    ++compared;
  }
  return compared;
}

int run(const Options& options) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("dojima-echo-kills-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "store");
  const std::string config = (folder / "echo.toml").string();
  const std::uint16_t port = order_client::free_port();
  std::ofstream(config) << "port = " << port << "\nstore_directory = \"" << (folder / "store").string()
                        << "\"\n[[session]]\nsender_comp_id = \"ECHO\"\ntarget_comp_id = \"CLIENT\"\n"
                        << "store = \"journal\"\n";
  order_client::Looping looping(net::IdlePolicy::yield);
  sched::Scheduler& scheduler = looping.scheduler;
  Client client;
  fix::Session session(scheduler,
                       {.role = fix::Role::initiator,
                        .sender_comp_id = "CLIENT",
                        .target_comp_id = "ECHO",
                        .store = {.messages = 1 << 18, .bytes = std::size_t{1} << 26}},
                       client);
  fix::Initiator initiator(scheduler, looping.fabric, session,
                           {.hosts = {{"127.0.0.1", port}}, .delay = 5ms, .delay_max = 20ms});
  std::optional<Process> echo(std::in_place, options.echo, config);
  initiator.start(scheduler.now());
  std::mt19937_64 random(options.seed);
  std::uint64_t sent = 0;
  unsigned kills = 0;
  constexpr std::uint64_t k_most_open = 200;
  const auto next_kill = [&] {
    return looping.clock.now() + std::chrono::milliseconds{50 + static_cast<int>(random() % 250)};
  };
  time::Time kill_at = next_kill();
  const time::Time end = looping.clock.now() + 20s + options.kills * 2s;
  std::uint64_t logons_at_kill = 0;  // a Logon after the last kill: fix-echo runs, and both know where they are
  looping.run([&] {
    const time::Time now = looping.clock.now();
    if (kills < options.kills && session.is_logged_on() && sent < client.echoes.size() + k_most_open) {
      if (!order_client::send_order(session, "O" + std::to_string(sent++), 100, scheduler.now()))
        end_with("the client cannot send");
    }
    if (kills < options.kills && now >= kill_at && session.is_logged_on()) {
      ++kills;
      logons_at_kill = client.logons;
      echo->end(SIGKILL);
      echo.emplace(options.echo, config);
      kill_at = next_kill();
    }
    if (now > end)
      end_with("not everything came back: " + std::to_string(client.echoes.size()) + " of " + std::to_string(sent));
    return kills < options.kills || client.logons == logons_at_kill || client.echoes.size() < sent ||
           session.waiting() > 0;
  });
  initiator.stop();
  const time::Time patience = looping.clock.now() + 5s;
  looping.run([&] { return session.is_connected() && looping.clock.now() < patience; });
  if (const int status = echo->end(SIGTERM); status != 0) end_with("fix-echo ended with " + std::to_string(status));
  const std::size_t compared = compare((folder / "store").string(), client, session);
  const auto twice = std::ranges::count_if(client.echoes, [](const auto& echoed) { return echoed.second > 1; });
  std::printf(
      "%u kills, %llu logons, %llu orders, all came back (%lld of them twice: killed between answer and "
      "number), %zu stored messages are what was received\n",
      kills, static_cast<unsigned long long>(client.logons), static_cast<unsigned long long>(sent),
      static_cast<long long>(twice), compared);
  std::filesystem::remove_all(folder);
  return client.troubles == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  harness::ProgramOptions program{"Kills fix-echo under load and compares what was received with what it stored."};
  program.add("--echo", options.echo, "the program").required().existing_file();
  program.add("--kills", options.kills, "how often").show_default();
  program.add("--seed", options.seed, "of the times of the kills").show_default();
  if (const auto status = program.parse(count, words)) return *status;
  return run(options);
} catch (const std::exception& trouble) {
  end_with(trouble.what());
}
