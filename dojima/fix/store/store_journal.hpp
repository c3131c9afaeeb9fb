#pragma once

// What the stores of one journal share: the journal itself, the pool of their indices, the checkpoints, and what may be
// released. Used by JournalStores and JournalStore; one thread.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/store/journal_store.hpp"
#include "dojima/fix/store/message_index.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/record_access.hpp"

namespace dojima::fix {

class StoreJournal {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<StoreJournal>, journal::Trouble> open(
      journal::Disk& disk, const JournalStoresOptions& options);

  // ------------------------------------------------------------------------------------------------ for StoresFollower
  /// Without a journal: what another process writes is applied to it. Only the functions of this section may be called
  /// before take_over().
  [[nodiscard]] static std::expected<std::unique_ptr<StoreJournal>, journal::Trouble> follow(
      const JournalStoresOptions& options);
  /// What a record says. The error names the record.
  [[nodiscard]] std::optional<journal::Trouble> take(const journal::Record& record);
  /// Opens the journal, whose lock was taken, reads what comes behind `read`, and goes on as open() does. `trusted`:
  /// FileJournalOptions::trusted. False: the journal does not go on behind `read`, and nothing was done but to open it;
  /// `lock` is spent.
  [[nodiscard]] std::expected<bool, journal::Trouble> take_over(journal::Disk& disk, journal::Sequence read,
                                                                journal::Sequence trusted,
                                                                std::unique_ptr<journal::File> lock);

  /// As JournalStores::store.
  [[nodiscard]] Result<MessageStore*> store(const SessionName& name);
  /// The store of that session; null: it is not known. O(sessions).
  [[nodiscard]] JournalStore* find(const SessionName& name) const noexcept;
  /// As JournalStores::deliver.
  void deliver();
  [[nodiscard]] journal::FileJournal& journal() noexcept { return *journal_; }
  [[nodiscard]] const journal::FileJournal& journal() const noexcept { return *journal_; }
  [[nodiscard]] const std::vector<std::unique_ptr<JournalStore>>& stores() const noexcept { return stores_; }

  // ------------------------------------------------------------------------------------------------- for JournalStore
  [[nodiscard]] const JournalStoresOptions& options() const noexcept { return options_; }
  [[nodiscard]] bool waits_for_disk() const noexcept { return options_.durability == journal::Durability::power; }
  /// Writes a record; false: the journal has no room for it. `is_essential`: also from the reserve.
  [[nodiscard]] bool append(const StoreRecord& record, bool is_essential);
  /// Why the last append was refused.
  [[nodiscard]] Error refusal() const;
  /// Goes on with a checkpoint that has begun. Behind each record of a session. O(1).
  void step();
  [[nodiscard]] Result<journal::Record> read(journal::Location at) { return access_->read(at); }

  // ------------------------------------------------------------------------------------------------------- the room
  // As JournalStores.
  [[nodiscard]] bool is_short_of_room() const noexcept { return is_short_; }
  [[nodiscard]] bool must_spare_room() const noexcept { return is_short_ && room() < room_kept_ / 2; }
  void watch_room(RoomListener* listener) noexcept { room_listener_ = listener; }
  [[nodiscard]] std::size_t written_while_short() const noexcept { return written_while_short_; }
  [[nodiscard]] std::size_t room_kept() const noexcept { return room_kept_; }

  // ------------------------------------------------------------------------------------------------------- the state
  void keep_state_of(StateKeeper* keeper);
  [[nodiscard]] Result<void> write_state(Bytes state, bool is_essential, const JournalStore* received);
  /// What the next message carries; empty: nothing.
  [[nodiscard]] Bytes carried() const noexcept { return carried_; }
  void carry(Bytes state) noexcept;
  /// Room for one message that all stores write into, so that it stays in the caches; the store has it until another
  /// one takes it. Null: another one has a message open in it, or messages wait for the disk before they leave.
  [[nodiscard]] std::byte* take_room(const JournalStore& store) noexcept {
    if (room_of_ != &store && ((room_of_ != nullptr && room_of_->has_open_room()) || waits_for_disk())) return nullptr;
    room_of_ = &store;
    return room_.get();
  }
  [[nodiscard]] bool has_room_of(const JournalStore& store) const noexcept { return room_of_ == &store; }
  /// Forgets the messages of the oldest block of all sessions. O(sessions).
  void drop_oldest_block() noexcept;
  /// The store's messages wait until they are durable.
  void add_waiting(JournalStore& store) { waiting_.push_back(&store); }

 private:
  /// A segment that is still there, and the first record in it that is ours.
  struct Begun {
    std::uint64_t number = 0;
    journal::Sequence first;
  };

  /// Records that are not needed once the checkpoint behind them is on the disk.
  struct Release {
    journal::Sequence up_to;
    journal::Sequence checkpoint;  // 0: nothing to release
  };

  explicit StoreJournal(const JournalStoresOptions& options);
  void adopt(std::unique_ptr<journal::FileJournal> journal);
  [[nodiscard]] std::optional<journal::Trouble> recover(journal::Sequence after);
  [[nodiscard]] Result<void> apply(const StoreRecord& record, const journal::Record& place);
  void note_segment(std::uint64_t number, journal::Sequence first);
  void write_checkpoint(std::size_t sessions);
  [[nodiscard]] bool write_state_checkpoint();
  void plan_release() noexcept;
  void release_when_safe() noexcept;
  /// Of one spare segment nothing can be kept back for essential records, so all records use it.
  [[nodiscard]] bool has_reserve() const noexcept { return options_.spare_segments > 1; }
  [[nodiscard]] std::size_t room() const noexcept { return journal_->sure_room(!has_reserve()); }
  void set_short(bool is_short);
  void review_room();
  void make_room();

  JournalStoresOptions options_;
  StateKeeper* keeper_ = nullptr;
  Bytes carried_{};
  bool has_state_ = false;             // records of it are in the journal
  std::size_t written_meanwhile_ = 0;  // bytes since the last piece of it
  bool is_state_written_ = false;      // by the running checkpoint
  std::uint64_t segments_most_;
  std::unique_ptr<journal::FileJournal> journal_;  // null while another process writes it
  std::optional<journal::RecordAccess> access_;
  BlockPool pool_;
  std::unique_ptr<std::byte[]> room_;
  const JournalStore* room_of_ = nullptr;              // who has written into it last
  std::vector<std::unique_ptr<JournalStore>> stores_;  // by number, from 1 on
  std::vector<Begun> segments_;                        // ascending; the last one is in use
  std::size_t checkpointed_ = 0;                       // stores whose numbers the running checkpoint holds
  std::uint64_t checkpoint_segment_ = 0;               // where it began; 0: none is running
  Release release_, planned_;                          // the next one, and one behind it
  std::vector<JournalStore*> waiting_, notified_;      // the latter while deliver() runs
  journal::Sequence delivered_;
  std::size_t room_kept_ = 0, room_wanted_ = 0;  // the room is short below the first, until there is the second
  bool is_short_ = false;
  std::size_t written_while_short_ = 0;
  RoomListener* room_listener_ = nullptr;
};

}  // namespace dojima::fix
