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
#include "dojima/gateway/records.hpp"
#include "dojima/gateway/report_writer.hpp"
#include "dojima/gateway/request_log.hpp"
#include "dojima/gateway/request_reader.hpp"
#include "dojima/gateway/symbols.hpp"
#include "dojima/lab/probe.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

using time::Time;

class Translator {
 public:
  /// Takes all memory. `log` and `probe` may be null. Throws std::invalid_argument, std::bad_alloc.
  explicit Translator(const GatewayConfig& config, RequestLog* log = nullptr, lab::Probe* probe = nullptr);

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
  /// The request in hand.
  struct Asked {
    std::uint32_t client;
    const fix::MessageView& message;
    Time now;
    std::optional<std::uint64_t> number;      // none: no place for another request
    std::optional<std::uint32_t> order = {};  // the order it is about, once that is known
  };
  using Done = std::expected<void, Refusal>;

  // translator_client.cpp: from the clients to the venue
  [[nodiscard]] Asked ask(std::uint32_t client, const fix::MessageView& message, Time now);
  [[nodiscard]] Done try_new_order(Asked& asked);
  [[nodiscard]] Done try_cancel(Asked& asked);
  [[nodiscard]] Done try_replace(Asked& asked);
  [[nodiscard]] Done find_target(Asked& asked, ClOrdId& id, ClOrdId& orig) const;
  Request& open_change(const Asked& asked, RequestKind kind, const ClOrdId& id, const ClOrdId& orig);
  template <class Command>
  [[nodiscard]] Done dispatch(const Asked& asked, Request& request, Command& command);
  [[nodiscard]] Done venue_up(const Asked& asked) const;
  void refuse(const Asked& asked, const Refusal& refusal);
  void refuse_with_report(const Asked& asked, const Refusal& refusal);
  void answer_possible_resend(const Asked& asked, std::uint32_t place);
  void refuse_unsupported(std::uint32_t client, const fix::MessageView& message);

  // translator_venue.cpp: from the venue to the clients
  [[nodiscard]] Request* request_of(std::uint32_t client, const Text<20>& client_order_id);
  [[nodiscard]] bool is_plausible(const Request& request, const market::OwnerReport& report) const;
  void apply(Request& request, const market::OwnerReport& report, std::int32_t code);
  void apply_execution(Request& request, const market::OwnerReport& report);
  void adopt_replacement(Request& request);
  void reject_order(Request& request, std::uint16_t reason, std::string_view text, const market::OwnerReport& report);
  void reject_change(Request& request, std::uint16_t reason, std::string_view text, Time time);
  void report_unavailable(Request& request, std::string_view text);
  void answer(Request& request);
  void close_order(std::uint32_t place);
  void settle(std::uint32_t place);
  void abandon_stale(Order& order);
  void unlink_stale(Order& order, const Request& request);

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
  lab::Probe* probe_;
  std::vector<Client> clients_;
  GatewayCounters counters_;
  std::uint64_t next_own_execution_;
  std::array<char, 13> own_exec_id_{};
};

}  // namespace dojima::gateway
