#include "dojima/net/tls/endpoint.hpp"

#include <algorithm>
#include <openssl/err.h>
#include <openssl/x509.h>

#include "dojima/base/assert.hpp"

namespace dojima::net {

using link::CloseReason;

namespace {

/// Whether an operation only waits for bytes to come or for room to write.
bool is_waiting(int error) noexcept {
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

constexpr std::size_t k_content_max = 1 << 14;  // of a TLS record
constexpr std::size_t k_record_max = 1 << 15;   // it is smaller, encryption included

}  // namespace

TlsEndpoint::TlsEndpoint(TlsOwner& owner)
    : owner_(owner),
      input_(owner.options.input_capacity),
      output_(owner.options.output_capacity),
      limit_(owner.scheduler, *this) {}

void TlsEndpoint::begin(TlsRole role, const link::Address& address) {
  DOJIMA_ASSERT(state_ == State::free, "one life at a time");
  state_ = State::connecting;
  number_ = ++owner_.lives;
  role_ = role;
  address_ = address;
  reason_ = CloseReason::none;
  acceptor_ = nullptr;
  session_ = nullptr;
  input_.clear();
  output_.clear();
  wanted_room_ = 0;
  is_unread_ = false;
}

void TlsEndpoint::begin_client(const link::Address& address, link::Connection& session) {
  begin(TlsRole::client, address);
  session_ = &session;
}

void TlsEndpoint::begin_server(const link::Address& peer, link::Acceptor& acceptor) {
  begin(TlsRole::server, peer);
  acceptor_ = &acceptor;
}

// --------------------------------------------------------------------------------------------------------- handshaking

void TlsEndpoint::on_open(link::Transport& transport, Time now) {
  wire_.transport = &transport;
  state_ = State::handshaking;
  if (owner_.options.handshake_timeout != time::Duration::zero())
    limit_.arm(owner_.scheduler.now() + owner_.options.handshake_timeout);
  ssl_ = owner_.make_ssl(role_, address_, now);
  BIO* bio = ssl_ ? make_bio(wire_) : nullptr;
  if (bio == nullptr) {
    fail({CloseReason::handshake_failed, "no memory, or a server name that no certificate can carry"});
    return;
  }
  SSL_set_bio(ssl_.get(), bio, bio);
  receive(now);
}

void TlsEndpoint::continue_handshake(Time now) {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    open_session(now);
  } else if (!is_waiting(SSL_get_error(ssl_.get(), result))) {
    fail(diagnosis(CloseReason::handshake_failed));
  }
}

void TlsEndpoint::open_session(Time now) {
  limit_.disarm();
  if (role_ == TlsRole::server) session_ = acceptor_->on_accept(address_);
  if (session_ == nullptr) {
    ++owner_.counts.refused;
    reason_ = CloseReason::by_us;
    send_close_notify();
    return;
  }
  ++owner_.counts.secured;
  state_ = State::open;
  report_secured(now);
  session_->on_open(*this, now);
}

// ----------------------------------------------------------------------------------------------------------- receiving

std::size_t TlsEndpoint::on_bytes(Bytes bytes, Time now) {
  if (held_.empty()) {
    wire_.incoming = bytes;
  } else {
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    wire_.incoming = held_;
  }
  receive(now);
  if (is_unread_ && held_.empty()) return leave_rest(bytes.size());
  keep_rest();
  return bytes.size();
}

/// The session wants no bytes now: what OpenSSL has not read of `size` stays below. How many it has read.
std::size_t TlsEndpoint::leave_rest(std::size_t size) {
  const std::size_t left = wire_.incoming.size();
  wire_.incoming = {};
  return size - left;
}

/// OpenSSL reads all there is, unless it waits for room to answer first.
void TlsEndpoint::keep_rest() {
  const bool is_over = state_ != State::handshaking && state_ != State::open;
  if (is_over || wire_.incoming.empty()) {
    held_.clear();
  } else {
    held_ = std::vector<std::byte>(wire_.incoming.begin(), wire_.incoming.end());
  }
  wire_.incoming = {};
  if (held_.size() > input_.capacity() + k_record_max) {
    report_trouble(CloseReason::input_overflow, "the peer sends and does not read", owner_.scheduler.now());
    end(CloseReason::input_overflow, CloseReason::by_us);
  }
}

void TlsEndpoint::receive(Time now) {
  if (state_ == State::handshaking) continue_handshake(now);
  if (state_ == State::open) read_records(now);
}

void TlsEndpoint::read_records(Time now) {
  bool has_news = false;
  while (state_ == State::open && !is_unread_) {
    const Room room = input_.prepare_all();
    std::size_t size = 0;
    ERR_clear_error();
    if (SSL_read_ex(ssl_.get(), room.data(), room.size(), &size) == 1) {
      input_.commit(size);
      has_news = !input_.is_full();
      if (input_.is_full()) hand_over(now);
      continue;
    }
    const int error = SSL_get_error(ssl_.get(), 0);
    const bool is_broken = !is_waiting(error) && error != SSL_ERROR_ZERO_RETURN;
    const Diagnosis why = is_broken ? diagnosis(CloseReason::failed) : Diagnosis{};
    if (has_news) hand_over(now);  // it is genuine, whatever follows
    if (state_ != State::open) return;
    if (is_broken) {
      fail(why);
    } else if (error == SSL_ERROR_ZERO_RETURN) {
      on_close_notify();
    }
    return;
  }
}

void TlsEndpoint::hand_over(Time now) {
  const Bytes shown = input_.view();
  const std::size_t used = session_->on_bytes(shown, now);
  DOJIMA_ASSERT(used <= shown.size(), "a session uses what it was shown", used, shown.size());
  if (state_ != State::open) return;  // it closed meanwhile, which forgot the input
  input_.consume(used);
  if (input_.is_full() && !is_unread_) close(CloseReason::input_overflow);
}

// ------------------------------------------------------------------------------------------------------------- sending

Room TlsEndpoint::prepare(std::size_t size) {
  if (state_ != State::open) return {};
  const Room room = output_.prepare(size);
  if (room.size() < size) wanted_room_ = std::min(size, output_.capacity());
  return room;
}

void TlsEndpoint::commit(std::size_t size) {
  if (state_ != State::open) return;
  output_.commit(size);
  encrypt();
}

std::size_t TlsEndpoint::unsent() const {
  return state_ == State::open || state_ == State::closing ? output_.size() + wire_.transport->unsent() : 0;
}

void TlsEndpoint::flush() {
  if (state_ != State::open && state_ != State::closing) return;
  encrypt();
  if (state_ != State::ended) wire_.transport->flush();
}

void TlsEndpoint::encrypt() {
  while (!output_.is_empty() && (state_ == State::open || state_ == State::closing)) {
    // OpenSSL reports what it took when all that it was given has left: a record at a time keeps that near the truth.
    const Bytes bytes = output_.view().first(std::min(output_.size(), k_content_max));
    std::size_t encrypted = 0;
    ERR_clear_error();
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &encrypted) == 1) {
      output_.consume(encrypted);
    } else if (is_waiting(SSL_get_error(ssl_.get(), 0))) {
      return;
    } else {
      fail(diagnosis(CloseReason::failed));
    }
  }
}

/// What is decrypted and kept, or lies in OpenSSL, is shown by the loop when bytes are wanted again.
void TlsEndpoint::set_reading(bool is_wanted) {
  if (state_ != State::open || is_unread_ != is_wanted) return;
  is_unread_ = !is_wanted;
  wire_.transport->set_reading(is_wanted);
  if (is_wanted) limit_.arm(owner_.scheduler.now());
}

void TlsEndpoint::on_writable(Time now) {
  wire_.incoming = held_;
  receive(now);
  keep_rest();
  encrypt();
  if (state_ == State::closing && output_.is_empty()) send_close_notify();
  const bool has_room = output_.capacity() - output_.size() >= wanted_room_;
  if (state_ != State::open || wanted_room_ == 0 || !has_room) return;
  wanted_room_ = 0;
  session_->on_writable(now);
}

// -------------------------------------------------------------------------------------------------------------- ending

void TlsEndpoint::close(CloseReason reason) {
  if (state_ != State::open) return;
  state_ = State::closing;
  reason_ = reason;
  input_.clear();
  if (reason == CloseReason::output_overflow) {  // it does not read: nothing will leave
    end(reason, reason);
    return;
  }
  encrypt();
  if (state_ != State::closing) return;
  if (output_.is_empty()) {
    send_close_notify();
  } else if (owner_.options.linger != time::Duration::zero()) {
    limit_.arm(owner_.scheduler.now() + owner_.options.linger);
  }
}

/// The peer sends nothing more; it may still read what we had to say.
void TlsEndpoint::on_close_notify() {
  encrypt();
  if (state_ != State::open) return;
  reason_ = CloseReason::by_peer;
  send_close_notify();
}

void TlsEndpoint::send_close_notify() {
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(ssl_.get()));  // without room below it is left out
  end(reason_, CloseReason::by_us);
}

/// An alert is on its way to the peer, if there is one to send.
void TlsEndpoint::fail(const Diagnosis& why) {
  if (state_ == State::handshaking) ++owner_.counts.failed;
  report_trouble(why.reason, why.text, owner_.scheduler.now());
  end(why.reason, CloseReason::by_us);
}

void TlsEndpoint::end(CloseReason reported, CloseReason below) {
  reason_ = reported;
  state_ = State::ended;
  limit_.disarm();
  input_.clear();
  output_.clear();
  wire_.transport->close(below);
}

void TlsEndpoint::give_up_handshake(Time now) {
  DOJIMA_ASSERT(is_shaking_hands(), "nobody's session yet");
  ++owner_.counts.failed;
  report_trouble(CloseReason::handshake_failed, "too many connections whose handshake is not done", now);
  end(CloseReason::handshake_failed, CloseReason::by_us);
}

void TlsEndpoint::on_limit(Time now) {
  if (state_ == State::handshaking) {
    ++owner_.counts.failed;
    ++owner_.counts.timed_out;
    report_trouble(CloseReason::timed_out, "the handshake took too long", now);
    end(CloseReason::timed_out, CloseReason::by_us);
  } else if (state_ == State::open) {
    if (is_unread_) return;
    if (!input_.is_empty()) hand_over(now);
    wire_.incoming = held_;
    receive(now);
    keep_rest();
  } else if (state_ == State::closing) {
    end(reason_, CloseReason::by_us);
  }
}

void TlsEndpoint::on_closed(CloseReason reason, Time now) {
  switch (state_) {
    case State::connecting:
      reason_ = reason;
      break;
    case State::handshaking:
      ++owner_.counts.failed;
      reason_ = reason == CloseReason::by_peer ? CloseReason::handshake_failed : reason;
      report_trouble(reason_, "the connection ended within the handshake", now);
      break;
    case State::open:
      reason_ = reason == CloseReason::by_peer ? CloseReason::truncated : reason;
      report_trouble(reason_, "no close_notify", now);
      break;
    default:
      break;
  }
  state_ = State::ended;
  limit_.disarm();
  held_.clear();
  if (session_ != nullptr) session_->on_closed(reason_, now);
  session_ = nullptr;
  ssl_.reset();
  wire_ = {};
  state_ = State::free;
  owner_.release(*this);
}

// ------------------------------------------------------------------------------------------------------- for operators

Diagnosis TlsEndpoint::diagnosis(CloseReason otherwise) {
  return diagnose(ssl_.get(), otherwise, text_);
}

void TlsEndpoint::report_secured(Time now) {
  if (owner_.handler == nullptr) return;
  TlsPeer peer{.address = address_,
               .role = role_,
               .version = SSL_get_version(ssl_.get()),
               .cipher = SSL_get_cipher_name(ssl_.get()),
               .certificate = {}};
  if (const X509* certificate = SSL_get0_peer_certificate(ssl_.get()))
    peer.certificate =
        X509_NAME_oneline(X509_get_subject_name(certificate), text_.data(), static_cast<int>(text_.size()));
  owner_.handler->on_secured(peer, now);
}

void TlsEndpoint::report_trouble(CloseReason reason, std::string_view text, Time now) {
  if (owner_.handler != nullptr) owner_.handler->on_trouble({address_, role_, reason, text}, now);
}

}  // namespace dojima::net
