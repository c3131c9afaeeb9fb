#include "dojima/app/configuration/shared_schema.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "dojima/mit/describe.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

constexpr std::array<std::string_view, 2> k_kinds = {"venue", "gateway"};
constexpr std::array<std::string_view, 4> k_idle = {"spin", "yield", "block", "ring"};

/// `allow_remote` of the section decides whether other machines may reach its host.
void check_host(const std::string& host, bool allow_remote, std::string_view section, ConfigVisitor& visitor) {
  if (!net::is_host(host)) {
    visitor.complain("host", "\"" + host + "\" is not a numeric address or localhost");
  } else if (!allow_remote && !net::is_loopback(host)) {
    visitor.complain("host", "other machines can reach " + host + "; say " + std::string(section) +
                                 ".allow_remote = true when that is wanted, or use 127.0.0.1");
  }
}

}  // namespace

void describe_kind(ConfigKind kind, ConfigVisitor& visitor) {
  visitor.section("", "");
  auto value = static_cast<std::size_t>(kind);
  visitor.choice("kind", value, k_kinds, "what this file configures");
  if (value != static_cast<std::size_t>(kind))
    visitor.complain("kind", "this file configures a " + std::string(k_kinds[value]) + ", wanted is one for a " +
                                 std::string(k_kinds[static_cast<std::size_t>(kind)]));
}

void describe_listen(net::ListenConfig& listen, ConfigVisitor& visitor, std::string_view meaning) {
  visitor.section("listen", meaning);
  visitor.text("host", listen.host, 64, "numeric address, or localhost");
  visitor.integer("port", listen.port, 0, 65535, "0: any free port, which the start-up lines then name");
  visitor.flag("allow_remote", listen.allow_remote, "needed to listen on an address that other machines can reach");
  check_host(listen.host, listen.allow_remote, "listen", visitor);
}

void describe_admin(AdminConfig& admin, ConfigVisitor& visitor) {
  visitor.section("admin", "dojima admin, and the figures that Prometheus collects: docs/operations.md");
  visitor.text("host", admin.host, 64, "numeric address, or localhost");
  visitor.integer("port", admin.port, -1, 65535, "0: any free port, which the start-up lines then name; -1: none");
  visitor.flag("allow_remote", admin.allow_remote,
               "needed to listen on an address that other machines can reach, without encryption");
  visitor.text("token_file", admin.token_file, 4096,
               "who can read it may command; made where it is missing; empty: a new one for each run");
  check_host(admin.host, admin.allow_remote, "admin", visitor);
}

void describe_operators(AdminConfig& admin, ConfigVisitor& visitor) {
  constexpr std::array<std::string_view, 2> k_operator_roles = {"operate", "look"};
  visitor.list("operator", admin.operators, "who commands at [admin] with a token of its own: docs/operations.md",
               [&](OperatorConfig& row) {
                 visitor.text("name", row.name, 12, "of whom; the audit has it");
                 visitor.text("token_file", row.token_file, 4096, "made where it is missing; nobody else may read it");
                 std::size_t role = row.only_looks ? 1 : 0;
                 visitor.choice("role", role, k_operator_roles, "look: changes nothing");
                 row.only_looks = role == 1;
                 const bool is_word =
                     !row.name.empty() && std::ranges::all_of(row.name, [](char c) { return c > ' ' && c <= '~'; });
                 if (!is_word) visitor.complain("name", "an operator has a name of printable characters");
                 if (row.token_file.empty()) visitor.complain("token_file", "an operator has a token of its own");
               });
  check_unique(admin.operators, &OperatorConfig::name, "operator", "name", visitor);
  check_unique(admin.operators, &OperatorConfig::token_file, "operator", "token_file", visitor);
  for (std::size_t row = 0; row < admin.operators.size(); ++row)
    if (!admin.token_file.empty() && admin.operators[row].token_file == admin.token_file)
      visitor.complain("operator." + std::to_string(row) + ".token_file", "it is that of [admin]");
}

void describe_dashboard(DashboardConfig& dashboard, ConfigVisitor& visitor) {
  visitor.section("dashboard", "screens for browsers: docs/dashboard.md");
  visitor.text("host", dashboard.host, 64, "numeric address, or localhost");
  visitor.integer("port", dashboard.port, -1, 65535, "0: any free port, which the start-up lines then name; -1: none");
  visitor.flag("allow_remote", dashboard.allow_remote,
               "needed to listen on an address that other machines can reach, without encryption");
  check_host(dashboard.host, dashboard.allow_remote, "dashboard", visitor);
}

void describe_network(net::NetworkConfig& network, std::uint32_t& connections, ConfigVisitor& visitor) {
  visitor.section("network", "memory for connections, taken at start-up");
  visitor.integer("connections", connections, 1, 65'535, "at a time; more are refused");
  visitor.integer("input_bytes", network.input_bytes, 1024, 1 << 26, "kept per connection of what was not used yet");
  visitor.integer("output_bytes", network.output_bytes, 1024, 1 << 28, "kept per connection for a peer that is slow");
}

void describe_loop(net::IdlePolicy& idle, LoopSettings& loop, ConfigVisitor& visitor) {
  visitor.section("loop", "the thread that does the work, and what it asks of the machine: docs/app.md");
  auto value = static_cast<std::size_t>(idle);
  visitor.choice(
      "idle", value, k_idle,
      "when there is nothing to do: spin takes a whole core, yield what nobody else wants of it, block sleeps "
      "until a socket or timer is ready, ring does too with fewer system calls, and is block without io_uring");
  idle = static_cast<net::IdlePolicy>(value);
  for (const LoopKey& key : k_loop_keys) {
    std::string text = loop.text(key.name);
    visitor.text(key.name, text, 64, key.meaning);
    if (const auto set = loop.set(key.name, text); !set) visitor.complain(key.name, set.error());
  }
  if (loop.max_wakes && !net::sleeps(idle))
    visitor.complain("max_wakes",
                     "a loop that is never asleep is not woken: idle = \"block\" or \"ring\", or leave it out");
}

void describe_dialect(const mit::Dialect*& dialect, std::string_view meaning, ConfigVisitor& visitor) {
  const std::span<const mit::Dialect* const> all = mit::dialects();
  std::vector<std::string_view> names;
  for (const mit::Dialect* each : all) names.emplace_back(each->name);
  auto place = static_cast<std::size_t>(std::ranges::find(all, dialect) - all.begin());
  visitor.choice("dialect", place, names, meaning);
  dialect = all[place];
}

}  // namespace dojima::app
