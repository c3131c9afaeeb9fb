#pragma once

// The order of a partition's commands: each gets the next sequence number and a time that never steps back, is written
// into the journal before it has any effect, and is applied once. Replay reads the same records in the same order.
// O(1), no allocation. One thread; the journal must outlive it.
//
//   commands.stamp(header, now);
//   if (!commands.write(header)) ...   // the journal is full: nothing happened
//   commands.advance(header);          // from here on the command has happened

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
  void stamp(market::CommandHeader& header, time::Time now) const noexcept;

  /// Writes a stamped command of a known type. False: the journal is full, nothing happened.
  [[nodiscard]] bool write(const market::CommandHeader& header);

  /// The command that a journal record holds, if it is one and the next to be applied; else null. The bytes must be
  /// aligned to 8.
  [[nodiscard]] const market::CommandHeader* read(Bytes record) const;

  /// The command is being applied: it must be the next one.
  void advance(const market::CommandHeader& header) {
    DOJIMA_ASSERT(header.sequence.value == last_.value + 1, "commands are applied one by one in their order",
                  header.sequence.value, last_.value, header.type);
    DOJIMA_ASSERT(header.time >= last_time_, "the time of a partition never steps back", header.time, last_time_,
                  header.sequence.value);
    last_ = header.sequence;
    last_time_ = header.time;
  }

  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

  /// The last command applied, and its time.
  [[nodiscard]] market::Sequence last() const noexcept { return last_; }
  [[nodiscard]] time::Time last_time() const noexcept { return last_time_; }
  /// What commands up to this one caused may leave.
  [[nodiscard]] market::Sequence durable() const;

 private:
  journal::Journal& journal_;
  market::Sequence last_;
  time::Time last_time_{};
};

}  // namespace dojima::venue
