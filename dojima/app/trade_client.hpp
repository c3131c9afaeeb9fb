#pragma once

// `dojima trade` as an object: a FIX 4.4 client over a real socket that takes commands a line at a time and prints one
// line for every answer. From a terminal commands are taken as they are typed; from a script each one waits for its
// answer, so that `amend` finds the order that the line before entered. One thread.
//
//   TradeClient client({.gateways = {{"127.0.0.1", 9878}}, .sender = "KONOIKE", .target = "DOJIMA"}, print);
//   return client.run(lines, is_terminal, stops);

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/app/trade_command.hpp"
#include "dojima/fix/initiator.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/net/tls_fabric.hpp"
#include "dojima/simulate/order_messages.hpp"

namespace dojima::app {

/// Where commands come from. Never waits.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The next whole line; none: nothing yet, or nothing more.
  [[nodiscard]] virtual std::optional<std::string> next() = 0;
  /// Nothing more will come.
  [[nodiscard]] virtual bool is_over() const = 0;
};

/// Lines of a file descriptor, a terminal or a pipe.
class DescriptorLines final : public LineSource {
 public:
  explicit DescriptorLines(int descriptor) : descriptor_(descriptor) {}
  [[nodiscard]] std::optional<std::string> next() override;
  [[nodiscard]] bool is_over() const override { return is_ended_ && pending_.empty(); }

 private:
  int descriptor_;
  bool is_ended_ = false;
  std::string pending_;
};

struct TradeOptions {
  std::vector<link::Address> gateways;  ///< tried one after the other, at least one
  unsigned attempts = 0;                ///< failed ones in a row until it gives up; 0: one for each gateway
  std::optional<net::TlsConfig> tls;    ///< none: without
  std::string sender;                   ///< SenderCompID, ours
  std::string target;                   ///< TargetCompID, the gateway's
  std::string username;
  std::string password;
  std::chrono::seconds answer_timeout{10};  ///< for the logon, and in a script for each answer
};

/// How a session of the client ended.
enum class TradeOutcome : std::uint8_t {
  done,
  refused,      ///< a script's request was rejected, misread or not answered
  unreachable,  ///< no connection, no logon, or it broke
};

class TradeClient final : public fix::Handler, public fix::InitiatorObserver {
 public:
  /// Given each line to show, without its end.
  using Print = std::function<void(const std::string& line)>;

  /// Throws std::invalid_argument, std::runtime_error (certificates that cannot be used, with the reason),
  /// std::bad_alloc, std::system_error.
  TradeClient(TradeOptions options, Print print);

  /// Connects, works until the lines are over or say `quit`, or `stops()`; then logs out.
  TradeOutcome run(LineSource& lines, bool is_terminal, const std::function<bool()>& stops);

  // fix::Handler
  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_reject(fix::Session& session, const fix::MessageView& reject, Time now) override;
  void on_closed(fix::Session& session, link::CloseReason reason, Time now) override;
  void on_trouble(fix::Session& session, const Error& error) override;

  // fix::InitiatorObserver
  void on_attempt(const fix::Attempt& attempt, Time now) override;
  void on_failure(const fix::Attempt& attempt, fix::AttemptFailure failure, link::CloseReason reason,
                  Time now) override;
  void on_gave_up(unsigned attempts, Time now) override;

 private:
  struct Order {
    std::string symbol;
    std::string cl_ord_id;  ///< the last one that was accepted
    market::Side side = market::Side::none;
    market::OrderType type = market::OrderType::limit;
    market::TimeInForce time_in_force = market::TimeInForce::day;
    market::Quantity total;
    market::Quantity leaves;
    market::Price price;
    std::uint32_t changes = 0;
    bool is_open = false;
  };

  void step(LineSource& lines, bool is_terminal);
  [[nodiscard]] Time wait_for(time::Duration patience);
  void on_wake(Time now);
  void execute(const TradeCommand& command);
  void enter(const TradeCommand& command);
  void amend(const TradeCommand& command);
  void cancel(std::uint32_t number);
  void list();
  Order* open_order(std::uint32_t number);
  std::string change_id(std::uint32_t number, Order& order);
  void sent(const std::string& cl_ord_id, std::uint32_t order, const Result<market::Sequence>& result);
  void answered(std::string_view cl_ord_id);
  void apply(std::uint32_t number, Order& order, const simulate::Answer& answer);
  void refuse(const std::string& line);
  void finish();

  TradeOptions options_;
  Print print_;
  Station station_;
  std::unique_ptr<net::TlsFabric> secure_;  // on the station's fabric
  fix::Session session_;
  fix::Initiator initiator_;
  sched::TimerOf<&TradeClient::on_wake> wake_;
  std::string prefix_;                                              // of ClOrdIDs: another one in every run
  std::map<std::uint32_t, Order> orders_;                           // by the number shown
  std::map<std::string, std::uint32_t, std::less<>> orders_by_id_;  // every ClOrdID sent
  std::map<std::string, Time, std::less<>> unanswered_;             // when each gives up waiting
  std::uint32_t last_number_ = 0;
  Time wait_until_{};
  Time logon_deadline_ = time::k_never;
  bool is_logged_on_ = false;
  bool was_logged_on_ = false;
  bool is_leaving_ = false;
  bool is_closed_ = false;
  bool has_refusal_ = false;
  bool is_broken_ = false;
};

}  // namespace dojima::app
