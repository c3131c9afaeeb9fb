#pragma once

// The secret that a command to a running server carries: 32 random bytes in hexadecimal, in a file that only its owner
// can read. Whoever may read the file may command the server.

#include <cstdint>
#include <expected>
#include <string>

namespace dojima::app {

class AdminToken {
 public:
  AdminToken() = default;
  /// Takes a file away that make() has written.
  ~AdminToken();
  AdminToken(AdminToken&& other) noexcept;
  AdminToken& operator=(AdminToken&& other) noexcept;

  /// With a `file`: what is in it, or a new one where there is none; it stays there. Without: a new one in
  /// default_file(), for as long as this object lives. The error is for a person.
  [[nodiscard]] static std::expected<AdminToken, std::string> make(const std::string& file, std::uint16_t port);
  /// The file of a server on this machine that was not configured otherwise, for who commands it.
  [[nodiscard]] static std::string default_file(std::uint16_t port);
  /// What is in the file. The error is for a person; it is refused when others than its owner can read it.
  [[nodiscard]] static std::expected<std::string, std::string> read(const std::string& file);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  std::string text_, file_;
  bool is_temporary_ = false;
};

}  // namespace dojima::app
