#pragma once

// FIX message stores that survive: the numbers and messages of many sessions in one journal on disk (dojima/journal),
// one MessageStore for each session. The thread of the sessions writes into the journal's memory and makes no system
// call for a message; journal::JournalThread does the slow work. After a crash at any instant the next opening gives
// what the last whole record said. How much is kept is bounded by session and on the disk; what is no longer there is
// gap-filled by the session. docs/fix.md says what each durability promises.
//
//   auto stores = JournalStores::open(disk, {.name = "gw1"});
//   if (!stores) return show(stores.error().what, stores.error().place, stores.error().advice);
//   journal::JournalThread thread((*stores)->journal(), {.on_durable = wake the loop, .on_room = wake the loop});
//   Result<MessageStore*> store = (*stores)->store({"FIX.4.4", "VENUE", "CLIENT"});
//   Session session(scheduler, config, handler, **store);
//   ... at the end of each turn of the loop: (*stores)->deliver();
//
// One thread, but for what JournalThread does. Sessions are destroyed before the stores.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/fix/session_name.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::fix {

struct JournalStoresOptions {
  std::string name{};  ///< up to 7 characters that distinguish stores: the directory of another is refused
  journal::Durability durability = journal::Durability::process;
  std::size_t segment_bytes = std::size_t{1} << 24;
  unsigned spare_segments = 4;                        ///< ready ahead; the last is for logouts, numbers and states
  std::uint64_t disk_bytes = std::uint64_t{1} << 30;  ///< all segments, spare ones too; at least spare_segments + 5
  std::size_t largest_message = 8192;                 ///< a session's max_body and 100 more
  std::size_t messages_per_session = 100'000;         ///< the newest are kept; at least 1
  std::uint64_t bytes_per_session = std::uint64_t{1} << 26;
  std::size_t messages = std::size_t{1} << 18;  ///< kept of all sessions together; 16 bytes of memory each
  std::size_t sessions = 4096;                  ///< that the journal may know, also those no longer used
  std::uint64_t state_bytes = 0;                ///< a whole state of their user (StateKeeper); 0: there is none
  /// Gets the states that are read at the start, in their order. An error ends the opening. Null: there are none.
  std::function<Result<void>(Bytes state)> on_state{};
  bool cut_holes = false;  ///< as FileJournalOptions
  /// While less is left, in bytes of records with their headers, nothing is read for the sessions: what one message
  /// that was read may still lead to. At most half of what there is room for whenever the spare segments are ready. 0:
  /// eight of the largest records.
  std::size_t room_kept = 0;
};

/// Who reads for the sessions besides themselves. Called as SendGateListener::on_room, behind the sessions.
class RoomListener {
 public:
  virtual void on_room(bool is_short) = 0;

 protected:
  ~RoomListener() = default;
};

/// What uses the sessions may keep a state of its own in their journal, as opaque pieces: by themselves, or carried by
/// a message, so that the change of the state and the message that says so survive together or not at all. As old
/// segments are removed, it is asked to write its state anew, a piece whenever as many bytes of other records were
/// written. What it says then, and what is kept while that goes on, must together be the whole state.
class StateKeeper {
 public:
  /// Begins anew to write the whole state.
  virtual void begin_checkpoint() = 0;
  /// Writes the next piece into the room, of k_state_piece bytes. How many bytes it took; 0: that was all.
  [[nodiscard]] virtual std::size_t write_checkpoint(Room room) = 0;

 protected:
  ~StateKeeper() = default;
};

/// The largest piece of a state.
inline constexpr std::size_t k_state_piece = 2048;

class StoreJournal;
class StoresFollower;

class JournalStores {
 public:
  /// Recovers what is there, or begins. Blocks for as long as that takes. The disk must outlive the stores. Refused
  /// with what, where and what to do: options that cannot be, damage, records of something else.
  [[nodiscard]] static std::expected<std::unique_ptr<JournalStores>, journal::Trouble> open(
      journal::Disk& disk, const JournalStoresOptions& options);
  ~JournalStores();
  JournalStores(const JournalStores&) = delete;
  JournalStores& operator=(const JournalStores&) = delete;

  /// The store of that session, made known to the journal where it is new. It belongs to one session at a time and
  /// lives as long as this object. Errors: `out_of_range` for a text above 255 bytes, `no_room` for more sessions than
  /// there may be, or when the journal takes no record. For start-up: allocates.
  [[nodiscard]] Result<MessageStore*> store(const SessionName& name);

  /// What the owner of credentials checks the peer's password with, once the peer has chosen one: a text that says
  /// nothing here, such as crypt(3) gives it; empty: none. It is there again after a crash, as numbers are. The view
  /// lives until it is set anew. O(sessions).
  [[nodiscard]] std::string_view verifier(const SessionName& name) const noexcept;
  /// Errors: `missing` for a session that has no store, `out_of_range` for a text above 255 bytes, `no_room` or that of
  /// the system when the journal takes no record; nothing has changed then. May allocate.
  [[nodiscard]] Result<void> set_verifier(const SessionName& name, std::string_view verifier);
  /// Who writes its state anew when that is wanted; outlives the stores' use, or is taken away with null. A journal
  /// that holds states and has nobody to write them anew removes nothing.
  void keep_state_of(StateKeeper* keeper);
  /// A piece of the state, by itself, of 1 to k_state_piece bytes. Error: the journal took no record. `is_essential`:
  /// also from the journal's reserve. `received`: a store of these whose messages in front of the number that
  /// count_received() gave were received, if the piece is kept.
  [[nodiscard]] Result<void> write_state(Bytes state, bool is_essential, const MessageStore* received = nullptr);
  /// The next message that any of the sessions keeps carries this piece, of at most k_state_piece bytes, which must
  /// live until then; empty: none.
  void carry_state(Bytes state);
  /// Whether it was kept with a message.
  [[nodiscard]] bool is_state_carried() const;

  /// Notifies sessions whose messages wait until they are durable that this has moved, and sessions that were not read
  /// for want of room that there is some. For the end of each turn of the loop. O(sessions that wait), and O(sessions)
  /// when the room has come or gone.
  void deliver();
  /// Whether nothing is read for want of room (MessageStore::is_short_of_room).
  [[nodiscard]] bool is_short_of_room() const noexcept;
  /// Who else is to know of that; outlives the stores' use, or is taken away with null.
  void watch_room(RoomListener* listener) noexcept;
  /// Bytes of records, whole states written anew not counted, since the room became short the last time.
  [[nodiscard]] std::size_t written_while_short() const noexcept;
  /// What is kept of JournalStoresOptions::room_kept.
  [[nodiscard]] std::size_t room_kept() const noexcept;

  /// For journal::JournalThread, and to look at.
  [[nodiscard]] journal::FileJournal& journal() noexcept;
  [[nodiscard]] const journal::FileJournal& journal() const noexcept;
  /// Sessions that are known, and messages kept of all of them.
  [[nodiscard]] std::size_t sessions() const noexcept;
  [[nodiscard]] std::size_t messages() const noexcept;

 private:
  friend class StoresFollower;
  explicit JournalStores(std::unique_ptr<StoreJournal> shared);
  std::unique_ptr<StoreJournal> shared_;  // store/store_journal.hpp
};

}  // namespace dojima::fix
