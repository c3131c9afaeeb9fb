// QuickFIX's side of tests/quickfixj/both_roles.py, which does what QuickFixJSession.java does and obeys the same
// commands.
//
//   dojima-quickfix-session role=initiator begin=FIX.4.4 sender=QFJ target=ECHO port=9878 directory=DIR open=100
//       [Setting=VALUE...]

#include "account.hpp"
#include "commands.hpp"
#include "quickfix_engine.hpp"

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using dojima::quickfixj::Account;
using dojima::quickfixj::Commands;
using namespace std::chrono_literals;

struct Options {
  quickfix_peer::EngineOptions engine;
  std::uint64_t most_open = 100;  ///< orders that have not come back
};

Options options_of(int count, char** words) {
  Options options;
  std::map<std::string, std::string> plain;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0) throw std::invalid_argument("not NAME=VALUE: " + word);
    const bool is_quickfix_setting = std::isupper(static_cast<unsigned char>(word[0])) != 0;
    (is_quickfix_setting ? options.engine.settings : plain)[word.substr(0, at)] = word.substr(at + 1);
  }
  options.engine.is_acceptor = plain.at("role") == "acceptor";
  options.engine.begin_string = plain.at("begin");
  options.engine.sender = plain.at("sender");
  options.engine.target = plain.at("target");
  options.engine.default_appl_ver_id = plain["applver"];
  options.engine.port = static_cast<std::uint16_t>(std::stoul(plain.at("port")));
  options.engine.directory = plain.at("directory");
  if (plain.count("open") != 0) options.most_open = std::stoull(plain["open"]);
  return options;
}

std::string quantity_of(std::uint64_t number) {
  return std::to_string(1 + number % 1000);
}

/// A session that obeys the commands.
class Running final : quickfix_peer::EngineObserver {
 public:
  explicit Running(const Options& options)
      : most_open_(options.most_open),
        account_(options.engine.directory + "/account"),
        engine_(options.engine, *this) {}

  void run() {
    engine_.poll();
    std::puts("{\"answer\": \"ready\"}");
    std::fflush(stdout);
    while (!is_stopped_) {
      engine_.poll();
      while (const auto command = commands_.next()) {
        if (*command == "halt") std::_Exit(0);
        begin(*command);
      }
      if (command_.empty() || goes_on()) {
        std::this_thread::sleep_for(1ms);
      } else {
        answer();
      }
    }
  }

 private:
  void on_logon() override { account_.note("logon"); }
  void on_order(const quickfix_peer::Order& order) override {
    const std::uint64_t number = std::stoull(order.cl_ord_id.substr(1));
    const bool is_whole = order.quantity == quantity_of(number) && order.symbol == "RICE" && order.side == "1";
    account_.note("got " + std::to_string(number) + " " + (order.may_be_duplicate ? "1" : "0") +
                  (order.may_be_resend ? "1" : "0") + (is_whole ? " ok" : " altered"));
  }
  void on_other(bool is_received, const std::string& type, const std::string& text) override {
    const std::string way = std::string(is_received ? "received" : "sent") + (text.empty() ? "" : " " + text);
    if (type == "5") account_.note("logout " + way);
    if (type == "3" || type == "j") account_.note("reject " + way);
  }

  void begin(const std::string& command) {
    command_ = command;
    logons_before_ = account_.logons();
    if (command == "reset") engine_.send_reset();
    if (command == "stop") engine_.log_out();
    if (command.starts_with("upto ")) up_to_ = std::stoull(command.substr(5));
  }

  /// Whether the command has more to do.
  bool goes_on() {
    if (command_ == "numbers") return false;
    if (command_ == "stop") return engine_.is_logged_on();
    if (command_ == "reset") return !engine_.is_logged_on() || account_.logons() == logons_before_;
    if (!command_.starts_with("upto ")) throw std::runtime_error("no command: " + command_);
    while (engine_.is_logged_on() && account_.sent() < up_to_ && account_.sent() < account_.received() + most_open_) {
      const std::uint64_t number = account_.sent();
      account_.note("sent " + std::to_string(number));
      engine_.send_order("O" + std::to_string(number), quantity_of(number));
    }
    return account_.sent() < up_to_ || account_.received() < account_.sent();
  }

  void answer() {
    is_stopped_ = command_ == "stop";
    std::puts(account_.json(command_, engine_.next_outgoing(), engine_.next_incoming()).c_str());
    std::fflush(stdout);
    command_.clear();
  }

  std::uint64_t most_open_;
  Account account_;
  quickfix_peer::Engine engine_;
  Commands commands_;
  std::string command_;
  std::uint64_t up_to_ = 0, logons_before_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

int main(int count, char** words) try {
  const Options options = options_of(count, words);
  std::filesystem::create_directories(options.engine.directory);
  Running(options).run();
  return 0;
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "quickfix-session: %s\n", trouble.what());
  return 1;
}
