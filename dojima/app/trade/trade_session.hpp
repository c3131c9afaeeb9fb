#pragma once

// The session of a terminal client with its market, whatever protocol it speaks: requests go in, reports come out as
// plain records. FixTradeSession and NativeTradeSession are its makers.

#include <string>
#include <string_view>

#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/trade_command.hpp"
#include "dojima/app/trade/trade_report.hpp"
#include "dojima/base/error.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

using time::Time;

/// A command that goes to the market. What it points to lives as long as the call.
struct TradeRequest {
  const TradeCommand& command;
  std::string_view id;                  ///< of this request; never used before
  const BlotterOrder* order = nullptr;  ///< the one that is entered, changed or asked about
  const Trade* trade = nullptr;         ///< dont_know
  Time time{};
};

/// What went wrong, as a note says it.
[[nodiscard]] inline std::string describe_error(const Error& error) {
  char text[160];
  return std::string(describe(error, text));
}

/// Called from the loop only.
class TradeSessionHandler {
 public:
  virtual void on_attempt(Time now) = 0;
  virtual void on_logged_on(const std::string& line, Time now) = 0;
  /// An attempt that failed, or something to know.
  virtual void on_note(const std::string& line) = 0;
  /// The session that was logged on is over and does not come back.
  virtual void on_logged_out(const std::string& line) = 0;
  /// The connection is gone for good.
  virtual void on_closed() = 0;
  /// No attempt is left.
  virtual void on_gave_up() = 0;
  virtual void on_report(const TradeReport& report, Time now) = 0;
  /// A message was refused that the peer does not name further than `id` says, which may be empty.
  virtual void on_refused(const std::string& id, const std::string& text) = 0;

 protected:
  ~TradeSessionHandler() = default;
};

class TradeSession {
 public:
  virtual ~TradeSession() = default;
  /// Connects and logs on.
  virtual void start(Time now) = 0;
  /// Logs out; on_closed follows where there is a connection.
  virtual void stop() = 0;
  [[nodiscard]] virtual bool is_connected() const = 0;
  /// Sends one message; an error says in words why none was sent.
  virtual Understood<void> send(const TradeRequest& request) = 0;
  /// Who answers: for lines that name it.
  [[nodiscard]] virtual const char* peer_name() const = 0;
};

}  // namespace dojima::app
