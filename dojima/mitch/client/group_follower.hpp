#pragma once

// One market data group as a reader follows it: messages by their numbers, whatever order they come in, applied to the
// books in theirs; which instruments' books are suspect; and how a snapshot becomes a book again. It asks nobody for
// anything.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/fixed_map.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/feed/message_window.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

/// Messages that are missing.
struct MissingRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

class GroupFollower {
 public:
  /// What became of a message.
  enum class Outcome : std::uint8_t {
    applied,
    skipped,     // of a suspect instrument, or included in a snapshot
    misfit,      // it does not fit the book of `instrument`, which was good
    homeless,    // of an order that nobody knows, though all books are good
    discovered,  // the first of an instrument; what came before it is not known
  };
  struct Applied {
    Outcome outcome = Outcome::applied;
    std::uint32_t instrument = 0;
  };

  /// `has_recovery`: snapshots can be had; a suspect book is not taken for good because it was cleared then, as its
  /// status may have been missed.
  GroupFollower(char group, std::size_t window, const BookBuilderLimits& limits, bool has_recovery);

  [[nodiscard]] char group() const noexcept { return group_; }
  [[nodiscard]] const BookBuilder& books() const noexcept { return books_; }
  [[nodiscard]] std::uint32_t next() const noexcept { return next_; }
  [[nodiscard]] std::size_t window() const noexcept { return window_.capacity(); }

  /// Nothing is known any more: `next` comes next, of a group that was joined late or from its beginning.
  void begin(std::uint32_t next, bool is_late);
  /// A message below window() behind next(), or any before it. False: it was there already.
  [[nodiscard]] bool put(std::uint32_t number, Bytes message) noexcept;
  /// Numbers below `end` exist.
  void announce(std::uint32_t end) noexcept { end_ = std::max(end_, end); }
  /// The message that comes next; empty: it is not there.
  [[nodiscard]] Bytes peek() const noexcept { return window_.find(next_); }
  /// Applies it. The caller has looked.
  [[nodiscard]] Applied apply_next();
  /// A book is as of a message that is still to come: a snapshot was quicker than the lines.
  [[nodiscard]] bool is_ahead() const noexcept { return next_ <= included_; }
  /// The message that comes next exists and is not there. O(1).
  [[nodiscard]] bool has_gap() const noexcept { return next_ < end_ && !window_.has(next_); }
  /// What is missing before the next message that is there; nothing where none is. O(missing).
  [[nodiscard]] std::optional<MissingRange> missing() const noexcept;
  /// What is missing will not come: every book is suspect.
  void skip_missing();
  /// Messages from here on that are not there will not come.
  void skip_to(std::uint32_t next);

  void suspect(std::uint32_t instrument);
  /// No snapshot of it will come: it is good again when it is cleared.
  void give_up(std::uint32_t instrument);
  /// A name and no more: its book is suspect.
  void expect(std::uint32_t instrument);
  [[nodiscard]] bool is_suspect(std::uint32_t instrument) const noexcept;
  [[nodiscard]] std::size_t suspects() const noexcept { return suspects_; }
  [[nodiscard]] const std::vector<std::uint32_t>& instruments() const noexcept { return instruments_; }
  /// How often the book of the instrument turned out wrong; 0 for the group's instrument 0 likewise.
  [[nodiscard]] unsigned& misfits(std::uint32_t instrument);

  /// A message of a snapshot; of a book that is good, nothing happens.
  void apply_snapshot(Bytes message);
  /// The connection was lost: the next snapshot begins anew.
  void end_snapshot() noexcept { snapshot_ = 0; }
  /// The snapshot of the instrument includes the message `number`. False: what came behind it is not there any more.
  [[nodiscard]] bool complete_snapshot(std::uint32_t instrument, std::uint32_t number);

 private:
  struct Instrument {
    std::uint32_t included = 0;  // messages up to this one are in its book, as a snapshot had them
    std::uint32_t misfits = 0;
    bool is_suspect = false;
    bool is_given_up = false;
  };

  [[nodiscard]] Instrument* find_or_add(std::uint32_t id, bool& is_new);
  [[nodiscard]] Applied apply_to_book(std::uint32_t number, Bytes message, char type);
  void begin_snapshot(std::uint32_t instrument);
  void apply_again(std::uint32_t number, std::uint32_t instrument);

  char group_;
  MessageWindow window_;
  BookBuilder books_;
  FixedMap<std::uint32_t, Instrument> known_;
  std::vector<std::uint32_t> instruments_;  // those of known_
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t included_ = 0;  // the latest of all instruments
  std::size_t suspects_ = 0;
  std::uint32_t snapshot_ = 0;  // the instrument whose snapshot is coming
  bool has_recovery_;
  bool is_late_ = false;
  unsigned group_misfits_ = 0;
};

}  // namespace dojima::mitch
