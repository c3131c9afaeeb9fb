// dojima config check|default|hash-password

#include "dojima/app/config.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <termios.h>
#include <unistd.h>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {
namespace {

template <class Config>
int report(const app::Loaded<Config>& config, const std::string& file, const char* kind) {
  if (!config) {
    complain(config.error());
    return k_usage;
  }
  fmt::print("{}: a {}'s configuration, nothing wrong\n", file, kind);
  return k_success;
}

int check(const std::string& file) {
  const auto text = app::read_text_file(file);
  if (!text) {
    complain(text.error());
    return k_usage;
  }
  const auto kind = app::kind_of(*text, file);
  if (!kind) {
    complain(kind.error());
    return k_usage;
  }
  return *kind == app::ConfigKind::venue ? report(app::parse_venue(*text, file), file, "venue")
                                         : report(app::parse_gateway(*text, file), file, "gateway");
}

struct HashRequest {
  std::string file;  // empty: standard input
  app::ScryptCost cost;
};

termios terminal_before_password{};

/// Once: the signal ends the program as it would have, the terminal as it was.
extern "C" void dojima_on_signal_at_password(int signal) {
  static_cast<void>(::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before_password));
  static_cast<void>(::raise(signal));
}

/// The terminal of standard input shows nothing of what is typed. One object at a time.
class SilentTerminal {
 public:
  SilentTerminal() {
    struct sigaction action{};
    action.sa_handler = dojima_on_signal_at_password;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (std::size_t at = 0; at < k_signals.size(); ++at) {
      ::sigaction(k_signals[at], nullptr, &before_[at]);
      if (before_[at].sa_handler != SIG_IGN) ::sigaction(k_signals[at], &action, nullptr);
    }
    termios silent = terminal_before_password;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    static_cast<void>(::tcsetattr(STDIN_FILENO, TCSANOW, &silent));
  }
  ~SilentTerminal() {
    static_cast<void>(::tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before_password));
    for (std::size_t at = 0; at < k_signals.size(); ++at) ::sigaction(k_signals[at], &before_[at], nullptr);
  }
  SilentTerminal(const SilentTerminal&) = delete;
  SilentTerminal& operator=(const SilentTerminal&) = delete;

 private:
  static constexpr std::array<int, 4> k_signals{SIGINT, SIGTERM, SIGQUIT, SIGHUP};
  std::array<struct sigaction, k_signals.size()> before_{};
};

/// A line of standard input, which a terminal does not show.
std::string hidden_line() {
  std::string line;
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &terminal_before_password) != 0) {
    std::getline(std::cin, line);
    return line;
  }
  {
    const SilentTerminal silent;
    fmt::print(stderr, "password: ");
    std::getline(std::cin, line);
  }
  fmt::print(stderr, "\n");
  return line;
}

int hash_password(const HashRequest& request) {
  constexpr std::size_t k_longest = 25;
  std::string password;
  if (request.file.empty()) {
    password = hidden_line();
  } else {
    std::ifstream in(request.file);
    if (!in) {
      complain(fmt::format("{}: cannot be read: {}", request.file, std::strerror(errno)));
      return k_usage;
    }
    std::getline(in, password);
  }
  if (!password.empty() && password.back() == '\r') password.pop_back();
  if (password.empty() || password.size() > k_longest) {
    complain(
        fmt::format("a password has 1 to 25 characters, not {}; it is the first line that is read", password.size()));
    return k_usage;
  }
  const std::string text = app::scrypt_text(password, request.cost);
  if (text.empty()) {
    complain("no random bytes, or no memory for scrypt of this cost; try a lower --cost");
    return k_environment;
  }
  fmt::print("{}\n", text);
  return k_success;
}

}  // namespace

void add_config(Command program, int& status) {
  Command config = program.add_command(
      "config", "Check a configuration, print a commented default, or make what stands in the place of a password");
  config.require_command();

  Command checker = config.add_command("check", "Say what is wrong with a configuration file, all of it");
  auto file = std::make_shared<std::string>();
  checker.add_option("FILE", *file, "A venue's or a gateway's TOML file").required();
  checker.footer("example: dojima config check venue.toml");
  checker.on_run([file, &status] { status = check(*file); });

  Command printer = config.add_command("default", "Print a configuration with every key and its meaning");
  auto kind = std::make_shared<std::string>();
  printer.add_option("KIND", *kind, "venue or gateway").required().one_of({"venue", "gateway"});
  printer.footer("example: dojima config default venue > venue.toml");
  printer.on_run([kind] {
    fmt::print("{}", *kind == "venue" ? app::text_of(app::default_venue()) : app::text_of(app::default_gateway()));
  });

  Command hasher = config.add_command(
      "hash-password", "Print what can stand in the place of a user's password in a venue's configuration");
  auto request = std::make_shared<HashRequest>();
  hasher.add_option("FILE", request->file, "Whose first line is the password; else standard input, not shown");
  hasher.add_option("--cost", request->cost.ln, "2 to the power of this: memory in KiB, and what checking one takes")
      .type_name("LN")
      .show_default()
      .between(10, 20);
  hasher.footer("example: dojima config hash-password < secret.txt");
  hasher.on_run([request, &status] { status = hash_password(*request); });
}

}  // namespace dojima::cli
