#pragma once

// The passwords that a venue's users have chosen, in a file of their own that is written anew at each change: under
// another name, then on the disk, then renamed, so that a reader sees the old one or the new one. A line for a user:
// its name, when it was set (nanoseconds since 1970), and what is kept of the password, separated by tabs. Its
// permissions let only the owner read it. Cold path; blocks as the disk does.

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/simulate/exchange_config.hpp"
#include "dojima/venue/credentials.hpp"

namespace dojima::app {

class PasswordFile final : public venue::PasswordKeeper {
 public:
  /// Reads what is there; a file that is not there has no passwords. An error is text for a person: with the line that
  /// is none.
  [[nodiscard]] static std::expected<PasswordFile, std::string> open(const std::string& path);

  /// Passwords in clear, from earlier builds, are replaced by their `hash`. False: it makes nothing, or the file cannot
  /// be written.
  [[nodiscard]] bool seal(const std::function<std::string(std::string_view)>& hash);

  /// Users have the passwords that they chose, not those of the configuration, and need choose no other.
  void apply_to(simulate::ExchangeConfig& config) const;

  [[nodiscard]] bool keep(std::string_view user, std::string_view password, time::Time since) override;
  /// Where the file cannot be written now, the next change writes that too.
  void take_back(std::string_view user) override;

 private:
  struct Chosen {
    std::string password;
    time::Time since;
  };
  explicit PasswordFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] bool write() const;
  void restore(std::string_view user);

  std::string path_;
  std::map<std::string, Chosen, std::less<>> chosen_;
  std::optional<Chosen> before_;  // that keep() has replaced last; none: nothing was chosen
};

}  // namespace dojima::app
