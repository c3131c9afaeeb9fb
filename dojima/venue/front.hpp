#pragma once

// The venue's front: it takes connections, logs users on, hands their commands to the partition of the instrument and
// their reports from the partitions' logs back to their sessions. Overload slows: a session without room for its
// reports lags behind and is not read meanwhile, one whose partition has too many that wait is not read either; only
// who does not read is ended. Users who are not logged on miss reports, which stay in the report log. docs/venue.md has
// the rules. No allocation after construction. One thread.
//
// As a source of the loop it only works at the end of each instant, so it must stand before the fabric that flushes.
//
//   Front front({.users = users}, scheduler, partitions);
//   fabric.listen({"127.0.0.1", 9001}, front);
//   Loop loop(scheduler, pacer, sources = {&front, &fabric});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/credentials.hpp"
#include "dojima/venue/instrument_index.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

/// A user of the venue. Its number is its place in the configuration, in the front and in every partition.
struct UserConfig {
  std::string name;                   ///< 1 to 25 characters, once in the venue; empty: a place that nobody has yet
  std::string password;               ///< 1 to 25 characters; with FrontConfig::hasher also what that made of it
  UserSetUp set_up;                   ///< what the partitions know
  std::uint32_t throttle = 0;         ///< messages per second; 0: no limit
  bool must_change_password = false;  ///< it is a first one
  Time password_since{};              ///< when it was set; the epoch: when the front was made
  bool is_removed = false;            ///< it cannot log on; its name is kept for those who read of it
};

/// A user that the operator adds.
struct NewUser {
  std::string name;      ///< 1 to 25 characters
  std::string password;  ///< what FrontConfig::hasher makes of it
  bool must_change_password = false;
  UserRight right = UserRight::trade;
};

struct FrontConfig {
  std::vector<UserConfig> users;
  std::size_t sessions = 64;  ///< connections at a time; more are refused
  mit::ServerOptions session;
  LogonRules logon;
  PasswordKeeper* passwords = nullptr;  ///< of changed ones; outlives the front. Null: they are gone with it
  AccessKeeper* access = nullptr;       ///< of locks, kill switches and expired passwords; likewise
  PasswordHasher* hasher = nullptr;     ///< outlives the front. Null: passwords are compared and kept as they are
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::size_t maximum_lag = 1 << 16;  ///< reports of a partition that a session may be behind; at most a quarter of the
                                      ///< log. `session.stall` is how long it may take nothing of them
  std::uint8_t stage_in = 0;          ///< probe stage of a request that came in
  std::uint8_t stage_out = 1;         ///< probe stage of its answer leaving
};

struct FrontCounters {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  ///< all sessions taken
  std::uint64_t logons = 0;
  std::uint64_t logons_refused = 0;
  std::uint64_t logons_delayed = 0;
  std::uint64_t logons_busy = 0;  ///< of those refused: too many waited for their passwords to be compared
  std::uint64_t passwords_changed = 0;
  std::uint64_t commands = 0;          ///< taken by a partition
  std::uint64_t commands_refused = 0;  ///< the partition could not take them: journal full, or reports wait for it
  std::uint64_t drained_refused = 0;   ///< orders while the venue is being drained
  std::uint64_t reports_sent = 0;
  std::uint64_t reports_missed = 0;  ///< their user was not logged on, or was ended because it did not read
  std::uint64_t sessions_ended = 0;  ///< because they did not read
  std::uint64_t holds = 0;           ///< times that a session was not read for a while
  std::uint64_t trades_busted = 0;
  std::uint64_t days_begun = 0;
};

/// What the partitions know of these users.
[[nodiscard]] std::vector<UserSetUp> set_ups_of(std::span<const UserConfig> users);

class Front final : public link::Acceptor, public mit::ServerHandler, public sched::Source {
 public:
  /// Scheduler entries that a front reserves for `sessions` sessions.
  [[nodiscard]] static constexpr std::size_t timers(std::size_t sessions) noexcept {
    return sessions * mit::ServerSession::k_timers + 1;
  }

  /// At least one partition; each must have been made with the same users, no two with the same instrument. All must
  /// outlive the front. `probe` may be null. Throws std::bad_alloc, std::invalid_argument.
  Front(FrontConfig config, sched::Scheduler& scheduler, std::span<Partition* const> partitions,
        measure::Probe* probe = nullptr);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  /// A free session, or null.
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  Duration logon_delay(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  Duration logon_wait(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  mit::LogonReply on_logon(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  void on_new_order(mit::ServerSession& session, market::NewOrder& order, Time now) override;
  void on_replace(mit::ServerSession& session, market::Replace& replace, Time now) override;
  void on_cancel(mit::ServerSession& session, market::Cancel& cancel, Time now) override;
  void on_mass_cancel(mit::ServerSession& session, market::MassCancel& cancel, Time now) override;
  void on_quote(mit::ServerSession& session, market::Quote& quote, Time now) override;
  void on_end(mit::ServerSession& session, market::SessionEnd end, Time now) override;
  void on_free(mit::ServerSession& session, Time now) override;

  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  /// Sends what may leave. How many reports did.
  std::size_t finish(Time now) override;

  /// By the operator: takes a trade back. `unknown`: no instrument or trade of this number, or it is not kept any more
  /// (VenueLimits::trades); `wrong_state`: it was busted before; `no_room`: its partition takes no command now.
  [[nodiscard]] Result<void> bust_trade(std::uint32_t instrument, std::uint64_t trade, Time now);

  /// By the operator: a command of the trading day, a phase, an expiry. It goes to the partition of its instrument, or
  /// to all; `header` must be the beginning of a record of its type. `unknown`: no such instrument; `no_room`: a
  /// partition takes no command now, `got` says which one by its place; those before it have taken it.
  [[nodiscard]] Result<void> operate(market::CommandHeader& header, Time now);
  /// By the operator: cancels orders of a user, of an instrument or all (0). The user is told of each, and gets no
  /// answer to a mass cancel. Errors as operate().
  [[nodiscard]] Result<void> cancel_orders(std::uint16_t user, std::uint32_t instrument, Time now);
  /// By the operator: a limit, a kill switch or the end of what is open, of whom and where the command says: it goes to
  /// the partition of its instrument, or to all. Errors: as Partition::complaint(), and then nothing has changed; as
  /// operate().
  [[nodiscard]] Result<void> restrict(market::RiskCommand& command, Time now);
  /// The kill switch of a user: new orders, replaces and quotes are refused, cancels are not; `is_cancelling`: and what
  /// is open is cancelled. `no_room`: it could not be kept, and is as it was. Throws std::out_of_range.
  [[nodiscard]] Result<void> set_killed(std::uint16_t user, bool is_killed, Time now, bool is_cancelling = false);
  /// Throws std::out_of_range.
  [[nodiscard]] bool is_killed(std::uint16_t user) const;
  /// By the operator: new orders of all users are refused. It ends with the process.
  void set_draining(bool is_draining) noexcept { is_draining_ = is_draining; }
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
  /// Ends the session of a user; it may log on again. `wrong_state`: it is not logged on.
  [[nodiscard]] Result<void> log_out(std::uint16_t user, std::string_view text);

  /// Says Logout to everybody who is logged on.
  void logout_all(std::string_view text);

  /// By the operator or the clock: the venue's next day. From now on no session is read and nobody logs on; what has
  /// been reported leaves, then every partition begins its numbers anew (Partition::begin_next_day), all at the end of
  /// an instant as soon as every report is durable and sent, and once that is durable everybody is logged out.
  /// `wrong_state`: it is under way already, or the trading day of an instrument is not over.
  [[nodiscard]] Result<void> end_day(Time now);
  [[nodiscard]] bool is_ending_day() const noexcept { return is_ending_day_; }
  /// The user's session is of the day before the present one: it is about to be logged out.
  [[nodiscard]] bool is_day_over(std::uint16_t user) const { return users_.at(user).is_day_over; }
  /// Days that a venue has had before the present one.
  [[nodiscard]] std::uint64_t day_number() const noexcept { return partitions_.front()->day_number(); }

  [[nodiscard]] const FrontCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] bool is_logged_on(std::uint16_t user) const { return users_.at(user).session != nullptr; }
  [[nodiscard]] std::size_t logged_on() const noexcept;
  /// Users that do not read as fast as the partitions report.
  [[nodiscard]] std::size_t lagging() const noexcept;
  /// Reports of the partition that the slowest of these, or whoever waits for durability, has not been sent. O(users).
  [[nodiscard]] std::uint64_t lag(std::size_t partition) const noexcept;
  /// Reports of all partitions that a user who is logged on has not been sent; 0 of one who keeps up. O(partitions).
  [[nodiscard]] std::uint64_t lag_of(std::uint16_t user) const;
  /// The number of the user with this name and the password of its session; code 0 only then.
  [[nodiscard]] mit::LogonReply identify(const mit::Logon& logon, std::uint16_t& user) const noexcept {
    return credentials_.identify(logon, user);
  }
  /// Whether too many wrong passwords, or the operator, have locked a user: it cannot log on then. Throws
  /// std::out_of_range.
  [[nodiscard]] bool is_locked(std::uint16_t user) const { return credentials_.is_locked(user); }
  /// By the operator. Who is logged on stays so. `no_room`: it could not be kept, and is as it was.
  [[nodiscard]] Result<void> set_locked(std::uint16_t user, bool is_locked, Time now);
  /// What the user may not do.
  [[nodiscard]] UserAccess access_of(std::uint16_t user) const {
    UserAccess access = users_.at(user).standing;
    access.is_locked = is_locked(user);
    access.is_killed = is_killed(user);
    access.is_expired = credentials_.is_expired(user);
    return access;
  }
  /// By the operator: the user's next logon has to bring a new password. `wrong_state`: it has to already;
  /// `not_supported`: the rules take no new passwords; `no_room`: as set_locked().
  [[nodiscard]] Result<void> expire_password(std::uint16_t user, Time now);
  /// By the operator: a user in a place that nobody has, or one that was removed, in its own. Its number. Errors:
  /// `out_of_range`: the name; `duplicate`: there is one of this name; `not_supported`: nobody keeps passwords, or
  /// compares what is kept of them; `no_room`: all places are taken (`got` is their number), or as set_locked() (-1).
  [[nodiscard]] Result<std::uint16_t> add_user(const NewUser& user, Time now);
  /// By the operator: the user is none any more. Its session ends, and what it has open is cancelled. `wrong_state`: it
  /// is none; `no_room`: as set_locked(), or a partition takes no command now: then only that is still to be done.
  [[nodiscard]] Result<void> remove_user(std::uint16_t user, Time now);
  /// By the operator: its next logon has to bring this password; `kept`: what FrontConfig::hasher makes of it. A
  /// session goes on, without a recovery channel from here on. Errors as of add_user() and remove_user().
  [[nodiscard]] Result<void> set_password(std::uint16_t user, const std::string& kept, bool must_change, Time now);
  /// By the operator: what the user may do, as is kept; whoever calls sees to it that it holds. `no_room` as
  /// set_locked().
  [[nodiscard]] Result<void> keep_right(std::uint16_t user, UserRight right, Time now);
  [[nodiscard]] bool is_vacant(std::uint16_t user) const { return config_.users.at(user).name.empty(); }
  [[nodiscard]] bool is_removed(std::uint16_t user) const { return config_.users.at(user).is_removed; }
  [[nodiscard]] const std::string& name_of(std::uint16_t user) const { return config_.users.at(user).name; }
  /// Where the reports that the user's session has got, or gets, begin in the log of a partition (by place). Of a user
  /// who is logged on.
  [[nodiscard]] Cursor session_begin(std::uint16_t user, std::size_t partition) const;
  /// The number of the first of them.
  [[nodiscard]] market::Sequence session_begin_number(std::uint16_t user, std::size_t partition) const;
  /// How often the user has logged on.
  [[nodiscard]] std::uint64_t logons(std::uint16_t user) const { return users_.at(user).logons; }
  [[nodiscard]] std::size_t free_sessions() const noexcept { return free_.size(); }
  [[nodiscard]] std::size_t users() const noexcept { return users_.size(); }

 private:
  struct User {
    mit::ServerSession* session = nullptr;  // while logged on
    bool is_lagging = false;
    bool is_held = false;      // its session is not read
    bool is_too_slow = false;  // logged on, but nothing is sent any more
    bool is_day_over = false;  // likewise: its session is of a day that is over, as the partitions know
    bool is_told_end = false;  // with that: it was told Logout before
    std::uint64_t logons = 0;
    UserAccess standing;  // what the operator has said of it, but for what is asked of others
    market::SessionEnd pending_end = market::SessionEnd::none;  // not taken by every partition yet
    std::vector<Cursor> lag;                                    // per partition, while it is lagging
    Time sent{};                                                // while it is lagging: when it took something last
    Time stall_due{};                                           // until then it has to come to the goal
    std::uint64_t stall_goal = 0;                               // positions of `lag`, added up
    std::vector<std::uint8_t> end_pending;                      // per partition: the end is still to be submitted
    std::vector<Cursor> begin;                                  // per partition: where its session's reports begin
    std::vector<market::Sequence> begin_number;                 // per partition: the number of the first of them
  };

  [[nodiscard]] bool keep_password(std::string_view password, std::uint16_t user, Time now);
  [[nodiscard]] std::size_t route(std::uint32_t instrument) const noexcept;
  [[nodiscard]] bool submit(std::size_t partition, market::CommandHeader& header, Time now);
  void forward(mit::ServerSession& session, market::CommandHeader& header, const Text<20>& client_order_id, Time now);
  void refuse(mit::ServerSession& session, std::uint32_t instrument, const Text<20>& client_order_id,
              std::int32_t code = mit::code::k_partition_suspended);
  void kill_as_kept();
  void cancel_of_removed();
  [[nodiscard]] bool keep_access(std::uint16_t user, const UserAccess& access, std::string_view why, Time now);
  [[nodiscard]] bool is_allowed(mit::ServerSession& session, const market::CommandHeader& header,
                                const Text<20>& client_order_id);
  void submit_ends(std::uint16_t user, Time now);
  [[nodiscard]] std::uint64_t unread(std::size_t partition) const noexcept;

  // front/front_reports.cpp: what leaves
  std::size_t pump(std::size_t partition, Time now);
  std::size_t catch_up(User& user);
  void begin_lagging(User& user, std::size_t partition, std::uint64_t position, Time now);
  void count_missed(const User& user);
  void log_out_slow(User& user, std::string_view text);

  // front/front_days.cpp: from one day to the next
  void go_on_to_next_day(Time now);
  [[nodiscard]] bool has_day_left() const noexcept;
  void close_day() noexcept;
  void end_sessions_of_day();
  void catch_up_with_day();

  // front/front_flow.cpp: who is read, and who is not
  [[nodiscard]] bool make_way(std::size_t partition, std::uint16_t user, Time now);
  std::size_t serve_waiting(Time now);
  void hold(User& user);
  void release(User& user);
  void begin_stall_window(User& user, Time now);
  [[nodiscard]] bool is_stalled(User& user, Time now);
  void find_floors(Time now);
  [[nodiscard]] bool is_any_crowded() const noexcept;
  void on_review_due(Time) {}  // the work is done at the end of the instant
  [[nodiscard]] bool send(User& user, const market::OwnerReport& report);
  void mark(std::uint8_t stage, const Text<20>& client_order_id) {
    if (probe_ != nullptr) mark_number(stage, client_order_id);
  }
  void mark_number(std::uint8_t stage, const Text<20>& client_order_id);

  FrontConfig config_;
  Credentials credentials_;
  sched::Scheduler& scheduler_;
  std::vector<Partition*> partitions_;
  measure::Probe* probe_;
  InstrumentIndex partition_of_instrument_;
  std::vector<User> users_;
  std::vector<std::unique_ptr<mit::ServerSession>> sessions_;
  std::vector<mit::ServerSession*> free_;
  std::vector<Text<64>> hosts_;             // of the connection of each session
  bool is_turned_away_ = false;             // the logon at hand: too many wait for their passwords to be compared
  std::vector<Cursor> cursors_;             // per partition
  std::vector<market::Sequence> durables_;  // per partition: up to here the cursor has read
  std::vector<std::uint64_t> floors_;       // per partition: from here reports wait for the journal, or for who reads
  std::vector<std::uint64_t> bounds_;       // per partition: so many may wait before who causes more is not read
  sched::TimerOf<&Front::on_review_due> review_;
  FrontCounters counters_;
  bool is_draining_ = false;
  bool is_ending_day_ = false;
  std::uint64_t next_day_ = 0;  // while it is ending: which day every partition is to begin
  bool is_any_lagging_ = false;
  bool is_any_held_ = false;
  bool is_any_end_pending_ = false;
};

}  // namespace dojima::venue
