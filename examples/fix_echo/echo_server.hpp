#pragma once

// Sessions that echo: NewOrderSingle, SecurityDefinition and Email go back on the same session as they came, any other
// message of the application gets a BusinessMessageReject, "Unsupported Message Type". An order with PossResend(97)=Y
// whose ClOrdID came on this connection before is ignored. Acceptors are behind one port; initiators keep themselves
// connected.

#include "echo_config.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/initiator.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/scheduled_session.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/fix/stored_passwords.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/sched/loop.hpp"

namespace echo {

using dojima::time::Time;

/// The ClOrdIDs of one connection, as far as there is room for them: a table of their hashes. No allocation after
/// construction; memory that was never used costs nothing, so that a session nobody connects to is small. Throws
/// std::bad_alloc.
class SeenIds {
 public:
  explicit SeenIds(std::size_t capacity)
      : slots_(static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)))), capacity_(capacity) {
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  void clear() noexcept { ++generation_; }
  /// Notes the id; whether it was there.
  bool note(std::string_view id) noexcept;

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint64_t generation;  // 0: of no connection
  };
  struct Free {
    void operator()(Slot* slots) const noexcept { std::free(slots); }
  };
  std::unique_ptr<Slot[], Free> slots_;
  std::size_t capacity_;
  std::uint64_t generation_ = 1;
};

class EchoSession final : public dojima::fix::Handler,
                          public dojima::fix::ScheduleObserver,
                          public dojima::fix::InitiatorObserver {
 public:
  /// Null store: one of its own.
  EchoSession(dojima::sched::Scheduler& scheduler, const SessionRow& row, const dojima::fix::SessionConfig& config,
              dojima::fix::MessageStore* store, bool is_quiet);

  void on_logon(dojima::fix::Session& session, Time now) override;
  void on_logout(dojima::fix::Session& session, std::string_view reason, Time now) override;
  void on_message(dojima::fix::Session& session, const dojima::fix::MessageView& message, Time now) override;
  void on_trouble(dojima::fix::Session& session, const dojima::Error& error) override;

  void on_numbers_reset(dojima::fix::Session& session, Time now) override;

  void on_failure(const dojima::fix::Attempt& attempt, dojima::fix::AttemptFailure failure,
                  dojima::link::CloseReason reason, Time now) override;

  /// Of an initiator: its first orders, and connections from now on. The fabric outlives the session.
  void connect(dojima::link::Fabric& fabric, Time now);
  /// Logs out, and does not connect again.
  void stop(std::string_view reason);

  [[nodiscard]] dojima::fix::Session& session() noexcept {
    return scheduled_ == nullptr ? *plain_ : scheduled_->session();
  }

 private:
  void echo(dojima::fix::Session& session, const dojima::fix::MessageView& message);
  void send_order(unsigned number, Time now);
  void on_logout_due(Time now);

  dojima::sched::Scheduler& scheduler_;
  std::optional<Connecting> connecting_;
  SeenIds seen_;
  bool is_quiet_;
  std::unique_ptr<dojima::fix::MemoryStore> own_store_;  // of a scheduled session that has no other
  std::unique_ptr<dojima::fix::Session> plain_;
  std::unique_ptr<dojima::fix::ScheduledSession> scheduled_;  // or this one
  std::unique_ptr<dojima::fix::Initiator> initiator_;         // when it connects
  dojima::sched::TimerOf<&EchoSession::on_logout_due> logout_;
};

/// All sessions of a configuration: acceptors behind one SessionAcceptor, and initiators.
class EchoServer final : public dojima::fix::AcceptorObserver, public dojima::sched::Source {
 public:
  /// `is_quiet`: nothing is printed. `stores` may be null where no session has its store in a journal; a peer whose
  /// session has may change its password. Throws
  /// std::invalid_argument for sessions that cannot be.
  EchoServer(dojima::sched::Scheduler& scheduler, const Config& config, dojima::fix::JournalStores* stores,
             bool is_quiet);
  [[nodiscard]] dojima::fix::SessionAcceptor& acceptor() noexcept { return acceptor_; }
  /// Connections that it takes at once, those without a session included.
  [[nodiscard]] static std::size_t links(const Config& config) noexcept;
  /// Entries that its scheduler needs.
  [[nodiscard]] static std::size_t timers(const Config& config) noexcept;
  /// From now on the initiators connect, over a fabric that outlives this object.
  void connect(dojima::link::Fabric& fabric, Time now);
  /// Logs all sessions out.
  void stop(std::string_view reason);

  void on_refused(const dojima::fix::RefusedConnection& refused, Time now) override;
  /// Made from the template with the same BeginString and TargetCompID, as far as there may be more.
  dojima::fix::Session* on_unknown_session(const dojima::fix::MessageView& logon, const dojima::link::Address& peer,
                                           Time now) override;

  [[nodiscard]] Time next_time() override { return dojima::time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  std::size_t finish(Time now) override;

 private:
  /// Null: its names are there already, or the stores have no room for it.
  dojima::fix::Session* add(const SessionRow& row, const std::string& target_comp_id);

  dojima::sched::Scheduler& scheduler_;
  std::vector<SessionRow> templates_;
  std::size_t left_to_make_;
  dojima::fix::JournalStores* stores_;
  std::optional<dojima::fix::StoredPasswords> passwords_;
  bool is_quiet_;
  dojima::fix::EarlyBuffers early_;
  std::vector<std::unique_ptr<dojima::fix::NullStore>> null_stores_;
  std::vector<std::unique_ptr<EchoSession>> sessions_;
  dojima::fix::SessionAcceptor acceptor_;
};

}  // namespace echo
