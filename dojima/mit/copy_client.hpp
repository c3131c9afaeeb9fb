#pragma once

// A reader's end of a drop copy session: it logs on, asks for the reports of each partition from the number that it has
// on, and hands them to a handler as long as the session lasts, each once, in the order of their numbers. What is asked
// for is kept over connections, so that another one goes on behind what has arrived; connecting again is the owner's
// business. Deterministic, no allocation after construction, one thread; the object must outlive its connection.
//
//   CopyClient client({.user = "HOUSE-COPY", .password = "Secret#2026"}, lse_21_2::k_dialect, scheduler, handler);
//   client.follow(1);                        // every partition, before the connection
//   fabric.connect(copies_port, client);     // on_copy ..., on_copies_complete, on_copy ..., on_copies_end

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/mit/sessions/missed_message_client.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::mit {

using CopyClientOptions = MissedMessageOptions;

/// What came of a session.
struct CopyOutcome {
  std::uint64_t copies = 0;      ///< handed over
  std::uint64_t duplicates = 0;  ///< that had been seen
  std::int32_t logon_code = 0;   ///< of a refused logon
  link::CloseReason reason = link::CloseReason::none;
  std::string_view text{};  ///< why the connection ended; dies when the handler returns
};

class CopyClient;

class CopyClientHandler {
 public:
  /// Logged on; nothing was asked for yet: the numbers can still be changed, by forget() and follow(). `day`: which day
  /// of which venue it is, where the venue says so.
  virtual void on_copies_logged_on(CopyClient& client, const VenueDay& day, Time now) = 0;
  /// The copy of a report; `counterparty` names its owner.
  virtual void on_copy(CopyClient& client, const market::OwnerReport& report, std::int32_t code, Time now) = 0;
  /// All that the venue had when it was asked has come; what follows is new.
  virtual void on_copies_complete(CopyClient& client, Time now) = 0;
  /// A partition cannot be followed from there: there is none of this number, or the venue has other reports.
  virtual void on_copies_refused(CopyClient& client, std::uint8_t partition, Recovery why, Time now) = 0;
  /// The connection is gone, or could not be made. Once for every connection; it may be connected again.
  virtual void on_copies_end(CopyClient& client, const CopyOutcome& outcome, Time now) = 0;

 protected:
  ~CopyClientHandler() = default;
};

class CopyClient final : public MissedMessageClient {
 public:
  /// Throws std::invalid_argument for a user or password that no Logon can carry.
  CopyClient(const CopyClientOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
             CopyClientHandler& handler)
      : MissedMessageClient(options, dialect, scheduler), handler_(handler) {}

  /// From the next connection on what follows this number of a partition (1 to 127) is wanted; 0: all of the day. Not
  /// while connected, but in on_copies_logged_on; at most k_most_partitions.
  void follow(std::uint8_t partition, market::Sequence last = {}) { add(partition, last); }
  /// Says Logout; the end follows.
  void logout(std::string_view text);

  void on_open(link::Transport& transport, Time now) override;

 private:
  void on_logged_on(const VenueDay& day, Time now) override;
  void on_ack(Recovery response, Time now) override;
  void on_report_end(Recovery response, Time now) override;
  void on_reject(Time) override { end("request rejected"); }
  void take(const Report& report, Time now) override;
  void on_end(link::CloseReason reason, std::string_view text, Time now) override;
  void ask(Time now);

  CopyClientHandler& handler_;
  std::size_t answered_ = 0;  // requests of this connection, which are answered in their order
  CopyOutcome outcome_;
};

}  // namespace dojima::mit
