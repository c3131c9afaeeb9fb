#pragma once

// One venue user of a gateway: its real-time session, connected again after every loss, and the recovery of what it
// missed. With a recovery channel requests leave only when everything missed has come, in order; what the real-time
// session brings meanwhile is held back. The venue says first which day of which venue it is: of another day everything
// is asked for, as its numbers begin anew; another venue has none of the orders. On the same day the first message that
// comes again is compared with the last that was taken: a venue that says something else there, or does not have it,
// has lost orders. Where a venue states no day, that comparison has to distinguish days as well. One thread, no
// allocation after construction.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/base/pool.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/durable_connection.hpp"
#include "dojima/gateway/flow_control.hpp"
#include "dojima/gateway/observer.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/mit/connection_attempts.hpp"
#include "dojima/mit/recovery_client.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::gateway {

/// A report that waits until a recovery is over, and the next one of its session.
struct HeldReport {
  market::OwnerReport report;
  std::int32_t code = 0;
  std::uint32_t next = 0;
};

class VenueLink final : public mit::ClientHandler, public mit::RecoveryClientHandler {
 public:
  /// Scheduler entries that it reserves.
  static constexpr std::size_t k_timers = mit::ClientSession::k_timers + mit::RecoveryClient::k_timers + 2;

  /// What all links of a gateway share; outlives them. `observer` may be null.
  struct Parts {
    link::Fabric& fabric;
    sched::Scheduler& scheduler;
    Translator& translator;
    Pool<HeldReport>& held;
    FlowControl& flow;
    Observer* observer;
  };

  /// Throws std::invalid_argument for a user or password that no Logon can carry.
  VenueLink(const Parts& parts, std::uint32_t user, const VenueConfig& venue, const VenueUser& configured);
  VenueLink(const VenueLink&) = delete;
  VenueLink& operator=(const VenueLink&) = delete;

  /// Begins to connect: to `primary`, and after three attempts in vain to `secondary`, where there is one, and so on.
  void start(const VenueAddress& primary, const std::optional<VenueAddress>& secondary);
  /// Says Logout and connects no more.
  void stop(std::string_view text);
  /// No connection is left.
  [[nodiscard]] bool is_idle() const noexcept { return !is_reaching_ && !is_recovery_reaching_; }
  /// Requests leave only when the records of this journal that were written before them are durable.
  void hold_for(const journal::FileJournal& journal) { wire_.hold_for(journal); }
  /// The journal is short of room: what is recovered waits at the venue.
  void hold_recovery() {
    if (is_recovering_) recovery_.set_reading(false);
  }
  /// There is room again: a paused recovery goes on.
  void go_on(Time now);
  /// Lets go what has become durable.
  void release(Time now) { wire_.release(now); }
  [[nodiscard]] mit::ClientSession& session() noexcept { return session_; }
  [[nodiscard]] const mit::ClientSession& session() const noexcept { return session_; }
  /// Requests leave: logged on, nothing is left to be recovered, and what the last session led to has been answered.
  [[nodiscard]] bool is_ready() const noexcept {
    return !is_recovering_ && parts_.translator.venue_sessions().takes_requests(user_);
  }

  // mit::ClientHandler
  void on_logged_on(mit::ClientSession& session, std::int32_t days, Time now) override;
  void on_logon_refused(mit::ClientSession& session, std::int32_t code, Time now) override;
  void on_report(mit::ClientSession& session, const market::OwnerReport& report, std::int32_t code, Time now) override;
  void on_reject(mit::ClientSession& session, const mit::Reject& reject, Time now) override;
  void on_end(mit::ClientSession& session, link::CloseReason reason, std::string_view text, Time now) override;
  void on_trouble(mit::ClientSession& session, const Error& error, Time now) override;
  void on_system_status(mit::ClientSession& session, const mit::SystemStatus& status, Time now) override;
  void on_writable(mit::ClientSession&, Time) override { parts_.flow.on_venue(user_); }

  // mit::RecoveryClientHandler
  void on_recovery_logged_on(mit::RecoveryClient& client, const mit::VenueDay& day, Time now) override;
  void on_recovered(mit::RecoveryClient& client, const market::OwnerReport& report, std::int32_t code,
                    Time now) override;
  void on_repeated(mit::RecoveryClient& client, const market::OwnerReport& report, Time now) override;
  void on_recovery_status(mit::RecoveryClient& client, const mit::SystemStatus& status, Time now) override;
  void on_recovery_end(mit::RecoveryClient& client, const mit::RecoveryOutcome& outcome, Time now) override;

 private:
  static constexpr std::uint32_t k_none = 0xffff'ffff;
  static constexpr std::size_t k_partitions = 5;  // AppIDs of the protocol are 1 to 4

  /// What the recovery under way has brought of a partition of which something had come.
  struct Seen {
    bool has_come_again = false;    // the last report
    bool has_said = false;          // anything
    bool is_numbered_anew = false;  // the venue has given more executions than numbers
  };

  void connect();
  [[nodiscard]] const VenueAddress& address() const noexcept;
  void try_other_password(std::int32_t code);
  /// The step before which a recovery pauses while the journal is short of room.
  enum class Step : std::uint8_t { none, recover, lose, settle, give_up, hand_over };

  void recover();
  void ask();
  void begin_day(Time now);
  void end_day(Time now);
  void report_days(const EndedDays& days, Time now);
  void lose_orders(Time now);
  void note_other_venue() noexcept { is_other_venue_ = true; }
  void note(const market::OwnerReport& report) noexcept;
  [[nodiscard]] bool has_day_begun(std::size_t place, const mit::RecoveryOutcome& outcome) const noexcept;
  [[nodiscard]] bool find_day(const mit::RecoveryOutcome& outcome, Time now);
  [[nodiscard]] bool has_all_come_again() const noexcept;
  void end_recovery(Time now);
  void give_up_recovery(Time now);
  void hand_over(Time now);
  [[nodiscard]] bool has_leftovers(Time now);
  [[nodiscard]] bool is_of_leftovers(const Text<20>& id) const noexcept;
  [[nodiscard]] bool has_every_partition_answered() const noexcept;
  void end_leftovers();
  void put_off_leftovers(Time now);
  [[nodiscard]] bool take_leftovers_answer(const market::OwnerReport& report, Time now);
  void hold(const market::OwnerReport& report, std::int32_t code);
  [[nodiscard]] bool release_held(bool is_delivered);
  void on_reconnect_due(Time) { connect(); }
  void on_recovery_due(Time) { recover(); }

  Parts parts_;
  std::uint32_t user_;
  time::Duration reconnect_;
  mit::ClientSession session_;
  DurableConnection wire_{session_};
  mit::RecoveryClient recovery_;
  sched::TimerOf<&VenueLink::on_reconnect_due> reconnect_timer_;
  sched::TimerOf<&VenueLink::on_recovery_due> recovery_timer_;
  VenueAddress primary_;
  std::optional<VenueAddress> secondary_;
  mit::ConnectionAttempts attempts_;
  mit::VenueGateway gateway_ = mit::VenueGateway::primary;  // of the connection at hand
  std::string new_password_;                                // that may be in use at the venue already; empty: none
  std::string session_password_;                            // of the logon at hand

  bool is_reaching_ = false;  // from connect() until on_end
  bool was_up_ = false;       // in this connection
  bool is_stopping_ = false;
  bool is_dropping_ = false;           // stopping, without room for a report: none behind it is taken
  bool is_recovering_ = false;         // logged on, and not all has come
  bool is_recovery_reaching_ = false;  // from the connection until on_recovery_end
  bool is_recovery_old_ = false;       // it was begun for an earlier session
  bool is_other_venue_ = false;        // the recovery under way has shown it
  bool is_probing_ = false;            // it only looks what the venue has from number 1 on
  mit::VenueDay said_;                 // by the venue, in the recovery at hand
  bool is_day_known_ = false;          // so the day of the last reports need not be found out
  Step next_step_ = Step::none;
  bool is_given_up_ = false;                        // the recovery at hand
  std::uint64_t lost_orders_ = 0;                   // of the other venue, so far
  VenueProgress recovered_from_;                    // what the recovery under way began with
  std::array<Seen, VenueProgress::k_most> seen_{};  // of each of these
  Text<20> leftovers_id_;                           // under which the venue is asked to cancel them; empty: it is not
  std::bitset<k_partitions> answered_;              // partitions that have cancelled them, in this session
  std::bitset<k_partitions> absent_;                // partitions that the venue does not have
  unsigned times_asked_ = 0;                        // since one of them refused
  unsigned refusals_ = 0;                           // recoveries in a row that the venue could not serve
  std::uint32_t first_held_ = k_none, last_held_ = k_none;
};

}  // namespace dojima::gateway
