#include "dojima/app/configuration/password_schema.hpp"

#include <utility>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/passwords/secret_file.hpp"

namespace dojima::app {
namespace {

constexpr std::string_view k_begin_of_hash = "$scrypt$";

/// The keys as they are written there.
struct PasswordKeys {
  std::string clear, hash, file;

  [[nodiscard]] int given() const noexcept {
    return static_cast<int>(!clear.empty()) + static_cast<int>(!hash.empty()) + static_cast<int>(!file.empty());
  }
};

std::string password_key_names(std::string_view key, PasswordForms forms) {
  std::string names(key);
  if (forms.hash) names += (forms.file ? ", " : " and ") + std::string(key) + "_hash";
  if (forms.file) names += " and " + std::string(key) + "_file";
  return names;
}

void check_password_hash(std::string_view key, const PasswordKeys& keys, PasswordForms forms, ConfigVisitor& visitor) {
  if (forms.hash && keys.clear.starts_with(k_begin_of_hash))
    visitor.complain(key, "what dojima config hash-password prints belongs to " + std::string(key) + "_hash");
  if (!keys.hash.empty() && !is_scrypt_text(keys.hash))
    visitor.complain(std::string(key) + "_hash",
                     "this is not what dojima config hash-password makes: $scrypt$ln=14,r=8,p=1$SALT$KEY");
}

/// Empty: it cannot be read, which is complained about.
std::string password_in_file(const std::string& key, const std::string& file, std::size_t longest,
                             ConfigVisitor& visitor) {
  auto line = read_secret_file(file);
  if (!line) {
    visitor.complain(key, file + ": " + line.error());
    return {};
  }
  if (line->size() > longest)
    visitor.complain(key, file + ": its first line is longer than " + std::to_string(longest) + " characters");
  return *std::move(line);
}

class ClearPasswords {
 public:
  explicit ClearPasswords(const SecretFiles& files) : files_(files) {}
  /// `path`: LIST.ROW.KEY
  void look_at(const std::string& value, const std::string& path) {
    if (!value.empty() && !is_scrypt_text(value) && !files_.contains(path)) ++count_;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  const SecretFiles& files_;
  std::size_t count_ = 0;
};

}  // namespace

std::size_t clear_passwords(const VenueConfig& config) {
  ClearPasswords clear(config.password_files);
  for (std::size_t row = 0; row < config.users.size(); ++row)
    if (const simulate::VenueUserConfig& user = config.users[row];
        !user.name.empty() && !user.is_removed && !user.is_spare)
      clear.look_at(user.password, "user." + std::to_string(row) + ".password");
  for (std::size_t row = 0; row < config.feed.readers.size(); ++row)
    clear.look_at(config.feed.readers[row].password, "feed_reader." + std::to_string(row) + ".password");
  for (std::size_t row = 0; row < config.copies.readers.size(); ++row)
    clear.look_at(config.copies.readers[row].password, "drop_copy_reader." + std::to_string(row) + ".password");
  return clear.count();
}

std::size_t clear_passwords(const GatewayConfig& config) {
  ClearPasswords clear(config.password_files);
  for (std::size_t row = 0; row < config.gateway.clients.size(); ++row) {
    const gateway::ClientConfig& client = config.gateway.clients[row];
    const std::string path = "client." + std::to_string(row) + ".";
    clear.look_at(client.password, path + "password");
    clear.look_at(client.venue_password, path + "venue_password");
    clear.look_at(client.venue_new_password, path + "venue_new_password");
  }
  for (std::size_t row = 0; row < config.gateway.users.size(); ++row) {
    const gateway::VenueLogon& logon = config.gateway.users[row].logon;
    clear.look_at(logon.password, "user." + std::to_string(row) + ".password");
    clear.look_at(logon.new_password, "user." + std::to_string(row) + ".new_password");
  }
  for (std::size_t row = 0; row < config.gateway.drop_copies.size(); ++row)
    clear.look_at(config.gateway.drop_copies[row].password, "drop_copy." + std::to_string(row) + ".password");
  return clear.count();
}

bool describe_password(std::string_view key, std::string& value, std::size_t longest, PasswordForms forms,
                       SecretFiles& files, std::string_view meaning, ConfigVisitor& visitor) {
  constexpr std::size_t k_hash_longest = 200, k_path_longest = 4096;
  const std::string hash_key = std::string(key) + "_hash", file_key = std::string(key) + "_file";
  const std::string path = visitor.path_of(key);
  const auto known = files.find(path);
  PasswordKeys keys;
  if (known != files.end())
    keys.file = known->second;
  else
    (forms.hash && is_scrypt_text(value) ? keys.hash : keys.clear) = value;
  visitor.text(key, keys.clear, longest, meaning);
  if (forms.hash)
    visitor.text(hash_key, keys.hash, k_hash_longest, "in its place: what dojima config hash-password prints");
  if (forms.file)
    visitor.text(file_key, keys.file, k_path_longest, "in its place: a file of ours alone, whose first line it is");
  if (keys.given() > 1) visitor.complain(key, password_key_names(key, forms) + ": one of them");
  check_password_hash(key, keys, forms, visitor);
  files.erase(path);
  if (!keys.file.empty()) {
    files.emplace(path, keys.file);
    if (visitor.reads_files()) value = password_in_file(file_key, keys.file, longest, visitor);
  } else {
    value = !keys.hash.empty() ? keys.hash : keys.clear;
  }
  return keys.given() != 0;
}

}  // namespace dojima::app
