#pragma once

// The demo's clients: FIX sessions that send a seeded order flow open loop (every request has a due time, whatever
// became of the others) and keep a ledger of their reports. A source of the loop: what is due is sent in
// `deliver`. No allocation once the flow has begun. One thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dojima/fix/session.hpp"
#include "dojima/flow/order_flow.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/ledger.hpp"
#include "dojima/simulate/stages.hpp"

namespace dojima::simulate {

using time::Time;

/// Who takes the marks, and what must be taken off a Time to have the Ticks of the same moment. Null: nobody.
struct ClientProbe {
  measure::StageColumns* columns = nullptr;
  std::int64_t time_minus_ticks = 0;
  bool is_virtual = false;  ///< marks are those of virtual time, not of the counter
};

/// What the clients do: how many, how fast, how long.
struct ClientsConfig {
  flow::FlowConfig flow;
  double seconds = 10;                ///< of order flow, > 0
  bool is_virtual = false;            ///< every request at its own instant, not in batches
  bool goes_on = false;               ///< sessions that end go on with their numbers: reconnect() connects them
  std::uint32_t resting_target = 25;  ///< orders per client, instrument and side around which the book settles
  std::string gateway;                ///< its CompID
};

/// SenderCompID and venue user of a client.
[[nodiscard]] std::string client_name(std::uint32_t client);

/// The most requests a flow may make: what is expected of a Poisson process, and six standard deviations more.
[[nodiscard]] std::size_t request_capacity(double seconds, std::uint64_t rate);

class Clients final : public fix::Handler, public sched::Source {
 public:
  [[nodiscard]] static std::size_t timers(std::uint32_t clients) noexcept;

  /// Throws std::bad_alloc, std::invalid_argument.
  Clients(ClientsConfig config, std::vector<market::Instrument> instruments, sched::Scheduler& scheduler,
          ClientProbe probe);

  /// Connects every client.
  void connect(link::Fabric& fabric, const link::Address& gateway);
  /// Connects those that are not connected, where connect() did. With `goes_on`; a request that falls due while its
  /// client is not logged on is not made (`skipped`).
  void reconnect();
  /// The flow begins at `start` and ends after the configured time.
  void begin(Time start);
  /// What must be taken off a Time to have the Ticks of the same moment, where that is not known before the flow
  /// begins.
  void align(std::int64_t time_minus_ticks) noexcept { probe_.time_minus_ticks = time_minus_ticks; }
  /// No further request is made.
  void end() noexcept;
  void log_off();

  [[nodiscard]] std::size_t logged_on() const noexcept { return logged_on_; }
  [[nodiscard]] std::size_t connected() const noexcept { return connected_; }
  [[nodiscard]] bool is_flowing() const noexcept { return is_flowing_; }
  /// How long requests were made: from the beginning of the flow to the last one sent.
  [[nodiscard]] time::Duration flow_time() const noexcept { return last_sent_ - begin_; }
  /// Messages about orders that came in.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  /// Requests that were not made, as their client was not logged on.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  /// Sessions that ended while they should not have.
  [[nodiscard]] std::uint64_t lost_sessions() const noexcept { return lost_sessions_; }
  /// Why a session could not begin or ended, the first time; empty: nothing of the kind.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
  [[nodiscard]] const std::vector<market::Instrument>& instruments() const noexcept { return instruments_; }

  // sched::Source
  /// Over sockets what is due goes out in batches, once a turn; in virtual time every request at its own instant, so
  /// that it makes no difference how time is paced.
  [[nodiscard]] Time next_time() override {
    if (!is_flowing_) return time::k_never;
    return config_.is_virtual ? next_.due : k_every_turn;
  }
  std::size_t deliver(Time now) override;

  // fix::Handler
  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_reject(fix::Session& session, const fix::MessageView& reject, Time now) override;
  void on_closed(fix::Session& session, link::CloseReason reason, Time now) override;
  void on_trouble(fix::Session& session, const Error& error) override;

 private:
  void send(const flow::Intent& intent, Time now);
  void take_next();
  void mark(Stage stage, std::uint64_t number, Time now);
  void on_wake(Time) {}  // the timer only makes the loop turn when the next request is due
  [[nodiscard]] std::uint32_t client_of(const fix::Session& session) const;

  ClientsConfig config_;
  std::vector<market::Instrument> instruments_;
  sched::Scheduler& scheduler_;
  ClientProbe probe_;
  Ledger ledger_;
  std::vector<std::unique_ptr<fix::Session>> sessions_;
  std::vector<std::string> prefixes_;  // of ClOrdIDs
  std::unique_ptr<flow::OrderFlow> flow_;
  flow::Intent next_;
  Time begin_{};
  Time until_{};
  Time last_sent_{};
  sched::TimerOf<&Clients::on_wake> wake_;
  bool is_flowing_ = false;
  bool is_leaving_ = false;
  std::size_t logged_on_ = 0;
  std::size_t connected_ = 0;
  std::vector<bool> has_connection_;  // by client: open, or on its way
  std::uint64_t received_ = 0;
  std::uint64_t lost_sessions_ = 0;
  std::uint64_t skipped_ = 0;
  link::Fabric* fabric_ = nullptr;  // where clients are connected
  link::Address gateway_;
  std::string trouble_;
};

/// The digits behind the last '-' of a ClOrdID, if they are a request's number.
[[nodiscard]] Number number_of(std::string_view cl_ord_id) noexcept;

}  // namespace dojima::simulate
