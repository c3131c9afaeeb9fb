// dojima config check|default|hash-password

#include "dojima/app/config.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <memory>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/passwords/secret_file.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/trading/password_option.hpp"

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

int print_default(const std::string& kind) {
  if (kind == "venue") {
    fmt::print("{}", app::default_venue_text());
    return k_success;
  }
  fmt::print("{}", app::default_gateway_text());
  const std::string file(app::k_default_password_file);
  const auto made = app::write_secret_file(file, app::k_default_password);
  if (made) {
    fmt::print(stderr, "{}: made, the password with which the default gateway logs on; its owner alone may read it\n",
               file);
    return k_success;
  }
  if (made.error() == EEXIST) return k_success;  // its owner's, whatever is in it
  complain(fmt::format("{}, which this configuration names, cannot be made: {}", file, std::strerror(made.error())));
  return k_environment;
}

struct HashRequest {
  std::string file;  // empty: standard input
  app::ScryptCost cost;
};

int hash_password(const HashRequest& request) {
  constexpr std::size_t k_longest = 25;
  std::string password;
  if (request.file.empty() || request.file == "-") {
    const auto typed = read_password("hash-password", "-");
    if (!typed) return k_usage;
    password = *typed;
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
      "config", "Check a configuration, print a commented default, or make what takes the place of a password");
  config.require_command();

  Command checker = config.add_command("check", "Say what is wrong with a configuration file, all of it");
  auto file = std::make_shared<std::string>();
  checker.add_option("FILE", *file, "A venue's or a gateway's TOML file").required();
  checker.footer("example: dojima config check venue.toml");
  checker.on_run([file, &status] { status = check(*file); });

  Command printer = config.add_command("default", "Print a configuration with every key and its meaning");
  auto kind = std::make_shared<std::string>();
  printer.add_option("KIND", *kind, "venue or gateway").required().one_of({"venue", "gateway"});
  printer.footer(
      fmt::format("A gateway's names {0}, which is made in this folder where there is none: the password {1} of "
                  "the default venue's users, which everybody knows.\n\n"
                  "example: dojima config default venue > venue.toml",
                  app::k_default_password_file, app::k_default_password));
  printer.on_run([kind, &status] { status = print_default(*kind); });

  Command hasher = config.add_command("hash-password",
                                      "Print what can take the place of a user's password in a venue's configuration");
  auto request = std::make_shared<HashRequest>();
  hasher.add_option("FILE", request->file,
                    "Whose first line is the password; else, or for -, standard input, not shown");
  hasher.add_option("--cost", request->cost.ln, "2 to the power of this: memory in KiB, and what checking one takes")
      .type_name("LN")
      .show_default()
      .between(10, 20);
  hasher.footer("example: dojima config hash-password < secret.txt");
  hasher.on_run([request, &status] { status = hash_password(*request); });
}

}  // namespace dojima::cli
