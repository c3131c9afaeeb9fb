#include "echo_client.hpp"

#include "tls_stream.hpp"

#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/price.hpp"

namespace dojima::bench {

Client::Client(const ClientOptions& options) : name_(options.name) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int attempt = 0; ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0; ++attempt) {
    if (attempt == 100) throw std::runtime_error("cannot connect");
    ::usleep(20'000);
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (options.is_tls) tls_ = std::make_unique<TlsStream>(socket_, TlsStream::Side::client);
  if (!options.is_session) return;
  fix::Writer logon = begin(fix::type::k_logon);
  logon.field(fix::tag::k_encrypt_method, 0)
      .field(fix::tag::k_heart_bt_int, 0)
      .field(fix::tag::k_reset_seq_num_flag, true);
  send(logon);
  await();
}

Client::~Client() {
  tls_.reset();
  ::close(socket_);
}

void Client::send_order() {
  fix::Writer order = begin(fix::type::k_new_order_single);
  order.field(fix::tag::k_cl_ord_id, "ORDER-0000001").field(fix::tag::k_handl_inst, '1');
  order.field(fix::tag::k_symbol, "RICE").field(fix::tag::k_side, '1').field(fix::tag::k_transact_time, now_);
  order.field(fix::tag::k_order_qty, 100)
      .field(fix::tag::k_ord_type, '2')
      .field(fix::tag::k_price, market::Price{1'250'000'000});
  order.field(fix::tag::k_account, "ACCOUNT-17")
      .field(fix::tag::k_time_in_force, '0')
      .field(fix::tag::k_text, "an order of usual size");
  send(order);
}

fix::Writer Client::begin(fix::MsgType type) {
  now_ = std::chrono::time_point_cast<time::Duration>(std::chrono::system_clock::now());
  return {room_, {.type = type, .sender = name_, .target = "ECHO", .sequence = {next_++}, .sending_time = now_}};
}

void Client::send(fix::Writer& writer) {
  const auto message = writer.finish();
  if (!message) throw std::runtime_error("a message that does not fit");
  if (tls_ != nullptr) return tls_->write(*message);
  const auto sent = ::send(socket_, message->data(), message->size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(message->size())) throw std::runtime_error("a short send");
}

std::size_t Client::read_some() {
  const std::span<std::byte> room = std::span(answer_).subspan(received_);
  if (tls_ != nullptr) return tls_->read_some(room);
  const ssize_t size = ::recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
  if (size == 0) throw std::runtime_error("the peer has closed");
  return size < 0 ? 0 : static_cast<std::size_t>(size);
}

void Client::await() {
  for (;;) {
    const fix::FrameSearch found = fix::find_frame(Bytes(answer_).first(received_));
    if (found.state == fix::FrameState::garbled) throw std::runtime_error("an answer that is no message");
    if (found.state == fix::FrameState::whole) {
      const std::size_t end = found.size;
      std::memmove(answer_.data(), answer_.data() + end, received_ - end);
      received_ -= end;
      return;
    }
    received_ += read_some();
  }
}

}  // namespace dojima::bench
