#pragma once

// A port for a server that a test starts as a process of its own.

#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace dojima::net::testing {

/// A port of this machine that nobody listens on. Throws std::system_error.
inline std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool is_bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  const int trouble = errno;
  ::close(socket);
  if (!is_bound) throw std::system_error(trouble, std::generic_category(), "no free port");
  return ntohs(address.sin_port);
}

}  // namespace dojima::net::testing
