#include "dojima/app/configuration/drop_copy_schema.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "dojima/app/configuration/fix_schema.hpp"
#include "dojima/app/configuration/password_schema.hpp"

namespace dojima::app {
namespace {

using gateway::ClientConfig;
using gateway::DropCopyConfig;

constexpr std::size_t k_names_longest = 8192;

/// An execution reported in one version has values and fields that another version has no place for.
std::string another_version(const ClientConfig& client, const DropCopyConfig& copy) {
  const std::string theirs(gateway::name_of(client.version));
  return client.comp_id + " speaks " + theirs + " and this drop copy " + std::string(gateway::name_of(copy.version)) +
         ": executions are carried as the client got them, and another version has no place for all of it. Give "
         "the clients of each version a [[drop_copy]] of their own: version = \"" +
         theirs + "\", clients = \"" + client.comp_id + "\"";
}

/// The names of its clients, with spaces between.
void describe_clients(DropCopyConfig& copy, const GatewayConfig& config, ConfigVisitor& visitor) {
  std::string line;
  for (const std::string& name : copy.clients) line += (line.empty() ? "" : " ") + name;
  visitor.text("clients", line, k_names_longest,
               "whose executions it carries, with spaces between, all of its version; empty: every one of that");
  copy.clients = words_of(line);
  for (const std::string& name : copy.clients) {
    const auto found = std::ranges::find(config.gateway.clients, name, &ClientConfig::comp_id);
    if (found == config.gateway.clients.end())
      visitor.complain("clients", "there is no [[client]] " + name);
    else if (found->version != copy.version)
      visitor.complain("clients", another_version(*found, copy));
  }
}

void describe_drop_copy(DropCopyConfig& copy, GatewayConfig& config, ConfigVisitor& visitor) {
  visitor.text("comp_id", copy.comp_id, 32, "its SenderCompID (49)");
  ClientConfig identity{.sub_id = copy.sub_id,
                        .location_id = copy.location_id,
                        .session_template = copy.session_template,
                        .allowed_hosts = copy.allowed_hosts,
                        .username = copy.username};
  describe_client_session(identity, config, visitor);
  copy.sub_id = identity.sub_id;
  copy.location_id = identity.location_id;
  copy.session_template = identity.session_template;
  copy.allowed_hosts = identity.allowed_hosts;
  copy.username = identity.username;
  static_cast<void>(describe_password("password", copy.password, 32, {.file = true}, config.password_files,
                                      "Password (554) of its Logon; empty: any", visitor));
  describe_enum("version", copy.version, k_client_versions, "of FIX that it and its clients speak", visitor);
  describe_clients(copy, config, visitor);
  if (copy.comp_id.empty()) visitor.complain("comp_id", "a drop copy needs a CompID");
  if (std::ranges::find(config.gateway.clients, copy.comp_id, &ClientConfig::comp_id) != config.gateway.clients.end())
    visitor.complain("comp_id", "a [[client]] has this CompID");
}

}  // namespace

void describe_drop_copies(GatewayConfig& config, ConfigVisitor& visitor) {
  auto& copies = config.gateway.drop_copies;
  visitor.list("drop_copy", copies, "FIX sessions that carry all executions of clients: docs/gateway.md",
               [&](DropCopyConfig& row) { describe_drop_copy(row, config, visitor); });
  for (std::size_t row = 0; row < copies.size(); ++row)
    if (std::ranges::count(copies, copies[row].comp_id, &DropCopyConfig::comp_id) > 1)
      visitor.complain("drop_copy." + std::to_string(row) + ".comp_id", "another row has the same comp_id");
}

}  // namespace dojima::app
