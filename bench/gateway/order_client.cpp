#include "order_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/fix/frame.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/price.hpp"

namespace dojima::bench {
namespace {
constexpr std::size_t k_answers_room = 1 << 16;
constexpr std::uint64_t k_first_number_of_relay = 100'000;  // so that all its messages are of one size
}  // namespace

OrderClient::OrderClient(const Options& options)
    : name_(options.name),
      is_session_(options.is_session),
      next_(options.is_session ? 1 : k_first_number_of_relay),
      orders_(options.first_order),
      cancelled_(options.first_order),
      answers_(k_answers_room) {
  socket_.descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_.descriptor < 0 ||
      ::connect(socket_.descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("a client cannot connect");
  const int on = 1;
  ::setsockopt(socket_.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!is_session_) return;
  fix::Writer logon = begin(fix::type::k_logon);
  logon.field(fix::tag::k_encrypt_method, 0)
      .field(fix::tag::k_heart_bt_int, 0)
      .field(fix::tag::k_reset_seq_num_flag, true);
  send(logon);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (!is_logged_on_) {
    static_cast<void>(look());
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("a client cannot log on");
  }
}

OrderClient::Socket::~Socket() {
  if (descriptor >= 0) ::close(descriptor);
}

void OrderClient::send_order() {
  fix::Writer order = begin(fix::type::k_new_order_single);
  order.field(fix::tag::k_cl_ord_id, fmt::format("O{:09}", orders_++)).field(fix::tag::k_symbol, "KAGA");
  order.field(fix::tag::k_side, '1').field(fix::tag::k_transact_time, now_).field(fix::tag::k_order_qty, 100);
  order.field(fix::tag::k_ord_type, '2').field(fix::tag::k_price, market::Price{50 * market::k_price_scale});
  order.field(fix::tag::k_time_in_force, '0');
  send(order);
}

void OrderClient::send_cancel() {
  fix::Writer cancel = begin(fix::type::k_order_cancel_request);
  cancel.field(fix::tag::k_cl_ord_id, fmt::format("C{:09}", cancelled_));
  cancel.field(fix::tag::k_orig_cl_ord_id, fmt::format("O{:09}", cancelled_++));
  cancel.field(fix::tag::k_symbol, "KAGA").field(fix::tag::k_side, '1').field(fix::tag::k_transact_time, now_);
  send(cancel);
}

void OrderClient::cancel_all() {
  constexpr std::uint64_t k_at_once = 16;
  while (is_session_ && cancelled_ < orders_) {
    const std::uint64_t count = std::min(k_at_once, orders_ - cancelled_);
    for (std::uint64_t each = 0; each < count; ++each) send_cancel();
    await(count);
  }
}

fix::Writer OrderClient::begin(fix::MsgType type) {
  now_ = std::chrono::time_point_cast<time::Duration>(std::chrono::system_clock::now());
  return {room_, {.type = type, .sender = name_, .target = "DOJIMA", .sequence = {next_++}, .sending_time = now_}};
}

void OrderClient::send(fix::Writer& writer) {
  const auto message = writer.finish();
  if (!message) throw std::runtime_error("a message that does not fit");
  const auto sent = ::send(socket_.descriptor, message->data(), message->size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(message->size())) throw std::runtime_error("a short send");
  bytes_out_ += message->size();
}

bool OrderClient::is_report(const char* body) {
  // "35=8|", "35=A|", "35=0|", "35=j|"
  if (body[3] == '8') return true;
  if (body[3] == 'A' || body[3] == '0') return false;
  if (body[3] == 'j') {
    ++refusals_;
    return false;
  }
  throw std::runtime_error("an answer that is no report: " + std::string(body, 160));
}

std::size_t OrderClient::look() {
  const ssize_t size =
      ::recv(socket_.descriptor, answers_.data() + received_, answers_.size() - received_, MSG_DONTWAIT);
  if (size == 0) throw std::runtime_error("the peer has closed");
  if (size < 0) return 0;
  received_ += static_cast<std::size_t>(size);
  bytes_in_ += static_cast<std::uint64_t>(size);
  std::size_t reports = 0, used = 0;
  for (;;) {
    const Bytes rest = Bytes(answers_).first(received_).subspan(used);
    const fix::FrameSearch found = fix::find_frame(rest);
    if (found.state == fix::FrameState::garbled) throw std::runtime_error("an answer that is no message");
    if (found.state == fix::FrameState::incomplete) break;
    const char* const body = reinterpret_cast<const char*>(rest.data()) + found.frame.body_begin;
    if (is_report(body)) ++reports;
    is_logged_on_ |= body[3] == 'A';
    used += found.size;
  }
  std::memmove(answers_.data(), answers_.data() + used, received_ - used);
  received_ -= used;
  return reports;
}

void OrderClient::await(std::size_t answers) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  for (std::size_t seen = 0; seen < answers;) {
    seen += look();
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("an order without an answer");
  }
}

}  // namespace dojima::bench
