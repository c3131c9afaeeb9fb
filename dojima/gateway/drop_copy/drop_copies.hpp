#pragma once

// Drop copies: FIX sessions that carry the executions of a firm's clients. A copy follows what the clients' sessions
// have stored, message by message, and notes how far it has come in the record of its own message, so that each
// execution is copied once, however the process ended: only what was sent to a client is copied. A copy begins with all
// that the clients' stores still have, and has what they are about to forget. O(1) a message; allocates for none. One
// thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/drop_copy/copy_positions.hpp"
#include "dojima/gateway/observer.hpp"

namespace dojima::fix {
class JournalStores;
}  // namespace dojima::fix

namespace dojima::gateway {

using time::Time;

/// One drop copy's session.
class DropCopy final : public fix::Handler {
 public:
  struct Parts {
    sched::Scheduler& scheduler;
    fix::SessionConfig session;
    fix::SessionSchedule schedule;
    fix::MessageStore& store;
    Observer* observer;  ///< may be null
  };
  DropCopy(std::size_t number, Parts parts);

  [[nodiscard]] fix::Session& session() noexcept { return session_.session(); }

  // fix::Handler
  void on_logon(fix::Session& session, Time now) override;
  void on_logout(fix::Session& session, std::string_view reason, Time now) override;
  /// A drop copy takes no requests.
  void on_message(fix::Session& session, const fix::MessageView& message, Time now) override;
  void on_trouble(fix::Session&, const Error&) override {}

 private:
  std::size_t number_;
  Observer* observer_;
  fix::ScheduledSession session_;
};

class DropCopies final : public fix::ForgetListener {
 public:
  /// `stores` null: positions are in memory only. Both outlive this.
  DropCopies(GatewayCounters& counters, fix::JournalStores* stores) : counters_(counters), stores_(stores) {}
  ~DropCopies();
  DropCopies(const DropCopies&) = delete;
  DropCopies& operator=(const DropCopies&) = delete;

  /// A copy and the clients that it follows, with where it is in the messages of each. All outlive this.
  void add(DropCopy& copy, std::span<const CopyPosition> positions);
  /// The store of a client's session, which outlives this, and its name in copies.
  void attach(std::uint32_t client, fix::MessageStore& store, std::string_view comp_id);

  /// A message was sent to the client: its executions are copied to all sessions that follow it.
  void follow(std::uint32_t client);
  void follow_all();
  /// What is not copied yet is, whatever room there is: it will not be there any more.
  void on_forget(const fix::MessageStore& store) override;
  /// For a checkpoint of the journal.
  [[nodiscard]] std::size_t positions() const noexcept { return sources_.size(); }
  [[nodiscard]] const CopyPosition& position(std::size_t at) const noexcept { return sources_[at].position; }

 private:
  struct Source {
    DropCopy* copy;
    CopyPosition position;
  };
  struct Followed {
    fix::MessageStore* store = nullptr;
    std::string comp_id;
    std::vector<std::uint32_t> sources;  // places
  };

  /// `is_last`: what cannot be copied now never will be.
  void follow(const Followed& client, Source& source, bool is_last);
  [[nodiscard]] bool is_short_of_room() const noexcept;
  [[nodiscard]] bool copy(const Followed& client, Source& source, Bytes message);
  [[nodiscard]] bool send(Source& source, const fix::MessageView& view, std::string_view client);

  GatewayCounters& counters_;
  fix::JournalStores* stores_;
  std::vector<Source> sources_;
  std::vector<Followed> clients_;
  std::vector<std::byte> message_;  // the one in hand: stores give theirs for a moment only
  fix::MessageView view_;
};

}  // namespace dojima::gateway
