#pragma once

// What the operator of a venue did, by whom and why, as a journal of its own beside those of the partitions; and what
// follows from it beyond the end of the process: users that are locked out or may not trade. A record is written before
// what it says has any effect. What changes books is a command in their partition's journal as well. Cold path:
// allocates. One thread, but for what a journal::JournalThread does.
//
//   auto log = OperatorLog::open(disk, journal::Durability::process);  // or, in memory, OperatorLog log;
//   Front front({.users = users, .access = log->get()}, scheduler, partitions);
//   if (!(*log)->write({.time = now, .who = "ann", .words = "kill KONOIKE", .why = "limit breach"})) ...

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/trouble.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/credentials.hpp"

namespace dojima::venue {

/// Something that was done.
struct OperatorRecord {
  Time time{};
  std::string who{};    ///< a person's name, or where the command came from
  std::string words{};  ///< the command
  std::string why{};    ///< the reason that was given; may be empty
  std::string user{};   ///< whose access it changes; empty: nobody's
  UserAccess access{};  ///< from here on
  friend bool operator==(const OperatorRecord&, const OperatorRecord&) = default;
};

/// The record as bytes, each text cut to 255 characters; and back. Errors:
/// `malformed`, with the offset.
[[nodiscard]] std::string bytes_of(const OperatorRecord& record);
[[nodiscard]] Result<OperatorRecord> read_operator_record(Bytes bytes);

class OperatorLog final : public AccessKeeper {
 public:
  /// The kind of its records in the journal.
  static constexpr std::uint8_t k_kind = 2;
  /// Of all records the newest so many can be looked at.
  static constexpr std::size_t k_recent = 1000;

  /// In memory: it goes with the process.
  OperatorLog() = default;
  /// Reads what is there, or begins it. The disk must outlive the log. An error
  /// is for a person.
  [[nodiscard]] static std::expected<std::unique_ptr<OperatorLog>, journal::Trouble> open(
      journal::Disk& disk, journal::Durability durability);

  /// An error: the journal takes no record; nothing may be done then.
  [[nodiscard]] Result<void> write(const OperatorRecord& record);
  [[nodiscard]] const std::deque<OperatorRecord>& recent() const noexcept { return recent_; }
  /// How many there have been.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // AccessKeeper
  [[nodiscard]] UserAccess access_of(std::string_view user) const override;
  /// Of everybody of whom something was said, by the name.
  [[nodiscard]] const std::map<std::string, UserAccess, std::less<>>& accesses() const noexcept { return access_; }
  [[nodiscard]] bool keep(std::string_view user, const UserAccess& access, std::string_view why, Time now) override;
  /// Who is named in what keep() writes, until it is said anew: the operator at
  /// hand. By itself it is the venue.
  void set_author(std::string who, std::string words, std::string why);
  /// Writes that the operator at hand does what it does; changes nobody's access. False: it could not be kept.
  [[nodiscard]] bool keep_words(Time now);
  void clear_author() { set_author({}, {}, {}); }
  /// The operator at hand: who, and why.
  [[nodiscard]] const OperatorRecord& author() const noexcept { return author_; }

  /// For its thread; null in memory.
  [[nodiscard]] journal::FileJournal* journal() noexcept { return journal_.get(); }

 private:
  void take(OperatorRecord record);

  std::unique_ptr<journal::FileJournal> journal_;
  std::deque<OperatorRecord> recent_;
  std::map<std::string, UserAccess, std::less<>> access_;
  std::uint64_t size_ = 0;
  OperatorRecord author_;
};

}  // namespace dojima::venue
