#pragma once

// The order of a partition's commands: each gets the next sequence number and a time that never steps back, is written
// into the journal before it has any effect, and is applied once. Replay reads the same records in the same order.
// O(1), no allocation. One thread; the journal must outlive it.
//
//   commands.stamp(header, now);
//   if (!commands.write(header)) ...   // the journal is full: nothing happened
//   commands.advance(header);          // from here on the command has happened

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "dojima/base/assert.hpp"
#include "dojima/base/bytes.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/market/command.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

class CommandJournal {
 public:
  explicit CommandJournal(journal::Journal& journal) : journal_(journal) {}

  /// The command's place and time: the next sequence; `now`, or the time of the command before if that is later.
  void stamp(market::CommandHeader& header, time::Time now) const noexcept {
    header.sequence = {last_.value + 1};
    header.time = std::max(now, last_time_);
  }

  /// Writes a stamped command of a known type. False: the journal is full, nothing happened.
  [[nodiscard]] bool write(const market::CommandHeader& header) {
    // The commands that come most often, with their sizes known.
    using market::CommandType;
    if (header.type == CommandType::new_order)
      return write(header, sizeof(market::NewOrder), journal_.prepare(sizeof(market::NewOrder)));
    if (header.type == CommandType::cancel)
      return write(header, sizeof(market::Cancel), journal_.prepare_essential(sizeof(market::Cancel)));
    return write_any(header);
  }

  /// The command that a journal record holds, if it is one and the next to be applied; else null. The bytes must be
  /// aligned to 8.
  [[nodiscard]] const market::CommandHeader* read(Bytes record) const;

  /// The command is being applied: it must be the next one.
  void advance(const market::CommandHeader& header) {
    DOJIMA_ASSERT(header.sequence.value == last_.value + 1, "commands are applied one by one in their order",
                  header.sequence.value, last_.value, header.type);
    DOJIMA_ASSERT(header.time >= last_time_, "the time of a partition never steps back", header.time, last_time_,
                  header.sequence.value);
    if (last_.value == 0) [[unlikely]]
      began_ = header.time;
    last_ = header.sequence;
    last_time_ = header.time;
  }

  /// An order has room in the journal now. Nothing that was prepared before may be used any more.
  [[nodiscard]] bool has_room() { return !journal_.prepare(sizeof(market::NewOrder)).empty(); }

  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);
  /// When the first command was applied; behind all that earlier versions saved, who did not save it.
  void save_beginning(StateWriter& out) const;
  /// False: the reader failed.
  [[nodiscard]] bool load_beginning(StateReader& in);

  /// The last command applied, and its time.
  [[nodiscard]] market::Sequence last() const noexcept { return last_; }
  [[nodiscard]] time::Time last_time() const noexcept { return last_time_; }
  /// The time of the first command; the epoch: there was none, or nobody knows it any more.
  [[nodiscard]] time::Time began() const noexcept { return began_; }
  /// What commands up to this one caused may leave.
  [[nodiscard]] market::Sequence durable() const;

 private:
  [[nodiscard]] bool write_any(const market::CommandHeader& header);
  [[noreturn]] void stop_out_of_order(const market::CommandHeader& header) const;

  /// Into the room that the journal gave for it; empty: it is full.
  [[nodiscard, gnu::always_inline]] bool write(const market::CommandHeader& header, std::size_t size, Room room) {
    if (header.sequence.value != last_.value + 1) [[unlikely]]
      stop_out_of_order(header);
    if (room.empty()) return false;
    DOJIMA_ASSERT(room.size() >= size, "a journal gives the room that it was asked for", room.size(), size,
                  header.type);
    std::memcpy(room.data(), &header, size);
    const journal::Sequence written = journal_.commit(size);
    DOJIMA_ASSERT(written.value == header.sequence.value, "a journal numbers its records one by one", written.value,
                  header.sequence.value);
    return true;
  }

  journal::Journal& journal_;
  market::Sequence last_;
  time::Time last_time_{};
  time::Time began_{};
};

}  // namespace dojima::venue
