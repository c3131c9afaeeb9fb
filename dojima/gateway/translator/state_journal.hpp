#pragma once

// Writes what changes in a gateway's state into the journal of its FIX sessions. A request is written by itself, before
// the venue sees it; what a report changes is in one record with the message to the client. The whole state is written
// anew, piece by piece, when the journal wants to remove old segments. Without a journal every call is one branch.
// O(changes), one thread, no allocation after begin().

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/limits/client_state.hpp"
#include "dojima/gateway/records/busted_executions.hpp"
#include "dojima/gateway/records/held_busts.hpp"
#include "dojima/gateway/records/record_image.hpp"
#include "dojima/gateway/records/records.hpp"
#include "dojima/gateway/venue_progress.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

class DropCopies;

/// What a venue that was taken for another one may still have of a user's orders, which were reported as lost. As long
/// as it may, what such orders execute is reported.
enum class Leftovers : std::uint8_t {
  none,
  uncancelled,  ///< the venue is still to be asked to cancel them, also in the next life
  cancelled,    ///< it says that they are; what they have executed may follow until the session ends
};

class StateJournal final : public fix::StateKeeper {
 public:
  /// All outlive this.
  StateJournal(Records& records, GatewayCounters& counters, const std::vector<ClientState>& states,
               const VenueUsers& users)
      : records_(records),
        counters_(counters),
        states_(states),
        users_(users),
        clients_(states.size()),
        user_states_(users.size()) {}
  ~StateJournal();
  StateJournal(const StateJournal&) = delete;
  StateJournal& operator=(const StateJournal&) = delete;

  /// From now on everything is written into the journal of these stores; first who the clients are, what the
  /// configuration says that orders depend on, and numbers that are above all that were used. Both outlive this. Throws
  /// std::runtime_error when it takes none of it.
  void begin(fix::JournalStores& stores, const GatewayConfig& config);
  [[nodiscard]] bool is_on() const noexcept { return stores_ != nullptr; }
  /// Whether it is short of room: what can wait does.
  [[nodiscard]] bool is_short_of_room() const noexcept { return stores_ != nullptr && stores_->is_short_of_room(); }

  /// A report to the venue user was taken; false: its partition is one too many. Goes with the next record.
  [[nodiscard]] bool note_report(std::uint32_t user, const market::OwnerReport& report) noexcept;
  /// Nothing that the venue said so far counts.
  void forget_progress(std::uint32_t user, std::uint8_t partition = 0) noexcept;
  /// The day that the user's last reports are of. Goes with the next record.
  void set_day(std::uint32_t user, const KnownDay& day) noexcept;
  [[nodiscard]] const KnownDay& day(std::uint32_t user) const noexcept { return user_states_[user].day; }
  void set_leftovers(std::uint32_t user, Leftovers leftovers) noexcept;
  [[nodiscard]] Leftovers leftovers(std::uint32_t user) const noexcept { return user_states_[user].leftovers; }
  /// The user's session is over.
  void end_session(std::uint32_t user) noexcept;
  [[nodiscard]] const VenueProgress& progress(std::uint32_t user) const noexcept { return user_states_[user].progress; }
  /// The client's state has changed. Goes with the next record.
  void note_state(std::uint32_t client) noexcept;
  void restore(std::uint32_t user, const VenueProgress& progress, const KnownDay& day, Leftovers leftovers) noexcept {
    user_states_[user].progress = progress;
    user_states_[user].day = day;
    user_states_[user].leftovers = leftovers;
  }

  /// An execution of the venue user was taken back; goes with the next record.
  void note_bust(const BustedExecution& entry) noexcept { busted_.add(entry); }
  [[nodiscard]] bool has_bust(std::uint32_t user, std::uint64_t execution) const noexcept {
    return busted_.has(user, execution);
  }

  /// See HeldBusts. What changes goes with the next record.
  [[nodiscard]] bool has_held_busts() const noexcept { return !held_.is_empty(); }
  [[nodiscard]] bool hold_bust(const HeldBust& bust) noexcept;
  template <class Is>
  [[nodiscard]] std::optional<HeldBust> take_bust(Is is) noexcept {
    const std::optional<HeldBust> taken = held_.take(is);
    if (taken) note_held(taken->user);
    return taken;
  }

  /// A client does not know a trade; goes with the next record.
  void note_unknown_trade(const UnknownTrade& trade) noexcept { unknown_trades_.add(trade); }
  [[nodiscard]] const UnknownTrades& unknown_trades() const noexcept { return unknown_trades_; }

  /// Writes all changes. False: the journal has no room; they are written with what comes later. `is_essential`: also
  /// from the journal's reserve. `received`: see fix::JournalStores::write_state.
  [[nodiscard]] bool write(bool is_essential, const fix::MessageStore* received = nullptr);
  /// That a number was taken for a request without a record, which is about to leave. False: the journal has no room.
  [[nodiscard]] bool write_number(const fix::MessageStore* received);
  /// The next FIX message carries all changes; `carried` says afterwards whether it did, and writes them if not.
  void carry();
  void end_carry();

  /// Whose positions are part of the whole state; outlives this. May be null.
  void set_drop_copies(const DropCopies* copies) noexcept { copies_ = copies; }

  /// A number for an ExecID of the gateway's own.
  [[nodiscard]] std::uint64_t take_execution() noexcept;
  void restore_executions(std::uint64_t next) noexcept { next_execution_ = reserved_ = next; }

  // fix::StateKeeper
  void begin_checkpoint() override;
  [[nodiscard]] std::size_t write_checkpoint(Room room) override;

 private:
  struct Client {
    bool is_noted = false;  // its limits and presence are to be written
  };
  struct UserState {
    VenueProgress progress;
    KnownDay day;
    Leftovers leftovers = Leftovers::none;
    bool is_day_noted = false;   // it and they are to be written
    bool is_held_noted = false;  // the busts that wait are to be written
    bool is_forgotten = false;   // some of it: what was written before does not count
    bool is_noted = false;       // something of it is to be written
  };
  /// They follow each other in this order.
  enum class Stage : std::uint8_t {
    clients,
    users,
    venues,
    symbols,
    states,
    copies,
    orders,
    requests,
    ids,
    busts,
    unknown_trades,
    done
  };

  void write_client(EntryWriter& out, std::uint32_t number) const;
  void write_user(EntryWriter& out, std::uint32_t user) const;
  void write_venue(EntryWriter& out, std::uint8_t venue) const;
  void write_order(EntryWriter& out, std::uint32_t slot) const;
  void write_progress(EntryWriter& out, std::uint32_t user) const;
  void write_day(EntryWriter& out, std::uint32_t user) const;
  void write_held(EntryWriter& out, std::uint32_t user) const;
  void write_state(EntryWriter& out, std::uint32_t client) const;
  void write_reserved(EntryWriter& out) const;
  [[nodiscard]] bool encode();
  void write_bust(EntryWriter& out, std::size_t place) const;
  [[nodiscard]] bool write_piece(bool is_essential, const fix::MessageStore* received = nullptr);
  void forget_changes() noexcept;
  void note_user(std::uint32_t user) noexcept;
  void note_held(std::uint32_t user) noexcept;
  [[nodiscard]] bool write_next(EntryWriter& out);
  [[nodiscard]] std::size_t entry_room() const noexcept;
  [[nodiscard]] std::size_t stage_end() const;
  void write_entry(EntryWriter& out);
  [[nodiscard]] std::size_t write_behind(Room room);

  Records& records_;
  GatewayCounters& counters_;
  const std::vector<ClientState>& states_;
  const VenueUsers& users_;
  fix::JournalStores* stores_ = nullptr;
  const GatewayConfig* config_ = nullptr;  // once it has begun
  const DropCopies* copies_ = nullptr;
  std::vector<Client> clients_;
  std::vector<UserState> user_states_;
  std::vector<std::uint32_t> noted_users_, noted_states_;
  HeldBusts held_;
  BustedExecutions busted_;
  UnknownTrades unknown_trades_;
  bool is_behind_ = false;  // changes are not in the journal, although they should be
  std::uint64_t next_execution_ = 0;
  std::uint64_t reserved_ = 0;  // ExecIDs below are in the journal
  std::array<std::byte, fix::k_state_piece> room_{};
  EntryWriter out_{room_};

  Stage stage_ = Stage::done;  // of the running checkpoint
  std::uint64_t next_ = 0;     // place in the stage
};

}  // namespace dojima::gateway
