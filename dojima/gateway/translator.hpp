#pragma once

// The heart of the gateway: requests of FIX clients become commands of the venue, and reports become messages to the
// clients, with the state of every order in between. It owns all records and no session: FIX sessions and venue
// sessions are attached once and used as ways out. Deterministic: the same calls give the same bytes. O(1) per message
// (records.hpp), no allocation after construction, one thread. docs/gateway.md has every rule.
//
//   Translator translator(config);
//   translator.attach(0, fix_session, venue_session);
//   translator.on_client(0, view, now);            // from fix::Handler::on_message
//   translator.on_venue(0, report, code, now);     // from mit::ClientHandler::on_report

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/request_log.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class Translator {
 public:
  /// The transition tables of both directions (client_to_exchange_machine.hpp, exchange_to_client_machine.hpp).
  struct ClientToExchange;
  struct ExchangeToClient;

  /// Takes all memory. `log` and `probe` may be null. Throws std::invalid_argument, std::bad_alloc.
  explicit Translator(const GatewayConfig& config, RequestLog* log = nullptr, measure::Probe* probe = nullptr);

  /// The ways out of a client, who is numbered by its place in the configuration. Both outlive the translator's use.
  void attach(std::uint32_t client, fix::Session& session, mit::ClientSession& venue);

  /// An application message of a client.
  void on_client(std::uint32_t client, const fix::MessageView& message, Time now);

  /// A report to the client's venue user; `code` as it stands on the wire.
  void on_venue(std::uint32_t client, const market::OwnerReport& report, std::int32_t code, Time now);
  /// A request refused in front of the venue.
  void on_venue_reject(std::uint32_t client, const mit::Reject& reject, Time now);
  /// The venue session of the client is over: what is unanswered becomes stale.
  void on_venue_end(std::uint32_t client);

  [[nodiscard]] const GatewayCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] GatewayCounters& counters() noexcept { return counters_; }
  [[nodiscard]] const Records& records() const noexcept { return records_; }
  [[nodiscard]] const SymbolTable& symbols() const noexcept { return symbols_; }

 private:
  struct Client {
    fix::Session* session = nullptr;
    mit::ClientSession* venue = nullptr;
    market::NewOrder order_template;
  };
  /// How the order that a client's message addresses stands.
  enum class Standing : std::uint8_t {
    nobody,  // there is none
    known,   // a new order's own id has been used
    open,
    busy,  // open, and a cancel or replace is under way
    closed,
    lost,
  };
  /// What becomes of the message in hand.
  struct Fate {
    Standing standing = Standing::nobody;
    Request* request = nullptr;  // once it was sent
  };
  /// The message in hand.
  struct Asked {
    std::uint32_t client;
    const fix::MessageView& message;
    Time now;
    Fate& fate;
    std::optional<std::uint64_t> number = {};  // none: no place for another request
    std::optional<std::uint32_t> order = {};   // the order it is about, where there is one
    ClOrdId id = {};
    ClOrdId orig = {};
    bool is_venue_up = false;
  };
  using Done = std::expected<void, Refusal>;
  struct Told;

  // translator_client.cpp: from the clients to the venue
  void ask(Asked& asked);
  [[nodiscard]] Done read_ids(Asked& asked, bool is_new) const;
  [[nodiscard]] Standing stand(Asked& asked, bool is_new) const;
  [[nodiscard]] Done send_new_order(const Asked& asked);
  [[nodiscard]] Done send_cancel(const Asked& asked);
  [[nodiscard]] Done send_replace(const Asked& asked);
  Request& open_change(const Asked& asked, RequestKind kind);
  template <class Command>
  [[nodiscard]] Done dispatch(const Asked& asked, Request& request, Command& command);
  void refuse(const Asked& asked, const Refusal& refusal);
  void refuse_with_report(const Asked& asked, const Refusal& refusal);

  // What the rows of ClientToExchange do and ask.
  void try_new_order(const Asked& asked);
  void try_cancel(const Asked& asked);
  void try_replace(const Asked& asked);
  void count_sent(const Asked& asked);
  void hold_order(const Asked& asked);
  void answer_possible_resend(const Asked& asked);
  void refuse_unavailable(const Asked& asked);
  void refuse_duplicate_order(const Asked& asked);
  void refuse_duplicate_change(const Asked& asked);
  void refuse_unknown(const Asked& asked);
  void refuse_lost(const Asked& asked);
  void refuse_too_late(const Asked& asked);
  void refuse_pending(const Asked& asked);
  void refuse_unsupported(const Asked& asked);
  void count_unsupported(const Asked& asked);
  [[nodiscard]] bool is_venue_down(const Asked& asked) const noexcept { return !asked.is_venue_up; }
  [[nodiscard]] bool is_sent_before(const Asked& asked) const noexcept;
  [[nodiscard]] bool is_id_known(const Asked& asked) const noexcept;

  // translator_venue.cpp: from the venue to the clients
  [[nodiscard]] Request* request_of(std::uint32_t client, const Text<20>& client_order_id);
  [[nodiscard]] bool is_plausible(const Request& request, const market::OwnerReport& report) const;
  void apply(const Told& told, market::OwnerReportKind event);
  [[nodiscard]] bool change_record(Request& request, const market::OwnerReport& report);
  void adopt_replacement(Request& request);
  void answer(Request& request);
  void close_order(std::uint32_t place);
  void settle(std::uint32_t place);
  void abandon_stale(Order& order);
  void unlink_stale(Order& order, const Request& request);
  void tell_as(const Told& told, char type);
  void tell_change_refusal(const Told& told, bool is_closed);
  void tell_closed_venue(const Told& told);
  void forget_change(Request& request);

  // What the rows of ExchangeToClient do and ask.
  void tell(const Told& told);
  void tell_parked(const Told& told);
  void tell_end(const Told& told);
  void reject_order(const Told& told);
  void reject_change(const Told& told);
  void reject_late_change(const Told& told);
  void lose_order(const Told& told);
  void end_unavailable(const Told& told);
  void tell_unavailable(const Told& told);
  void settle_unavailable(const Told& told);
  [[nodiscard]] bool is_parked(const Told& told) const noexcept;
  [[nodiscard]] bool is_used_up(const Told& told) const noexcept;
  [[nodiscard]] bool is_new(const Told& told) const noexcept;
  [[nodiscard]] bool is_suspended(const Told& told) const noexcept;
  [[nodiscard]] bool is_unavailable_new(const Told& told) const noexcept;
  [[nodiscard]] bool is_gone(const Told& told) const noexcept;

  // translator.cpp
  [[nodiscard]] fix::Writer begin(std::uint32_t client, fix::MsgType type);
  void send(std::uint32_t client, fix::Writer& writer);
  void tell_execution(const Order& order, const Execution& execution);
  [[nodiscard]] std::string_view own_exec_id();
  void mark(std::uint8_t stage, std::uint64_t number) const;

  GatewayStages stages_;
  SymbolTable symbols_;
  Records records_;
  RequestLog* log_;
  measure::Probe* probe_;
  std::vector<Client> clients_;
  GatewayCounters counters_;
  std::uint64_t next_own_execution_;
  std::array<char, 13> own_exec_id_{};
};

}  // namespace dojima::gateway
