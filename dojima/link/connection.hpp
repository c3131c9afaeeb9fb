#pragma once

// Connections as interfaces: bytes and the current time go in, bytes come out, nothing is a socket. `net` makes them
// over Boost.Asio, `SimulatedNetwork` in virtual time. Calls go down and callbacks come only from the loop: nothing
// that an object calls here calls it back before it returns. A session outlives its connections. One thread.

#include <cstddef>
#include <cstdint>
#include <string>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/time/time.hpp"

namespace dojima::link {

using time::Time;

/// Where to listen or connect. Port 0 when listening asks for any free port.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

/// Why a connection ended, as given to `on_closed`.
enum class CloseReason : std::uint8_t {
  none = 0,
  by_us,             ///< close() was called
  by_peer,           ///< the peer ended the stream, or vanished
  refused,           ///< connect: nobody listens there
  timed_out,         ///< connect: no answer
  input_overflow,    ///< a message larger than the input buffer: on_bytes used nothing of a full buffer
  output_overflow,   ///< we gave up on a peer that does not read
  failed,            ///< any other failure of the network
  not_trusted,       ///< TLS: a certificate, the peer's or ours, was not accepted
  handshake_failed,  ///< TLS: no common version or cipher, or no TLS at all
  truncated,         ///< TLS: the peer ended the stream without close_notify; what would have followed is not known
};

/// The way out. Valid from `on_open` until `on_closed` returns.
class Transport {
 public:
  /// Room for `size` bytes in the bounded output buffer; empty when there is none, or the connection is closing. The
  /// room is valid until the next call of any function of this transport.
  [[nodiscard]] virtual Room prepare(std::size_t size) = 0;
  /// The first `size` bytes of the room just prepared shall be sent.
  virtual void commit(std::size_t size) = 0;
  /// Bytes committed and not yet taken by the network.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
  /// Sends what is committed. The fabric calls it at the end of every instant; a session need not.
  virtual void flush() = 0;
  /// Sends what is committed, then closes. `on_closed` follows from the loop, exactly once; no more bytes come in.
  virtual void close(CloseReason reason) = 0;
  /// Whether more of the peer's bytes are wanted; at first they are. While they are not, on_bytes is not called, what
  /// comes waits in the network, which slows the peer down, and the peer's end of the stream is seen only behind what
  /// waits; a connection that breaks is reported at once. What on_bytes did not use is kept meanwhile, however much it
  /// is, and shown again by the loop when bytes are wanted again. Not of a connection that was closed.
  virtual void set_reading(bool is_wanted) = 0;

 protected:
  ~Transport() = default;
};

/// What a session implements.
class Connection {
 public:
  virtual void on_open(Transport& transport, Time now) = 0;
  /// How many of `bytes` were used. The rest comes again with more behind it; the endpoint keeps it. The view dies
  /// when the handler returns.
  [[nodiscard]] virtual std::size_t on_bytes(Bytes bytes, Time now) = 0;
  /// There is room again after `prepare` had none.
  virtual void on_writable(Time now) = 0;
  /// Exactly once after on_open, or instead of it when connecting failed. The transport is gone.
  virtual void on_closed(CloseReason reason, Time now) = 0;

 protected:
  ~Connection() = default;
};

class Acceptor {
 public:
  /// Who takes this connection; null refuses it. Called from the loop.
  [[nodiscard]] virtual Connection* on_accept(const Address& peer) = 0;
  /// A connection was turned away without a question, because the fabric has no place for it. Called from the loop.
  virtual void on_turned_away(const Address& /*peer*/) {}

 protected:
  ~Acceptor() = default;
};

/// The network of one thread.
class Fabric {
 public:
  /// Listens and says where (with the port that was chosen). `refused` or `unavailable` when the address cannot be had.
  [[nodiscard]] virtual Result<Address> listen(const Address& address, Acceptor& acceptor) = 0;
  /// Ends in on_open or on_closed, never before this call returns.
  virtual void connect(const Address& address, Connection& connection) = 0;

 protected:
  ~Fabric() = default;
};

[[nodiscard]] constexpr const char* name_of(CloseReason reason) noexcept {
  switch (reason) {
    case CloseReason::none:
      return "not closed";
    case CloseReason::by_us:
      return "closed by us";
    case CloseReason::by_peer:
      return "closed by the peer";
    case CloseReason::refused:
      return "connection refused";
    case CloseReason::timed_out:
      return "no answer";
    case CloseReason::input_overflow:
      return "message larger than the input buffer";
    case CloseReason::output_overflow:
      return "the peer does not read";
    case CloseReason::failed:
      return "network failure";
    case CloseReason::not_trusted:
      return "certificate not trusted";
    case CloseReason::handshake_failed:
      return "TLS handshake failed";
    case CloseReason::truncated:
      return "stream truncated";
  }
  return "unnamed reason";
}

}  // namespace dojima::link
