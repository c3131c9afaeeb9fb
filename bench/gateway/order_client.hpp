#pragma once

// A FIX client that costs little and never waits: it writes orders and counts the ExecutionReports that have come. To
// a relay, which is no session, it says the same without a Logon.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/fix/writer.hpp"
#include "dojima/time/time.hpp"

namespace dojima::bench {

class OrderClient {
 public:
  struct Options {
    std::uint16_t port = 0;
    std::string name;
    bool is_session = true;
    std::uint64_t first_order = 0;  ///< number of the first order's id
  };
  /// Connects, and logs on where it is a session. Throws std::runtime_error.
  explicit OrderClient(const Options& options);
  OrderClient(const OrderClient&) = delete;
  OrderClient& operator=(const OrderClient&) = delete;

  /// An order that will rest: a NewOrderSingle(D), all of one size.
  void send_order();
  /// Cancels the oldest order that is open and of which no cancel was sent. There must be one.
  void send_cancel();
  /// Reads once. How many more ExecutionReports have come. Throws std::runtime_error when the peer has closed, or said
  /// something that is no answer to an order.
  std::size_t look();
  /// As look(), until `answers` more have come. Throws std::runtime_error when they do not within ten seconds.
  void await(std::size_t answers);
  /// All that are open, a few at a time. A relay has none.
  void cancel_all();

  /// How many orders came back as BusinessMessageReject(j): the venue is not connected yet.
  [[nodiscard]] std::uint64_t refusals() const noexcept { return refusals_; }
  [[nodiscard]] int socket() const noexcept { return socket_.descriptor; }
  [[nodiscard]] std::uint64_t bytes_out() const noexcept { return bytes_out_; }
  [[nodiscard]] std::uint64_t bytes_in() const noexcept { return bytes_in_; }

 private:
  fix::Writer begin(fix::MsgType type);
  void send(fix::Writer& writer);
  /// Whether it is an ExecutionReport.
  [[nodiscard]] bool is_report(const char* body);

  std::string name_;
  bool is_session_;
  /// Closed also where the constructor gives up: who tries again for long would run out of descriptors.
  struct Socket {
    Socket() = default;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();
    int descriptor = -1;
  } socket_;
  std::uint64_t next_ = 1;
  std::uint64_t orders_, cancelled_;  // numbers of the next to send and to cancel
  std::uint64_t refusals_ = 0;
  std::uint64_t bytes_out_ = 0, bytes_in_ = 0;
  time::Time now_{};
  std::size_t received_ = 0;  // behind the last whole message
  bool is_logged_on_ = false;
  std::array<std::byte, 1024> room_{};
  std::vector<std::byte> answers_;
};

}  // namespace dojima::bench
