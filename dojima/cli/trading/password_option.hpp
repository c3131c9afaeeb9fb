#pragma once

// How a command gets a password: `--password TEXT`, which all users of the machine can see, or `--password-file
// FILE`, whose first line it is; `-` is standard input, which a terminal does not show. One convention for all of them.
//
//   PasswordOption password{"--password"};
//   password.add_to(command, "Of the logon");
//   const auto text = password.read();       // none: something is wrong, which has been reported

#include <optional>
#include <string>
#include <utility>

namespace dojima::cli {

class Command;

/// The first line of the file, or of standard input for `-`. None: there is none, which was reported as trouble of
/// `option`.
[[nodiscard]] std::optional<std::string> read_password(const std::string& option, const std::string& file);

class PasswordOption {
 public:
  explicit PasswordOption(std::string name = "--password") : name_(std::move(name)) {}

  /// NAME and NAME-file.
  void add_to(Command& command, const std::string& whose);
  [[nodiscard]] bool is_given() const noexcept { return !text_.empty() || !file_.empty(); }
  /// Empty: none was given. None: there is one twice, or it cannot be read, which has been reported.
  [[nodiscard]] std::optional<std::string> read() const;

 private:
  std::string name_, text_, file_;
};

}  // namespace dojima::cli
