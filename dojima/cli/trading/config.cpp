// dojima config check|default

#include "dojima/app/config.hpp"

#include <fmt/core.h>
#include <memory>

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

}  // namespace

void add_config(Command program, int& status) {
  Command config = program.add_command("config", "Check a configuration, or print a commented default");
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
}

}  // namespace dojima::cli
