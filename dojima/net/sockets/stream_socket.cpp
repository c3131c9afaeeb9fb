#include "dojima/net/sockets/stream_socket.hpp"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/base/assert.hpp"

namespace dojima::net {
namespace {

StreamSocket::Moved moved(ssize_t size) noexcept {
  return size < 0 ? StreamSocket::Moved{.trouble = errno} : StreamSocket::Moved{.size = static_cast<std::size_t>(size)};
}

}  // namespace

void StreamSocket::take(int descriptor) noexcept {
  DOJIMA_ASSERT(!is_open() && descriptor >= 0, "one socket at a time", descriptor_, descriptor);
  descriptor_ = descriptor;
}

bool StreamSocket::Moved::is_not_now() const noexcept {
  return trouble == EAGAIN || trouble == EINTR;  // EWOULDBLOCK is EAGAIN here
}

StreamSocket::Moved StreamSocket::read(Room room) noexcept {
  return moved(::recv(descriptor_, room.data(), room.size(), MSG_DONTWAIT));
}

StreamSocket::Moved StreamSocket::write(Bytes bytes) noexcept {
  return moved(::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

void StreamSocket::end_output() noexcept {
  if (is_open()) ::shutdown(descriptor_, SHUT_WR);
}

void StreamSocket::close() noexcept {
  if (!is_open()) return;
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace dojima::net
