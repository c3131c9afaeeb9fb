#pragma once

// A password in a configuration: in clear, or what takes its place. A program that only compares it is given its
// hash (KEY_hash), one that sends it the name of a file that nobody else may read (KEY_file).

#include <cstddef>
#include <string>
#include <string_view>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"

namespace dojima::app {

/// What may take the place of a password in clear.
struct PasswordForms {
  bool hash = false;
  bool file = false;
};

/// `value` becomes the password or its hash, whichever is there; of a file its first line, where the visitor reads
/// files. `files` says which came from files, and are written as that. False: none of the keys has a value.
[[nodiscard]] bool describe_password(std::string_view key, std::string& value, std::size_t longest, PasswordForms forms,
                                     SecretFiles& files, std::string_view meaning, ConfigVisitor& visitor);

/// Passwords that are in clear in the configuration.
[[nodiscard]] std::size_t clear_passwords(const VenueConfig& config);
[[nodiscard]] std::size_t clear_passwords(const GatewayConfig& config);

}  // namespace dojima::app
