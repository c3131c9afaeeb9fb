#pragma once

// `dojima trade` as an object: a client over a real socket that takes commands a line at a time, keeps a blotter and
// prints one line for every answer. From a terminal commands are taken as they are typed; from a script each one waits
// for its answer, so that `amend` finds the order that the line before entered. One thread.
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
#include "dojima/app/trade/blotter.hpp"
#include "dojima/app/trade/line_source.hpp"
#include "dojima/app/trade/script.hpp"
#include "dojima/app/trade/trade_command.hpp"
#include "dojima/app/trade/trade_options.hpp"
#include "dojima/app/trade/trade_session.hpp"

namespace dojima::app {

/// How a session of the client ended.
enum class TradeOutcome : std::uint8_t {
  done,
  refused,      ///< a script's request was rejected, misread or not answered, or an expectation did not hold
  unreachable,  ///< no connection, no logon, or it broke
};

class TradeClient final : public TradeSessionHandler {
 public:
  /// Given each line to show, without its end.
  using Print = std::function<void(const std::string& line)>;

  /// Throws std::invalid_argument, std::runtime_error (certificates that cannot be used, with the reason),
  /// std::bad_alloc, std::system_error.
  TradeClient(TradeOptions options, Print print);
  ~TradeClient();

  TradeClient(const TradeClient&) = delete;
  TradeClient& operator=(const TradeClient&) = delete;

  /// Connects, works until the lines are over or say `quit`, or `stops()`; then logs out.
  TradeOutcome run(LineSource& lines, bool is_terminal, const std::function<bool()>& stops);

  [[nodiscard]] const Blotter& blotter() const noexcept { return blotter_; }

  // TradeSessionHandler
  void on_attempt(Time now) override;
  void on_logged_on(const std::string& line, Time now) override;
  void on_note(const std::string& line) override { print_(line); }
  void on_logged_out(const std::string& line) override;
  void on_closed() override { is_closed_ = true; }
  void on_gave_up() override { is_broken_ = is_closed_ = true; }
  void on_report(const TradeReport& report, Time now) override;
  void on_refused(const std::string& id, const std::string& text) override;

 private:
  /// A request that was sent.
  struct Pending {
    Time until{};  ///< gives up waiting
    std::string where;
  };
  /// Something that did not go well, of an order or of none (0).
  struct Refusal {
    std::uint32_t order = 0;
  };
  /// An expectation that does not hold yet.
  struct Awaited {
    Expectation expectation;
    Time until{};
    std::string where;
  };

  [[nodiscard]] std::unique_ptr<TradeSession> make_session();
  void step();
  void give_up_unanswered(Time now);
  [[nodiscard]] bool is_held(Time now);
  bool run_line();
  [[nodiscard]] Time wait_for(time::Duration patience);
  void on_wake(Time now);

  void execute(const TradeCommand& command);
  void request(const TradeCommand& command);
  void enter(const TradeCommand& command);
  void quote(const TradeCommand& command);
  void amend(const TradeCommand& command);
  void cancel(const TradeCommand& command);
  void cancel_all();
  void ask_status(const TradeCommand& command);
  void dont_know(const TradeCommand& command);
  void show(const TradeCommand& command);
  void save(const TradeCommand& command);
  void expect(const Expectation& expectation);
  void settle_expectation(Time now);

  BlotterOrder* open_order(std::uint32_t number);
  void send(const TradeRequest& request, std::uint32_t order);
  [[nodiscard]] std::string next_id();
  [[nodiscard]] BlotterOrder* order_of(const TradeReport& report);
  [[nodiscard]] static std::string side_key(std::string_view id, market::Side side);
  [[nodiscard]] static bool is_quote_side(const BlotterOrder& order) noexcept {
    return (order.entry.terms.flags & market::k_quote) != 0;
  }
  [[nodiscard]] TradeReport completed(const BlotterOrder& order, const TradeReport& report) const;
  void reject_sent_sides(const std::string& id);
  std::string answered(std::string_view id);
  void print_all(const std::vector<std::string>& lines);
  void refuse(const std::string& line, const std::string& where, std::uint32_t order = 0);
  void finish();

  TradeOptions options_;
  Print print_;
  Station station_;
  std::unique_ptr<TradeSession> session_;
  sched::TimerOf<&TradeClient::on_wake> wake_;
  Blotter blotter_;
  std::optional<Script> script_;
  std::string prefix_;                                              // of ids: another one in every run
  std::map<std::string, std::uint32_t, std::less<>> orders_by_id_;  // every id of an order that was sent
  std::map<std::string, QuoteTerms, std::less<>> quotes_;           // by the id that they were sent under
  std::map<std::string, Pending, std::less<>> unanswered_;
  std::vector<Refusal> refusals_;
  std::optional<Awaited> awaited_;
  std::string where_;  // of the line that is run
  std::uint32_t last_request_ = 0;
  Time wait_until_{};
  Time logon_deadline_ = time::k_never;
  bool is_terminal_ = false;
  bool is_logged_on_ = false;
  bool is_leaving_ = false;
  bool is_closed_ = false;
  bool is_broken_ = false;
};

}  // namespace dojima::app
