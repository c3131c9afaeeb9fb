#pragma once

// One pooled TLS connection: to the fabric below a session, to the session a transport. It decrypts what arrives into
// a bounded queue and encrypts what is committed straight into the room of the transport below; what finds no room
// there waits in a bounded queue of its own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/link/buffer.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/net/tls/context.hpp"
#include "dojima/net/tls/openssl_error.hpp"
#include "dojima/net/tls/wire.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::net {

class TlsEndpoint;

/// What endpoints of one fabric share.
class TlsOwner {
 public:
  /// It may begin another life.
  virtual void release(TlsEndpoint& endpoint) = 0;
  [[nodiscard]] virtual SslPtr make_ssl(TlsRole role, const link::Address& address, Time now) = 0;

  sched::Scheduler& scheduler;
  const TlsFabricOptions options;
  TlsHandler* const handler;
  TlsCounts counts;
  std::uint64_t lives = 0;  // of endpoints, so far

 protected:
  TlsOwner(sched::Scheduler& its_scheduler, const TlsFabricOptions& its_options, TlsHandler* its_handler)
      : scheduler(its_scheduler), options(its_options), handler(its_handler) {}
  ~TlsOwner() = default;
};

class TlsEndpoint final : public link::Connection, public link::Transport {
 public:
  explicit TlsEndpoint(TlsOwner& owner);

  /// Begins a new life, before the connection below is open.
  void begin_client(const link::Address& address, link::Connection& session);
  void begin_server(const link::Address& peer, link::Acceptor& acceptor);
  /// Whether it serves a peer whose handshake is not done.
  [[nodiscard]] bool is_shaking_hands() const noexcept { return state_ == State::handshaking && acceptor_ != nullptr; }
  [[nodiscard]] std::string_view host() const noexcept { return address_.host; }
  /// Lives are numbered: a smaller one began earlier.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Others wait for the place of a peer whose handshake is not done.
  void give_up_handshake(Time now);

  // To the fabric below.
  void on_open(link::Transport& transport, Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, Time now) override;
  void on_writable(Time now) override;
  void on_closed(link::CloseReason reason, Time now) override;

  // To the session.
  [[nodiscard]] Room prepare(std::size_t size) override;
  void commit(std::size_t size) override;
  [[nodiscard]] std::size_t unsent() const override;
  void flush() override;
  void close(link::CloseReason reason) override;
  void set_reading(bool is_wanted) override;

 private:
  enum class State : std::uint8_t {
    free,
    connecting,  // below
    handshaking,
    open,
    closing,  // close() was called; what is committed waits for room below
    ended,    // closed below; the end will be reported
  };

  void begin(TlsRole role, const link::Address& address);
  void receive(Time now);
  [[nodiscard]] std::size_t leave_rest(std::size_t size);
  void keep_rest();
  void continue_handshake(Time now);
  void open_session(Time now);
  void read_records(Time now);
  void hand_over(Time now);
  void encrypt();
  void on_close_notify();
  void send_close_notify();
  void fail(const Diagnosis& diagnosis);
  void end(link::CloseReason reported, link::CloseReason below);
  [[nodiscard]] Diagnosis diagnosis(link::CloseReason otherwise);
  void report_secured(Time now);
  void report_trouble(link::CloseReason reason, std::string_view text, Time now);
  void on_limit(Time now);

  TlsOwner& owner_;
  State state_ = State::free;
  std::uint64_t number_ = 0;
  TlsRole role_ = TlsRole::client;
  link::CloseReason reason_ = link::CloseReason::none;  // for the session's on_closed
  link::Address address_;
  link::Acceptor* acceptor_ = nullptr;   // server: until the handshake is done
  link::Connection* session_ = nullptr;  // server: from then on
  Wire wire_;
  std::vector<std::byte>
      held_;  // arrived, and not read because OpenSSL itself waits for room below; nearly always empty
  SslPtr ssl_;
  link::ByteQueue input_;        // decrypted and not yet used by the session
  link::ByteQueue output_;       // committed and not yet encrypted
  std::size_t wanted_room_ = 0;  // what prepare() had not; 0: nobody waits
  bool is_unread_ = false;       // the session wants no bytes now
  std::array<char, 256> text_{};
  sched::TimerOf<&TlsEndpoint::on_limit> limit_;
};

}  // namespace dojima::net
