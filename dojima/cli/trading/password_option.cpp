#include "dojima/cli/trading/password_option.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <expected>
#include <fmt/core.h>
#include <termios.h>
#include <unistd.h>

#include "dojima/app/passwords/secret_file.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {
namespace {

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

/// A line of standard input, which a terminal does not show: `prompt` asks for it.
std::expected<std::string, std::string> hidden_line(const std::string& prompt) {
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetattr(STDIN_FILENO, &terminal_before_password) != 0)
    return app::read_secret_line(STDIN_FILENO);
  std::expected<std::string, std::string> line;
  {
    const SilentTerminal silent;
    fmt::print(stderr, "{}: ", prompt);
    line = app::read_secret_line(STDIN_FILENO);
  }
  fmt::print(stderr, "\n");
  return line;
}

}  // namespace

std::optional<std::string> read_password(const std::string& option, const std::string& file) {
  const bool is_input = file == "-";
  const auto line =
      is_input ? hidden_line(option.starts_with("--new-") ? "new password" : "password") : app::read_secret_file(file);
  if (line) return *line;
  complain(fmt::format("{} {}: {}", option, is_input ? "-, standard input" : file, line.error()));
  return std::nullopt;
}

void PasswordOption::add_to(Command& command, const std::string& whose) {
  command.add_option(name_, text_, whose + "; all users of this machine can see it").type_name("TEXT");
  command.add_option(name_ + "-file", file_, "Whose first line is it; only we may read the file; -: standard input")
      .type_name("FILE");
}

std::optional<std::string> PasswordOption::read() const {
  if (file_.empty()) return text_;
  if (text_.empty()) return read_password(name_ + "-file", file_);
  complain(fmt::format("{} and {}-file: one of them", name_, name_));
  return std::nullopt;
}

}  // namespace dojima::cli
