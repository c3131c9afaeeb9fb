#include "dojima/net/tls/wire.hpp"

#include <algorithm>

namespace dojima::net {
namespace {

Wire& wire_of(BIO* bio) noexcept {
  return *static_cast<Wire*>(BIO_get_data(bio));
}

int read(BIO* bio, char* to, std::size_t size, std::size_t* done) noexcept {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  *done = std::min(size, wire.incoming.size());
  if (*done == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  std::ranges::copy(wire.incoming.first(*done), reinterpret_cast<std::byte*>(to));
  wire.incoming = wire.incoming.subspan(*done);
  return 1;
}

/// As much as there is room for: a record may be larger than the whole buffer below.
int write(BIO* bio, const char* from, std::size_t size, std::size_t* done) noexcept {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  *done = 0;
  for (std::size_t part = size; wire.transport != nullptr && part != 0; part /= 2) {
    const Room room = wire.transport->prepare(part);
    if (room.size() < part) continue;
    std::copy_n(reinterpret_cast<const std::byte*>(from), part, room.begin());
    wire.transport->commit(part);
    *done = part;
    return 1;
  }
  BIO_set_retry_write(bio);
  return 0;
}

long control(BIO*, int command, long, void*) noexcept {
  return command == BIO_CTRL_FLUSH ? 1 : 0;  // the loop flushes
}

const BIO_METHOD* method() noexcept {
  static BIO_METHOD* const s_method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "dojima transport");
    if (made == nullptr) return made;
    BIO_meth_set_read_ex(made, read);
    BIO_meth_set_write_ex(made, write);
    BIO_meth_set_ctrl(made, control);
    return made;
  }();
  return s_method;
}

}  // namespace

BIO* make_bio(Wire& wire) noexcept {
  const BIO_METHOD* type = method();
  BIO* bio = type == nullptr ? nullptr : BIO_new(type);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, &wire);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace dojima::net
