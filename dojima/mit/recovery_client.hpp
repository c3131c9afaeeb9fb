#pragma once

// A member's end of a MIT203 recovery session: it logs on with the name and password of its real-time session, asks for
// what it missed of one partition after the other, asks again where the venue stops at a limit, hands each message once
// to a handler, and leaves. Deterministic, no allocation after construction, one thread; the object must outlive its
// connection.
//
//   RecoveryClient client({.user = "DOJIMA01", .password = "Secret#2026"}, lse_21_2::k_dialect, scheduler, handler);
//   client.ask_for(1, session.highest_sequence(1));   // for each partition, before the connection
//   fabric.connect(recovery_port, client);            // on_recovered ..., then on_recovery_end

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/sessions/missed_message_client.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

using RecoveryClientOptions = MissedMessageOptions;

/// What came of a recovery.
struct RecoveryOutcome {
  bool is_complete = false;            ///< every partition that was asked for has sent all that it had
  std::uint64_t recovered = 0;         ///< messages handed over
  std::uint64_t duplicates = 0;        ///< messages that had been seen
  std::int32_t logon_code = 0;         ///< of a refused logon
  std::uint8_t partition = 0;          ///< the first that was not recovered; 0: none
  Recovery response = Recovery::good;  ///< why not, where the venue said so
  bool is_away = false;                ///< that one, as the venue said, cannot be recovered now, and can later
  link::CloseReason reason = link::CloseReason::none;
  std::string_view text{};    ///< why the connection ended early; dies when the handler returns
  std::bitset<128> absent{};  ///< partitions that were asked for, by number, which the venue says that it does not have
};

class RecoveryClient;

class RecoveryClientHandler {
 public:
  /// Logged on; nothing was asked for yet. What is asked for can still be changed here: forget(), ask_for(). `day`:
  /// which day of which venue it is, where the venue says so.
  virtual void on_recovery_logged_on(RecoveryClient& /*client*/, const VenueDay& /*day*/, Time /*now*/) {}
  /// A message that had been missed. `code` is the reject code as on the wire, where the kind of report has one.
  virtual void on_recovered(RecoveryClient& client, const market::OwnerReport& report, std::int32_t code, Time now) = 0;
  /// The last message that had arrived before came again, as the first of what the venue has from there on. One that
  /// says something else than it did then is no message of the same venue.
  virtual void on_repeated(RecoveryClient& /*client*/, const market::OwnerReport& /*report*/, Time /*now*/) {}
  /// The venue says that a partition cannot be recovered now, or that it can again. What is asked for of it waits: the
  /// request is sent once more when it can, also on a later connection.
  virtual void on_recovery_status(RecoveryClient& /*client*/, const SystemStatus& /*status*/, Time /*now*/) {}
  /// The connection is gone, or could not be made. Once for every connection; it may be connected again.
  virtual void on_recovery_end(RecoveryClient& client, const RecoveryOutcome& outcome, Time now) = 0;

 protected:
  ~RecoveryClientHandler() = default;
};

class RecoveryClient final : public MissedMessageClient {
 public:
  /// Throws std::invalid_argument for a user or password that no Logon can carry.
  RecoveryClient(const RecoveryClientOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                 RecoveryClientHandler& handler)
      : MissedMessageClient(options, dialect, scheduler), handler_(handler) {}

  /// From the next connection on asks for what follows this number of a partition (1 to 127); 0: for all that it has.
  /// Another connection goes on behind what has arrived. Not while connected, but in on_recovery_logged_on; at most
  /// k_most_partitions.
  void ask_for(std::uint8_t partition, market::Sequence last) { add(partition, last); }

  /// No message is read until it is called with true, and the venue's silence is not measured; nor on a connection that
  /// opens meanwhile. At first messages are read.
  void set_reading(bool is_wanted);

  void on_open(link::Transport& transport, Time now) override;

 private:
  void on_logged_on(const VenueDay& day, Time now) override;
  void on_ack(Recovery response, Time now) override;
  void on_report_end(Recovery response, Time now) override;
  void on_reject(Time now) override;
  void take(const Report& report, Time now) override;
  void on_status(const SystemStatus& status, Time now) override;
  void on_end(link::CloseReason reason, std::string_view text, Time now) override;
  void ask(Time now);
  void go_on(Time now);
  void give_up(Recovery response, Time now);
  void wait(Time now);
  void leave(Time now);
  template <class Encode>
  void write(Encode encode);

  RecoveryClientHandler& handler_;
  std::size_t current_ = 0;
  bool has_progress_ = false;      // since the last request
  bool is_reading_wanted_ = true;  // by the owner
  RecoveryOutcome outcome_;
};

}  // namespace dojima::mit
