#include "bench/web/pages.hpp"

#include "bench/other_processors.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/web/dashboard/frame.hpp"

namespace dojima::bench {
namespace {

/// The words of a page in a frame of RFC 6455, masked with zeros.
std::string masked(const std::string& words) {
  std::string frame = "\x81";
  frame += static_cast<char>(0x80U | words.size());
  frame.append(4, '\0');
  return frame + words;
}

void say(int socket, const std::string& bytes) {
  if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the dashboard takes nothing");
}

/// Bytes in front of the payload, once the first two are known.
std::size_t head_size(const std::string& head) noexcept {
  const unsigned size = static_cast<unsigned char>(head[1]) & 0x7fU;
  return size < 126 ? 2 : size == 126 ? 4 : 10;
}

std::size_t payload_size(const std::string& head) noexcept {
  std::size_t size = static_cast<unsigned char>(head[1]) & 0x7fU;
  if (size < 126) return size;
  size = 0;
  for (std::size_t at = 2; at < head.size(); ++at) size = size << 8U | static_cast<unsigned char>(head[at]);
  return size;
}

}  // namespace

Pages::Pages(std::uint16_t port, std::size_t count, std::size_t deaf, std::uint32_t instruments,
             std::int64_t queue_price) {
  for (std::size_t page = 0; page < count; ++page)
    open(port, static_cast<std::uint32_t>(1 + page % instruments), queue_price);
  for (; deaf > 0; --deaf) {
    deaf_.push_back(pages_.back().socket);
    pages_.pop_back();
  }
  const OnOtherProcessors others;
  thread_ = std::jthread([this](const std::stop_token& stop) { read(stop); });
}

Pages::~Pages() {
  thread_.request_stop();
  thread_.join();
  for (const Page& page : pages_) ::close(page.socket);
  for (const int socket : deaf_) ::close(socket);
}

std::chrono::nanoseconds Pages::processor_time() const {
  clockid_t clock = 0;
  timespec time{};
  if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    throw std::runtime_error("no clock of a thread");
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

void Pages::open(std::uint16_t port, std::uint32_t instrument, std::int64_t queue_price) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  pages_.push_back({.socket = socket});
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("the dashboard does not listen");
  say(socket, "GET /live HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                  "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " +
                  std::string(web::k_frame_protocol) + "\r\n\r\n");
  std::string answer;
  for (char byte = 0; !answer.ends_with("\r\n\r\n"); answer += byte)
    if (::recv(socket, &byte, 1, 0) != 1) throw std::runtime_error("the dashboard does not answer");
  if (!answer.starts_with("HTTP/1.1 101 ")) throw std::runtime_error("the dashboard refuses a page");
  constexpr unsigned k_all_sections = 0x1ff0;  // those of types 4 to 12
  say(socket, masked("show " + std::to_string(k_all_sections)));
  say(socket, masked("watch " + std::to_string(instrument)));
  if (queue_price != 0) say(socket, masked("queue B " + std::to_string(queue_price)));
}

void Pages::read(const std::stop_token& stop) {
  std::vector<pollfd> waiting;
  for (const Page& page : pages_) waiting.push_back({.fd = page.socket, .events = POLLIN, .revents = 0});
  while (!stop.stop_requested()) {
    constexpr int k_patience_ms = 20;
    if (::poll(waiting.data(), waiting.size(), k_patience_ms) <= 0) continue;
    for (std::size_t at = 0; at < waiting.size(); ++at)
      if (waiting[at].revents != 0 && !read(pages_[at])) waiting[at].fd = -1;
  }
}

bool Pages::read(Page& page) {
  std::array<char, 1 << 16> bytes;
  const ssize_t size = ::recv(page.socket, bytes.data(), bytes.size(), 0);
  if (size <= 0) return false;
  bytes_.fetch_add(static_cast<std::uint64_t>(size), std::memory_order_relaxed);
  take(page, bytes.data(), static_cast<std::size_t>(size));
  return true;
}

void Pages::take(Page& page, const char* bytes, std::size_t size) {
  while (size != 0) {
    if (page.left == 0) {
      page.head += *bytes++;
      --size;
      if (page.head.size() < 2 || page.head.size() < head_size(page.head)) continue;
      page.left = payload_size(page.head);
      page.is_frame = static_cast<unsigned char>(page.head[0]) == 0x82U;
      page.head.clear();
      if (page.left != 0) continue;
    }
    const std::size_t part = std::min(size, page.left);
    bytes += part;
    size -= part;
    page.left -= part;
    if (page.left == 0 && page.is_frame) frames_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace dojima::bench
