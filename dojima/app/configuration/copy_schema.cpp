#include "dojima/app/configuration/copy_schema.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "dojima/app/configuration/password_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/link/host_pattern.hpp"

namespace dojima::app {
namespace {

void describe_copy_reader(simulate::CopyReaderConfig& reader, VenueConfig& config, ConfigVisitor& visitor) {
  visitor.text("name", reader.name, 25, "UserName of its Logon");
  if (!describe_password("password", reader.password, 25, {.hash = true, .file = true}, config.password_files,
                         "choose another one than a user's; dojima drop-copy --config reads it here or in the file",
                         visitor))
    visitor.complain("password", "a reader needs a password, a password_hash or a password_file");
  visitor.text("of", reader.of, 40, "whose reports: account:NAME, of all users of an account; a user's name; all");
  visitor.text("host", reader.host, 64, "from where: an address, or a network such as 10.0.0.0/8; empty: anywhere");
  if (reader.name.empty()) visitor.complain("name", "a reader needs a name");
  if (!reader.host.empty() && !link::is_host_pattern(reader.host))
    visitor.complain("host", "\"" + reader.host + "\" is no address, and no network such as 10.0.0.0/8");
  std::vector<simulate::VenueUserConfig> users = config.users;
  for (const simulate::SpareUserConfig& kind : config.spare_user_kinds) users.push_back(kind.user);
  if (std::ranges::any_of(simulate::users_of(reader, users), [](std::uint8_t is_meant) { return is_meant != 0; }))
    return;
  if (reader.of.empty())
    visitor.complain("of", "say whose reports it gets: account:NAME, a user's name, or all");
  else if (reader.of.starts_with(simulate::k_copies_of_account))
    visitor.complain("of", "no [[user]] or [[spare_user]] has the account " +
                               reader.of.substr(simulate::k_copies_of_account.size()));
  else
    visitor.complain("of", "there is no [[user]] " + reader.of);
}

}  // namespace

void describe_copy_channel(VenueConfig& config, ConfigVisitor& visitor) {
  visitor.section("drop_copy", "the execution reports of all users of a firm, as they happen: docs/venue.md");
  visitor.integer("port", config.copies_port, -1, 65535, "on the host of [listen]; 0: any free port, -1: none");
  visitor.integer("connections", config.copies.connections, 1, 65'535, "at a time; more are refused");
}

void describe_copy_readers(VenueConfig& config, ConfigVisitor& visitor) {
  visitor.list("drop_copy_reader", config.copies.readers, "who may log on at the channel of [drop_copy]",
               [&](simulate::CopyReaderConfig& row) { describe_copy_reader(row, config, visitor); });
  check_unique(config.copies.readers, &simulate::CopyReaderConfig::name, "drop_copy_reader", "name", visitor);
  if (config.copies_port >= 0 && config.copies.readers.empty())
    visitor.complain("drop_copy.port", "nobody may log on at the channel; name a [[drop_copy_reader]]");
  for (std::size_t row = 0; row < config.copies.readers.size() && !config.clear_passwords; ++row)
    if (const std::string path = "drop_copy_reader." + std::to_string(row) + ".password";
        !config.copies.readers[row].password.empty() && !is_scrypt_text(config.copies.readers[row].password) &&
        !config.password_files.contains(path))
      visitor.complain(path,
                       "it is in clear, which logon.clear_passwords refuses: password_hash is what dojima config "
                       "hash-password prints, password_file names a file");
}

}  // namespace dojima::app
