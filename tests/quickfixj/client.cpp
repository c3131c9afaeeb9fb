// Our side of tests/quickfixj/both_roles.py: an initiator with its store in a journal, which sends orders to an echo
// and keeps an account of what comes back. Commands come on standard input, as QuickFixJSession.java describes them,
// and each is answered by one line of JSON.
//
//   dojima-quickfixj-client --port 9878 --begin-string FIX.4.4 --sender CLIENT --target QFJ --directory DIR
//   dojima-quickfixj-client --numbers DIR/store --name echo --begin-string FIX.4.4 --sender ECHO --target QFJ

#include "account.hpp"
#include "commands.hpp"
#include "tests/fix_cases/order_client.hpp"

#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "dojima/fix/initiator.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/harness/program_options.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;
using quickfixj::Account;
using quickfixj::Commands;

struct Options {
  std::uint16_t port = 0;
  std::uint64_t most_open = 100;  ///< orders that have not come back
  std::string directory, numbers, name = "client";
  std::optional<std::int64_t> day_start, day_end;  ///< seconds since midnight, UTC
  fix::SessionConfig config{.role = fix::Role::initiator, .heartbeat_interval = 10s};
};

int quantity_of(std::uint64_t number) {
  return 1 + static_cast<int>(number % 1000);
}

/// The number of the order that a message is; none: it is no such order.
std::optional<std::uint64_t> number_of(const fix::MessageView& message) {
  const std::string id(message.find(fix::tag::k_cl_ord_id).value_or(""));
  if (id.size() < 2 || id.find_first_not_of("0123456789", 1) != std::string::npos) return std::nullopt;
  return std::stoull(id.substr(1));
}

std::string text_of(const fix::MessageView& message) {
  return std::string(message.find(fix::tag::k_text).value_or(""));
}

/// Notes Logouts of both sides as they were on the wire.
class LogoutLog final : public fix::MessageLog {
 public:
  explicit LogoutLog(Account& account) : account_(account) {}
  std::uint32_t add_session(const fix::SessionName&) override { return 0; }
  void write(std::uint32_t, fix::LogEntry entry, Bytes bytes, time::Time) noexcept override {
    if (entry == fix::LogEntry::event || !view_.read(bytes) || view_.msg_type() != fix::type::k_logout) return;
    const std::string text = text_of(view_);
    account_.note(std::string("logout ") + (entry == fix::LogEntry::incoming ? "received" : "sent") +
                  (text.empty() ? "" : " " + text));
  }

 private:
  Account& account_;
  fix::MessageView view_;
};

class Client final : public fix::Handler {
 public:
  explicit Client(Account& account) : account_(account) {}

  void on_logon(fix::Session&, time::Time) override { account_.note("logon"); }
  void on_logout(fix::Session&, std::string_view, time::Time) override {}
  void on_message(fix::Session&, const fix::MessageView& message, time::Time) override {
    const auto number = number_of(message);
    if (message.msg_type() != fix::type::k_new_order_single || !number) {
      account_.note("reject received a message that is no order: " + text_of(message));
      return;
    }
    const bool is_whole = message.find(fix::tag::k_order_qty) == std::to_string(quantity_of(*number)) &&
                          message.find(fix::tag::k_symbol) == "RICE" && message.find(fix::tag::k_side) == "1";
    const char* const duplicate = message.is_set(fix::tag::k_poss_dup_flag) ? "1" : "0";
    const char* const resend = message.is_set(fix::tag::k_poss_resend) ? "1" : "0";
    account_.note("got " + std::to_string(*number) + " " + duplicate + resend + (is_whole ? " ok" : " altered"));
  }
  void on_reject(fix::Session&, const fix::MessageView& reject, time::Time) override {
    account_.note("reject received " + text_of(reject));
  }
  void on_trouble(fix::Session&, const Error& error) override {
    char text[200];
    account_.note("trouble " + std::string(describe(error, text)));
  }

 private:
  Account& account_;
};

/// Where the orders of earlier lives end: what a store keeps was sent, and what came back was sent too.
std::uint64_t orders_in(const fix::MessageStore& store) {
  std::uint64_t orders = 0;
  fix::MessageView view;
  for (auto message = store.find_from({1}); message; message = store.find_from({message->sequence.value + 1})) {
    if (message->type != fix::type::k_new_order_single || !view.read(message->bytes)) continue;
    if (const auto number = number_of(view)) orders = std::max(orders, *number + 1);
  }
  return orders;
}

std::unique_ptr<fix::JournalStores> open_stores(journal::Disk& disk, const std::string& name) {
  auto stores = fix::JournalStores::open(disk, {.name = name});
  if (!stores) throw std::runtime_error(stores.error().what + ": " + stores.error().place.file);
  return *std::move(stores);
}
std::unique_ptr<journal::RealDisk> open_disk(const std::string& directory) {
  auto disk = journal::RealDisk::open(directory);
  if (!disk) throw std::runtime_error("cannot open " + directory);
  return *std::move(disk);
}
fix::MessageStore& store_of(fix::JournalStores& stores, const fix::SessionConfig& config) {
  const auto store = stores.store({config.begin_string, config.sender_comp_id, config.target_comp_id});
  if (!store) throw std::runtime_error("no store for the session");
  return **store;
}

/// A session that obeys the commands.
class Running {
 public:
  explicit Running(const Options& options)
      : most_open_(options.most_open),
        disk_(open_disk(options.directory + "/store")),
        stores_(open_stores(*disk_, options.name)),
        thread_(stores_->journal(), journal::JournalThreadOptions{.on_durable = [this] { looping_.fabric.wake(); },
                                                                  .on_room = [this] { looping_.fabric.wake(); }}),
        account_(options.directory + "/account"),
        logouts_(account_),
        client_(account_) {
    fix::SessionConfig config = options.config;
    config.log = &logouts_;
    fix::MessageStore& store = store_of(*stores_, config);
    sent_ = std::max({orders_in(store), account_.sent(), account_.largest()});
    const fix::InitiatorOptions connect{.hosts = {{"127.0.0.1", options.port}}, .delay = 100ms, .delay_max = 1s};
    if (options.day_start) {
      const fix::SessionSchedule schedule({.session = fix::Hours::daily(std::chrono::seconds{*options.day_start},
                                                                        std::chrono::seconds{*options.day_end})});
      scheduled_.emplace(looping_.scheduler, schedule, config, client_, store, fix::ScheduledSessionOptions{},
                         looping_.scheduler.now());
      initiator_.emplace(looping_.scheduler, looping_.fabric, *scheduled_, connect);
    } else {
      plain_.emplace(looping_.scheduler, config, client_, store);
      initiator_.emplace(looping_.scheduler, looping_.fabric, *plain_, connect);
    }
  }

  void run() {
    std::puts("{\"answer\": \"ready\"}");
    std::fflush(stdout);
    initiator_->start(looping_.scheduler.now());
    looping_.run([this] {
      stores_->deliver();
      while (const auto command = commands_.next()) {
        if (*command == "halt") std::_Exit(0);
        begin(*command);
      }
      if (!command_.empty() && goes_on()) return true;
      if (!command_.empty()) answer();
      return !is_stopped_;
    });
  }

 private:
  fix::Session& session() { return scheduled_ ? scheduled_->session() : *plain_; }

  void begin(const std::string& command) {
    command_ = command;
    if (command == "stop") initiator_->stop();
    if (command == "reset") session().reset();
    if (command.starts_with("upto ")) up_to_ = std::stoull(command.substr(5));
  }

  /// Whether the command has more to do.
  bool goes_on() {
    if (command_ == "numbers") return false;
    if (command_ == "stop") return session().is_connected();
    if (command_ == "reset")
      return !session().is_logged_on() || session().next_outgoing().value != 2 || session().next_incoming().value != 2;
    if (!command_.starts_with("upto ")) throw std::runtime_error("no command: " + command_);
    if (session().is_logged_on() && sent_ < up_to_ && sent_ < account_.received() + most_open_) {
      if (!order_client::send_order(session(), "O" + std::to_string(sent_), quantity_of(sent_),
                                    looping_.scheduler.now()))
        throw std::runtime_error("the order could not be sent");
      ++sent_;
    }
    return sent_ < up_to_ || account_.received() < sent_;
  }

  void answer() {
    if (sent_ > 0) account_.note("sent " + std::to_string(sent_ - 1));
    is_stopped_ = command_ == "stop";
    std::puts(account_.json(command_, session().next_outgoing().value, session().next_incoming().value).c_str());
    std::fflush(stdout);
    command_.clear();
  }

  std::uint64_t most_open_;
  order_client::Looping looping_;
  std::unique_ptr<journal::RealDisk> disk_;
  std::unique_ptr<fix::JournalStores> stores_;
  journal::JournalThread thread_;
  Account account_;
  LogoutLog logouts_;
  Client client_;
  std::optional<fix::Session> plain_;
  std::optional<fix::ScheduledSession> scheduled_;
  std::optional<fix::Initiator> initiator_;
  Commands commands_;
  std::string command_;
  std::uint64_t sent_ = 0, up_to_ = 0;
  bool is_stopped_ = false;
};

/// What a store on disk says, of whose session nobody is.
void print_numbers(const Options& options) {
  const auto disk = open_disk(options.numbers);
  const auto stores = open_stores(*disk, options.name);
  const fix::MessageStore& store = store_of(*stores, options.config);
  std::printf("{\"next_out\": %llu, \"next_in\": %llu}\n", static_cast<unsigned long long>(store.next_outgoing().value),
              static_cast<unsigned long long>(store.next_incoming().value));
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  fix::SessionConfig& config = options.config;
  harness::ProgramOptions program{"Trades with an echo on commands from standard input, and keeps an account of it."};
  program.add("--port", options.port, "of the acceptor on this machine");
  program.add("--directory", options.directory, "for the store and the account");
  program.add("--numbers", options.numbers, "print the numbers of the session in this store, and end");
  program.add("--name", options.name, "of the store").show_default();
  program.add("--begin-string", config.begin_string, "the version").show_default();
  program.add("--appl-ver-id", config.default_appl_ver_id, "DefaultApplVerID(1137)");
  program.add("--sender", config.sender_comp_id, "SenderCompID(49)").required();
  program.add("--target", config.target_comp_id, "TargetCompID(56)").required();
  program.add("--day-start", options.day_start, "of the session day, seconds since midnight UTC");
  program.add("--day-end", options.day_end, "of the session day").needs("--day-start");
  program.add_flag("--reset-on-logon", config.reset_on_logon, "ResetSeqNumFlag(141) in each Logon");
  program.add_flag("--reset-on-logout", config.reset_on_logout, "numbers begin at 1 after a Logout");
  program.add_flag("--reset-on-disconnect", config.reset_on_disconnect,
                   "numbers begin at 1 after the end of a connection");
  program.add_flag("--next-expected", config.next_expected, "NextExpectedMsgSeqNum(789) in Logons");
  program.add_flag("--last-processed", config.last_processed, "LastMsgSeqNumProcessed(369) in every header");
  program.add("--open", options.most_open, "orders on the way at most").show_default();
  program.add("--resend-chunk", config.resend_chunk, "messages that one ResendRequest asks for");
  if (const auto status = program.parse(count, words)) return *status;
  if (!options.numbers.empty()) {
    print_numbers(options);
    return 0;
  }
  std::filesystem::create_directories(options.directory + "/store");
  Running(options).run();
  return 0;
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "quickfixj-client: %s\n", trouble.what());
  return 1;
}
