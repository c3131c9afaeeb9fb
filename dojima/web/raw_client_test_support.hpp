#pragma once

// A client of tests that sends exactly the given bytes, over HTTP and as a WebSocket, written by hand so that it
// shares no mistake with the server.

#include <arpa/inet.h>
#include <cstdint>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace dojima::web {

/// A socket that sends the given bytes.
class RawClient {
 public:
  /// `reads_little`: with as small a buffer of its kernel's as there is.
  explicit RawClient(std::uint16_t port, bool reads_little = false) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int least = 1;
    if (reads_little) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~RawClient() { ::close(socket_); }
  /// Its end is a reset, not a farewell.
  void will_break_off() const {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void say(const std::string& text) const {
    // A server that has closed already hears nothing.
    static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
  }
  /// All that comes until it ends with `end`, or until the server closes.
  [[nodiscard]] std::string hear(const std::string& end = "never") const {
    std::string text;
    char part[4096];
    while (!text.ends_with(end)) {
      // Byte by byte, where something else may follow the end.
      const ssize_t size = ::recv(socket_, part, end == "never" ? sizeof part : 1, 0);
      if (size <= 0) return text + (size == 0 ? "<end>" : "<lost>");
      text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  }
  /// So many bytes, or fewer where the connection ends.
  [[nodiscard]] std::string hear_bytes(std::size_t count) const {
    std::string bytes(count, '\0');
    std::size_t have = 0;
    while (have < count) {
      const ssize_t size = ::recv(socket_, bytes.data() + have, count - have, 0);
      if (size <= 0) break;
      have += static_cast<std::size_t>(size);
    }
    bytes.resize(have);
    return bytes;
  }

 private:
  int socket_;
};

/// A frame of a client (RFC 6455, section 5.2), masked with a mask of its own; `first` has FIN and the opcode.
[[nodiscard]] inline std::string client_frame(unsigned char first, const std::string& payload) {
  std::string frame(1, static_cast<char>(first));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8U);
    frame += static_cast<char>(payload.size());
  }
  const std::string mask = "\x12\x34\x56\x78";
  frame += mask;
  for (std::size_t at = 0; at < payload.size(); ++at) frame += static_cast<char>(payload[at] ^ mask[at % 4]);
  return frame;
}

/// A WebSocket in the hands of a test.
class RawSocket {
 public:
  static constexpr const char* k_key = "dGhlIHNhbXBsZSBub25jZQ==";  // of RFC 6455, section 1.3
  static constexpr const char* k_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  RawSocket(std::uint16_t port, const std::string& path, const std::string& protocol, bool reads_little = false)
      : client_(port, reads_little) {
    client_.say("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + k_key +
                "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " + protocol + "\r\n\r\n");
    answer_ = client_.hear("\r\n\r\n");
  }

  [[nodiscard]] const std::string& answer() const noexcept { return answer_; }
  [[nodiscard]] bool is_open() const { return answer_.starts_with("HTTP/1.1 101 "); }
  void say_text(const std::string& text) const { client_.say(client_frame(0x81, text)); }
  void say_raw(const std::string& bytes) const { client_.say(bytes); }
  void will_break_off() const { client_.will_break_off(); }

  /// The payload of the next message; none when the connection ends. Pings are answered; `close_code` and
  /// `close_reason` get why.
  [[nodiscard]] std::optional<std::string> hear() {
    std::string message;
    for (;;) {
      const std::string head = client_.hear_bytes(2);
      if (head.size() < 2) return std::nullopt;
      std::size_t size = static_cast<unsigned char>(head[1]);
      if (size >= 126) {
        const std::string more = client_.hear_bytes(size == 126 ? 2 : 8);
        size = 0;
        for (const char byte : more) size = size << 8U | static_cast<unsigned char>(byte);
      }
      std::string payload = client_.hear_bytes(size);
      const unsigned opcode = static_cast<unsigned char>(head[0]) & 0xfU;
      if (opcode == 9) {
        client_.say(client_frame(0x8a, payload));
        continue;
      }
      if (opcode == 8) {
        if (payload.size() >= 2) {
          close_code = static_cast<unsigned>(static_cast<unsigned char>(payload[0])) << 8U |
                       static_cast<unsigned char>(payload[1]);
          close_reason = payload.substr(2);
        }
        client_.say(client_frame(0x88, payload.substr(0, 2)));
        continue;
      }
      message += payload;
      if ((static_cast<unsigned char>(head[0]) & 0x80U) != 0) return message;
    }
  }

  unsigned close_code = 0;
  std::string close_reason;

 private:
  RawClient client_;
  std::string answer_;
};

}  // namespace dojima::web
